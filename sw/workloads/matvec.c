/* SPDX-License-Identifier: Apache-2.0 */
#include "matvec.h"

uint64_t weft_vector_chunks(uint64_t count)
{
  return (count + WEFT_CHUNK - 1) / WEFT_CHUNK;
}

struct weft_chunk weft_vector_chunk(uint64_t count, uint64_t index)
{
  uint64_t first = index * WEFT_CHUNK, left = count - first;
  return (struct weft_chunk){ 0, first, left < WEFT_CHUNK ? (unsigned)left : WEFT_CHUNK };
}

void weft_rows_times(struct weft_warp *t, weft_address matrix, uint64_t side, weft_address vector,
                     struct weft_chunk rows, float sum[WEFT_CHUNK])
{
  for (unsigned r = 0; r < rows.n; r++)
    sum[r] = 0;
  for (uint64_t column = 0; column < side; column++) {
    float v, m[WEFT_CHUNK];
    weft_load_async(t, vector + 4 * column, &v, 4, WEFT_WEAK, WEFT_CTA);
    for (unsigned r = 0; r < rows.n; r++)
      weft_load_async(t, matrix + 4 * ((rows.first + r) * side + column), &m[r], 4, WEFT_WEAK, WEFT_CTA);
    weft_wait_all(t);
    weft_compute(t, 4); /* load both, multiply-add, count */
    for (unsigned r = 0; r < rows.n; r++)
      sum[r] += m[r] * v;
  }
}

void weft_columns_times(struct weft_warp *t, weft_address matrix, uint64_t side, weft_address vector,
                        struct weft_chunk columns, float sum[WEFT_CHUNK])
{
  for (uint64_t row = 0; row < side; row += WEFT_CHUNK) {
    struct weft_chunk rows = weft_vector_chunk(side, row / WEFT_CHUNK);
    float v[WEFT_CHUNK], m[WEFT_CHUNK][WEFT_CHUNK];
    weft_load_span_async(t, vector + 4 * row, v, 4 * rows.n);
    for (unsigned r = 0; r < rows.n; r++)
      weft_load_span_async(t, matrix + 4 * ((row + r) * side + columns.first), m[r], 4 * columns.n);
    weft_wait_all(t);
    weft_compute(t, 4ul * rows.n);
    for (unsigned r = 0; r < rows.n; r++)
      for (unsigned c = 0; c < columns.n; c++)
        sum[c] += m[r][c] * v[r];
  }
}

void weft_plain_rows_times(const float *matrix, uint64_t side, const float *vector, float *sum)
{
  for (uint64_t row = 0; row < side; row++) {
    sum[row] = 0;
    for (uint64_t column = 0; column < side; column++)
      sum[row] += matrix[row * side + column] * vector[column];
  }
}

void weft_plain_columns_times(const float *matrix, uint64_t side, const float *vector, float *sum)
{
  for (uint64_t row = 0; row < side; row++)
    for (uint64_t column = 0; column < side; column++)
      sum[column] += matrix[row * side + column] * vector[row];
}
