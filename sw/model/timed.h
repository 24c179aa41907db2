/* SPDX-License-Identifier: Apache-2.0 */
/* The fabric with time: the units' step functions behind the RTL's own pipelines, queues, arbiters and links,
 * cycle by cycle. Only units that have something to do are visited, and cycles in which none has are left out. It owns no operations: it asks its host for the
 * one that each CU's port shows, and tells it what was answered. */
#ifndef WEFT_TIMED_H
#define WEFT_TIMED_H

#include "layout.h"
#include "observer.h"

struct weft_timed;

/* Ports are numbered node * cus + cu. */
struct weft_timed_host {
  void *context;
  /* The operation that a port shows in cycle `now`, or NULL. */
  const struct weft_cu_req *(*show)(void *context, unsigned port, uint64_t now);
  void (*take)(void *context, unsigned port);
  /* The first cycle in which a port shows something, as far as is known; UINT64_MAX if nothing waits. */
  uint64_t (*next)(void *context, unsigned port);
  void (*answer)(void *context, unsigned port, const struct weft_cu_rsp *rsp, uint64_t now);
};

/* NULL: out of memory. jitter: per mille of cycles in which a node's incoming streams are held back. finepack: stores
 * leave through the remote write queue. */
struct weft_timed *weft_timed_new(const struct weft_config *config, uint8_t protocol, bool finepack,
                                  uint64_t seed, uint32_t jitter, const struct weft_timed_host *host);
void weft_timed_free(struct weft_timed *t);

/* The model's units can have this fault of rtl/config/faults.toml: all but those of links, FinePack and counters. */
bool weft_timed_has_fault(unsigned fault);
/* From now on they have it. */
void weft_timed_set_fault(struct weft_timed *t, unsigned fault);
/* The leases that homes give from now on. */
void weft_timed_set_leases(struct weft_timed *t, const struct weft_lease_settings *leases);

uint64_t weft_timed_now(const struct weft_timed *t);
/* Something will happen by itself: a unit has work, a message is under way. */
bool weft_timed_busy(const struct weft_timed *t);
/* A port has, or will have, something to show from this cycle on. */
void weft_timed_wake(struct weft_timed *t, unsigned port, uint64_t cycle);
/* The host has forgotten the operations that its ports showed and that were not taken. */
void weft_timed_cancel(struct weft_timed *t);
/* Goes to the first cycle, from the current one on, in which anything can happen, lives through it and stands at the
 * beginning of the next; or goes to `limit` if nothing happens before. Returns NULL, or what a unit's model found
 * illegal. */
const char *weft_timed_cycle(struct weft_timed *t, uint64_t limit);

/* Shows every event of a unit to `observer` from now on; NULL: to nobody. It must live as long. */
void weft_timed_watch(struct weft_timed *t, const struct weft_observer *observer);

/* While it is on, the write queues send all they hold. */
void weft_timed_drain(struct weft_timed *t, bool on);
/* Writes all dirty lines to memory, outside of time; the fabric must not be busy. */
void weft_timed_flush(struct weft_timed *t);
bool weft_timed_memory(struct weft_timed *t, uint64_t address, void *bytes, size_t count, bool write);
/* Counters of all nodes, node by node. */
void weft_timed_counters(const struct weft_timed *t, uint64_t *values);
/* How often a unit was visited: what the simulation itself has cost, in a measure that repeats exactly. */
uint64_t weft_timed_visits(const struct weft_timed *t);
/* What waits, in words. */
void weft_timed_waits(const struct weft_timed *t, char *text, size_t size);

#define WEFT_HOLD_CYCLES 8U
/* Whether the streams into a node are held back in this cycle: {memory, response, forward, request}; the same for
 * every cycle of a block of WEFT_HOLD_CYCLES. The RTL's
 * driver uses the same function, so that a shaken run is the same run on both. */
unsigned weft_timed_hold(uint64_t seed, uint32_t jitter, unsigned node, uint64_t cycle);

#endif
