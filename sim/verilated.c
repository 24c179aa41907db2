/* SPDX-License-Identifier: Apache-2.0 */
/* rtl: the Verilated fabric of one configuration behind the back-end table, with the model beside it in lock-step
 * if asked for. This library holds one configuration; the tool checks its hash before it uses it. */
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "backend.h"
#include "lockstep.h"
#include "ports.h"
#include "shim.h"
#include "svdpi.h"
#include "timed.h"
#include "weft_counters.h"
#include "weft_registers.h"

#define REGISTER(field) ((uint32_t)offsetof(weft_registers_t, field))
#define WORDS 64 /* of the largest struct on a CU port: 128-byte lines */
#define SETTLE_LIMIT 10000000U
#define WALK_LIMIT 1000000U
#define SNAPSHOT_EVERY 4096U /* cycles: under lock-step, counters must count on while a snapshot is taken */

/* Declared for what follows; defined at the end. */
extern const struct weft_backend_ops weft_backend_entry;

struct weft_backend {
  const struct weft_backend_ops *ops;
  struct weft_backend_options options;
  struct weft_shim *shim;
  struct weft_lockstep *lockstep; /* NULL: not compared */
  struct weft_ports *ports;
  unsigned port_count;
  uint64_t now;
  uint64_t outstanding, answered_at;
  bool *offered; /* [port] */
  struct weft_port_done *done;
  size_t done_count, done_given;
  int memory_result; /* of the comparison at the end */
  struct weft_backend_error *memory_error;
};

/* ---------------------------------------------------------------- events, as the simulation hands them over */

void weft_dpi_l1(long long handle, int node, int index, const uint32_t *bits);
void weft_dpi_l2(long long handle, int node, int index, const uint32_t *bits);
void weft_dpi_dir(long long handle, int node, int index, const uint32_t *bits);
void weft_dpi_link(long long handle, int index, const uint32_t *bits);
void weft_dpi_memory(long long handle, int node, int bank, const svOpenArrayHandle lines);

static struct weft_backend *of(long long handle)
{
  return (struct weft_backend *)(intptr_t)handle;
}

void weft_dpi_l1(long long handle, int node, int index, const uint32_t *bits)
{
  weft_lockstep_l1(of(handle)->lockstep, (unsigned)node, (unsigned)index, of(handle)->now, bits);
}

void weft_dpi_l2(long long handle, int node, int index, const uint32_t *bits)
{
  weft_lockstep_l2(of(handle)->lockstep, (unsigned)node, (unsigned)index, of(handle)->now, bits);
}

void weft_dpi_dir(long long handle, int node, int index, const uint32_t *bits)
{
  weft_lockstep_dir(of(handle)->lockstep, (unsigned)node, (unsigned)index, of(handle)->now, bits);
}

void weft_dpi_link(long long handle, int index, const uint32_t *bits)
{
  weft_lockstep_link(of(handle)->lockstep, (unsigned)index, of(handle)->now, bits);
}

/* ---------------------------------------------------------------- making the fabric, and time */

static int fails(struct weft_backend_error *e, int code, const char *text)
{
  snprintf(e->text, sizeof e->text, "rtl: %s", text);
  return code;
}

static void tick(struct weft_backend *b)
{
  weft_shim_settle(b->shim);
  weft_shim_edge(b->shim, true);
}

static bool flag(struct weft_backend *b, uint32_t mask)
{
  return (weft_shim_read(b->shim, REGISTER(status.flags)) & mask) != 0;
}

/* Reset, protocol and fault, then the walks that clear tags and directories. Time starts after them. */
static int bring_up(struct weft_backend *b, struct weft_backend_error *e)
{
  weft_shim_reset(b->shim, true);
  for (int i = 0; i < 4; i++)
    tick(b);
  weft_shim_reset(b->shim, false);
  tick(b);
  weft_shim_write(b->shim, REGISTER(control.fabric_reset), 1);
  weft_shim_write(b->shim, REGISTER(control.protocol), b->options.protocol);
  weft_shim_write(b->shim, REGISTER(control.fault), b->options.fault);
  for (int i = 0; i < 4; i++)
    tick(b);
  weft_shim_write(b->shim, REGISTER(control.fabric_reset), 0);
  for (unsigned i = 0; i < WALK_LIMIT; i++) {
    if (flag(b, WEFT_REGISTERS__STATUS__FLAGS__READY_bm)) {
      b->now = 0;
      weft_shim_events(b->shim, b->lockstep ? b : NULL);
      return WEFT_BACKEND_OK;
    }
    tick(b);
  }
  return fails(e, WEFT_BACKEND_FAILED, "the fabric does not come out of reset");
}

