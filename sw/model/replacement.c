/* SPDX-License-Identifier: Apache-2.0 */
#include "replacement.h"

void weft_ages_reset(uint8_t *ages, unsigned ways)
{
  for (unsigned w = 0; w < ways; w++)
    ages[w] = (uint8_t)w;
}

void weft_ages_touch(uint8_t *ages, unsigned ways, unsigned way)
{
  uint8_t age = ages[way];
  if (age == 0)
    return;
  for (unsigned w = 0; w < ways; w++)
    ages[w] = (uint8_t)(ages[w] + (ages[w] < age));
  ages[way] = 0;
}

unsigned weft_ages_victim(const uint8_t *ages, unsigned ways, uint32_t valid, int excluded)
{
  uint32_t candidates = (1U << ways) - 1U;
  if (excluded != WEFT_NO_WAY)
    candidates &= ~(1U << excluded);
  uint32_t invalid = candidates & ~valid;
  if (invalid)
    return (unsigned)__builtin_ctz(invalid);
  unsigned victim = (unsigned)__builtin_ctz(candidates);
  for (unsigned w = victim + 1; w < ways; w++)
    if ((candidates >> w & 1U) && ages[w] > ages[victim])
      victim = w;
  return victim;
}
