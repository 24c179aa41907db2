/* SPDX-License-Identifier: Apache-2.0 */
/* rtl: the Verilated fabric of one configuration behind the back-end table, with the model beside it in lock-step
 * if asked for. This library holds one configuration; whoever opens it has compared its hash, and asks for exactly
 * the parameters that were built in (sw/lib/config.c, sw/lib/backend_rtl.c). */
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "observer.h"
#include "verilated_parts.h"

/* Declared for what follows; defined at the end. */
extern const struct weft_backend_ops weft_backend_entry;

int weft_rtl_fails(struct weft_backend_error *e, int code, const char *text)
{
  snprintf(e->text, sizeof e->text, "rtl: %s", text);
  return code;
}

int weft_rtl_compared(struct weft_backend *b, struct weft_backend_error *e)
{
  const char *report = b->lockstep ? weft_lockstep_report(b->lockstep) : NULL;
  if (!report)
    return WEFT_BACKEND_OK;
  snprintf(e->text, sizeof e->text, "%s", report);
  return WEFT_BACKEND_MISMATCH;
}

static int rtl_reset(struct weft_backend *b, struct weft_backend_error *e)
{
  weft_shim_free(b->shim);
  weft_lockstep_free(b->lockstep);
  b->lockstep = NULL;
  b->shim = weft_shim_new(NULL, b->options.wave, b->options.wave_from, b->options.wave_to);
  if (!b->shim)
    return weft_rtl_fails(e, WEFT_BACKEND_LACKS, "not enough memory for the simulation");
  if (b->options.lockstep) {
    b->lockstep = weft_lockstep_new(&b->options.config, b->options.protocol, b->options.finepack,
                                    b->options.seed, b->options.command);
    if (!b->lockstep)
      return weft_rtl_fails(e, WEFT_BACKEND_LACKS, "not enough memory for the model beside the simulation");
  }
  weft_ports_clear(b->ports);
  memset(b->offered, 0, b->port_count * sizeof *b->offered);
  b->patience = (struct weft_patience){ .cycles = b->options.patience };
  b->done_count = b->done_given = 0;
  return weft_rtl_bring_up(b, e);
}

static void rtl_close(struct weft_backend *b)
{
  weft_shim_free(b->shim);
  weft_lockstep_free(b->lockstep);
  weft_ports_free(b->ports);
  free(b->offered);
  free(b->dir);
  free(b->done);
  free(b);
}

static int rtl_open(struct weft_backend **out, const struct weft_backend_options *options,
                    struct weft_backend_error *e)
{
  if (options->wave && !weft_shim_can_wave())
    return weft_rtl_fails(e, WEFT_BACKEND_REFUSED, "this build has no waves; build and use CONFIG-wave");
  if (options->fault && !options->config.faults)
    return weft_rtl_fails(e, WEFT_BACKEND_REFUSED, "no faults are built into this configuration");
  struct weft_backend *b = calloc(1, sizeof *b);
  if (!b)
    return weft_rtl_fails(e, WEFT_BACKEND_LACKS, "not enough memory");
  b->ops = &weft_backend_entry;
  b->options = *options;
  b->port_count = (unsigned)(options->config.nodes * options->config.cus);
  b->ports = weft_ports_new((unsigned)options->config.nodes, (unsigned)options->config.cus);
  b->offered = calloc(b->port_count, sizeof *b->offered);
  b->dir = calloc(options->config.nodes * options->config.l2_banks, sizeof *b->dir);
  b->done = calloc(b->port_count, sizeof *b->done);
  int result = b->ports && b->offered && b->dir && b->done
                 ? WEFT_BACKEND_OK
                 : weft_rtl_fails(e, WEFT_BACKEND_LACKS, "not enough memory");
  if (!result)
    result = weft_wave_view(options, e);
  if (!result)
    result = rtl_reset(b, e);
  if (result) {
    rtl_close(b);
    return result;
  }
  *out = b;
  return WEFT_BACKEND_OK;
}

static int rtl_info(struct weft_backend *b, struct weft_backend_info *info)
{
  *info = (struct weft_backend_info){ .name = "rtl", .hash = WEFT_RTL_HASH, .lockstep = b->lockstep != NULL };
  return WEFT_BACKEND_OK;
}

