/* SPDX-License-Identifier: Apache-2.0 */
/* model: the timed fabric (sw/model/timed.c) behind the back-end table. */
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "backend.h"
#include "handle.h"
#include "messages.h"
#include "ports.h"
#include "timed.h"
#include "weft_counters.h"

struct weft_backend {
  const struct weft_backend_ops *ops;
  struct weft_backend_options options;
  const char *hash;
  struct weft_ports *ports;
  struct weft_timed *fabric;
  struct weft_patience patience;
  const struct weft_observer *observer; /* NULL: nobody looks */
  uint64_t tick;                        /* the next cycle in which it wants to look at a standing fabric */
  struct weft_port_done *done;          /* answers of one cycle that poll() has still to hand out */
  size_t done_count, done_given;
};

/* ---------------------------------------------------------------- what the fabric asks its host */

static const struct weft_cu_req *show(void *context, unsigned port, uint64_t now)
{
  struct weft_backend *b = context;
  const struct weft_port_op *op = weft_ports_show(b->ports, port, now);
  return op ? &op->req : NULL;
}

static void take(void *context, unsigned port)
{
  struct weft_backend *b = context;
  const struct weft_observer *o = b->observer;
  if (o && o->taken) {
    uint64_t now = weft_timed_now(b->fabric);
    const struct weft_port_op *op = weft_ports_show(b->ports, port, now);
    o->taken(o->context, op->node, op->cu, now, op->issue, &op->req);
  }
  weft_ports_take(b->ports, port);
}

static uint64_t next(void *context, unsigned port)
{
  struct weft_backend *b = context;
  return weft_ports_when(b->ports, port);
}

static void answer(void *context, unsigned port, const struct weft_cu_rsp *rsp, uint64_t now)
{
  struct weft_backend *b = context;
  unsigned cus = (unsigned)b->options.config.cus;
  struct weft_port_done *done = &b->done[b->done_count++];
  done->cycle = now;
  done->node = (uint8_t)(port / cus);
  done->cu = (uint8_t)(port % cus);
  weft_copy_cu_rsp(&done->rsp, rsp, (unsigned)b->options.config.line);
  weft_patience_answered(&b->patience, now);
}

/* ---------------------------------------------------------------- the table */

static int lacks(struct weft_backend_error *e)
{
  snprintf(e->text, sizeof e->text, "model: not enough memory on this computer; use a smaller machine");
  return WEFT_BACKEND_LACKS;
}

static int model_watch(struct weft_backend *b, const struct weft_observer *observer)
{
  b->observer = observer;
  b->tick = 0;
  weft_timed_watch(b->fabric, observer);
  return WEFT_BACKEND_OK;
}

static int model_reset(struct weft_backend *b, struct weft_backend_error *e)
{
  const struct weft_timed_host host = { b, show, take, next, answer };
  weft_timed_free(b->fabric);
  weft_ports_clear(b->ports);
  b->patience = (struct weft_patience){ .cycles = b->options.patience };
  b->done_count = b->done_given = 0;
  b->fabric = weft_timed_new(&b->options.config, b->options.protocol, b->options.finepack, b->options.seed,
                             b->options.jitter, &host);
  if (!b->fabric)
    return lacks(e);
  weft_timed_set_fault(b->fabric, b->options.fault);
  return model_watch(b, b->observer);
}

static void model_close(struct weft_backend *b)
{
  weft_timed_free(b->fabric);
  weft_ports_free(b->ports);
  free(b->done);
  free(b);
}

static int model_open(struct weft_backend **out, const struct weft_backend_options *options,
                      struct weft_backend_error *e)
{
  struct weft_backend *b = calloc(1, sizeof *b);
  if (!b)
    return lacks(e);
  b->ops = &weft_backend_model;
  b->options = *options;
  b->hash = weft_named_config_find(options->config_name)->hash;
  unsigned nodes = (unsigned)options->config.nodes, cus = (unsigned)options->config.cus;
  b->ports = weft_ports_new(nodes, cus);
  b->done = calloc((size_t)nodes * cus, sizeof *b->done); /* a CU gets at most one answer per cycle */
  if (!b->ports || !b->done || model_reset(b, e)) {
    model_close(b);
    return lacks(e);
  }
  *out = b;
  return WEFT_BACKEND_OK;
}

static int model_info(struct weft_backend *b, struct weft_backend_info *info)
{
  *info = (struct weft_backend_info){ .name = "model", .hash = b->hash, .runtime_config = true };
  return WEFT_BACKEND_OK;
}

