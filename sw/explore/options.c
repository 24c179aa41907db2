/* SPDX-License-Identifier: Apache-2.0 */
/* Names that a user types, as the numbers that the explorer takes. */
#include "explore.h"
#include "error.h"
#include "names.h"
#include "text.h"

int weft_explore_find(struct weft *w, const char *protocol, const char *fault,
                      struct explore_options *options)
{
  int failed = weft_protocol_find(w, protocol, &options->protocol);
  return failed ? failed : weft_fault_find(w, fault, &options->fault);
}

int weft_explore_find_shape(struct weft *w, const char *name)
{
  int row = weft_explore_shape_find(name);
  if (row >= 0)
    return row;
  struct weft_text text = { 0 };
  for (size_t i = 0; weft_explore_shape_name(i); i++)
    weft_text_add(&text, "%s%s", i ? ", " : "", weft_explore_shape_name(i));
  weft_fail(w, WEFT_BAD_ARGUMENT, "there is no shape '%s'; there are %s", name, weft_text_get(&text));
  weft_text_free(&text);
  return -1;
}
