/* SPDX-License-Identifier: Apache-2.0 */
/* Which states can a test end in on a machine whose accesses happen one after the other, each thread's in the order of
 * its program? Every interleaving is tried; positions, registers and memory that were met before are not tried again. */
#ifndef WEFT_LITMUS_INTERLEAVE_H
#define WEFT_LITMUS_INTERLEAVE_H

#include "intern.h"
#include "test.h"

#define LITMUS_INTERLEAVINGS 400000u /* states on the way, at most */

enum litmus_interleaved {
  LITMUS_ALL_FOUND,
  LITMUS_TOO_LARGE,
  LITMUS_BY_ADDRESS, /* what the states are depends on where the variables lie */
  LITMUS_NO_MEMORY,
};

/* The states, each a value for everything that is observed, as a run has them; `ends` is opened here, and the caller's
 * to free, whatever the answer is. What the file's filter does not want is left out. */
enum litmus_interleaved weft_litmus_interleave(struct weft_litmus *test, uint32_t limit,
                                               struct weft_intern *ends);
bool weft_litmus_interleave_has(const struct weft_litmus *test, const struct weft_intern *ends,
                                const int64_t *values);

#endif
