/* SPDX-License-Identifier: Apache-2.0 */
#include "units.h"

struct weft_config test_config(const char *name)
{
  for (size_t i = 0; i < weft_named_config_count; i++)
    if (strcmp(weft_named_configs[i].name, name) == 0)
      return weft_named_configs[i].value;
  fail_msg("no configuration '%s'", name);
  return weft_named_configs[0].value;
}