static int rtl_reset(struct weft_backend *b, struct weft_backend_error *e)
{
  weft_shim_free(b->shim);
  weft_lockstep_free(b->lockstep);
  b->lockstep = NULL;
  b->shim = weft_shim_new(NULL, b->options.wave);
  if (!b->shim)
    return fails(e, WEFT_BACKEND_LACKS, "not enough memory for the simulation");
  if (b->options.lockstep) {
    b->lockstep =
      weft_lockstep_new(&b->options.config, b->options.protocol, b->options.seed, b->options.command);
    if (!b->lockstep)
      return fails(e, WEFT_BACKEND_LACKS, "not enough memory for the model beside the simulation");
  }
  weft_ports_clear(b->ports);
  memset(b->offered, 0, b->port_count * sizeof *b->offered);
  b->outstanding = b->answered_at = 0;
  b->done_count = b->done_given = 0;
  return bring_up(b, e);
}

static void set_hold(struct weft_backend *b)
{
  uint64_t hold = 0;
  for (unsigned n = 0; n < b->options.config.nodes; n++)
    hold |= (uint64_t)weft_timed_hold(b->options.seed, b->options.jitter, n, b->now) << (4 * n);
  weft_shim_hold(b->shim, hold);
}

static void offer(struct weft_backend *b, unsigned port)
{
  const struct weft_port_op *op = weft_ports_show(b->ports, port, b->now);
  if (!op || b->offered[port])
    return;
  uint32_t words[WORDS] = { 0 };
  struct weft_bits_out c = { .word = words, .line = (unsigned)b->options.config.line };
  weft_write_cu_req(&c, &op->req);
  weft_shim_offer(b->shim, port, words);
  b->offered[port] = true;
}

static void take_answer(struct weft_backend *b, unsigned port)
{
  uint32_t words[WORDS];
  weft_shim_answer(b->shim, port, words);
  struct weft_port_done *d = &b->done[b->done_count++];
  struct weft_bits c = { .word = words, .line = (unsigned)b->options.config.line };
  unsigned cus = (unsigned)b->options.config.cus;
  memset(&d->rsp, 0, sizeof d->rsp);
  weft_read_cu_rsp(&c, &d->rsp);
  d->cycle = b->now;
  d->node = (uint8_t)(port / cus);
  d->cu = (uint8_t)(port % cus);
  b->outstanding--;
  b->answered_at = b->now;
  if (b->lockstep)
    weft_lockstep_answered(b->lockstep, d->node, d->cu, b->now, &d->rsp);
}

static void take_op(struct weft_backend *b, unsigned port)
{
  const struct weft_port_op *op = weft_ports_show(b->ports, port, b->now);
  if (b->lockstep)
    weft_lockstep_issued(b->lockstep, op->node, op->cu, b->now, &op->req);
  weft_ports_take(b->ports, port);
  b->offered[port] = false;
}

/* One cycle: offer, see what is taken and answered, then the edge. */
static void cycle(struct weft_backend *b)
{
  if (b->lockstep && b->now % SNAPSHOT_EVERY == SNAPSHOT_EVERY / 4)
    weft_shim_write(b->shim, REGISTER(control.snapshot), 1);
  if (b->options.jitter)
    set_hold(b);
  for (unsigned p = 0; p < b->port_count; p++)
    offer(b, p);
  weft_shim_settle(b->shim);
  uint64_t taken[2] = { 0 };
  for (unsigned g = 0; g * 64 < b->port_count; g++) {
    uint64_t ready = weft_shim_ready(b->shim, g);
    for (uint64_t left = weft_shim_answered(b->shim, g); left; left &= left - 1)
      take_answer(b, g * 64 + (unsigned)__builtin_ctzll(left));
    for (unsigned p = g * 64; p < b->port_count && p < g * 64 + 64; p++)
      if (b->offered[p] && (ready >> (p % 64) & 1U)) {
        take_op(b, p);
        taken[g] |= UINT64_C(1) << (p % 64);
      }
  }
  weft_shim_edge(b->shim, true);
  for (unsigned g = 0; g < 2; g++)
    for (uint64_t left = taken[g]; left; left &= left - 1)
      weft_shim_withdraw(b->shim, g * 64 + (unsigned)__builtin_ctzll(left));
  b->now++;
}

