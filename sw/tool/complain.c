/* SPDX-License-Identifier: Apache-2.0 */
#include <stdarg.h>

#include "tool.h"

int complain(int exit_code, const char *format, ...)
{
  va_list values;
  fflush(stdout);
  fputs("weft: ", stderr);
  va_start(values, format);
  vfprintf(stderr, format, values);
  va_end(values);
  fputc('\n', stderr);
  return exit_code;
}

int complain_library(const struct weft *w, int code)
{
  complain(EXIT_USE, "%s", weft_message(w));
  if (weft_report(w)[0])
    fputs(weft_report(w), stderr);
  return weft_code_class(code);
}
