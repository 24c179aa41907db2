/* SPDX-License-Identifier: Apache-2.0 */
/* Answers of a board: writing as the board does, and reading. */
#include <string.h>

#include "host_bytes.h"
#include "host_message.h"

#define ERROR 0x40U
#define TIMED 0x20U
#define DATA 0x10U

static size_t write_done(const struct weft_host_answer *a, uint8_t *out)
{
  uint8_t *to = out;
  *to++ = (uint8_t)(WEFT_HOST_OP | (a->rsp.error ? ERROR : 0) | (a->timed ? TIMED : 0) |
                    (a->data ? DATA : 0) | a->rsp.warp);
  *to++ = (uint8_t)(a->cu << 4 | a->node);
  *to++ = a->rsp.tag;
  if (a->timed)
    to = weft_host_put(to, a->cycle, 4);
  if (!a->data)
    return (size_t)(to - out);
  *to++ = a->offset;
  *to++ = (uint8_t)a->count;
  memcpy(to, a->rsp.data + a->offset, a->count);
  return (size_t)(to - out) + a->count;
}

static size_t write_identity(const struct weft_host_identity *i, uint8_t *out)
{
  uint8_t *to = weft_host_put(out, WEFT_HOST_IDENTITY, 1);
  to = weft_host_put(to, i->magic, 4);
  *to++ = i->version;
  to = weft_host_put(to, i->abi, 4);
  memcpy(to, i->hash, sizeof i->hash);
  to = weft_host_put(to + sizeof i->hash, i->clock, 4);
  const uint8_t shape[] = { i->faults,      i->nodes, i->memories, i->cus,        i->warps,
                            i->outstanding, i->line,  i->banks,    i->memory_log2 };
  memcpy(to, shape, sizeof shape);
  to = weft_host_put(to + sizeof shape, i->counters, 2);
  to = weft_host_put(to, i->window, 2);
  return (size_t)(weft_host_put(to, i->nonce, 4) - out);
}

static size_t write_report(const struct weft_host_counts *c, uint8_t *out)
{
  uint8_t *to = weft_host_put(weft_host_put(out, WEFT_HOST_REPORT, 1), c->bytes, 4);
  to = weft_host_put(weft_host_put(to, c->header, 2), c->crc, 2);
  return (size_t)(weft_host_put(weft_host_put(to, c->sequence, 2), c->room, 2) - out);
}

static size_t write_bytes(const struct weft_host_answer *a, unsigned address, size_t bytes, uint8_t *out)
{
  uint8_t *to = weft_host_put(weft_host_put(out, a->code, 1), a->address, address);
  *to++ = (uint8_t)a->count;
  if (bytes > WEFT_HOST_BYTES_MAX)
    return 0;
  memcpy(to, a->bytes, bytes);
  return (size_t)(to - out) + bytes;
}

size_t weft_host_answer_write(const struct weft_host_answer *a, unsigned line, uint8_t *out)
{
  uint8_t *to = out;
  switch (a->code) {
  case WEFT_HOST_OP:
    return write_done(a, out);
  case WEFT_HOST_READ:
    return write_bytes(a, 3, (size_t)4 * a->count, out);
  case WEFT_HOST_PEEK:
    return write_bytes(a, 5, (size_t)line * a->count, out);
  case WEFT_HOST_ECHO:
    return write_bytes(a, 0, a->count, out);
  case WEFT_HOST_RUN:
    to = weft_host_put(weft_host_put(to, a->code, 1), a->reason, 1);
    return (size_t)(weft_host_put(to, a->cycle, 8) - out);
  case WEFT_HOST_CANCEL:
    return (size_t)(weft_host_put(weft_host_put(to, a->code, 1), a->count, 2) - out);
  case WEFT_HOST_REPORT:
    return write_report(&a->counts, out);
  case WEFT_HOST_IDENTITY:
    return write_identity(&a->identity, out);
  case WEFT_HOST_REFUSED:
    to = weft_host_put(weft_host_put(to, a->code, 1), a->reason, 1);
    return (size_t)(weft_host_put(weft_host_put(to, a->command, 1), a->place, 2) - out);
  default:
    return 0;
  }
}

/* ---- Reading ---------------------------------------------------------------------------------------- */

