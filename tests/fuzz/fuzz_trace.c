/* SPDX-License-Identifier: Apache-2.0 */
/* Traces: whatever the bytes, the parser returns; a trace that it accepts is not refused by the machine. */
#include <stdlib.h>

#include "trace.h"

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size);

static struct weft_trace_file file;

static void kernel(struct weft_warp *t, void *arg)
{
  const struct weft_place *p = weft_where(t);
  (void)arg;
  for (size_t i = 0; i < file.count && !p->warp; i++) {
    const struct weft_trace_op *op = &file.op[i];
    if (op->node != p->node || op->cu != p->cu)
      continue;
    if (op->kind == WEFT_TRACE_LOAD)
      weft_load(t, op->mapped, file.pool + op->result, op->bytes, op->order, op->scope);
    else if (op->kind == WEFT_TRACE_STORE)
      weft_store(t, op->mapped, file.pool + op->data, op->bytes, op->order, op->scope);
    else if (op->kind == WEFT_TRACE_FENCE)
      weft_fence(t, op->order, op->scope);
    else
      weft_rmw(t, op->func, op->mapped, op->bytes, 0, 0, op->order, op->scope);
  }
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
  static const struct weft_trace_limits limits = { 2, 2, 32, 32768, true };
  struct weft *w = weft_new();
  struct weft_trace_map *map = NULL;
  if (!weft_trace_parse(w, "fuzz", (const char *)data, size, &limits, &file)) {
    for (size_t i = 0; i < file.count; i++)
      file.op[i].mapped = WEFT_PHYSICAL(file.op[i].address);
    if (weft_trace_foresee(w, &file, limits.line, &map))
      abort();
    /* The parser's checks are those of the machine: nothing that passed them is refused there. */
    if (size < 400 && (weft_open(w, "null:tiny", NULL) || weft_launch(w, kernel, NULL)))
      abort();
  }
  weft_trace_map_free(map);
  weft_trace_free(&file);
  weft_free(w);
  return 0;
}
