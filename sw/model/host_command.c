/* SPDX-License-Identifier: Apache-2.0 */
/* Commands of the host to a board: writing, and reading as the board does. */
#include <string.h>

#include "host_bytes.h"
#include "host_message.h"

#define OP_FIXED 10U /* bytes of an operation before its issue cycle */
#define FUNC_LAST WEFT_FUNC_XOR
#define TIMED 0x10U
#define MASKED 0x80U
#define WIDE 0x04U

/* ---- What every command has before its bytes, the first included ------------------------------------ */

static unsigned fixed_bytes(const uint8_t *in)
{
  static const uint8_t bytes[] = {
    [WEFT_HOST_NOP] = 1,   [WEFT_HOST_READ] = 5,  [WEFT_HOST_WRITE] = 8, [WEFT_HOST_PEEK] = 7,
    [WEFT_HOST_POKE] = 7,  [WEFT_HOST_FILL] = 13, [WEFT_HOST_ECHO] = 2,  [WEFT_HOST_RUN] = 6,
    [WEFT_HOST_UNTIL] = 7, [WEFT_HOST_FREE] = 1,  [WEFT_HOST_ZERO] = 1,  [WEFT_HOST_CANCEL] = 1,
  };
  if (in[0] < WEFT_HOST_OP)
    return in[0] < sizeof bytes ? bytes[in[0]] : 0;
  return OP_FIXED + (in[0] & TIMED ? 4U : 0U);
}

/* ---- Operations: writing ---------------------------------------------------------------------------- */

static bool in_mask(const struct weft_cu_req *r, unsigned byte)
{
  return r->mask[byte / 64] >> (byte % 64) & 1U;
}

/* The bytes of a mask that is one run from `at` on; 0: it is something else. */
static unsigned run_of(const struct weft_cu_req *r, unsigned at, unsigned line)
{
  unsigned end = at, set = 0;
  while (end < line && in_mask(r, end))
    end++;
  for (unsigned i = 0; i < line; i++)
    set += in_mask(r, i);
  return set == end - at ? set : 0;
}

static uint8_t *write_store(const struct weft_cu_req *r, unsigned run, unsigned line, uint8_t *to)
{
  unsigned at = (unsigned)r->address & (line - 1U);
  if (run) {
    *to++ = (uint8_t)run;
    memcpy(to, r->data + at, run);
    return to + run;
  }
  for (unsigned i = 0; i < line / 8; i++)
    *to++ = (uint8_t)(r->mask[i / 8] >> 8 * (i % 8));
  memcpy(to, r->data, line);
  return to + line;
}

static size_t write_op(const struct weft_host_command *c, unsigned line, uint8_t *out)
{
  const struct weft_cu_req *r = &c->req;
  unsigned run = run_of(r, (unsigned)r->address & (line - 1U), line);
  bool masked = r->op == WEFT_CU_OP_STORE && !run;
  if (r->op == WEFT_CU_OP_LOAD && !run)
    return 0;
  out[0] = (uint8_t)(WEFT_HOST_OP | r->op << 5 | (c->timed ? TIMED : 0) | r->warp);
  out[1] = (uint8_t)((masked ? MASKED : 0) | c->cu << 4 | c->node);
  out[2] = r->tag;
  out[3] = (uint8_t)(r->order << 5 | r->scope << 3 | (r->wide ? WIDE : 0));
  out[4] = (uint8_t)(r->func << 4 | r->attr);
  uint8_t *to = weft_host_put(out + 5, r->address, 5);
  if (c->timed)
    to = weft_host_put(to, c->issue, 4);
  if (r->op == WEFT_CU_OP_LOAD)
    *to++ = (uint8_t)run;
  if (r->op == WEFT_CU_OP_STORE)
    to = write_store(r, run, line, to);
  if (r->op == WEFT_CU_OP_ATOMIC) {
    unsigned bytes = r->func == WEFT_FUNC_CAS ? 16 : 8;
    memcpy(to, r->data, bytes);
    to += bytes;
  }
  return (size_t)(to - out);
}

