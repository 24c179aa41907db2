/* SPDX-License-Identifier: Apache-2.0 */
/* What the two files of the PTX reader share. */
#ifndef WEFT_LITMUS_PTX_H
#define WEFT_LITMUS_PTX_H

#include "parse.h"

struct mnemonic {
  char base[LITMUS_NAME];
  bool ordered; /* an order was said */
  bool weak, acquire, release, sc;
  bool scoped;
  uint8_t scope;
  uint8_t bytes; /* 0: not said */
  bool is_unsigned;
  bool operates, negates; /* an atomic's operation was said; sub is an add */
  uint8_t func;
  bool sync, arrive;
  const char *unknown; /* a part that is none of these */
};

/* ptx_mnemonic.c: `parts` is the mnemonic, and is cut at its dots. */
void weft_litmus_ptx_mnemonic(struct mnemonic *m, char parts[LITMUS_NAME]);

#endif
