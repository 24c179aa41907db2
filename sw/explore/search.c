/* SPDX-License-Identifier: Apache-2.0 */
#include "search.h"

#include <stdio.h>
#include <stdlib.h>

#include "judge.h"
#include "moves.h"
#include "text.h"

struct search {
  const struct explore_machine *m;
  struct explore_moves moves;
  struct weft_intern states; /* of struct explore_state, in the order in which they were met */
  uint32_t *parent;
  uint32_t parents; /* room */
  struct explore_found *found;
};

/* ---------------------------------------------------------------- where it begins */

/* A load of a variable by a thread, before it begins. Its tag says that nobody waits for the answer. */
static bool preload(struct explore_moves *w, struct explore_state *state, unsigned t, unsigned variable)
{
  const struct explore_machine *m = w->m;
  const struct explore_place *p = &m->placement.thread[t];
  struct weft_l1_event out,
    in = { .kind = WEFT_L1_EVENT_KIND_OP,
           .cu = { .warp = p->warp,
                   .tag = EXPLORE_OPS,
                   .op = WEFT_CU_OP_LOAD,
                   .scope = WEFT_SCOPE_SYS,
                   .address = m->address[variable],
                   .mask = { UINT64_C(0xf) << m->address[variable] % EXPLORE_LINE } } };
  memset(&out, 0, sizeof out);
  weft_explore_node_load(&w->work, &w->store, m, state->node[p->node], p->node);
  if (weft_l1_step(w->work.l1[p->cu], &in, &out))
    return false;
  if (out.sent) {
    struct explore_message message = { .class = EXPLORE_TO_L2, .l1_req = out.out };
    w->work.rest.to_l2[p->cu] = (uint16_t)weft_intern(&w->store.message, &message, NULL);
  }
  state->node[p->node] = weft_explore_node_number(&w->work, &w->store, m);
  return true;
}

/* Everything but the threads and the drops goes on until nothing is left to do. */
static void run_dry(struct explore_moves *w, struct explore_state *state)
{
  struct explore_choice list[EXPLORE_CHOICES];
  for (bool again = true; again && !weft_explore_moves_failed(w);) {
    again = false;
    unsigned count = weft_explore_choices(w, state, list);
    for (unsigned i = 0; i < count && !again; i++) {
      struct explore_state next;
      if ((list[i].slot == EXPLORE_PHASE || w->move[list[i].move].action != EXPLORE_ISSUE) &&
          weft_explore_choose(w, state, &list[i], &next, NULL)) {
        *state = next;
        again = true;
      }
    }
  }
}

static void warm_up(struct explore_moves *w, struct explore_state *state)
{
  const struct weft_explore_shape *shape = w->m->shape;
  for (unsigned n = 0; n < shape->threads; n++) {
    unsigned t = w->m->placement.warm == EXPLORE_WARM ? n : shape->threads - 1 - n;
    for (unsigned i = 0; i < shape->count[t]; i++)
      if (shape->op[t][i].kind == WEFT_CU_OP_LOAD && preload(w, state, t, shape->op[t][i].variable))
        run_dry(w, state);
  }
}

/* The state after reset, or after every thread has loaded what it will load. */
static bool begin(struct search *s, struct explore_state *state)
{
  struct explore_moves before;
  struct explore_context c = { s->m, &s->moves.store, NULL };
  memset(state, 0, sizeof *state);
  bool made = weft_explore_moves_open(&before, s->m, false);
  for (unsigned id = 0; made && id < s->m->placement.nodes; id++) {
    weft_explore_node_reset(&before.work, s->m, id);
    state->node[id] = weft_explore_node_number(&before.work, &before.store, s->m);
  }
  if (made && s->m->placement.warm)
    warm_up(&before, state);
  for (unsigned id = 0; made && id < s->m->placement.nodes; id++) {
    weft_explore_node_load(&s->moves.work, &before.store, s->m, state->node[id], id);
    if (s->moves.reduce)
      weft_explore_settle(&c, &s->moves.work);
    state->node[id] = weft_explore_node_number(&s->moves.work, &s->moves.store, s->m);
  }
  state->drops = (uint16_t)(s->m->options.tight ? 0 : s->m->options.drops);
  made = made && !weft_explore_moves_failed(&before);
  weft_explore_moves_free(&before);
  weft_explore_settle_all(&s->moves, state, NULL);
  return made;
}

/* ---------------------------------------------------------------- how it ends */

/* A variable as its home has it. */
static uint32_t final_value(struct explore_moves *w, const struct explore_state *state, unsigned variable)
{
  const struct explore_machine *m = w->m;
  unsigned home = m->placement.home[variable];
  uint64_t address = m->address[variable], line = address / EXPLORE_LINE * EXPLORE_LINE;
  weft_explore_node_load(&w->work, &w->store, m, state->node[home], home);
  struct weft_lines *lines = weft_l2_lines(w->work.l2);
  uint64_t set = weft_offset_of(line) / EXPLORE_LINE & (lines->sets - 1U);
  int way = weft_lines_find(lines, set, line);
  const uint8_t *bytes = way == WEFT_NO_WAY ? w->work.rest.memory[weft_explore_variable_of(m, address)]
                                            : weft_lines_data(lines, set, (unsigned)way);
  uint32_t value;
  memcpy(&value, bytes + address % EXPLORE_LINE, sizeof value);
  return value;
}

