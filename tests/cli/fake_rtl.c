/* SPDX-License-Identifier: Apache-2.0 */
/* A back-end for tests of what stands before it: it answers every operation with zeros, a few cycles later,
 * and then fails in the way that FAKE_MODE names. Built as a shared object with FAKE_ABI, FAKE_CONFIG and
 * FAKE_HASH. */
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "backend.h"

/* For who reads it without building it. */
#ifndef FAKE_ABI
#define FAKE_ABI WEFT_BACKEND_ABI
#define FAKE_CONFIG "tiny"
#define FAKE_HASH ""
#endif

#define GOOD_POLLS 10u /* before it fails */
#define ROOM 4096u

struct weft_backend {
  const struct weft_backend_ops *ops;
  struct weft_backend_options options;
  const char *mode;
  uint64_t now;
  unsigned polls;
  struct weft_port_op waiting[ROOM];
  size_t count;
};

extern const struct weft_backend_ops weft_backend_entry;

static int say(struct weft_backend_error *e, int result, const char *text)
{
  snprintf(e->text, sizeof e->text, "%s", text);
  return result;
}

static bool mode_is(const struct weft_backend *b, const char *mode)
{
  return b->polls > GOOD_POLLS && !strcmp(b->mode, mode);
}

static int fake_open(struct weft_backend **out, const struct weft_backend_options *options,
                     struct weft_backend_error *e)
{
  const char *mode = getenv("FAKE_MODE");
  if (mode && !strcmp(mode, "refuse"))
    return say(e, WEFT_BACKEND_REFUSED, "fake: refused\nbecause it was told to");
  struct weft_backend *b = calloc(1, sizeof *b);
  if (!b)
    return say(e, WEFT_BACKEND_LACKS, "fake: no memory");
  b->ops = &weft_backend_entry;
  b->options = *options;
  b->mode = mode ? mode : "";
  *out = b;
  return WEFT_BACKEND_OK;
}

static void fake_close(struct weft_backend *b)
{
  free(b);
}

static int fake_info(struct weft_backend *b, struct weft_backend_info *info)
{
  *info = (struct weft_backend_info){ .name = "rtl", .hash = FAKE_HASH, .lockstep = b->options.lockstep };
  return WEFT_BACKEND_OK;
}

static int fake_reset(struct weft_backend *b, struct weft_backend_error *e)
{
  (void)e;
  b->now = b->count = b->polls = 0;
  return WEFT_BACKEND_OK;
}

static int fake_submit(struct weft_backend *b, const struct weft_port_op *ops, size_t count,
                       struct weft_backend_error *e)
{
  if (b->count + count > ROOM)
    return say(e, WEFT_BACKEND_FAILED, "fake: too much at once");
  memcpy(b->waiting + b->count, ops, count * sizeof *ops);
  b->count += count;
  return WEFT_BACKEND_OK;
}

static int fake_poll(struct weft_backend *b, struct weft_port_done *done, size_t max, size_t *count,
                     struct weft_backend_error *e)
{
  (void)max;
  *count = 0;
  b->polls++;
  if (mode_is(b, "stuck"))
    return b->now += b->options.patience, WEFT_BACKEND_STUCK;
  if (mode_is(b, "mismatch"))
    return say(e, WEFT_BACKEND_MISMATCH, "fake: cycle 7, l1: RTL 1, model 2\nrepeat it with: the command");
  if (mode_is(b, "fail"))
    return say(e, WEFT_BACKEND_FAILED, "fake: the device is gone");
  if (mode_is(b, "unknown"))
    return say(e, 77, "fake: a result from the future");
  if (mode_is(b, "lose") || !b->count)
    return WEFT_BACKEND_OK;
  struct weft_port_op op = b->waiting[0];
  b->count--;
  memmove(b->waiting, b->waiting + 1, b->count * sizeof op);
  b->now = (op.issue > b->now ? op.issue : b->now) + 3;
  done[0] = (struct weft_port_done){ .cycle = b->now - 1, .node = op.node, .cu = op.cu };
  done[0].rsp.warp = op.req.warp;
  done[0].rsp.tag = mode_is(b, "stray") ? 15 : op.req.tag;
  done[0].rsp.error = mode_is(b, "error");
  *count = 1;
  return WEFT_BACKEND_OK;
}

static int fake_cancel(struct weft_backend *b)
{
  b->count = 0;
  return WEFT_BACKEND_OK;
}

static int fake_counters(struct weft_backend *b, uint64_t *values, size_t count, struct weft_backend_error *e)
{
  (void)b;
  (void)e;
  memset(values, 0, count * sizeof *values);
  return WEFT_BACKEND_OK;
}

static int fake_memory(struct weft_backend *b, uint64_t address, void *bytes, size_t count, bool write,
                       struct weft_backend_error *e)
{
  (void)b;
  (void)address;
  (void)e;
  if (!write)
    memset(bytes, 0, count);
  return WEFT_BACKEND_OK;
}

static int fake_settle(struct weft_backend *b, struct weft_backend_error *e)
{
  if (!strcmp(b->mode, "settle"))
    return say(e, WEFT_BACKEND_MISMATCH, "fake: memory differs at 0x40");
  return WEFT_BACKEND_OK;
}

static uint64_t fake_now(struct weft_backend *b)
{
  return b->now;
}

static void fake_waits(struct weft_backend *b, char *text, size_t size)
{
  snprintf(text, size, "fake: %zu operations wait for nothing", b->count);
}

__attribute__((visibility("default"))) const struct weft_backend_ops weft_backend_entry = {
  .abi = FAKE_ABI,
  .name = "rtl",
  .config_name = FAKE_CONFIG,
  .hash = FAKE_HASH,
  .open = fake_open,
  .close = fake_close,
  .info = fake_info,
  .reset = fake_reset,
  .submit = fake_submit,
  .poll = fake_poll,
  .cancel = fake_cancel,
  .counters = fake_counters,
  .memory = fake_memory,
  .settle = fake_settle,
  .now = fake_now,
  .waits = fake_waits,
};
