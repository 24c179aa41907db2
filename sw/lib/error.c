/* SPDX-License-Identifier: Apache-2.0 */
#include "error.h"

#include <stdarg.h>
#include <stdio.h>
#include <string.h>

#include "handle.h"

static const struct {
  int code;
  const char *name;
} code_names[] = {
#define NAME(code) { code, #code }
  NAME(WEFT_OK),
  NAME(WEFT_WRONG_RESULT),
  NAME(WEFT_MISMATCH),
  NAME(WEFT_STUCK),
  NAME(WEFT_BAD_ARGUMENT),
  NAME(WEFT_BAD_STATE),
  NAME(WEFT_UNKNOWN_BACKEND),
  NAME(WEFT_UNKNOWN_CONFIG),
  NAME(WEFT_UNKNOWN_PARAMETER),
  NAME(WEFT_BAD_PARAMETER),
  NAME(WEFT_UNKNOWN_PROTOCOL),
  NAME(WEFT_UNKNOWN_EGRESS),
  NAME(WEFT_UNKNOWN_WORKLOAD),
  NAME(WEFT_UNKNOWN_FAULT),
  NAME(WEFT_BAD_ADDRESS),
  NAME(WEFT_ACROSS_LINE),
  NAME(WEFT_BAD_SIZE),
  NAME(WEFT_MISALIGNED),
  NAME(WEFT_BAD_FILE),
  NAME(WEFT_NO_ROOM),
  NAME(WEFT_NOT_BUILT_IN),
  NAME(WEFT_UNKNOWN_COUNTER),
  NAME(WEFT_UNKNOWN_TIMING),
  NAME(WEFT_BACKEND_BROKE),
  NAME(WEFT_BACKEND_OTHER),
  NAME(WEFT_BUILD_BROKE),
  NAME(WEFT_LINK_DOWN),
  NAME(WEFT_BOARD_ABSENT),
  NAME(WEFT_BOARD_AMBIGUOUS),
  NAME(WEFT_BOARD_BUSY),
  NAME(WEFT_BOARD_GONE),
  NAME(WEFT_BOARD_SILENT),
  NAME(WEFT_BAD_RECORD),
  NAME(WEFT_NO_FILE),
  NAME(WEFT_NO_DISK),
  NAME(WEFT_NO_MEMORY),
  NAME(WEFT_NOT_BUILT),
  NAME(WEFT_NO_PERMISSION),
#undef NAME
};

const char *weft_code_name(int code)
{
  for (size_t i = 0; i < sizeof code_names / sizeof *code_names; i++)
    if (code_names[i].code == code)
      return code_names[i].name;
  return "unknown code";
}

int weft_code_class(int code)
{
  if (code <= 0)
    return 0;
  return code < 10 ? 1 : code < 40 ? 2 : code < 60 ? 3 : 4;
}

const char *weft_message(const struct weft *w)
{
  return w->failure.message;
}

const char *weft_report(const struct weft *w)
{
  return w->failure.report ? w->failure.report : "";
}

const char *weft_version(void)
{
  return WEFT_VERSION;
}

void weft_fail_text(struct weft *w, int code, const char *format, ...)
{
  va_list values;
  va_start(values, format);
  vsnprintf(w->failure.message, sizeof w->failure.message, format, values);
  va_end(values);
  w->failure.code = code;
}

void weft_fail_errno_text(struct weft *w, int code, int error, const char *format, ...)
{
  char reason[128];
  va_list values;
  va_start(values, format);
  int used = vsnprintf(w->failure.message, sizeof w->failure.message, format, values);
  va_end(values);
  /* The POSIX form returns a number and the GNU form a string; this one works with either. */
  reason[0] = 0;
#if defined(_GNU_SOURCE)
  snprintf(reason, sizeof reason, "%s", strerror_r(error, (char[128]){ 0 }, 128));
#else
  if (strerror_r(error, reason, sizeof reason))
    snprintf(reason, sizeof reason, "error %d", error);
#endif
  if (used >= 0 && (size_t)used < sizeof w->failure.message)
    snprintf(w->failure.message + used, sizeof w->failure.message - (size_t)used, ": %s", reason);
  w->failure.code = code;
}

int weft_backend_fail(struct weft *w, int result, const struct weft_backend_error *e)
{
  static const int codes[] = {
    [WEFT_BACKEND_OK] = WEFT_OK,
    [WEFT_BACKEND_STUCK] = WEFT_STUCK,
    [WEFT_BACKEND_MISMATCH] = WEFT_MISMATCH,
    [WEFT_BACKEND_FAILED] = WEFT_BACKEND_BROKE,
    [WEFT_BACKEND_LACKS] = WEFT_NO_MEMORY,
    [WEFT_BACKEND_REFUSED] = WEFT_NOT_BUILT_IN,
    [WEFT_BACKEND_LINK_DOWN] = WEFT_LINK_DOWN,
    [WEFT_BACKEND_ABSENT] = WEFT_BOARD_ABSENT,
    [WEFT_BACKEND_AMBIGUOUS] = WEFT_BOARD_AMBIGUOUS,
    [WEFT_BACKEND_BUSY] = WEFT_BOARD_BUSY,
    [WEFT_BACKEND_DENIED] = WEFT_NO_PERMISSION,
    [WEFT_BACKEND_GONE] = WEFT_BOARD_GONE,
    [WEFT_BACKEND_SILENT] = WEFT_BOARD_SILENT,
    [WEFT_BACKEND_VERSION] = WEFT_BACKEND_OTHER,
    [WEFT_BACKEND_RECORD] = WEFT_BAD_RECORD,
    [WEFT_BACKEND_NO_DISK] = WEFT_NO_DISK,
    [WEFT_BACKEND_NO_FILE] = WEFT_NO_FILE,
  };
  if (result == WEFT_BACKEND_OK)
    return WEFT_OK;
  if (result < 0 || (size_t)result >= sizeof codes / sizeof *codes)
    return weft_fail(w, WEFT_BACKEND_BROKE, "the back-end gave the unknown result %d: %s", result, e->text);
  return weft_fail(w, codes[result], "%s", e->text[0] ? e->text : "the back-end failed and did not say why");
}

int weft_need_open(struct weft *w)
{
  return w->backend ? WEFT_OK : weft_fail(w, WEFT_BAD_STATE, "no back-end is open; call weft_open() first");
}
