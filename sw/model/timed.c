/* SPDX-License-Identifier: Apache-2.0 */
#include "timed.h"

#include <stdarg.h>
#include <stdio.h>

#include "counters.h"
#include "random.h"
#include "timed_parts.h"

unsigned weft_timed_hold(uint64_t seed, uint32_t jitter, unsigned node, uint64_t cycle)
{
  if (!jitter)
    return 0;
  unsigned hold = 0;
  for (unsigned stream = 0; stream < 4; stream++) {
    /* splitmix64 of (seed, node, stream, cycle in blocks): a stream is held for a while, not for one cycle */
    uint64_t z = weft_random_mix(seed + UINT64_C(0x9e3779b97f4a7c15) *
                                          ((cycle / WEFT_HOLD_CYCLES) * 64 + node * 4 + stream + 1));
    hold |= (unsigned)(z % 1000 < jitter) << stream;
  }
  return hold;
}

/* ---------------------------------------------------------------- memory */

void weft_timed_memory_take(struct weft_timed *t, unsigned index)
{
  struct weft_timed_memory *m = &t->memory[index];
  struct weft_queue *q = &t->l2[index].mem;
  const struct weft_mem_req *r = weft_queue_head(q, t->now);
  if (r && t->now >= m->next) {
    struct weft_timed_answer *a = weft_queue_slot(&m->answers, m->answers.head + m->answers.count);
    const char *wrong = weft_memory_step(t->bytes[t->l2[index].node], r, &a->rsp);
    if (wrong && !t->wrong)
      t->wrong = wrong;
    if (!r->write) {
      weft_queue_push(&m->answers, t->now);
      a->visible = t->now + t->config.memory_latency;
      weft_wake(t, t->at.l2 + index, a->visible);
    }
    weft_timed_pop(t, q, t->at.l2 + index);
    m->next = t->now + t->config.memory_interval;
  }
  if (q->count)
    weft_wake_after(t, t->at.memory + index, m->next);
}

/* ---------------------------------------------------------------- time */

/* Visits those of the units from `first` up to `end` that are awake, by their numbers from `first` on. */
static inline void visit(struct weft_timed *t, const uint64_t *awake, unsigned first, unsigned end,
                         void (*unit)(struct weft_timed *, unsigned))
{
  for (unsigned word = first / 64U; word * 64U < end; word++) {
    uint64_t left = awake[word];
    if (word == first / 64U)
      left &= ~weft_ones(first % 64U);
    if (end - word * 64U < 64U)
      left &= weft_ones(end - word * 64U);
    for (; left; left &= left - 1)
      unit(t, word * 64U + weft_lowest(left) - first);
  }
}

static void switch_once(struct weft_timed *t, unsigned zero)
{
  (void)zero;
  weft_timed_switch(t);
}

const char *weft_timed_cycle(struct weft_timed *t, uint64_t limit)
{
  const struct weft_timed_units *at = &t->at;
  uint64_t awake[WEFT_AGENDA_WORDS];
  uint64_t first = weft_agenda_next(&t->agenda, t->now);
  if (first >= limit) {
    t->now = limit;
    return t->wrong;
  }
  if (first > t->now)
    t->now = first;
  t->flushed = false;
  t->visits += weft_agenda_take(&t->agenda, t->now, awake);
  struct weft_rebase_input rebase = weft_timed_rebase_look(t);
  visit(t, awake, at->l1, at->l2, weft_timed_l1_choose);
  visit(t, awake, at->l2, at->egress, weft_timed_l2_choose);
  visit(t, awake, at->egress, at->up, weft_timed_egress);
  visit(t, awake, at->up, at->down, weft_timed_up);
  visit(t, awake, at->down, at->ingress, weft_timed_down);
  visit(t, awake, at->ingress, at->crossbar, weft_timed_ingress);
  visit(t, awake, at->crossbar, at->memory, switch_once);
  visit(t, awake, at->memory, at->end, weft_timed_memory_take);
  visit(t, awake, at->l1, at->l2, weft_timed_l1_step);
  visit(t, awake, at->l2, at->egress, weft_timed_l2_step);
  weft_timed_rebase(t, &rebase);
  t->now++;
  return t->wrong;
}

uint64_t weft_timed_now(const struct weft_timed *t)
{
  return t->now;
}

uint64_t weft_timed_visits(const struct weft_timed *t)
{
  return t->visits;
}

bool weft_timed_busy(const struct weft_timed *t)
{
  return weft_agenda_next(&t->agenda, t->now) != WEFT_NEVER;
}

void weft_timed_watch(struct weft_timed *t, const struct weft_observer *observer)
{
  t->observer = observer;
}

void weft_timed_wake(struct weft_timed *t, unsigned port, uint64_t cycle)
{
  weft_wake(t, t->at.l1 + port, cycle > t->now ? cycle : t->now);
}

void weft_timed_cancel(struct weft_timed *t)
{
  for (unsigned p = 0; p < t->nodes * t->cus; p++) {
    struct weft_timed_l1 *u = &t->l1[p];
    u->counters[WEFT_CU_COUNTER_L1_STALLS] += weft_timed_stalled(t, u->stalling);
    u->counters[WEFT_CU_COUNTER_L1_LOCKED] += u->locked ? weft_timed_stalled(t, u->stalling) : 0;
    u->stalling = 0;
    u->shown = NULL;
    if (weft_timed_dma_of(t, u))
      weft_timed_dma_of(t, u)->shown = NULL;
  }
}

