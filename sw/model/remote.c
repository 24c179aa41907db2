/* SPDX-License-Identifier: Apache-2.0 */
/* Remote lines: copies of what another home owns, and the fills that are on their way. */
#include "l2_parts.h"
#include "messages.h"

/* The open miss of a line, or -1. */
static int open_miss(const struct weft_l2 *l, uint64_t line)
{
  for (uint64_t open = l->miss_open; open; open &= open - 1)
    if (weft_l2_misses(l)[weft_lowest(open)].line == line)
      return (int)weft_lowest(open);
  return -1;
}

bool weft_remote_close(struct weft_l2 *l, uint64_t line)
{
  uint64_t before = l->miss_open;
  for (int miss = open_miss(l, line); miss >= 0; miss = open_miss(l, line))
    l->miss_open &= ~weft_bit((unsigned)miss);
  return l->miss_open != before;
}

static void close_miss(struct weft_l2 *l, uint64_t line, struct weft_l2_event *out)
{
  if (weft_remote_close(l, line))
    out->closed = 1;
}

/* ---------------------------------------------------------------- the node's own requests */

const char *weft_remote_refuses_cu(const struct weft_l2 *l, const struct weft_req *r)
{
  uint64_t line = weft_l2_line_of(l, r->address);
  if (r->kind != WEFT_REQ_KIND_READ || weft_l2_find(l, line) != WEFT_NO_WAY)
    return NULL;
  bool room = l->waiter_used != weft_ones(l->waiters);
  if (open_miss(l, line) >= 0)
    return room ? NULL : "l2: a join with all waiters in use";
  if (l->miss_used == weft_ones(l->misses))
    return "l2: an allocation with all misses in use";
  return room ? NULL : "l2: an allocation with all waiters in use";
}

void weft_remote_send(const struct weft_l2 *l, const struct weft_l2_event *in, unsigned id, uint64_t address,
                      struct weft_l2_event *out)
{
  const struct weft_req *r = &in->req;
  struct weft_req *m = &out->out_req;
  out->sent_req = 1;
  m->kind = r->kind;
  m->src = (uint8_t)l->self;
  m->dst = (uint8_t)weft_home_of(address);
  m->cu = r->cu;
  m->id = (uint8_t)id;
  m->func = r->func;
  m->wide = r->wide;
  m->era = 0;
  m->cts = 0;
  m->address = address;
  if (r->kind == WEFT_REQ_KIND_WRITE) {
    m->wide = in->order != WEFT_ORDER_WEAK && in->scope == WEFT_SCOPE_SYS;
    memcpy(m->mask, r->mask, sizeof m->mask);
  }
  if (weft_req_has_data(r->kind))
    weft_copy_line(m->data, r->data, l->line);
}

void weft_remote_wait(struct weft_l2 *l, unsigned miss, const struct weft_req *r, struct weft_l2_event *out)
{
  unsigned waiter = weft_lowest(~l->waiter_used);
  l->waiter_used |= weft_bit(waiter);
  weft_l2_waiters(l)[waiter] = (struct weft_l2_waiter){ .cu = r->cu, .id = r->id };
  weft_l2_misses(l)[miss].waiters |= weft_bit(waiter);
  out->slot = (uint8_t)miss;
}

void weft_remote_hit(struct weft_l2 *l, const struct weft_req *r, uint64_t line, struct weft_l2_event *out)
{
  struct weft_lines *lines = weft_l2_lines(l);
  uint64_t set = weft_l2_set_of(l, line);
  weft_lines_touch(lines, set, out->way);
  weft_l2_to_l1(out, WEFT_RSP_KIND_LINE, r->cu, r->id);
  out->out_l1.install = 1;
  weft_copy_line(out->out_l1.data, weft_lines_data(lines, set, out->way), l->line);
}

