/* SPDX-License-Identifier: Apache-2.0 */
/* What an access costs on an idle machine, in cycles, as the warp that waits for it sees it:
 *   make && ./latency rtl:quad */
#include <inttypes.h>
#include <stdio.h>
#include <weft/weft.h>

enum { STEPS = 12 };
struct job {
  weft_address own, other; /* a page of node 0, where the warp runs, and one of node 1 */
  uint64_t cycles[STEPS];
};
static const char *const steps[STEPS] = {
  "load, own memory",
  "load again: in the L1",
  "strong load: in the L2",
  "load, another node's memory",
  "load again: in the L1",
  "strong load: copy in the own L2",
  "load, in the other node's L2",
  "atomic, own line in the L2",
  "atomic, line in the other node's L2",
  "store to the other node",
  "release (sys) after it",
  "release (sys) after a store that takes a third node's copy away",
};

#define STRONG WEFT_RELAXED, WEFT_SYS
#define COST(access) (start = weft_cycle(t), (access), *cycles++ = weft_cycle(t) - start)

static void kernel(struct weft_warp *t, void *arg)
{
  struct job *j = arg;
  const struct weft_place *me = weft_where(t);
  const unsigned line = me->line;
  uint64_t value, start, *cycles = j->cycles;
  if (me->node == me->nodes - 1 && !me->cu && !me->warp)
    weft_load64(t, j->other + 2 * line); /* the third node's copy */
  if (me->index)
    return;
  weft_compute(t, 2000); /* until everybody else has ended */
  COST(weft_load64(t, j->own));
  COST(weft_load64(t, j->own));
  COST(weft_load(t, j->own, &value, 8, STRONG));
  COST(weft_load64(t, j->other));
  COST(weft_load64(t, j->other));
  COST(weft_load(t, j->other, &value, 8, STRONG));
  weft_rmw(t, WEFT_ADD, j->other + line, 8, 1, 0, STRONG); /* brings the line into its home's L2 */
  COST(weft_load64(t, j->other + line));
  COST(weft_rmw(t, WEFT_ADD, j->own, 8, 1, 0, STRONG));
  COST(weft_rmw(t, WEFT_ADD, j->other, 8, 1, 0, STRONG));
  COST(weft_store64(t, j->other, 1));
  COST(weft_fence(t, WEFT_RELEASE, WEFT_SYS));
  weft_store64(t, j->other + 2 * line, 1);
  COST(weft_fence(t, WEFT_RELEASE, WEFT_SYS));
}

int main(int argc, char **argv)
{
  struct job j;
  struct weft *w = weft_new();
  if (!w || weft_open(w, argc > 1 ? argv[1] : "model:quad", NULL) || weft_alloc(w, 4096, 0, &j.own) ||
      weft_alloc(w, 4096, 1, &j.other) || weft_launch(w, kernel, &j)) {
    fprintf(stderr, "latency: %s\n", w ? weft_message(w) : "out of memory");
    weft_free(w);
    return 1;
  }
  for (unsigned i = 0; i < STEPS; i++)
    printf("%6" PRIu64 "  %s\n", j.cycles[i], steps[i]);
  weft_free(w);
  return 0;
}
