/* SPDX-License-Identifier: Apache-2.0 */
#include "interleave.h"

#include <stdlib.h>
#include <string.h>

#include "atomic.h"
#include "runner.h"

#define BYTES_MOST (UINT64_C(256) << 20) /* of all states that are kept */

/* A state is an array of words: each thread's, then memory, a place of whole words for every location, then barriers. */
enum { AT, RESERVED_AT, RESERVED, RESERVED_BYTES, REGISTERS };

struct search {
  struct litmus_run run;     /* as far as barriers and addresses need one */
  struct litmus_instance in; /* where the variables are */
  unsigned thread[LITMUS_THREADS], memory[LITMUS_LOCATIONS], barriers, words;
  uint32_t limit;
  int64_t *now;            /* the state that is worked on */
  struct weft_intern seen; /* in the order in which they were met: also the list of those to be tried */
  struct weft_intern *ends;
  int64_t *values;
  bool large;
  bool wild; /* an access left its variable: whether it meets another one is a matter of where they lie */
};

/* ---- A state ----------------------------------------------------------------------------------------- */

static int64_t operand(const struct search *s, unsigned u, const struct litmus_operand *o)
{
  if (o->kind == LITMUS_REGISTER)
    return s->now[s->thread[u] + REGISTERS + o->index];
  return o->kind == LITMUS_ADDRESS ? (int64_t)s->in.address[o->index] + o->value : o->value;
}

static void put(struct search *s, unsigned u, int to, int64_t value)
{
  if (to >= 0)
    s->now[s->thread[u] + REGISTERS + (unsigned)to] = value;
}

static uint8_t *bytes_at(struct search *s, unsigned location)
{
  return (uint8_t *)(s->now + s->memory[location]);
}

/* NULL: outside of the variables. */
static uint8_t *reached(struct search *s, uint64_t address, const struct litmus_instruction *i)
{
  unsigned location;
  if (!weft_litmus_reaches(s->run.test, &s->in, address, i, &location)) {
    s->wild = true;
    return NULL;
  }
  return bytes_at(s, location) + (address - s->in.address[location]);
}

static struct litmus_barriers *barriers(struct search *s)
{
  return s->run.test->barriers ? s->in.barriers : NULL;
}

/* ---- Steps ------------------------------------------------------------------------------------------- */

static void rmw(struct search *s, unsigned u, const struct litmus_instruction *i, uint8_t *bytes)
{
  uint64_t old = 0;
  memcpy(&old, bytes, i->bytes);
  uint64_t value =
    weft_atomic(i->func, i->bytes == 8, old, (uint64_t)operand(s, u, &i->b), (uint64_t)operand(s, u, &i->c));
  memcpy(bytes, &value, i->bytes);
  put(s, u, i->to, litmus_extend(old, i->bytes, i->sign));
}

/* As the runs have it: a compare-and-swap with what the reservation saw. */
static void conditional(struct search *s, unsigned u, const struct litmus_instruction *i, uint64_t address,
                        uint8_t *bytes)
{
  int64_t *own = s->now + s->thread[u];
  uint64_t old = 0, value = (uint64_t)operand(s, u, &i->b);
  memcpy(&old, bytes, i->bytes);
  bool done = (uint64_t)own[RESERVED_AT] == address && own[RESERVED_BYTES] == i->bytes &&
              litmus_extend(old, i->bytes, true) == own[RESERVED];
  if (done)
    memcpy(bytes, &value, i->bytes);
  own[RESERVED_AT] = own[RESERVED] = own[RESERVED_BYTES] = 0;
  put(s, u, i->to, !done);
}

static bool access(struct search *s, unsigned u, const struct litmus_instruction *i)
{
  uint64_t address = (uint64_t)operand(s, u, &i->a) + (uint64_t)i->offset, value = 0;
  uint8_t *bytes = reached(s, address, i);
  int64_t *own = s->now + s->thread[u];
  if (!bytes)
    return false;
  switch (i->op) {
  case LITMUS_STORE:
    value = (uint64_t)operand(s, u, &i->b);
    memcpy(bytes, &value, i->bytes);
    return true;
  case LITMUS_RMW:
    rmw(s, u, i, bytes);
    return true;
  case LITMUS_CONDITIONAL:
    conditional(s, u, i, address, bytes);
    return true;
  default:
    memcpy(&value, bytes, i->bytes);
    put(s, u, i->to, litmus_extend(value, i->bytes, i->sign));
  }
  if (i->op == LITMUS_RESERVE) {
    own[RESERVED_AT] = (int64_t)address;
    own[RESERVED] = litmus_extend(value, i->bytes, i->to < 0 || i->sign);
    own[RESERVED_BYTES] = i->bytes;
  }
  return true;
}

