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

int weft_fail(struct weft *w, int code, const char *format, ...) WEFT_PRINTF(3, 4);
int weft_fail_errno(struct weft *w, int code, int error, const char *format, ...) WEFT_PRINTF(4, 5);
int weft_fail_memory(struct weft *w);

#endif
