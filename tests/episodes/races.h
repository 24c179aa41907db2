/* SPDX-License-Identifier: Apache-2.0 */
/* Whether a plan has data races, and whether its loads expect what they must see: found from its episodes, waits and
 * scopes alone, by going through all that is before what. The planner's own clocks and tables are not asked. */
#ifndef WEFT_RACES_H
#define WEFT_RACES_H

#include "episodes.h"

/* NULL, or what is wrong, which lives until the next call. */
const char *races_find(const struct weft_plan *p);
/* Pairs of episodes of different warps that share a line without an order between them, one of them writing it: what
 * the tester is for. */
size_t races_concurrent_pairs(const struct weft_plan *p);

#endif