/* What a thread does without anybody else having a part in it, up to its next access or barrier. Of two such steps of
 * different threads the order does not matter. False: it goes round and round. */
static bool go_on(struct search *s, unsigned u)
{
  const struct litmus_thread *th = &s->run.test->thread[u];
  int64_t *at = &s->now[s->thread[u] + AT];
  for (unsigned steps = 0; steps <= LITMUS_STEPS; steps++) {
    if (*at == th->count) {
      if (barriers(s))
        barriers(s)->finished |= 1u << u;
      return true;
    }
    const struct litmus_instruction *i = &th->code[*at];
    if (i->op == LITMUS_COMPUTE || i->op == LITMUS_BRANCH) {
      int64_t value = weft_litmus_compute((enum litmus_alu)i->func, operand(s, u, &i->a),
                                          operand(s, u, &i->b), i->op == LITMUS_COMPUTE && i->word);
      if (i->op == LITMUS_BRANCH && value) {
        *at = i->target;
        continue;
      }
      if (i->op == LITMUS_COMPUTE)
        put(s, u, i->to, i->word ? (int64_t)(int32_t)value : value);
    } else if (i->op != LITMUS_FENCE) {
      return true;
    }
    ++*at;
  }
  return false;
}

/* A barrier is two steps: coming, and going on when it is open. *stays: it was the first. */
static bool barrier(struct search *s, unsigned u, const struct litmus_instruction *i, bool *stays)
{
  struct litmus_barriers *b = barriers(s);
  unsigned at = (unsigned)s->now[s->thread[u] + AT];
  if (b->thread[u].waits) {
    if (!weft_litmus_barrier_open(&s->run, &s->in, u))
      return false;
    b->thread[u].waits = false;
    return true;
  }
  if (!weft_litmus_barrier_come(&s->run, &s->in, u, at, operand(s, u, &i->a), operand(s, u, &i->b),
                                operand(s, u, &i->c), 0))
    return false;
  b->thread[u].waits = *stays = !i->arrives;
  return true;
}

static bool step(struct search *s, unsigned u)
{
  int64_t *at = &s->now[s->thread[u] + AT];
  const struct litmus_instruction *i = &s->run.test->thread[u].code[*at];
  bool stays = false;
  if (!(i->op == LITMUS_BARRIER ? barrier(s, u, i, &stays) : access(s, u, i)))
    return false;
  if (stays)
    return true;
  ++*at;
  return go_on(s, u);
}

/* ---- The search -------------------------------------------------------------------------------------- */

static void end(struct search *s)
{
  struct weft_litmus *t = s->run.test;
  for (unsigned i = 0; i < t->observed_count; i++) {
    const struct litmus_observed *o = &t->observed[i];
    int64_t value;
    if (o->thread < 0) {
      unsigned each = weft_litmus_element_bytes(t, o->index);
      uint64_t raw = 0;
      memcpy(&raw, bytes_at(s, o->index) + (size_t)o->element * each, each);
      value = litmus_extend(raw, each, !t->location[o->index].is_unsigned);
    } else {
      value = s->now[s->thread[o->thread] + REGISTERS + o->index];
    }
    s->values[i] = weft_litmus_name_address(t, &s->in, value);
  }
  if (t->filter < 0 || weft_litmus_meets(t, t->filter, s->values))
    weft_intern(s->ends, s->values, NULL);
}

static void keep(struct search *s)
{
  weft_intern(&s->seen, s->now, NULL);
  s->large |= s->seen.count > s->limit || (uint64_t)s->seen.count * s->seen.size > BYTES_MOST;
}

static void take(struct search *s, uint32_t number)
{
  memcpy(s->now, weft_intern_block(&s->seen, number), s->words * sizeof *s->now);
}

static void expand(struct search *s, uint32_t number)
{
  const struct weft_litmus *t = s->run.test;
  bool over = true;
  for (unsigned u = 0; u < t->threads; u++) {
    take(s, number);
    if (s->now[s->thread[u] + AT] == t->thread[u].count)
      continue;
    over = false;
    if (step(s, u))
      keep(s);
  }
  take(s, number);
  if (over)
    end(s);
}

