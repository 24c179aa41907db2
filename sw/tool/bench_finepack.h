/* SPDX-License-Identifier: Apache-2.0 */
/* What the points of FinePack's family say. */
#ifndef WEFT_BENCH_FINEPACK_H
#define WEFT_BENCH_FINEPACK_H

#include "bench.h"

enum finepack_value {
  FINEPACK_SPEEDUP, /* over one node */
  FINEPACK_LINK,    /* bytes on the links, over bulk's; so are the next three, whose sum it is */
  FINEPACK_USEFUL,
  FINEPACK_OVERHEAD,
  FINEPACK_WASTED,
  FINEPACK_EFFICIENCY, /* useful bytes of all on the links */
  FINEPACK_STORES,     /* per packet on the links */
  FINEPACK_RUNS,       /* of bytes that follow one another, per packet: its sub-transactions */
  FINEPACK_VALUES
};
extern const char *const finepack_value_names[FINEPACK_VALUES];
/* Whether a variant has this at all: one node has no links, infinite bandwidth no bytes on them. */
bool finepack_has(const struct bench_run *r, size_t variant, enum finepack_value value);
double finepack_value(const struct bench_run *r, size_t work, size_t variant, enum finepack_value value);
double finepack_mean(const struct bench_run *r, size_t variant, enum finepack_value value); /* geometric */
/* The mean of a ratio of cycles: how many times as fast the first is as the second; of a value's ratio. */
double finepack_faster(const struct bench_run *r, size_t variant, size_t than);
double finepack_gain(const struct bench_run *r, size_t variant, size_t over, enum finepack_value value);

struct finepack_bytes {
  double link, useful, overhead, wasted;
};
struct finepack_bytes finepack_bytes_of(const struct bench_point *p);

#endif
