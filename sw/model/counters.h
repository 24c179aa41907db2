/* SPDX-License-Identifier: Apache-2.0 */
/* Counters of one node: what each event adds. The order is that of rtl/config/weft.rdl; the counters of the
 * compute units stand last, so that the number of a counter does not depend on how many there are.
 * E is an event counter (equal in model and RTL to the last count), T one of cycles, which the timed layer adds. */
#ifndef WEFT_COUNTERS_H
#define WEFT_COUNTERS_H

#include "layout.h"

/* X(kind, unit, name) */
#define WEFT_NODE_COUNTERS(X) \
  X(E, l2, reads) X(E, l2, writes) X(E, l2, atomics) X(E, l2, fences) X(E, l2, hits) X(E, l2, misses) \
  X(E, l2, joins) X(E, l2, installs) X(E, l2, closed) X(E, l2, writebacks) X(E, l2, inv_hit_write) \
  X(E, l2, inv_hit_evict) X(E, l2, inv_miss) X(T, l2, stalls) \
  X(E, home, local) X(E, home, remote) X(E, home, hits) X(E, home, fetches) X(E, home, joins) \
  X(E, home, markers) X(E, home, marks) X(E, home, skips) \
  X(E, directory, lookups) X(E, directory, hits) X(E, directory, allocations) X(E, directory, evictions) \
  X(E, directory, inv_write) X(E, directory, inv_evict) \
  X(E, release, started) X(E, release, acks) \
  X(E, memory, reads) X(E, memory, writes) \
  X(E, link, messages_request) X(E, link, messages_forward) X(E, link, messages_response) \
  X(E, link, bytes_request) X(E, link, bytes_forward) X(E, link, bytes_response) X(T, link, busy) \
  X(E, switch, messages) X(E, switch, bytes) \
  X(T, time, cycles)

#define WEFT_L1_COUNTERS(X) \
  X(E, l1, loads) X(E, l1, stores) X(E, l1, atomics) X(E, l1, fences) X(E, l1, hits) X(E, l1, misses) \
  X(E, l1, joins) X(E, l1, installs) X(E, l1, closed) X(E, l1, requests) X(E, l1, errors) X(E, l1, drops) \
  X(T, l1, stalls)

#define WEFT_COUNTER_ENUM(kind, unit, name) WEFT_COUNT_##unit##_##name,
enum weft_node_counter { WEFT_NODE_COUNTERS(WEFT_COUNTER_ENUM) WEFT_NODE_COUNTER_COUNT };
enum weft_l1_counter { WEFT_L1_COUNTERS(WEFT_COUNTER_ENUM) WEFT_L1_COUNTER_COUNT };
#undef WEFT_COUNTER_ENUM

/* The values of one node: WEFT_NODE_COUNTER_COUNT, then WEFT_L1_COUNTER_COUNT for each CU. */
static inline size_t weft_counter_count(const struct weft_config *c)
{
  return WEFT_NODE_COUNTER_COUNT + (size_t)c->cus * WEFT_L1_COUNTER_COUNT;
}

static inline uint64_t *weft_counters_of_cu(uint64_t *node, unsigned cu)
{
  return node + WEFT_NODE_COUNTER_COUNT + (size_t)cu * WEFT_L1_COUNTER_COUNT;
}

/* Name of a node's counter without the node ("cu1.l1.hits"), as long as snprintf would make it. */
int weft_counter_name(size_t index, char *text, size_t size);
/* Whether it counts events, and not cycles. */
bool weft_counter_is_event(size_t index);

/* Each adds what one step did: its inputs and its effects. */
void weft_count_l1(uint64_t *cu_values, const struct weft_l1_event *in, const struct weft_l1_event *out);
void weft_count_l2(uint64_t *node_values, const struct weft_l2_event *in, const struct weft_l2_event *out,
                   const struct weft_dir_event *dir, unsigned self, unsigned nodes);
/* A message put on the node's sending link, on the switch's link towards the node. */
void weft_count_link(uint64_t *node_values, unsigned class, unsigned bytes);
void weft_count_switch(uint64_t *node_values, unsigned bytes);

#endif
