/* SPDX-License-Identifier: Apache-2.0 */
/* The oracle of sequential consistency: the states of the classic shapes, as textbooks have them; random programs
 * against a search that remembers nothing; what is too large, and what depends on addresses, is said. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>

#include <cmocka.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "interleave.h"
#include "random.h"

#define TEXT 2000

static struct weft_litmus *parse(const char *text)
{
  struct weft *w = weft_new();
  struct weft_litmus *test = NULL;
  int code = weft_litmus_parse(w, "test", text, strlen(text), &test);
  if (code)
    print_error("%s\n%s\n", weft_message(w), text);
  assert_int_equal(code, 0);
  assert_string_equal(test->reason, "");
  weft_free(w);
  return test;
}

static int by_text(const void *a, const void *b)
{
  return strcmp(*(char *const *)a, *(char *const *)b);
}

/* The states in the order of the alphabet, each with its values alone: "01 10 11". */
static enum litmus_interleaved states(const char *text, uint32_t limit, char *joined)
{
  struct weft_litmus *test = parse(text);
  struct weft_intern ends;
  enum litmus_interleaved answer = weft_litmus_interleave(test, limit, &ends);
  char **state = calloc(ends.count + 1, sizeof *state);
  size_t used = 0;
  for (uint32_t i = 0; i < ends.count; i++) {
    const int64_t *values = weft_intern_block(&ends, i);
    assert_true(weft_litmus_interleave_has(test, &ends, values));
    char *text_of = weft_litmus_state_text(test, values), *whole = text_of ? text_of : strdup(""),
         *to = whole;
    for (const char *at = strchr(whole, '='); at; at = strchr(at, '='))
      while (*++at != ';')
        *to++ = *at;
    *to = 0;
    state[i] = whole;
  }
  qsort(state, ends.count, sizeof *state, by_text);
  joined[0] = 0;
  for (uint32_t i = 0; i < ends.count; i++) {
    used += (size_t)snprintf(joined + used, TEXT - used, "%s%s", i ? " " : "", state[i]);
    assert_true(used < TEXT);
    free(state[i]);
  }
  free(state);
  weft_intern_free(&ends);
  weft_litmus_free(test);
  return answer;
}

static void expect(const char *text, const char *wanted)
{
  char joined[TEXT];
  assert_int_equal(states(text, 100000, joined), LITMUS_ALL_FOUND);
  assert_string_equal(joined, wanted);
}

/* ---- Shapes ------------------------------------------------------------------------------------------ */

#define TWO "{ x=0; y=0; }\n P0 | P1 ;\n"
#define THREE "{ x=0; y=0; }\n P0 | P1 | P2 ;\n"

