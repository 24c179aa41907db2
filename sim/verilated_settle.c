/* SPDX-License-Identifier: Apache-2.0 */
/* Memory, counters and the end of a run of the Verilated fabric. */
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "layout.h"
#include "svdpi.h"
#include "verilated_parts.h"
#include "weft_counters.h"

void weft_dpi_memory(long long handle, int node, int bank, const svOpenArrayHandle lines);

static void snapshot(struct weft_backend *b)
{
  weft_shim_write(b->shim, WEFT_REGISTER(control.snapshot), 1);
  while (weft_rtl_flag(b, WEFT_REGISTERS__STATUS__FLAGS__SNAPSHOT_BUSY_bm))
    ;
}

static uint64_t read_counter(struct weft_backend *b, uint32_t at)
{
  uint64_t low = weft_shim_read(b->shim, at);
  return low | (uint64_t)weft_shim_read(b->shim, at + 4) << 32;
}

uint64_t weft_rtl_time(struct weft_backend *b)
{
  snapshot(b);
  return read_counter(b, WEFT_COUNTERS_ADDRESS + 8 * WEFT_COUNTER_TIME_CYCLES);
}

int weft_rtl_counters(struct weft_backend *b, uint64_t *values, size_t count, struct weft_backend_error *e)
{
  size_t per_node = weft_counter_count(&b->options.config);
  if (count < per_node * b->options.config.nodes)
    return weft_rtl_fails(e, WEFT_BACKEND_FAILED, "the table of counters is too short");
  snapshot(b);
  for (size_t i = 0; i < per_node * b->options.config.nodes; i++) {
    values[i] = read_counter(b, weft_counter_register(i, per_node)) -
                (i % per_node == WEFT_COUNTER_TIME_CYCLES ? b->walk : 0);
  }
  return WEFT_BACKEND_OK;
}

int weft_rtl_memory(struct weft_backend *b, uint64_t address, void *bytes, size_t count, bool write,
                    struct weft_backend_error *e)
{
  uint64_t line = b->options.config.line, offset = weft_offset_of(address);
  if (weft_home_of(address) >= b->options.config.nodes || offset > b->options.config.memory_bytes ||
      count > b->options.config.memory_bytes - offset)
    return weft_rtl_fails(e, WEFT_BACKEND_FAILED, "an address outside memory");
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
  for (unsigned i = 0; i < WEFT_SETTLE_LIMIT; i += WEFT_SETTLE_EVERY) {
    if (weft_rtl_flag(b, mask))
      return weft_rtl_compared(b, e);
    int result = weft_rtl_links(b, e);
    if (result)
      return result;
    for (unsigned k = 0; k < WEFT_SETTLE_EVERY; k++)
      weft_rtl_cycle(b);
  }
  return weft_rtl_fails(e, WEFT_BACKEND_FAILED, what);
}

/* Compares one bank's lines, as they lie in the array of the simulation, with the model's memory. */
void weft_dpi_memory(long long handle, int node, int bank, const svOpenArrayHandle lines)
{
  struct weft_backend *b = (struct weft_backend *)(intptr_t)handle;
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
    return weft_rtl_fails(e, WEFT_BACKEND_LACKS, "not enough memory for the counters");
  int result = weft_rtl_counters(b, rtl, all, e);
  const uint64_t *model = weft_lockstep_counters(b->lockstep);
  for (size_t i = 0; !result && i < all; i++)
    if (weft_counter_table[i % per_node].kind == WEFT_COUNTER_EVENT && rtl[i] != model[i])
      result = weft_lockstep_counter_differs(b->lockstep, i, rtl[i], b->now, e->text, sizeof e->text);
  free(rtl);
  return result;
}

int weft_rtl_settle(struct weft_backend *b, struct weft_backend_error *e)
{
  int result = WEFT_BACKEND_OK;
  for (size_t i = 0; i < WEFT_SETTLE_STEPS && !result; i++) {
    const struct weft_settle_step *s = &weft_settle_steps[i];
    if (s->held)
      weft_shim_write(b->shim, s->held, 1);
    result = wait_for(b, s->flag, s->otherwise, e);
    if (s->held)
      weft_shim_write(b->shim, s->held, 0);
  }
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
