/* SPDX-License-Identifier: Apache-2.0 */
/* The readers of files: what they accept, and which line they name when they do not. */
#include <stdio.h>

#include "graph.h"
#include "lib_test.h"
#include "spatter.h"
#include "trace.h"

/* A text, and what the message must say; NULL: it is right. */
struct sample {
  const char *text, *message;
};

#define BANNER "%%MatrixMarket matrix coordinate pattern general\n"

static const struct sample matrices[] = {
  { BANNER "3 3 2\n1 2\n3 1\n", NULL },
  { "%%matrixmarket MATRIX Coordinate Real Symmetric\n%c\n\n  \n3 3 2\n2 1 1.5e3\n3 3 -2\n", NULL },
  { "%%MatrixMarket matrix coordinate complex hermitian\r\n2 2 1\r\n2 1 0.5 -1\r\n", NULL },
  { "%%MatrixMarket matrix coordinate integer skew-symmetric\n2 2 1\n2 1 7", NULL },
  { BANNER "2 2 0\n", NULL },
  { "", "line 1: the file is empty" },
  { "hello\n", "line 1: a Matrix Market file begins with" },
  { "%%MatrixMarket matrix coordinate\n", "line 1: a Matrix Market file begins with" },
  { "%%MatrixMarket matrix array real general\n2 2\n", "line 1: 'matrix array'" },
  { "%%MatrixMarket matrix coordinate quaternion general\n", "'quaternion' is none of" },
  { "%%MatrixMarket matrix coordinate real lopsided\n", "'lopsided' is none of" },
  { BANNER, "line 1: the file ends before its line of sizes" },
  { BANNER "% only comments\n", "line 2: the file ends" },
  { BANNER "3 3\n", "line 2: three whole numbers" },
  { BANNER "3 3 2 1\n", "line 2: three whole numbers" },
  { BANNER "3 x 2\n", "line 2: three whole numbers" },
  { BANNER "3 4 2\n", "line 2: 3 rows and 4 columns" },
  { BANNER "0 0 0\n", "line 2: 0 rows" },
  { BANNER "99999999999 99999999999 1\n", "rows: 1 to" },
  { BANNER "3 3 99999999999\n", "entries: up to" },
  { BANNER "3 3 2\n1 2\n", "line 3: the file ends after 1 of 2 entries" },
  { BANNER "3 3 1\n1 2\n2 3\n", "line 4: more entries than the 1" },
  { BANNER "3 3 1\n1\n", "line 3: an entry needs a row and a column" },
  { BANNER "3 3 1\n0 1\n", "line 3: '0' is not a row or column from 1 to 3" },
  { BANNER "3 3 1\n1 4\n", "line 3: '4'" },
  { BANNER "3 3 1\n1 -1\n", "'-1' is not a row" },
  { BANNER "3 3 1\n1 2 9\n", "line 3: '9' is one word too many" },
  { "%%MatrixMarket matrix coordinate real general\n3 3 1\n1 2\n", "line 3: the entry has no value" },
  { "%%MatrixMarket matrix coordinate real general\n3 3 1\n1 2 abc\n", "line 3: 'abc' is not a number" },
  { "%%MatrixMarket matrix coordinate complex general\n3 3 1\n1 2 1\n", "line 3: the entry has no value" },
};

