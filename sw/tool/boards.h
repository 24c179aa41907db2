/* SPDX-License-Identifier: Apache-2.0 */
/* What the verbs for boards share. */
#ifndef WEFT_TOOL_BOARDS_H
#define WEFT_TOOL_BOARDS_H

#include <weft/board.h>

#include "tool.h"

json_t *boards_json(const struct weft_board_found *boards, size_t count);
void boards_print(const struct weft_board_found *boards, size_t count);

/* Can this library work with it? */
bool boards_fits(const struct weft_board_identity *identity);
json_t *identity_json(const struct arguments *a, const struct weft_board_identity *identity);
void identity_print(const struct weft_board_identity *identity);

/* selftest_steps.c: what is tried on an open board, one after the other. A step says in `detail` what it did; a public code. */
struct selftest {
  struct weft *w;
  const struct arguments *a;
  bool quick;
  char detail[160];
  json_t *figures; /* of the step, or NULL; taken by whoever asked */
};
struct selftest_step {
  const char *name;
  int (*run)(struct selftest *t);
  bool free_time; /* the board is opened again, to run on */
};
const struct selftest_step *selftest_at(size_t index); /* NULL past the last */

/* bitstream.c: exit codes, or -1 to go on. `part` becomes the FPGA's name as the file has it. */
int bitstream_check(const char *path, char *part, size_t size);

#endif
