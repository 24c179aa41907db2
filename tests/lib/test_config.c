/* SPDX-License-Identifier: Apache-2.0 */
/* Named configurations, parameters, what there is, and what trackers cost. */
#include "handle.h"
#include "lib_test.h"
#include "names.h"

static void names_end_and_have_a_meaning(void **state)
{
  (void)state;
  size_t n = 0;
  for (; weft_config_at(n); n++)
    assert_non_null(weft_config_about(weft_config_at(n)));
  assert_true(n >= 4);
  assert_null(weft_config_about("nix"));
  for (n = 0; weft_backend_at(n); n++)
    assert_non_null(strstr(weft_backend_about(weft_backend_at(n)), weft_backend_at(n)));
  assert_true(n >= 3);
  assert_null(weft_backend_about("nix"));
  for (n = 0; weft_protocol_at(n); n++)
    assert_non_null(weft_protocol_about(weft_protocol_at(n)));
  assert_true(n >= 2);
  assert_null(weft_protocol_about("nix"));
  assert_string_equal(weft_egress_at(0), "plain");
  for (n = 1; weft_fault_name((unsigned)n); n++)
    assert_non_null(weft_fault_about((unsigned)n));
  assert_true(n > 12);
  assert_null(weft_fault_name(0));
}

static void parameters_can_be_read_and_set(void **state)
{
  struct weft *w = weft_new();
  struct weft_parameter_info info;
  uint64_t value;
  (void)state;
  assert_string_equal(weft_config_name(w), "quad");
  assert_int_equal(strlen(weft_config_hash(w)), 64);
  assert_works(w, weft_config_load(w, "tiny"));
  assert_works(w, weft_config_get(w, "nodes", &value));
  assert_int_equal(value, 2);
  assert_works(w, weft_config_set(w, "nodes=0x8"));
  assert_works(w, weft_config_get(w, "nodes", &value));
  assert_int_equal(value, 8);
  assert_fails(w, weft_config_set(w, "nodes=17"), WEFT_BAD_PARAMETER, "1..16");
  assert_fails(w, weft_config_set(w, "nodes=99999999999999999999"), WEFT_BAD_PARAMETER, "whole number");
  assert_fails(w, weft_config_set(w, "nodes=-1"), WEFT_BAD_PARAMETER, "whole number");
  assert_fails(w, weft_config_get(w, "nix", &value), WEFT_UNKNOWN_PARAMETER, "nix");
  bool found = false;
  for (size_t i = 0; i < weft_parameter_total(); i++) {
    assert_works(w, weft_parameter_at(w, i, &info));
    assert_true(info.min <= info.value && info.value <= info.max);
    found |= !strcmp(info.name, "nodes") && info.value == 8;
  }
  assert_true(found);
  assert_fails(w, weft_parameter_at(w, weft_parameter_total(), &info), WEFT_UNKNOWN_PARAMETER, "number");
  weft_free(w);
}

/* REC's Table 1 and its other figures, on the paper's machine: bits per entry, and KiB of a directory. */
static void storage_as_the_paper_counts(void **state)
{
  static const struct {
    const char *protocol, *nodes, *range;
    unsigned lines, bits, kib;
  } rows[] = {
    { "baseline", "nodes=4", "directory.range=64", 1, 52, 52 },
    { "rec", "nodes=4", "directory.range=128", 2, 50, 50 },
    { "rec", "nodes=4", "directory.range=256", 4, 57, 57 },
    { "rec", "nodes=4", "directory.range=1024", 16, 103, 103 },
    { "rec", "nodes=4", "directory.range=4096", 64, 293, 293 },
    { "baseline2x", "nodes=4", "directory.range=1024", 1, 52, 104 },
    { "rec", "nodes=8", "directory.range=1024", 16, 167, 167 },
    { "baseline", "nodes=8", "directory.range=1024", 1, 56, 56 },
    { "rec", "nodes=16", "directory.range=1024", 16, 295, 295 },
    { "baseline", "nodes=16", "directory.range=1024", 1, 64, 64 },
    { "hmg", "nodes=4", "directory.range=1024", 4, 44, 44 },
  };
  struct weft *w = weft_new();
  struct weft_storage s;
  (void)state;
  assert_works(w, weft_config_load(w, "rec-paper"));
  for (size_t i = 0; i < sizeof rows / sizeof *rows; i++) {
    assert_works(w, weft_config_set(w, rows[i].nodes));
    assert_works(w, weft_config_set(w, rows[i].range));
    assert_works(w, weft_storage_of(w, rows[i].protocol, &s));
    assert_string_equal(s.tracker, "directory");
    assert_int_equal(s.entry_lines, rows[i].lines);
    assert_int_equal(s.entry_bits, rows[i].bits);
    assert_int_equal(s.total_bytes, rows[i].kib * 1024);
    assert_int_equal(s.entries, strcmp(rows[i].protocol, "baseline2x") ? 8192 : 16384);
  }
  /* As it comes: the range is 1 KiB, the protocol the baseline; one node has nobody to record. */
  assert_works(w, weft_config_load(w, "rec-paper"));
  assert_works(w, weft_storage_of(w, "rec", &s));
  assert_int_equal(s.entry_bits, 103);
  assert_works(w, weft_storage_of(w, NULL, &s));
  assert_int_equal(s.entry_bits, 52);
  assert_works(w, weft_config_set(w, "nodes=1"));
  assert_works(w, weft_storage_of(w, NULL, &s));
  assert_int_equal(s.entry_bits, 49);
  weft_free(w);
}