static const struct sample patterns[] = {
  { "[{\"pattern\":[0,1,2]}]", NULL },
  { "[{\"kernel\":\"Scatter\",\"pattern\":\"UNIFORM:8:4\",\"delta\":8,\"count\":100,\"local-work-size\":1024,"
    "\"extra\":{\"a\":[1,{\"b\":null}],\"c\":\"\\u00e9\\n\"}}]",
    NULL },
  { "[{\"kernel\":\"GS\",\"pattern-gather\":[1],\"pattern-scatter\":[2],\"delta-gather\":0}]", NULL },
  { "[{\"kernel\":\"MultiGather\",\"pattern\":[7,8,9],\"pattern-gather\":[2,0]}]", NULL },
  { "", "line 1: the file ends where '['" },
  { "{}", "line 1: '{' where '['" },
  { "[]", "holds no pattern" },
  { "[{}]", "'pattern' of this entry is missing" },
  { "[\n\n{\"pattern\": [1, 2,\n 3, -4]}]", "line 4: '-4' where a whole number" },
  { "[{\"pattern\": [1 2]}]", "'2' where ',' or ']'" },
  { "[{\"pattern\": [1,]}]", "']' where another element" },
  { "[{\"pattern\": [1.5]}]", "'1.5' where a whole number" },
  { "[{\"pattern\": [0x10]}]", "'0x10' where a whole number" },
  { "[{\"pattern\": [1e3]}]", "'1e3' where a whole number" },
  { "[{\"pattern\": [99999999999]}]", "larger than 4294967295" },
  { "[{\"pattern\": \"SPIRAL:3\"}]", "a pattern is a list of indices" },
  { "[{\"pattern\": \"UNIFORM:8\"}]", "UNIFORM:LENGTH:STRIDE" },
  { "[{\"pattern\": \"UNIFORM:8:x\"}]", "'x' in a pattern" },
  { "[{\"pattern\": \"UNIFORM:99999999:1\"}]", "more than 65536 indices" },
  { "[{\"pattern\": \"MS1:8:2,4:1,2,3\"}]", "MS1:LENGTH:PLACES:GAPS" },
  { "[{\"pattern\": \"MS1:8:0:0\"}]", "a gap of 0 at place 0" },
  { "[{\"pattern\": \"LAPLACIAN:0:1:10\"}]", "all of them positive" },
  { "[{\"pattern\": \"LAPLACIAN:2:3:1\"}]", NULL },
  { "[{\"pattern\": \"LAPLACIAN:9:1:100000\"}]", "larger than" },
  { "[{\"pattern\":[1],\n\"kernel\":\"Spray\"}]", "line 2: the kernel 'Spray' is none of" },
  { "[{\"kernel\":\"GS\",\"pattern-gather\":[1,2],\"pattern-scatter\":[2]}]",
    "2 and a pattern-scatter of 1" },
  { "[{\"kernel\":\"MultiGather\",\"pattern\":[7],\"pattern-gather\":[1]}]",
    "the index 1 of the inner pattern" },
  { "[{\"pattern\":[1],\"delta\":99999999999}]", "a delta larger than" },
  { "[{\"pattern\":[1],\"count\":0}]", "a count of 0" },
  { "[{\"pattern\":[1],\"pattern-size\":2}]", "a pattern-size of 2" },
  { "[{\"pattern\":[1]}] 5", "behind the end" },
  { "[{\"pattern\":[1]}", "the file ends where ',' or ']'" },
  { "[{\"pattern\" [1]}]", "'[' where ':'" },
  { "[{pattern:[1]}]", "'p' where a string" },
  { "[{\"pattern\":[1],\"x\":\"unfinished}]", "the file ends inside a string" },
  { "[{\"pattern\":[1],\"x\":\"a\nb\"}]", "does not end on its line" },
  { "[{\"pattern\":[1],\"x\":\"\\q\"}]", "unknown escape" },
  { "[{\"pattern\":[1],\"x\":\"\\u12g4\"}]", "four hexadecimal digits" },
  { "[{\"pattern\":[1],\"x\":[[[[[[[[[[[[[[[[[[[[[[[[[[[[[[[[[[[[[[[[[[[[[[[[[[[[[[[[[[[[[[[[[[[[[[[[[",
    "64 deep" },
  { "[{\"pattern\":[1],\"x\":[1,2}]", "'}' where ',' or ']'" },
};

