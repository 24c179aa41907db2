/* SPDX-License-Identifier: Apache-2.0 */
/* The programs that are explored: a few operations per thread, and the outcome that each is about. */
#ifndef WEFT_EXPLORE_SHAPES_H
#define WEFT_EXPLORE_SHAPES_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "weft_formats.h"

#define EXPLORE_THREADS 4
#define EXPLORE_OPS 6 /* per thread */
#define EXPLORE_VARIABLES 3
#define EXPLORE_REGISTERS 8
#define EXPLORE_NONE (-1)

/* A small value is stored as four equal bytes, so that a lost byte of it shows. */
#define EXPLORE_BYTES UINT32_C(0x01010101)

struct explore_op {
  uint8_t kind; /* enum weft_cu_op */
  uint8_t order, scope, func;
  uint8_t variable;
  uint8_t value, compare; /* small */
  int8_t result;          /* register that a load or atomic fills; EXPLORE_NONE */
  int8_t plus;            /* register that is added to value */
  int8_t guard;           /* done only if this register ... */
  uint8_t guard_value;    /* ... holds this small value */
  char text[28];          /* as it was written */
};

/* Register or final value of a variable, and what it must be. */
struct explore_term {
  bool variable;
  uint8_t index;
  uint8_t value;
};

enum explore_verdict {
  EXPLORE_FORBIDDEN, /* the condition must never hold */
  EXPLORE_SEEN,      /* it is allowed and must be reached, else the explorer is too tame */
  EXPLORE_ALLOWED    /* either way; other outcomes are judged all the same */
};

struct weft_explore_shape {
  const char *name, *about;
  unsigned threads, variables, registers, terms;
  unsigned count[EXPLORE_THREADS];
  struct explore_op op[EXPLORE_THREADS][EXPLORE_OPS];
  uint8_t reg_thread[EXPLORE_REGISTERS], reg_op[EXPLORE_REGISTERS]; /* who fills it */
  struct explore_term term[EXPLORE_REGISTERS];
  const char *condition;
  enum explore_verdict verdict;
  uint8_t scope; /* threads must lie within it */
  bool one_line; /* all variables in one line */
};

size_t weft_explore_shape_count(void);
const char *weft_explore_shape_name(size_t index); /* NULL past the last */
const char *weft_explore_shape_about(size_t index);
/* Reads row `index` of the table; false if the row is malformed (a test reads them all). */
bool weft_explore_shape_read(size_t index, struct weft_explore_shape *shape);
/* The row of that name, or -1. */
int weft_explore_shape_find(const char *name);

static inline uint32_t explore_wide(uint8_t small)
{
  return small * EXPLORE_BYTES;
}

#endif
