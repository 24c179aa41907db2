/* SPDX-License-Identifier: Apache-2.0 */
/* The way of a node's requests to its link: remote write queue, packetizer, and the order between them and all else.
 *
 * A flush and a message that passes are both work, done in the order in which they came. So a load goes behind the stores
 * of a partition that was flushed for it, and a marker behind all stores of its destination. A WRITE whose mask has holes
 * leaves as one WRITE per run: a plain write on the link has no holes. */
#ifndef WEFT_EGRESS_H
#define WEFT_EGRESS_H

#include "packetizer.h"

#define WEFT_EGRESS_WORK 64U /* more than the RTL holds: sets of all partitions, and messages */

struct weft_egress_work {
  uint8_t flush; /* else a message */
  uint8_t dst, which;
  struct weft_req message;
};

struct weft_egress {
  uint32_t head, count;
  uint32_t due;  /* a strong store is in the queue: the partition of due - 1 must be flushed next */
  uint32_t from; /* of the first work, if that is a WRITE: bytes that have left */
  struct weft_packetizer packetizer;
  struct weft_egress_work work[WEFT_EGRESS_WORK];
  struct weft_write_queue queue; /* its tables lie behind it: last */
};

size_t weft_egress_size(const struct weft_config *config);
void weft_egress_reset(struct weft_egress *egress, const struct weft_config *config, unsigned self);
/* The settings are the configuration's until then. A packet that is open keeps those it was opened with. */
void weft_egress_set(struct weft_egress *egress, const struct weft_finepack *settings);

/* Only whether stores gather; the rest stays the configuration's. */
static inline void weft_egress_enable(struct weft_egress *e, bool finepack)
{
  e->queue.settings.enable = finepack;
}

/* One step: `in` has kind and input (input: req, urgent; flush: cause and dst); `out` gets what it did, `count` what that
 * adds to the counters. An input that must wait for a flush is not taken: the step flushed, and the input comes again.
 * Returns NULL, or why that cannot happen now. */
const char *weft_egress_step(struct weft_egress *egress, const struct weft_egress_event *in,
                             struct weft_egress_event *out, struct weft_egress_count *count);

/* The next message that leaves; false if there is none. */
bool weft_egress_pop(struct weft_egress *egress, struct weft_req *out, struct weft_egress_count *count);

/* Nothing is queued and nothing left to send. */
bool weft_egress_idle(const struct weft_egress *egress);

#endif
