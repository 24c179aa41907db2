/* SPDX-License-Identifier: Apache-2.0 */
/* A matrix times a vector, the two ways in which a GPU's threads walk through a matrix that lies row by row. */
#ifndef WEFT_MATVEC_H
#define WEFT_MATVEC_H

#include "fields.h"

/* A thread per row: sum = M v. Neighbouring threads read different lines at every step, and each line 16 times. */
void weft_rows_times(struct weft_warp *t, weft_address matrix, uint64_t side, weft_address vector,
                     struct weft_chunk rows, float sum[WEFT_CHUNK]);
/* A thread per column: sum += M^T v, `sum` in the order of the rows. Neighbouring threads read one line. */
void weft_columns_times(struct weft_warp *t, weft_address matrix, uint64_t side, weft_address vector,
                        struct weft_chunk columns, float sum[WEFT_CHUNK]);
/* Chunk `index` of a vector; its row is 0. */
uint64_t weft_vector_chunks(uint64_t count);
struct weft_chunk weft_vector_chunk(uint64_t count, uint64_t index);

/* The same in plain C, in the same order of summing. */
void weft_plain_rows_times(const float *matrix, uint64_t side, const float *vector, float *sum);
void weft_plain_columns_times(const float *matrix, uint64_t side, const float *vector, float *sum);

#endif
