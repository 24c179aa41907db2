/* SPDX-License-Identifier: Apache-2.0 */
/* Where parallel rays go through a square image. Views have equally spaced slopes (a linogram), so that all of it is whole
 * numbers: in view v, voxel (x, y) lies at x c + y s, c from 256 down to -256, s = 256 - |c|, moved so that it begins
 * at 0. Rays are 256 apart; the voxel is shared between the ray before it and the one behind. */
#ifndef WEFT_CT_H
#define WEFT_CT_H

#include "job.h"

#define CT_VIEWS 32u
#define CT_WEIGHT 16 /* what a voxel gives to both its rays together */
#define CT_RUN 32u   /* voxels of a row that a warp has in hand */

/* Voxel number y * side + x, in one view: `weight` goes to ray + 1, the rest to ray. */
struct weft_ct_share {
  uint64_t ray;
  int weight;
};
struct weft_ct_share weft_ct_share(uint64_t side, uint64_t voxel, unsigned view);
int weft_ct_weight(uint64_t side, uint64_t voxel, uint64_t ray); /* 0: the ray passes it by */

/* The voxels of a ray, as runs in rows: n of them from `voxel` on; n is 0 behind the last. */
struct weft_ct_run {
  uint64_t voxel;
  unsigned n;
};
struct weft_ct_run weft_ct_first(uint64_t side, uint64_t ray);
struct weft_ct_run weft_ct_next(uint64_t side, uint64_t ray, struct weft_ct_run last);

#endif
