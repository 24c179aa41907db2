/* SPDX-License-Identifier: Apache-2.0 */
/* A board for tests of the host's session: the model's receiving end, a few commands, and a line that loses, flips, doubles and
 * invents bytes as often as it is told. */
#ifndef WEFT_SOFT_BOARD_H
#define WEFT_SOFT_BOARD_H

#include "frame_rx.h"
#include "host_message.h"
#include "line.h"
#include "random.h"

#define SOFT_BYTES (1U << 16)
#define SOFT_LOG 4096U

struct soft_board {
  struct weft_frame_rx rx;
  struct weft_random random;
  uint8_t out[SOFT_BYTES]; /* on their way to the host */
  size_t out_from, out_count;
  uint8_t answers[SOFT_BYTES]; /* not in a frame yet */
  size_t answers_count;
  uint8_t number, told_ack;
  uint16_t told_credit;
  struct weft_host_counts told;
  uint32_t log[SOFT_LOG]; /* values of all WRITEs, in order */
  unsigned log_count;
  unsigned per_million;  /* of bytes, each way, that something happens to */
  unsigned faults;       /* that happened */
  unsigned late, waited; /* so many times there is nothing to receive before there is something */
  bool deaf;             /* answers nothing */
  bool forgets_numbers;  /* a fault of the board: executes whatever frame comes */
  uint8_t version;       /* of its frames, if not ours */
  bool unplugged;
};

void soft_board_line(struct soft_board *b, uint64_t seed, struct weft_line *line);

#endif
