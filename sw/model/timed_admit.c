/* SPDX-License-Identifier: Apache-2.0 */
/* Stage A of an L2 bank: which step comes next. The conditions are those of rtl/cache/l2_admit.sv, one by one. */
#include <assert.h>

#include "counters.h"
#include "timed_parts.h"

/* What the stages behind may still take: what every question about room starts from. */
struct room {
  const struct weft_timed_l2 *u;
  const struct weft_l2 *s;
  const struct weft_l2_event *b; /* NULL: stage B is empty */
  uint64_t now;
  uint32_t early, late; /* messages that leave by stage B, by stage C, and are not in their queues yet */
  uint32_t requests;    /* of requests: those that leave by stage B */
  bool request;         /* stage B holds something that may allocate */
  bool quiet;           /* no list is being replayed, or is about to be */
  bool stop;            /* for a rebase */
};

static bool b_is(const struct room *r, uint8_t kind)
{
  return r->b && r->b->kind == kind;
}

/* More than `taken` of a set's members are left; `taken` is 0 or 1. */
static bool more_than(uint64_t set, bool taken)
{
  return taken ? set & (set - 1) : set;
}

static uint64_t free_of(uint32_t capacity, uint64_t used)
{
  return ~used & weft_ones(capacity);
}

/* The waiters that the fill register still owes an answer, as a set. */
static uint64_t answers_left(const struct weft_l2 *s)
{
  return s->fill_full ? weft_l2_misses(s)[s->fill_miss].waiters : 0;
}

/* Requests left to replay: 0, 1, or 2 for more than one. */
static unsigned replays_left(const struct weft_l2 *s)
{
  if (!s->replay_full)
    return 0;
  const struct weft_l2_fetch *f = &weft_l2_fetches(s)[s->replay_fetch];
  return f->first == f->last ? 1 : 2;
}

static struct room look(const struct weft_timed *t, const struct weft_timed_l2 *u)
{
  struct room r = { .u = u, .s = u->state, .now = t->now, .b = u->b_valid ? &u->work[u->at] : NULL };
  r.early = u->b_valid;
  r.late = r.early + u->c_valid;
  r.requests = r.early + weft_timed_request_late(u);
  r.request = b_is(&r, WEFT_L2_EVENT_KIND_CU) || b_is(&r, WEFT_L2_EVENT_KIND_REQUEST) ||
              b_is(&r, WEFT_L2_EVENT_KIND_MARKER_SEND);
  r.stop = t->rebase.phase != WEFT_REBASE_RUN;
  r.quiet = t->now >= u->ready && !r.s->replay_full && !b_is(&r, WEFT_L2_EVENT_KIND_MEMORY);
  return r;
}

static bool l1_room(const struct room *r)
{
  return weft_queue_free(&r->u->l1, r->now) > r->late;
}

static bool rsp_room(const struct room *r)
{
  return weft_queue_free(&r->u->rsp, r->now) > r->late;
}

static bool mem_room(const struct room *r)
{
  return weft_queue_free(&r->u->mem, r->now) > r->late;
}

static bool req_room(const struct room *r)
{
  return weft_queue_free(&r->u->req, r->now) > r->requests;
}

static bool fwd_room(const struct room *r)
{
  const struct weft_forward *f = weft_l2_forward(r->s);
  return f->depth - f->count - (r->u->fwd_popped == r->now + 1) > r->early;
}

static bool fetch_room(const struct room *r)
{
  return more_than(free_of(r->s->fetches, r->s->fetch_used), r->request) &&
         more_than(free_of(r->s->parked, r->s->parked_used), r->request);
}

static bool miss_room(const struct room *r)
{
  return more_than(free_of(r->s->misses, r->s->miss_used), r->request) &&
         more_than(free_of(r->s->waiters, r->s->waiter_used), r->request);
}

static bool marker_room(const struct room *r)
{
  return more_than(free_of(r->s->markers, r->s->marker_used), r->request);
}

static bool release_room(const struct room *r)
{
  return more_than(free_of(r->s->releases, r->s->release_used), r->request);
}

