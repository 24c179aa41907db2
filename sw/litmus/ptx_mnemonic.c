/* SPDX-License-Identifier: Apache-2.0 */
/* A mnemonic of PTX taken apart. */
#include <string.h>

#include "ptx.h"

static bool order_part(struct mnemonic *m, const char *part)
{
  bool acq_rel = !strcmp(part, "acq_rel");
  bool volatile_ = !strcmp(part, "volatile") || !strcmp(part, "mmio");
  m->weak |= !strcmp(part, "weak");
  m->acquire |= !strcmp(part, "acquire") || acq_rel;
  m->release |= !strcmp(part, "release") || acq_rel;
  m->sc |= !strcmp(part, "sc");
  if (volatile_) {
    m->scope = WEFT_SYS;
    m->scoped = true;
  }
  bool is = m->weak || m->acquire || m->release || m->sc || volatile_ || !strcmp(part, "relaxed");
  bool already = m->ordered;
  m->ordered |= is;
  return is && !already;
}

static bool scope_part(struct mnemonic *m, const char *part)
{
  static const struct {
    const char *name;
    uint8_t scope;
  } scopes[] = {
    { "cta", WEFT_CTA }, { "cluster", WEFT_GPU }, { "gpu", WEFT_GPU }, { "gl", WEFT_GPU }, { "sys", WEFT_SYS }
  };
  for (size_t i = 0; i < sizeof scopes / sizeof *scopes; i++)
    if (!strcmp(part, scopes[i].name)) {
      m->scope = scopes[i].scope;
      m->scoped = true;
      return true;
    }
  return false;
}

static bool type_part(struct mnemonic *m, const char *part)
{
  static const char *const sizes[] = { "8", "16", "32", "64" };
  if (!strchr("usb", part[0]))
    return !strcmp(part, "global");
  for (unsigned i = 0; i < 4; i++)
    if (part[0] && !strcmp(part + 1, sizes[i])) {
      m->bytes = (uint8_t)(1u << i);
      m->is_unsigned = part[0] != 's';
      return true;
    }
  return false;
}

static bool operation_part(struct mnemonic *m, const char *part)
{
  static const struct {
    const char *name;
    uint8_t func;
    bool negates;
  } operations[] = { { "add", WEFT_ADD, false }, { "sub", WEFT_ADD, true },  { "exch", WEFT_EXCH, false },
                     { "cas", WEFT_CAS, false }, { "min", WEFT_MIN, false }, { "max", WEFT_MAX, false },
                     { "and", WEFT_AND, false }, { "or", WEFT_OR, false },   { "xor", WEFT_XOR, false } };
  for (size_t i = 0; i < sizeof operations / sizeof *operations; i++)
    if (!strcmp(part, operations[i].name)) {
      m->func = operations[i].func;
      m->negates = operations[i].negates;
      m->operates = true;
      return true;
    }
  m->sync |= !strcmp(part, "sync");
  m->arrive |= !strcmp(part, "arrive");
  return !strcmp(part, "sync") || !strcmp(part, "arrive");
}

void weft_litmus_ptx_mnemonic(struct mnemonic *m, char parts[LITMUS_NAME])
{
  memset(m, 0, sizeof *m);
  char *part = strchr(parts, '.');
  if (part)
    *part++ = 0;
  memcpy(m->base, parts, LITMUS_NAME);
  while (part) {
    char *next = strchr(part, '.');
    if (next)
      *next++ = 0;
    bool known = order_part(m, part) || scope_part(m, part) || type_part(m, part) || operation_part(m, part);
    if (!known && !m->unknown)
      m->unknown = part;
    part = next;
  }
  if (m->func == WEFT_MIN && m->operates && m->is_unsigned)
    m->func = WEFT_MINU;
  if (m->func == WEFT_MAX && m->operates && m->is_unsigned)
    m->func = WEFT_MAXU;
}
