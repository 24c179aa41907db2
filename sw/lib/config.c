/* SPDX-License-Identifier: Apache-2.0 */
/* A handle's configuration: a named one, and what was changed in it. */
#include <ctype.h>
#include <errno.h>
#include <inttypes.h>
#include <stdlib.h>
#include <stdio.h>
#include <string.h>

#include "handle.h"
#include "layout.h"
#include "lease.h"
#include "text.h"

const struct weft_named_config *weft_named_config_find(const char *name)
{
  for (size_t i = 0; i < weft_named_config_count; i++)
    if (!strcmp(weft_named_configs[i].name, name))
      return &weft_named_configs[i];
  return NULL;
}

static const struct weft_parameter *find_parameter(const char *name, size_t length)
{
  for (size_t i = 0; i < weft_parameter_count; i++)
    if (strlen(weft_parameters[i].name) == length && !strncmp(weft_parameters[i].name, name, length))
      return &weft_parameters[i];
  return NULL;
}

static uint64_t *value_of(struct weft_config *config, const struct weft_parameter *parameter)
{
  return (uint64_t *)(void *)((char *)config + parameter->offset);
}

static int need_closed(struct weft *w)
{
  return w->backend ? weft_fail(w, WEFT_BAD_STATE,
                                "the configuration is fixed while a back-end is open; call "
                                "weft_close() first")
                    : WEFT_OK;
}

static int unknown_parameter(struct weft *w, const char *name, int length)
{
  return weft_fail(w, WEFT_UNKNOWN_PARAMETER, "there is no parameter '%.*s'\n`weft config` lists them all",
                   length, name);
}

int weft_config_load(struct weft *w, const char *name)
{
  if (need_closed(w))
    return w->failure.code;
  const struct weft_named_config *named = weft_named_config_find(name);
  if (!named) {
    struct weft_text text = { 0 };
    for (size_t i = 0; i < weft_named_config_count; i++)
      weft_text_add(&text, "%s%s", i ? ", " : "", weft_named_configs[i].name);
    weft_fail(w, WEFT_UNKNOWN_CONFIG, "there is no configuration '%s'; there are %s", name,
              weft_text_get(&text));
    weft_text_free(&text);
    return w->failure.code;
  }
  snprintf(w->config_name, sizeof w->config_name, "%s", named->name);
  w->config = named->value;
  return WEFT_OK;
}

static int check_value(struct weft *w, const struct weft_parameter *p, uint64_t value)
{
  if (value < p->min || value > p->max)
    return weft_fail(w, WEFT_BAD_PARAMETER, "%s=%" PRIu64 " is outside %" PRIu64 "..%" PRIu64 " (%s)",
                     p->name, value, p->min, p->max, p->doc);
  if (p->power2 && (value & (value - 1)))
    return weft_fail(w, WEFT_BAD_PARAMETER, "%s=%" PRIu64 " must be a power of two (%s)", p->name, value,
                     p->doc);
  return WEFT_OK;
}

int weft_config_set(struct weft *w, const char *assignment)
{
  if (need_closed(w))
    return w->failure.code;
  const char *equals = strchr(assignment, '=');
  if (!equals)
    return weft_fail(w, WEFT_BAD_PARAMETER, "'%s' is not PARAMETER=VALUE, such as l2.ways=8", assignment);
  const struct weft_parameter *p = find_parameter(assignment, (size_t)(equals - assignment));
  if (!p)
    return unknown_parameter(w, assignment, (int)(equals - assignment));
  char *end;
  errno = 0;
  uint64_t value = strtoull(equals + 1, &end, 0);
  if (!isdigit((unsigned char)equals[1]) || *end || errno)
    return weft_fail(w, WEFT_BAD_PARAMETER, "%s=%s: the value must be a whole number, such as %s=%" PRIu64,
                     p->name, equals + 1, p->name, *value_of(&w->config, p));
  if (check_value(w, p, value))
    return w->failure.code;
  *value_of(&w->config, p) = value;
  return WEFT_OK;
}

int weft_config_get(struct weft *w, const char *parameter, uint64_t *value)
{
  const struct weft_parameter *p = find_parameter(parameter, strlen(parameter));
  if (!p)
    return unknown_parameter(w, parameter, (int)strlen(parameter));
  *value = *value_of(&w->config, p);
  return WEFT_OK;
}

/* Two leases must fit a time: one step may be under way while another is stopped (rule T10, weft_rebase_due). */
static uint64_t longest_lease(const struct weft_config *c)
{
  return (weft_ones((unsigned)c->lease_bits) - 3) / 2;
}

int weft_set_leases(struct weft *w, uint64_t read, uint64_t write)
{
  if (weft_need_open(w))
    return w->failure.code;
  if (!weft_lease_ends(weft_lease_mode(w->protocol)))
    return weft_fail(w, WEFT_BAD_STATE,
                     "protocol %s has no leases to set; use halcone-weak or halcone-causal",
                     weft_protocol_rows[w->protocol].name);
  uint64_t most = longest_lease(&w->config), wrong = read < 1 || read > most ? read : write;
  if (wrong < 1 || wrong > most)
    return weft_fail(w, WEFT_BAD_ARGUMENT,
                     "a lease of %" PRIu64 " ticks with lease.bits=%" PRIu64 "; use 1 to %" PRIu64, wrong,
                     w->config.lease_bits, most);
  if (!w->ops->leases)
    return weft_fail(w, WEFT_NOT_BUILT_IN, "%s: has no leases; use model:%s or rtl:%s", w->info.name,
                     w->config_name, w->config_name);
  const struct weft_lease_settings leases = { .read = (uint16_t)read, .write = (uint16_t)write };
  return w->ops->leases(w->backend, &leases) ? weft_fail(w, WEFT_BACKEND_BROKE, "the leases could not be set")
                                             : WEFT_OK;
}

