/* SPDX-License-Identifier: Apache-2.0 */
/* Spatter's JSON: whatever the bytes, the parser returns; what it accepts keeps its limits. */
#include <stdlib.h>

#include "spatter.h"

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size);

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
  struct weft *w = weft_new();
  struct weft_spatter_set set;
  if (!weft_spatter_parse(w, "fuzz", (const char *)data, size, &set))
    for (size_t i = 0; i < set.count; i++) {
      const struct weft_spatter_pattern *p = &set.pattern[i];
      if (!p->length || p->length > WEFT_SPATTER_LENGTH_MAX || !p->count ||
          (p->kernel == WEFT_GATHER_SCATTER) != !!p->to)
        abort();
      for (size_t k = 0; k < p->length; k++)
        if (p->index[k] > WEFT_SPATTER_INDEX_MAX || (p->to && p->to[k] > WEFT_SPATTER_INDEX_MAX))
          abort();
    }
  weft_spatter_free(&set);
  weft_free(w);
  return 0;
}
