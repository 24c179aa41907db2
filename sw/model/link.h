/* SPDX-License-Identifier: Apache-2.0 */
/* One direction of one hop: what every message costs in bytes, when it may start and when it arrives.
 * Three classes share the wire, each with buffers (credits) of its own. */
#ifndef WEFT_LINK_H
#define WEFT_LINK_H

#include "layout.h"

enum weft_link_class { WEFT_LINK_REQUEST, WEFT_LINK_FORWARD, WEFT_LINK_RESPONSE, WEFT_LINK_CLASSES };

/* Bytes on the link: the table "Links and switch" of docs/protocol.md. */
unsigned weft_link_cost_req(const struct weft_req *message);
unsigned weft_link_cost_fwd(const struct weft_fwd *message);
unsigned weft_link_cost_rsp(const struct weft_rsp *message, unsigned line);

/* Responses go before forwards before requests; but after so many of them a request that waits goes first, or a node that is
 * answered without end would keep all requests from its home. */
#define WEFT_LINK_OTHERS 3U

struct weft_link_queue {
  uint32_t head, count; /* messages between sender and reader */
  uint32_t credits;     /* what may still be started; a credit comes back by weft_link_credit */
  uint32_t stride, slots_at;
};

struct weft_link {
  uint32_t size; /* of the whole block */
  uint32_t bytes, latency, buffer, line;
  uint32_t owed;   /* bytes of started messages that have not passed */
  uint32_t others; /* responses and forwards started since the last request, up to WEFT_LINK_OTHERS */
  uint32_t packet; /* messages of the FinePack packet under way that have started; 0: none is under way */
  uint32_t spare;  /* bytes of the last beat that the packet under way has still to fill */
  struct weft_link_queue queue[WEFT_LINK_CLASSES];
};

size_t weft_link_size(const struct weft_config *config);
void weft_link_reset(struct weft_link *link, const struct weft_config *config);

/* A class; of requests, see weft_link_may_start_req. A packet under way keeps the other classes out. */
static inline bool weft_link_may_start(const struct weft_link *l, enum weft_link_class class)
{
  return l->owed < l->bytes && l->queue[class].credits != 0 && (l->packet == 0 || class == WEFT_LINK_REQUEST);
}

/* A head starts only with credits for all of its packet; between it and its last chunk nothing else does. */
bool weft_link_may_start_req(const struct weft_link *link, const struct weft_req *message);

/* A request that may start goes before the other classes. */
static inline bool weft_link_request_first(const struct weft_link *l)
{
  return l->others == WEFT_LINK_OTHERS;
}

/* Starts a message (struct weft_req, weft_fwd or weft_rsp, as the class says) in cycle `now`; it must be
 * allowed. Returns its cost in bytes. The messages of a packet can be read when its last chunk has arrived, since nothing of
 * it is believed before its CRC: until that one starts, their time is UINT64_MAX. */
unsigned weft_link_start(struct weft_link *link, enum weft_link_class class, const void *message,
                         uint64_t now);

/* Copies what the message's kind has a use for, and says what it costs. */
unsigned weft_link_copy(void *to, enum weft_link_class class, const void *from, unsigned line);

/* `cycles` cycles pass on the wire. A beat that a packet has begun and not filled leaves one cycle later: what starts then
 * still goes with it. */
static inline void weft_link_pass(struct weft_link *l, uint64_t cycles)
{
  if (cycles == 0)
    return;
  uint64_t bytes = cycles * l->bytes;
  uint64_t room = bytes > l->owed ? bytes - l->owed : 0;
  l->spare = l->packet != 0 && room < l->bytes ? (uint32_t)room : 0;
  l->owed = bytes >= l->owed ? 0 : l->owed - (uint32_t)bytes;
}

struct weft_link_slot {
  uint64_t ready;
  uint64_t message[]; /* aligned for any of the three */
};

static inline struct weft_link_slot *weft_link_slot(const struct weft_link *l,
                                                    const struct weft_link_queue *q, uint32_t index)
{
  return (struct weft_link_slot *)weft_at(l, q->slots_at + (size_t)(index & (l->buffer - 1U)) * q->stride);
}

/* Of a class that has messages. */
static inline const struct weft_link_slot *weft_link_oldest(const struct weft_link *l,
                                                            enum weft_link_class class)
{
  return weft_link_slot(l, &l->queue[class], l->queue[class].head);
}

/* The oldest message of a class, if it can be read in cycle `now`, or NULL. It stays until it is taken. */
const void *weft_link_head(const struct weft_link *link, enum weft_link_class class, uint64_t now);
/* The cycle from which the oldest message can be read, or UINT64_MAX. */
uint64_t weft_link_ready(const struct weft_link *link, enum weft_link_class class);
void weft_link_take(struct weft_link *link, enum weft_link_class class);
/* The credit of a message taken `latency` cycles ago is back. */
void weft_link_credit(struct weft_link *link, enum weft_link_class class);

#endif
