/* SPDX-License-Identifier: Apache-2.0 */
/* The rules at the TSU. Where they are not the paper's: a write comes after every promise (wts = memts + 1), and an
 * eviction leaves its promise behind in the set's high-water mark. */
#include "tsu.h"

#include "lease_faults.h"

#define NONE (-1)

static size_t layout(struct weft_tsu *t, const struct weft_config *c)
{
  size_t at = sizeof *t;
  t->ways = (uint32_t)c->tsu_ways;
  t->sets = (uint32_t)(c->tsu_entries / c->tsu_ways / c->l2_banks);
  t->entries_at = weft_layout_take(&at, (size_t)t->sets * t->ways * sizeof(struct weft_tsu_entry));
  t->marks_at = weft_layout_take(&at, t->sets * sizeof(struct weft_tsu_mark));
  return weft_layout_take(&at, 0);
}

size_t weft_tsu_size(const struct weft_config *c)
{
  struct weft_tsu shape;
  return layout(&shape, c);
}

void weft_tsu_reset(struct weft_tsu *t, const struct weft_config *c, unsigned home)
{
  memset(t, 0, weft_tsu_size(c));
  layout(t, c);
  t->home = home;
  t->line_shift = weft_log2(c->line);
  t->bank_shift = weft_log2(c->l2_banks);
  t->last = (uint32_t)weft_ones((unsigned)c->lease_bits);
}

void weft_tsu_set_fault(struct weft_tsu *t, unsigned fault)
{
  t->fault = fault;
}

void weft_tsu_rebase(struct weft_tsu *t)
{
  t->largest = t->now = 0;
  memset(weft_tsu_entries(t, 0), 0, (size_t)t->sets * t->ways * sizeof(struct weft_tsu_entry));
  memset(weft_tsu_mark(t, 0), 0, t->sets * sizeof(struct weft_tsu_mark));
}

static uint64_t line_of(const struct weft_tsu *t, uint64_t address)
{
  return address >> t->line_shift << t->line_shift;
}

static uint64_t set_of(const struct weft_tsu *t, uint64_t address)
{
  return weft_bank_line(address, t->line_shift, t->bank_shift) & (t->sets - 1U);
}

static int find(const struct weft_tsu *t, uint64_t address)
{
  const struct weft_tsu_entry *entries = weft_tsu_entries(t, set_of(t, address));
  for (unsigned w = 0; w < t->ways; w++)
    if (entries[w].valid && entries[w].address == line_of(t, address))
      return (int)w;
  return NONE;
}

static uint32_t larger(uint32_t a, uint32_t b)
{
  return a > b ? a : b;
}

/* The clock that a request carries. Of those that are not causal, only a load's that renews its copy does. */
static uint32_t clock_of(const struct weft_tsu_event *in)
{
  return in->causal || (in->renews && in->op == WEFT_TSU_OP_READ) ? in->cts : 0;
}

/* ---------------------------------------------------------------- what may happen */

/* Tested with the largest rts handed out, which no memts and no high-water mark exceeds: also not the one that an
 * eviction leaves to the block that enters. */
bool weft_tsu_wants_rebase(const struct weft_tsu *t, const struct weft_lease_settings *leases,
                           const struct weft_tsu_event *in)
{
  return larger(t->largest, clock_of(in)) + weft_lease_longest(leases) > t->last - 1U;
}

const char *weft_tsu_refuses(const struct weft_tsu *t, const struct weft_lease_settings *leases,
                             const struct weft_tsu_event *in)
{
  if (in->op > WEFT_TSU_OP_PEEK)
    return "tsu: unknown operation";
  if (weft_home_of(in->address) != t->home)
    return "tsu: the block's home is another node";
  if (!leases->read || !leases->write || weft_lease_longest(leases) + 2U > t->last)
    return "tsu: a lease of 0, or one that does not fit a time";
  if (clock_of(in) > t->last)
    return "tsu: a clock that does not fit a time";
  return weft_tsu_wants_rebase(t, leases, in) ? "tsu: the times need a rebase first" : NULL;
}

/* ---------------------------------------------------------------- the step */

/* The lowest way that is free, else that of the lowest memts. */
static unsigned victim_of(const struct weft_tsu_entry *entries, unsigned ways)
{
  unsigned victim = 0;
  for (unsigned w = 0; w < ways; w++) {
    if (!entries[w].valid)
      return w;
    if (entries[w].memts < entries[victim].memts)
      victim = w;
  }
  return victim;
}