/* ---------------------------------------------------------------- the table */

/* Parameters that only the host looks at may differ from what was built. */
static bool host_only(const char *name)
{
  return !strcmp(name, "page") || !strcmp(name, "compute.launch") || !strcmp(name, "outstanding");
}

static int check_config(const struct weft_config *asked, struct weft_backend_error *e)
{
  const struct weft_named_config *built = NULL;
  for (size_t i = 0; i < weft_named_config_count; i++)
    if (!strcmp(weft_named_configs[i].name, WEFT_RTL_CONFIG))
      built = &weft_named_configs[i];
  for (size_t i = 0; built && i < weft_parameter_count; i++) {
    const struct weft_parameter *p = &weft_parameters[i];
    uint64_t have, want;
    memcpy(&have, (const char *)&built->value + p->offset, sizeof have);
    memcpy(&want, (const char *)asked + p->offset, sizeof want);
    if (have == want || host_only(p->name))
      continue;
    snprintf(e->text, sizeof e->text,
             "rtl: %s is built into rtl:%s as %llu and cannot be set to %llu\n"
             "use -b model:%s, which takes any value, or give it a name in rtl/config/configs.toml",
             p->name, WEFT_RTL_CONFIG, (unsigned long long)have, (unsigned long long)want, WEFT_RTL_CONFIG);
    return WEFT_BACKEND_REFUSED;
  }
  return WEFT_BACKEND_OK;
}

static void rtl_close(struct weft_backend *b)
{
  weft_shim_free(b->shim);
  weft_lockstep_free(b->lockstep);
  weft_ports_free(b->ports);
  free(b->offered);
  free(b->done);
  free(b);
}

static int rtl_open(struct weft_backend **out, const struct weft_backend_options *options,
                    struct weft_backend_error *e)
{
  int result = check_config(&options->config, e);
  if (result)
    return result;
  if (options->wave && !weft_shim_can_wave())
    return fails(e, WEFT_BACKEND_REFUSED, "this build has no waves; build and use CONFIG-wave");
  if (options->fault && !options->config.faults)
    return fails(e, WEFT_BACKEND_REFUSED, "no faults are built into this configuration");
  struct weft_backend *b = calloc(1, sizeof *b);
  if (!b)
    return fails(e, WEFT_BACKEND_LACKS, "not enough memory");
  b->ops = &weft_backend_entry;
  b->options = *options;
  b->port_count = (unsigned)(options->config.nodes * options->config.cus);
  b->ports = weft_ports_new((unsigned)options->config.nodes, (unsigned)options->config.cus);
  b->offered = calloc(b->port_count, sizeof *b->offered);
  b->done = calloc(b->port_count, sizeof *b->done);
  result =
    b->ports && b->offered && b->done ? rtl_reset(b, e) : fails(e, WEFT_BACKEND_LACKS, "not enough memory");
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
      return fails(e, WEFT_BACKEND_LACKS, "not enough memory for operations");
    b->outstanding++;
  }
  return WEFT_BACKEND_OK;
}

/* The first difference between RTL and model, if there is one. */
static int compared(struct weft_backend *b, struct weft_backend_error *e)
{
  const char *report = b->lockstep ? weft_lockstep_report(b->lockstep) : NULL;
  if (!report)
    return WEFT_BACKEND_OK;
  snprintf(e->text, sizeof e->text, "%s", report);
  return WEFT_BACKEND_MISMATCH;
}

