/* SPDX-License-Identifier: Apache-2.0 */
/* fws: shortest paths between all vertices, Floyd and Warshall's way (AMD APP SDK), whole numbers, in place: a pass over
 * the whole matrix for every vertex that paths may go through, and a barrier after it. Beside the distances stands the
 * last vertex that shortened a path. In pass k nobody's distance from k or to k falls, so what others read is not
 * written meanwhile: only distances that fell are stored, lane by lane. */
#include <inttypes.h>

#include "fields.h"

#define DEFAULT_SIDE 32u
#define MOST_SIDE 16384u

enum { DISTANCE, PATH, FIELDS };

struct fws {
  uint64_t side;
  struct weft_field field[FIELDS];
};

static void do_chunk(struct weft_warp *t, const struct fws *f, uint64_t k, struct weft_chunk c)
{
  uint64_t at = c.row * f->side + c.first;
  uint32_t to_k, from_k[WEFT_CHUNK], direct[WEFT_CHUNK], through[WEFT_CHUNK];
  unsigned shorter = 0;
  weft_load_async(t, f->field[DISTANCE].at + 4 * (c.row * f->side + k), &to_k, 4, WEFT_WEAK, WEFT_CTA);
  weft_load_span_async(t, f->field[DISTANCE].at + 4 * (k * f->side + c.first), from_k, 4 * (size_t)c.n);
  weft_load_span_async(t, f->field[DISTANCE].at + 4 * at, direct, 4 * (size_t)c.n);
  weft_wait_all(t);
  for (unsigned i = 0; i < c.n; i++) {
    shorter |= (unsigned)(to_k + from_k[i] < direct[i]) << i;
    direct[i] = to_k + from_k[i];
    through[i] = (uint32_t)k;
  }
  weft_compute(t, 16); /* three addresses and loads, an addition, a comparison, two stores */
  weft_store_lanes(t, f->field[DISTANCE].at + 4 * at, direct, shorter);
  weft_store_lanes(t, f->field[PATH].at + 4 * at, through, shorter);
}

static void kernel(struct weft_warp *t, void *arg)
{
  const struct fws *f = arg;
  uint64_t chunks = weft_chunks_of(f->side, 0);
  for (uint64_t k = 0; k < f->side; k++) {
    for (struct weft_deal d = weft_deal_to(chunks, weft_where(t)); d.piece < d.end; d.piece += d.step)
      do_chunk(t, f, k, weft_chunk_at(f->side, 0, d.piece, false));
    weft_barrier(t);
  }
}

/* An edge between any two vertices, and none from a vertex to itself; paths begin as that edge. */
static void prepare(void *arg)
{
  struct fws *f = arg;
  for (uint64_t row = 0; row < f->side; row++)
    for (uint64_t column = 0; column < f->side; column++) {
      uint64_t at = row * f->side + column;
      f->field[DISTANCE].wholes[at] = row == column ? 0 : f->field[DISTANCE].wholes[at] + 1;
      f->field[PATH].wholes[at] = (uint32_t)row;
    }
}

static void plain(void *arg)
{
  struct fws *f = arg;
  uint32_t *distance = f->field[DISTANCE].wholes, *path = f->field[PATH].wholes;
  for (uint64_t k = 0; k < f->side; k++)
    for (uint64_t at = 0; at < f->side * f->side; at++) {
      uint32_t through = distance[at / f->side * f->side + k] + distance[k * f->side + at % f->side];
      if (through < distance[at]) {
        distance[at] = through;
        path[at] = (uint32_t)k;
      }
    }
}

static int run(struct weft_job *job)
{
  int code = weft_fields_side(job, DEFAULT_SIDE, 8, 1, MOST_SIDE);
  if (code)
    return code;
  uint64_t side = job->size;
  struct fws f = {
    side, { [DISTANCE] = WEFT_WHOLES("distance", side * side), [PATH] = WEFT_WHOLES("path", side * side) }
  };
  weft_job_say(job, "%" PRIu64 " vertices, an edge between any two", side);
  return weft_fields_run(job, &(struct weft_fields){ f.field, FIELDS, kernel, prepare, plain, &f });
}

const struct weft_workload weft_workload_fws = {
  { "fws", "floydwarshall", "shortest paths between all vertices, Floyd-Warshall, in whole numbers",
    "vertices" },
  run,
};