static void test_shapes(void **state)
{
  (void)state;
  expect("PTX SB\n" TWO "st.weak x, 1 | st.weak y, 1 ;\n ld.weak r1, y | ld.weak r1, x ;\n"
         "exists (P0:r1 == 0 /\\ P1:r1 == 0)",
         "01 10 11");
  expect("PTX MP\n" TWO "st.weak x, 1 | ld.weak r1, y ;\n st.weak y, 1 | ld.weak r2, x ;\n"
         "exists (P1:r1 == 1 /\\ P1:r2 == 0)",
         "00 01 11");
  expect("PTX LB\n" TWO "ld.weak r1, x | ld.weak r1, y ;\n st.weak y, 1 | st.weak x, 1 ;\n"
         "exists (P0:r1 == 1 /\\ P1:r1 == 1)",
         "00 01 10");
  expect("PTX S\n" TWO "st.weak x, 2 | ld.weak r1, y ;\n st.weak y, 1 | st.weak x, 1 ;\n"
         "exists (P1:r1 == 1 /\\ x == 2)",
         "01 02 11");
  expect("PTX R\n" TWO "st.weak x, 1 | st.weak y, 2 ;\n st.weak y, 1 | ld.weak r1, x ;\n"
         "exists (y == 2 /\\ P1:r1 == 0)",
         "10 11 21");
  expect("PTX 2+2W\n" TWO "st.weak x, 2 | st.weak y, 2 ;\n st.weak y, 1 | st.weak x, 1 ;\n"
         "exists (x == 2 /\\ y == 2)",
         "11 12 21");
  expect("PTX CoRR\n" TWO "st.weak x, 1 | ld.weak r1, x ;\n | ld.weak r2, x ;\n"
         "exists (P1:r1 == 1 /\\ P1:r2 == 0)",
         "00 01 11");
  expect("PTX CoWW\n" TWO "st.weak x, 1 | ;\n st.weak x, 2 | ;\nexists (x == 1)", "2");
  expect("PTX CoRW1\n" TWO "ld.weak r1, x | ;\n st.weak x, 1 | ;\nexists (P0:r1 == 1)", "0");
  expect("PTX WRC\n" THREE "st.weak x, 1 | ld.weak r1, x | ld.weak r1, y ;\n"
         "| st.weak y, 1 | ld.weak r2, x ;\nexists (P1:r1 == 1 /\\ P2:r1 == 1 /\\ P2:r2 == 0)",
         "000 001 010 011 100 101 111");
  expect("PTX ISA2\n{ x=0; y=0; z=0; }\n P0 | P1 | P2 ;\n st.weak x, 1 | ld.weak r1, y | ld.weak r1, z ;\n"
         "st.weak y, 1 | st.weak z, 1 | ld.weak r2, x ;\n"
         "exists (P1:r1 == 1 /\\ P2:r1 == 1 /\\ P2:r2 == 0)",
         "000 001 010 011 100 101 111");
  expect("PTX IRIW\n{ x=0; y=0; }\n P0 | P1 | P2 | P3 ;\n"
         "st.weak x, 1 | ld.weak r1, x | st.weak y, 1 | ld.weak r1, y ;\n"
         "| ld.weak r2, y | | ld.weak r2, x ;\n"
         "exists (P1:r1 == 1 /\\ P1:r2 == 0 /\\ P3:r1 == 1 /\\ P3:r2 == 0)",
         "0000 0001 0010 0011 0100 0101 0110 0111 1000 1001 1011 1100 1101 1110 1111");
}

/* Loops end, waits are waited for, read-modify-writes are one step. */
static void test_more_than_loads_and_stores(void **state)
{
  (void)state;
  expect("PTX spin\n" TWO "st.weak x, 1 | LC00: ;\n st.weak y, 1 | ld.weak r1, y ;\n | beq r1, 0, LC00 ;\n"
         "| ld.weak r2, x ;\nforall (P1:r1 == 1 /\\ P1:r2 == 1)",
         "11");
  expect("PTX add\n" TWO
         "atom.add r1, x, 1 | atom.add r1, x, 1 ;\nforall (P0:r1 == 0 /\\ P1:r1 == 1 /\\ x == 2)",
         "012 102");
  expect("PTX lost\n" TWO "ld.weak r1, x | ld.weak r1, x ;\n add r1, r1, 1 | add r1, r1, 1 ;\n"
         "st.weak x, r1 | st.weak x, r1 ;\nexists (x == 1)",
         "1 2");
  expect("PTX cas\n" TWO "atom.cas r1, x, 0, 1 | atom.cas r1, x, 0, 2 ;\nexists (P0:r1 == 0 /\\ P1:r1 == 0)",
         "01 20");
  expect("PTX bar\n{ x=0; }\n P0@cta 0,gpu 0 | P1@cta 0,gpu 0 ;\n st.weak x, 1 | bar.sync 0 ;\n bar.sync 0 |"
         "ld.weak r1, x ;\nforall (P1:r1 == 1)",
         "1");
  expect("PTX filtered\n" TWO "st.weak x, 1 | ld.weak r1, x ;\nfilter (P1:r1 == 0) exists (P1:r1 == 1)", "0");
  expect("PTX nothing\n" TWO "mov r1, 1 | mov r1, 2 ;\nforall (true)", "");
  expect("RISCV lrsc\n{ 0:x5=x; 1:x5=x; 0:x6=1; 1:x6=2; }\n P0 | P1 ;\n lr.w x7,(x5) | sw x6,(x5) ;\n"
         "sc.w x8,x6,(x5) | ;\nforall (x=1 /\\ 0:x8=0)",
         "10 20 21");
  expect(
    "RISCV pointer\n{ int *p=x; 0:x5=p; 0:x6=y; 1:x5=p; x=1; y=2; }\n P0 | P1 ;\n sd x6,(x5) | ld x7,(x5) ;\n"
    "| lw x8,(x7) ;\nforall (1:x7=x /\\ 1:x8=1)",
    "x1 y2");
}