static int rtl_poll(struct weft_backend *b, struct weft_port_done *done, size_t max, size_t *count,
                    struct weft_backend_error *e)
{
  *count = 0;
  while (b->done_given == b->done_count) {
    b->done_given = b->done_count = 0;
    if (!b->outstanding)
      return WEFT_BACKEND_OK;
    uint64_t due = weft_ports_next(b->ports);
    if (b->outstanding == weft_ports_waiting(b->ports) && due > b->answered_at)
      b->answered_at = due; /* nothing is under way and nothing was due before: that is no waiting */
    if (b->now > b->answered_at + b->options.patience) {
      snprintf(e->text, sizeof e->text, "no operation was answered for %llu cycles",
               (unsigned long long)b->options.patience);
      return WEFT_BACKEND_STUCK;
    }
    cycle(b);
    int result = compared(b, e);
    if (result)
      return result;
  }
  while (*count < max && b->done_given < b->done_count)
    done[(*count)++] = b->done[b->done_given++];
  return WEFT_BACKEND_OK;
}

static int rtl_cancel(struct weft_backend *b)
{
  b->outstanding -= weft_ports_waiting(b->ports);
  weft_ports_clear(b->ports);
  for (unsigned p = 0; p < b->port_count; p++) {
    weft_shim_withdraw(b->shim, p);
    b->offered[p] = false;
  }
  return WEFT_BACKEND_OK;
}

static int rtl_counters(struct weft_backend *b, uint64_t *values, size_t count, struct weft_backend_error *e)
{
  size_t per_node = weft_counter_count(&b->options.config);
  if (count < per_node * b->options.config.nodes)
    return fails(e, WEFT_BACKEND_FAILED, "the table of counters is too short");
  weft_shim_write(b->shim, REGISTER(control.snapshot), 1);
  while (flag(b, WEFT_REGISTERS__STATUS__FLAGS__SNAPSHOT_BUSY_bm))
    ;
  for (size_t i = 0; i < per_node * b->options.config.nodes; i++) {
    uint32_t at =
      (uint32_t)(WEFT_COUNTERS_ADDRESS + i / per_node * WEFT_COUNTERS_STRIDE + 8 * (i % per_node));
    uint64_t low = weft_shim_read(b->shim, at);
    values[i] = low | (uint64_t)weft_shim_read(b->shim, at + 4) << 32;
  }
  return WEFT_BACKEND_OK;
}

static int rtl_memory(struct weft_backend *b, uint64_t address, void *bytes, size_t count, bool write,
                      struct weft_backend_error *e)
{
  uint64_t line = b->options.config.line, offset = weft_offset_of(address);
  if (weft_home_of(address) >= b->options.config.nodes || offset > b->options.config.memory_bytes ||
      count > b->options.config.memory_bytes - offset)
    return fails(e, WEFT_BACKEND_FAILED, "an address outside memory");
  if (write && b->lockstep)
    weft_lockstep_memory(b->lockstep, address, bytes, count);
  for (uint8_t *at = bytes; count;) {
    uint8_t whole[WEFT_LINE_MAX];
    uint64_t start = address % line, part = line - start < count ? line - start : count;
    if (!write || part < line)
      weft_shim_memory(b->shim, address - start, whole, false);
    memcpy(write ? whole + start : at, write ? at : whole + start, part);
    if (write)
      weft_shim_memory(b->shim, address - start, whole, true);
    at += part;
    address += part;
    count -= part;
  }
  return WEFT_BACKEND_OK;
}

static int wait_for(struct weft_backend *b, uint32_t mask, const char *what, struct weft_backend_error *e)
{
  for (unsigned i = 0; i < SETTLE_LIMIT; i += 16) {
    if (flag(b, mask))
      return compared(b, e);
    for (int k = 0; k < 16; k++)
      cycle(b);
  }
  return fails(e, WEFT_BACKEND_FAILED, what);
}

/* Compares one bank's lines, as they lie in the array of the simulation, with the model's memory. */
void weft_dpi_memory(long long handle, int node, int bank, const svOpenArrayHandle lines)
{
  struct weft_backend *b = of(handle);
  const uint8_t *model = weft_lockstep_node_memory(b->lockstep, (unsigned)node);
  uint64_t line = b->options.config.line, banks = b->options.config.l2_banks,
           page = UINT64_C(1) << WEFT_PAGE_SHIFT;
  int index = 0;
  for (uint64_t at = (uint64_t)bank * page; at < b->options.config.memory_bytes; at += banks * page) {
    for (uint64_t i = at; i < at + page; i += line) {
      uint32_t rtl[WEFT_LINE_MAX / 4];
      svGetBitArrElem1VecVal(rtl, lines, index++);
      if (memcmp(rtl, model + i, line) != 0 && !b->memory_result)
        b->memory_result = weft_lockstep_memory_differs(b->lockstep, (uint64_t)node << WEFT_HOME_SHIFT | i,
                                                        (const uint8_t *)rtl, model + i, b->now,
                                                        b->memory_error->text, sizeof b->memory_error->text);
    }
  }
}

