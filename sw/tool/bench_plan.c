/* SPDX-License-Identifier: Apache-2.0 */
/* What is run: the workloads of REC's Table 3 with their footprints divided by 64, and the variants of each benchmark. */
#include "bench.h"

#define COUNT(table) (sizeof(table) / sizeof *(table))
#define WORK(name, run, file, of, rounds, lines) \
  { .label = (name), \
    .workload = (run), \
    .graph = (file), \
    .size = (of), \
    .iterations = (rounds), \
    .paper_lines = (lines) }
#define ON(name, directory, over, mean, ...) \
  { \
    .label = (name), .protocol = (directory), .reference = (over), .paper = (mean), .set = { __VA_ARGS__ } \
  }

/* Footprints of the paper in MB, then ours: ATAX 128, C2D 512, FIR 128, GEMM 128, GEMV 256, J2D 128, LU 128, MM2 128, MM3 64,
 * PR 256, SC 512, ST 128. Sides that are no powers of two, so that a column's lines do not all meet in one set. */
static const struct bench_work works[] = {
  WORK("ATAX", "atax", NULL, 720, 0, 3.9), WORK("C2D", "conv2d", NULL, 1008, 0, 0),
  WORK("FIR", "fir", NULL, 262144, 2, 0),  WORK("GEMM", "matmul", NULL, 400, 0, 0),
  WORK("GEMV", "gemv", NULL, 1008, 0, 0),  WORK("J2D", "jacobi2d", NULL, 496, 3, 0),
  WORK("LU", "lu", NULL, 720, 0, 0),       WORK("MM2", "mm2", NULL, 304, 0, 0),
  WORK("MM3", "mm3", NULL, 208, 0, 0),     WORK("PR", "pagerank", "uniform:32768,0.079", 0, 1, 6.1),
  WORK("SC", "sc", NULL, 1008, 0, 0),      WORK("ST", "st", NULL, 496, 3, 5.8),
};

/* Pages go to the nodes by turns, as in the simulator that the paper used. */
static const struct bench_family family = {
  .config = "rec4",
  .work = works,
  .works = COUNT(works),
  .placement = WEFT_INTERLEAVED,
  .counters = "total.",
  .json = bench_rec_json,
  .print = bench_rec_print,
};

static const struct bench_variant rec[] = {
  ON("baseline", "baseline", 0, 1, NULL), ON("baseline2x", "baseline2x", 0, 1.073, NULL),
  ON("hmg", "hmg", 0, 1.167, NULL),       ON("rec", "rec", 0, 1.327, NULL),
  ON("ideal", "ideal", 0, 1.369, NULL),
};

static const struct bench_variant range[] = {
  ON("baseline", "baseline", 0, 1, NULL),          ON("128B", "rec", 0, 0, "directory.range=128"),
  ON("256B", "rec", 0, 0, "directory.range=256"),  ON("1KiB", "rec", 0, 1.327, "directory.range=1024"),
  ON("4KiB", "rec", 0, 0, "directory.range=4096"),
};

/* The paper's 2 K to 32 K entries, divided by 64; and the baseline with more of them (its Figure 6). */
static const struct bench_variant entries[] = {
  ON("baseline", "baseline", 0, 1, NULL),
  ON("rec/4", "rec", 0, 0, "directory.entries=32", "directory.ways=4"),
  ON("rec/2", "rec", 0, 0, "directory.entries=64"),
  ON("rec", "rec", 0, 1.327, NULL),
  ON("rec*2", "rec", 0, 0, "directory.entries=256"),
  ON("rec*4", "rec", 0, 0, "directory.entries=512"),
  ON("base*2", "baseline", 0, 1.073, "directory.entries=256"),
  ON("base*4", "baseline", 0, 0, "directory.entries=512"),
  ON("base*8", "baseline", 0, 0, "directory.entries=1024"),
  ON("base*16", "baseline", 0, 1.369, "directory.entries=2048"),
};

static const struct bench_variant replacement[] = {
  ON("baseline", "baseline", 0, 1, NULL),
  ON("FIFO", "rec", 0, 0, "directory.refresh=0"),
  ON("LRU-like", "rec", 0, 1.327, "directory.refresh=1"),
};

/* 0.5, 2 and 8 MB, divided by 64; a quarter is a quarter of the ways, since a bank has two sets at least. */
static const struct bench_variant l2[] = {
  ON("base 8K", "baseline", 0, 1, "l2.sets=2", "l2.ways=8"),
  ON("rec 8K", "rec", 0, 1.063, "l2.sets=2", "l2.ways=8"),
  ON("base 32K", "baseline", 2, 1, NULL),
  ON("rec 32K", "rec", 2, 1.327, NULL),
  ON("base 128K", "baseline", 4, 1, "l2.sets=16"),
  ON("rec 128K", "rec", 4, 1.267, "l2.sets=16"),
};

static const struct bench_variant bandwidth[] = {
  ON("base 19", "baseline", 2, 0, "link.bytes=19"),
  ON("rec 19", "rec", 2, 0, "link.bytes=19"),
  ON("base 38", "baseline", 2, 1, NULL),
  ON("rec 38", "rec", 2, 1.327, NULL),
  ON("base 76", "baseline", 2, 0, "link.bytes=76"),
  ON("rec 76", "rec", 2, 0, "link.bytes=76"),
  ON("base 152", "baseline", 2, 0, "link.bytes=152"),
  ON("rec 152", "rec", 2, 0, "link.bytes=152"),
};

static const struct bench_variant nodes[] = {
  ON("base 2", "baseline", 0, 1, "nodes=2"),   ON("rec 2", "rec", 0, 0, "nodes=2"),
  ON("base 4", "baseline", 2, 1, NULL),        ON("rec 4", "rec", 2, 1.327, NULL),
  ON("base 8", "baseline", 4, 1, "nodes=8"),   ON("rec 8", "rec", 4, 1.247, "nodes=8"),
  ON("base 16", "baseline", 6, 1, "nodes=16"), ON("rec 16", "rec", 6, 1.147, "nodes=16"),
};

static const struct bench benches[] = {
  { "rec", "REC's twelve workloads on baseline, baseline2x, hmg, rec and ideal", &family, rec, COUNT(rec),
    true },
  { "rec-range", "bytes that an entry of rec covers: 128 to 4096", &family, range, COUNT(range), false },
  { "rec-entries", "entries of rec, and of the baseline, from a quarter to 16 times", &family, entries,
    COUNT(entries), false },
  { "rec-replacement", "rec with FIFO against LRU-like replacement", &family, replacement, COUNT(replacement),
    false },
  { "rec-l2", "baseline and rec with L2s of a quarter, one and four times the size", &family, l2, COUNT(l2),
    false },
  { "rec-link", "baseline and rec with links of half to four times the bandwidth", &family, bandwidth,
    COUNT(bandwidth), false },
  { "rec-nodes", "baseline and rec on 2, 4, 8 and 16 nodes", &family, nodes, COUNT(nodes), false },
};

static const struct bench *const others[] = { &bench_finepack,      &bench_finepack_subheader,
                                              &bench_finepack_link, &bench_goodput,
                                              &bench_xtreme,        &bench_halcone,
                                              &bench_stamps,        &bench_board };

const struct bench *bench_at(size_t index)
{
  if (index < COUNT(benches))
    return &benches[index];
  index -= COUNT(benches);
  return index < COUNT(others) ? others[index] : NULL;
}
