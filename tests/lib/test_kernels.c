/* SPDX-License-Identifier: Apache-2.0 */
/* HALCONE's workloads: the cipher against the standard's own example, all of them on every coherent protocol, in shapes that
 * cut chunks and slices everywhere, and that results of a fabric without coherence are found wrong. */
#include <stdio.h>

#include "aes_cipher.h"
#include "lib_test.h"

/* FIPS 197, appendix C.3, and the first and last words of the key schedule of appendix A.3. */
static void the_cipher_is_the_standards(void **state)
{
  static const uint8_t cipher[WEFT_AES_BLOCK] = { 0x8e, 0xa2, 0xb7, 0xca, 0x51, 0x67, 0x45, 0xbf,
                                                  0xea, 0xfc, 0x49, 0x90, 0x4b, 0x49, 0x60, 0x89 };
  static const uint8_t key[WEFT_AES_KEY] = { 0x60, 0x3d, 0xeb, 0x10, 0x15, 0xca, 0x71, 0xbe, 0x2b, 0x73, 0xae,
                                             0xf0, 0x85, 0x7d, 0x77, 0x81, 0x1f, 0x35, 0x2c, 0x07, 0x3b, 0x61,
                                             0x08, 0xd7, 0x2d, 0x98, 0x10, 0xa3, 0x09, 0x14, 0xdf, 0xf4 };
  static const uint8_t w8[4] = { 0x9b, 0xa3, 0x54, 0x11 }, w59[4] = { 0x70, 0x6c, 0x63, 0x1e };
  uint8_t sbox[WEFT_AES_SBOX], keys[WEFT_AES_KEYS], counting[WEFT_AES_KEY], block[WEFT_AES_BLOCK];
  (void)state;
  weft_aes_sbox(sbox);
  weft_aes_expand(sbox, key, keys);
  assert_memory_equal(keys + 32, w8, 4);
  assert_memory_equal(keys + 236, w59, 4);
  for (uint8_t i = 0; i < WEFT_AES_KEY; i++)
    counting[i] = i;
  for (uint8_t i = 0; i < WEFT_AES_BLOCK; i++)
    block[i] = (uint8_t)(i << 4 | i);
  weft_aes_expand(sbox, counting, keys);
  weft_aes_encrypt(sbox, keys, block);
  assert_memory_equal(block, cipher, sizeof cipher);
}

static const struct kernel {
  const char *name;
  uint64_t size;
} kernels[] = {
  { "aes", 300 },      { "atax", 40 },      { "bfs", 300 },     { "bicg", 40 }, { "bs", 300 },
  { "fir", 900 },      { "fws", 24 },       { "mm", 40 },       { "mp", 40 },   { "rl", 900 },
  { "conv", 40 },      { "sc", 40 },        { "xtreme1", 900 }, /* lines cut by slices, slices of unlike length */
  { "xtreme2", 3000 }, { "xtreme3", 3000 },
};
#define KERNELS (sizeof kernels / sizeof *kernels)

static int run(const char *backend, const char *protocol, const char *const *set, const char *name,
               uint64_t size, int placement, char *message)
{
  struct weft *w = open_with(backend, &(struct weft_options){ .protocol = protocol, .set = set });
  struct weft_workload_options o = { .size = size, .place = true, .placement = placement };
  int code = weft_workload_run(w, name, &o, NULL);
  snprintf(message, 256, "%s", code ? weft_message(w) : "");
  weft_free(w);
  return code;
}

static void every_coherent_protocol_is_right(void **state)
{
  static const char *const few[] = { "directory.entries=8", "directory.range=256", NULL };
  char message[256];
  (void)state;
  for (size_t p = 0; weft_protocol_at(p); p++)
    for (size_t i = 0; strncmp(weft_protocol_at(p), "none", 4) != 0 && i < KERNELS; i++)
      if (run("model:quad", weft_protocol_at(p), few, kernels[i].name, kernels[i].size, WEFT_INTERLEAVED,
              message))
        fail_msg("%s with %s: %s", kernels[i].name, weft_protocol_at(p), message);
}

