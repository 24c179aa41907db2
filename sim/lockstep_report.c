/* SPDX-License-Identifier: Apache-2.0 */
/* What the checker says: the first difference, and what waits for what. */
#include <inttypes.h>
#include <stdio.h>

#include "backend.h"
#include "lockstep_parts.h"

struct weft_place weft_place_cu(const char *unit, unsigned node, unsigned cu, uint64_t cycle,
                                const char *event)
{
  return (struct weft_place){
    .unit = unit, .node = node, .part = "cu", .index = cu, .cycle = cycle, .event = event
  };
}

struct weft_place weft_place_bank(const char *unit, unsigned node, unsigned bank, uint64_t cycle,
                                  const char *event)
{
  return (struct weft_place){
    .unit = unit, .node = node, .part = "bank", .index = bank, .cycle = cycle, .event = event
  };
}

static void report(struct weft_lockstep *k, const struct weft_place *p, const char *what)
{
  if (k->failed)
    return;
  k->failed = true;
  snprintf(k->report, sizeof k->report,
           "lock-step: RTL and model differ in unit %s, node %u %s %u, cycle %" PRIu64 ", event %s\n"
           "%s\n"
           "seed %" PRIu64 "; again: %s",
           p->unit, p->node, p->part, p->index, p->cycle, p->event, what, k->seed,
           *k->command ? k->command : "(no command was given)");
}

void weft_lockstep_differ(struct weft_lockstep *k, const struct weft_place *place,
                          const struct weft_difference *d)
{
  char text[160];
  snprintf(text, sizeof text, "%s: RTL 0x%" PRIx64 ", model 0x%" PRIx64, d->field, d->rtl, d->model);
  report(k, place, text);
}

void weft_lockstep_wrong(struct weft_lockstep *k, const struct weft_place *place, const char *text)
{
  report(k, place, text);
}

const char *weft_lockstep_report(const struct weft_lockstep *k)
{
  return k->failed ? k->report : NULL;
}

/* ---------------------------------------------------------------- the end of a run */

const char *weft_lockstep_finish(struct weft_lockstep *k, uint64_t cycle)
{
  char text[160];
  if (weft_lockstep_on_its_way(k, text, sizeof text)) {
    struct weft_place place = weft_place_bank("network", 0, 0, cycle, "end of the run");
    weft_lockstep_wrong(k, &place, text);
  }
  for (unsigned i = 0; i < k->nodes * k->cus; i++)
    if (!weft_l1_idle(k->l1[i])) {
      struct weft_place place = weft_place_cu("l1", i / k->cus, i % k->cus, cycle, "end of the run");
      weft_lockstep_wrong(k, &place, "the RTL is idle, the model is not");
    }
  for (unsigned i = 0; i < k->nodes * k->banks; i++) {
    struct weft_place place = weft_place_bank("l2", i / k->banks, i % k->banks, cycle, "end of the run");
    if (!weft_l2_idle(k->l2[i]))
      weft_lockstep_wrong(k, &place, "the RTL is idle, the model is not");
    if (k->dir[i].valid)
      weft_lockstep_wrong(k, &place, "a directory event without an event of its bank");
  }
  return weft_lockstep_report(k);
}

int weft_lockstep_memory_differs(struct weft_lockstep *k, uint64_t address, const uint8_t *rtl,
                                 const uint8_t *model, uint64_t cycle, char *text, size_t size)
{
  unsigned node = weft_home_of(address), bank = (unsigned)(address >> WEFT_PAGE_SHIFT) & (k->banks - 1U);
  struct weft_place place = weft_place_bank("memory", node, bank, cycle, "end of the run");
  struct weft_difference d = { 0 };
  char name[32];
  snprintf(name, sizeof name, "line 0x%" PRIx64, address);
  if (weft_differs_data(&d, name, rtl, model, k->line))
    weft_lockstep_differ(k, &place, &d);
  snprintf(text, size, "%s", k->report);
  return WEFT_BACKEND_MISMATCH;
}

int weft_lockstep_counter_differs(struct weft_lockstep *k, size_t index, uint64_t rtl, uint64_t cycle,
                                  char *text, size_t size)
{
  unsigned node = (unsigned)(index / k->per_node);
  const char *name = weft_counter_table[index % k->per_node].name;
  struct weft_place place = weft_place_bank("counters", node, 0, cycle, "end of the run");
  struct weft_difference d = { 0 };
  weft_differs(&d, "", name, rtl, k->counters[index]);
  weft_lockstep_differ(k, &place, &d);
  snprintf(text, size, "%s", k->report);
  return WEFT_BACKEND_MISMATCH;
}
