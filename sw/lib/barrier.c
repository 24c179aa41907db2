/* SPDX-License-Identifier: Apache-2.0 */
/* Barriers, waits and locks, made of the fabric's own atomics: those are performed at the home of their
 * address and never see an old value, so that all of this also ends on a fabric without coherence. */
#include "run.h"

/* The barrier has two levels, so that waiting stays inside a node. Per node, in its own memory:
 *   + 0    warps that came, counted on for ever
 *   + 128  barriers that are open, likewise
 *   + 256  (node 0 only) nodes that came
 * A warp releases to its node and counts itself. The last one of a node releases to the system: that covers
 * what its node wrote and has seen. The last node opens the barrier everywhere. */
enum { CAME = 0, OPENED = 128, NODES = 256 };
_Static_assert(NODES + 128 <= WEFT_BARRIER_BYTES, "the barrier's variables do not fit");

#define SPIN_FIRST 16u
#define SPIN_LAST 256u

uint64_t weft_barrier_kept(const struct weft_config *c)
{
  uint64_t sharing = c->memories ? (c->nodes - 1) / c->memories : 1;
  return (WEFT_BARRIER_BYTES * sharing + c->page - 1) / c->page * c->page;
}

uint64_t weft_barrier_base(const struct weft *w, unsigned node)
{
  unsigned memories = (unsigned)w->config.memories, home = node, place = 0;
  if (memories) { /* on the switch: several nodes may share one */
    home = (unsigned)w->config.nodes - memories + node % memories;
    place = node / memories;
  }
  uint64_t top = w->config.memory_bytes - weft_barrier_kept(&w->config);
  return ((uint64_t)home << WEFT_NODE_SHIFT) | (top + (uint64_t)place * WEFT_BARRIER_BYTES);
}

static weft_address variable(const struct weft_warp *t, unsigned node, unsigned which)
{
  return WEFT_PHYSICAL(weft_barrier_base(t->run->w, node) + which);
}

static uint64_t count_up(struct weft_warp *t, weft_address a, enum weft_memory_scope scope)
{
  return weft_rmw(t, WEFT_ADD, a, 8, 1, 0, WEFT_RELAXED, scope) + 1;
}

static bool met(uint64_t seen, unsigned condition, uint64_t value)
{
  return condition == WEFT_EQUAL       ? seen == value
         : condition == WEFT_NOT_EQUAL ? seen != value
                                       : seen >= value;
}

static void begin_spin(struct weft_warp *t, weft_address a, unsigned condition, uint64_t value)
{
  t->spin = (struct weft_spin){
    .on = true, .address = a, .value = value, .since = t->now, .condition = (uint8_t)condition
  };
}

static void end_spin(struct weft_warp *t)
{
  t->spin.on = false;
  t->run->progress = t->run->cycle;
}

uint64_t weft_await(struct weft_warp *t, weft_address a, size_t bytes, enum weft_condition condition,
                    uint64_t value, enum weft_memory_scope scope)
{
  begin_spin(t, a, condition, value);
  uint64_t pause = SPIN_FIRST, seen;
  for (;;) {
    seen = weft_rmw(t, WEFT_OR, a, bytes, 0, 0, WEFT_RELAXED, scope);
    if (met(seen, condition, value))
      break;
    weft_pause(t, pause);
    if (pause < SPIN_LAST)
      pause *= 2;
  }
  end_spin(t);
  weft_fence(t, WEFT_ACQUIRE, scope);
  return seen;
}

void weft_lock(struct weft_warp *t, weft_address a, enum weft_memory_scope scope)
{
  begin_spin(t, a, WEFT_EQUAL, 0);
  uint64_t pause = SPIN_FIRST;
  while (weft_rmw(t, WEFT_CAS, a, 4, 1, 0, WEFT_RELAXED, scope)) {
    /* Warps that ask in step would go on in step. */
    weft_pause(t, pause + t->place.index % SPIN_FIRST);
    if (pause < SPIN_LAST)
      pause *= 2;
  }
  end_spin(t);
  weft_fence(t, WEFT_ACQUIRE, scope);
}

void weft_unlock(struct weft_warp *t, weft_address a, enum weft_memory_scope scope)
{
  weft_rmw(t, WEFT_EXCH, a, 4, 0, 0, WEFT_RELEASE, scope);
}

static void open_everywhere(struct weft_warp *t, uint64_t generation)
{
  for (unsigned n = 0; n < t->place.nodes; n++)
    weft_rmw_async(t, WEFT_MAXU, variable(t, n, OPENED), 8, generation, 0, NULL, WEFT_SYS);
}

/* Everybody has come, and time stands still for all but the one who says so. */
static void all_came(struct weft_warp *t, uint64_t generation)
{
  struct weft_run *run = t->run;
  if (run->exchange && run->exchange == generation - 1)
    weft_exchange_end(run->w, t->now);
  else if (weft_exchange_begin(run->w, t->now))
    run->exchange = generation;
}

static uint64_t cross(struct weft_warp *t)
{
  const struct weft_place *p = &t->place;
  uint64_t generation = t->run->w->barriers + ++t->barriers;
  weft_fence(t, WEFT_RELEASE, WEFT_GPU);
  if (count_up(t, variable(t, p->node, CAME), WEFT_GPU) == generation * p->cus * p->warps) {
    weft_fence(t, WEFT_RELEASE, WEFT_SYS);
    if (count_up(t, variable(t, 0, NODES), WEFT_SYS) == generation * p->nodes) {
      all_came(t, generation);
      open_everywhere(t, generation);
    }
  }
  weft_await(t, variable(t, p->node, OPENED), 8, WEFT_AT_LEAST, generation, WEFT_SYS);
  return generation;
}

void weft_barrier_scoped(struct weft_warp *t, enum weft_memory_scope scope)
{
  if ((unsigned)scope > WEFT_SYS)
    weft_kernel_fail(t, WEFT_BAD_ARGUMENT, "a barrier of the unknown scope %u", (unsigned)scope);
  if (t->run->w->barrier_launches) {
    weft_boundary(t, scope);
    return;
  }
  uint64_t generation = cross(t);
  if (t->run->exchange != generation)
    return;
  weft_exchange_copy(t);
  cross(t);
}

void weft_barrier(struct weft_warp *t)
{
  weft_barrier_scoped(t, WEFT_SYS);
}
