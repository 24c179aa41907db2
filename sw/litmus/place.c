/* SPDX-License-Identifier: Apache-2.0 */
/* Where threads run and where variables lie. */
#include <stdio.h>
#include <string.h>

#include "runner.h"

/* ---- Does it fit at all? ----------------------------------------------------------------------------- */

static bool same_gpu(const struct litmus_thread *a, const struct litmus_thread *b)
{
  return a->gpu == b->gpu;
}

static bool same_cta(const struct litmus_thread *a, const struct litmus_thread *b)
{
  return a->gpu == b->gpu && a->cta == b->cta;
}

/* The largest number of warps on a CU, CUs on a node, and nodes that the file's tree needs. */
static void measure(const struct weft_litmus *t, unsigned *warps, unsigned *cus, unsigned *nodes)
{
  *warps = *cus = *nodes = 0;
  for (unsigned i = 0; i < t->threads; i++) {
    unsigned in_cta = 0, in_gpu = 0;
    bool first_of_gpu = true;
    for (unsigned k = 0; k < t->threads; k++) {
      bool first_of_cta = true;
      in_cta += same_cta(&t->thread[k], &t->thread[i]);
      for (unsigned j = 0; j < k; j++)
        first_of_cta = first_of_cta && !same_cta(&t->thread[j], &t->thread[k]);
      in_gpu += first_of_cta && same_gpu(&t->thread[k], &t->thread[i]);
      first_of_gpu = first_of_gpu && (k >= i || !same_gpu(&t->thread[k], &t->thread[i]));
    }
    *warps = in_cta > *warps ? in_cta : *warps;
    *cus = in_gpu > *cus ? in_gpu : *cus;
    *nodes += first_of_gpu;
  }
}

bool weft_litmus_fits(const struct litmus_run *r, char *reason, size_t bytes)
{
  const struct weft_litmus *t = r->test;
  const struct weft_machine *m = &r->machine;
  unsigned warps, cus, nodes;
  measure(t, &warps, &cus, &nodes);
  if (t->threads > m->nodes * m->cus * m->warps)
    snprintf(reason, bytes, "%u threads; the machine has %u warps", t->threads, m->nodes * m->cus * m->warps);
  else if (r->place == WEFT_LITMUS_ONE_CTA && t->threads > m->warps)
    snprintf(reason, bytes, "%u threads; a CU of the machine has %u warps", t->threads, m->warps);
  else if (r->place == WEFT_LITMUS_ONE_GPU && t->threads > m->cus * m->warps)
    snprintf(reason, bytes, "%u threads; a node of the machine has %u warps", t->threads, m->cus * m->warps);
  else if (r->place == WEFT_LITMUS_BY_FILE && warps > m->warps)
    snprintf(reason, bytes, "%u threads in one CTA; a CU of the machine has %u warps", warps, m->warps);
  else if (r->place == WEFT_LITMUS_BY_FILE && cus > m->cus)
    snprintf(reason, bytes, "%u CTAs on one GPU; a node of the machine has %u CUs", cus, m->cus);
  else if (r->place == WEFT_LITMUS_BY_FILE && nodes > m->nodes)
    snprintf(reason, bytes, "%u GPUs; the machine has %u nodes", nodes, m->nodes);
  else
    reason[0] = 0;
  for (unsigned i = 0; i < t->locations && !reason[0]; i++)
    if (weft_litmus_location_bytes(t, i) > m->line)
      snprintf(reason, bytes, "%.40s has %u bytes; a line has %u", t->location[i].name,
               weft_litmus_location_bytes(t, i), m->line);
  return !reason[0];
}

/* ---- Threads ----------------------------------------------------------------------------------------- */

/* One of the `count` warps from `first` on that is neither used nor taken. */
static bool draw(struct weft_random *random, const bool *used, const unsigned *taken, unsigned takens,
                 unsigned first, unsigned count, unsigned *warp)
{
  unsigned start = weft_random_below(random, count);
  for (unsigned i = 0; i < count; i++) {
    unsigned at = first + (start + i) % count;
    bool free = !used[at];
    for (unsigned k = 0; k < takens && free; k++)
      free = taken[k] != at;
    if (free) {
      *warp = at;
      return true;
    }
  }
  return false;
}

/* The unit (node, or CU of a node) of an earlier thread that belongs with this one; else one that no other has. */
static unsigned unit_for(struct weft_random *random, unsigned units, const int *of, unsigned threads,
                         int with)
{
  if (with >= 0)
    return (unsigned)of[with];
  unsigned start = weft_random_below(random, units);
  for (unsigned i = 0; i < units; i++) {
    unsigned unit = (start + i) % units;
    bool free = true;
    for (unsigned k = 0; k < threads; k++)
      free = free && of[k] != (int)unit;
    if (free)
      return unit;
  }
  return start;
}

static bool by_file(const struct litmus_run *r, struct weft_random *random, const bool *used, unsigned *warp)
{
  const struct weft_litmus *t = r->test;
  const struct weft_machine *m = &r->machine;
  int node[LITMUS_THREADS], cu[LITMUS_THREADS];
  for (unsigned i = 0; i < t->threads; i++) {
    int gpu_mate = -1, cta_mate = -1, near[LITMUS_THREADS];
    for (unsigned k = 0; k < i; k++) {
      gpu_mate = same_gpu(&t->thread[k], &t->thread[i]) ? (int)k : gpu_mate;
      cta_mate = same_cta(&t->thread[k], &t->thread[i]) ? (int)k : cta_mate;
    }
    node[i] = (int)unit_for(random, m->nodes, node, i, gpu_mate);
    for (unsigned k = 0; k < i; k++)
      near[k] = node[k] == node[i] ? cu[k] : -1;
    cu[i] = (int)(cta_mate >= 0 ? (unsigned)cu[cta_mate] : unit_for(random, m->cus, near, i, -1));
    unsigned first = ((unsigned)node[i] * m->cus + (unsigned)cu[i]) * m->warps;
    if (!draw(random, used, warp, i, first, m->warps, &warp[i]))
      return false;
  }
  return true;
}

