/* SPDX-License-Identifier: Apache-2.0 */
/* What the tests of the library share. */
#ifndef WEFT_LIB_TEST_H
#define WEFT_LIB_TEST_H

#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdlib.h>
#include <string.h>

#include <cmocka.h>
#include <weft/workload.h>

/* Checks for a code and a part of its message. */
#define assert_fails(w, call, code, part) \
  do { \
    assert_int_equal(call, code); \
    if (!strstr(weft_message(w), part)) \
      fail_msg("'%s' is not in: %s", part, weft_message(w)); \
  } while (0)
#define assert_works(w, call) \
  do { \
    int code_ = (call); \
    if (code_) \
      fail_msg("%s: %s", weft_code_name(code_), weft_message(w)); \
  } while (0)

struct weft *open_machine(const char *backend);
struct weft *open_with(const char *backend, const struct weft_options *options);

#endif
