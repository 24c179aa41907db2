/* SPDX-License-Identifier: Apache-2.0 */
/* matmul, mm2, mm3: products of square matrices in single precision, every sum in the order of k. Rows of the first factor
 * and of the result belong to the node that computes them; the second factor is read by everybody, so most of it comes
 * from other nodes. mm2 and mm3 multiply results again, which everybody has just written. */
#include <inttypes.h>

#include "tiles.h"

#define MOST_SIDE 16384u
#define MATRICES_MAX 7u
#define PRODUCTS_MAX 3u

/* Matrices by their letters; small ones are results. Products between two barriers do not need one another. */
struct product {
  char left, right, result;
  bool waits; /* for those before it */
};

struct matmul {
  uint64_t side;
  unsigned products;
  struct product product[PRODUCTS_MAX];
  struct weft_field matrix[MATRICES_MAX];
};

static const struct weft_field *find(const struct matmul *m, char name)
{
  unsigned i = 0;
  while (m->matrix[i].name[0] != name)
    i++;
  return &m->matrix[i];
}

static void kernel(struct weft_warp *t, void *arg)
{
  const struct matmul *m = arg;
  for (unsigned i = 0; i < m->products; i++) {
    const struct product *p = &m->product[i];
    if (p->waits)
      weft_barrier(t);
    weft_product(t, m->side, find(m, p->left)->at, find(m, p->right)->at, find(m, p->result)->at);
  }
}

static void plain(void *arg)
{
  const struct matmul *m = arg;
  for (unsigned i = 0; i < m->products; i++) {
    const struct product *p = &m->product[i];
    weft_plain_product(m->side, find(m, p->left)->reals, find(m, p->right)->reals, find(m, p->result)->reals);
  }
}

static int run(struct weft_job *job, struct matmul *m, const char *names[], unsigned inputs,
               unsigned matrices, uint64_t wanted)
{
  int code = weft_fields_side(job, wanted, 4ul * matrices, 1, MOST_SIDE);
  if (code)
    return code;
  m->side = job->size;
  for (unsigned i = 0; i < matrices; i++)
    m->matrix[i] = (struct weft_field){ .name = names[i],
                                        .count = m->side * m->side,
                                        .begins = i < inputs ? WEFT_FIELD_REALS : WEFT_FIELD_ZERO };
  weft_job_say(job, "%u matrices of %" PRIu64 " x %" PRIu64, matrices, m->side, m->side);
  return weft_fields_run(job, &(struct weft_fields){ m->matrix, matrices, kernel, NULL, plain, m });
}

static int run_one(struct weft_job *job)
{
  static const char *names[] = { "a", "b", "c" };
  struct matmul m = { .products = 1, .product = { { 'a', 'b', 'c', false } } };
  return run(job, &m, names, 2, 3, 64);
}

/* d = (a b) c */
static int run_two(struct weft_job *job)
{
  static const char *names[] = { "a", "b", "c", "e", "d" };
  struct matmul m = { .products = 2, .product = { { 'a', 'b', 'e', false }, { 'e', 'c', 'd', true } } };
  return run(job, &m, names, 3, 5, 48);
}

/* g = (a b) (c d) */
static int run_three(struct weft_job *job)
{
  static const char *names[] = { "a", "b", "c", "d", "e", "f", "g" };
  struct matmul m = {
    .products = 3, .product = { { 'a', 'b', 'e', false }, { 'c', 'd', 'f', false }, { 'e', 'f', 'g', true } }
  };
  return run(job, &m, names, 4, 7, 48);
}

const struct weft_workload weft_workload_matmul = {
  { "matmul", "GEMM MM mm", "C = A B in single precision; B is read by everybody", "rows and columns" },
  run_one,
};
const struct weft_workload weft_workload_mm2 = {
  { "mm2", "2mm", "D = (A B) C in single precision", "rows and columns" },
  run_two,
};
const struct weft_workload weft_workload_mm3 = {
  { "mm3", "3mm", "G = (A B) (C D) in single precision", "rows and columns" },
  run_three,
};
