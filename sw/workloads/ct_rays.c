/* SPDX-License-Identifier: Apache-2.0 */
#include "ct.h"

#define APART 256

struct slope {
  int64_t c, s, begin; /* begin: what is added so that the first voxel lies at 0 */
};

static struct slope slope_of(uint64_t side, unsigned view)
{
  int64_t c = APART - (int64_t)view * 2 * APART / (int64_t)CT_VIEWS;
  return (struct slope){ c, APART - (c < 0 ? -c : c), c < 0 ? -c * (int64_t)(side - 1) : 0 };
}

static int64_t place(struct slope v, int64_t x, int64_t y)
{
  return x * v.c + y * v.s + v.begin;
}

struct weft_ct_share weft_ct_share(uint64_t side, uint64_t voxel, unsigned view)
{
  int64_t at = place(slope_of(side, view), (int64_t)(voxel % side), (int64_t)(voxel / side));
  return (struct weft_ct_share){ view * (side + 1) + (uint64_t)(at / APART),
                                 (int)(at % APART / (APART / CT_WEIGHT)) };
}

int weft_ct_weight(uint64_t side, uint64_t voxel, uint64_t ray)
{
  struct weft_ct_share s = weft_ct_share(side, voxel, (unsigned)(ray / (side + 1)));
  return s.ray == ray ? CT_WEIGHT - s.weight : s.ray + 1 == ray ? s.weight : 0;
}

static int64_t divide_up(int64_t a, int64_t b) /* b > 0 */
{
  return a >= 0 ? (a + b - 1) / b : -(-a / b);
}

/* The x of row y with low <= place < high: from first to end - 1. */
static void cut_row(struct slope v, int64_t side, int64_t y, int64_t low, int64_t high, int64_t *first,
                    int64_t *end)
{
  int64_t rest = place(v, 0, y);
  if (!v.c) {
    *first = 0;
    *end = rest >= low && rest < high ? side : 0;
    return;
  }
  int64_t from = v.c > 0 ? divide_up(low - rest, v.c) : divide_up(rest - high + 1, -v.c);
  int64_t to = v.c > 0 ? divide_up(high - rest, v.c) : divide_up(rest - low + 1, -v.c);
  *first = from < 0 ? 0 : from;
  *end = to > side ? side : to;
}

/* The first run at or behind (x, y), in the order of memory. */
static struct weft_ct_run find(uint64_t side, uint64_t ray, uint64_t x, uint64_t y)
{
  struct slope v = slope_of(side, (unsigned)(ray / (side + 1)));
  int64_t middle = (int64_t)(ray % (side + 1)) * APART;
  for (; y < side; y++, x = 0) {
    int64_t first, end;
    cut_row(v, (int64_t)side, (int64_t)y, middle - APART, middle + APART, &first, &end);
    if (first < (int64_t)x)
      first = (int64_t)x;
    if (first < end)
      return (struct weft_ct_run){ y * side + (uint64_t)first,
                                   end - first < (int64_t)CT_RUN ? (unsigned)(end - first) : CT_RUN };
  }
  return (struct weft_ct_run){ 0, 0 };
}

struct weft_ct_run weft_ct_first(uint64_t side, uint64_t ray)
{
  return find(side, ray, 0, 0);
}

struct weft_ct_run weft_ct_next(uint64_t side, uint64_t ray, struct weft_ct_run last)
{
  uint64_t behind = last.voxel + last.n - 1; /* the run's last voxel: what follows it may be the next row's */
  return find(side, ray, behind % side + 1, behind / side);
}
