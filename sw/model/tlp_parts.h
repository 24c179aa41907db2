/* SPDX-License-Identifier: Apache-2.0 */
/* Bits of the headers that both directions of the codec know. */
#ifndef WEFT_TLP_PARTS_H
#define WEFT_TLP_PARTS_H

#include "messages.h"
#include "tlp.h"

/* Fmt and Type, bits 31 to 24 of the first word. */
enum weft_tlp_type {
  WEFT_TLP_MRD = 0x20,
  WEFT_TLP_MWR = 0x60,
  WEFT_TLP_FETCH_ADD = 0x6c,
  WEFT_TLP_SWAP = 0x6d,
  WEFT_TLP_CAS = 0x6e,
  WEFT_TLP_RENEW =
    0x61, /* ours: a read of a line, with a word that says when the sender's copy of it was written */
  WEFT_TLP_FUNCTION = 0x68, /* ours: any other atomic, its function where the last byte enables are */
  WEFT_TLP_FINEPACK = 0x6f, /* ours: Fmt 011, Type 0F */
  WEFT_TLP_MSG = 0x32,      /* message without data, routed by ID */
  WEFT_TLP_CPLD = 0x4a,
  WEFT_TLP_PREFIX = 0x9e, /* vendor-defined end-to-end prefix: of a FinePack packet */
  WEFT_TLP_TIME = 0x9f    /* the other one: the sender's clock and era */
};

#define WEFT_TLP_CODE 0x7fU /* vendor-defined message, type 1 */
#define WEFT_TLP_LENGTH 0x3ffU

/* A completion whose payload begins with a word of time stamps, wts and rts. */
#define WEFT_TLP_STAMPED (UINT32_C(1) << 19)
/* One that answers a store: stamps, and maybe a word with the line's wts before it, are all of its payload. */
#define WEFT_TLP_WROTE (UINT32_C(1) << 20)

/* The bit beside a request's id: of a read, that it takes no lease; of a write, that it is answered. */
static inline unsigned weft_tlp_mark(const struct weft_req *m)
{
  return m->kind == WEFT_REQ_KIND_READ ? m->wide : m->kind == WEFT_REQ_KIND_WRITE && (m->func & 1U);
}

/* The byte enables of a run's last word, by the run's bytes mod 4. */
static inline unsigned weft_tlp_last_enable(unsigned bytes)
{
  return bytes & 3U ? (1U << (bytes & 3U)) - 1U : 15U;
}

/* Byte enables and payload bytes tell each other in a packet with a prefix: a payload of one word has them in front. */
static inline uint32_t weft_tlp_packet_enables(unsigned bytes)
{
  return bytes <= 4U ? weft_tlp_last_enable(bytes) : weft_tlp_last_enable(bytes) << 4 | 15U;
}

#endif
