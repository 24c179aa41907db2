/* SPDX-License-Identifier: Apache-2.0 */
#include "moves.h"

#include <stdlib.h>

#include "text.h"

static bool fault_in_forward(unsigned fault)
{
  return fault == WEFT_FAULT_FORWARD_MARK_OVERTAKES || fault == WEFT_FAULT_FORWARD_MARK_OVERTAKES_EVICTIONS;
}

bool weft_explore_moves_open(struct explore_moves *s, const struct explore_machine *m, bool reduce)
{
  memset(s, 0, sizeof *s);
  s->m = m;
  s->reduce = reduce;
  s->pops = reduce && !fault_in_forward(m->options.fault); /* such a fault is about what waits there */
  weft_explore_store_open(&s->store, m);
  weft_intern_open(&s->delivery, 2 * sizeof(uint32_t));
  return weft_explore_node_open(&s->work, m);
}

void weft_explore_moves_free(struct explore_moves *s)
{
  weft_explore_store_free(&s->store);
  weft_intern_free(&s->delivery);
  weft_explore_node_free(&s->work);
  free(s->local);
  free(s->move);
  free(s->delivered);
}

bool weft_explore_moves_failed(const struct explore_moves *s)
{
  return s->failed || s->delivery.failed || weft_explore_store_failed(&s->store);
}

/* ---------------------------------------------------------------- what a node can do, worked out once */

/* The array with room for element `index`; the new ones are zero. With no memory it stays as it was. */
static void *reach(struct explore_moves *s, void *array, uint32_t *room, uint32_t index, size_t size)
{
  if (index < *room)
    return array;
  uint32_t wanted = index + index / 2 + 256;
  char *wider = realloc(array, wanted * size);
  if (!wider) {
    s->failed = true;
    return array;
  }
  memset(wider + *room * size, 0, (wanted - *room) * size);
  *room = wanted;
  return wider;
}

/* Does one action on a node and what settles after it; the move's number, or -1. */
static int32_t work_out(struct explore_moves *s, unsigned id, uint32_t node, enum explore_action action,
                        unsigned argument)
{
  struct explore_context c = { s->m, &s->store, NULL };
  struct explore_move move = { .action = (uint8_t)action, .argument = (uint16_t)argument };
  weft_explore_node_load(&s->work, &s->store, s->m, node, id);
  if (action == EXPLORE_DELIVER && s->reduce)
    move.settles =
      weft_explore_settles(s->m, &s->work, weft_explore_message_at(&s->store, (uint16_t)argument));
  if (!weft_explore_step(&c, &s->work, action, argument, &move.sent))
    return -1;
  if (s->reduce)
    weft_explore_settle(&c, &s->work);
  move.to = weft_explore_node_number(&s->work, &s->store, s->m);
  s->move = reach(s, s->move, &s->room, s->count, sizeof move);
  if (s->failed)
    return -1;
  s->move[s->count] = move;
  return (int32_t)s->count++;
}

#define TRIES 96
static const struct explore_local *local_of(struct explore_moves *s, unsigned id, uint32_t node)
{
  struct explore_try list[TRIES];
  static const struct explore_local nothing = { .pop = -1 };
  s->local = reach(s, s->local, &s->locals, node, sizeof *s->local);
  if (s->failed)
    return &nothing;
  if (s->local[node].known)
    return &s->local[node];
  struct explore_local local = { .first = s->count, .known = true, .pop = -1 };
  weft_explore_node_load(&s->work, &s->store, s->m, node, id);
  local.rests = weft_explore_node_rests(s->m, &s->work);
  local.late = s->m->options.rebase && weft_explore_node_late(&s->store, &s->work, 0);
  local.quiet = !s->work.rest.to_l1[0] && !s->work.l2->fill_full;
  unsigned tries = weft_explore_tries(s->m, &s->work, list, TRIES);
  for (unsigned i = 0; i < tries; i++) {
    int32_t move = work_out(s, id, node, list[i].action, list[i].argument);
    if (move >= 0 && list[i].action == EXPLORE_FORWARD_POP)
      local.pop = move;
  }
  local.count = s->count - local.first;
  s->local[node] = local;
  return &s->local[node];
}