/* ---------------------------------------------------------------- outside of time */

/* A step of a bank, and its memory's. */
static void step_now(struct weft_timed *t, struct weft_timed_l2 *u, const struct weft_l2_event *in,
                     struct weft_mem_rsp *memory)
{
  const char *wrong = weft_l2_step(u->state, in, &u->c, &u->dir);
  if (wrong && !t->wrong)
    t->wrong = wrong;
  weft_count_l2(u->counters, in, &u->c, &u->dir, u->node, t->nodes);
  if (u->c.sent_mem)
    weft_memory_step(t->bytes[u->node], &u->c.out_mem, memory);
}

/* Write-back: dirty bytes of a remote line come home, where the line may have to be fetched for them. */
static void take_home(struct weft_timed *t, const struct weft_req *bytes)
{
  struct weft_timed_l2 *u = &t->l2[bytes->dst * t->banks + weft_timed_bank_of(t, bytes->address)];
  struct weft_l2_event in = { .kind = WEFT_L2_EVENT_KIND_REQUEST };
  struct weft_mem_rsp line;
  weft_copy_req(&in.req, bytes, (unsigned)t->config.line);
  step_now(t, u, &in, &line);
  if (!u->c.allocated)
    return;
  in.kind = WEFT_L2_EVENT_KIND_MEMORY;
  in.index = line.id;
  weft_copy_line(in.rsp.data, line.data, (unsigned)t->config.line);
  step_now(t, u, &in, &line);
  in.kind = WEFT_L2_EVENT_KIND_REPLAY;
  step_now(t, u, &in, &line);
}

/* Returns whether bytes went to other homes. */
static bool flush_bank(struct weft_timed *t, unsigned index)
{
  struct weft_timed_l2 *u = &t->l2[index];
  struct weft_l2_event in = { .kind = WEFT_L2_EVENT_KIND_FLUSH };
  struct weft_mem_rsp none;
  bool sent = false;
  for (uint64_t set = 0; set < t->config.l2_sets; set++) {
    for (unsigned way = 0; way < t->config.l2_ways; way++) {
      in.req.address = set;
      in.way = (uint8_t)way;
      step_now(t, u, &in, &none);
      if (!u->c.sent_req)
        continue;
      struct weft_req bytes = u->c.out_req;
      take_home(t, &bytes);
      sent = true;
    }
  }
  return sent;
}

void weft_timed_flush(struct weft_timed *t)
{
  bool again = true; /* what has come home is dirty there */
  while (again) {
    again = false;
    for (unsigned i = 0; i < t->nodes * t->banks; i++)
      again |= flush_bank(t, i);
  }
  t->flushed = true;
}

bool weft_timed_memory(struct weft_timed *t, uint64_t address, void *bytes, size_t count, bool write)
{
  unsigned node = weft_home_of(address);
  return node < t->nodes && weft_memory_host(t->bytes[node], weft_offset_of(address), bytes, count, write);
}

void weft_timed_counters(const struct weft_timed *t, uint64_t *values)
{
  memcpy(values, t->counters, t->nodes * t->per_node * sizeof *values);
  for (unsigned n = 0; n < t->nodes; n++) {
    values[n * t->per_node + WEFT_COUNTER_TIME_CYCLES] = t->now;
    values[n * t->per_node + WEFT_COUNTER_LINK_BUSY] = weft_timed_link_busy(t, &t->up[n]);
  }
  for (unsigned p = 0; p < t->nodes * t->cus; p++) {
    const struct weft_timed_l1 *u = &t->l1[p];
    uint64_t *of_cu = values + (u->counters - t->counters), stalled = weft_timed_stalled(t, u->stalling);
    of_cu[WEFT_CU_COUNTER_L1_STALLS] += stalled;
    of_cu[WEFT_CU_COUNTER_L1_LOCKED] += u->locked ? stalled : 0;
  }
  for (unsigned i = 0; i < t->nodes * t->banks; i++)
    values[t->l2[i].counters - t->counters + WEFT_COUNTER_L2_STALLS] +=
      weft_timed_stalled(t, t->l2[i].stalling);
}

static void say(char **at, char *end, const char *format, ...)
{
  va_list arguments;
  va_start(arguments, format);
  int n = vsnprintf(*at, (size_t)(end - *at), format, arguments);
  va_end(arguments);
  if (n > 0)
    *at = n < end - *at ? *at + n : end - 1;
}

void weft_timed_waits(const struct weft_timed *t, char *text, size_t size)
{
  char *at = text, *end = text + size;
  say(&at, end, "cycle %llu", (unsigned long long)t->now);
  for (unsigned p = 0; p < t->nodes * t->cus; p++) {
    const struct weft_l1 *s = t->l1[p].state;
    if (!weft_l1_idle(s))
      say(&at, end, "\nnode %u cu %u: %d misses outstanding", p / t->cus, p % t->cus,
          __builtin_popcountll(s->miss_used));
  }
  for (unsigned i = 0; i < t->nodes * t->banks; i++) {
    const struct weft_l2 *s = t->l2[i].state;
    if (!weft_l2_idle(s))
      say(&at, end, "\nnode %u bank %u: %d misses, %d fetches, %d releases, %d markers", i / t->banks,
          i % t->banks, __builtin_popcountll(s->miss_used), __builtin_popcountll(s->fetch_used),
          __builtin_popcountll(s->release_used), __builtin_popcountll(s->marker_used));
  }
}
