/* SPDX-License-Identifier: Apache-2.0 */
/* What the two files of the RISC-V reader share. */
#ifndef WEFT_LITMUS_RISCV_H
#define WEFT_LITMUS_RISCV_H

#include "parse.h"

/* riscv.c: operands */
bool weft_litmus_riscv_source(struct litmus_lexer *l, struct litmus_thread *th, struct litmus_operand *to);
bool weft_litmus_riscv_target(struct litmus_lexer *l, struct litmus_thread *th, int *to);
bool weft_litmus_riscv_comma(struct litmus_lexer *l);

/* riscv_compute.c: arithmetic, branches; what is not known is skipped */
bool weft_litmus_riscv_compute(struct litmus_lexer *l, struct weft_litmus *t, struct litmus_thread *th,
                               const char *mnemonic);

#endif
