/* SPDX-License-Identifier: Apache-2.0 */
/* Every workload, on the null back-end and the model, against its plain run; and that a fabric without
 * coherence is found out. */
#include <inttypes.h>
#include <stdio.h>
#include <unistd.h>

#include "graph.h"
#include "lib_test.h"
#include "random.h"

static int run(const char *backend, const char *protocol, const char *name,
               const struct weft_workload_options *o, struct weft_workload_result *r, char *message)
{
  struct weft *w = open_with(backend, &(struct weft_options){ .protocol = protocol });
  int code = weft_workload_run(w, name, o, r);
  snprintf(message, 256, "%s", code ? weft_message(w) : "");
  weft_free(w);
  return code;
}

static void all_are_right_everywhere(void **state)
{
  static const char *const backends[] = { "null:tiny",  "null:quad",  "null:ulx3s",  "null:rec4",
                                          "model:tiny", "model:quad", "model:ulx3s", "model:rec4" };
  (void)state;
  for (size_t b = 0; b < sizeof backends / sizeof *backends; b++) {
    struct weft_workload_info info;
    for (size_t i = 0; weft_workload_at(i, &info); i++) {
      struct weft_workload_result r;
      bool iterates = !strcmp(info.name, "pagerank") || !strcmp(info.name, "jacobi2d");
      struct weft_workload_options o = { .iterations = iterates ? 2 : 0 };
      char message[256];
      if (!strcmp(info.name, "trace") || weft_workload_protocol(info.name))
        continue; /* needs a file, or a protocol */
      if (run(backends[b], NULL, info.name, &o, &r, message))
        fail_msg("%s on %s: %s", info.name, backends[b], message);
      assert_true(r.verified);
      assert_true(r.size > 0);
      assert_true(r.summary[0]);
    }
  }
}

/* The table is the workload's result; what it must hold is in tests/system/test_fig5.py. */
static void fig5_has_its_protocol_and_its_steps(void **state)
{
  (void)state;
  struct weft_workload_result r;
  struct weft *w = weft_new();
  const struct weft_options leases = { .protocol = weft_workload_protocol("FIG5") };
  assert_string_equal(leases.protocol, "halcone-weak");
  assert_null(weft_workload_protocol("vecadd"));
  assert_null(weft_workload_protocol("nix"));
  assert_works(w, weft_open(w, "model:quad", &leases));
  assert_works(w, weft_workload_run(w, "fig5", NULL, &r));
  assert_true(r.verified);
  assert_int_equal(r.step_count, WEFT_STEPS_MAX);
  assert_string_equal(r.step[11].is.level, "memory");
  assert_int_equal(r.step[11].is.rts, 19);
  weft_close(w);
  assert_works(w, weft_open(w, "model:quad", NULL));
  assert_fails(w, weft_workload_run(w, "fig5", NULL, &r), WEFT_BAD_ARGUMENT, "halcone-weak");
  assert_false(r.verified);
  weft_free(w);
}

static void sizes_seeds_and_placements(void **state)
{
  static const char *const names[] = { "vecadd", "pagerank", "sssp",    "jacobi2d", "matmul", "spatter",
                                       "mix",    "atax",     "conv2d",  "fir",      "gemv",   "lu",
                                       "mm2",    "mm3",      "sc",      "st",       "als",    "ct",
                                       "banded", "aes",      "bfs",     "bicg",     "bs",     "fws",
                                       "mp",     "rl",       "xtreme1", "xtreme2",  "xtreme3" };
  static const int placements[] = { WEFT_FIRST_TOUCH, WEFT_INTERLEAVED, 1 };
  (void)state;
  for (size_t i = 0; i < sizeof names / sizeof *names; i++)
    for (uint64_t seed = 1; seed <= 3; seed++) {
      struct weft_workload_options o = {
        .size = 3 + 8 * seed, .seed = seed, .place = true, .placement = placements[seed - 1]
      };
      struct weft_workload_result r;
      char message[256];
      if (run("model:quad", NULL, names[i], &o, &r, message))
        fail_msg("%s, seed %d: %s", names[i], (int)seed, message);
    }
}

static void machines_of_other_shapes(void **state)
{
  static const char *const shapes[][4] = {
    { "nodes=1", NULL },
    { "nodes=1", "cus=1", "warps=1", NULL },
    { "nodes=3", "cus=1", "line=128", NULL },
    { "nodes=8", "warps=2", "outstanding=1", NULL },
    { "nodes=16", "cus=1", "warps=1", NULL },
    { "l2.banks=4", "line=32", NULL },
  };
  static const char *const names[] = { "mix", "pagerank", "jacobi2d" };
  (void)state;
  for (size_t s = 0; s < sizeof shapes / sizeof *shapes; s++)
    for (size_t i = 0; i < 3; i++) {
      struct weft *w = open_with("model:quad", &(struct weft_options){ .set = shapes[s] });
      struct weft_workload_options o = { .size = i == 0 ? 2000 : 100, .iterations = i == 0 ? 0 : 2 };
      if (weft_workload_run(w, names[i], &o, NULL))
        fail_msg("%s with %s: %s", names[i], shapes[s][0], weft_message(w));
      weft_free(w);
    }
}

