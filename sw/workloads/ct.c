/* SPDX-License-Identifier: Apache-2.0 */
/* ct: an image from its X-ray projections (model based iterative reconstruction), in whole numbers. A round has two phases with
 * a barrier behind each: every voxel is improved, coordinate by coordinate, from the errors of the rays through it; then
 * every ray's error is computed anew from the voxels on its way. Both the image and the errors are read by everybody.
 * A voxel is stored after each subset of the views. A node's voxels are visited in a scattered order, as coordinate
 * descent does it, so neighbours in time are no neighbours in memory; rays are visited one after the other.
 *
 * Geometry (ct_rays.c): parallel rays; a voxel lies between two rays of each view and is shared between them. */
#include <inttypes.h>
#include <stdlib.h>

#include "ct.h"

#define DEFAULT_SIDE 32u
#define MOST_SIDE 1024u
#define DEFAULT_ROUNDS 2u
#define SUBSET 16u /* views that a voxel is improved by at a time */
_Static_assert(CT_VIEWS % SUBSET == 0, "subsets are of one size");

struct ct {
  uint64_t side, rounds, rays;
  int32_t *image, *error, *measured; /* the host's */
  weft_address image_at, error_at, measured_at;
};

static int32_t improved(const struct ct *c, int32_t voxel, int64_t gradient)
{
  /* A ray has some `side` voxels, a voxel two rays of each view. */
  int64_t next = voxel + gradient / (int64_t)(CT_WEIGHT * CT_WEIGHT * CT_VIEWS * c->side);
  return next < 0 ? 0 : (int32_t)next; /* there is no less than nothing */
}

static uint64_t divisor(uint64_t a, uint64_t b)
{
  while (b) {
    uint64_t rest = a % b;
    a = b;
    b = rest;
  }
  return a;
}

/* Visits of `count` in an order that jumps by some 0.618 of them. */
static uint64_t stride_of(uint64_t count)
{
  uint64_t stride = count * 618 / 1000 + 1;
  while (divisor(stride, count) != 1)
    stride++;
  return stride;
}

/* ---- On the fabric ------------------------------------------------------------------------------------- */

static void do_voxel(struct weft_warp *t, const struct ct *c, uint64_t voxel)
{
  int32_t value;
  weft_load(t, c->image_at + 4 * voxel, &value, 4, WEFT_WEAK, WEFT_CTA);
  for (unsigned v = 0; v < CT_VIEWS; v += SUBSET) {
    struct weft_ct_share s[SUBSET];
    int32_t error[SUBSET][2];
    int64_t gradient = 0;
    for (unsigned k = 0; k < SUBSET; k++) {
      s[k] = weft_ct_share(c->side, voxel, v + k);
      weft_load_span_async(t, c->error_at + 4 * s[k].ray, error[k], sizeof error[k]);
    }
    weft_wait_all(t);
    for (unsigned k = 0; k < SUBSET; k++)
      gradient += (int64_t)(CT_WEIGHT - s[k].weight) * error[k][0] + (int64_t)s[k].weight * error[k][1];
    weft_compute(t, 16); /* places and weights, two products, the sum over the lanes, a division */
    value = improved(c, value, gradient);
    weft_store(t, c->image_at + 4 * voxel, &value, 4, WEFT_WEAK, WEFT_CTA);
  }
}

static void do_ray(struct weft_warp *t, const struct ct *c, uint64_t ray)
{
  int32_t measured, row[CT_RUN];
  int64_t sum = 0;
  weft_load(t, c->measured_at + 4 * ray, &measured, 4, WEFT_WEAK, WEFT_CTA);
  for (struct weft_ct_run r = weft_ct_first(c->side, ray); r.n; r = weft_ct_next(c->side, ray, r)) {
    weft_load_span(t, c->image_at + 4 * r.voxel, row, 4ul * r.n);
    for (unsigned k = 0; k < r.n; k++)
      sum += (int64_t)weft_ct_weight(c->side, r.voxel + k, ray) * row[k];
    weft_compute(t, 2);
  }
  weft_compute(t, 6); /* the sum over the lanes */
  int32_t error = (int32_t)(measured - sum);
  weft_store(t, c->error_at + 4 * ray, &error, 4, WEFT_WEAK, WEFT_CTA);
}

static void kernel(struct weft_warp *t, void *arg)
{
  const struct ct *c = arg;
  const struct weft_place *p = weft_where(t);
  struct weft_part node = weft_part_of(c->side * c->side, p->nodes, p->node);
  struct weft_part rays = weft_part_of_warp(c->rays, p);
  uint64_t count = node.end > node.first ? node.end - node.first : 1, stride = stride_of(count);
  for (uint64_t round = 0; round < c->rounds; round++) {
    for (struct weft_deal d = weft_deal_to(c->side * c->side, p); d.piece < d.end; d.piece += d.step)
      do_voxel(t, c, node.first + (d.piece - node.first) * stride % count);
    weft_barrier(t);
    for (uint64_t ray = rays.first; ray < rays.end; ray++)
      do_ray(t, c, ray);
    weft_barrier(t);
  }
}

