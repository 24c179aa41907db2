/* SPDX-License-Identifier: Apache-2.0 */
/* Local lines: the home step, and the fetches of lines that are in memory only. */
#include "atomic.h"
#include "l2_parts.h"
#include "messages.h"

/* The fetch of a line, or -1. */
static int fetch_of(const struct weft_l2 *l, uint64_t line)
{
  for (uint64_t used = l->fetch_used; used; used &= used - 1)
    if (weft_l2_fetches(l)[weft_lowest(used)].line == line)
      return (int)weft_lowest(used);
  return -1;
}

/* ---------------------------------------------------------------- the home step */

static void track(struct weft_l2 *l, const struct weft_req *r, unsigned src, uint64_t line,
                  struct weft_l2_effects e)
{
  static const uint8_t op_of[] = { [WEFT_REQ_KIND_READ] = WEFT_DIR_OP_READ,
                                   [WEFT_REQ_KIND_WRITE] = WEFT_DIR_OP_WRITE,
                                   [WEFT_REQ_KIND_ATOMIC] = WEFT_DIR_OP_ATOMIC };
  struct weft_dir_event *dir = e.dir;
  dir->valid = 1;
  dir->op = op_of[r->kind];
  dir->local = src == l->self;
  dir->requester = (uint8_t)src;
  dir->address = line;
  struct weft_directory *directory = weft_l2_directory(l);
  struct weft_directory_owed owed;
  if (weft_directory_step(directory, dir, dir, &owed) || dir->inv_sharers == 0)
    return;
  bool block = weft_directory_block(directory);
  struct weft_fwd_item *item = &e.out->out_fwd;
  e.out->sent_fwd = 1;
  item->kind = WEFT_FWD_KIND_INV;
  item->nodes = weft_directory_nodes(dir->inv_sharers, l->self);
  item->block = block;
  item->spread = dir->evicted && !block && directory->lines > 1;
  item->cause = dir->cause;
  item->releaser = item->id = 0;
  item->address = dir->evicted ? dir->evicted_address : block ? weft_directory_base(directory, line) : line;
  weft_forward_push(weft_l2_forward(l), item, &owed);
}

uint16_t weft_home_time(const struct weft_l2 *l, uint16_t cts, uint8_t era, unsigned src)
{
  bool own = src == l->self && l->lease.mode == WEFT_LEASE_CAUSAL;
  return weft_later(weft_lease_heard(&l->lease, cts, era), own ? l->lease.clock : 0);
}

/* What the TSU is asked for a request (T8: a strong load of scope sys takes no lease, nor does an atomic that failed). */
static struct weft_tsu_event timed(const struct weft_l2 *l, const struct weft_req *r, unsigned src,
                                   bool failed)
{
  bool peeks = r->kind == WEFT_REQ_KIND_READ ? r->wide : failed;
  uint8_t other = r->kind == WEFT_REQ_KIND_READ ? WEFT_TSU_OP_READ : WEFT_TSU_OP_WRITE;
  return (struct weft_tsu_event){ .op = peeks ? WEFT_TSU_OP_PEEK : other,
                                  .causal = l->lease.mode == WEFT_LEASE_CAUSAL,
                                  .renews = l->lease.renews,
                                  .cts = weft_home_time(l, r->cts, r->era, src),
                                  .address = weft_l2_line_of(l, r->address) };
}

/* A read that renews a copy which is still what memory has: no line is needed. No two values of a line have one wts, but for
 * values of two eras. */
static bool unchanged(const struct weft_l2 *l, const struct weft_req *r, uint16_t wts)
{
  if (!weft_req_renews(r))
    return false;
  return (r->era == l->lease.era || l->fault == WEFT_FAULT_LEASE_RENEWS_OLD_ERA) &&
         (r->mask[0] == wts || l->fault == WEFT_FAULT_LEASE_RENEWS_ANY);
}

