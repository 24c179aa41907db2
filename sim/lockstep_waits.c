/* SPDX-License-Identifier: Apache-2.0 */
/* What waits for what, read off the models: for the report of a run that makes no progress. */
#include <inttypes.h>
#include <stdarg.h>
#include <stdio.h>

#include "lockstep_parts.h"

struct sink {
  char *text;
  size_t size, used;
};

static void say(struct sink *s, const char *format, ...) __attribute__((format(printf, 2, 3)));

static void say(struct sink *s, const char *format, ...)
{
  va_list arguments;
  va_start(arguments, format);
  if (s->used < s->size) {
    int n = vsnprintf(s->text + s->used, s->size - s->used, format, arguments);
    s->used += n > 0 ? (size_t)n : 0;
  }
  va_end(arguments);
}

static const char *const orders[8] = WEFT_ORDER_NAMES, *const scopes[4] = WEFT_SCOPE_NAMES;

/* Numbers beyond the names' ends are the RTL's to show. */
static const char *name(const char *known)
{
  return known ? known : "unknown";
}

static void say_l1(struct sink *s, const struct weft_l1 *l, unsigned node)
{
  for (uint64_t used = l->miss_used; used; used &= used - 1) {
    unsigned m = weft_lowest(used);
    say(s, "node%u.cu%u.l1: %d operations wait for the L2's answer to miss %u of line 0x%" PRIx64 "\n", node,
        l->cu, __builtin_popcountll(weft_l1_misses(l)[m].waiters), m, weft_l1_misses(l)[m].line);
  }
  for (unsigned w = 0; w < l->warps; w++) {
    const struct weft_l1_warp *warp = &weft_l1_warps(l)[w];
    if (!warp->pending)
      continue;
    say(s, "node%u.cu%u.l1: fence %s.%s of warp %u waits for ", node, l->cu, name(orders[warp->order]),
        name(scopes[warp->scope]), w);
    if (warp->loads)
      say(s, "%u of its warp's own operations\n", warp->loads);
    else if (warp->awaited)
      say(s, "%u L2 banks\n", warp->awaited);
    else
      say(s, "its turn\n");
  }
}

static void say_fills(struct sink *s, const struct weft_l2 *l)
{
  for (uint64_t used = l->miss_used; used; used &= used - 1) {
    unsigned m = weft_lowest(used);
    const struct weft_l2_miss *miss = &weft_l2_misses(l)[m];
    say(s, "node%u.l2 bank %u: %d reads wait for node%u to answer miss %u (%s) of line 0x%" PRIx64 "\n",
        l->self, l->bank, __builtin_popcountll(miss->waiters), weft_home_of(miss->line), m,
        l->miss_open & weft_bit(m) ? "open" : "closed", miss->line);
  }
  for (uint64_t used = l->fetch_used; used; used &= used - 1) {
    unsigned f = weft_lowest(used);
    bool replay = l->replay_full && l->replay_fetch == f;
    say(s, "node%u.home bank %u: requests wait for %s fetch %u of line 0x%" PRIx64 "\n", l->self, l->bank,
        replay ? "their replay from" : "memory's answer to", f, weft_l2_fetches(l)[f].line);
  }
}

static void say_releases(struct sink *s, const struct weft_l2 *l)
{
  for (uint64_t used = l->release_used; used; used &= used - 1) {
    unsigned r = weft_lowest(used);
    const struct weft_l2_release *release = &weft_l2_releases(l)[r];
    say(s, "node%u.l2 bank %u: release %u of cu%u warp %u waits for %u acknowledgements", l->self, l->bank, r,
        release->cu, release->id, release->remaining);
    if (release->homes)
      say(s, ", and has not sent its marker to %d homes", __builtin_popcount(release->homes));
    say(s, "\n");
  }
  for (uint64_t used = l->marker_used; used; used &= used - 1) {
    const struct weft_l2_marker *m = &weft_l2_markers(l)[weft_lowest(used)];
    say(s, "node%u.home bank %u: marker of node%u release %u waits for %d fetches\n", l->self, l->bank,
        m->src, m->id, __builtin_popcount(m->fetches));
  }
  if (l->half_full)
    say(s, "node%u.l2 bank %u: home node%u has not been told of a mark\n", l->self, l->bank, l->half_home);
}

static void say_rings(struct sink *s, const struct weft_lockstep *k)
{
  static const char *const classes[] = { "requests", "forwards", "responses" };
  struct weft_ring *const rings[] = { k->request, k->forward, k->response };
  for (unsigned class = 0; class < 3; class++)
    for (unsigned i = 0; i < k->nodes * k->nodes * k->banks; i++)
      if (rings[class][i].count)
        say(s, "network: %u %s from node%u to node%u bank %u\n", rings[class][i].count, classes[class],
            i / k->banks / k->nodes, i / k->banks % k->nodes, i % k->banks);
  for (unsigned i = 0; i < k->nodes * k->cus * k->banks; i++) {
    unsigned node = i / k->banks / k->cus, cu = i / k->banks % k->cus;
    if (k->to_l2[i].count)
      say(s, "node%u.cu%u: %u requests wait for L2 bank %u\n", node, cu, k->to_l2[i].count, i % k->banks);
    if (k->to_l1[i].count)
      say(s, "node%u.cu%u: %u responses of L2 bank %u wait for the L1\n", node, cu, k->to_l1[i].count,
          i % k->banks);
  }
  for (unsigned i = 0; i < k->nodes * k->banks; i++)
    if (k->from_memory[i].count)
      say(s, "node%u.memory bank %u: %u answers\n", i / k->banks, i % k->banks, k->from_memory[i].count);
  for (unsigned i = 0; i < k->nodes * k->cus; i++)
    if (k->issued[i].count)
      say(s, "node%u.cu%u: %u operations taken by the port wait for the L1\n", i / k->cus, i % k->cus,
          k->issued[i].count);
}

void weft_lockstep_waits(const struct weft_lockstep *k, char *text, size_t size)
{
  struct sink s = { .text = text, .size = size };
  if (size)
    text[0] = 0;
  for (unsigned i = 0; i < k->nodes * k->cus; i++)
    say_l1(&s, k->l1[i], i / k->cus);
  for (unsigned i = 0; i < k->nodes * k->banks; i++) {
    say_fills(&s, k->l2[i]);
    say_releases(&s, k->l2[i]);
  }
  say_rings(&s, k);
  if (s.used == 0)
    say(&s, "nothing waits inside the fabric\n");
  if (s.used < s.size && s.used && text[s.used - 1] == '\n')
    text[s.used - 1] = 0;
}
