/* SPDX-License-Identifier: Apache-2.0 */
/* The project's one generator of random numbers: SplitMix64 (Steele, Lea and Flood, 2014).
 *
 * A stream is a counter that grows by an odd constant; each number is a fixed mixture of the counter's bits.
 * From one seed every unit (a warp, a graph, a link) gets a stream of its own by its number: the streams
 * start at mixtures of seed and number, 2^64 apart on average. Same seed, same numbers, on every machine. */
#ifndef WEFT_RANDOM_H
#define WEFT_RANDOM_H

#include <stdint.h>

struct weft_random {
  uint64_t state;
};

static inline uint64_t weft_random_mix(uint64_t z)
{
  z = (z ^ (z >> 30)) * UINT64_C(0xbf58476d1ce4e5b9);
  z = (z ^ (z >> 27)) * UINT64_C(0x94d049bb133111eb);
  return z ^ (z >> 31);
}

static inline struct weft_random weft_random_stream(uint64_t seed, uint64_t unit)
{
  uint64_t state = weft_random_mix(seed + UINT64_C(0x9e3779b97f4a7c15));
  return (
    struct weft_random){ weft_random_mix(state ^ weft_random_mix(unit + UINT64_C(0xd1b54a32d192ed03))) };
}

static inline uint64_t weft_random_next(struct weft_random *r)
{
  r->state += UINT64_C(0x9e3779b97f4a7c15);
  return weft_random_mix(r->state);
}

/* From 0 to below - 1. The multiplication's bias is below 2^-32 for all that is asked for here. */
static inline uint32_t weft_random_below(struct weft_random *r, uint32_t below)
{
  return (uint32_t)(((weft_random_next(r) >> 32) * below) >> 32);
}

#endif
