/* SPDX-License-Identifier: Apache-2.0 */
/* Bad wires: at random, or cut for a while. What happens is a function of seed, link and cycle alone. */
#include <stdio.h>

#include "random.h"
#include "verilated_parts.h"

/* weft_frame_pkg::noise_t */
#define FLIP (1U << 21)
#define FLIP_AT 11U
#define FLIP_BITS 10U
#define DROP (1U << 10)
#define REPEATS (1U << 9)
#define LATE (1U << 8)
#define SIDE_DROP (1U << 7)
#define SIDE_FLIP (1U << 6)
#define SIDE_BITS 6U

#define MILLION 1000000U

static uint64_t random_of(uint64_t seed, unsigned link, uint64_t cycle)
{
  return weft_random_mix(seed + UINT64_C(0x9e3779b97f4a7c15) * (cycle * 64 + link + 1));
}

static uint32_t misfortune(uint64_t bits)
{
  switch (bits % 6) {
  case 0:
    return DROP;
  case 1:
    return REPEATS;
  case 2:
    return LATE;
  case 3:
    return SIDE_DROP;
  case 4:
    return SIDE_FLIP | (uint32_t)(bits >> 8 & ((1U << SIDE_BITS) - 1U));
  default:
    return FLIP | (uint32_t)(bits >> 8 & ((1U << FLIP_BITS) - 1U)) << FLIP_AT;
  }
}

static uint32_t of_link(const struct weft_backend_options *o, unsigned link, uint64_t cycle)
{
  if (o->cut_cycles && link == o->cut_link && cycle >= o->cut_from && cycle - o->cut_from < o->cut_cycles)
    return DROP | SIDE_DROP;
  uint64_t bits = o->noise ? random_of(o->seed, link, cycle) : 0;
  return o->noise && bits % MILLION < o->noise ? misfortune(bits / MILLION) : 0;
}

void weft_rtl_noise(struct weft_backend *b)
{
  if (!b->options.noise && !b->options.cut_cycles)
    return;
  for (unsigned l = 0; l < 2U * b->options.config.nodes; l++)
    weft_shim_noise(b->shim, l, of_link(&b->options, l, b->now));
}

int weft_rtl_links(struct weft_backend *b, struct weft_backend_error *e)
{
  uint64_t down = weft_shim_links_down(b->shim);
  if (!down)
    return WEFT_BACKEND_OK;
  unsigned link = (unsigned)__builtin_ctzll(down), nodes = (unsigned)b->options.config.nodes;
  char name[48];
  snprintf(name, sizeof name, link < nodes ? "node%u -> switch" : "switch -> node%u", link % nodes);
  snprintf(e->text, sizeof e->text,
           "link %s is down at cycle %llu: replays and retraining did not help\n"
           "%s",
           name, (unsigned long long)b->now,
           b->options.noise || b->options.cut_cycles
             ? "less --noise, a shorter --cut, or a larger link.timeout or link.retrains may help"
             : "its wire loses what it is given");
  return WEFT_BACKEND_LINK_DOWN;
}
