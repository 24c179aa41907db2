/* SPDX-License-Identifier: Apache-2.0 */
/* The parts of the L2 bank's step, between its own files: home.c (local lines), remote.c (remote lines),
 * writeback.c (their dirty bytes), release.c (releases and markers). refuses_* answer as weft_l2_refuses does; the others trust it. */
#ifndef WEFT_L2_PARTS_H
#define WEFT_L2_PARTS_H

#include "l2.h"
#include "replacement.h"
#include "weft_protocols.h"

struct weft_l2_effects {
  struct weft_l2_event *out;
  struct weft_dir_event *dir;
};

static inline uint64_t weft_l2_line_of(const struct weft_l2 *l, uint64_t address)
{
  return address >> l->line_shift << l->line_shift;
}

static inline unsigned weft_l2_bank_of(const struct weft_l2 *l, uint64_t address)
{
  return (unsigned)(address >> WEFT_PAGE_SHIFT) & ((1U << l->bank_shift) - 1U);
}

static inline uint64_t weft_l2_set_of(const struct weft_l2 *l, uint64_t address)
{
  return weft_bank_line(address, l->line_shift, l->bank_shift) & (weft_l2_lines(l)->sets - 1U);
}

/* The way that holds a line, or WEFT_NO_WAY. */
static inline int weft_l2_find(const struct weft_l2 *l, uint64_t line)
{
  return weft_lines_find(weft_l2_lines(l), weft_l2_set_of(l, line), line);
}

/* Whether the home keeps track of copies: what asks the directory, and what owes INVs. */
static inline bool weft_l2_tracks(const struct weft_l2 *l)
{
  return weft_protocol_rows[l->protocol].tracker == WEFT_TRACKER_DIRECTORY;
}

/* Whether copies of remote lines may be dirty. */
static inline bool weft_l2_writes_back(const struct weft_l2 *l)
{
  return weft_protocol_rows[l->protocol].writeback;
}

/* l2.c */
/* The way that a line would be put into, or WEFT_NO_WAY: not now. */
int weft_l2_place(const struct weft_l2 *l, uint64_t line);
/* Puts a line into the cache, which has a place: takes a victim, writes it back if it is dirty. Returns the way. */
unsigned weft_l2_install(struct weft_l2 *l, uint64_t line, const uint8_t *data, struct weft_l2_event *out);
/* Starts a message to an L1, a response to a node. */
void weft_l2_to_l1(struct weft_l2_event *out, uint8_t kind, uint8_t cu, uint8_t id);
void weft_l2_respond(const struct weft_l2 *l, struct weft_l2_event *out, uint8_t kind, unsigned dst);

/* home.c */
const char *weft_home_refuses_request(const struct weft_l2 *l, const struct weft_req *r, unsigned src);
void weft_home_request(struct weft_l2 *l, const struct weft_req *r, unsigned src, struct weft_l2_effects e);
const char *weft_home_refuses_memory(const struct weft_l2 *l, unsigned fetch);
void weft_home_memory(struct weft_l2 *l, unsigned fetch, const uint8_t *data, struct weft_l2_event *out);
const char *weft_home_refuses_replay(const struct weft_l2 *l);
void weft_home_replay(struct weft_l2 *l, struct weft_l2_effects e);
void weft_home_flush(struct weft_l2 *l, uint64_t set, unsigned way, struct weft_l2_event *out);

/* remote.c */
/* What is on its way of a line is not installed; whether there was anything. Without leases there is at most one. */
bool weft_remote_close(struct weft_l2 *l, uint64_t line);
/* Sends a CU's request on to the home of `address`; makes a load or store wait for a miss; answers a load that hit. */
void weft_remote_send(const struct weft_l2 *l, const struct weft_l2_event *in, unsigned id, uint64_t address,
                      struct weft_l2_event *out);
void weft_remote_wait(struct weft_l2 *l, unsigned miss, const struct weft_req *r, struct weft_l2_event *out);
void weft_remote_hit(struct weft_l2 *l, const struct weft_req *r, uint64_t line, struct weft_l2_event *out);
const char *weft_remote_refuses_cu(const struct weft_l2 *l, const struct weft_req *r);
void weft_remote_cu(struct weft_l2 *l, const struct weft_l2_event *in, struct weft_l2_event *out);
void weft_remote_inv(struct weft_l2 *l, const struct weft_fwd *f, struct weft_l2_event *out);
const char *weft_remote_refuses_line(const struct weft_l2 *l, const struct weft_rsp *r);
void weft_remote_line(struct weft_l2 *l, const struct weft_rsp *r, struct weft_l2_event *out);
void weft_remote_answer(struct weft_l2 *l, struct weft_l2_event *out);