static void read(struct weft_l2 *l, const struct weft_l2_event *in, uint64_t line, struct weft_l2_event *out)
{
  const struct weft_req *r = &in->req;
  if (out->hit) {
    weft_remote_hit(l, r, line, out);
    return;
  }
  int miss = open_miss(l, line);
  if (miss >= 0) {
    out->joined = 1;
  } else {
    miss = (int)weft_lowest(~l->miss_used);
    l->miss_used |= weft_bit((unsigned)miss);
    l->miss_open |= weft_bit((unsigned)miss);
    weft_l2_misses(l)[miss] = (struct weft_l2_miss){ .line = line };
    out->allocated = 1;
    weft_remote_send(l, in, (unsigned)miss, line, out);
  }
  weft_remote_wait(l, (unsigned)miss, r, out);
}

/* A fault: the bytes of a store, for a fill that is on its way. */
static void keep_bytes(struct weft_l2 *l, const struct weft_req *r, uint64_t line)
{
  int miss = open_miss(l, line);
  uint64_t *mask = weft_at(l, l->fault_at);
  if (miss < 0)
    return;
  l->fault_miss = (uint32_t)miss;
  memcpy(mask, r->mask, sizeof r->mask);
  memcpy(mask + 2, r->data, l->line);
}

static void merge_bytes(struct weft_l2 *l, unsigned miss, uint8_t *data)
{
  uint64_t *mask = weft_at(l, l->fault_at);
  if (l->fault_miss != miss || !(mask[0] | mask[1]))
    return;
  weft_merge(data, (const uint8_t *)(mask + 2), mask, l->line);
  memset(mask, 0, 2 * sizeof *mask + l->line);
  l->fault_miss = 0;
}

static void write(struct weft_l2 *l, const struct weft_l2_event *in, uint64_t line, struct weft_l2_event *out)
{
  const struct weft_req *r = &in->req;
  struct weft_lines *lines = weft_l2_lines(l);
  if (out->hit) {
    uint64_t set = weft_l2_set_of(l, line);
    if (l->fault != WEFT_FAULT_L2_STORE_KEEPS_COPY)
      weft_merge(weft_lines_data(lines, set, out->way), r->data, r->mask, l->line);
    weft_lines_touch(lines, set, out->way);
  }
  if (l->fault == WEFT_FAULT_L2_STORE_MERGES_FILL)
    keep_bytes(l, r, line);
  if (l->fault != WEFT_FAULT_L2_STORE_KEEPS_FILL)
    close_miss(l, line, out);
  if (!weft_l2_writes_back(l) || !weft_writeback_store(l, in, line, out))
    weft_remote_send(l, in, 0, line, out);
}

static void atomic(struct weft_l2 *l, const struct weft_l2_event *in, uint64_t line,
                   struct weft_l2_event *out)
{
  close_miss(l, line, out);
  weft_remote_send(l, in, in->req.id, in->req.address, out);
  if (out->hit && weft_writeback_dirty(l, weft_l2_set_of(l, line), out->way))
    weft_writeback_atomic(l, line, out);
  if (out->hit && l->fault != WEFT_FAULT_L2_ATOMIC_KEEPS_COPY)
    weft_lines_tags(weft_l2_lines(l), weft_l2_set_of(l, line))[out->way] = 0;
}

void weft_remote_cu(struct weft_l2 *l, const struct weft_l2_event *in, struct weft_l2_event *out)
{
  const struct weft_req *r = &in->req;
  uint64_t line = weft_l2_line_of(l, r->address);
  int way = weft_l2_find(l, line);
  weft_release_wrote(l, r);
  if (way != WEFT_NO_WAY) {
    out->hit = 1;
    out->way = (uint8_t)way;
  }
  if (r->kind == WEFT_REQ_KIND_READ)
    read(l, in, line, out);
  else if (r->kind == WEFT_REQ_KIND_WRITE)
    write(l, in, line, out);
  else
    atomic(l, in, line, out);
}

/* ---------------------------------------------------------------- what comes from the home */