static void without_coherence_results_are_wrong(void **state)
{
  static const char *const names[] = { "mix", "pagerank", "sssp", "jacobi2d", "st", "lu", "als", "ct" };
  (void)state;
  for (size_t i = 0; i < sizeof names / sizeof *names; i++) {
    struct weft_workload_result r;
    char message[256];
    assert_int_equal(run("model:quad", "none", names[i], NULL, &r, message), WEFT_WRONG_RESULT);
    assert_false(r.verified);
    assert_non_null(strstr(message, names[i]));
  }
}

/* The twelve of REC, whatever the directory: every protocol that keeps track of copies gives the plain run's answer. */
static void every_directory_is_right(void **state)
{
  static const struct {
    const char *name;
    uint64_t size;
  } twelve[] = {
    { "ATAX", 40 }, { "C2D", 40 }, { "FIR", 900 }, { "GEMM", 40 }, { "GEMV", 40 }, { "J2D", 40 },
    { "LU", 40 },   { "MM2", 40 }, { "MM3", 40 },  { "PR", 300 },  { "SC", 40 },   { "ST", 40 }
  };
  static const char *const few[] = { "directory.entries=8", "directory.range=256", NULL };
  (void)state;
  for (size_t p = 0; weft_protocol_at(p); p++)
    for (size_t i = 0; strncmp(weft_protocol_at(p), "none", 4) != 0 && i < sizeof twelve / sizeof *twelve;
         i++) {
      struct weft *w =
        open_with("model:quad", &(struct weft_options){ .protocol = weft_protocol_at(p), .set = few });
      struct weft_workload_options o = { .size = twelve[i].size,
                                         .place = true,
                                         .placement = WEFT_INTERLEAVED };
      if (weft_workload_run(w, twelve[i].name, &o, NULL))
        fail_msg("%s with %s: %s", twelve[i].name, weft_protocol_at(p), weft_message(w));
      weft_free(w);
    }
}

static void names_and_aliases(void **state)
{
  static const char *const pairs[][2] = {
    { "J2D", "jacobi2d" },    { "PR", "pagerank" },   { "gemm", "matmul" }, { "MM", "matmul" },
    { "mm", "matmul" },       { "Vecadd", "vecadd" }, { "trace", "trace" }, { "MIX", "mix" },
    { "spatter", "spatter" }, { "C2D", "conv2d" },    { "conv", "conv2d" }, { "ATAX", "atax" },
    { "2mm", "mm2" },         { "MM3", "mm3" },       { "gemver", "gemv" }, { "stencil2d", "st" },
    { "SC", "sc" },           { "LU", "lu" },         { "JB", "banded" },   { "mbir", "ct" },
    { "relu", "rl" },         { "maxpool", "mp" },    { "bitonic", "bs" },  { "floydwarshall", "fws" }
  };
  struct weft_workload_info info;
  (void)state;
  for (size_t i = 0; i < sizeof pairs / sizeof *pairs; i++) {
    assert_true(weft_workload_find(pairs[i][0], &info));
    assert_string_equal(info.name, pairs[i][1]);
  }
  assert_false(weft_workload_find("M", &info));
  assert_false(weft_workload_find("", &info));
}

static void wrong_use_is_named(void **state)
{
  struct weft *w = open_machine("null:tiny");
  struct weft_workload_options o = { .size = UINT64_MAX };
  (void)state;
  assert_fails(w, weft_workload_run(w, "nix", NULL, NULL), WEFT_UNKNOWN_WORKLOAD, "pagerank");
  for (size_t i = 0;; i++) {
    struct weft_workload_info info;
    if (!weft_workload_at(i, &info))
      break;
    if (*info.size && strcmp(info.name, "trace") != 0)
      assert_fails(w, weft_workload_run(w, info.name, &o, NULL), WEFT_BAD_ARGUMENT, "a size of");
  }
  o.size = 1 << 20;
  assert_fails(w, weft_workload_run(w, "vecadd", &o, NULL), WEFT_NO_ROOM, "smaller size");
  o = (struct weft_workload_options){ .graph = "x.mtx" };
  assert_fails(w, weft_workload_run(w, "vecadd", &o, NULL), WEFT_BAD_ARGUMENT, "--graph");
  assert_fails(w, weft_workload_run(w, "mix", &(struct weft_workload_options){ .iterations = 3 }, NULL),
               WEFT_BAD_ARGUMENT, "--iterations");
  assert_fails(w, weft_workload_run(w, "pagerank", &o, NULL), WEFT_NO_FILE, "x.mtx");
  o.size = 10;
  assert_fails(w, weft_workload_run(w, "pagerank", &o, NULL), WEFT_BAD_ARGUMENT, "--size");
  o = (struct weft_workload_options){ .graph = "/" };
  assert_fails(w, weft_workload_run(w, "sssp", &o, NULL), WEFT_NO_FILE, "folder");
  assert_fails(w, weft_workload_run(w, "trace", NULL, NULL), WEFT_BAD_ARGUMENT, "--file");
  weft_free(w);
}

