/* SPDX-License-Identifier: Apache-2.0 */
#include "timed.h"

#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>

#include "counters.h"
#include "timed_parts.h"

bool weft_queue_new(struct weft_queue *q, uint32_t depth, uint32_t stride)
{
  q->depth = depth;
  q->stride = stride;
  q->slot = calloc(depth, stride);
  return q->slot != NULL;
}

unsigned weft_timed_hold(uint64_t seed, uint32_t jitter, unsigned node, uint64_t cycle)
{
  if (!jitter)
    return 0;
  unsigned hold = 0;
  for (unsigned stream = 0; stream < 4; stream++) {
    /* splitmix64 of (seed, node, stream, cycle in blocks of 8): a stream is held for a while, not for one cycle */
    uint64_t z = seed + UINT64_C(0x9e3779b97f4a7c15) * ((cycle / 8) * 64 + node * 4 + stream + 1);
    z = (z ^ (z >> 30)) * UINT64_C(0xbf58476d1ce4e5b9);
    z = (z ^ (z >> 27)) * UINT64_C(0x94d049bb133111eb);
    hold |= (unsigned)((z ^ (z >> 31)) % 1000 < jitter) << stream;
  }
  return hold;
}

/* ---------------------------------------------------------------- making and freeing */

static bool new_l1s(struct weft_timed *t)
{
  t->l1 = calloc(t->nodes * t->cus, sizeof *t->l1);
  if (!t->l1)
    return false;
  for (unsigned p = 0; p < t->nodes * t->cus; p++) {
    struct weft_timed_l1 *u = &t->l1[p];
    u->state = calloc(1, weft_l1_size(&t->config));
    if (!u->state || !weft_queue_new(&u->out, WEFT_L1_OUT_DEPTH, sizeof(struct weft_l1_req)))
      return false;
    weft_l1_reset(u->state, &t->config, p % t->cus);
    u->wake = WEFT_NEVER;
  }
  return true;
}

static bool new_banks(struct weft_timed *t)
{
  t->l2 = calloc(t->nodes * t->banks, sizeof *t->l2);
  t->memory = calloc(t->nodes * t->banks, sizeof *t->memory);
  if (!t->l2 || !t->memory)
    return false;
  for (unsigned i = 0; i < t->nodes * t->banks; i++) {
    struct weft_timed_l2 *u = &t->l2[i];
    u->state = calloc(1, weft_l2_size(&t->config));
    if (!u->state || !weft_queue_new(&u->req, WEFT_L2_REQ_DEPTH, sizeof(struct weft_req)) ||
        !weft_queue_new(&u->rsp, WEFT_L2_OUT_DEPTH, sizeof(struct weft_rsp)) ||
        !weft_queue_new(&u->l1, WEFT_L2_OUT_DEPTH, sizeof(struct weft_l1_rsp)) ||
        !weft_queue_new(&u->mem, WEFT_L2_OUT_DEPTH, sizeof(struct weft_mem_req)) ||
        !weft_queue_new(&t->memory[i].answers, (uint32_t)t->config.home_fetches,
                        sizeof(struct weft_timed_answer)))
      return false;
    weft_l2_reset(u->state, &t->config, t->protocol, i / t->banks, i % t->banks);
    u->wake = t->memory[i].wake = WEFT_NEVER;
  }
  return true;
}

