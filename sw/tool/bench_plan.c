/* SPDX-License-Identifier: Apache-2.0 */
/* What is run: the workloads of REC's Table 3 with their footprints divided by 64, and the variants of each benchmark. */
#include "bench.h"

#define COUNT(table) (sizeof(table) / sizeof *(table))

/* Footprints of the paper in MB, then ours: ATAX 128, C2D 512, FIR 128, GEMM 128, GEMV 256, J2D 128, LU 128, MM2 128, MM3 64,
 * PR 256, SC 512, ST 128. Sides that are no powers of two, so that a column's lines do not all meet in one set. */
const struct bench_work bench_works[] = {
  { "ATAX", "atax", NULL, 720, 0, 3.9 }, { "C2D", "conv2d", NULL, 1008, 0, 0 },
  { "FIR", "fir", NULL, 262144, 2, 0 },  { "GEMM", "matmul", NULL, 400, 0, 0 },
  { "GEMV", "gemv", NULL, 1008, 0, 0 },  { "J2D", "jacobi2d", NULL, 496, 3, 0 },
  { "LU", "lu", NULL, 720, 0, 0 },       { "MM2", "mm2", NULL, 304, 0, 0 },
  { "MM3", "mm3", NULL, 208, 0, 0 },     { "PR", "pagerank", "uniform:32768,0.079", 0, 1, 6.1 },
  { "SC", "sc", NULL, 1008, 0, 0 },      { "ST", "st", NULL, 496, 3, 5.8 },
};
const size_t bench_work_count = COUNT(bench_works);

static const struct bench_variant rec[] = {
  { "baseline", "baseline", { NULL }, 0, 1 }, { "baseline2x", "baseline2x", { NULL }, 0, 1.073 },
  { "hmg", "hmg", { NULL }, 0, 1.167 },       { "rec", "rec", { NULL }, 0, 1.327 },
  { "ideal", "ideal", { NULL }, 0, 1.369 },
};

static const struct bench_variant range[] = {
  { "baseline", "baseline", { NULL }, 0, 1 },
  { "128B", "rec", { "directory.range=128" }, 0, 0 },
  { "256B", "rec", { "directory.range=256" }, 0, 0 },
  { "1KiB", "rec", { "directory.range=1024" }, 0, 1.327 },
  { "4KiB", "rec", { "directory.range=4096" }, 0, 0 },
};

/* The paper's 2 K to 32 K entries, divided by 64; and the baseline with more of them (its Figure 6). */
static const struct bench_variant entries[] = {
  { "baseline", "baseline", { NULL }, 0, 1 },
  { "rec/4", "rec", { "directory.entries=32", "directory.ways=4" }, 0, 0 },
  { "rec/2", "rec", { "directory.entries=64" }, 0, 0 },
  { "rec", "rec", { NULL }, 0, 1.327 },
  { "rec*2", "rec", { "directory.entries=256" }, 0, 0 },
  { "rec*4", "rec", { "directory.entries=512" }, 0, 0 },
  { "base*2", "baseline", { "directory.entries=256" }, 0, 1.073 },
  { "base*4", "baseline", { "directory.entries=512" }, 0, 0 },
  { "base*8", "baseline", { "directory.entries=1024" }, 0, 0 },
  { "base*16", "baseline", { "directory.entries=2048" }, 0, 1.369 },
};

static const struct bench_variant replacement[] = {
  { "baseline", "baseline", { NULL }, 0, 1 },
  { "FIFO", "rec", { "directory.refresh=0" }, 0, 0 },
  { "LRU-like", "rec", { "directory.refresh=1" }, 0, 1.327 },
};

/* 0.5, 2 and 8 MB, divided by 64; a quarter is a quarter of the ways, since a bank has two sets at least. */
static const struct bench_variant l2[] = {
  { "base 8K", "baseline", { "l2.sets=2", "l2.ways=8" }, 0, 1 },
  { "rec 8K", "rec", { "l2.sets=2", "l2.ways=8" }, 0, 1.063 },
  { "base 32K", "baseline", { NULL }, 2, 1 },
  { "rec 32K", "rec", { NULL }, 2, 1.327 },
  { "base 128K", "baseline", { "l2.sets=16" }, 4, 1 },
  { "rec 128K", "rec", { "l2.sets=16" }, 4, 1.267 },
};

static const struct bench_variant bandwidth[] = {
  { "base 19", "baseline", { "link.bytes=19" }, 2, 0 },
  { "rec 19", "rec", { "link.bytes=19" }, 2, 0 },
  { "base 38", "baseline", { NULL }, 2, 1 },
  { "rec 38", "rec", { NULL }, 2, 1.327 },
  { "base 76", "baseline", { "link.bytes=76" }, 2, 0 },
  { "rec 76", "rec", { "link.bytes=76" }, 2, 0 },
  { "base 152", "baseline", { "link.bytes=152" }, 2, 0 },
  { "rec 152", "rec", { "link.bytes=152" }, 2, 0 },
};

static const struct bench_variant nodes[] = {
  { "base 2", "baseline", { "nodes=2" }, 0, 1 },   { "rec 2", "rec", { "nodes=2" }, 0, 0 },
  { "base 4", "baseline", { NULL }, 2, 1 },        { "rec 4", "rec", { NULL }, 2, 1.327 },
  { "base 8", "baseline", { "nodes=8" }, 4, 1 },   { "rec 8", "rec", { "nodes=8" }, 4, 1.247 },
  { "base 16", "baseline", { "nodes=16" }, 6, 1 }, { "rec 16", "rec", { "nodes=16" }, 6, 1.147 },
};

static const struct bench benches[] = {
  { "rec", "REC's twelve workloads on baseline, baseline2x, hmg, rec and ideal", rec, COUNT(rec), true },
  { "rec-range", "bytes that an entry of rec covers: 128 to 4096", range, COUNT(range), false },
  { "rec-entries", "entries of rec, and of the baseline, from a quarter to 16 times", entries, COUNT(entries),
    false },
  { "rec-replacement", "rec with FIFO against LRU-like replacement", replacement, COUNT(replacement), false },
  { "rec-l2", "baseline and rec with L2s of a quarter, one and four times the size", l2, COUNT(l2), false },
  { "rec-link", "baseline and rec with links of half to four times the bandwidth", bandwidth,
    COUNT(bandwidth), false },
  { "rec-nodes", "baseline and rec on 2, 4, 8 and 16 nodes", nodes, COUNT(nodes), false },
};

const struct bench *bench_at(size_t index)
{
  return index < COUNT(benches) ? &benches[index] : NULL;
}