/* The answer gets its stamps; one to a CU of this node moves the bank's clock (T5). */
static void stamp(struct weft_l2 *l, const struct weft_req *r, unsigned src, bool failed,
                  struct weft_l2_effects e)
{
  struct weft_tsu_event *tsu = &e.dir->tsu;
  struct weft_rsp *m = &e.out->out_rsp;
  *tsu = timed(l, r, src, failed);
  weft_tsu_step(weft_l2_tsu(l), &l->leases, tsu, tsu);
  e.dir->valid = tsu->valid = 1;
  if (src == l->self)
    l->lease.clock = weft_later(l->lease.clock, tsu->wts);
  if (e.out->sent_l1) {
    e.out->out_l1.wts = tsu->wts;
    e.out->out_l1.rts = tsu->rts;
  } else if (e.out->sent_rsp) {
    m->wts = tsu->wts;
    m->rts = tsu->rts;
    if (unchanged(l, r, tsu->wts)) {
      m->kind = WEFT_RSP_KIND_WROTE;
      m->wide = 1;
      weft_clear_line(m->data, l->line);
    }
    m->stamp = m->kind == WEFT_RSP_KIND_WROTE && !m->wide ? tsu->was : 0;
  }
}

/* The line as it is now: the answer to a read, and to a write of this node under leases. */
static void answer_line(const struct weft_l2 *l, const struct weft_req *r, unsigned src, const uint8_t *data,
                        struct weft_l2_event *out)
{
  if (src == l->self) {
    weft_l2_to_l1(out, WEFT_RSP_KIND_LINE, r->cu, r->id);
    out->out_l1.install = 1;
    weft_copy_line(out->out_l1.data, data, l->line);
  } else {
    weft_l2_respond(l, out, WEFT_RSP_KIND_LINE, src);
    out->out_rsp.cu = r->cu; /* nobody needs it, but a completion on the wire names its requester */
    out->out_rsp.id = r->id;
    weft_copy_line(out->out_rsp.data, data, l->line);
  }
}

/* Leases: a write of another node has the line's new stamps for an answer, and when it had been written before, which nobody
 * needs to know if it was of the whole line, or if there are no times. */
static void answer_write(const struct weft_l2 *l, const struct weft_req *r, unsigned src,
                         struct weft_l2_event *out)
{
  weft_l2_respond(l, out, WEFT_RSP_KIND_WROTE, src);
  out->out_rsp.cu = r->cu;
  out->out_rsp.id = r->id;
  out->out_rsp.wide = l->lease.mode == WEFT_LEASE_ENDLESS || weft_mask_full(r->mask, l->line);
}

static void answer_atomic(const struct weft_l2 *l, const struct weft_req *r, unsigned src, uint64_t old,
                          struct weft_l2_event *out)
{
  uint8_t *data = out->out_l1.data;
  if (src == l->self) {
    weft_l2_to_l1(out, WEFT_RSP_KIND_ATOMIC, r->cu, r->id);
  } else {
    weft_l2_respond(l, out, WEFT_RSP_KIND_ATOMIC, src);
    out->out_rsp.cu = r->cu;
    out->out_rsp.id = r->id;
    out->out_rsp.wide = r->wide;
    data = out->out_rsp.data;
  }
  memcpy(data, &old, sizeof old);
  memset(data + sizeof old, 0, l->line - sizeof old);
}

/* A fault: what was read in the step before is recorded only now, behind whatever this step did to the line. */
static void record_late(struct weft_l2 *l)
{
  struct weft_req late = { .kind = WEFT_REQ_KIND_READ };
  struct weft_l2_event event;
  struct weft_dir_event dir = { 0 };
  struct weft_l2_effects unseen = { .out = &event, .dir = &dir };
  track(l, &late, l->fault_requester, l->fault_line, unseen);
  l->fault_late = l->fault_requester = 0;
  l->fault_line = 0;
}

/* In the same step, but for a fault. */
static void track_by_steps(struct weft_l2 *l, const struct weft_req *r, unsigned src, uint64_t line,
                           struct weft_l2_effects e)
{
  bool late = l->fault == WEFT_FAULT_HOME_TWO_STEPS && r->kind == WEFT_REQ_KIND_READ && src != l->self;
  if (!late)
    track(l, r, src, line, e);
  if (l->fault_late)
    record_late(l);
  if (late) {
    l->fault_late = 1;
    l->fault_requester = (uint8_t)src;
    l->fault_line = line;
  }
}