static bool can_response(const struct room *r, const struct weft_l2 *s, const struct weft_rsp *m)
{
  if (weft_rsp_fills(m->kind)) {
    bool fills = b_is(r, WEFT_L2_EVENT_KIND_RESPONSE) && weft_rsp_fills(r->b->rsp.kind);
    return !answers_left(s) && !fills && mem_room(r);
  }
  return m->kind == WEFT_RSP_KIND_SEEN || l1_room(r);
}

/* More parked markers are ready than stage B is taking. */
static bool can_go(const struct room *r, const struct weft_l2 *s)
{
  unsigned ready = 0;
  if (!s->marker_used)
    return false;
  for (uint64_t left = s->marker_used; left; left &= left - 1)
    ready += weft_l2_markers(s)[weft_lowest(left)].fetches == 0;
  return r->quiet && ready > b_is(r, WEFT_L2_EVENT_KIND_MARKER_GO) && l1_room(r) && rsp_room(r) &&
         fwd_room(r);
}

/* Write-back: a request of this bank waits to leave, or will as soon as stage B has stepped. */
static bool holds(const struct room *r, const struct weft_l2 *s)
{
  return s->held_full ? !b_is(r, WEFT_L2_EVENT_KIND_MARKER_SEND) : r->b && weft_l2_will_hold(s, r->b);
}

static bool can_send(const struct room *r, const struct weft_l2 *s)
{
  if (!s->release_sending && !s->held_full)
    return false;
  unsigned homes = s->held_full; /* and what waits to leave, which is a step too; dirty lines come on top */
  for (uint64_t left = s->release_sending; left; left &= left - 1)
    homes += (unsigned)__builtin_popcount(weft_l2_releases(s)[weft_lowest(left)].homes);
  return r->quiet && homes > b_is(r, WEFT_L2_EVENT_KIND_MARKER_SEND) && req_room(r) && fwd_room(r) &&
         l1_room(r) && rsp_room(r) && marker_room(r);
}

static bool can_request(const struct room *r)
{
  return !r->stop && r->quiet && rsp_room(r) && fwd_room(r) && mem_room(r) && fetch_room(r) && marker_room(r);
}

static bool can_cu(const struct room *r, const struct weft_l2 *s, const struct weft_l1_req *m)
{
  if (r->stop)
    return false;
  if (m->kind == WEFT_REQ_KIND_FENCE)
    return r->quiet && l1_room(r) && release_room(r);
  if (weft_home_of(m->address) == s->self)
    return r->quiet && l1_room(r) && fwd_room(r) && mem_room(r) && fetch_room(r);
  return r->quiet && l1_room(r) && req_room(r) && miss_room(r) && !holds(r, s);
}

/* The CU whose request is first at this bank, or -1. */
static int asking_cu(const struct weft_timed *t, const struct weft_timed_l2 *u, unsigned node)
{
  uint32_t ready = 0;
  for (uint32_t left = u->asking; left; left &= left - 1U) {
    unsigned k = weft_lowest(left);
    if (weft_queue_head(&t->l1[node * t->cus + k].out, t->now))
      ready |= 1U << k;
  }
  return ready ? (int)weft_turn(ready, u->turn) : -1;
}

/* The messages that stand before the bank in this cycle; NULL where there is none. */
struct inputs {
  const struct weft_req *req;
  const struct weft_fwd *fwd;
  const struct weft_rsp *rsp;
  const struct weft_timed_answer *mem;
  const struct weft_l1_req *cu;
  int asking;
  bool held; /* random delays have a say about some of them */
};

