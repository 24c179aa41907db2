/* SPDX-License-Identifier: Apache-2.0 */
/* xtreme1, xtreme2, xtreme3: HALCONE's programs that write the same places again and again (section 4.3.2), single
 * precision. Vectors A, B and C are cut into a slice for every CU, and every CU begins by reading its slices of the three.
 *   xtreme1: each CU does C = A + B on its slice ten times, then A = C + B ten times: nothing is shared.
 *   xtreme2: each CU does C = A + B; the first CU does A = C + B ten times on the slice of its neighbour in the same node;
 *            each CU does C = A + B again.
 *   xtreme3: the same on a slice of the next node, its last CU's.
 * The paper leaves out how steps and their repeats wait for each other. Here a barrier of all stands between any two, so that
 * no step races and there is one right result, and with --launches each is a kernel (the reading belongs to the first), whose
 * acquire has the scope of what it reads: its own CU's, but where another's slice is read or was changed. */
#include <inttypes.h>

#include "fields.h"

#define LANES WEFT_CHUNK /* numbers that a warp has in hand: a line of each vector */
#define DEFAULT_NUMBERS 8192u
#define MOST_NUMBERS (UINT64_C(1) << 32)
#define DEFAULT_REPEATS 10u

enum { A, B, C, FIELDS };

struct xtreme {
  uint64_t count, repeats, slices;
  uint64_t (*victim)(const struct weft_machine *m); /* whose slice the first CU changes; NULL: xtreme1 */
  enum weft_memory_scope scope;                     /* that both are in */
  struct weft_machine machine;
  struct weft_field field[FIELDS];
};

/* A slice is a part of the vectors in pieces of LANES; its CU's warps take them by turns. */
static struct weft_part slice_of(const struct xtreme *x, uint64_t slice)
{
  return weft_part_of((x->count + LANES - 1) / LANES, x->slices, slice);
}

static uint64_t end_of(const struct xtreme *x, uint64_t piece)
{
  return piece * LANES < x->count ? piece * LANES : x->count;
}

static void load(struct weft_warp *t, const struct xtreme *x, int field, uint64_t piece, float value[LANES])
{
  uint64_t first = piece * LANES;
  weft_load_span_async(t, x->field[field].at + 4 * first, value, 4 * (end_of(x, piece + 1) - first));
}

static void read_slice(struct weft_warp *t, const struct xtreme *x, uint64_t slice)
{
  const struct weft_place *p = weft_where(t);
  struct weft_part part = slice_of(x, slice);
  for (uint64_t piece = part.first + p->warp; piece < part.end; piece += p->warps) {
    float value[FIELDS][LANES];
    for (int f = 0; f < FIELDS; f++)
      load(t, x, f, piece, value[f]);
    weft_wait_all(t);
  }
}

/* to = from + B on the slice. */
static void add(struct weft_warp *t, const struct xtreme *x, int to, int from, uint64_t slice)
{
  const struct weft_place *p = weft_where(t);
  struct weft_part part = slice_of(x, slice);
  for (uint64_t piece = part.first + p->warp; piece < part.end; piece += p->warps) {
    uint64_t first = piece * LANES, n = end_of(x, piece + 1) - first;
    float left[LANES], right[LANES];
    load(t, x, from, piece, left);
    load(t, x, B, piece, right);
    weft_wait_all(t);
    for (unsigned k = 0; k < n; k++)
      left[k] += right[k];
    /* A thread's number and its bound, three addresses, two loads, an addition, a store. */
    weft_compute(t, 12);
    weft_store_span(t, x->field[to].at + 4 * first, left, 4 * n);
  }
}

/* The same x->repeats times, with a barrier between two times; who has no part in it only waits. */
static void repeat(struct weft_warp *t, const struct xtreme *x, int to, int from, uint64_t slice, bool part)
{
  for (uint64_t time = 0; time < x->repeats; time++) {
    if (time)
      weft_barrier_scoped(t, WEFT_CTA);
    if (part)
      add(t, x, to, from, slice);
  }
}

static void kernel(struct weft_warp *t, void *arg)
{
  const struct xtreme *x = arg;
  const struct weft_place *p = weft_where(t);
  uint64_t own = (uint64_t)p->node * p->cus + p->cu;
  read_slice(t, x, own);
  if (!x->victim) {
    repeat(t, x, C, A, own, true);
    weft_barrier_scoped(t, WEFT_CTA);
    repeat(t, x, A, C, own, true);
    return;
  }
  add(t, x, C, A, own);
  weft_barrier_scoped(t, x->scope);
  repeat(t, x, A, C, x->victim(&x->machine), !own);
  weft_barrier_scoped(t, x->scope);
  add(t, x, C, A, own);
}

static void plain_add(const struct xtreme *x, int to, int from, uint64_t first, uint64_t end)
{
  for (uint64_t i = first; i < end; i++)
    x->field[to].reals[i] = x->field[from].reals[i] + x->field[B].reals[i];
}

/* A sum that is made again is the same sum. */
static void plain(void *arg)
{
  struct xtreme *x = arg;
  uint64_t first = 0, end = x->count;
  plain_add(x, C, A, 0, x->count);
  if (x->victim) {
    struct weft_part part = slice_of(x, x->victim(&x->machine));
    first = end_of(x, part.first);
    end = end_of(x, part.end);
  }
  plain_add(x, A, C, first, end);
  if (x->victim)
    plain_add(x, C, A, 0, x->count);
}

/* Where there is no other CU, it is its own. */
static uint64_t neighbour(const struct weft_machine *m)
{
  return m->cus > 1;
}

static uint64_t of_next_node(const struct weft_machine *m)
{
  return (m->nodes > 1 ? 2 : 1) * (uint64_t)m->cus - 1;
}

static int run(struct weft_job *job, uint64_t (*victim)(const struct weft_machine *m),
               enum weft_memory_scope scope)
{
  if (!job->size)
    job->size = weft_job_fit(job, DEFAULT_NUMBERS, 12);
  if (job->size > MOST_NUMBERS)
    return weft_job_bad_size(job, 1, MOST_NUMBERS);
  struct xtreme x = {
    job->size,
    job->iterations ? job->iterations : DEFAULT_REPEATS,
    (uint64_t)job->machine.nodes * job->machine.cus,
    victim,
    scope,
    job->machine,
    { [A] = WEFT_REALS("a", job->size), [B] = WEFT_REALS("b", job->size), [C] = WEFT_REALS("c", job->size) }
  };
  weft_job_say(job, "vectors of %" PRIu64 " numbers, %" PRIu64 " repeats", x.count, x.repeats);
  return weft_fields_run(job, &(struct weft_fields){ x.field, FIELDS, kernel, NULL, plain, &x });
}

static int run_own(struct weft_job *job)
{
  return run(job, NULL, WEFT_CTA);
}

static int run_neighbour(struct weft_job *job)
{
  return run(job, neighbour, WEFT_GPU);
}

static int run_next_node(struct weft_job *job)
{
  return run(job, of_next_node, WEFT_SYS);
}

const struct weft_workload weft_workload_xtreme1 = {
  { "xtreme1", "", "C = A + B again and again, then A = C + B: each CU its own slices",
    "numbers per vector" },
  run_own,
};
const struct weft_workload weft_workload_xtreme2 = {
  { "xtreme2", "", "C = A + B, one CU changes A of another CU again and again, C = A + B",
    "numbers per vector" },
  run_neighbour,
};
const struct weft_workload weft_workload_xtreme3 = {
  { "xtreme3", "", "C = A + B, one CU changes A of another node again and again, C = A + B",
    "numbers per vector" },
  run_next_node,
};