size_t weft_host_command_write(const struct weft_host_command *c, unsigned line, uint8_t *out)
{
  uint8_t *to = out;
  if (c->code >= WEFT_HOST_OP)
    return write_op(c, line, out);
  if (c->code > WEFT_HOST_CANCEL)
    return 0;
  *to++ = c->code;
  switch (c->code) {
  case WEFT_HOST_READ:
    to = weft_host_put(weft_host_put(to, c->address, 3), c->count, 1);
    break;
  case WEFT_HOST_WRITE:
    to = weft_host_put(weft_host_put(to, c->address, 3), c->value, 4);
    break;
  case WEFT_HOST_PEEK:
  case WEFT_HOST_POKE:
    to = weft_host_put(weft_host_put(to, c->address, 5), c->count, 1);
    break;
  case WEFT_HOST_FILL:
    to = weft_host_put(weft_host_put(weft_host_put(to, c->address, 5), c->count, 3), c->value, 4);
    break;
  case WEFT_HOST_ECHO:
    to = weft_host_put(to, c->count, 1);
    break;
  case WEFT_HOST_RUN:
    to = weft_host_put(weft_host_put(to, c->flags, 1), c->value, 4);
    break;
  case WEFT_HOST_UNTIL:
    to = weft_host_put(weft_host_put(weft_host_put(to, c->flags, 1), c->step, 1), c->value, 4);
    break;
  default:
    break;
  }
  size_t more = c->code == WEFT_HOST_POKE   ? (size_t)c->count * line
                : c->code == WEFT_HOST_ECHO ? c->count
                                            : 0;
  if (more > WEFT_HOST_BYTES_MAX)
    return 0;
  memcpy(to, c->bytes, more);
  return (size_t)(to - out) + more;
}

/* ---- Reading ---------------------------------------------------------------------------------------- */

static enum weft_host_refusal read_op_fields(struct weft_host_command *c, const struct weft_host_identity *b,
                                             const uint8_t *in)
{
  struct weft_cu_req *r = &c->req;
  c->code = WEFT_HOST_OP;
  c->timed = (in[0] & TIMED) != 0;
  c->cu = in[1] >> 4 & 7U;
  c->node = in[1] & 15U;
  r->op = in[0] >> 5 & 3U;
  r->warp = in[0] & 15U;
  r->tag = in[2];
  r->order = in[3] >> 5;
  r->scope = in[3] >> 3 & 3U;
  r->wide = (in[3] & WIDE) != 0;
  r->func = in[4] >> 4;
  r->attr = in[4] & 15U;
  r->address = weft_host_get(in + 5, 5);
  if (c->timed)
    c->issue = (uint32_t)weft_host_get(in + OP_FIXED, 4);
  if (c->node >= b->nodes - b->memories || c->cu >= b->cus || r->warp >= b->warps || r->tag >= b->outstanding)
    return WEFT_HOST_NO_PORT;
  bool masked = (in[1] & MASKED) != 0;
  if ((masked && r->op != WEFT_CU_OP_STORE) || (in[3] & 3U) || r->order > WEFT_ORDER_ACQ_REL ||
      r->scope > WEFT_SCOPE_SYS || r->func > FUNC_LAST)
    return WEFT_HOST_BAD_FIELD;
  return WEFT_HOST_FINE;
}

static void set_run(struct weft_cu_req *r, unsigned at, unsigned bytes)
{
  for (unsigned i = at; i < at + bytes; i++)
    r->mask[i / 64] |= UINT64_C(1) << (i % 64);
}

static enum weft_host_refusal read_masked(struct weft_cu_req *r, unsigned line, const uint8_t *in,
                                          size_t left, size_t *at)
{
  if (left - *at < line / 8 + line)
    return WEFT_HOST_CUT;
  for (unsigned i = 0; i < line / 8; i++)
    r->mask[i / 8] |= (uint64_t)in[*at + i] << 8 * (i % 8);
  memcpy(r->data, in + *at + line / 8, line);
  *at += line / 8 + line;
  return WEFT_HOST_FINE;
}

/* A load's bytes and a store's, from the address on. */
static enum weft_host_refusal read_run(struct weft_cu_req *r, unsigned line, const uint8_t *in, size_t left,
                                       size_t *at)
{
  unsigned first = (unsigned)r->address & (line - 1U);
  if (left == *at)
    return WEFT_HOST_CUT;
  unsigned size = in[(*at)++];
  if (size == 0 || size > line - first)
    return WEFT_HOST_BAD_SIZE;
  set_run(r, first, size);
  if (r->op == WEFT_CU_OP_LOAD)
    return WEFT_HOST_FINE;
  if (left - *at < size)
    return WEFT_HOST_CUT;
  memcpy(r->data + first, in + *at, size);
  *at += size;
  return WEFT_HOST_FINE;
}