static struct inputs see(const struct weft_timed *t, const struct weft_timed_l2 *u, unsigned index)
{
  unsigned node = u->node, bank = u->bank;
  const struct weft_timed_link *in = &t->down[node];
  const struct weft_queue *answers = &t->memory[index].answers;
  struct inputs i = {
    .req = weft_timed_request_head(t, node),
    .fwd = weft_timed_link_head(t, in, WEFT_LINK_FORWARD),
    .rsp = weft_timed_link_head(t, in, WEFT_LINK_RESPONSE),
    .mem = answers->count ? weft_queue_slot(answers, answers->head) : NULL,
    .asking = asking_cu(t, u, node),
  };
  if (i.req && weft_timed_bank_of(t, i.req->address) != bank)
    i.req = NULL;
  if (i.fwd && weft_timed_bank_of(t, i.fwd->address) != bank)
    i.fwd = NULL;
  if (i.rsp && i.rsp->bank != bank)
    i.rsp = NULL;
  if (i.mem && i.mem->visible > t->now)
    i.mem = NULL;
  if (i.asking >= 0)
    i.cu = weft_queue_head(&t->l1[node * t->cus + (unsigned)i.asking].out, t->now);
  return i;
}

/* Random delays: what is held back is not seen. */
static void hold(const struct weft_timed *t, unsigned node, struct inputs *i)
{
  unsigned held = weft_timed_hold(t->seed, t->jitter, node, t->now);
  i->held = i->req || i->fwd || i->rsp || i->mem;
  if (held & 1U)
    i->req = NULL;
  if (held & 2U)
    i->fwd = NULL;
  if (held & 4U)
    i->rsp = NULL;
  if (held & 8U)
    i->mem = NULL;
}

static void take_response(struct weft_timed *t, unsigned node, struct weft_l2_event *a,
                          const struct weft_rsp *m)
{
  a->kind = WEFT_L2_EVENT_KIND_RESPONSE;
  weft_copy_rsp(&a->rsp, m, (unsigned)t->config.line);
  weft_timed_arrived(t, node, WEFT_LINK_RESPONSE);
}

static void take_memory(struct weft_timed *t, unsigned index, struct weft_l2_event *a,
                        const struct weft_timed_answer *m)
{
  a->kind = WEFT_L2_EVENT_KIND_MEMORY;
  a->index = m->rsp.id;
  a->rsp.id = m->rsp.id;
  weft_copy_line(a->rsp.data, m->rsp.data, (unsigned)t->config.line);
  weft_queue_pop(&t->memory[index].answers, t->now);
}

static void take_forward(struct weft_timed *t, struct weft_timed_l2 *u, unsigned node,
                         struct weft_l2_event *a, const struct weft_fwd *m)
{
  bool two = m->kind == WEFT_FWD_KIND_MARK && m->releaser != m->src;
  bool last = !m->block || u->block_line == WEFT_BLOCK_LINES - 1U;
  a->kind = m->kind == WEFT_FWD_KIND_INV ? WEFT_L2_EVENT_KIND_INV
            : u->second                  ? WEFT_L2_EVENT_KIND_SEEN
                                         : WEFT_L2_EVENT_KIND_MARK;
  a->fwd = *m;
  a->index = u->block_line;
  u->block_line = last ? 0 : u->block_line + 1U;
  if (last && (!two || u->second))
    weft_timed_arrived(t, node, WEFT_LINK_FORWARD);
  u->second = two && !u->second;
}

static void take_request(struct weft_timed *t, struct weft_timed_l2 *u, unsigned node,
                         struct weft_l2_event *a, const struct weft_req *m)
{
  a->kind = WEFT_L2_EVENT_KIND_REQUEST;
  weft_copy_req(&a->req, m, (unsigned)t->config.line);
  weft_timed_request_take(t, node);
  u->cu_last = false;
}

static void take_cu(struct weft_timed *t, struct weft_timed_l2 *u, unsigned node, struct weft_l2_event *a,
                    const struct inputs *i)
{
  const struct weft_l1_req *m = i->cu;
  a->kind = WEFT_L2_EVENT_KIND_CU;
  a->order = m->order;
  a->scope = m->scope;
  a->req.kind = m->kind;
  a->req.src = (uint8_t)node;
  a->req.dst = (uint8_t)weft_home_of(m->address);
  a->req.cu = m->cu;
  a->req.id = m->id;
  a->req.func = m->func;
  a->req.wide = m->wide;
  a->req.era = m->era;
  a->req.cts = m->cts;
  a->req.address = m->address;
  memcpy(a->req.mask, m->mask, sizeof a->req.mask);
  if (weft_req_has_data(m->kind))
    weft_copy_line(a->req.data, m->data, (unsigned)t->config.line);
  unsigned port = node * t->cus + (unsigned)i->asking;
  struct weft_queue *q = &t->l1[port].out;
  weft_timed_pop(t, q, t->at.l1 + port);
  u->turn = (uint32_t)i->asking + 1;
  u->asking &= ~(1U << i->asking);
  u->cu_last = true;
  if (q->count)
    weft_timed_asks(t, port);
}