/* One CU and one warp of everything, lines of half and twice a chunk, replicas, and sizes from the smallest on. */
static void other_shapes_are_right(void **state)
{
  static const char *const shapes[][4] = { { "nodes=1", "cus=1", "warps=1", NULL },
                                           { "nodes=3", "cus=1", "line=128", NULL },
                                           { "nodes=2", "line=32", NULL },
                                           { "nodes=16", "cus=1", "warps=1", NULL } };
  char message[256];
  (void)state;
  for (size_t s = 0; s < sizeof shapes / sizeof *shapes; s++)
    for (size_t i = 0; i < KERNELS; i++)
      if (run("model:quad", NULL, shapes[s], kernels[i].name, kernels[i].size / 3, WEFT_FIRST_TOUCH, message))
        fail_msg("%s with %s: %s", kernels[i].name, shapes[s][0], message);
  for (size_t i = 0; i < KERNELS; i++)
    if (run("model:finepack4", NULL, NULL, kernels[i].name, kernels[i].size / 2, WEFT_REPLICATED, message))
      fail_msg("%s on replicas: %s", kernels[i].name, message);
}

/* Every count, so that every kind of chunk is cut off once. */
static void any_count_is_sorted(void **state)
{
  char message[256];
  (void)state;
  for (uint64_t count = 1; count <= 140; count++)
    if (run("null:tiny", NULL, NULL, "bs", count, WEFT_FIRST_TOUCH, message))
      fail_msg("%d numbers: %s", (int)count, message);
}

/* What one node writes and another read before must be found wrong where nobody keeps track of copies: xtreme3, not
 * xtreme2, in which both CUs have one L2. */
static void without_coherence_results_are_wrong(void **state)
{
  static const struct kernel wrong[] = { { "bfs", 1024 }, { "bs", 1024 }, { "xtreme3", 16384 } },
                             right[] = { { "xtreme1", 16384 }, { "xtreme2", 16384 }, { "rl", 1024 } };
  char message[256];
  (void)state;
  for (size_t i = 0; i < 3; i++) {
    assert_int_equal(run("model:quad", "none", NULL, wrong[i].name, wrong[i].size, WEFT_INTERLEAVED, message),
                     WEFT_WRONG_RESULT);
    assert_non_null(strstr(message, "differ from the plain run"));
    assert_int_equal(run("model:quad", "none", NULL, right[i].name, right[i].size, WEFT_INTERLEAVED, message),
                     WEFT_OK);
  }
}

/* A kernel per step: the same results, no atomics of barriers, and every launch has its price. */
static void kernels_may_be_launched_step_by_step(void **state)
{
  static const char *const names[] = { "bs",  "fws",     "bfs",     "sssp",   "fir",
                                       "mix", "xtreme1", "xtreme2", "xtreme3" };
  static const char *const protocols[] = { "baseline", "halcone-weak" };
  (void)state;
  for (size_t i = 0; i < 2 * (sizeof names / sizeof *names); i++) {
    struct weft *w = open_with("model:quad", &(struct weft_options){ .protocol = protocols[i & 1] });
    struct weft_workload_options o = { .size = 200, .launches = true };
    o.size = !strcmp(names[i / 2], "fws") ? 24 : o.size;
    if (weft_workload_run(w, names[i / 2], &o, NULL))
      fail_msg("%s with %s: %s", names[i / 2], protocols[i & 1], weft_message(w));
    uint64_t atomics;
    struct weft_statistics s;
    assert_works(w, weft_counter_get(w, "total.l1.atomics", &atomics));
    assert_works(w, weft_statistics_read(w, &s));
    if (strcmp(names[i / 2], "mix") != 0)
      assert_int_equal(atomics, 0);
    if (!strcmp(names[i / 2], "fws"))
      assert_true(s.launches >= 24 && s.cycles > 24 * 200);
    if (!strncmp(names[i / 2], "xtreme", 6)) /* every step and each of ten repeats */
      assert_int_equal(s.launches, !strcmp(names[i / 2], "xtreme1") ? 20 : 12);
    weft_free(w);
  }
}

static void quarter(struct weft_warp *t, void *arg)
{
  unsigned *steps = arg;
  if (weft_where(t)->index % 4 == 1)
    return;
  weft_barrier(t);
  if (weft_where(t)->index % 4 == 2)
    return;
  weft_barrier(t);
  ++*steps;
}

/* Warps that have ended, warp 0 of a CU among them, do not keep the others from their next kernel. */
static void warps_may_end_before_the_last_kernel(void **state)
{
  unsigned steps = 0;
  struct weft *w =
    open_with("model:quad", &(struct weft_options){ .set = (const char *const[]){ "warps=3", NULL } });
  (void)state;
  assert_works(w, weft_barrier_launches(w, true));
  assert_works(w, weft_launch(w, quarter, &steps));
  assert_int_equal(steps, 24);
  struct weft_statistics s;
  assert_works(w, weft_statistics_read(w, &s));
  assert_int_equal(s.launches, 3);
  weft_free(w);
  w = open_with("model:finepack4", &(struct weft_options){ .egress = "bulk" });
  assert_fails(w, weft_barrier_launches(w, true), WEFT_BAD_ARGUMENT, "cannot be a launch");
  weft_free(w);
}