static size_t read_done(struct weft_host_answer *a, unsigned line, const uint8_t *in, size_t left)
{
  size_t at = 3;
  a->code = WEFT_HOST_OP;
  a->timed = (in[0] & TIMED) != 0;
  a->data = (in[0] & DATA) != 0;
  if (left < at + (a->timed ? 4U : 0U) + (a->data ? 2U : 0U) || in[1] & 0x80U)
    return 0;
  a->rsp.error = (in[0] & ERROR) != 0;
  a->rsp.warp = in[0] & 15U;
  a->cu = in[1] >> 4;
  a->node = in[1] & 15U;
  a->rsp.tag = in[2];
  if (a->timed) {
    a->cycle = weft_host_get(in + at, 4);
    at += 4;
  }
  if (!a->data)
    return at;
  a->offset = in[at++];
  a->count = in[at++];
  if (a->count == 0 || a->offset + a->count > line || left - at < a->count)
    return 0;
  memcpy(a->rsp.data + a->offset, in + at, a->count);
  return at + a->count;
}

static size_t read_identity(struct weft_host_identity *i, const uint8_t *in, size_t left)
{
  if (left < WEFT_HOST_IDENTITY_BYTES)
    return 0;
  i->magic = (uint32_t)weft_host_get(in + 1, 4);
  i->version = in[5];
  i->abi = (uint32_t)weft_host_get(in + 6, 4);
  memcpy(i->hash, in + 10, sizeof i->hash);
  i->clock = (uint32_t)weft_host_get(in + 42, 4);
  uint8_t *const shape[] = { &i->faults,      &i->nodes, &i->memories, &i->cus,        &i->warps,
                             &i->outstanding, &i->line,  &i->banks,    &i->memory_log2 };
  for (unsigned k = 0; k < sizeof shape / sizeof *shape; k++)
    *shape[k] = in[46 + k];
  i->counters = (uint16_t)weft_host_get(in + 55, 2);
  i->window = (uint16_t)weft_host_get(in + 57, 2);
  i->nonce = (uint32_t)weft_host_get(in + 59, 4);
  return i->magic == WEFT_HOST_MAGIC ? WEFT_HOST_IDENTITY_BYTES : 0;
}

static size_t read_bytes(struct weft_host_answer *a, unsigned address, unsigned unit, const uint8_t *in,
                         size_t left)
{
  size_t at = address + 2U;
  if (left < at)
    return 0;
  a->address = weft_host_get(in + 1, address);
  a->count = in[at - 1];
  size_t bytes = (size_t)a->count * unit;
  if (bytes == 0 || bytes > WEFT_HOST_BYTES_MAX || left - at < bytes)
    return 0;
  memcpy(a->bytes, in + at, bytes);
  return at + bytes;
}

static size_t read_report(struct weft_host_counts *c, const uint8_t *in)
{
  c->bytes = (uint32_t)weft_host_get(in + 1, 4);
  c->header = (uint16_t)weft_host_get(in + 5, 2);
  c->crc = (uint16_t)weft_host_get(in + 7, 2);
  c->sequence = (uint16_t)weft_host_get(in + 9, 2);
  c->room = (uint16_t)weft_host_get(in + 11, 2);
  return 13;
}

size_t weft_host_answer_read(struct weft_host_answer *a, unsigned line, const uint8_t *in, size_t left)
{
  memset(a, 0, sizeof *a);
  if (left == 0)
    return 0;
  a->code = in[0];
  if (in[0] & WEFT_HOST_OP)
    return left < 3 ? 0 : read_done(a, line, in, left);
  switch (a->code) {
  case WEFT_HOST_READ:
    return read_bytes(a, 3, 4, in, left);
  case WEFT_HOST_PEEK:
    return read_bytes(a, 5, line, in, left);
  case WEFT_HOST_ECHO:
    return read_bytes(a, 0, 1, in, left);
  case WEFT_HOST_RUN:
    if (left < 10)
      return 0;
    a->reason = in[1];
    a->cycle = weft_host_get(in + 2, 8);
    return a->reason >= WEFT_HOST_STOP_ANSWER && a->reason <= WEFT_HOST_STOP_FLAG ? 10 : 0;
  case WEFT_HOST_CANCEL:
    a->count = left < 3 ? 0 : (uint32_t)weft_host_get(in + 1, 2);
    return left < 3 ? 0 : 3;
  case WEFT_HOST_REPORT:
    return left < 13 ? 0 : read_report(&a->counts, in);
  case WEFT_HOST_IDENTITY:
    return read_identity(&a->identity, in, left);
  case WEFT_HOST_REFUSED:
    if (left < 5)
      return 0;
    a->reason = in[1];
    a->command = in[2];
    a->place = (uint16_t)weft_host_get(in + 3, 2);
    return 5;
  default:
    return 0;
  }
}
