/* SPDX-License-Identifier: Apache-2.0 */
#include "fields.h"

#include <stdlib.h>
#include <string.h>

static void fill(struct weft_field *f, struct weft_random *random)
{
  for (uint64_t i = 0; i < f->count; i++) {
    if (f->begins == WEFT_FIELD_REALS)
      f->reals[i] = (float)weft_random_below(random, 1u << 16) / (float)(1u << 12) - 8.0f;
    else if (f->begins == WEFT_FIELD_WHOLES)
      f->wholes[i] = (uint32_t)weft_random_below(random, 256);
  }
}

static const void *bytes_of(const struct weft_field *f)
{
  return f->reals ? (const void *)f->reals : f->wholes;
}

static int make(struct weft_job *job, const struct weft_fields *s)
{
  struct weft_random random = weft_random_stream(job->seed, WEFT_STREAM_INPUT);
  for (size_t i = 0; i < s->count; i++) {
    struct weft_field *f = &s->field[i];
    if (f->begins == WEFT_FIELD_WHOLES)
      f->wholes = calloc(f->count, sizeof *f->wholes);
    else
      f->reals = calloc(f->count, sizeof *f->reals);
    if (!bytes_of(f))
      return weft_fail_memory(job->w);
    fill(f, &random);
  }
  if (s->prepare)
    s->prepare(s->arg);
  int code = WEFT_OK;
  for (size_t i = 0; !code && i < s->count; i++) {
    struct weft_field *f = &s->field[i];
    code = weft_job_array(job, f->name, bytes_of(f), f->count, 4, &f->at);
  }
  return code;
}

int weft_fields_run(struct weft_job *job, const struct weft_fields *s)
{
  uint64_t bytes = 0;
  for (size_t i = 0; i < s->count; i++)
    bytes += 4 * s->field[i].count;
  int code = weft_job_room(job, bytes);
  if (!code)
    code = make(job, s);
  if (!code)
    code = weft_job_launch(job, s->kernel, s->arg);
  if (!code)
    s->plain(s->arg);
  for (size_t i = 0; !code && i < s->count; i++) {
    const struct weft_field *f = &s->field[i];
    code = weft_job_compare(job, f->name, f->at, bytes_of(f), f->count, 4);
  }
  for (size_t i = 0; i < s->count; i++) {
    free(s->field[i].reals);
    free(s->field[i].wholes);
  }
  return code;
}

void weft_fields_copy(struct weft_field *to, const struct weft_field *from)
{
  memcpy(to->reals, from->reals, from->count * sizeof *to->reals);
}

int weft_fields_side(struct weft_job *job, uint64_t wanted, uint64_t bytes_per_point, uint64_t least,
                     uint64_t most)
{
  if (!job->size) {
    job->size = wanted;
    while (job->size > least &&
           job->size * job->size > weft_job_fit(job, job->size * job->size, bytes_per_point))
      job->size = job->size > least + 8 ? job->size - 8 : least;
  }
  return job->size < least || job->size > most ? weft_job_bad_size(job, least, most) : WEFT_OK;
}

static uint64_t chunks_across(uint64_t side, uint64_t border)
{
  return (side - border - 1) / WEFT_CHUNK + 1;
}

uint64_t weft_chunks_of(uint64_t side, uint64_t border)
{
  return (side - 2 * border) * chunks_across(side, border);
}

struct weft_chunk weft_chunk_at(uint64_t side, uint64_t border, uint64_t index, bool stripes)
{
  uint64_t rows = side - 2 * border, across = chunks_across(side, border);
  uint64_t row = stripes ? index % rows : index / across, place = stripes ? index / rows : index % across;
  uint64_t first = place * WEFT_CHUNK, end = first + WEFT_CHUNK;
  first = first < border ? border : first;
  end = end > side - border ? side - border : end;
  return (struct weft_chunk){ border + row, first, (unsigned)(end - first) };
}

void weft_load_window(struct weft_warp *t, weft_address grid, uint64_t side, struct weft_chunk c,
                      void *window)
{
  uint8_t *row = window;
  for (unsigned i = 0; i < 3; i++, row += 4 * WEFT_WINDOW)
    weft_load_span_async(t, grid + 4 * ((c.row + i - 1) * side + c.first - 1), row, 4 * (c.n + 2));
  weft_wait_all(t);
}

void weft_store_lanes(struct weft_warp *t, weft_address a, const uint32_t *value, unsigned lanes)
{
  uint8_t line[128];
  for (unsigned i = 0; lanes >> i;) {
    weft_address first = (a + 4 * i) / weft_where(t)->line * weft_where(t)->line;
    uint64_t mask[2] = { 0 };
    for (; lanes >> i && a + 4 * i < first + weft_where(t)->line; i++) {
      uint64_t at = a + 4 * i - first;
      memcpy(line + at, value + i, 4);
      if (lanes >> i & 1)
        mask[at / 64] |= UINT64_C(15) << at % 64;
    }
    if (mask[0] | mask[1])
      weft_store_masked(t, first, line, mask, WEFT_WEAK, WEFT_CTA);
  }
}