/* A move, or IMPOSSIBLE now, or (a request) LATE: it waits for time to start again. */
enum { IMPOSSIBLE = -1, LATE = -2 };
static int32_t work_out_delivery(struct explore_moves *s, unsigned id, uint32_t node, uint16_t message)
{
  int32_t move = work_out(s, id, node, EXPLORE_DELIVER, message);
  if (move >= 0 || !s->m->options.rebase ||
      weft_explore_message_at(&s->store, message)->class != EXPLORE_REQUEST)
    return move;
  weft_explore_node_load(&s->work, &s->store, s->m, node, id);
  return weft_explore_node_late(&s->store, &s->work, message) ? LATE : IMPOSSIBLE;
}

static int32_t delivery_of(struct explore_moves *s, unsigned id, uint32_t node, uint16_t message)
{
  const uint32_t pair[2] = { node, message };
  bool fresh;
  uint32_t number = weft_intern(&s->delivery, pair, &fresh);
  s->delivered = reach(s, s->delivered, &s->deliveries, number, sizeof *s->delivered);
  if (s->failed)
    return -1;
  if (fresh)
    s->delivered[number] = work_out_delivery(s, id, node, message);
  return s->delivered[number];
}

/* ---------------------------------------------------------------- the network */

static unsigned slots_of(const struct explore_moves *s, unsigned class, unsigned from, unsigned to)
{
  unsigned pair = from * (EXPLORE_NODES - 1) + (to < from ? to : to - 1);
  (void)s;
  return (class * EXPLORE_PAIRS + pair) * EXPLORE_SLOTS;
}

static unsigned target_of(const struct explore_message *message)
{
  return message->class == EXPLORE_REQUEST   ? message->req.dst
         : message->class == EXPLORE_FORWARD ? message->fwd.dst
                                             : message->rsp.dst;
}

/* Responses keep no order, and under leases nothing does (T2): a test that delivers in order would hide it. */
static bool unordered(const struct explore_moves *s, unsigned class)
{
  return class == EXPLORE_RESPONSE || (class == EXPLORE_REQUEST && s->m->leases);
}

/* Requests and forwards keep their order; what has none is kept sorted. */
static bool put(const struct explore_moves *s, struct explore_state *state, unsigned from, uint16_t number)
{
  const struct explore_message *message = weft_explore_message_at(&s->store, number);
  uint16_t *slot = &state->slot[slots_of(s, message->class, from, target_of(message))];
  unsigned used = 0;
  while (used < s->m->options.slots && slot[used])
    used++;
  if (used == s->m->options.slots)
    return false;
  if (unordered(s, message->class))
    for (; used && slot[used - 1] < number; used--)
      slot[used] = slot[used - 1];
  slot[used] = number;
  return true;
}

static bool put_all(const struct explore_moves *s, struct explore_state *state, unsigned from,
                    const struct explore_sent *sent)
{
  for (unsigned class = 0; class < EXPLORE_CLASSES; class++)
    if (sent->message[class] && !put(s, state, from, sent->message[class]))
      return false;
  return true;
}

static void remove_slot(struct explore_state *state, int at)
{
  unsigned first = (unsigned)at / EXPLORE_SLOTS * EXPLORE_SLOTS;
  for (unsigned i = (unsigned)at; i + 1 < first + EXPLORE_SLOTS; i++)
    state->slot[i] = state->slot[i + 1];
  state->slot[first + EXPLORE_SLOTS - 1] = 0;
}

/* How many messages of a class between two nodes may be delivered next, from the first on. */
static unsigned in_reach(const struct explore_moves *s, unsigned class)
{
  bool any =
    unordered(s, class) || (class == EXPLORE_REQUEST && s->m->options.fault == WEFT_FAULT_LINK_SWAPS);
  return any ? s->m->options.slots : 1;
}

/* ---------------------------------------------------------------- time starts again */

static bool any_flies(const struct explore_state *state, unsigned class)
{
  unsigned first = class * EXPLORE_PAIRS * EXPLORE_SLOTS;
  for (unsigned i = first; i < first + EXPLORE_PAIRS * EXPLORE_SLOTS; i++)
    if (state->slot[i])
      return true;
  return false;
}