static enum weft_litmus_place draw_style(const struct litmus_run *r, struct weft_random *random)
{
  static const enum weft_litmus_place styles[] = { WEFT_LITMUS_RANDOM,  WEFT_LITMUS_RANDOM,
                                                   WEFT_LITMUS_SPREAD,  WEFT_LITMUS_SPREAD,
                                                   WEFT_LITMUS_SPREAD,  WEFT_LITMUS_ONE_GPU,
                                                   WEFT_LITMUS_ONE_GPU, WEFT_LITMUS_ONE_CTA };
  if (r->place != WEFT_LITMUS_MIXED)
    return r->place;
  enum weft_litmus_place style = styles[weft_random_below(random, sizeof styles / sizeof *styles)];
  unsigned threads = r->test->threads;
  bool fits = style == WEFT_LITMUS_ONE_CTA   ? threads <= r->machine.warps
              : style == WEFT_LITMUS_ONE_GPU ? threads <= r->machine.cus * r->machine.warps
                                             : true;
  return fits ? style : WEFT_LITMUS_RANDOM;
}

bool weft_litmus_place_threads(const struct litmus_run *r, struct weft_random *random, const bool *used,
                               unsigned *warp)
{
  const struct weft_machine *m = &r->machine;
  unsigned per_node = m->cus * m->warps, all = m->nodes * per_node;
  enum weft_litmus_place style = draw_style(r, random);
  if (style == WEFT_LITMUS_BY_FILE)
    return by_file(r, random, used, warp);
  unsigned node = weft_random_below(random, m->nodes), cu = weft_random_below(random, m->cus);
  for (unsigned i = 0; i < r->test->threads; i++) {
    unsigned first = 0, count = all;
    if (style == WEFT_LITMUS_SPREAD) {
      first = (node + i) % m->nodes * per_node;
      count = per_node;
    } else if (style == WEFT_LITMUS_ONE_GPU) {
      first = node * per_node + (cu + i) % m->cus * m->warps;
      count = m->warps;
    } else if (style == WEFT_LITMUS_ONE_CTA) {
      first = node * per_node + cu * m->warps;
      count = m->warps;
    }
    if (!draw(random, used, warp, i, first, count, &warp[i]))
      return false;
  }
  return true;
}

/* ---- Variables --------------------------------------------------------------------------------------- */

static bool take_line(struct litmus_run *r, unsigned node, weft_address *line)
{
  for (unsigned i = 0; i < r->machine.nodes; i++) {
    struct litmus_area *area = &r->area[(node + i) % r->machine.nodes];
    if (area->taken < area->lines) {
      *line = area->base + (uint64_t)area->line[area->taken++] * r->machine.line;
      return true;
    }
  }
  return false;
}

/* Homes are often where the threads are: of an access that is near and one that is far the later may be the first. */
static unsigned draw_home(const struct litmus_run *r, struct weft_random *random, const unsigned *warp)
{
  unsigned of = warp[weft_random_below(random, r->test->threads)] / (r->machine.cus * r->machine.warps);
  return weft_random_below(random, 2) ? of : weft_random_below(random, r->machine.nodes);
}

/* Half of the instances have a line for each variable; in the others some or all share one, as far as they fit. */
bool weft_litmus_place_variables(struct litmus_run *r, struct weft_random *random, const unsigned *warp,
                                 struct litmus_instance *instance)
{
  const struct weft_litmus *t = r->test;
  unsigned share = weft_random_below(random, 4);
  bool one_home = !weft_random_below(random, 8);
  unsigned home = weft_random_below(random, r->machine.nodes);
  weft_address line = 0;
  unsigned used = r->machine.line;
  for (unsigned i = 0; i < t->locations; i++) {
    unsigned bytes = (weft_litmus_location_bytes(t, i) + 7) & ~7u;
    bool joins = share == 3 || (share == 2 && weft_random_below(random, 2));
    if (!joins || used + bytes > r->machine.line) {
      if (!take_line(r, one_home ? home : draw_home(r, random, warp), &line))
        return false;
      unsigned left = r->machine.line > bytes ? (r->machine.line - bytes) / 8 : 0;
      used = share >= 2 ? 0 : 8 * weft_random_below(random, left + 1);
    }
    instance->address[i] = line + used;
    used += bytes;
  }
  return true;
}

/* ---- Addresses --------------------------------------------------------------------------------------- */

bool weft_litmus_reaches(const struct weft_litmus *t, const struct litmus_instance *in, uint64_t address,
                         const struct litmus_instruction *i, unsigned *location)
{
  bool anywhere = i->op != LITMUS_RMW && i->op != LITMUS_CONDITIONAL;
  for (unsigned k = 0; k < t->locations; k++) {
    uint64_t from = in->address[k], bytes = weft_litmus_location_bytes(t, k);
    if (address >= from && address - from < bytes && address - from + i->bytes <= bytes) {
      *location = k;
      return anywhere || address % i->bytes == 0;
    }
  }
  return false;
}

int64_t weft_litmus_name_address(const struct weft_litmus *t, const struct litmus_instance *in, int64_t value)
{
  for (unsigned i = 0; i < t->locations; i++) {
    uint64_t offset = (uint64_t)value - in->address[i];
    if (offset < weft_litmus_location_bytes(t, i))
      return litmus_pointer(i, offset);
  }
  return value;
}
