/* SPDX-License-Identifier: Apache-2.0 */
/* What `selftest` tries, from the wire to the fabric. */
#include <inttypes.h>
#include <stdlib.h>
#include <string.h>

#include "boards.h"

#define BLOCK 4096U

static uint64_t mix(uint64_t z)
{
  z = (z ^ (z >> 30)) * UINT64_C(0xbf58476d1ce4e5b9);
  z = (z ^ (z >> 27)) * UINT64_C(0x94d049bb133111eb);
  return z ^ (z >> 31);
}

/* ---- Loopback ---------------------------------------------------------------------------------------- */

/* Every byte beside every other sooner or later; and what frames begin with, which inside of one means nothing. */
static void fill_pattern(uint8_t *bytes, unsigned round)
{
  static const uint8_t constants[] = { 0x00, 0xff, 0x55, 0xaa };
  for (unsigned i = 0; i < BLOCK; i++)
    bytes[i] = round < 4    ? constants[round]
               : round == 4 ? (uint8_t)(1U << i % 8)
               : round == 5 ? (uint8_t)(i % 2 ? 0xa9 : 0x57)
                            : (uint8_t)mix(round * (uint64_t)BLOCK + i);
}

static int loopback(struct selftest *t)
{
  uint8_t bytes[BLOCK];
  unsigned rounds = t->quick ? 7 : 16;
  int code = WEFT_OK;
  for (unsigned round = 0; round < rounds && !code; round++) {
    fill_pattern(bytes, round);
    code = weft_board_echo(t->w, bytes, t->quick ? BLOCK / 8 : BLOCK);
  }
  snprintf(t->detail, sizeof t->detail, "%u bytes there and back", rounds * (t->quick ? BLOCK / 8 : BLOCK));
  return code;
}

/* ---- Memory ------------------------------------------------------------------------------------------ */

struct march {
  struct selftest *t;
  uint64_t base, bytes; /* of one node's memory: what is looked at */
};

/* Each word is told by its address; `turn` turns all bits. A line that answers for another is seen. */
static void background(uint64_t *words, uint64_t address, bool turn)
{
  for (unsigned i = 0; i < BLOCK / 8; i++)
    words[i] = mix(address + 8 * i) ^ (turn ? UINT64_MAX : 0);
}

static int expect_block(struct selftest *t, uint64_t address, bool turn)
{
  uint64_t is[BLOCK / 8], should[BLOCK / 8];
  int code = weft_read(t->w, WEFT_PHYSICAL(address), is, sizeof is);
  background(should, address, turn);
  for (unsigned i = 0; i < BLOCK / 8 && !code; i++)
    if (is[i] != should[i]) {
      snprintf(t->detail, sizeof t->detail,
               "address 0x%" PRIx64 " holds %016" PRIx64 ", and %016" PRIx64 " was written", address + 8 * i,
               is[i], should[i]);
      return WEFT_WRONG_RESULT;
    }
  return code;
}

static int write_block(struct selftest *t, uint64_t address, bool turn)
{
  uint64_t words[BLOCK / 8];
  background(words, address, turn);
  return weft_write(t->w, WEFT_PHYSICAL(address), words, sizeof words);
}

/* One pass, upwards or downwards: reads what the last one wrote, writes the opposite. */
static int pass(const struct march *m, bool down, bool reads, bool writes, bool turn)
{
  int code = WEFT_OK;
  for (uint64_t at = 0; at < m->bytes && !code; at += BLOCK) {
    uint64_t address = m->base + (down ? m->bytes - BLOCK - at : at);
    if (reads)
      code = expect_block(m->t, address, !turn);
    if (writes && !code)
      code = write_block(m->t, address, turn);
  }
  return code;
}