/* A home step waits for it: of a node's own request, or of one that has come from another. */
static bool wants_rebase(struct explore_moves *s, const struct explore_state *state)
{
  for (unsigned id = 0; id < s->m->placement.nodes && id < EXPLORE_NODES; id++) {
    if (local_of(s, id, state->node[id])->late)
      return true;
    for (unsigned from = 0; from < s->m->placement.nodes; from++) {
      const uint16_t *slot = &state->slot[from == id ? 0 : slots_of(s, EXPLORE_REQUEST, from, id)];
      for (unsigned i = 0; from != id && i < in_reach(s, EXPLORE_REQUEST) && slot[i]; i++)
        if (delivery_of(s, id, state->node[id], slot[i]) == LATE)
          return true;
    }
  }
  return false;
}

/* The phase that follows now, by the model's own rules; the same if none does. */
static uint8_t next_phase(struct explore_moves *s, const struct explore_state *state)
{
  unsigned nodes = s->m->placement.nodes;
  struct weft_rebase rebase = { .phase = state->phase, .fault = s->m->options.fault };
  struct weft_rebase_input in = { .flying = any_flies(state, EXPLORE_RESPONSE) };
  in.wants = state->phase == WEFT_REBASE_RUN && wants_rebase(s, state);
  in.banks = state->rebased == weft_ones(nodes);
  in.l1s = state->rebased == weft_ones(nodes * EXPLORE_CUS);
  for (unsigned id = 0; id < nodes && id < EXPLORE_NODES; id++)
    in.answers |= !local_of(s, id, state->node[id])->quiet;
  weft_rebase_step(&rebase, &in);
  return rebase.phase;
}

/* Whether a phase lets this happen: homes and banks take nothing while it lasts, and start again once. */
static bool phase_lets(const struct explore_state *state, unsigned id, const struct explore_move *move)
{
  bool stopped = state->phase != WEFT_REBASE_RUN;
  switch ((enum explore_action)move->action) {
  case EXPLORE_REBASE_L2:
    return state->phase == WEFT_REBASE_BANKS && !(state->rebased >> id & 1U);
  case EXPLORE_REBASE_L1:
    return state->phase == WEFT_REBASE_L1S && !(state->rebased >> (id * EXPLORE_CUS + move->argument) & 1U);
  case EXPLORE_L2_TAKES:
  case EXPLORE_REPLAY:
  case EXPLORE_MEMORY:
    return !stopped;
  default:
    return true;
  }
}

static void note_rebased(struct explore_state *state, unsigned id, const struct explore_move *move)
{
  if (move->action == EXPLORE_REBASE_L2)
    state->rebased |= (uint8_t)(1U << id);
  if (move->action == EXPLORE_REBASE_L1)
    state->rebased |= (uint8_t)(1U << (id * EXPLORE_CUS + move->argument));
}

static void go_on(struct explore_moves *s, struct explore_state *state, struct weft_text *log)
{
  static const char *const words[] = { [WEFT_REBASE_RUN] = "time has started again, homes go on",
                                       [WEFT_REBASE_STOP] = "time must start again: homes stop",
                                       [WEFT_REBASE_BANKS] = "the L2s are told to start again",
                                       [WEFT_REBASE_DRAIN] = "what the L1s wait for arrives",
                                       [WEFT_REBASE_L1S] = "the L1s are told to start again" };
  state->phase = next_phase(s, state);
  state->rebased = 0;
  if (log)
    weft_text_add(log, "%s\n", words[state->phase]);
}

/* ---------------------------------------------------------------- the whole machine */

static void tell(struct explore_moves *s, unsigned id, uint32_t node, const struct explore_move *move,
                 struct weft_text *log)
{
  struct explore_context c = { s->m, &s->store, log };
  struct explore_sent sent;
  if (!log)
    return;
  weft_explore_node_load(&s->work, &s->store, s->m, node, id);
  weft_explore_step(&c, &s->work, move->action, move->argument, &sent);
  if (s->reduce)
    weft_explore_settle(&c, &s->work);
}