static bool new_network(struct weft_timed *t)
{
  static const uint32_t stride[WEFT_LINK_CLASSES] = { sizeof(struct weft_req), sizeof(struct weft_fwd),
                                                      sizeof(struct weft_rsp) };
  t->up = calloc(t->nodes, sizeof *t->up);
  t->down = calloc(t->nodes, sizeof *t->down);
  t->output = calloc(t->nodes * WEFT_LINK_CLASSES, sizeof *t->output);
  t->bytes = calloc(t->nodes, sizeof *t->bytes);
  t->counters = calloc(t->nodes, t->per_node * sizeof *t->counters);
  if (!t->up || !t->down || !t->output || !t->bytes || !t->counters)
    return false;
  for (unsigned n = 0; n < t->nodes; n++) {
    if (!weft_timed_link_new(t, &t->up[n]) || !weft_timed_link_new(t, &t->down[n]))
      return false;
    for (unsigned c = 0; c < WEFT_LINK_CLASSES; c++)
      if (!weft_queue_new(&t->output[n * WEFT_LINK_CLASSES + c].queue, WEFT_SWITCH_DEPTH, stride[c]))
        return false;
    t->bytes[n] = calloc(1, weft_memory_size(&t->config));
    if (!t->bytes[n])
      return false;
    weft_memory_reset(t->bytes[n], &t->config, n, true);
  }
  t->switch_wake = WEFT_NEVER;
  return true;
}

struct weft_timed *weft_timed_new(const struct weft_config *config, uint8_t protocol, uint64_t seed,
                                  uint32_t jitter, const struct weft_timed_host *host)
{
  struct weft_timed *t = calloc(1, sizeof *t);
  if (!t)
    return NULL;
  t->config = *config;
  t->host = *host;
  t->seed = seed;
  t->jitter = jitter;
  t->protocol = protocol;
  t->nodes = (unsigned)config->nodes;
  t->cus = (unsigned)config->cus;
  t->banks = (unsigned)config->l2_banks;
  t->per_node = weft_counter_count(config);
  if (!new_l1s(t) || !new_banks(t) || !new_network(t)) {
    weft_timed_free(t);
    return NULL;
  }
  return t;
}

void weft_timed_free(struct weft_timed *t)
{
  if (!t)
    return;
  for (unsigned p = 0; t->l1 && p < t->nodes * t->cus; p++) {
    free(t->l1[p].state);
    free(t->l1[p].out.slot);
  }
  for (unsigned i = 0; t->l2 && i < t->nodes * t->banks; i++) {
    free(t->l2[i].state);
    free(t->l2[i].req.slot);
    free(t->l2[i].rsp.slot);
    free(t->l2[i].l1.slot);
    free(t->l2[i].mem.slot);
    if (t->memory)
      free(t->memory[i].answers.slot);
  }
  for (unsigned n = 0; n < t->nodes; n++) {
    if (t->up)
      weft_timed_link_free(&t->up[n]);
    if (t->down)
      weft_timed_link_free(&t->down[n]);
    if (t->bytes)
      free(t->bytes[n]);
    for (unsigned c = 0; t->output && c < WEFT_LINK_CLASSES; c++)
      free(t->output[n * WEFT_LINK_CLASSES + c].queue.slot);
  }
  free(t->l1);
  free(t->l2);
  free(t->memory);
  free(t->up);
  free(t->down);
  free(t->output);
  free(t->bytes);
  free(t->counters);
  free(t);
}

/* ---------------------------------------------------------------- memory */

void weft_timed_memory_take(struct weft_timed *t, unsigned index)
{
  struct weft_timed_memory *m = &t->memory[index];
  struct weft_queue *q = &t->l2[index].mem;
  m->wake = WEFT_NEVER;
  if (t->now < m->next) {
    m->wake = m->next;
    return;
  }
  const struct weft_mem_req *r = weft_queue_head(q, t->now);
  if (r) {
    struct weft_mem_rsp rsp;
    const char *wrong = weft_memory_step(t->bytes[index / t->banks], r, &rsp);
    if (wrong && !t->wrong)
      t->wrong = wrong;
    if (!r->write) {
      struct weft_timed_answer *a = weft_queue_push(&m->answers, t->now);
      a->visible = t->now + t->config.memory_latency;
      a->rsp = rsp;
      weft_wake_at(&t->l2[index].wake, a->visible);
    }
    weft_queue_pop(q, t->now);
    m->next = t->now + t->config.memory_interval;
  }
  if (q->count)
    m->wake = m->next > t->now ? m->next : t->now + 1;
}