static void write_bytes(const struct weft_l2 *l, const struct weft_req *r, uint8_t *data)
{
  uint8_t third = data[3];
  weft_merge(data, r->data, r->mask, l->line);
  if (l->fault == WEFT_FAULT_L2_WRITE_LOSES_BYTE)
    data[3] = third;
}

static uint8_t func_of(const struct weft_l2 *l, const struct weft_req *r)
{
  return l->fault == WEFT_FAULT_ATOMIC_MIN_UNSIGNED && r->func == WEFT_FUNC_MIN ? WEFT_FUNC_MINU : r->func;
}

/* Performs an atomic and answers it; tells whether it failed. */
static bool perform_atomic(const struct weft_l2 *l, const struct weft_req *r, unsigned src, uint8_t *bytes,
                           struct weft_l2_event *out)
{
  uint64_t old = weft_atomic_apply(func_of(l, r), r->wide, bytes, r->data);
  answer_atomic(l, r, src, old, out);
  return (weft_atomic_may_fail(r->func) && memcmp(bytes, &old, r->wide ? 8 : 4) == 0) ||
         l->fault == WEFT_FAULT_LEASE_ATOMICS_FAIL;
}

bool weft_home_tries(const struct weft_l2 *l, const struct weft_l2_event *e)
{
  uint8_t kind = e->req.kind, func = e->req.func;
  if (!weft_lease_ends(l->lease.mode))
    return false;
  if (e->kind == WEFT_L2_EVENT_KIND_REPLAY) {
    const struct weft_l2_parked *p = weft_l2_parked(l, weft_l2_fetches(l)[l->replay_fetch].first);
    kind = p->kind;
    func = p->func;
  } else if ((e->kind != WEFT_L2_EVENT_KIND_CU && e->kind != WEFT_L2_EVENT_KIND_REQUEST) ||
             weft_home_of(e->req.address) != l->self) {
    return false;
  }
  return kind == WEFT_REQ_KIND_ATOMIC && weft_atomic_may_fail(func);
}

/* A fault: the step behind a write reads the line as it was before, with the stamps of the write. */
static const uint8_t *late_data(struct weft_l2 *l, const struct weft_req *r, uint64_t line,
                                const uint8_t *data, uint8_t before[WEFT_LINE_MAX])
{
  uint8_t *kept = (uint8_t *)weft_at(l, l->fault_at) + 2 * sizeof(uint64_t);
  bool old = l->fault_late && l->fault_line == line && r->kind == WEFT_REQ_KIND_READ;
  if (old)
    weft_copy_line(before, kept, l->line);
  l->fault_late = r->kind == WEFT_REQ_KIND_WRITE;
  l->fault_line = l->fault_late ? line : 0;
  weft_clear_line(kept, l->line);
  if (l->fault_late)
    weft_copy_line(kept, data, l->line);
  return old ? before : data;
}

static void home_step(struct weft_l2 *l, const struct weft_req *r, unsigned src, uint64_t set, unsigned way,
                      struct weft_l2_effects e)
{
  struct weft_lines *lines = weft_l2_lines(l);
  uint8_t *data = weft_lines_data(lines, set, way), before[WEFT_LINE_MAX];
  const uint8_t *shown = data;
  bool failed = false;
  uint64_t line = weft_l2_line_of(l, r->address);
  if (l->fault == WEFT_FAULT_LEASE_DATA_LATE)
    shown = late_data(l, r, line, data, before);
  e.out->hit = 1;
  e.out->way = (uint8_t)way;
  weft_lines_touch(lines, set, way);
  if (weft_l2_tracks(l))
    track_by_steps(l, r, src, line, e);
  if (r->kind != WEFT_REQ_KIND_READ)
    weft_lines_tags(lines, set)[way] |= WEFT_TAG_DIRTY;
  if (r->kind == WEFT_REQ_KIND_WRITE)
    write_bytes(l, r, data);
  if (r->kind == WEFT_REQ_KIND_ATOMIC)
    failed = perform_atomic(l, r, src, data + (r->address - line), e.out);
  else if (r->kind == WEFT_REQ_KIND_READ || (src == l->self && weft_req_wants_answer(r)))
    answer_line(l, r, src, shown, e.out);
  else if (weft_req_wants_answer(r))
    answer_write(l, r, src, e.out);
  if (weft_lease_ends(l->lease.mode))
    stamp(l, r, src, failed, e);
}

