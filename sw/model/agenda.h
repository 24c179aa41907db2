/* SPDX-License-Identifier: Apache-2.0 */
/* Which units are to be visited in which cycle. A wheel of the cycles ahead, a set of units in each: waking a
 * unit, and finding the next cycle in which anybody is awake, cost the same however many units there are and
 * however far that cycle is. Waking a unit twice for one cycle is waking it once. */
#ifndef WEFT_AGENDA_H
#define WEFT_AGENDA_H

#include "layout.h"

#define WEFT_NEVER UINT64_MAX
#define WEFT_AGENDA_CYCLES \
  2048U                      /* longer than any latency: only what the host announces lies farther ahead */
#define WEFT_AGENDA_WORDS 8U /* sets of at most 512 units */

struct weft_agenda {
  uint32_t units, words;
  uint32_t summary;                        /* words of `used` that are not 0 */
  uint64_t used[WEFT_AGENDA_CYCLES / 64U]; /* cycles of the wheel in which somebody is awake */
  uint64_t *wheel;                         /* [cycle mod size][word] */
  uint64_t *far;                           /* per unit: its first cycle beyond the wheel, or never */
  uint64_t far_first;
};

bool weft_agenda_new(struct weft_agenda *agenda, unsigned units);
void weft_agenda_free(struct weft_agenda *agenda);
/* Beyond the wheel. */
void weft_agenda_add_far(struct weft_agenda *agenda, unsigned unit, uint64_t cycle);
/* The first cycle from `now` on in which somebody is awake, or never. */
uint64_t weft_agenda_next(const struct weft_agenda *agenda, uint64_t now);
/* Takes out the set of those who are awake in cycle `now`, and says how many they are. */
unsigned weft_agenda_take(struct weft_agenda *agenda, uint64_t now, uint64_t awake[WEFT_AGENDA_WORDS]);

/* `cycle` is not before `now`, and what was due before `now` has been taken out. */
static inline void weft_agenda_add(struct weft_agenda *a, unsigned unit, uint64_t cycle, uint64_t now)
{
  if (cycle - now >= WEFT_AGENDA_CYCLES) {
    weft_agenda_add_far(a, unit, cycle);
    return;
  }
  uint32_t at = (uint32_t)cycle & (WEFT_AGENDA_CYCLES - 1U);
  a->wheel[at * a->words + unit / 64U] |= weft_bit(unit % 64U);
  a->used[at / 64U] |= weft_bit(at % 64U);
  a->summary |= 1U << at / 64U;
}

#endif
