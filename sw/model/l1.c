/* SPDX-License-Identifier: Apache-2.0 */
#include "l1.h"

#include "lease_faults.h"
#include "messages.h"
#include "replacement.h"

static size_t layout(struct weft_l1 *l, const struct weft_config *c)
{
  size_t at = sizeof *l;
  l->miss_at = weft_layout_take(&at, c->l1_misses * sizeof(struct weft_l1_miss));
  l->waiter_at = weft_layout_take(&at, c->l1_waiters * sizeof(struct weft_l1_waiter));
  l->warp_at = weft_layout_take(&at, c->warps * sizeof(struct weft_l1_warp));
  l->fill_at = weft_layout_take(&at, c->line);
  l->lines_at = weft_layout_take(&at, weft_lines_size(c->l1_sets, c->l1_ways, c->line));
  return weft_layout_take(&at, 0);
}

size_t weft_l1_size(const struct weft_config *c)
{
  struct weft_l1 shape;
  return layout(&shape, c);
}

void weft_l1_reset(struct weft_l1 *l, const struct weft_config *c, uint8_t protocol, unsigned cu)
{
  memset(l, 0, weft_l1_size(c));
  l->size = (uint32_t)layout(l, c);
  l->cu = cu;
  l->nodes = (uint32_t)c->nodes;
  l->warps = (uint32_t)c->warps;
  l->banks = (uint32_t)c->l2_banks;
  l->line = (uint32_t)c->line;
  l->line_shift = weft_log2(c->line);
  l->misses = (uint32_t)c->l1_misses;
  l->waiters = (uint32_t)c->l1_waiters;
  l->memory_bytes = c->memory_bytes;
  l->lease.mode = weft_lease_mode(protocol);
  weft_lines_reset(weft_l1_lines(l), c->l1_sets, c->l1_ways, c->line);
}

void weft_l1_set_fault(struct weft_l1 *l, unsigned fault)
{
  l->fault = fault;
}

/* ---------------------------------------------------------------- questions */

static bool releases(const struct weft_l1_warp *w)
{
  return (w->order == WEFT_ORDER_RELEASE || w->order == WEFT_ORDER_ACQ_REL) && w->scope != WEFT_SCOPE_CTA;
}

static bool acquires(const struct weft_l1_warp *w)
{
  return (w->order == WEFT_ORDER_ACQUIRE || w->order == WEFT_ORDER_ACQ_REL) && w->scope != WEFT_SCOPE_CTA;
}

/* The banks have a part in the fence: in a release, or under leases, where every value is in memory when its store
 * is answered, in an acquire of scope sys, which they go through first (T6, T7). */
static bool asks_banks(const struct weft_l1 *l, const struct weft_l1_warp *w)
{
  if (l->lease.mode == WEFT_LEASE_ENDLESS)
    return false; /* what a bank has stays as it is */
  return l->lease.mode ? acquires(w) && w->scope == WEFT_SCOPE_SYS : releases(w);
}

/* Nothing that the warp has issued waits for data. */
static bool drained(const struct weft_l1 *l, const struct weft_l1_warp *w)
{
  if (l->fault == WEFT_FAULT_LEASE_RELEASE_IGNORES_LOADS && l->lease.mode && w->order == WEFT_ORDER_RELEASE)
    return !(l->miss_store & weft_l1_misses_of(l, (unsigned)(w - weft_l1_warps(l))));
  return w->loads == 0 || l->fault == WEFT_FAULT_L1_FENCE_IGNORES_LOADS;
}

static bool can_send(const struct weft_l1 *l, const struct weft_l1_warp *w)
{
  return w->pending && drained(l, w) && asks_banks(l, w) && w->sent != l->banks;
}

static bool can_finish(const struct weft_l1 *l, const struct weft_l1_warp *w)
{
  return w->pending && drained(l, w) && (!asks_banks(l, w) || (w->sent == l->banks && w->awaited == 0));
}

int weft_l1_fence_send(const struct weft_l1 *l)
{
  for (uint64_t left = l->fences; left; left &= left - 1)
    if (can_send(l, &weft_l1_warps(l)[weft_lowest(left)]))
      return (int)weft_lowest(left);
  return -1;
}

