/* SPDX-License-Identifier: Apache-2.0 */
/* The packetizer: a set of the remote write queue becomes messages of class request. A `packet` head with the payload's
 * length and its `chunk`s; or, where that is as short on the link, plain WRITEs. Blocks in the order of their slots, in a
 * block the runs lowest first: each maximal run of enabled bytes is a sub-transaction. */
#ifndef WEFT_PACKETIZER_H
#define WEFT_PACKETIZER_H

#include "write_queue.h"

/* How far a set has left; all zero before its first message. */
struct weft_packetizer {
  uint32_t sent;        /* payload bytes of the packet */
  uint32_t begun;       /* its head has left */
  uint32_t block, from; /* the next run is the first one at byte `from` of that block or behind */
  uint32_t skip;        /* bytes of that run, its sub-header first, that have left */
};

/* Plain writes cost no more than the packet would. They never do for two runs. */
static inline bool weft_packetizer_plain(const struct weft_queue_set *set)
{
  return set->plain <= weft_packet_cost(set->payload, set->prefix);
}

/* Makes the next message of a set; false if there is none. `count` gets what it adds to the counters. */
bool weft_packetizer_pop(struct weft_packetizer *state, const struct weft_write_queue *queue, unsigned dst,
                         unsigned which, struct weft_req *out, struct weft_egress_count *count);

/* The next run of a WRITE, as a WRITE of its own, from byte *from of the line on; *from moves behind it. One without
 * enabled bytes passes as it is, if *from is 0. False if there is no more. */
bool weft_next_plain(const struct weft_req *store, unsigned line, uint32_t *from, struct weft_req *out);

#endif
