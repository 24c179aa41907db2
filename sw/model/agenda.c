/* SPDX-License-Identifier: Apache-2.0 */
#include "agenda.h"

#include <stdlib.h>

_Static_assert(WEFT_AGENDA_CYCLES / 64U == 32U, "the summary is a word of 32 bits");

bool weft_agenda_new(struct weft_agenda *a, unsigned units)
{
  a->units = units;
  a->words = (units + 63U) / 64U;
  a->wheel = calloc((size_t)WEFT_AGENDA_CYCLES * a->words, sizeof *a->wheel);
  a->far = calloc(units, sizeof *a->far);
  if (!a->wheel || !a->far || a->words > WEFT_AGENDA_WORDS)
    return false;
  for (unsigned u = 0; u < units; u++)
    a->far[u] = WEFT_NEVER;
  a->far_first = WEFT_NEVER;
  return true;
}

void weft_agenda_free(struct weft_agenda *a)
{
  free(a->wheel);
  free(a->far);
}

void weft_agenda_add_far(struct weft_agenda *a, unsigned unit, uint64_t cycle)
{
  if (cycle < a->far[unit])
    a->far[unit] = cycle;
  if (cycle < a->far_first)
    a->far_first = cycle;
}

uint64_t weft_agenda_next(const struct weft_agenda *a, uint64_t now)
{
  uint32_t from = (uint32_t)now & (WEFT_AGENDA_CYCLES - 1U), word = from / 64U;
  uint64_t here = a->used[word] & ~weft_ones(from % 64U), next = WEFT_NEVER;
  if (!here && a->summary) { /* the next word, around the wheel and back to this one's earlier bits */
    uint32_t behind = a->summary & ~(uint32_t)weft_ones(word + 1U);
    word = weft_lowest(behind ? behind : a->summary);
    here = a->used[word];
  }
  if (here)
    next = now + ((word * 64U + weft_lowest(here) - from) & (WEFT_AGENDA_CYCLES - 1U));
  return next < a->far_first ? next : a->far_first;
}

static void take_far(struct weft_agenda *a, uint64_t now, uint64_t *awake)
{
  a->far_first = WEFT_NEVER;
  for (unsigned u = 0; u < a->units; u++) {
    if (a->far[u] <= now) {
      awake[u / 64U] |= weft_bit(u % 64U);
      a->far[u] = WEFT_NEVER;
    } else if (a->far[u] < a->far_first) {
      a->far_first = a->far[u];
    }
  }
}

unsigned weft_agenda_take(struct weft_agenda *a, uint64_t now, uint64_t awake[WEFT_AGENDA_WORDS])
{
  uint32_t at = (uint32_t)now & (WEFT_AGENDA_CYCLES - 1U);
  uint64_t *units = a->wheel + at * a->words;
  for (unsigned w = 0; w < a->words; w++) {
    awake[w] = units[w];
    units[w] = 0;
  }
  a->used[at / 64U] &= ~weft_bit(at % 64U);
  if (!a->used[at / 64U])
    a->summary &= ~(1U << at / 64U);
  if (a->far_first <= now)
    take_far(a, now, awake);
  unsigned count = 0;
  for (unsigned w = 0; w < a->words; w++)
    count += (unsigned)__builtin_popcountll(awake[w]);
  return count;
}