/* Leases: what would need times that the fields do not hold waits, and asks for a rebase. */
struct late {
  bool replay, req, cu;
  bool waits; /* the replay behind the one in stage B, whose time is seen when that has gone */
};

static struct late late(struct weft_timed *t, const struct weft_timed_l2 *u, const struct inputs *i)
{
  const struct weft_l2 *s = u->state;
  struct late l = { 0 };
  if (!weft_lease_ends(s->lease.mode))
    return l;
  if (s->replay_full) {
    const struct weft_l2_parked *p = weft_l2_parked(s, weft_l2_fetches(s)[s->replay_fetch].first);
    struct weft_req r = { .src = p->src, .era = p->era, .cts = p->cts };
    l.replay = weft_timed_late(s, &r);
    l.waits = u->b_valid && u->work[u->at].kind == WEFT_L2_EVENT_KIND_REPLAY;
  }
  l.req = i->req && weft_timed_late(s, i->req);
  if (i->cu && i->cu->kind != WEFT_REQ_KIND_FENCE && weft_home_of(i->cu->address) == s->self) {
    struct weft_req r = { .src = (uint8_t)s->self, .era = i->cu->era, .cts = i->cu->cts };
    l.cu = weft_timed_late(s, &r);
  }
  t->wants_rebase |= l.replay || l.req || l.cu;
  return l;
}

enum choice {
  NOTHING,
  REBASE,
  ANSWER,
  REPLAY,
  RESPONSE,
  MEMORY,
  FORWARD,
  GO,
  SEND,
  REQUEST,
  CU,
};

/* In the RTL's order of preference. */
static enum choice choose(const struct weft_timed *t, const struct weft_timed_l2 *u, const struct inputs *i,
                          const struct late *l)
{
  const struct weft_l2 *s = u->state;
  struct room r = look(t, u);
  if (t->rebase.phase == WEFT_REBASE_BANKS && !u->rebased)
    return REBASE;
  if (more_than(answers_left(s), b_is(&r, WEFT_L2_EVENT_KIND_ANSWER)) && l1_room(&r))
    return ANSWER;
  if (!r.stop && !l->replay && !l->waits && replays_left(s) > b_is(&r, WEFT_L2_EVENT_KIND_REPLAY) &&
      l1_room(&r) && rsp_room(&r) && fwd_room(&r))
    return REPLAY;
  if (i->rsp && can_response(&r, s, i->rsp))
    return RESPONSE;
  if (i->mem && !r.stop && r.quiet && mem_room(&r))
    return MEMORY;
  if (i->fwd && (i->fwd->kind == WEFT_FWD_KIND_INV || (rsp_room(&r) && l1_room(&r))))
    return FORWARD;
  if (can_go(&r, s))
    return GO;
  if (can_send(&r, s))
    return SEND;
  bool cu = i->cu && !l->cu && can_cu(&r, s, i->cu);
  if (i->req && !l->req && can_request(&r) && !(cu && !u->cu_last))
    return REQUEST;
  return cu ? CU : NOTHING;
}

/* What was chosen in the cycle before is still there to be taken. */
static bool is_there(const struct weft_timed *t, const struct weft_timed_l2 *u, const struct inputs *i)
{
  bool stop = t->rebase.phase != WEFT_REBASE_RUN;
  switch ((enum choice)u->chosen) {
  case REPLAY:
    return !stop;
  case RESPONSE:
    return i->rsp;
  case MEMORY:
    return i->mem && !stop;
  case FORWARD:
    return i->fwd;
  case REQUEST:
    return i->req && !stop;
  case CU:
    return i->cu && i->asking == u->chosen_cu && !stop;
  default:
    return true;
  }
}

