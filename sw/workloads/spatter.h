/* SPDX-License-Identifier: Apache-2.0 */
/* Patterns of the Spatter benchmark (Lavin and others, MEMSYS 2020). */
#ifndef WEFT_SPATTER_H
#define WEFT_SPATTER_H

#include "job.h"

enum weft_spatter_kernel { WEFT_GATHER, WEFT_SCATTER, WEFT_GATHER_SCATTER };

/* Iteration i reads (gather) or writes (scatter) elements index[j] + delta * i. Gather-scatter reads from
 * `index` and writes to `to`. The kernels MultiGather and MultiScatter have their two levels of indices made
 * into one. */
struct weft_spatter_pattern {
  enum weft_spatter_kernel kernel;
  uint64_t *index, *to;
  size_t length;
  uint64_t delta, delta_to, count;
};

struct weft_spatter_set {
  struct weft_spatter_pattern *pattern;
  size_t count;
};

#define WEFT_SPATTER_LENGTH_MAX 65536u
#define WEFT_SPATTER_INDEX_MAX UINT32_MAX

int weft_spatter_parse(struct weft *w, const char *name, const char *text, size_t bytes,
                       struct weft_spatter_set *set);
void weft_spatter_free(struct weft_spatter_set *set);

/* spatter_index.c: a list of indices under construction */
struct weft_indices {
  uint64_t *index;
  size_t count, room;
};
struct weft_text_input;
int weft_indices_add(struct weft_text_input *in, struct weft_indices *list, uint64_t index);
/* An array of numbers, or a string: UNIFORM:N:STRIDE, MS1:N:PLACES:GAPS, LAPLACIAN:DIMENSIONS:ORDER:SIDE */
int weft_indices_parse(struct weft_text_input *in, struct weft_indices *list);

#endif
