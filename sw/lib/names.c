/* SPDX-License-Identifier: Apache-2.0 */
#include "names.h"

#include <errno.h>
#include <stdlib.h>
#include <string.h>

#include "handle.h"
#include "text.h"
#include "weft_protocols.h"

static const char *const protocol_names[] = WEFT_PROTOCOL_NAMES;
static const char *const egress_names[] = { "plain", "finepack", "bulk", "infinite" };
static const char *const timing_names[] = { "exact", "free" };
#define COUNT(array) (sizeof(array) / sizeof *(array))

static int unknown(struct weft *w, int code, const char *kind, const char *name, const char *const *names,
                   size_t count)
{
  struct weft_text text = { 0 };
  for (size_t i = 0; i < count; i++)
    weft_text_add(&text, "%s%s", i ? ", " : "", names[i]);
  weft_fail(w, code, "there is no %s '%s'; there %s %s", kind, name, count == 1 ? "is" : "are",
            weft_text_get(&text));
  weft_text_free(&text);
  return code;
}

static int find(const char *name, const char *const *names, size_t count)
{
  for (size_t i = 0; i < count; i++)
    if (!strcmp(name, names[i]))
      return (int)i;
  return -1;
}

const char *weft_protocol_at(size_t index)
{
  return index < COUNT(protocol_names) ? protocol_names[index] : NULL;
}

const char *weft_protocol_about(const char *protocol)
{
  int at = find(protocol, protocol_names, COUNT(protocol_names));
  return at < 0 ? NULL : weft_protocol_rows[at].doc;
}

bool weft_protocol_built(const struct weft_config *config, size_t number)
{
  size_t at = weft_protocol_rows[number].built;
  if (weft_protocol_rows[number].model)
    return false;
  return !at || *(const uint64_t *)(const void *)((const char *)config + at);
}

bool weft_protocol_runs(const struct weft *w, const char *protocol)
{
  int at = find(protocol, protocol_names, COUNT(protocol_names));
  return at >= 0 && w->backend && (w->info.runtime_config || weft_protocol_built(&w->config, (size_t)at));
}

int weft_protocol_fits_built(struct weft *w, const struct weft_config *config, uint8_t number)
{
  struct weft_text text = { 0 };
  if (weft_protocol_built(config, number))
    return WEFT_OK;
  for (size_t i = 0; i < COUNT(protocol_names); i++)
    if (weft_protocol_built(config, i))
      weft_text_add(&text, "%s%s", weft_text_get(&text)[0] ? ", " : "", protocol_names[i]);
  if (weft_protocol_rows[number].model)
    weft_fail(w, WEFT_NOT_BUILT_IN,
              "protocol %s is for comparison only, and not in hardware; %s%s has %s\nuse model:%s",
              protocol_names[number], weft_built_kind(w), w->config_name, weft_text_get(&text),
              w->config_name);
  else
    weft_fail(
      w, WEFT_NOT_BUILT_IN,
      "%s%s was built without protocol %s; it has %s\n"
      "use model:%s, which has them all, or set built.%s = 1 in rtl/config/configs.toml and build again",
      weft_built_kind(w), w->config_name, protocol_names[number], weft_text_get(&text), w->config_name,
      protocol_names[number]);
  weft_text_free(&text);
  return w->failure.code;
}

const char *weft_egress_at(size_t index)
{
  return index < COUNT(egress_names) ? egress_names[index] : NULL;
}

const char *weft_config_at(size_t index)
{
  return index < weft_named_config_count ? weft_named_configs[index].name : NULL;
}

const char *weft_config_about(const char *config)
{
  const struct weft_named_config *named = weft_named_config_find(config);
  return named ? named->doc : NULL;
}

int weft_protocol_find(struct weft *w, const char *name, uint8_t *number)
{
  int at = find(name ? name : "baseline", protocol_names, COUNT(protocol_names));
  if (at < 0)
    return unknown(w, WEFT_UNKNOWN_PROTOCOL, "protocol", name, protocol_names, COUNT(protocol_names));
  *number = (uint8_t)at;
  return WEFT_OK;
}

int weft_egress_find(struct weft *w, const char *name, uint8_t *number)
{
  int at = find(name ? name : "plain", egress_names, COUNT(egress_names));
  if (at < 0)
    return unknown(w, WEFT_UNKNOWN_EGRESS, "egress", name, egress_names, COUNT(egress_names));
  *number = (uint8_t)at;
  return WEFT_OK;
}

int weft_timing_check(struct weft *w, const char *name)
{
  if (!name || find(name, timing_names, COUNT(timing_names)) >= 0)
    return WEFT_OK;
  return unknown(w, WEFT_UNKNOWN_TIMING, "timing", name, timing_names, COUNT(timing_names));
}

const char *weft_fault_name(unsigned number)
{
  return number && number <= weft_fault_count ? weft_fault_table[number - 1].name : NULL;
}

const char *weft_fault_about(unsigned number)
{
  return number && number <= weft_fault_count ? weft_fault_table[number - 1].doc : NULL;
}

int weft_fault_find(struct weft *w, const char *name, uint8_t *number)
{
  *number = 0;
  if (!name)
    return WEFT_OK;
  for (unsigned i = 1; i <= weft_fault_count; i++)
    if (!strcmp(name, weft_fault_name(i))) {
      *number = (uint8_t)i;
      return WEFT_OK;
    }
  char *end;
  errno = 0;
  unsigned long value = strtoul(name, &end, 10);
  if (*name >= '0' && *name <= '9' && !*end && !errno && value <= weft_fault_count) {
    *number = (uint8_t)value;
    return WEFT_OK;
  }
  return weft_fail(w, WEFT_UNKNOWN_FAULT,
                   "there is no fault '%s'; there are 1 to %zu, such as %s\n"
                   "`weft list --faults` shows them",
                   name, weft_fault_count, weft_fault_name(1));
}