/* SplitMix64's published first numbers for the seed 0; and the graph they make. */
static void random_numbers_never_change(void **state)
{
  struct weft_random r = { 0 };
  (void)state;
  assert_int_equal(weft_random_next(&r), UINT64_C(0xe220a8397b1dcdaf));
  assert_int_equal(weft_random_next(&r), UINT64_C(0x6e789e6aa1b965f4));
  assert_int_equal(weft_random_next(&r), UINT64_C(0x06c45d188009454f));
  struct weft_random a = weft_random_stream(1, 1), b = weft_random_stream(1, 2), c = weft_random_stream(2, 1);
  assert_true(a.state != b.state && a.state != c.state && b.state != c.state);
  for (int i = 0; i < 1000; i++)
    assert_true(weft_random_below(&a, 7) < 7);
}

static void rmat_graphs_are_skewed_and_repeat(void **state)
{
  struct weft *w = weft_new();
  struct weft_edges one, two;
  struct weft_graph g;
  (void)state;
  assert_works(w, weft_rmat(w, 7, 1000, 8000, &one));
  assert_works(w, weft_rmat(w, 7, 1000, 8000, &two));
  assert_int_equal(one.count, 8000);
  assert_memory_equal(one.edge, two.edge, one.count * sizeof *one.edge);
  assert_works(w, weft_graph_build(w, &one, 7, &g));
  uint32_t most = 0, edges = 0;
  for (uint32_t v = 0; v < g.vertices; v++) {
    assert_true(g.first[v] <= g.first[v + 1]);
    most = g.degree[v] > most ? g.degree[v] : most;
    edges += g.degree[v];
  }
  assert_int_equal(edges, 8000);
  assert_int_equal(g.first[g.vertices], 8000);
  assert_true(most > 80); /* ten times the mean */
  weft_graph_free(&g);
  weft_edges_free(&one);
  weft_edges_free(&two);
  weft_free(w);
}

/* Every possible edge at most once, no matter how dense; rows and columns alike on average. */
static void uniform_graphs_have_no_edge_twice(void **state)
{
  static const uint64_t counts[] = { 0, 1, 100, 999, 1600 };
  struct weft *w = weft_new();
  (void)state;
  for (unsigned i = 0; i < sizeof counts / sizeof *counts; i++) {
    struct weft_edges e;
    bool seen[40][40] = { { false } };
    uint64_t low = 0;
    assert_works(w, weft_uniform(w, 5, 40, counts[i], &e));
    assert_int_equal(e.count, counts[i]);
    for (size_t k = 0; k < e.count; k++) {
      uint64_t from = e.edge[k].from, to = e.edge[k].to;
      if (from >= 40 || to >= 40)
        fail_msg("an edge from %" PRIu64 " to %" PRIu64 " in a graph of 40", from, to);
      else if (seen[from][to])
        fail_msg("the edge from %" PRIu64 " to %" PRIu64 " is there twice", from, to);
      else
        seen[from][to] = true;
      low += (from < 20) + (to < 20);
    }
    if (counts[i] >= 100)
      assert_in_range(low, counts[i] * 8 / 10, counts[i] * 12 / 10);
    weft_edges_free(&e);
  }
  weft_free(w);
}

int main(void)
{
  const struct CMUnitTest tests[] = {
    cmocka_unit_test(all_are_right_everywhere),
    cmocka_unit_test(fig5_has_its_protocol_and_its_steps),
    cmocka_unit_test(sizes_seeds_and_placements),
    cmocka_unit_test(machines_of_other_shapes),
    cmocka_unit_test(without_coherence_results_are_wrong),
    cmocka_unit_test(every_directory_is_right),
    cmocka_unit_test(names_and_aliases),
    cmocka_unit_test(wrong_use_is_named),
    cmocka_unit_test(random_numbers_never_change),
    cmocka_unit_test(rmat_graphs_are_skewed_and_repeat),
    cmocka_unit_test(uniform_graphs_have_no_edge_twice),
  };
  return cmocka_run_group_tests_name("workloads", tests, NULL, NULL);
}