static int memory(struct selftest *t)
{
  struct weft_machine machine;
  int code = weft_describe(t->w, &machine);
  unsigned nodes = machine.nodes + machine.memories;
  uint64_t bytes = t->quick && machine.memory > 2 * BLOCK ? 2 * BLOCK : machine.memory;
  for (unsigned n = 0; n < nodes && !code; n++) {
    /* In a quick test the last pages, where a missing address line shows. */
    struct march m = { t, ((uint64_t)n << 36) + machine.memory - bytes, bytes };
    code = pass(&m, false, false, true, false);
    if (!code)
      code = pass(&m, false, true, true, true);
    if (!code)
      code = pass(&m, true, true, true, false);
    if (!code)
      code = pass(&m, true, true, false, true);
  }
  if (!code)
    code = weft_reset(t->w);
  if (!code)
    snprintf(t->detail, sizeof t->detail, "%u nodes, %" PRIu64 " of %" PRIu64 " bytes each, up and down",
             nodes, bytes, machine.memory);
  return code;
}

/* ---- Counters ---------------------------------------------------------------------------------------- */

#define ROUNDS 5U

static void counted(struct weft_warp *t, void *arg)
{
  weft_address words = *(const weft_address *)arg;
  unsigned line = weft_where(t)->line;
  for (unsigned i = 0; i < ROUNDS; i++) {
    weft_address own = words + (uint64_t)line * (1 + weft_where(t)->index);
    weft_store64(t, own, i);
    weft_load64(t, own);
    weft_rmw(t, WEFT_ADD, words, 8, 1, 0, WEFT_RELAXED, WEFT_SYS);
  }
}

static int count_of(struct selftest *t, const char *name, uint64_t should)
{
  uint64_t is;
  int code = weft_counter_get(t->w, name, &is);
  if (code || is == should)
    return code;
  snprintf(t->detail, sizeof t->detail, "%s is %" PRIu64 " where %" PRIu64 " is right", name, is, should);
  return WEFT_WRONG_RESULT;
}

static int counters(struct selftest *t)
{
  struct weft_machine machine;
  weft_address words;
  uint64_t sum;
  int code = weft_describe(t->w, &machine);
  uint64_t warps = (uint64_t)machine.nodes * machine.cus * machine.warps;
  if (!code)
    code = weft_reset(t->w);
  if (!code)
    code = count_of(t, "total.l1.loads", 0);
  if (!code)
    code = weft_alloc(t->w, machine.line * (warps + 1), WEFT_INTERLEAVED, &words);
  if (!code)
    code = weft_launch(t->w, counted, &words);
  if (!code)
    code = count_of(t, "total.l1.loads", ROUNDS * warps);
  if (!code)
    code = count_of(t, "total.l1.stores", ROUNDS * warps);
  if (!code)
    code = count_of(t, "total.l1.atomics", ROUNDS * warps);
  if (!code)
    code = weft_read(t->w, words, &sum, sizeof sum);
  if (code)
    return code;
  snprintf(t->detail, sizeof t->detail, "%" PRIu64 " operations counted, %" PRIu64 " additions kept",
           3 * ROUNDS * warps, sum);
  return sum == ROUNDS * warps ? WEFT_OK : WEFT_WRONG_RESULT;
}

/* ---- Litmus ------------------------------------------------------------------------------------------ */

static const char message_passing[] =
  "PTX MP\n{ x=0; y=0; }\n"
  " P0@cta 0,gpu 0 | P1@cta 1,gpu 1 ;\n st.weak x, 1 | ld.acquire.sys r1, y ;\n st.release.sys y, 1 | ld.weak r2, x ;\n"
  "~exists (P1:r1 == 1 /\\ P1:r2 == 0)\n";
static const char store_buffering[] =
  "PTX SB\n{ x=0; y=0; }\n"
  " P0@cta 0,gpu 0 | P1@cta 1,gpu 1 ;\n st.weak x, 1 | st.weak y, 1 ;\n fence.sc.sys | fence.sc.sys ;\n"
  " ld.weak r1, y | ld.weak r1, x ;\nforall (P0:r1 == 1 \\/ P1:r1 == 1)\n";