/* Only what is there is chosen: choose() sees to it, and is_there() in the cycle after. */
static void take(struct weft_timed *t, struct weft_timed_l2 *u, unsigned index, const struct inputs *i,
                 enum choice choice)
{
  static const uint8_t kind[] = { [REBASE] = WEFT_L2_EVENT_KIND_REBASE,
                                  [ANSWER] = WEFT_L2_EVENT_KIND_ANSWER,
                                  [REPLAY] = WEFT_L2_EVENT_KIND_REPLAY,
                                  [GO] = WEFT_L2_EVENT_KIND_MARKER_GO,
                                  [SEND] = WEFT_L2_EVENT_KIND_MARKER_SEND };
  struct weft_l2_event *a = &u->work[u->at ^ 1];
  unsigned node = u->node;
  switch (choice) {
  case RESPONSE:
    assert(i->rsp);
    take_response(t, node, a, i->rsp);
    break;
  case MEMORY:
    assert(i->mem);
    take_memory(t, index, a, i->mem);
    break;
  case FORWARD:
    assert(i->fwd);
    take_forward(t, u, node, a, i->fwd);
    break;
  case REQUEST:
    assert(i->req);
    take_request(t, u, node, a, i->req);
    break;
  case CU:
    assert(i->cu);
    take_cu(t, u, node, a, i);
    break;
  default:
    a->kind = kind[choice];
    u->rebased |= choice == REBASE;
  }
}

static bool any(const struct inputs *i)
{
  return i->rsp || i->mem || i->fwd || i->req || i->cu;
}

static bool any_of_its_own(const struct weft_l2 *s)
{
  return s->fill_full || s->replay_full || s->marker_used || s->release_sending || s->held_full;
}

/* What goes in this cycle. Where steps take several, it was chosen in the one before, when the step in stage B had one
 * more to come at most. */
static enum choice next_choice(struct weft_timed *t, struct weft_timed_l2 *u, const struct inputs *i)
{
  bool later = t->config.l2_interval > 1;
  struct late l = late(t, u, i);
  enum choice old = (enum choice)u->chosen, new;
  if (old) {
    bool there = is_there(t, u, i);
    u->chosen = NOTHING;
    return there ? old : NOTHING;
  }
  if (u->b_valid && u->b_left > later)
    return NOTHING;
  new = choose(t, u, i, &l);
  if (!later)
    return new;
  u->chosen = (uint8_t)new;
  u->chosen_cu = i->asking;
  return NOTHING;
}

void weft_timed_l2_choose(struct weft_timed *t, unsigned index)
{
  struct weft_timed_l2 *u = &t->l2[index];
  struct inputs i = see(t, u, index);
  uint64_t stalls = weft_timed_stalled(t, u->stalling);
  u->stalling = 0;
  if (t->jitter)
    hold(t, u->node, &i);
  bool starts = t->rebase.phase == WEFT_REBASE_BANKS && !u->rebased;
  bool wants = any(&i) || any_of_its_own(u->state) || starts, pending = u->chosen;
  enum choice choice = wants || pending ? next_choice(t, u, &i) : NOTHING;
  u->a_valid = choice;
  if (choice)
    take(t, u, index, &i, choice);
  if (u->chosen || (pending && !choice)) /* to be taken, or to be chosen again */
    weft_wake_l2(t, index);
  u->blocked = wants && !u->a_valid;
  u->stalls = !u->a_valid && any(&i);
  stalls += u->stalls;
  if (!u->a_valid && i.held) /* until the next block of cycles */
    weft_wake_after(t, t->at.l2 + index, (t->now / WEFT_HOLD_CYCLES + 1) * WEFT_HOLD_CYCLES);
  if (stalls)
    u->counters[WEFT_COUNTER_L2_STALLS] += stalls;
}
