/* SPDX-License-Identifier: Apache-2.0 */
#include <string.h>

#include "tool.h"

json_t *json_counters(struct weft *w, const uint64_t *values, const char *prefix)
{
  json_t *object = json_object();
  size_t length = strlen(prefix);
  for (size_t i = 0; i < weft_counter_total(w); i++) {
    const char *name = weft_counter_name(w, i);
    if (!strncmp(name, prefix, length))
      json_object_set_new(object, name, json_integer((json_int_t)values[i]));
  }
  return object;
}

json_t *json_provenance(const struct arguments *a, const char *hash)
{
#if defined(__clang__)
  const char *compiler = "clang " __clang_version__;
#else
  const char *compiler = "gcc " __VERSION__;
#endif
  return json_pack("{s:s, s:s, s:{s:s, s:s}, s:s}", "version", weft_version(), "hash", hash, "tools",
                   "compiler", compiler, "jansson", JANSSON_VERSION, "command", a->command);
}

json_t *json_names(const char *(*at)(size_t index))
{
  json_t *array = json_array();
  for (size_t i = 0; at(i); i++)
    json_array_append_new(array, json_string(at(i)));
  return array;
}
