/* SPDX-License-Identifier: Apache-2.0 */
#ifndef WEFT_EXPLORE_JUDGE_H
#define WEFT_EXPLORE_JUDGE_H

#include "search.h"

/* Whether the shape's condition holds of an outcome. */
bool weft_explore_condition(const struct weft_explore_shape *shape, const struct explore_outcome *outcome);

/* NULL, or why the memory model forbids the outcome. `placement` tells who is in whose scope. */
const char *weft_explore_judge(const struct weft_explore_shape *shape,
                               const struct explore_placement *placement,
                               const struct explore_outcome *outcome);
/* NULL, or that no sequentially consistent machine could have it. */
const char *weft_explore_judge_sequential(const struct weft_explore_shape *shape,
                                          const struct explore_outcome *outcome);

#endif