static void begin(struct search *s)
{
  const struct weft_litmus *t = s->run.test;
  bool whole = true;
  memset(s->now, 0, s->words * sizeof *s->now);
  for (unsigned k = 0; k < t->locations; k++)
    for (unsigned e = 0; e < t->location[k].count; e++) {
      unsigned each = weft_litmus_element_bytes(t, k);
      int64_t value = operand(s, 0, &t->location[k].start[e]);
      memcpy(bytes_at(s, k) + (size_t)e * each, &value, each);
    }
  for (unsigned u = 0; u < t->threads; u++) {
    for (unsigned r = 0; r < t->thread[u].regs; r++)
      put(s, u, (int)r, operand(s, u, &t->thread[u].start[r]));
    whole = go_on(s, u) && whole;
  }
  if (whole)
    keep(s);
}

/* ---- Making and unmaking ----------------------------------------------------------------------------- */

static void lay_out(struct search *s)
{
  const struct weft_litmus *t = s->run.test;
  for (unsigned u = 0; u < t->threads; u++) {
    s->thread[u] = s->words;
    s->words += REGISTERS + t->thread[u].regs;
  }
  for (unsigned k = 0; k < t->locations; k++) {
    s->memory[k] = s->words;
    s->words += (weft_litmus_location_bytes(t, k) + 7) / 8;
  }
  s->barriers = s->words;
  if (t->barriers)
    s->words += (unsigned)((sizeof(struct litmus_barriers) + 7) / 8);
}

/* Two ways to place the variables, in which every byte of an address differs, and so do order and alignment. */
static void place(struct search *s, bool other)
{
  for (unsigned k = 0; k < s->run.test->locations; k++) {
    uint64_t n = other ? LITMUS_LOCATIONS - 1 - k : k;
    uint64_t apart = other ? 0x08080800 + weft_litmus_element_bytes(s->run.test, k) : 0;
    s->in.address[k] = UINT64_C(0x40000000) | n << 20 | n << 12 | n << 4 | apart;
  }
}

static bool make(struct search *s)
{
  size_t observed = s->run.test->observed_count ? s->run.test->observed_count : 1;
  lay_out(s);
  weft_intern_open(&s->seen, s->words * sizeof *s->now);
  weft_intern_open(s->ends, observed * sizeof *s->values);
  s->now = calloc(s->words + 1, sizeof *s->now);
  s->values = calloc(observed, sizeof *s->values);
  s->in.barriers = s->now ? (struct litmus_barriers *)(void *)(s->now + s->barriers) : NULL;
  return s->now && s->values && weft_litmus_barriers_prepare(&s->run);
}

static enum litmus_interleaved search(struct weft_litmus *test, uint32_t limit, bool elsewhere,
                                      struct weft_intern *ends)
{
  struct search s = { .run = { .test = test }, .limit = limit, .ends = ends };
  bool good = make(&s);
  place(&s, elsewhere);
  if (good)
    begin(&s);
  for (uint32_t i = 0; good && !s.large && !s.wild && i < s.seen.count; i++) {
    expand(&s, i);
    good = !s.seen.failed && !ends->failed;
  }
  weft_intern_free(&s.seen);
  free(s.now);
  free(s.values);
  free(s.run.reach);
  if (!good)
    return LITMUS_NO_MEMORY;
  return s.wild ? LITMUS_BY_ADDRESS : s.large ? LITMUS_TOO_LARGE : LITMUS_ALL_FOUND;
}

bool weft_litmus_interleave_has(const struct weft_litmus *test, const struct weft_intern *ends,
                                const int64_t *values)
{
  static const int64_t none;
  return weft_intern_has(ends, test->observed_count ? values : &none);
}

/* Twice, with the variables elsewhere: a program may compute with addresses as if they were numbers. */
enum litmus_interleaved weft_litmus_interleave(struct weft_litmus *test, uint32_t limit,
                                               struct weft_intern *ends)
{
  struct weft_intern other = { 0 };
  enum litmus_interleaved answer = search(test, limit, false, ends);
  if (answer == LITMUS_ALL_FOUND)
    answer = search(test, limit, true, &other);
  bool same = ends->count == other.count;
  for (uint32_t i = 0; same && i < ends->count; i++)
    same = weft_intern_has(&other, weft_intern_block(ends, i));
  weft_intern_free(&other);
  return answer == LITMUS_ALL_FOUND && !same ? LITMUS_BY_ADDRESS : answer;
}