int weft_l1_fence_done(const struct weft_l1 *l)
{
  for (uint64_t left = l->fences; left; left &= left - 1)
    if (can_finish(l, &weft_l1_warps(l)[weft_lowest(left)]))
      return (int)weft_lowest(left);
  return -1;
}

bool weft_l1_idle(const struct weft_l1 *l)
{
  return (l->miss_used | l->fences) == 0;
}

/* An operation that no memory could serve. */
static bool bad(const struct weft_l1 *l, const struct weft_cu_req *r)
{
  if (r->op == WEFT_CU_OP_FENCE)
    return false;
  if (weft_home_of(r->address) >= l->nodes || weft_offset_of(r->address) >= l->memory_bytes)
    return true;
  if (r->op == WEFT_CU_OP_ATOMIC)
    return (r->address & (r->wide ? 7U : 3U)) || r->func > WEFT_FUNC_XOR;
  return (r->mask[0] | r->mask[1]) == 0;
}

static bool strong(const struct weft_cu_req *r)
{
  return r->order != WEFT_ORDER_WEAK && r->scope != WEFT_SCOPE_CTA;
}

static uint64_t line_of(const struct weft_l1 *l, uint64_t address)
{
  return address >> l->line_shift << l->line_shift;
}

static uint64_t set_of(const struct weft_l1 *l, uint64_t line)
{
  return weft_offset_of(line) >> l->line_shift & (weft_l1_lines(l)->sets - 1U);
}

/* The miss of a set that is for this line, or -1. */
static int miss_among(const struct weft_l1 *l, uint64_t set, uint64_t line)
{
  for (; set; set &= set - 1)
    if (weft_l1_misses(l)[weft_lowest(set)].line == line)
      return (int)weft_lowest(set);
  return -1;
}

/* The open miss of a line, which loads may join, or -1. */
static int open_miss(const struct weft_l1 *l, uint64_t line)
{
  return miss_among(l, l->miss_open & ~l->miss_store, line);
}

/* The line is there, and its lease, if it has one, has not run out. */
static bool valid(const struct weft_l1 *l, uint64_t set, int way)
{
  return way != WEFT_NO_WAY &&
         (!l->lease.mode || l->lease.clock <= weft_lines_stamps(weft_l1_lines(l), set, (unsigned)way)->rts);
}

/* Leases: one transaction per line and L1, whatever the warp; only a weak load joins one, and only one of its
 * kind (T2), which in causal mode must have been sent with no smaller a clock (T4). */
static const char *refuses_line(const struct weft_l1 *l, const struct weft_cu_req *r)
{
  uint64_t line = line_of(l, r->address), answered = l->fill_full ? weft_bit((unsigned)l->fill_miss) : 0;
  int miss = miss_among(l, l->miss_used & ~answered & ~weft_lease_overlooked(l, r), line);
  bool causal = l->lease.mode == WEFT_LEASE_CAUSAL;
  if (causal && weft_l1_warps(l)[r->warp].loads)
    return "l1: an operation of a warp whose last one is outstanding";
  if (miss < 0)
    return NULL;
  if (r->op == WEFT_CU_OP_LOAD && !strong(r) && miss == open_miss(l, line) &&
      (!causal || l->lease.clock <= weft_l1_misses(l)[miss].clock))
    return NULL;
  return "l1: an operation on a line whose transaction is outstanding";
}

bool weft_l1_locked(const struct weft_l1 *l, const struct weft_cu_req *r)
{
  return l->lease.mode && r->warp < l->warps && r->op != WEFT_CU_OP_FENCE && refuses_line(l, r);
}