/* ---- Plain C ------------------------------------------------------------------------------------------- */

static void plain_voxels(struct ct *c)
{
  for (uint64_t voxel = 0; voxel < c->side * c->side; voxel++)
    for (unsigned v = 0; v < CT_VIEWS; v += SUBSET) {
      int64_t gradient = 0;
      for (unsigned k = 0; k < SUBSET; k++) {
        struct weft_ct_share s = weft_ct_share(c->side, voxel, v + k);
        gradient +=
          (int64_t)(CT_WEIGHT - s.weight) * c->error[s.ray] + (int64_t)s.weight * c->error[s.ray + 1];
      }
      c->image[voxel] = improved(c, c->image[voxel], gradient);
    }
}

/* From the voxels' side, so that neither way of walking hides a mistake of the other. */
static void plain_rays(struct ct *c)
{
  for (uint64_t ray = 0; ray < c->rays; ray++)
    c->error[ray] = c->measured[ray];
  for (uint64_t voxel = 0; voxel < c->side * c->side; voxel++)
    for (unsigned v = 0; v < CT_VIEWS; v++) {
      struct weft_ct_share s = weft_ct_share(c->side, voxel, v);
      c->error[s.ray] -= (int32_t)(CT_WEIGHT - s.weight) * c->image[voxel];
      c->error[s.ray + 1] -= (int32_t)s.weight * c->image[voxel];
    }
}

/* ---- The job ------------------------------------------------------------------------------------------- */

/* What is to be found: bright discs on a dim ground. Its projections are what was measured. */
static void draw(struct weft_job *job, struct ct *c)
{
  struct weft_random random = weft_random_stream(job->seed, WEFT_STREAM_INPUT);
  for (unsigned disc = 0; disc < 6; disc++) {
    int64_t x = weft_random_below(&random, (uint32_t)c->side),
            y = weft_random_below(&random, (uint32_t)c->side);
    int64_t radius = 1 + weft_random_below(&random, (uint32_t)c->side / 4 + 1);
    for (uint64_t voxel = 0; voxel < c->side * c->side; voxel++) {
      int64_t dx = (int64_t)(voxel % c->side) - x, dy = (int64_t)(voxel / c->side) - y;
      if (dx * dx + dy * dy <= radius * radius)
        c->image[voxel] = 256 * (int32_t)(2 + disc);
    }
  }
  plain_rays(c); /* of nothing measured: the negative projections */
  for (uint64_t ray = 0; ray < c->rays; ray++)
    c->measured[ray] = c->error[ray] = -c->error[ray];
  for (uint64_t voxel = 0; voxel < c->side * c->side; voxel++)
    c->image[voxel] = 0;
}

static int run_image(struct weft_job *job, struct ct *c)
{
  draw(job, c);
  weft_job_say(job, "%" PRIu64 " x %" PRIu64 " voxels, %" PRIu64 " rays of %u views, %" PRIu64 " rounds",
               c->side, c->side, c->rays, CT_VIEWS, c->rounds);
  int code = weft_job_array(job, "image", NULL, c->side * c->side, 4, &c->image_at);
  if (!code)
    code = weft_job_array(job, "error", c->error, c->rays, 4, &c->error_at);
  if (!code)
    code = weft_job_array(job, "measured", c->measured, c->rays, 4, &c->measured_at);
  if (!code)
    code = weft_job_launch(job, kernel, c);
  if (code)
    return code;
  for (uint64_t round = 0; round < c->rounds; round++) {
    plain_voxels(c);
    plain_rays(c);
  }
  code = weft_job_compare(job, "voxel", c->image_at, c->image, c->side * c->side, 4);
  return code ? code : weft_job_compare(job, "error of ray", c->error_at, c->error, c->rays, 4);
}

static int run(struct weft_job *job)
{
  if (!job->size)
    job->size = DEFAULT_SIDE;
  if (job->size < 2 || job->size > MOST_SIDE)
    return weft_job_bad_size(job, 2, MOST_SIDE);
  struct ct c = { .side = job->size, .rounds = job->iterations ? job->iterations : DEFAULT_ROUNDS };
  c.rays = CT_VIEWS * (c.side + 1);
  if (weft_job_room(job, 4 * (c.side * c.side + 2 * c.rays)))
    return WEFT_NO_ROOM;
  c.image = calloc(c.side * c.side, 4);
  c.error = calloc(c.rays, 4);
  c.measured = calloc(c.rays, 4);
  int code = c.image && c.error && c.measured ? run_image(job, &c) : weft_fail_memory(job->w);
  free(c.image);
  free(c.error);
  free(c.measured);
  return code;
}

const struct weft_workload weft_workload_ct = {
  { "ct", "MBIR", "an image from its X-ray projections, by coordinate descent, in whole numbers",
    "voxels per side" },
  run,
};