/* Built: quad has 2^18 lines per node, 32 sets of 8 ways; 13 bits of tag, 3 sharers, valid, 3 bits of age. */
static void storage_as_built(void **state)
{
  struct weft *w = weft_new();
  struct weft_storage s;
  (void)state;
  assert_works(w, weft_storage_of(w, "baseline", &s));
  assert_int_equal(s.built_entry_bits, 13 + 3 + 1 + 3);
  assert_int_equal(s.built_total_bytes, 256 * 20 / 8);
  /* One way still has an age; a directory larger than memory still has a tag. */
  assert_works(w, weft_config_set(w, "directory.ways=1"));
  assert_works(w, weft_config_set(w, "directory.entries=1048576"));
  assert_works(w, weft_storage_of(w, "baseline", &s));
  assert_int_equal(s.built_entry_bits, 1 + 3 + 1 + 1);
  assert_works(w, weft_config_set(w, "nodes=1"));
  assert_works(w, weft_storage_of(w, "baseline", &s));
  assert_int_equal(s.built_total_bytes, 0);
  assert_works(w, weft_storage_of(w, "none", &s));
  assert_null(s.tracker);
  assert_int_equal(s.total_bytes + s.built_total_bytes, 0);
  assert_fails(w, weft_storage_of(w, "nix", &s), WEFT_UNKNOWN_PROTOCOL, "nix");
  weft_free(w);
}

/* Several protocols in one build: the tag of the one with the fewest lines, the fields of the largest. */
static void storage_of_all_built_in(void **state)
{
  struct weft *w = weft_new();
  struct weft_storage s;
  (void)state;
  assert_works(w, weft_config_set(w, "built.hmg=1"));
  assert_works(w, weft_config_set(w, "built.rec=1"));
  assert_works(w, weft_storage_of(w, "hmg", &s));
  assert_int_equal(s.built_entry_bits, 11 + 3 + 1 + 3);
  assert_int_equal(s.ram_entry_bits, 13 + 16 * 4 + 1 + 3);
  assert_int_equal(s.ram_total_bytes, 256 * (13 + 16 * 4 + 1 + 3) / 8);
  assert_works(w, weft_config_set(w, "built.baseline=0"));
  assert_works(w, weft_storage_of(w, "rec", &s));
  assert_int_equal(s.built_entry_bits, 9 + 16 * 4 + 1 + 3);
  assert_int_equal(s.ram_entry_bits, 11 + 16 * 4 + 1 + 3);
  /* What is for the model alone adds nothing to the RTL. */
  assert_works(w, weft_storage_of(w, "ideal", &s));
  assert_int_equal(s.built_entry_bits, 0);
  assert_int_equal(s.ram_total_bytes, 0);
  weft_free(w);
}

/* RTL has what was built in; simulators have every protocol, and a closed handle none. */
static void protocols_are_built_in(void **state)
{
  struct weft *w = weft_new();
  struct weft_config c = w->config;
  (void)state;
  assert_works(w, weft_protocol_fits_built(w, &c, WEFT_PROTOCOL_BASELINE));
  c.built_baseline = 0;
  assert_works(w, weft_protocol_fits_built(w, &c, WEFT_PROTOCOL_NONE));
  assert_fails(w, weft_protocol_fits_built(w, &c, WEFT_PROTOCOL_BASELINE), WEFT_NOT_BUILT_IN,
               "rtl:quad was built without protocol baseline; it has none\n");
  assert_false(weft_protocol_runs(w, "baseline"));
  weft_free(w);
  w = open_with("model:quad", &(struct weft_options){ .set = (const char *[]){ "built.baseline=0", NULL } });
  assert_true(weft_protocol_runs(w, "baseline"));
  assert_false(weft_protocol_runs(w, "nix"));
  weft_free(w);
}

static void an_open_machine_describes_itself(void **state)
{
  const char *set[] = { "nodes=3", "cus=2", "warps=1", NULL };
  struct weft *w = open_with("null:quad", &(struct weft_options){ .set = set, .protocol = "none" });
  struct weft_machine m;
  (void)state;
  assert_works(w, weft_describe(w, &m));
  assert_string_equal(m.backend, "null");
  assert_string_equal(m.config, "quad");
  assert_string_equal(m.protocol, "none");
  assert_int_equal(m.nodes * 100 + m.cus * 10 + m.warps, 321);
  assert_int_equal(m.line, 64);
  assert_true(m.any_parameters);
  assert_false(m.lockstep);
  assert_string_equal(m.hash, weft_config_hash(w));
  weft_free(w);
}

int main(void)
{
  const struct CMUnitTest tests[] = {
    cmocka_unit_test(names_end_and_have_a_meaning),     cmocka_unit_test(parameters_can_be_read_and_set),
    cmocka_unit_test(storage_as_the_paper_counts),      cmocka_unit_test(storage_as_built),
    cmocka_unit_test(storage_of_all_built_in),          cmocka_unit_test(protocols_are_built_in),
    cmocka_unit_test(an_open_machine_describes_itself),
  };
  return cmocka_run_group_tests_name("config", tests, NULL, NULL);
}
