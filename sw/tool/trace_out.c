/* SPDX-License-Identifier: Apache-2.0 */
#include <inttypes.h>
#include <string.h>

#include "tool.h"

/* Little-endian bytes as one number. */
static void put_value(FILE *out, const uint8_t *bytes, unsigned count)
{
  fputs(" 0x", out);
  for (unsigned i = count; i-- > 0;)
    fprintf(out, "%02x", bytes[i]);
}

void trace_out(void *file, const struct weft_operation *o)
{
  FILE *out = file;
  bool atomic = !strcmp(o->op, "atomic");
  fprintf(out, "%u %u %s", o->node, o->cu, atomic ? o->detail : o->op);
  if (!atomic && strcmp(o->order, "weak") != 0)
    fprintf(out, ".%s", o->order);
  fprintf(out, " %s", o->scope);
  if (o->bytes)
    fprintf(out, " 0x%" PRIx64 " %u", o->physical, o->bytes);
  if (o->value)
    put_value(out, o->value, o->bytes);
  if (o->value && atomic && !strcmp(o->detail, "cas"))
    put_value(out, o->value + 8, o->bytes);
  fputc('\n', out);
}