static const char *refuses_op(const struct weft_l1 *l, const struct weft_cu_req *r)
{
  if (r->warp >= l->warps)
    return "l1: an operation of a warp that does not exist";
  if (weft_l1_warps(l)[r->warp].pending)
    return "l1: an operation of a warp whose fence is pending";
  if (r->op == WEFT_CU_OP_FENCE || bad(l, r) || (r->op == WEFT_CU_OP_STORE && !l->lease.mode))
    return NULL;
  const char *locked = l->lease.mode ? refuses_line(l, r) : NULL;
  if (locked)
    return locked;
  if (r->op == WEFT_CU_OP_LOAD && !strong(r)) {
    uint64_t line = line_of(l, r->address), set = set_of(l, line);
    if (valid(l, set, weft_lines_find(weft_l1_lines(l), set, line)))
      return NULL;
    if (open_miss(l, line) >= 0)
      return l->waiter_used == weft_ones(l->waiters) ? "l1: a join with all waiters in use" : NULL;
  }
  if (l->miss_used == weft_ones(l->misses))
    return "l1: an allocation with all misses in use";
  return l->waiter_used == weft_ones(l->waiters) ? "l1: an allocation with all waiters in use" : NULL;
}

static const char *refuses_response(const struct weft_l1 *l, const struct weft_l1_rsp *r)
{
  if (r->cu != l->cu)
    return "l1: a response for another CU";
  if (r->kind == WEFT_RSP_KIND_FENCE) {
    if (r->id >= l->warps || !weft_l1_warps(l)[r->id].pending || weft_l1_warps(l)[r->id].awaited == 0)
      return "l1: a fence response that no warp awaits";
    return NULL;
  }
  if (r->kind != WEFT_RSP_KIND_LINE && r->kind != WEFT_RSP_KIND_ATOMIC)
    return "l1: a response of unknown kind";
  if (r->id >= l->misses || !(l->miss_used & weft_bit(r->id)))
    return "l1: a response for a miss that is not in use";
  return l->fill_full ? "l1: a response while the fill register is full" : NULL;
}

const char *weft_l1_refuses(const struct weft_l1 *l, const struct weft_l1_event *in)
{
  switch (in->kind) {
  case WEFT_L1_EVENT_KIND_OP:
    return refuses_op(l, &in->cu);
  case WEFT_L1_EVENT_KIND_RESPONSE:
    return refuses_response(l, &in->rsp);
  case WEFT_L1_EVENT_KIND_ANSWER:
    return l->fill_full ? NULL : "l1: an answer while the fill register is empty";
  case WEFT_L1_EVENT_KIND_FENCE_SEND:
    if (in->warp >= l->warps || !can_send(l, &weft_l1_warps(l)[in->warp]))
      return "l1: fence_send of a warp that has no fence ready to be sent";
    return NULL;
  case WEFT_L1_EVENT_KIND_FENCE_DONE:
    if (in->warp >= l->warps || !can_finish(l, &weft_l1_warps(l)[in->warp]))
      return "l1: fence_done of a warp whose fence is not ready";
    return NULL;
  case WEFT_L1_EVENT_KIND_REBASE:
    return weft_lease_ends(l->lease.mode) ? NULL : "l1: a rebase without leases";
  default:
    return "l1: unknown event";
  }
}

/* ---------------------------------------------------------------- steps */

static void close_miss(struct weft_l1 *l, uint64_t line, struct weft_l1_event *out)
{
  int miss = open_miss(l, line);
  if (miss >= 0) {
    l->miss_open &= ~weft_bit((unsigned)miss);
    out->closed = 1;
  }
}

static void wait_on(struct weft_l1 *l, unsigned miss, const struct weft_cu_req *r, struct weft_l1_event *out)
{
  unsigned waiter = weft_lowest(~l->waiter_used);
  l->waiter_used |= weft_bit(waiter);
  weft_l1_waiters(l)[waiter] =
    (struct weft_l1_waiter){ .miss = (uint8_t)miss, .warp = r->warp, .tag = r->tag };
  weft_l1_misses(l)[miss].waiters |= weft_bit(waiter);
  weft_l1_warps(l)[r->warp].loads++;
  out->miss = (uint8_t)miss;
}

static unsigned allocate(struct weft_l1 *l, uint64_t line, bool open, struct weft_l1_event *out)
{
  unsigned miss = weft_lowest(~l->miss_used);
  l->miss_used |= weft_bit(miss);
  if (open)
    l->miss_open |= weft_bit(miss);
  weft_l1_misses(l)[miss] = (struct weft_l1_miss){ .line = line, .clock = l->lease.clock };
  out->allocated = 1;
  return miss;
}

