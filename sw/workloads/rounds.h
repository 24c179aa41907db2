/* SPDX-License-Identifier: Apache-2.0 */
/* Rounds that end when nobody has changed anything in the last one. How much was changed is counted by atomics, in three
 * counters by turns: one is being counted, one read, one cleared. With a kernel per round a warp only sets a flag, and the
 * host looks between two kernels, which costs nothing here. */
#ifndef WEFT_ROUNDS_H
#define WEFT_ROUNDS_H

#include "job.h"

#define WEFT_ROUNDS_KEPT 3u

struct weft_rounds {
  weft_address counters;
  bool launches;
  uint64_t host[WEFT_ROUNDS_KEPT]; /* with launches: what the host finds */
};

int weft_rounds_make(struct weft_job *job, struct weft_rounds *r);
/* As many were made as the plain run needs, or an error. */
int weft_rounds_compare(struct weft_job *job, uint64_t made, uint64_t needed);
/* Every warp, with what it changed. A barrier; then: did anybody change anything? */
bool weft_round_ends(struct weft_warp *t, struct weft_rounds *r, uint64_t round, uint64_t changed);

#endif