/* The same by the host's port, a line at a time. */
static int compare_by_port(struct weft_backend *b, struct weft_backend_error *e)
{
  uint64_t line = b->options.config.line;
  for (unsigned n = 0; n < b->options.config.nodes; n++) {
    const uint8_t *model = weft_lockstep_node_memory(b->lockstep, n);
    for (uint64_t at = 0; at < b->options.config.memory_bytes; at += line) {
      uint8_t rtl[WEFT_LINE_MAX];
      uint64_t address = (uint64_t)n << WEFT_HOME_SHIFT | at;
      weft_shim_memory(b->shim, address, rtl, false);
      if (memcmp(rtl, model + at, line) != 0)
        return weft_lockstep_memory_differs(b->lockstep, address, rtl, model + at, b->now, e->text,
                                            sizeof e->text);
    }
  }
  return WEFT_BACKEND_OK;
}

static int compare_memory(struct weft_backend *b, struct weft_backend_error *e)
{
  b->memory_result = WEFT_BACKEND_OK;
  b->memory_error = e;
  return weft_shim_dump(b->shim) ? b->memory_result : compare_by_port(b, e);
}

static int compare_counters(struct weft_backend *b, struct weft_backend_error *e)
{
  size_t per_node = weft_counter_count(&b->options.config), all = per_node * b->options.config.nodes;
  uint64_t *rtl = calloc(all, sizeof *rtl);
  if (!rtl)
    return fails(e, WEFT_BACKEND_LACKS, "not enough memory for the counters");
  int result = rtl_counters(b, rtl, all, e);
  const uint64_t *model = weft_lockstep_counters(b->lockstep);
  for (size_t i = 0; !result && i < all; i++)
    if (weft_counter_table[i % per_node].kind == WEFT_COUNTER_EVENT && rtl[i] != model[i])
      result = weft_lockstep_counter_differs(b->lockstep, i, rtl[i], b->now, e->text, sizeof e->text);
  free(rtl);
  return result;
}

static int rtl_settle(struct weft_backend *b, struct weft_backend_error *e)
{
  int result = wait_for(b, WEFT_REGISTERS__STATUS__FLAGS__IDLE_bm, "the fabric does not come to rest", e);
  if (result)
    return result;
  weft_shim_write(b->shim, REGISTER(control.flush), 1);
  result = wait_for(b, WEFT_REGISTERS__STATUS__FLAGS__FLUSH_DONE_bm, "dirty lines are not written back", e);
  weft_shim_write(b->shim, REGISTER(control.flush), 0);
  if (!result)
    result = wait_for(b, WEFT_REGISTERS__STATUS__FLAGS__IDLE_bm, "memory does not come to rest", e);
  if (!result && b->lockstep) {
    const char *report = weft_lockstep_finish(b->lockstep, b->now);
    if (report) {
      snprintf(e->text, sizeof e->text, "%s", report);
      return WEFT_BACKEND_MISMATCH;
    }
    result = compare_counters(b, e);
    if (!result)
      result = compare_memory(b, e);
  }
  return result;
}

static uint64_t rtl_now(struct weft_backend *b)
{
  return b->done_given < b->done_count ? b->answered_at : b->now;
}

static void rtl_waits(struct weft_backend *b, char *text, size_t size)
{
  if (b->lockstep)
    weft_lockstep_waits(b->lockstep, text, size);
  else
    snprintf(text, size, "run without --no-lockstep to see what waits for what inside the fabric");
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
  .counters = rtl_counters,
  .memory = rtl_memory,
  .settle = rtl_settle,
  .now = rtl_now,
  .waits = rtl_waits,
};