/* ---------------------------------------------------------------- time */

static uint64_t first_wake(const struct weft_timed *t)
{
  uint64_t first = t->switch_wake;
  for (unsigned p = 0; p < t->nodes * t->cus; p++)
    weft_wake_at(&first, t->l1[p].wake);
  for (unsigned i = 0; i < t->nodes * t->banks; i++) {
    weft_wake_at(&first, t->l2[i].wake);
    weft_wake_at(&first, t->memory[i].wake);
  }
  for (unsigned n = 0; n < t->nodes; n++) {
    weft_wake_at(&first, t->up[n].wake);
    weft_wake_at(&first, t->down[n].wake);
  }
  return first;
}

const char *weft_timed_cycle(struct weft_timed *t, uint64_t limit)
{
  uint64_t first = first_wake(t);
  if (first > t->now)
    t->now = first < limit ? first : limit;
  if (first > t->now)
    return t->wrong;
  unsigned ports = t->nodes * t->cus, banks = t->nodes * t->banks;
  bool l1_goes[128], l2_goes[128];
  for (unsigned p = 0; p < ports; p++)
    if ((l1_goes[p] = t->l1[p].wake <= t->now))
      weft_timed_l1_choose(t, p);
  for (unsigned i = 0; i < banks; i++)
    if ((l2_goes[i] = t->l2[i].wake <= t->now))
      weft_timed_l2_choose(t, i);
  for (unsigned n = 0; n < t->nodes; n++) {
    if (t->up[n].wake <= t->now)
      weft_timed_up(t, n);
    if (t->down[n].wake <= t->now)
      weft_timed_down(t, n);
  }
  if (t->switch_wake <= t->now)
    weft_timed_switch(t);
  for (unsigned i = 0; i < banks; i++)
    if (t->memory[i].wake <= t->now)
      weft_timed_memory_take(t, i);
  for (unsigned p = 0; p < ports; p++)
    if (l1_goes[p])
      weft_timed_l1_step(t, p);
  for (unsigned i = 0; i < banks; i++)
    if (l2_goes[i])
      weft_timed_l2_step(t, i);
  t->now++;
  return t->wrong;
}

uint64_t weft_timed_now(const struct weft_timed *t)
{
  return t->now;
}

bool weft_timed_busy(const struct weft_timed *t)
{
  return first_wake(t) != WEFT_NEVER;
}

void weft_timed_wake(struct weft_timed *t, unsigned port, uint64_t cycle)
{
  weft_wake_at(&t->l1[port].wake, cycle > t->now ? cycle : t->now);
}

/* ---------------------------------------------------------------- outside of time */

static void flush_bank(struct weft_timed *t, unsigned index)
{
  struct weft_timed_l2 *u = &t->l2[index];
  struct weft_l2_event in = { .kind = WEFT_L2_EVENT_KIND_FLUSH };
  struct weft_mem_rsp none;
  for (uint64_t set = 0; set < t->config.l2_sets; set++) {
    for (unsigned way = 0; way < t->config.l2_ways; way++) {
      in.req.address = set;
      in.way = (uint8_t)way;
      if (weft_l2_step(u->state, &in, &u->c, &u->dir) || !u->c.sent_mem)
        continue;
      weft_count_l2(t->counters + index / t->banks * t->per_node, &in, &u->c, &u->dir, index / t->banks,
                    t->nodes);
      weft_memory_step(t->bytes[index / t->banks], &u->c.out_mem, &none);
    }
  }
}

void weft_timed_flush(struct weft_timed *t)
{
  for (unsigned i = 0; i < t->nodes * t->banks; i++)
    flush_bank(t, i);
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
    values[n * t->per_node + WEFT_COUNTER_LINK_BUSY] = t->up[n].busy;
  }
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