/* The open miss of the line, if any, may be joined and installed no more; faults leave out both or one. */
static void close_by_inv(struct weft_l2 *l, uint64_t line, struct weft_l2_event *out)
{
  int miss = open_miss(l, line);
  bool kept = l->fault == WEFT_FAULT_L2_INV_KEEPS_FILL ||
              (l->fault == WEFT_FAULT_L2_BLOCK_INV_CLOSES_ONE && l->block_next);
  if (l->fault == WEFT_FAULT_L2_INV_KEEPS_JOINING && miss >= 0)
    l->fault_misses |= weft_bit((unsigned)miss);
  else if (!kept)
    close_miss(l, line, out);
}

/* Of a block, one line after the other: an event each. */
void weft_remote_inv(struct weft_l2 *l, const struct weft_fwd *f, struct weft_l2_event *out)
{
  uint64_t line = weft_l2_line_of(l, f->address) + ((uint64_t)l->block_next << l->line_shift);
  int way = weft_l2_find(l, line);
  if (way != WEFT_NO_WAY) {
    weft_lines_tags(weft_l2_lines(l), weft_l2_set_of(l, line))[way] = 0;
    out->hit = 1;
    out->way = (uint8_t)way;
  }
  close_by_inv(l, line, out);
  l->block_next = f->block ? (l->block_next + 1U) % WEFT_BLOCK_LINES : 0;
  l->block_home = l->block_next ? f->src : 0;
}

const char *weft_remote_refuses_line(const struct weft_l2 *l, const struct weft_rsp *r)
{
  if (l->fill_full)
    return "l2: a line while the fill register is full";
  if (r->id >= l->misses || !(l->miss_used & weft_bit(r->id)))
    return "l2: a line for a miss that is not in use";
  if (weft_home_of(weft_l2_misses(l)[r->id].line) != r->src)
    return "l2: a line from a node that is not its home";
  return NULL;
}

void weft_remote_line(struct weft_l2 *l, const struct weft_rsp *r, struct weft_l2_event *out)
{
  uint64_t line = weft_l2_misses(l)[r->id].line;
  bool open = l->miss_open & ~l->fault_misses & weft_bit(r->id);
  if (l->held_full && weft_l2_place(l, line) == WEFT_NO_WAY)
    open = false; /* it is given to whoever waits for it, and not kept */
  if (open)
    weft_l2_install(l, line, r->data, out);
  l->miss_open &= ~weft_bit(r->id);
  l->fill_full = 1;
  l->fill_miss = r->id;
  l->fill_install = open;
  weft_copy_line(weft_at(l, l->fill_at), r->data, l->line);
  l->fault_misses &= ~weft_bit(r->id);
  if (l->fault == WEFT_FAULT_L2_STORE_MERGES_FILL)
    merge_bytes(l, r->id, weft_at(l, l->fill_at));
}

void weft_remote_answer(struct weft_l2 *l, struct weft_l2_event *out)
{
  struct weft_l2_miss *miss = &weft_l2_misses(l)[l->fill_miss];
  unsigned waiter = weft_lowest(miss->waiters);
  struct weft_l2_waiter *w = &weft_l2_waiters(l)[waiter];
  out->index = l->fill_miss;
  weft_l2_to_l1(out, WEFT_RSP_KIND_LINE, w->cu, w->id);
  out->out_l1.install = l->fill_install;
  out->out_l1.wts = l->fill_stamps.wts;
  out->out_l1.rts = l->fill_stamps.rts;
  weft_copy_line(out->out_l1.data, weft_at(l, l->fill_at), l->line);
  *w = (struct weft_l2_waiter){ 0 };
  l->waiter_used &= ~weft_bit(waiter);
  miss->waiters &= miss->waiters - 1;
  if (miss->waiters)
    return;
  l->miss_used &= ~weft_bit(l->fill_miss);
  miss->line = 0;
  miss->clock = 0;
  l->fill_full = l->fill_miss = l->fill_install = 0;
  l->fill_stamps = (struct weft_stamps){ 0 };
  weft_clear_line(weft_at(l, l->fill_at), l->line); /* equal states must be equal bytes */
}