static void send(struct weft_l1 *l, struct weft_l1_event *out, uint8_t kind, unsigned id, uint64_t address)
{
  out->sent = 1;
  out->out.kind = kind;
  out->out.cu = (uint8_t)l->cu;
  out->out.id = (uint8_t)id;
  out->out.address = address;
  out->out.wide = out->out.func = 0;
  out->out.cts = weft_lease_says(&l->lease, l->lease.clock);
  out->out.era = l->lease.era;
}

static void answer(const struct weft_l1 *l, struct weft_l1_event *out, uint8_t warp, uint8_t tag,
                   const uint8_t *data)
{
  out->answered = 1;
  out->done.warp = warp;
  out->done.tag = tag;
  out->done.error = 0;
  if (data)
    weft_copy_line(out->done.data, data, l->line);
  else
    weft_clear_line(out->done.data, l->line);
}

static void load(struct weft_l1 *l, const struct weft_cu_req *r, uint64_t line, uint64_t set, int way,
                 struct weft_l1_event *out)
{
  struct weft_lines *lines = weft_l1_lines(l);
  bool open = !strong(r), second = l->fault == WEFT_FAULT_L1_SECOND_MISS_OPEN;
  if (open && valid(l, set, way)) {
    weft_lines_touch(lines, set, (unsigned)way);
    answer(l, out, r->warp, r->tag, weft_lines_data(lines, set, (unsigned)way));
    return;
  }
  int found = open ? open_miss(l, line) : -1;
  if (found >= 0) {
    out->joined = 1;
    wait_on(l, (unsigned)found, r, out);
    return;
  }
  if (!open) {
    if (way != WEFT_NO_WAY)
      weft_lines_tags(lines, set)[way] = 0;
    if (l->fault != WEFT_FAULT_L1_STRONG_LOAD_KEEPS_MISS && !second)
      close_miss(l, line, out);
  }
  unsigned miss = allocate(l, line, open || second, out);
  wait_on(l, miss, r, out);
  send(l, out, WEFT_REQ_KIND_READ, miss, line);
  out->out.order = r->order;
  out->out.scope = r->scope;
  out->out.wide = l->lease.mode && strong(r) && r->scope == WEFT_SCOPE_SYS; /* no bank may answer it (T8) */
}

static void send_store(struct weft_l1 *l, const struct weft_cu_req *r, unsigned id, uint64_t line,
                       struct weft_l1_event *out)
{
  send(l, out, WEFT_REQ_KIND_WRITE, id, line);
  out->out.order = r->order; /* the write queue on the way to other nodes asks for them */
  out->out.scope = r->scope;
  memcpy(out->out.mask, r->mask, sizeof r->mask);
  weft_copy_line(out->out.data, r->data, l->line);
}

/* Copies stay as they are until the answer brings the line as memory has it then (T3). */
static void leased_store(struct weft_l1 *l, const struct weft_cu_req *r, uint64_t line, uint64_t set, int way,
                         struct weft_l1_event *out)
{
  if (l->lease.mode == WEFT_LEASE_ENDLESS && way != WEFT_NO_WAY)
    weft_lines_tags(weft_l1_lines(l), set)[way] =
      0; /* no time ends it, if the answer does not bring another */
  unsigned miss = allocate(l, line, true, out);
  l->miss_store |= weft_bit(miss);
  wait_on(l, miss, r, out);
  send_store(l, r, miss, line, out);
  out->out.func = 1; /* it wants an answer */
}

static void store(struct weft_l1 *l, const struct weft_cu_req *r, uint64_t line, uint64_t set, int way,
                  struct weft_l1_event *out)
{
  struct weft_lines *lines = weft_l1_lines(l);
  if (way != WEFT_NO_WAY) {
    if (l->fault != WEFT_FAULT_L1_STORE_KEEPS_OLD)
      weft_merge(weft_lines_data(lines, set, (unsigned)way), r->data, r->mask, l->line);
    weft_lines_touch(lines, set, (unsigned)way);
  }
  close_miss(l, line, out);
  send_store(l, r, 0, line, out);
  answer(l, out, r->warp, r->tag, NULL);
}

