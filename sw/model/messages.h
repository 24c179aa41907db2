/* SPDX-License-Identifier: Apache-2.0 */
/* Copies of messages. Each copies what the message's kind has a use for and leaves the rest of the target alone:
 * a line is four times as long as everything else, and most messages have none. */
#ifndef WEFT_MESSAGES_H
#define WEFT_MESSAGES_H

#include "layout.h"

/* `line` is 16, 32, 64 or 128. In pieces of a known size, which the compiler turns into a few moves. */
static inline void weft_copy_line(uint8_t *restrict to, const uint8_t *restrict from, unsigned line)
{
  memcpy(to, from, 16);
  if (line == 16)
    return;
  memcpy(to + 16, from + 16, 16);
  if (line == 32)
    return;
  memcpy(to + 32, from + 32, 32);
  if (line == 128)
    memcpy(to + 64, from + 64, 64);
}

static inline void weft_clear_line(uint8_t *to, unsigned line)
{
  memset(to, 0, 16);
  if (line == 16)
    return;
  memset(to + 16, 0, 16);
  if (line == 32)
    return;
  memset(to + 32, 0, 32);
  if (line == 128)
    memset(to + 64, 0, 64);
}

static inline bool weft_req_has_data(uint8_t kind)
{
  return kind == WEFT_REQ_KIND_WRITE || kind == WEFT_REQ_KIND_ATOMIC || kind == WEFT_REQ_KIND_PACKET ||
         kind == WEFT_REQ_KIND_CHUNK;
}

/* A head or a chunk of a FinePack packet; its last chunk. */
static inline bool weft_req_in_packet(const struct weft_req *m)
{
  return m->kind == WEFT_REQ_KIND_PACKET || m->kind == WEFT_REQ_KIND_CHUNK;
}

static inline bool weft_req_ends_packet(const struct weft_req *m)
{
  return m->kind == WEFT_REQ_KIND_CHUNK && (m->id & 1U);
}

/* A read that asks whether a copy is still what memory has. Its mask is when that was written. */
static inline bool weft_req_renews(const struct weft_req *m)
{
  return m->kind == WEFT_REQ_KIND_READ && (m->func & 1U);
}

static inline bool weft_rsp_has_data(uint8_t kind)
{
  return kind == WEFT_RSP_KIND_LINE || kind == WEFT_RSP_KIND_ATOMIC;
}

/* It answers a miss of an L2: a load's with its line, a store's, or that of a load which renews, without. */
static inline bool weft_rsp_fills(uint8_t kind)
{
  return kind == WEFT_RSP_KIND_LINE || kind == WEFT_RSP_KIND_WROTE;
}

/* It answers an operation of a CU, and under leases tells its time. */
static inline bool weft_rsp_answers(uint8_t kind)
{
  return weft_rsp_fills(kind) || kind == WEFT_RSP_KIND_ATOMIC;
}

/* Time stamps travel in a word of their own, which a message without them does not have. The answer of a store always has it, and
 * unless that was of a whole line (wide) another one: when the line had been written before. */
static inline bool weft_req_has_time(const struct weft_req *m)
{
  return m->kind <= WEFT_REQ_KIND_ATOMIC && m->cts != 0;
}

static inline bool weft_rsp_has_time(const struct weft_rsp *m)
{
  return m->kind == WEFT_RSP_KIND_WROTE || (weft_rsp_answers(m->kind) && (m->wts | m->rts) != 0);
}

/* Under leases a write is answered; of one that is split into runs of bytes, the last. */
static inline bool weft_req_wants_answer(const struct weft_req *m)
{
  return m->kind != WEFT_REQ_KIND_WRITE || (m->func & 1U);
}

static inline void weft_copy_cu_req(struct weft_cu_req *to, const struct weft_cu_req *from, unsigned line)
{
  memcpy(to, from, offsetof(struct weft_cu_req, data));
  if (from->op == WEFT_CU_OP_STORE || from->op == WEFT_CU_OP_ATOMIC)
    weft_copy_line(to->data, from->data, line);
}

static inline void weft_copy_cu_rsp(struct weft_cu_rsp *to, const struct weft_cu_rsp *from, unsigned line)
{
  memcpy(to, from, offsetof(struct weft_cu_rsp, data));
  weft_copy_line(to->data, from->data, line);
}

static inline void weft_copy_l1_req(struct weft_l1_req *to, const struct weft_l1_req *from, unsigned line)
{
  memcpy(to, from, offsetof(struct weft_l1_req, data));
  if (weft_req_has_data(from->kind))
    weft_copy_line(to->data, from->data, line);
}

static inline void weft_copy_l1_rsp(struct weft_l1_rsp *to, const struct weft_l1_rsp *from, unsigned line)
{
  memcpy(to, from, offsetof(struct weft_l1_rsp, data));
  if (weft_rsp_has_data(from->kind))
    weft_copy_line(to->data, from->data, line);
}

static inline void weft_copy_req(struct weft_req *to, const struct weft_req *from, unsigned line)
{
  memcpy(to, from, offsetof(struct weft_req, data));
  if (weft_req_has_data(from->kind))
    weft_copy_line(to->data, from->data, line);
}

static inline void weft_copy_rsp(struct weft_rsp *to, const struct weft_rsp *from, unsigned line)
{
  memcpy(to, from, offsetof(struct weft_rsp, data));
  if (weft_rsp_has_data(from->kind))
    weft_copy_line(to->data, from->data, line);
}

static inline void weft_copy_mem_req(struct weft_mem_req *to, const struct weft_mem_req *from, unsigned line)
{
  memcpy(to, from, offsetof(struct weft_mem_req, data));
  if (from->write)
    weft_copy_line(to->data, from->data, line);
}

#endif
