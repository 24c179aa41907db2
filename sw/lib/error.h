/* SPDX-License-Identifier: Apache-2.0 */
/* How a function says that it failed: it returns weft_fail(...). For sw/lib and sw/workloads. */
#ifndef WEFT_ERROR_H
#define WEFT_ERROR_H

#include <weft/weft.h>

#define WEFT_MESSAGE_BYTES 2304 /* a back-end's text and what stands before it */

/* The first member of struct weft. */
struct weft_failure {
  int code;
  char message[WEFT_MESSAGE_BYTES];
  char *report; /* of a run that was stuck; owned */
};

/* weft_fail(w, code, format, ...) keeps code and text, and is the code: whoever reads `return
 * weft_fail(...)`, be it a compiler or an analyser, sees that it is not WEFT_OK. */
void weft_fail_text(struct weft *w, int code, const char *format, ...) WEFT_PRINTF(3, 4);
static inline int weft_fail_code(int code)
{
  return code;
}
#define weft_fail(w, code, ...) (weft_fail_text(w, code, __VA_ARGS__), weft_fail_code(code))

/* With the system's reason for `error` behind the text. */
void weft_fail_errno_text(struct weft *w, int code, int error, const char *format, ...) WEFT_PRINTF(4, 5);
#define weft_fail_errno(w, code, ...) (weft_fail_errno_text(w, code, __VA_ARGS__), weft_fail_code(code))

static inline int weft_fail_memory(struct weft *w)
{
  weft_fail_text(w, WEFT_NO_MEMORY, "out of memory on this computer; use a smaller size");
  return WEFT_NO_MEMORY;
}

#endif
