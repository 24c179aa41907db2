/* SPDX-License-Identifier: Apache-2.0 */
/* What a board's line carries: streams of one kind of operation, pipelined, in free and in exact time. */
#ifndef WEFT_BENCH_BOARD_H
#define WEFT_BENCH_BOARD_H

#include "bench.h"

enum board_kind { BOARD_LOAD, BOARD_STORE, BOARD_ATOMIC, BOARD_KINDS };
extern const char *const board_kind_names[BOARD_KINDS];
extern const char *const board_timings[2]; /* "free", "exact" */

/* One stream on one board. */
struct board_row {
  enum board_kind kind;
  const char *timing;
  uint64_t operations, bytes_down, bytes_up, cycles;
  double seconds;
  /* Of a virtual board, else 0: clocks of 60 MHz, in each of which the FTDI's lines carry a byte either way. */
  uint64_t clocks, moved; /* and the bytes that they did carry */
};

/* bench_board_stream.c: `each` operations of every warp. An exit code, or -1 to go on; `config` is told. */
int board_stream(const struct arguments *a, const char *backend, uint64_t each, struct board_row *row,
                 char config[32]);
/* bench_board_virtual.c: the same in a virtual board of its own, of which only the steady state counts. */
int board_virtual(const struct arguments *a, uint64_t each, struct board_row *row);

int bench_board_run(const struct arguments *a, struct output *out);

#endif