/* writeback.c */
/* A copy that has bytes which its home does not know. */
bool weft_writeback_dirty(const struct weft_l2 *l, uint64_t set, unsigned way);
/* The oldest way of a set without such bytes and not excluded, or WEFT_NO_WAY. */
int weft_writeback_clean_way(const struct weft_l2 *l, uint64_t set, int excluded);
/* A store: true if it stays here; else it goes home as without write-back. */
bool weft_writeback_store(struct weft_l2 *l, const struct weft_l2_event *in, uint64_t line,
                          struct weft_l2_event *out);
/* An atomic that is about to be sent: behind the dirty bytes of its line. */
void weft_writeback_atomic(struct weft_l2 *l, uint64_t line, struct weft_l2_event *out);
/* The copy in this way goes: its dirty bytes are held, if it has any. */
void weft_writeback_victim(struct weft_l2 *l, uint64_t set, unsigned way, struct weft_l2_event *out);
/* Sends what is held, or the next dirty line of the lowest release; false: there is none. */
bool weft_writeback_waits(const struct weft_l2 *l);
void weft_writeback_send(struct weft_l2 *l, struct weft_l2_event *out);
void weft_writeback_flush(struct weft_l2 *l, uint64_t set, unsigned way, struct weft_l2_event *out);

/* leased.c: the same under leases. */
const char *weft_leased_refuses_cu(const struct weft_l2 *l, const struct weft_req *r);
void weft_leased_cu(struct weft_l2 *l, const struct weft_l2_event *in, struct weft_l2_event *out);
void weft_leased_line(struct weft_l2 *l, const struct weft_rsp *r, struct weft_l2_event *out);
const char *weft_leased_refuses_wrote(const struct weft_l2 *l, const struct weft_rsp *r);
void weft_leased_wrote(struct weft_l2 *l, const struct weft_rsp *r, struct weft_l2_event *out);
void weft_leased_acquire(struct weft_l2 *l, const struct weft_req *r, struct weft_l2_event *out);
void weft_leased_rebase(struct weft_l2 *l);

/* release.c */
/* The node has sent this request to its home: what a fault's release looks at. */
static inline void weft_release_wrote(struct weft_l2 *l, const struct weft_req *r)
{
  if (l->fault == WEFT_FAULT_RELEASE_SKIPS_HOMES && r->kind != WEFT_REQ_KIND_READ)
    l->fault_homes |= (uint16_t)(1U << weft_home_of(r->address));
}
const char *weft_release_refuses_fence(const struct weft_l2 *l, uint8_t scope);
void weft_release_fence(struct weft_l2 *l, const struct weft_req *r, uint8_t scope,
                        struct weft_l2_event *out);
const char *weft_release_refuses_ack(const struct weft_l2 *l, unsigned release, unsigned count);
void weft_release_ack(struct weft_l2 *l, unsigned release, unsigned count, struct weft_l2_event *out);
const char *weft_release_refuses_send(const struct weft_l2 *l);
void weft_release_send(struct weft_l2 *l, struct weft_l2_event *out);

/* marker.c */
const char *weft_marker_refuses_request(const struct weft_l2 *l, unsigned src, unsigned id);
void weft_marker_request(struct weft_l2 *l, unsigned src, unsigned id, struct weft_l2_event *out);
const char *weft_marker_refuses_go(const struct weft_l2 *l);
void weft_marker_go(struct weft_l2 *l, struct weft_l2_event *out);
const char *weft_marker_refuses_mark(const struct weft_l2 *l, const struct weft_fwd *f);
void weft_marker_mark(struct weft_l2 *l, const struct weft_fwd *f, struct weft_l2_event *out);
const char *weft_marker_refuses_seen(const struct weft_l2 *l, const struct weft_fwd *f);
void weft_marker_seen(struct weft_l2 *l, const struct weft_fwd *f, struct weft_l2_event *out);

#endif