/* ---------------------------------------------------------------- requests */

static bool forward_blocks(const struct weft_l2 *l)
{
  return weft_l2_tracks(l) && weft_forward_full(weft_l2_forward(l));
}

/* Under leases a home step may have to wait for time to start again (T10). */
static const char *refuses_time(const struct weft_l2 *l, const struct weft_req *r, unsigned src)
{
  struct weft_tsu_event tsu = timed(l, r, src, false); /* for which it makes no difference */
  return weft_tsu_refuses(weft_l2_tsu(l), &l->leases, &tsu);
}

const char *weft_home_refuses_request(const struct weft_l2 *l, const struct weft_req *r, unsigned src)
{
  uint64_t line = weft_l2_line_of(l, r->address);
  bool room = l->parked_used != weft_ones(l->parked);
  if (r->kind == WEFT_REQ_KIND_ATOMIC && (r->address & (r->wide ? 7U : 3U)))
    return "l2: an atomic that is not aligned to its width";
  if (fetch_of(l, line) >= 0)
    return room ? NULL : "l2: a join with all waiting requests in use";
  if (weft_l2_find(l, line) != WEFT_NO_WAY)
    return forward_blocks(l)                ? "l2: a home step with a full forward queue"
           : weft_lease_ends(l->lease.mode) ? refuses_time(l, r, src)
                                            : NULL;
  if (l->fetch_used == weft_ones(l->fetches))
    return "l2: an allocation with all fetches in use";
  return room ? NULL : "l2: an allocation with all waiting requests in use";
}

static void park(struct weft_l2 *l, unsigned fetch, const struct weft_req *r, unsigned src, bool first)
{
  struct weft_l2_fetch *f = &weft_l2_fetches(l)[fetch];
  unsigned at = weft_lowest(~l->parked_used);
  struct weft_l2_parked *p = weft_l2_parked(l, at);
  l->parked_used |= weft_bit(at);
  p->address = r->address;
  p->kind = r->kind;
  p->src = (uint8_t)src;
  p->cu = r->cu;
  p->id = r->id;
  p->func = r->func;
  p->wide = r->wide;
  p->era = r->era;
  p->cts = r->cts;
  if (r->kind == WEFT_REQ_KIND_WRITE || weft_req_renews(r))
    memcpy(p->mask, r->mask, sizeof p->mask);
  if (r->kind != WEFT_REQ_KIND_READ)
    weft_copy_line(p->data, r->data, l->line);
  if (first)
    f->first = (uint8_t)at;
  else
    weft_l2_parked(l, f->last)->next = (uint8_t)at;
  f->last = (uint8_t)at;
}

void weft_home_request(struct weft_l2 *l, const struct weft_req *r, unsigned src, struct weft_l2_effects e)
{
  uint64_t line = weft_l2_line_of(l, r->address), set = weft_l2_set_of(l, line);
  struct weft_l2_event *out = e.out;
  int fetch = fetch_of(l, line);
  if (src == l->self)
    weft_release_wrote(l, r);
  if (fetch >= 0) {
    out->joined = 1;
    out->slot = (uint8_t)fetch;
    park(l, (unsigned)fetch, r, src, false);
    return;
  }
  int way = weft_lines_find(weft_l2_lines(l), set, line);
  if (way != WEFT_NO_WAY) {
    home_step(l, r, src, set, (unsigned)way, e);
    return;
  }
  fetch = (int)weft_lowest(~l->fetch_used);
  l->fetch_used |= weft_bit((unsigned)fetch);
  weft_l2_fetches(l)[fetch].line = line;
  park(l, (unsigned)fetch, r, src, true);
  out->allocated = 1;
  out->slot = (uint8_t)fetch;
  out->sent_mem = 1;
  out->out_mem.write = 0;
  out->out_mem.id = (uint8_t)fetch;
  out->out_mem.address = line;
}

