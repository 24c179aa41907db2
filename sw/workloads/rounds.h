/* SPDX-License-Identifier: Apache-2.0 */
/* Rounds that end when nobody has changed anything in the last one. How much was changed is counted by atomics, in three
 * counters by turns: one is being counted, one read, one cleared. */
#ifndef WEFT_ROUNDS_H
#define WEFT_ROUNDS_H

#include "job.h"

int weft_rounds_array(struct weft_job *job, weft_address *counters);
/* Every warp, with what it changed. A barrier; then: did anybody change anything? */
bool weft_round_ends(struct weft_warp *t, weft_address counters, uint64_t round, uint64_t changed);

#endif
