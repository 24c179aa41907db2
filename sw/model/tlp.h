/* SPDX-License-Identifier: Apache-2.0 */
/* What a message looks like on the wire: the transaction layer packet of PCIe that carries it (docs/wire.md).
 *
 * A packet is a row of 32-bit words, header first. The first byte on the wire is a word's highest: header fields stand
 * as PCIe prints them, and payload bytes in the order of their addresses. */
#ifndef WEFT_TLP_H
#define WEFT_TLP_H

#include "layout.h"
#include "link.h"

#define WEFT_TLP_VENDOR 0x5745U    /* of our messages and prefixes; no number that somebody has */
#define WEFT_TLP_HEADER_MAX 5U     /* words: a prefix and four */
#define WEFT_TLP_PAYLOAD_MAX 4096U /* bytes */
#define WEFT_TLP_WORDS_MAX (WEFT_TLP_HEADER_MAX + WEFT_TLP_PAYLOAD_MAX / 4U)
/* The longest of one message: a write of a whole line with its prefix; of those of a FinePack packet each has its own. */
#define WEFT_TLP_MESSAGE_MAX (5U + WEFT_LINE_MAX / 4U)

/* Kinds of our vendor-defined messages. */
enum weft_tlp_message {
  WEFT_TLP_MARKER,
  WEFT_TLP_INV,
  WEFT_TLP_MARK,
  WEFT_TLP_ACK,
  WEFT_TLP_SEEN,
  WEFT_TLP_MESSAGES
};

/* Each writes a message's words and says how many; 0: the wire has no form for it (a write with holes, an address that
 * is not aligned, a field out of range). The head of a FinePack packet gives the header, a chunk its part of the payload. */
unsigned weft_tlp_encode_req(const struct weft_req *m, unsigned line, uint32_t *words);
unsigned weft_tlp_encode_fwd(const struct weft_fwd *m, uint32_t *words);
unsigned weft_tlp_encode_rsp(const struct weft_rsp *m, unsigned line, uint32_t *words);
/* Of a message of any class. */
unsigned weft_tlp_encode(enum weft_link_class class, const void *m, unsigned line, uint32_t *words);

struct weft_tlp {
  enum weft_link_class class;
  struct weft_req req; /* of a FinePack packet, the head */
  struct weft_fwd fwd;
  struct weft_rsp rsp;
  unsigned header;  /* words before the payload */
  unsigned payload; /* bytes, without padding; of a FinePack packet up to 4096 */
};

/* The message that `count` words carry; fields that its kind has no use for are 0. False: they are none of ours. */
bool weft_tlp_decode(const uint32_t *words, unsigned count, unsigned line, struct weft_tlp *out);

/* Chunk `index` of a decoded FinePack packet: false if it has no such one. */
bool weft_tlp_chunk(const struct weft_tlp *packet, const uint32_t *words, unsigned index, unsigned line,
                    struct weft_req *out);

/* Payload bytes of the packet that a head begins: its data bytes 0 and 1. */
static inline unsigned weft_tlp_payload(const struct weft_req *head)
{
  return head->data[0] | (unsigned)head->data[1] << 8;
}

/* Chunks of a packet with so many bytes of payload. */
static inline unsigned weft_tlp_chunks(unsigned payload, unsigned line)
{
  return (payload + line - 1U) / line;
}

/* The first and last enabled byte of a mask; false if it is empty or has holes. */
bool weft_tlp_run(const uint64_t mask[2], unsigned *first, unsigned *last);

#endif
