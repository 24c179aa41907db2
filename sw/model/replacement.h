/* SPDX-License-Identifier: Apache-2.0 */
/* Which way of a set goes: ages, 0 the youngest. At reset a way's age is its own number. */
#ifndef WEFT_REPLACEMENT_H
#define WEFT_REPLACEMENT_H

#include <stdint.h>

#define WEFT_NO_WAY (-1)

void weft_ages_reset(uint8_t *ages, unsigned ways);

/* Every way younger than `way` grows one older, `way` becomes the youngest. */
void weft_ages_touch(uint8_t *ages, unsigned ways, unsigned way);

/* The lowest invalid way, else the oldest; never `excluded` (WEFT_NO_WAY: all may go). */
unsigned weft_ages_victim(const uint8_t *ages, unsigned ways, uint32_t valid, int excluded);

#endif
