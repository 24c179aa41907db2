/* SPDX-License-Identifier: Apache-2.0 */
#include <inttypes.h>

#include "tool.h"

static void add_parameters(struct weft *w, json_t *object)
{
  struct weft_parameter_info p;
  for (size_t i = 0; i < weft_parameter_total(); i++)
    if (!weft_parameter_at(w, i, &p))
      json_object_set_new(object, p.name, json_integer((json_int_t)p.value));
}

static void add_storage(json_t *object, const struct weft_storage *s)
{
  if (!s->tracker)
    return;
  const struct {
    const char *name;
    uint64_t value;
  } figures[] = {
    { "entry_lines", s->entry_lines },
    { "entry_bits", s->entry_bits },
    { "entries", s->entries },
    { "total_bytes", s->total_bytes },
    { "built_entry_bits", s->built_entry_bits },
    { "built_total_bytes", s->built_total_bytes },
    { "ram_entry_bits", s->ram_entry_bits },
    { "ram_total_bytes", s->ram_total_bytes },
  };
  json_t *tracker = json_object();
  for (size_t i = 0; i < sizeof figures / sizeof *figures; i++)
    json_object_set_new(tracker, figures[i].name, json_integer((json_int_t)figures[i].value));
  if (s->built_set_bits)
    json_object_set_new(tracker, "built_set_bits", json_integer((json_int_t)s->built_set_bits));
  json_object_set_new(object, s->tracker, tracker);
}

static void print_parameters(struct weft *w)
{
  struct weft_parameter_info p;
  printf("configuration %s: %s\n\n", weft_config_name(w), weft_config_about(weft_config_name(w)));
  for (size_t i = 0; i < weft_parameter_total(); i++) {
    if (weft_parameter_at(w, i, &p))
      continue;
    char range[64];
    snprintf(range, sizeof range, "%" PRIu64 "..%" PRIu64 "%s", p.min, p.max, p.power_of_two ? ", 2^n" : "");
    printf("  %-18s %10" PRIu64 "  %-22s %s\n", p.name, p.value, range, p.about);
  }
}

/* Of a protocol for the model alone nothing is built. */
static void print_row(const char *label, uint64_t paper, uint64_t built, bool is_built)
{
  printf("%-42s %12" PRIu64, label, paper);
  if (is_built)
    printf(" %12" PRIu64 "\n", built);
  else
    printf(" %12s\n", "-");
}

static void print_storage(const char *protocol, const struct weft_storage *s)
{
  if (!s->tracker) {
    printf("\nprotocol %s keeps track of nothing\n", protocol);
    return;
  }
  char title[64];
  bool is_built = s->built_entry_bits;
  snprintf(title, sizeof title, "%s of protocol %s, per node", s->tracker, protocol);
  printf("\n%-42s %12s %12s\n", title, "paper", "built");
  print_row("  entries", s->entries, s->entries, is_built);
  print_row("  lines per entry", s->entry_lines, s->entry_lines, is_built);
  print_row("  bits per entry", s->entry_bits, s->built_entry_bits, is_built);
  if (s->built_set_bits)
    print_row("  bits per set, beside its entries", 0, s->built_set_bits, is_built);
  print_row("  bytes", s->total_bytes, s->built_total_bytes, is_built);
  if (!s->ram_entry_bits)
    return;
  printf("%-42s %25" PRIu64 "\n", "  RAM for all built in, bits per entry", s->ram_entry_bits);
  printf("%-42s %25" PRIu64 "\n", "  RAM for all built in, bytes", s->ram_total_bytes);
}

static int configure(struct weft *w, const struct arguments *a, struct weft_storage *s)
{
  int code = a->name ? weft_config_load(w, a->name) : WEFT_OK;
  for (unsigned i = 0; !code && i < a->sets; i++)
    code = weft_config_set(w, a->set[i]);
  if (!code)
    code = weft_config_check(w);
  if (!code)
    code = weft_storage_of(w, a->protocol, s);
  return code;
}

static int show(struct weft *w, const struct arguments *a, const struct weft_storage *s, struct output *out)
{
  const char *protocol = a->protocol ? a->protocol : "baseline";
  json_t *object = json_pack("{s:s, s:s}", "config", weft_config_name(w), "protocol", protocol);
  if (!object)
    return complain(EXIT_LACKS, "out of memory");
  add_parameters(w, object);
  if (a->storage)
    add_storage(object, s);
  json_object_set_new(object, "provenance", json_provenance(a, weft_config_hash(w)));
  int code = output_result(out, object, a->json);
  if (code >= 0)
    return code;
  print_parameters(w);
  if (a->storage)
    print_storage(protocol, s);
  return print_done();
}

static int run(const struct arguments *a)
{
  struct output out;
  struct weft_storage s;
  struct weft *w = weft_new();
  if (!w)
    return complain(EXIT_LACKS, "out of memory");
  int code = output_open(&out, a->output);
  if (code < 0) {
    int failed = configure(w, a, &s);
    code = failed ? complain_library(w, failed) : show(w, a, &s, &out);
  }
  output_discard(&out);
  weft_free(w);
  return code;
}

const struct verb verb_config = {
  .name = "config",
  .synopsis = "[CONFIG] [options]",
  .about = "show the parameters of a machine, and what its tracker costs",
  .teaches =
    "Shows every parameter of a named configuration (quad without a name): value, legal range, meaning.\n"
    "With --storage also what the protocol's tracker costs per node, as the papers count (48-bit\n"
    "addresses, whole tags, no replacement state) and as it is built; and the RAM of the RTL, an entry of\n"
    "which has room for every protocol that is built in (built.NAME).\n"
    "\n"
    "  weft config tiny\n"
    "  weft config quad --storage --set directory.entries=8192 --json",
  .takes_name = true,
  .bit = VERB_CONFIG,
  .run = run,
};