static bool apply(struct explore_moves *s, struct explore_state *state, const struct explore_choice *choice,
                  struct weft_text *log)
{
  if (choice->slot == EXPLORE_PHASE) {
    go_on(s, state, log);
    return true;
  }
  struct explore_move move = s->move[choice->move];
  struct explore_state before = *state;
  if (choice->slot >= 0)
    remove_slot(state, choice->slot);
  if (!put_all(s, state, choice->node, &move.sent)) {
    *state = before;
    return false;
  }
  tell(s, choice->node, state->node[choice->node], &move, log);
  state->node[choice->node] = move.to;
  note_rebased(state, choice->node, &move);
  if (explore_drops(move.action))
    state->drops--;
  return true;
}

/* One delivery that settles, to node `id`. */
static bool settle_delivery(struct explore_moves *s, struct explore_state *state, unsigned id,
                            struct weft_text *log)
{
  for (unsigned from = 0; from < s->m->placement.nodes; from++) {
    if (from == id)
      continue;
    unsigned first = slots_of(s, EXPLORE_RESPONSE, from, id);
    for (unsigned at = first; at < first + EXPLORE_SLOTS && state->slot[at]; at++) {
      int32_t move = delivery_of(s, id, state->node[id], state->slot[at]);
      if (move < 0 || !s->move[move].settles)
        continue;
      const struct explore_choice choice = { id, (uint32_t)move, (int)at };
      if (apply(s, state, &choice, log))
        return true;
    }
  }
  return false;
}

void weft_explore_settle_all(struct explore_moves *s, struct explore_state *state, struct weft_text *log)
{
  bool again = s->reduce;
  while (again && !s->failed) {
    again = false;
    for (unsigned id = 0; id < s->m->placement.nodes; id++) {
      int32_t pop = local_of(s, id, state->node[id])->pop;
      const struct explore_choice choice = { id, (uint32_t)pop, EXPLORE_OWN };
      again |= pop >= 0 && s->pops && apply(s, state, &choice, log);
      again |= settle_delivery(s, state, id, log);
    }
  }
}

bool weft_explore_choose(struct explore_moves *s, const struct explore_state *from,
                         const struct explore_choice *choice, struct explore_state *to, struct weft_text *log)
{
  *to = *from;
  if (!apply(s, to, choice, log))
    return false;
  weft_explore_settle_all(s, to, log);
  return true;
}

static unsigned deliveries(struct explore_moves *s, const struct explore_state *state, unsigned id,
                           struct explore_choice *list)
{
  unsigned count = 0;
  for (unsigned class = 0; class < EXPLORE_CLASSES; class++)
    for (unsigned from = 0; from < s->m->placement.nodes; from++) {
      if (from == id || (class == EXPLORE_REQUEST && state->phase != WEFT_REBASE_RUN))
        continue;
      unsigned first = slots_of(s, class, from, id);
      for (unsigned at = first; at < first + in_reach(s, class) && state->slot[at]; at++) {
        int32_t move = delivery_of(s, id, state->node[id], state->slot[at]);
        if (move >= 0 && (at == first || state->slot[at] != state->slot[at - 1]))
          list[count++] = (struct explore_choice){ id, (uint32_t)move, (int)at };
      }
    }
  return count;
}

unsigned weft_explore_choices(struct explore_moves *s, const struct explore_state *state,
                              struct explore_choice *list)
{
  unsigned count = 0;
  for (unsigned id = 0; id < s->m->placement.nodes; id++) {
    struct explore_local local = *local_of(s, id, state->node[id]);
    for (uint32_t i = local.first; i < local.first + local.count && count < EXPLORE_CHOICES - 16; i++) {
      if ((!explore_drops(s->move[i].action) || state->drops) && phase_lets(state, id, &s->move[i]))
        list[count++] = (struct explore_choice){ id, i, EXPLORE_OWN };
    }
    if (count < EXPLORE_CHOICES - 16)
      count += deliveries(s, state, id, list + count);
  }
  if (s->m->options.rebase && next_phase(s, state) != state->phase)
    list[count++] = (struct explore_choice){ 0, 0, EXPLORE_PHASE };
  return count;
}

bool weft_explore_at_end(struct explore_moves *s, const struct explore_state *state)
{
  for (unsigned i = 0; i < EXPLORE_ALL_SLOTS; i++)
    if (state->slot[i])
      return false;
  for (unsigned id = 0; id < s->m->placement.nodes; id++)
    if (!local_of(s, id, state->node[id])->rests)
      return false;
  return true;
}