/* ---------------------------------------------------------------- memory's answers */

const char *weft_home_refuses_memory(const struct weft_l2 *l, unsigned fetch)
{
  if (l->replay_full)
    return "l2: an answer of the memory while the replay register is full";
  if (fetch >= l->fetches || !(l->fetch_used & weft_bit(fetch)))
    return "l2: an answer of the memory for a fetch that is not in use";
  return NULL;
}

void weft_home_memory(struct weft_l2 *l, unsigned fetch, const uint8_t *data, struct weft_l2_event *out)
{
  uint64_t line = weft_l2_fetches(l)[fetch].line;
  l->replay_way = (uint8_t)weft_l2_install(l, line, data, out);
  l->replay_set = weft_l2_set_of(l, line);
  l->replay_fetch = (uint8_t)fetch;
  l->replay_full = 1;
}

const char *weft_home_refuses_replay(const struct weft_l2 *l)
{
  if (!l->replay_full)
    return "l2: a replay while the replay register is empty";
  if (weft_lease_ends(l->lease.mode)) {
    const struct weft_l2_parked *p = weft_l2_parked(l, weft_l2_fetches(l)[l->replay_fetch].first);
    struct weft_req r = {
      .kind = p->kind, .wide = p->wide, .era = p->era, .cts = p->cts, .address = p->address
    };
    return refuses_time(l, &r, p->src);
  }
  return forward_blocks(l) ? "l2: a home step with a full forward queue" : NULL;
}

static void finish_fetch(struct weft_l2 *l)
{
  unsigned fetch = l->replay_fetch;
  memset(&weft_l2_fetches(l)[fetch], 0, sizeof(struct weft_l2_fetch));
  l->fetch_used &= ~weft_bit(fetch);
  for (uint64_t used = l->marker_used; used; used &= used - 1)
    weft_l2_markers(l)[weft_lowest(used)].fetches &= ~(1U << fetch);
  l->replay_full = l->replay_fetch = l->replay_way = 0;
  l->replay_set = 0;
}

void weft_home_replay(struct weft_l2 *l, struct weft_l2_effects e)
{
  struct weft_l2_fetch *f = &weft_l2_fetches(l)[l->replay_fetch];
  unsigned at = f->first;
  bool last = at == f->last;
  struct weft_l2_parked *p = weft_l2_parked(l, at);
  struct weft_req *r = &e.out->req;
  e.out->index = l->replay_fetch;
  r->kind = p->kind;
  r->src = p->src;
  r->dst = (uint8_t)l->self;
  r->cu = p->cu;
  r->id = p->id;
  r->func = p->func;
  r->wide = p->wide;
  r->era = p->era;
  r->cts = p->cts;
  r->address = p->address;
  memcpy(r->mask, p->mask, sizeof r->mask);
  weft_copy_line(r->data, p->data, l->line);
  f->first = p->next;
  memset(p, 0, l->parked_stride);
  l->parked_used &= ~weft_bit(at);
  home_step(l, r, r->src, l->replay_set, l->replay_way, e);
  if (last)
    finish_fetch(l);
}

void weft_home_flush(struct weft_l2 *l, uint64_t set, unsigned way, struct weft_l2_event *out)
{
  struct weft_lines *lines = weft_l2_lines(l);
  uint64_t *tag = &weft_lines_tags(lines, set)[way];
  if ((*tag & (WEFT_TAG_VALID | WEFT_TAG_DIRTY)) != (WEFT_TAG_VALID | WEFT_TAG_DIRTY))
    return;
  out->hit = 1;
  if (weft_writeback_dirty(l, set, way)) {
    weft_writeback_flush(l, set, way, out);
    return;
  }
  *tag &= ~WEFT_TAG_DIRTY;
  out->sent_mem = 1;
  out->out_mem.write = 1;
  out->out_mem.id = 0;
  out->out_mem.address = *tag & ~WEFT_TAG_VALID;
  weft_copy_line(out->out_mem.data, weft_lines_data(lines, set, way), l->line);
}