static void atomic(struct weft_l1 *l, const struct weft_cu_req *r, uint64_t line, uint64_t set, int way,
                   struct weft_l1_event *out)
{
  if (way != WEFT_NO_WAY)
    weft_lines_tags(weft_l1_lines(l), set)[way] = 0;
  close_miss(l, line, out);
  unsigned miss = allocate(l, line, false, out);
  wait_on(l, miss, r, out);
  send(l, out, WEFT_REQ_KIND_ATOMIC, miss, r->address);
  out->out.func = r->func;
  out->out.wide = r->wide;
  weft_copy_line(out->out.data, r->data, l->line);
}

/* Whatever the L1 holds, or is about to, is too old from now on. */
static void acquire(struct weft_l1 *l)
{
  if (l->lease.mode == WEFT_LEASE_CAUSAL) {
    weft_lease_outlive(&l->lease);
    return;
  }
  weft_lines_drop_all(weft_l1_lines(l));
  if (l->fault != WEFT_FAULT_L1_ACQUIRE_KEEPS_MISSES)
    l->miss_open &= l->fault == WEFT_FAULT_LEASE_ACQUIRE_KEEPS_STORES ? l->miss_store : 0;
}

static void fence(struct weft_l1 *l, const struct weft_cu_req *r)
{
  struct weft_l1_warp *w = &weft_l1_warps(l)[r->warp];
  l->fences |= weft_bit(r->warp);
  w->pending = 1;
  w->tag = r->tag;
  w->order = r->order;
  w->scope = r->scope;
  w->sent = w->awaited = 0;
  if (l->fault == WEFT_FAULT_LEASE_L1_BEFORE_L2 && l->lease.mode && asks_banks(l, w))
    acquire(l);
}

static void op(struct weft_l1 *l, const struct weft_cu_req *r, struct weft_l1_event *out)
{
  if (r->op == WEFT_CU_OP_FENCE) {
    fence(l, r);
    return;
  }
  if (bad(l, r)) {
    answer(l, out, r->warp, r->tag, NULL);
    out->done.error = 1;
    return;
  }
  uint64_t line = line_of(l, r->address), set = set_of(l, line);
  int way = weft_lines_find(weft_l1_lines(l), set, line);
  if (way != WEFT_NO_WAY) {
    out->hit = valid(l, set, way);
    out->expired = !out->hit;
    out->way = (uint8_t)way;
  }
  if (r->op == WEFT_CU_OP_LOAD)
    load(l, r, line, set, way, out);
  else if (r->op == WEFT_CU_OP_STORE && l->lease.mode)
    leased_store(l, r, line, set, way, out);
  else if (r->op == WEFT_CU_OP_STORE)
    store(l, r, line, set, way, out);
  else
    atomic(l, r, line, set, way, out);
}

static void fence_send(struct weft_l1 *l, unsigned warp, struct weft_l1_event *out)
{
  struct weft_l1_warp *w = &weft_l1_warps(l)[warp];
  send(l, out, WEFT_REQ_KIND_FENCE, warp, (uint64_t)w->sent << WEFT_PAGE_SHIFT);
  out->out.order = w->order;
  out->out.scope = w->scope;
  out->out.cts = 0;
  w->sent++;
  w->awaited++;
}

static void fence_done(struct weft_l1 *l, unsigned warp, struct weft_l1_event *out)
{
  struct weft_l1_warp *w = &weft_l1_warps(l)[warp];
  if (acquires(w) && !(w->sent && l->fault == WEFT_FAULT_LEASE_L1_BEFORE_L2))
    acquire(l);
  out->cu.order = w->order;
  out->cu.scope = w->scope;
  answer(l, out, (uint8_t)warp, w->tag, NULL);
  l->fences &= ~weft_bit(warp);
  *w = (struct weft_l1_warp){ .loads = w->loads }; /* 0, but for a fault */
}