static struct explore_outcome outcome_of(struct explore_moves *w, const struct explore_state *state)
{
  const struct weft_explore_shape *shape = w->m->shape;
  struct explore_outcome o = { 0 };
  for (unsigned v = 0; v < shape->variables; v++)
    o.variable[v] = final_value(w, state, v);
  for (unsigned t = 0; t < shape->threads; t++) {
    unsigned id = w->m->placement.thread[t].node;
    weft_explore_node_load(&w->work, &w->store, w->m, state->node[id], id);
    const struct explore_thread *thread = &w->work.rest.thread[t];
    o.skipped |= (uint32_t)thread->skipped << 8 * t;
    for (unsigned r = 0; r < shape->registers; r++)
      if (shape->reg_thread[r] == t)
        o.reg[r] = thread->result[shape->reg_op[r]];
  }
  return o;
}

/* ---------------------------------------------------------------- the way to a state */

static void tell_step(struct search *s, const struct explore_state *from, const struct explore_state *to,
                      struct weft_text *log)
{
  struct explore_choice list[EXPLORE_CHOICES];
  struct explore_state next;
  unsigned count = weft_explore_choices(&s->moves, from, list);
  for (unsigned i = 0; i < count; i++)
    if (weft_explore_choose(&s->moves, from, &list[i], &next, NULL) && !memcmp(&next, to, sizeof next)) {
      weft_explore_choose(&s->moves, from, &list[i], &next, log);
      return;
    }
}

static void tell_way(struct search *s, uint32_t state)
{
  struct weft_text log = { 0 };
  uint32_t length = 0;
  for (uint32_t i = state; i; i = s->parent[i])
    length++;
  uint32_t *way = malloc((length + 1) * sizeof *way);
  if (!way)
    return;
  way[length] = state;
  for (uint32_t i = length; i; i--)
    way[i - 1] = s->parent[way[i]];
  for (uint32_t i = 0; i < length; i++) {
    struct explore_state from, to;
    memcpy(&from, weft_intern_block(&s->states, way[i]), sizeof from);
    memcpy(&to, weft_intern_block(&s->states, way[i + 1]), sizeof to);
    tell_step(s, &from, &to, &log);
  }
  free(way);
  s->found->trace = weft_text_take(&log);
}

static void complain_of(struct search *s, uint32_t state, const char *what)
{
  if (s->found->trace)
    return;
  snprintf(s->found->what, sizeof s->found->what, "%s", what);
  tell_way(s, state);
}

/* ---------------------------------------------------------------- the search */

static void judge(struct search *s, uint32_t number, const struct explore_state *state)
{
  struct explore_found *f = s->found;
  struct explore_outcome o = outcome_of(&s->moves, state);
  for (unsigned i = 0; i < f->outcomes; i++)
    if (!memcmp(&f->outcome[i], &o, sizeof o))
      return;
  if (f->outcomes == EXPLORE_OUTCOMES) {
    f->end = EXPLORE_OVERFLOW;
    return;
  }
  f->outcome[f->outcomes++] = o;
  bool condition = weft_explore_condition(s->m->shape, &o);
  f->condition |= condition;
  const char *wrong = weft_explore_judge(s->m->shape, &s->m->placement, &o);
  if (!wrong && s->m->leases == WEFT_LEASE_CAUSAL)
    wrong = weft_explore_judge_sequential(s->m->shape, &o);
  if (!wrong && condition && s->m->shape->verdict == EXPLORE_FORBIDDEN)
    wrong = "the shape's condition holds, and is forbidden";
  if (wrong) {
    f->violations++;
    complain_of(s, number, wrong);
  }
}

static bool remember(struct search *s, const struct explore_state *state, uint32_t parent)
{
  bool fresh;
  uint32_t number = weft_intern(&s->states, state, &fresh);
  if (!fresh)
    return !s->states.failed;
  if (number >= s->parents) {
    uint32_t wanted = number + number / 2 + 1024;
    uint32_t *wider = realloc(s->parent, wanted * sizeof *wider);
    if (!wider)
      return false;
    s->parent = wider;
    s->parents = wanted;
  }
  s->parent[number] = parent;
  return true;
}

/* All that can follow a state. */
static bool expand(struct search *s, uint32_t number)
{
  struct explore_choice list[EXPLORE_CHOICES];
  struct explore_state state, next;
  memcpy(&state, weft_intern_block(&s->states, number), sizeof state);
  unsigned count = weft_explore_choices(&s->moves, &state, list);
  bool goes_on = false;
  for (unsigned i = 0; i < count; i++) {
    if (!weft_explore_choose(&s->moves, &state, &list[i], &next, NULL))
      continue;
    goes_on |= list[i].slot == EXPLORE_PHASE || !explore_drops(s->moves.move[list[i].move].action);
    s->found->moves++;
    if (!remember(s, &next, number))
      return false;
  }
  if (goes_on)
    return true;
  if (weft_explore_at_end(&s->moves, &state)) {
    judge(s, number, &state);
  } else {
    s->found->deadlocks++;
    complain_of(s, number, "a deadlock: nothing can go on, and not all is done");
  }
  return true;
}

void weft_explore_search(const struct explore_machine *m, bool stop, struct explore_found *found)
{
  struct search s = { .m = m, .found = found };
  struct explore_state first;
  memset(found, 0, sizeof *found);
  weft_intern_open(&s.states, sizeof first);
  bool going = weft_explore_moves_open(&s.moves, m, !m->options.no_reduction) && begin(&s, &first) &&
               remember(&s, &first, 0);
  uint32_t at = 0;
  while (going && at < s.states.count && found->end == EXPLORE_COMPLETE) {
    going = expand(&s, at++) && !weft_explore_moves_failed(&s.moves);
    if (stop && (found->violations || found->deadlocks))
      break;
    if (s.states.count > m->options.limit)
      found->end = EXPLORE_LIMIT;
  }
  if (!going)
    found->end = EXPLORE_NO_MEMORY;
  found->states = s.states.count;
  weft_intern_free(&s.states);
  weft_explore_moves_free(&s.moves);
  free(s.parent);
}