/* ---- Random programs --------------------------------------------------------------------------------- */

#define OPS 4
struct op {
  char kind; /* R, W, A(dd) */
  uint8_t variable, value;
};
struct program {
  unsigned threads, count[3];
  struct op op[3][OPS];
};
struct machine {
  unsigned at[3];
  int variable[2], reg[3][OPS];
};

static void add_end(const struct program *p, const struct machine *m, char *all)
{
  char one[32];
  size_t used = 0;
  for (unsigned t = 0; t < p->threads; t++)
    for (unsigned i = 0; i < p->count[t]; i++)
      if (p->op[t][i].kind != 'W')
        used += (size_t)snprintf(one + used, sizeof one - used, "%d", m->reg[t][i]);
  used += (size_t)snprintf(one + used, sizeof one - used, "%d%d", m->variable[0], m->variable[1]);
  char *found = strstr(all, one);
  for (; found && found[used] != ' '; found = strstr(found + 1, one))
    ;
  if (found)
    return;
  /* In the order of the alphabet; all have one length. */
  char *at = all;
  while (*at && strncmp(at, one, used) < 0)
    at += used + 1;
  memmove(at + used + 1, at, strlen(at) + 1);
  memcpy(at, one, used);
  at[used] = ' ';
}

static void try_all(const struct program *p, const struct machine *m, char *all)
{
  bool over = true;
  for (unsigned t = 0; t < p->threads; t++) {
    if (m->at[t] == p->count[t])
      continue;
    struct machine next = *m;
    unsigned i = next.at[t]++;
    const struct op *op = &p->op[t][i];
    next.reg[t][i] = next.variable[op->variable];
    if (op->kind == 'W')
      next.variable[op->variable] = op->value;
    else if (op->kind == 'A')
      next.variable[op->variable] += op->value;
    over = false;
    try_all(p, &next, all);
  }
  if (over)
    add_end(p, m, all);
}

static void draw(struct program *p, struct weft_random *random)
{
  p->threads = 2 + weft_random_below(random, 2);
  for (unsigned t = 0; t < p->threads; t++) {
    p->count[t] = 1 + weft_random_below(random, p->threads == 2 ? OPS : 3);
    for (unsigned i = 0; i < p->count[t]; i++)
      p->op[t][i] = (struct op){ "RRWWA"[weft_random_below(random, 5)], (uint8_t)weft_random_below(random, 2),
                                 (uint8_t)(1 + weft_random_below(random, 2)) };
  }
}