struct twice {
  weft_address a;
  unsigned scope; /* also one that there is none of */
};

/* One warp needs what the scope says, its CU's others nothing. */
static void reads_twice(struct weft_warp *t, void *arg)
{
  const struct twice *x = arg;
  uint32_t value;
  bool first = !weft_where(t)->index;
  if (first)
    weft_load(t, x->a, &value, 4, WEFT_WEAK, WEFT_CTA);
  weft_barrier_scoped(t, first ? (enum weft_memory_scope)x->scope : WEFT_CTA);
  if (first)
    weft_load(t, x->a, &value, 4, WEFT_WEAK, WEFT_CTA);
}

/* What is left of a remote line's copies when the next kernel begins: those of L1 and L2, the L2's, none. */
static void a_kernel_acquires_what_it_needs(void **state)
{
  static const enum weft_memory_scope scopes[] = { WEFT_CTA, WEFT_GPU, WEFT_SYS };
  (void)state;
  for (size_t i = 0; i < 3; i++) {
    struct weft *w = open_with("model:quad", &(struct weft_options){ .protocol = "halcone-weak" });
    struct twice x = { .scope = scopes[i] };
    uint64_t l1, l2, misses;
    assert_works(w, weft_alloc(w, 64, 2, &x.a));
    assert_works(w, weft_barrier_launches(w, true));
    assert_works(w, weft_launch(w, reads_twice, &x));
    assert_works(w, weft_counter_get(w, "total.l1.hits", &l1));
    assert_works(w, weft_counter_get(w, "total.l2.hits", &l2));
    assert_works(w, weft_counter_get(w, "total.l2.misses", &misses));
    assert_int_equal(l1, scopes[i] == WEFT_CTA);
    assert_int_equal(l2, scopes[i] == WEFT_GPU);
    assert_int_equal(misses, 1 + (scopes[i] == WEFT_SYS));
    weft_free(w);
  }
  struct weft *w = open_machine("model:tiny");
  struct twice x = { .scope = 3 };
  assert_works(w, weft_alloc(w, 64, 0, &x.a));
  assert_fails(w, weft_launch(w, reads_twice, &x), WEFT_BAD_ARGUMENT, "unknown scope 3");
  weft_free(w);
}

static void says_when(struct weft_warp *t, void *arg)
{
  uint64_t *begins = arg;
  begins[weft_where(t)->index] = weft_cycle(t);
  weft_barrier(t);
  begins[weft_where(t)->count + weft_where(t)->index] = weft_cycle(t);
}

/* The dispatcher goes over a node's CUs by turns, in each kernel anew. */
static void warps_may_begin_one_after_the_other(void **state)
{
  enum { NODES = 4, CUS = 4, WARPS = 4, ALL = NODES * CUS * WARPS };
  uint64_t begins[2 * ALL];
  struct weft *w = open_machine("model:quad");
  (void)state;
  assert_works(w, weft_barrier_launches(w, true));
  for (uint64_t apart = 0; apart < 8; apart += 7) {
    assert_works(w, weft_dispatch(w, apart));
    assert_works(w, weft_launch(w, says_when, begins));
    for (unsigned i = 0; i < 2 * ALL; i++)
      assert_int_equal(begins[i] - begins[i - i % ALL], apart * (i % WARPS * CUS + i / WARPS % CUS));
  }
  assert_fails(w, weft_dispatch(w, 1001), WEFT_BAD_ARGUMENT, "at most 1000");
  weft_free(w);
}

int main(void)
{
  const struct CMUnitTest tests[] = {
    cmocka_unit_test(the_cipher_is_the_standards),
    cmocka_unit_test(every_coherent_protocol_is_right),
    cmocka_unit_test(other_shapes_are_right),
    cmocka_unit_test(any_count_is_sorted),
    cmocka_unit_test(without_coherence_results_are_wrong),
    cmocka_unit_test(kernels_may_be_launched_step_by_step),
    cmocka_unit_test(warps_may_end_before_the_last_kernel),
    cmocka_unit_test(a_kernel_acquires_what_it_needs),
    cmocka_unit_test(warps_may_begin_one_after_the_other),
  };
  return cmocka_run_group_tests_name("kernels", tests, NULL, NULL);
}