static int model_submit(struct weft_backend *b, const struct weft_port_op *ops, size_t count,
                        struct weft_backend_error *e)
{
  for (size_t i = 0; i < count; i++) {
    if (!weft_ports_push(b->ports, &ops[i]))
      return lacks(e);
    b->patience.outstanding++;
    weft_timed_wake(b->fabric, ops[i].node * (unsigned)b->options.config.cus + ops[i].cu, ops[i].issue);
  }
  return WEFT_BACKEND_OK;
}

/* With a fault, this is how it was found. */
static int model_fails(const struct weft_backend *b, struct weft_backend_error *e, const char *what,
                       uint64_t cycle)
{
  snprintf(e->text, sizeof e->text, "model: illegal event in cycle %llu: %s", (unsigned long long)cycle,
           what);
  return b->options.fault ? WEFT_BACKEND_MISMATCH : WEFT_BACKEND_FAILED;
}

/* Whoever looks at intervals looks now, if it is time. Returns where time must stand next, `until` at the latest. */
static uint64_t tick(struct weft_backend *b, uint64_t now, uint64_t until)
{
  const struct weft_observer *o = b->observer;
  if (!o || !o->every)
    return until;
  if (now && now == b->tick)
    o->tick(o->context, now);
  b->tick = (now / o->every + 1) * o->every;
  return b->tick < until ? b->tick : until;
}

static int model_poll(struct weft_backend *b, struct weft_port_done *done, size_t max, size_t *count,
                      struct weft_backend_error *e)
{
  *count = 0;
  while (b->done_given == b->done_count) {
    b->done_given = b->done_count = 0;
    if (!b->patience.outstanding)
      return WEFT_BACKEND_OK;
    uint64_t now = weft_timed_now(b->fabric);
    int result = weft_patience_check(&b->patience, b->ports, now, e);
    if (result)
      return result;
    uint64_t until = tick(b, now, b->patience.since + b->patience.cycles + 1);
    const char *wrong = weft_timed_cycle(b->fabric, until);
    if (wrong)
      return model_fails(b, e, wrong, now);
  }
  while (*count < max && b->done_given < b->done_count)
    done[(*count)++] = b->done[b->done_given++];
  return WEFT_BACKEND_OK;
}

static int model_cancel(struct weft_backend *b)
{
  b->patience.outstanding -= weft_ports_waiting(b->ports);
  weft_ports_clear(b->ports);
  weft_timed_cancel(b->fabric);
  return WEFT_BACKEND_OK;
}

static int model_counters(struct weft_backend *b, uint64_t *values, size_t count,
                          struct weft_backend_error *e)
{
  (void)count;
  (void)e;
  weft_timed_counters(b->fabric, values);
  return WEFT_BACKEND_OK;
}

static int model_memory(struct weft_backend *b, uint64_t address, void *bytes, size_t count, bool write,
                        struct weft_backend_error *e)
{
  if (weft_timed_memory(b->fabric, address, bytes, count, write))
    return WEFT_BACKEND_OK;
  snprintf(e->text, sizeof e->text, "model: address 0x%llx is outside memory", (unsigned long long)address);
  return WEFT_BACKEND_FAILED;
}

static int model_settle(struct weft_backend *b, struct weft_backend_error *e)
{
  weft_timed_drain(b->fabric, true);
  while (weft_timed_busy(b->fabric)) {
    const char *wrong = weft_timed_cycle(b->fabric, UINT64_MAX);
    if (wrong)
      return model_fails(b, e, wrong, weft_timed_now(b->fabric));
  }
  weft_timed_drain(b->fabric, false);
  weft_timed_flush(b->fabric);
  return WEFT_BACKEND_OK;
}

static int model_leases(struct weft_backend *b, const struct weft_lease_settings *leases)
{
  weft_timed_set_leases(b->fabric, leases);
  return WEFT_BACKEND_OK;
}

static uint64_t model_now(struct weft_backend *b)
{
  return b->done_given < b->done_count ? b->patience.since : weft_timed_now(b->fabric);
}

static void model_waits(struct weft_backend *b, char *text, size_t size)
{
  weft_timed_waits(b->fabric, text, size);
}

const struct weft_backend_ops weft_backend_model = {
  .abi = WEFT_BACKEND_ABI,
  .name = "model",
  .open = model_open,
  .close = model_close,
  .info = model_info,
  .reset = model_reset,
  .submit = model_submit,
  .poll = model_poll,
  .cancel = model_cancel,
  .counters = model_counters,
  .memory = model_memory,
  .settle = model_settle,
  .now = model_now,
  .waits = model_waits,
  .watch = model_watch,
  .leases = model_leases,
};