static enum weft_host_refusal read_op(struct weft_host_command *c, const struct weft_host_identity *b,
                                      const uint8_t *in, size_t left, size_t *at)
{
  struct weft_cu_req *r = &c->req;
  enum weft_host_refusal why = read_op_fields(c, b, in);
  if (why)
    return why;
  if (r->op == WEFT_CU_OP_FENCE)
    return WEFT_HOST_FINE;
  if (r->op == WEFT_CU_OP_ATOMIC) {
    unsigned bytes = r->func == WEFT_FUNC_CAS ? 16 : 8;
    if (left - *at < bytes)
      return WEFT_HOST_CUT;
    memcpy(r->data, in + *at, bytes);
    *at += bytes;
    return WEFT_HOST_FINE;
  }
  return in[1] & MASKED ? read_masked(r, b->line, in, left, at) : read_run(r, b->line, in, left, at);
}

/* Lines at an address: whole ones, of one node that exists. */
static enum weft_host_refusal check_lines(const struct weft_host_command *c,
                                          const struct weft_host_identity *b, uint32_t most)
{
  uint64_t offset = c->address & UINT64_C(0xfffffffff), memory = UINT64_C(1) << b->memory_log2;
  if (c->count == 0 || c->count > most)
    return WEFT_HOST_BAD_SIZE;
  if (c->address >> 36 >= b->nodes || offset % b->line || offset >= memory ||
      c->count > (memory - offset) / b->line)
    return WEFT_HOST_BAD_ADDRESS;
  return WEFT_HOST_FINE;
}

static enum weft_host_refusal read_bytes(struct weft_host_command *c, size_t bytes, const uint8_t *in,
                                         size_t left, size_t *at)
{
  if (left - *at < bytes)
    return WEFT_HOST_CUT;
  memcpy(c->bytes, in + *at, bytes);
  *at += bytes;
  return WEFT_HOST_FINE;
}

static enum weft_host_refusal read_rest(struct weft_host_command *c, const struct weft_host_identity *b,
                                        const uint8_t *in, size_t left, size_t *at)
{
  enum weft_host_refusal why;
  switch (c->code) {
  case WEFT_HOST_READ:
    c->address = weft_host_get(in + 1, 3);
    c->count = in[4];
    return c->count == 0 || c->count > WEFT_HOST_WORDS_MAX ? WEFT_HOST_BAD_SIZE : WEFT_HOST_FINE;
  case WEFT_HOST_WRITE:
    c->address = weft_host_get(in + 1, 3);
    c->value = (uint32_t)weft_host_get(in + 4, 4);
    return WEFT_HOST_FINE;
  case WEFT_HOST_PEEK:
  case WEFT_HOST_POKE:
    c->address = weft_host_get(in + 1, 5);
    c->count = in[6];
    why = check_lines(c, b, WEFT_HOST_BYTES_MAX / b->line);
    return why || c->code == WEFT_HOST_PEEK ? why : read_bytes(c, (size_t)c->count * b->line, in, left, at);
  case WEFT_HOST_FILL:
    c->address = weft_host_get(in + 1, 5);
    c->count = (uint32_t)weft_host_get(in + 6, 3);
    c->value = (uint32_t)weft_host_get(in + 9, 4);
    return check_lines(c, b, UINT32_MAX);
  case WEFT_HOST_ECHO:
    c->count = in[1];
    return c->count ? read_bytes(c, c->count, in, left, at) : WEFT_HOST_BAD_SIZE;
  case WEFT_HOST_RUN:
    c->flags = in[1];
    c->value = (uint32_t)weft_host_get(in + 2, 4);
    return c->flags > WEFT_HOST_RUN_TO_ANSWER ? WEFT_HOST_BAD_FIELD : WEFT_HOST_FINE;
  case WEFT_HOST_UNTIL:
    c->flags = in[1];
    c->step = in[2];
    c->value = (uint32_t)weft_host_get(in + 3, 4);
    return c->step ? WEFT_HOST_FINE : WEFT_HOST_BAD_SIZE;
  default:
    return WEFT_HOST_FINE;
  }
}

enum weft_host_refusal weft_host_command_read(struct weft_host_command *c, const struct weft_host_identity *b,
                                              const uint8_t *in, size_t left, size_t *used)
{
  memset(c, 0, sizeof *c);
  if (left == 0)
    return WEFT_HOST_CUT;
  size_t at = fixed_bytes(in);
  if (at == 0)
    return WEFT_HOST_NO_COMMAND;
  if (left < at)
    return WEFT_HOST_CUT;
  c->code = in[0];
  enum weft_host_refusal why =
    in[0] & WEFT_HOST_OP ? read_op(c, b, in, left, &at) : read_rest(c, b, in, left, &at);
  *used = at;
  return why;
}