static int rtl_submit(struct weft_backend *b, const struct weft_port_op *ops, size_t count,
                      struct weft_backend_error *e)
{
  for (size_t i = 0; i < count; i++) {
    if (!weft_ports_push(b->ports, &ops[i]))
      return weft_rtl_fails(e, WEFT_BACKEND_LACKS, "not enough memory for operations");
    b->patience.outstanding++;
  }
  return WEFT_BACKEND_OK;
}

/* Time stands: whoever looks at intervals may look now. */
static void tick(struct weft_backend *b)
{
  const struct weft_observer *o = b->observer;
  if (o && o->every && b->now && b->now % o->every == 0)
    o->tick(o->context, b->now);
}

static int rtl_poll(struct weft_backend *b, struct weft_port_done *done, size_t max, size_t *count,
                    struct weft_backend_error *e)
{
  *count = 0;
  while (b->done_given == b->done_count) {
    b->done_given = b->done_count = 0;
    if (!b->patience.outstanding)
      return WEFT_BACKEND_OK;
    int result = weft_patience_check(&b->patience, b->ports, b->now, e);
    if (result)
      return result;
    tick(b);
    weft_rtl_cycle(b);
    result = weft_rtl_compared(b, e);
    if (!result)
      result = weft_rtl_links(b, e);
    if (result)
      return result;
  }
  while (*count < max && b->done_given < b->done_count)
    done[(*count)++] = b->done[b->done_given++];
  return WEFT_BACKEND_OK;
}

static int rtl_cancel(struct weft_backend *b)
{
  b->patience.outstanding -= weft_ports_waiting(b->ports);
  weft_ports_clear(b->ports);
  for (unsigned p = 0; p < b->port_count; p++) {
    weft_shim_withdraw(b->shim, p);
    b->offered[p] = false;
  }
  return WEFT_BACKEND_OK;
}

static uint64_t rtl_now(struct weft_backend *b)
{
  return b->done_given < b->done_count ? b->patience.since : b->now;
}

static void rtl_waits(struct weft_backend *b, char *text, size_t size)
{
  if (b->lockstep)
    weft_lockstep_waits(b->lockstep, text, size);
  else
    snprintf(text, size, "run without --no-lockstep to see what waits for what inside the fabric");
}

static int rtl_watch(struct weft_backend *b, const struct weft_observer *observer)
{
  b->observer = observer;
  memset(b->dir, 0, b->options.config.nodes * b->options.config.l2_banks * sizeof *b->dir);
  weft_rtl_events(b);
  return WEFT_BACKEND_OK;
}

static int rtl_leases(struct weft_backend *b, const struct weft_lease_settings *leases)
{
  weft_rtl_set_leases(b, leases);
  if (b->lockstep)
    weft_lockstep_leases(b->lockstep, leases);
  return WEFT_BACKEND_OK;
}

static int rtl_wave_end(struct weft_backend *b, struct weft_backend_error *e)
{
  if (!b->options.wave)
    return WEFT_BACKEND_OK;
  weft_shim_wave_end(b->shim);
  if (weft_wave_whole(b->options.wave))
    return WEFT_BACKEND_OK;
  snprintf(e->text, sizeof e->text,
           "the wave file could not be written to its end: the disk is full, or the file too large\n"
           "make room, name a file elsewhere, or record less with --wave-from and --wave-to");
  return WEFT_BACKEND_LACKS;
}

__attribute__((visibility("default"))) const struct weft_backend_ops weft_backend_entry = {
  .abi = WEFT_BACKEND_ABI,
  .name = "rtl",
  .config_name = WEFT_RTL_CONFIG,
  .hash = WEFT_RTL_HASH,
  .open = rtl_open,
  .close = rtl_close,
  .info = rtl_info,
  .reset = rtl_reset,
  .submit = rtl_submit,
  .poll = rtl_poll,
  .cancel = rtl_cancel,
  .counters = weft_rtl_counters,
  .memory = weft_rtl_memory,
  .settle = weft_rtl_settle,
  .now = rtl_now,
  .waits = rtl_waits,
  .watch = rtl_watch,
  .wave_end = rtl_wave_end,
  .leases = rtl_leases,
};
