/* SPDX-License-Identifier: Apache-2.0 */
/* What the unit tests of the model share. */
#ifndef WEFT_TEST_UNITS_H
#define WEFT_TEST_UNITS_H

#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdlib.h>
#include <string.h>

#include <cmocka.h>

#include "weft_configs.h"
#include "weft_formats.h"

/* A named configuration; the test fails if there is none of that name. */
struct weft_config test_config(const char *name);

static inline uint64_t test_address(unsigned home, uint64_t offset)
{
  return (uint64_t)home << 36 | offset;
}

/* A deterministic generator (xorshift64*). */
static inline uint64_t test_random(uint64_t *state)
{
  *state ^= *state >> 12;
  *state ^= *state << 25;
  *state ^= *state >> 27;
  return *state * UINT64_C(0x2545f4914f6cdd1d);
}

#endif