static const char read_read[] =
  "PTX CoRR\n{ x=0; }\n"
  " P0@cta 0,gpu 0 | P1@cta 1,gpu 1 ;\n st.relaxed.sys x, 1 | ld.relaxed.sys r1, x ;\n | ld.relaxed.sys r2, x ;\n"
  "~exists (P1:r1 == 1 /\\ P1:r2 == 0)\n";
static const char additions[] =
  "PTX atom\n{ x=0; }\n"
  " P0@cta 0,gpu 0 | P1@cta 1,gpu 1 ;\n red.relaxed.sys.add x, 1 | red.relaxed.sys.add x, 2 ;\nforall (x == 3)\n";
static const char *const shapes[] = { message_passing, store_buffering, read_read, additions };
#define SHAPES (sizeof shapes / sizeof *shapes)

static int one_shape(struct selftest *t, const char *text, uint64_t runs)
{
  struct weft_litmus *test;
  struct weft_litmus_result result;
  const struct weft_litmus_options options = { .runs = runs };
  int code = weft_litmus_parse(t->w, "selftest", text, strlen(text), &test);
  if (code)
    return code;
  code = weft_litmus_run(t->w, test, &options, &result);
  if (!code && (result.verdict == WEFT_LITMUS_VIOLATED || result.unfinished)) {
    snprintf(t->detail, sizeof t->detail, "%s: %s after %" PRIu64 " runs", weft_litmus_name(test),
             weft_litmus_verdict_name(result.verdict), result.runs);
    code = WEFT_WRONG_RESULT;
  }
  weft_litmus_free(test);
  return code;
}

static int litmus(struct selftest *t)
{
  uint64_t runs = t->quick ? 4 : 50;
  int code = WEFT_OK;
  for (size_t i = 0; i < SHAPES && !code; i++)
    code = one_shape(t, shapes[i], runs);
  if (!code)
    snprintf(t->detail, sizeof t->detail, "%zu shapes, %" PRIu64 " runs each, nothing that is forbidden",
             SHAPES, runs);
  return code;
}

/* ---- Throughput -------------------------------------------------------------------------------------- */

static int throughput(struct selftest *t)
{
  const struct weft_workload_options options = { .size = t->quick ? 256 : 0 };
  struct weft_workload_result result;
  struct weft_board_traffic before, after;
  struct weft_statistics s;
  weft_board_traffic_read(t->w, &before);
  int code = weft_workload_run(t->w, "vecadd", &options, &result);
  weft_statistics_read(t->w, &s);
  weft_board_traffic_read(t->w, &after);
  if (code)
    return code;
  double seconds = s.wall_seconds > 0 ? s.wall_seconds : 1e-9, operations = (double)s.operations;
  double down = (double)(after.sent - before.sent), up = (double)(after.received - before.received);
  snprintf(t->detail, sizeof t->detail,
           "%.0f operations per second; %.1f bytes down and %.1f up per operation", operations / seconds,
           down / operations, up / operations);
  t->figures =
    json_pack("{s:f, s:f, s:f, s:I, s:I, s:I}", "operations_per_second", operations / seconds,
              "bytes_down_per_operation", down / operations, "bytes_up_per_operation", up / operations,
              "frames_sent_again", (json_int_t)after.frames_again, "bytes_dropped_by_board",
              (json_int_t)after.dropped_board, "bytes_dropped_by_host", (json_int_t)after.dropped_host);
  return WEFT_OK;
}

static const struct selftest_step steps[] = {
  { "loopback", loopback, false }, { "memory", memory, false },        { "counters", counters, false },
  { "litmus", litmus, false },     { "throughput", throughput, true },
};

const struct selftest_step *selftest_at(size_t index)
{
  return index < sizeof steps / sizeof *steps ? &steps[index] : NULL;
}
