/* SPDX-License-Identifier: Apache-2.0 */
/* The de-packetizer: packets become individual stores again, split where a line ends. A packet is looked at whole before
 * its first store leaves; a malformed one is dropped, counted, and not one of its bytes gets further. All other messages
 * pass, behind the stores of the packets before them. */
#ifndef WEFT_DEPACKETIZER_H
#define WEFT_DEPACKETIZER_H

#include "finepack.h"

#define WEFT_PACKETS 2U /* one arrives while another one leaves */

struct weft_arriving {
  uint64_t base;
  uint32_t declared; /* payload bytes as the head has it */
  uint32_t bytes;    /* that have arrived; counted on above what is kept */
  uint32_t broken;   /* the chunks are not those of such a head */
  uint32_t src;
  uint8_t payload[WEFT_PAYLOAD_MAX];
};

struct weft_depacketizer {
  uint64_t memory; /* bytes of the node */
  uint32_t self, line, sub_header;
  uint32_t open;        /* a head has come and not its last chunk */
  uint32_t head, whole; /* packets that were found whole and have not left: a ring */
  uint32_t at, done;    /* of the oldest: its next sub-transaction, bytes of that that have left */
  uint32_t passes;      /* `passing` waits to leave */
  struct weft_req passing;
  struct weft_arriving packet[WEFT_PACKETS];
};

size_t weft_depacketizer_size(const struct weft_config *config);
void weft_depacketizer_reset(struct weft_depacketizer *depacketizer, const struct weft_config *config,
                             unsigned self);
static inline void weft_depacketizer_set(struct weft_depacketizer *d, unsigned sub_header)
{
  d->sub_header = sub_header;
}

/* NULL if a payload is well-formed, else what is wrong with it. */
const char *weft_payload_wrong(const uint8_t *payload, unsigned bytes, unsigned sub_header, uint64_t base,
                               uint64_t memory);

/* A message comes in; `count` gets packets and malformed. Returns NULL, or why it cannot come now. */
const char *weft_depacketizer_step(struct weft_depacketizer *depacketizer, const struct weft_req *in,
                                   struct weft_ingress_count *count);

/* The next message out; false if there is none. `count` gets stores and bytes of a packet's. */
bool weft_depacketizer_pop(struct weft_depacketizer *depacketizer, struct weft_req *out,
                           struct weft_ingress_count *count);

static inline bool weft_depacketizer_idle(const struct weft_depacketizer *d)
{
  return !d->open && !d->whole && !d->passes;
}

#endif