/* For a machine of 4 nodes x 4 CUs, lines of 64 bytes, 1 MiB per node, physical addresses. */
static const struct sample traces[] = {
  { "0 0 load sys 0x40 8\n", NULL },
  { "# a comment\n\n  3 3 st.release sys 0x3000000000 64 # all of it\r\n0 1 fence sys\n0 1 fence.acquire gpu",
    NULL },
  { "0 0 cas gpu 64 4 1 0\n1 1 maxu.acq_rel sys 0x40 8 0xffffffffffffffff\n0 0 load cta 0x40 2 513\n", NULL },
  { "0 0 store sys 0 12 0x0102030405060708090a0b0c\n", NULL },
  { "", "holds no operation" },
  { "0\n", "line 1: the cu is missing" },
  { "x 0 load sys 0 4\n", "'x' is not a node's number" },
  { "4 0 load sys 0 4\n", "there is no node 4; there are 0 to 3" },
  { "0 4 load sys 0 4\n", "there is no cu 4" },
  { "0 0\n", "the operation is missing" },
  { "0 0 jump sys 0 4\n", "there is no operation 'jump'" },
  { "0 0 load.release sys 0 4\n", "'load.release' cannot have this order" },
  { "0 0 store.acquire sys 0 4\n", "cannot have this order" },
  { "0 0 fence.relaxed sys\n", "cannot have this order" },
  { "0 0 add.weak sys 0 4 1\n", "cannot have this order" },
  { "0 0 load.soon sys 0 4\n", "cannot have this order" },
  { "0 0 load 0 4\n", "a scope is needed" },
  { "0 0 load sys\n", "the address is missing" },
  { "0 0 load sys here 4\n", "'here' is not an address" },
  { "0 0 load sys 0\n", "the size is missing" },
  { "0 0 load sys 0 -4\n", "'-4' is not a size" },
  { "0 0 load sys 0 0\n", "a size of 0" },
  { "0 0 load sys 0 65\n", "a size of 65" },
  { "0 0 load sys 60 8\n", "8 bytes at 0x3c cross a line of 64 bytes" },
  { "0 0 load sys 0x100000 4\n", "address 0x100000 is outside memory" },
  { "0 0 load sys 0x4000000000 4\n", "is outside memory: 4 nodes" },
  { "0 0 load sys 0xffffffffffffffff 1\n", "is not an address" },
  { "0 0 add sys 2 4 1\n", "no multiple of 4" },
  { "0 0 add sys 0 2 1\n", "an atomic of 2 bytes" },
  { "0 0 add sys 0 4\n", "needs its operand" },
  { "0 0 cas sys 0 4 1\n", "cas needs two values" },
  { "0 0 store sys 0 4 0x1ffffffff\n", "has more than 4 bytes" },
  { "0 0 store sys 0 1 256\n", "has more than 1 bytes" },
  { "0 0 store sys 0 4 0xzz\n", "is not a number" },
  { "0 0 store sys 0 4 1 2\n", "'2' is one word too many" },
  { "0 0 fence sys 0 0\n", "'0' is one word too many" },
  { "0 0 load sys 0 4\n\n#\n0 0 load sys 0 bad\n", "line 4: 'bad' is not a size" },
};

typedef int (*parser)(struct weft *w, const char *text, size_t bytes);

static int parse_matrix(struct weft *w, const char *text, size_t bytes)
{
  struct weft_edges e;
  int code = weft_mtx_parse(w, "file", text, bytes, &e);
  if (code)
    assert_null(e.edge);
  weft_edges_free(&e);
  return code;
}

static int parse_pattern(struct weft *w, const char *text, size_t bytes)
{
  struct weft_spatter_set set;
  int code = weft_spatter_parse(w, "file", text, bytes, &set);
  if (code)
    assert_null(set.pattern);
  weft_spatter_free(&set);
  return code;
}

static int parse_trace(struct weft *w, const char *text, size_t bytes)
{
  static const struct weft_trace_limits limits = { 4, 4, 64, 1 << 20, true };
  struct weft_trace_file file;
  int code = weft_trace_parse(w, "file", text, bytes, &limits, &file);
  if (code)
    assert_null(file.op);
  weft_trace_free(&file);
  return code;
}

/* The text is copied to its exact size, so that reading past its end is found out. */
static void check_all(parser parse, const struct sample *samples, size_t count)
{
  struct weft *w = weft_new();
  for (size_t i = 0; i < count; i++) {
    size_t bytes = strlen(samples[i].text);
    char *copy = malloc(bytes ? bytes : 1);
    memcpy(copy, samples[i].text, bytes);
    int code = parse(w, copy, bytes);
    free(copy);
    if (!samples[i].message) {
      if (code)
        fail_msg("sample %zu: %s", i, weft_message(w));
      continue;
    }
    if (code != WEFT_BAD_FILE || strncmp(weft_message(w), "file line ", 10) != 0 ||
        !strstr(weft_message(w), samples[i].message))
      fail_msg("sample %zu: code %d, '%s' is not in: %s", i, code, samples[i].message, weft_message(w));
  }
  weft_free(w);
}