static int check_leases(struct weft *w)
{
  const struct weft_config *c = &w->config;
  uint64_t most = longest_lease(c);
  if (c->tsu_entries < c->tsu_ways * c->l2_banks)
    return weft_fail(w, WEFT_BAD_PARAMETER,
                     "tsu.entries=%" PRIu64 " is less than tsu.ways x l2.banks = %" PRIu64
                     "; use at least that many",
                     c->tsu_entries, c->tsu_ways * c->l2_banks);
  if (c->lease_read > most || c->lease_write > most)
    return weft_fail(w, WEFT_BAD_PARAMETER,
                     "lease.%s=%" PRIu64 " leaves no room in a time of lease.bits=%" PRIu64
                     "; use at most %" PRIu64,
                     c->lease_read > most ? "read" : "write",
                     c->lease_read > most ? c->lease_read : c->lease_write, c->lease_bits, most);
  return WEFT_OK;
}

int weft_config_check(struct weft *w)
{
  const struct weft_config *c = &w->config;
  if (c->directory_entries < c->directory_ways * c->l2_banks)
    return weft_fail(w, WEFT_BAD_PARAMETER,
                     "directory.entries=%" PRIu64 " is less than directory.ways x l2.banks = %" PRIu64
                     "; use at least that many",
                     c->directory_entries, c->directory_ways * c->l2_banks);
  if (c->directory_range < c->line)
    return weft_fail(w, WEFT_BAD_PARAMETER,
                     "directory.range=%" PRIu64 " is smaller than line=%" PRIu64
                     "; an entry tracks at least one line",
                     c->directory_range, c->line);
  if (c->memory_bytes < 4096 * c->l2_banks)
    return weft_fail(w, WEFT_BAD_PARAMETER,
                     "memory.bytes=%" PRIu64 " is less than 4096 per bank; use at least %" PRIu64,
                     c->memory_bytes, 4096 * c->l2_banks);
  if (c->egress_finepack && 1 + c->egress_payload / c->line > c->link_buffer)
    return weft_fail(w, WEFT_BAD_PARAMETER,
                     "egress.payload=%" PRIu64 " is %" PRIu64 " messages with lines of %" PRIu64
                     ", more than link.buffer=%" PRIu64 " takes\nuse a smaller payload or longer lines",
                     c->egress_payload, 1 + c->egress_payload / c->line, c->line, c->link_buffer);
  if (c->page < c->line)
    return weft_fail(w, WEFT_BAD_PARAMETER,
                     "page=%" PRIu64 " is smaller than line=%" PRIu64 "; use a page of at least one line",
                     c->page, c->line);
  if (w->config.memories >= w->config.nodes)
    return weft_fail(w, WEFT_BAD_PARAMETER,
                     "memories=%" PRIu64 " of nodes=%" PRIu64 " leave no node with compute units; use fewer",
                     w->config.memories, w->config.nodes);
  return check_leases(w);
}

const char *weft_config_name(const struct weft *w)
{
  return w->config_name;
}

const char *weft_config_hash(const struct weft *w)
{
  return weft_named_config_find(w->config_name)->hash;
}

size_t weft_parameter_total(void)
{
  return weft_parameter_count;
}

int weft_parameter_at(struct weft *w, size_t index, struct weft_parameter_info *info)
{
  if (index >= weft_parameter_count)
    return weft_fail(w, WEFT_UNKNOWN_PARAMETER, "parameter number %zu of %zu", index, weft_parameter_count);
  const struct weft_parameter *p = &weft_parameters[index];
  *info = (struct weft_parameter_info){
    .name = p->name,
    .about = p->doc,
    .min = p->min,
    .max = p->max,
    .power_of_two = p->power2,
    .value = *value_of(&w->config, p),
  };
  return WEFT_OK;
}

/* Parameters that only the host's side looks at, or that registers choose: a built back-end may run with others. Warps and operations
 * in flight may be fewer than were built. */
static bool host_side(const char *name, uint64_t value, uint64_t built)
{
  static const char *const chosen[] = { "page",          "egress.sub_header", "egress.payload",
                                        "egress.prefix", "egress.timeout",    "lease.read",
                                        "lease.write" };
  for (size_t i = 0; i < sizeof chosen / sizeof *chosen; i++)
    if (!strcmp(name, chosen[i]))
      return true;
  if (!strncmp(name, "compute.", 8))
    return true;
  return (!strcmp(name, "warps") || !strcmp(name, "outstanding")) && value <= built;
}

int weft_config_fits_built(struct weft *w, const struct weft_config *built)
{
  struct weft_config copy = *built;
  for (size_t i = 0; i < weft_parameter_count; i++) {
    const struct weft_parameter *p = &weft_parameters[i];
    uint64_t asked = *value_of(&w->config, p), there = *value_of(&copy, p);
    if (asked != there && !host_side(p->name, asked, there))
      return weft_fail(w, WEFT_NOT_BUILT_IN,
                       "%s=%" PRIu64 ": %s%s was built with %s=%" PRIu64
                       ", which cannot be changed at run time\n"
                       "leave it, or use model:%s, which takes any parameters",
                       p->name, asked, weft_built_kind(w), w->config_name, p->name, there, w->config_name);
  }
  return WEFT_OK;
}
