/* SPDX-License-Identifier: Apache-2.0 */
/* Workloads whose data are arrays of 4-byte numbers: matrices, vectors, grids. Such a workload is a kernel and the plain
 * C of the same algorithm; what lies before, between and after is done here. */
#ifndef WEFT_FIELDS_H
#define WEFT_FIELDS_H

#include "job.h"

#define WEFT_CHUNK 16u /* numbers that a warp has in hand: a line of 64 bytes */

struct weft_field {
  const char *name;
  uint64_t count;
  enum { WEFT_FIELD_ZERO, WEFT_FIELD_REALS, WEFT_FIELD_WHOLES } begins; /* reals: -8 to 8; wholes: 0 to 255 */
  float *reals;     /* the host's copy, which the plain run changes; */
  uint32_t *wholes; /* one of the two */
  weft_address at;
};

#define WEFT_REALS(title, numbers) { .name = (title), .count = (numbers), .begins = WEFT_FIELD_REALS }
#define WEFT_WHOLES(title, numbers) { .name = (title), .count = (numbers), .begins = WEFT_FIELD_WHOLES }
#define WEFT_ZEROS(title, numbers) { .name = (title), .count = (numbers) }

struct weft_fields {
  struct weft_field *field;
  size_t count;
  weft_kernel kernel;
  void (*prepare)(void *arg); /* changes what the fields begin with; may be NULL */
  void (*plain)(void *arg);   /* on the host's copies */
  void *arg;                  /* of all three */
};
/* Makes the fields, launches the kernel, runs the plain C and compares every field. */
int weft_fields_run(struct weft_job *job, const struct weft_fields *fields);
/* For two grids that take turns: both begin alike, so that both have the edge, which nobody writes. */
void weft_fields_copy(struct weft_field *to, const struct weft_field *from);

/* ---- Squares ----------------------------------------------------------------------------------------- */
/* The job's size, or the largest up to `wanted` whose square takes at most half of the memory, in steps of 8. */
int weft_fields_side(struct weft_job *job, uint64_t wanted, uint64_t bytes_per_point, uint64_t least,
                     uint64_t most);

/* Up to WEFT_CHUNK points of one row of a square grid. */
struct weft_chunk {
  uint64_t row, first;
  unsigned n;
};
/* Chunk `index` of the points that lie `border` inside the edge, cut at multiples of WEFT_CHUNK columns, as a GPU's
 * threads lie: row after row, or stripe after stripe, each from its top
 * to its bottom. */
uint64_t weft_chunks_of(uint64_t side, uint64_t border);
struct weft_chunk weft_chunk_at(uint64_t side, uint64_t border, uint64_t index, bool stripes);
/* The chunk of a grid with all points around it: `window` is three rows of WEFT_WINDOW numbers. */
#define WEFT_WINDOW (WEFT_CHUNK + 2)
void weft_load_window(struct weft_warp *t, weft_address grid, uint64_t side, struct weft_chunk c,
                      void *window);

/* ---- Stores of some lanes ---------------------------------------------------------------------------- */
/* Of up to WEFT_CHUNK numbers side by side, stores those whose bit in `lanes` is set: a store per line. */
void weft_store_lanes(struct weft_warp *t, weft_address a, const uint32_t *value, unsigned lanes);

#endif
