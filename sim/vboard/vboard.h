/* SPDX-License-Identifier: Apache-2.0 */
/* A command that finds a board on USB where there is none: what libweft-vboard.so exports to the tool. */
#ifndef WEFT_VBOARD_H
#define WEFT_VBOARD_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "board.h"

#define WEFT_VBOARD_SYMBOL "weft_vboard_run"
#define WEFT_VBOARD_FAULTS 16U

enum weft_vboard_fault_kind {
  WEFT_VBOARD_UNPLUG,
  WEFT_VBOARD_STALL,
  WEFT_VBOARD_SHORT,
  WEFT_VBOARD_LOSE,
  WEFT_VBOARD_FLIP,
  WEFT_VBOARD_INSERT,
  WEFT_VBOARD_STUCK,
  WEFT_VBOARD_MUTE,
  WEFT_VBOARD_HANG,
  WEFT_VBOARD_VERSION,
  WEFT_VBOARD_BUSY,
  WEFT_VBOARD_PERMISSION,
  WEFT_VBOARD_TWIN,
  WEFT_VBOARD_KINDS
};

struct weft_vboard_options {
  enum weft_board_front front;
  const char *serial;
  const char *board; /* libweft-board.so */
  const char *hash;  /* of the configuration that it must have been built from */
  uint64_t seed;
  /* Per kind: whether, and its number (0: the kind's own). */
  struct {
    bool on;
    uint64_t number;
  } fault[WEFT_VBOARD_KINDS];
  char *const *command; /* NULL at the end */
};

struct weft_vboard_result {
  int status; /* the command's exit code; 128 + N if signal N ended it */
  struct weft_board_figures figures;
  uint64_t transfers_in, transfers_out, transfers_control; /* that were completed */
  uint64_t injected[WEFT_VBOARD_KINDS];
  char message[512]; /* what was wrong, if the command was not run or the board broke a rule */
};

/* 0: the command has ended, and status is its own. Else an exit code for the tool (3: the board failed, 4: the machine
 * lacks something), and message says why. */
typedef int weft_vboard_run_function(const struct weft_vboard_options *options,
                                     struct weft_vboard_result *result);
weft_vboard_run_function weft_vboard_run;

#endif