static void response(struct weft_l1 *l, const struct weft_l1_rsp *r, struct weft_l1_event *out)
{
  if (r->kind == WEFT_RSP_KIND_FENCE) {
    weft_l1_warps(l)[r->id].awaited--;
    return;
  }
  const struct weft_stamps came = { .wts = r->wts, .rts = r->rts };
  if (r->kind == WEFT_RSP_KIND_LINE && r->install && (l->miss_open & weft_bit(r->id))) {
    struct weft_lines *lines = weft_l1_lines(l);
    uint64_t line = weft_l1_misses(l)[r->id].line, set = set_of(l, line);
    /* Under leases the line may be there: its lease has run out, or a store replaces it. */
    int there = l->lease.mode ? weft_lines_find(lines, set, line) : WEFT_NO_WAY;
    unsigned way = there != WEFT_NO_WAY ? (unsigned)there : weft_lines_victim(lines, set, WEFT_NO_WAY);
    weft_lines_tags(lines, set)[way] = line | WEFT_TAG_VALID;
    *weft_lines_stamps(lines, set, way) = weft_lease_kept(&l->lease, l->fault, came);
    weft_copy_line(weft_lines_data(lines, set, way), r->data, l->line);
    weft_lines_touch(lines, set, way);
    out->installed = 1;
    out->way = (uint8_t)way;
  }
  if (l->lease.mode)
    weft_lease_hears(&l->lease, l->fault, r->kind == WEFT_RSP_KIND_LINE && !(l->miss_store & weft_bit(r->id)),
                     out->installed, came);
  l->miss_open &= ~weft_bit(r->id);
  l->miss_store &= ~weft_bit(r->id);
  l->fill_full = 1;
  l->fill_miss = r->id;
  weft_copy_line(weft_at(l, l->fill_at), r->data, l->line);
}

static void answer_waiter(struct weft_l1 *l, struct weft_l1_event *out)
{
  struct weft_l1_miss *miss = &weft_l1_misses(l)[l->fill_miss];
  unsigned waiter = weft_lowest(miss->waiters);
  struct weft_l1_waiter *w = &weft_l1_waiters(l)[waiter];
  answer(l, out, w->warp, w->tag, weft_at(l, l->fill_at));
  weft_l1_warps(l)[w->warp].loads--;
  *w = (struct weft_l1_waiter){ 0 };
  l->waiter_used &= ~weft_bit(waiter);
  miss->waiters &= miss->waiters - 1;
  if (miss->waiters)
    return;
  l->miss_used &= ~weft_bit((unsigned)l->fill_miss);
  miss->line = 0;
  miss->clock = 0;
  l->fill_full = l->fill_miss = 0;
  weft_clear_line(weft_at(l, l->fill_at), l->line); /* equal states must be equal bytes */
}

/* Drops every line; what is outstanding stays, and is answered by the new time (T10). */
static void rebase(struct weft_l1 *l)
{
  weft_lines_drop_all(weft_l1_lines(l));
  for (uint64_t used = l->miss_used; used; used &= used - 1)
    weft_l1_misses(l)[weft_lowest(used)].clock = 0;
  weft_lease_rebase(&l->lease);
}

const char *weft_l1_step(struct weft_l1 *l, const struct weft_l1_event *in, struct weft_l1_event *out)
{
  const char *error = weft_l1_refuses(l, in);
  if (error)
    return error;
  out->kind = in->kind;
  out->hit = out->expired = out->way = out->miss = 0;
  out->allocated = out->joined = out->closed = out->installed = out->sent = out->answered = 0;
  switch (in->kind) {
  case WEFT_L1_EVENT_KIND_OP:
    op(l, &in->cu, out);
    break;
  case WEFT_L1_EVENT_KIND_FENCE_SEND:
    fence_send(l, in->warp, out);
    break;
  case WEFT_L1_EVENT_KIND_FENCE_DONE:
    fence_done(l, in->warp, out);
    break;
  case WEFT_L1_EVENT_KIND_RESPONSE:
    response(l, &in->rsp, out);
    break;
  case WEFT_L1_EVENT_KIND_REBASE:
    rebase(l);
    break;
  default:
    answer_waiter(l, out);
    break;
  }
  out->clock = l->lease.clock;
  return NULL;
}