static void write_out(const struct program *p, char *text)
{
  size_t used =
    (size_t)sprintf(text, "PTX random\n{ x=0; y=0; }\n P0 | P1%s ;\n", p->threads == 3 ? " | P2" : "");
  for (unsigned i = 0; i < OPS; i++)
    for (unsigned t = 0; t < p->threads && t < 3; t++) {
      const struct op *op = &p->op[t][i];
      char variable = "xy"[op->variable];
      if (i < p->count[t] && op->kind == 'W')
        used += (size_t)sprintf(text + used, "st.weak %c, %u", variable, op->value);
      else if (i < p->count[t] && op->kind == 'R')
        used += (size_t)sprintf(text + used, "ld.weak r%u, %c", i, variable);
      else if (i < p->count[t])
        used += (size_t)sprintf(text + used, "atom.add r%u, %c, %u", i, variable, op->value);
      used += (size_t)sprintf(text + used, t + 1 < p->threads ? " | " : " ;\n");
    }
  used += (size_t)sprintf(text + used, "locations [");
  for (unsigned t = 0; t < p->threads; t++)
    for (unsigned i = 0; i < p->count[t]; i++)
      if (p->op[t][i].kind != 'W')
        used += (size_t)sprintf(text + used, "%u:r%u; ", t, i);
  sprintf(text + used, "x; y;]\nexists (true)");
}

static void test_random_programs(void **state)
{
  (void)state;
  struct weft_random random = weft_random_stream(7, 0);
  for (unsigned n = 0; n < 300; n++) {
    struct program p = { 0 };
    char text[TEXT], all[4 * TEXT] = "";
    draw(&p, &random);
    write_out(&p, text);
    try_all(&p, &(struct machine){ 0 }, all);
    all[strlen(all) - 1] = 0;
    expect(text, all);
  }
}

/* ---- What it does not answer ------------------------------------------------------------------------- */

static void test_too_large(void **state)
{
  (void)state;
  static const char counting[] = "PTX counts\n" TWO "LC00: | ;\n ld.weak r2, y | st.weak y, 1 ;\n"
                                 "add r1, r1, 1 | ;\n beq r2, 0, LC00 | ;\nexists (P0:r1 == 7)";
  char joined[TEXT];
  assert_int_equal(states(counting, 1000, joined), LITMUS_TOO_LARGE);
  /* The limit is one of states, not of the programs' length. */
  assert_int_equal(states("PTX SB\n" TWO "st.weak x, 1 | st.weak y, 1 ;\n ld.weak r1, y | ld.weak r1, x ;\n"
                          "exists (P0:r1 == 0 /\\ P1:r1 == 0)",
                          5, joined),
                   LITMUS_TOO_LARGE);
}

static void test_addresses_as_numbers(void **state)
{
  (void)state;
  char joined[TEXT];
  assert_int_equal(
    states("RISCV order\n{ 0:x5=x; 0:x6=y; }\n P0 ;\n sltu x7,x5,x6 ;\nexists (0:x7=1)", 100, joined),
    LITMUS_BY_ADDRESS);
  assert_int_equal(states("RISCV wild\n{ 0:x5=x; }\n P0 ;\n lw x6,4(x5) ;\nexists (0:x6=0)", 100, joined),
                   LITMUS_BY_ADDRESS);
  expect("RISCV same\n{ 0:x5=x; 0:x6=y; }\n P0 ;\n xor x7,x5,x5 ;\nexists (0:x7=0)", "0");
}

/* A thread that never ends has no state, whatever the others do. */
static void test_no_end(void **state)
{
  (void)state;
  expect("PTX endless\n" TWO "LC00: | st.weak x, 1 ;\n goto LC00 | ;\nexists (x == 1)", "");
  expect("PTX waits\n" TWO
         "LC00: | st.weak x, 1 ;\n ld.weak r1, y | ;\n beq r1, 0, LC00 | ;\nexists (x == 1)",
         "");
}

int main(void)
{
  const struct CMUnitTest tests[] = {
    cmocka_unit_test(test_shapes),
    cmocka_unit_test(test_more_than_loads_and_stores),
    cmocka_unit_test(test_random_programs),
    cmocka_unit_test(test_too_large),
    cmocka_unit_test(test_addresses_as_numbers),
    cmocka_unit_test(test_no_end),
  };
  return cmocka_run_group_tests(tests, NULL, NULL);
}