/* The evicted block's times stay, for every block that enters from now on: this one included (rule T1). What was written is kept
 * apart from what was promised: a block that was only read moves no reader's clock when it comes back. */
static unsigned enter(struct weft_tsu *t, uint64_t address, struct weft_tsu_event *out)
{
  uint64_t set = set_of(t, address);
  unsigned way = victim_of(weft_tsu_entries(t, set), t->ways);
  struct weft_tsu_entry *entry = &weft_tsu_entries(t, set)[way];
  struct weft_tsu_mark *mark = weft_tsu_mark(t, set);
  out->allocated = 1;
  out->evicted = entry->valid;
  if (entry->valid) {
    mark->memts = entry->memts; /* the larger of both: no block of a set is below its mark */
    mark->wts = (uint16_t)larger(mark->wts, entry->wts);
  }
  out->reentered = mark->memts != 0;
  bool forgets = weft_lease_has(t->fault, WEFT_FAULT_TSU_REENTERS_MEMTS_ZERO);
  bool unwritten = forgets || t->fault == WEFT_FAULT_TSU_REENTERS_WTS_ZERO;
  *entry = (struct weft_tsu_entry){ .valid = 1,
                                    .address = line_of(t, address),
                                    .memts = forgets ? 0 : mark->memts,
                                    .wts = unwritten ? 0 : mark->wts };
  return way;
}

/* The first tick of a write. */
static uint32_t write_time(const struct weft_tsu *t, uint32_t memts, uint32_t cts)
{
  return larger(weft_lease_has(t->fault, WEFT_FAULT_TSU_WRITE_AT_MEMTS) ? memts : memts + 1U, cts);
}

/* When the lease of a load begins that is not causal: at its clock, or when the last write was, as far as is known here. As published
 * it begins where the block's last lease ended, however long ago that was. */
static uint32_t begins(const struct weft_tsu *t, const struct weft_tsu_event *in)
{
  if (!in->renews || in->op != WEFT_TSU_OP_READ)
    return 0;
  return larger(in->cts, t->now);
}

/* The last tick of the lease that a load gets; a peek gets none beyond what others have. */
static uint32_t read_until(const struct weft_tsu *t, const struct weft_tsu_entry *entry,
                           const struct weft_tsu_event *in, uint32_t lease)
{
  uint32_t ticks = in->op == WEFT_TSU_OP_PEEK ? 0 : lease;
  if (!in->causal)
    return larger(entry->memts, begins(t, in)) + ticks;
  return larger(entry->memts, larger(entry->wts, in->cts) + ticks);
}

const char *weft_tsu_step(struct weft_tsu *t, const struct weft_lease_settings *leases,
                          const struct weft_tsu_event *in, struct weft_tsu_event *out)
{
  const char *error = weft_tsu_refuses(t, leases, in);
  if (error)
    return error;
  int way = find(t, in->address);
  uint64_t set = set_of(t, in->address);
  out->hit = way != NONE;
  out->allocated = out->evicted = out->reentered = 0;
  if (way == NONE)
    way = (int)enter(t, in->address, out);
  struct weft_tsu_entry *entry = &weft_tsu_entries(t, set)[way];
  uint32_t rts;
  out->was = entry->wts;
  if (in->op == WEFT_TSU_OP_WRITE) {
    uint32_t wts = write_time(t, entry->memts, clock_of(in));
    rts = wts + leases->write - 1U;
    entry->wts = (uint16_t)(wts & t->last);
  } else {
    rts = read_until(t, entry, in, leases->read);
  }
  if (in->renews)
    t->now = larger(t->now, in->op == WEFT_TSU_OP_WRITE ? entry->wts : clock_of(in));
  rts &= t->last; /* only a fault's is larger */
  entry->memts = (uint16_t)rts;
  if (!(t->fault == WEFT_FAULT_TSU_REBASE_MISSES_VICTIM && out->evicted))
    t->largest = larger(t->largest, rts);
  out->way = (uint8_t)way;
  out->wts = entry->wts;
  out->rts = out->memts = entry->memts;
  out->hwm = weft_tsu_mark(t, set)->memts;
  return NULL;
}
