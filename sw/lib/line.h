/* SPDX-License-Identifier: Apache-2.0 */
/* A line to a board: bytes there and back. Everything above it (host_session.c) is the same whether they go over USB, into a
 * record beside that, or come out of one. Nothing but receive() waits, and time is what it says has passed: a session that
 * is given the same bytes and pauses again does the same again. */
#ifndef WEFT_LINE_H
#define WEFT_LINE_H

#include "backend.h"

struct weft_line {
  void *context;
  char name[96];  /* of what is at its other end, for messages */
  uint32_t nonce; /* of the first reset; one that no earlier user of the board had */
  /* Takes all bytes, in their order. Results are those of enum weft_backend_result. */
  int (*send)(void *context, const uint8_t *bytes, size_t count, struct weft_backend_error *e);
  /* At least one byte, or *count = 0 when there was none for so long. */
  int (*receive)(void *context, uint8_t *bytes, size_t room, unsigned milliseconds, size_t *count,
                 struct weft_backend_error *e);
  void (*close)(void *context);
};

int weft_line_fails(struct weft_backend_error *e, int result, const char *format, ...)
  __attribute__((format(printf, 3, 4)));

#endif
