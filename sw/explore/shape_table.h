/* SPDX-License-Identifier: Apache-2.0 */
#ifndef WEFT_EXPLORE_SHAPE_TABLE_H
#define WEFT_EXPLORE_SHAPE_TABLE_H

#include "shapes.h"

struct explore_row {
  const char *name, *about;
  uint8_t scope;
  enum explore_verdict verdict;
  const char *condition;
  const char *thread[EXPLORE_THREADS];
  bool one_line;
};

extern const struct explore_row weft_explore_rows[];
extern const size_t weft_explore_row_count;

#endif
