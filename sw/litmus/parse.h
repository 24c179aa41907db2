/* SPDX-License-Identifier: Apache-2.0 */
/* What the files of the reader share. Its functions return false when something is wrong; what it is stands in the
 * lexer then, and the first thing found is what the user is told. */
#ifndef WEFT_LITMUS_PARSE_H
#define WEFT_LITMUS_PARSE_H

#include "test.h"

enum litmus_token { LITMUS_END, LITMUS_WORD, LITMUS_NUMBER, LITMUS_SIGN };

struct litmus_lexer {
  struct weft *w;
  const char *name; /* of the file */
  const char *text;
  size_t bytes, at;
  unsigned line;
  int code; /* of the library, once something was wrong */
  /* The token that is looked at: */
  enum litmus_token kind;
  unsigned token_line;
  char word[LITMUS_NAME]; /* WORD, SIGN */
  int64_t number;         /* NUMBER */
};

/* lexer.c */
bool weft_litmus_next(struct litmus_lexer *l); /* looks at the next token */
bool weft_litmus_is(const struct litmus_lexer *l, const char *text);
bool weft_litmus_take(struct litmus_lexer *l,
                      const char *text); /* if it is this: goes on; false: it is not */
bool weft_litmus_expect(struct litmus_lexer *l, const char *text); /* or it is wrong */
void weft_litmus_fail_text(struct litmus_lexer *l, unsigned line, const char *format, ...) WEFT_PRINTF(3, 4);
#define litmus_fail(l, ...) (weft_litmus_fail_text(l, (l)->token_line, __VA_ARGS__), false)
bool weft_litmus_fail_memory(struct litmus_lexer *l);
/* For a message: the token, or that the file ends. */
const char *weft_litmus_shown(const struct litmus_lexer *l);
/* Up to the '{' that begins the test: dialect and name. */
bool weft_litmus_read_head(struct litmus_lexer *l, struct weft_litmus *t);

/* parse.c: parts that occur in several sections */
bool weft_litmus_integer(struct litmus_lexer *l, int64_t *value);               /* with a sign */
bool weft_litmus_thread_number(const struct litmus_lexer *l, unsigned *number); /* 1 or P1 */
/* Looking at a thread's number that a ':' follows. */
bool weft_litmus_at_register(struct litmus_lexer *l, unsigned *thread);
bool weft_litmus_register(struct litmus_lexer *l, struct weft_litmus *t, unsigned thread, unsigned *index);
bool weft_litmus_location(struct litmus_lexer *l, struct weft_litmus *t, unsigned *index);

/* init.c, condition.c: sections */
bool weft_litmus_read_init(struct litmus_lexer *l, struct weft_litmus *t);
bool weft_litmus_read_locations(struct litmus_lexer *l, struct weft_litmus *t);
bool weft_litmus_read_condition(struct litmus_lexer *l, struct weft_litmus *t, int *root);

/* program.c: the columns */
bool weft_litmus_read_program(struct litmus_lexer *l, struct weft_litmus *t);
bool weft_litmus_at_cell_end(const struct litmus_lexer *l);
bool weft_litmus_skip_cell(struct litmus_lexer *l);
struct litmus_instruction *weft_litmus_put(struct litmus_lexer *l, struct litmus_thread *th,
                                           enum litmus_op op);
bool weft_litmus_put_fence(struct litmus_lexer *l, struct litmus_thread *th, enum litmus_fence fence,
                           unsigned scope);
/* Looking at a label's name: the branch goes there. */
bool weft_litmus_branch_to(struct litmus_lexer *l, struct litmus_thread *th, struct litmus_instruction *i);

/* riscv.c, ptx.c: one cell, the lexer looking behind the mnemonic. */
bool weft_litmus_riscv(struct litmus_lexer *l, struct weft_litmus *t, struct litmus_thread *th,
                       const char *mnemonic);
bool weft_litmus_ptx(struct litmus_lexer *l, struct weft_litmus *t, struct litmus_thread *th,
                     const char *mnemonic);
/* Canonical name of a register ("t0" is "x5"); false: it is none. */
bool weft_litmus_riscv_register(const char *name, char canonical[LITMUS_NAME]);
bool weft_litmus_ptx_register(const struct litmus_thread *th, const char *name);

#endif
