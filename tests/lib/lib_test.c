/* SPDX-License-Identifier: Apache-2.0 */
#include "lib_test.h"

struct weft *open_with(const char *backend, const struct weft_options *options)
{
  struct weft *w = weft_new();
  assert_non_null(w);
  assert_works(w, weft_open(w, backend, options));
  return w;
}

struct weft *open_machine(const char *backend)
{
  return open_with(backend, NULL);
}