static void matrix_market(void **state)
{
  (void)state;
  check_all(parse_matrix, matrices, sizeof matrices / sizeof *matrices);
}

static void spatter_json(void **state)
{
  (void)state;
  check_all(parse_pattern, patterns, sizeof patterns / sizeof *patterns);
}

static void traces_of_operations(void **state)
{
  (void)state;
  check_all(parse_trace, traces, sizeof traces / sizeof *traces);
}

/* ---- What comes out ---------------------------------------------------------------------------------- */

static void a_matrix_becomes_a_graph(void **state)
{
  static const char text[] =
    "%%MatrixMarket matrix coordinate integer symmetric\n3 3 3\n2 1 5\n3 2 6\n3 3 7\n";
  struct weft *w = weft_new();
  struct weft_edges e;
  struct weft_graph g;
  (void)state;
  assert_works(w, weft_mtx_parse(w, "file", text, strlen(text), &e));
  assert_true(e.weighted);
  assert_works(w, weft_graph_build(w, &e, 1, &g));
  const uint32_t first[] = { 0, 1, 3, 5 }, source[] = { 1, 0, 2, 1, 2 }, weight[] = { 5, 5, 6, 6, 7 };
  assert_int_equal(g.edges, 5); /* the diagonal stands for itself alone */
  assert_memory_equal(g.first, first, sizeof first);
  assert_memory_equal(g.source, source, sizeof source);
  assert_memory_equal(g.weight, weight, sizeof weight);
  weft_graph_free(&g);
  weft_edges_free(&e);
  weft_free(w);
}

static void check_indices(const char *pattern, const uint64_t *should, size_t count)
{
  struct weft *w = weft_new();
  struct weft_spatter_set set;
  char text[200];
  snprintf(text, sizeof text, "[{\"pattern\":%s}]", pattern);
  assert_works(w, weft_spatter_parse(w, "file", text, strlen(text), &set));
  assert_int_equal(set.pattern[0].length, count);
  assert_memory_equal(set.pattern[0].index, should, count * sizeof *should);
  assert_int_equal(set.pattern[0].delta, 8);
  assert_int_equal(set.pattern[0].count, 1024);
  weft_spatter_free(&set);
  weft_free(w);
}

static void short_forms_become_indices(void **state)
{
  (void)state;
  check_indices("[5, 3, 5]", (uint64_t[]){ 5, 3, 5 }, 3);
  check_indices("\"UNIFORM:4:24\"", (uint64_t[]){ 0, 24, 48, 72 }, 4);
  check_indices("\"MS1:8:4:20\"", (uint64_t[]){ 0, 1, 2, 3, 23, 24, 25, 26 }, 8);
  check_indices("\"MS1:6:2,4:10,20\"", (uint64_t[]){ 0, 1, 11, 12, 32, 33 }, 6);
  check_indices("\"LAPLACIAN:2:1:100\"", (uint64_t[]){ 0, 99, 100, 101, 200 }, 5);
}

static void values_are_little_endian(void **state)
{
  static const char text[] = "0 0 store sys 0 4 0x00000000000000000abc\n0 1 cas sys 0 8 0x1 -\n";
  static const struct weft_trace_limits any = { 0, 0, 0, 0, false };
  struct weft *w = weft_new();
  struct weft_trace_file file;
  (void)state;
  assert_fails(w, weft_trace_parse(w, "f", text, strlen(text), &any, &file), WEFT_BAD_FILE,
               "line 2: the value '-'");
  assert_works(w, weft_trace_parse(w, "f", text, strcspn(text, "\n"), &any, &file));
  const uint8_t *value = file.pool + file.op[0].data;
  assert_int_equal(value[0], 0xbc);
  assert_int_equal(value[1], 0x0a);
  assert_int_equal(value[2] | value[3], 0);
  weft_trace_free(&file);
  weft_free(w);
}

int main(void)
{
  const struct CMUnitTest tests[] = {
    cmocka_unit_test(matrix_market),
    cmocka_unit_test(spatter_json),
    cmocka_unit_test(traces_of_operations),
    cmocka_unit_test(a_matrix_becomes_a_graph),
    cmocka_unit_test(short_forms_become_indices),
    cmocka_unit_test(values_are_little_endian),
  };
  return cmocka_run_group_tests_name("parsers", tests, NULL, NULL);
}
