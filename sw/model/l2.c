/* SPDX-License-Identifier: Apache-2.0 */
/* The bank's block, and the choice of the part that an event belongs to. */
#include "l2.h"

#include "l2_parts.h"
#include "lease_faults.h"
#include "messages.h"

static size_t layout(struct weft_l2 *l, const struct weft_config *c, unsigned protocol)
{
  size_t at = sizeof *l;
  l->parked_stride = (uint32_t)(sizeof(struct weft_l2_parked) + c->line);
  l->miss_at = weft_layout_take(&at, c->l2_misses * sizeof(struct weft_l2_miss));
  l->store_stride = (uint32_t)(sizeof(struct weft_l2_store) + c->line);
  l->store_at = weft_layout_take(&at, weft_lease_mode(protocol) ? c->l2_misses * l->store_stride : 0);
  l->waiter_at = weft_layout_take(&at, c->l2_waiters * sizeof(struct weft_l2_waiter));
  l->fetch_at = weft_layout_take(&at, c->home_fetches * sizeof(struct weft_l2_fetch));
  l->parked_at = weft_layout_take(&at, c->home_waiters * l->parked_stride);
  l->release_at = weft_layout_take(&at, c->l2_releases * sizeof(struct weft_l2_release));
  l->marker_at = weft_layout_take(&at, c->home_markers * sizeof(struct weft_l2_marker));
  l->fill_at = weft_layout_take(&at, c->line);
  l->fault_at = weft_layout_take(&at, 2 * sizeof(uint64_t) + c->line);
  l->directory_at = weft_layout_take(&at, weft_directory_size(c, protocol));
  l->forward_at = weft_layout_take(&at, weft_forward_size(c, protocol));
  l->tsu_at = weft_layout_take(&at, weft_lease_ends(weft_lease_mode(protocol)) ? weft_tsu_size(c) : 0);
  l->lines_at = weft_layout_take(&at, weft_lines_size(c->l2_sets, c->l2_ways, c->line));
  bool back = weft_protocol_rows[protocol].writeback;
  l->dirty_at = weft_layout_take(&at, back ? c->l2_sets * c->l2_ways * 2 * sizeof(uint64_t) : 0);
  l->held_at = weft_layout_take(&at, back ? sizeof(struct weft_req) : 0);
  return weft_layout_take(&at, 0);
}

size_t weft_l2_size(const struct weft_config *c, unsigned protocol)
{
  struct weft_l2 shape;
  return layout(&shape, c, protocol);
}

void weft_l2_reset(struct weft_l2 *l, const struct weft_config *c, uint8_t protocol, unsigned self,
                   unsigned bank)
{
  memset(l, 0, weft_l2_size(c, protocol));
  l->size = (uint32_t)layout(l, c, protocol);
  l->self = self;
  l->bank = bank;
  l->protocol = protocol;
  l->nodes = (uint32_t)c->nodes;
  l->line = (uint32_t)c->line;
  l->line_shift = weft_log2(c->line);
  l->bank_shift = weft_log2(c->l2_banks);
  l->misses = (uint32_t)c->l2_misses;
  l->waiters = (uint32_t)c->l2_waiters;
  l->fetches = (uint32_t)c->home_fetches;
  l->parked = (uint32_t)c->home_waiters;
  l->releases = (uint32_t)c->l2_releases;
  l->markers = (uint32_t)c->home_markers;
  weft_lines_reset(weft_l2_lines(l), c->l2_sets, c->l2_ways, c->line);
  if (weft_l2_tracks(l))
    weft_directory_reset(weft_l2_directory(l), c, protocol, self);
  weft_forward_reset(weft_l2_forward(l), c, protocol, self, bank);
  l->lease.mode = weft_lease_mode(protocol);
  l->lease.renews = weft_protocol_rows[protocol].renews;
  if (weft_lease_ends(l->lease.mode))
    weft_tsu_reset(weft_l2_tsu(l), c, self);
  l->leases =
    (struct weft_lease_settings){ .read = (uint16_t)c->lease_read, .write = (uint16_t)c->lease_write };
}

void weft_l2_set_leases(struct weft_l2 *l, const struct weft_lease_settings *leases)
{
  l->leases = *leases;
}

void weft_l2_set_fault(struct weft_l2 *l, unsigned fault)
{
  l->fault = fault;
  if (weft_l2_tracks(l))
    weft_l2_directory(l)->fault = fault;
  if (weft_lease_ends(l->lease.mode))
    weft_tsu_set_fault(weft_l2_tsu(l), fault);
  weft_l2_forward(l)->fault = fault;
}

bool weft_l2_idle(const struct weft_l2 *l)
{
  return (l->miss_used | l->fetch_used | l->release_used | l->marker_used | l->half_full | l->block_next |
          l->held_full) == 0 &&
         weft_l2_forward(l)->count == 0;
}

bool weft_l2_pop_forward(struct weft_l2 *l, struct weft_fwd *out)
{
  return weft_forward_pop(weft_l2_forward(l), out);
}

/* ---------------------------------------------------------------- shared by the parts */

int weft_l2_place(const struct weft_l2 *l, uint64_t line)
{
  struct weft_lines *lines = weft_l2_lines(l);
  uint64_t set = weft_l2_set_of(l, line);
  int excluded = l->replay_full && l->replay_set == set ? l->replay_way : WEFT_NO_WAY;
  int there = l->lease.mode ? weft_lines_find(lines, set, line) : WEFT_NO_WAY; /* and is replaced */
  if (there != WEFT_NO_WAY)
    return there;
  unsigned way = weft_lines_victim(lines, set, excluded);
  return l->held_full && weft_writeback_dirty(l, set, way) ? weft_writeback_clean_way(l, set, excluded)
                                                           : (int)way;
}

unsigned weft_l2_install(struct weft_l2 *l, uint64_t line, const uint8_t *data, struct weft_l2_event *out)
{
  struct weft_lines *lines = weft_l2_lines(l);
  uint64_t set = weft_l2_set_of(l, line);
  unsigned way = (unsigned)weft_l2_place(l, line);
  uint64_t *tag = &weft_lines_tags(lines, set)[way];
  uint8_t *bytes = weft_lines_data(lines, set, way);
  if (weft_writeback_dirty(l, set, way)) {
    weft_writeback_victim(l, set, way, out);
  } else if (*tag & WEFT_TAG_DIRTY && l->fault != WEFT_FAULT_L2_VICTIM_NOT_WRITTEN) {
    out->victim_dirty = 1;
    out->sent_mem = 1;
    out->out_mem.write = 1;
    out->out_mem.id = 0;
    out->out_mem.address = *tag & ~(WEFT_TAG_VALID | WEFT_TAG_DIRTY);
    weft_copy_line(out->out_mem.data, bytes, l->line);
  }
  *tag = line | WEFT_TAG_VALID;
  weft_copy_line(bytes, data, l->line);
  weft_lines_touch(lines, set, way);
  out->installed = 1;
  out->way = (uint8_t)way;
  return way;
}

void weft_l2_to_l1(struct weft_l2_event *out, uint8_t kind, uint8_t cu, uint8_t id)
{
  out->sent_l1 = 1;
  out->out_l1.kind = kind;
  out->out_l1.cu = cu;
  out->out_l1.id = id;
  out->out_l1.install = 0;
  out->out_l1.wts = out->out_l1.rts = 0;
}

void weft_l2_respond(const struct weft_l2 *l, struct weft_l2_event *out, uint8_t kind, unsigned dst)
{
  struct weft_rsp *m = &out->out_rsp;
  out->sent_rsp = 1;
  m->kind = kind;
  m->src = (uint8_t)l->self;
  m->dst = (uint8_t)dst;
  m->bank = (uint8_t)l->bank;
  m->cu = m->id = m->count = m->seen = m->wide = 0;
  m->stamp = m->wts = m->rts = 0;
}

/* ---------------------------------------------------------------- what may happen */

static bool local(const struct weft_l2 *l, uint64_t address)
{
  return weft_home_of(address) == l->self;
}

static const char *refuses_cu(const struct weft_l2 *l, const struct weft_l2_event *in)
{
  const struct weft_req *r = &in->req;
  if (l->replay_full)
    return "l2: a request of a CU while the replay register is full";
  if (weft_l2_bank_of(l, r->address) != l->bank)
    return "l2: a request for another bank";
  if (r->kind == WEFT_REQ_KIND_FENCE)
    return l->lease.mode ? NULL : weft_release_refuses_fence(l, in->scope);
  if (r->kind > WEFT_REQ_KIND_ATOMIC || weft_home_of(r->address) >= l->nodes)
    return "l2: a request of unknown kind or for a home that does not exist";
  if (local(l, r->address))
    return weft_home_refuses_request(l, r, l->self);
  if (l->held_full)
    return "l2: a request of a CU to another home while one waits to leave";
  return l->lease.mode ? weft_leased_refuses_cu(l, r) : weft_remote_refuses_cu(l, r);
}

static const char *refuses_request(const struct weft_l2 *l, const struct weft_req *r)
{
  if (l->replay_full)
    return "l2: a request while the replay register is full";
  if (r->src >= l->nodes || r->src == l->self)
    return "l2: a request from this node itself or from one that does not exist";
  if (!local(l, r->address) || weft_l2_bank_of(l, r->address) != l->bank)
    return "l2: a request for another home or another bank";
  if (r->kind == WEFT_REQ_KIND_MARKER)
    return weft_marker_refuses_request(l, r->src, r->id);
  return r->kind > WEFT_REQ_KIND_ATOMIC ? "l2: a request of unknown kind"
                                        : weft_home_refuses_request(l, r, r->src);
}

static const char *refuses_forward(const struct weft_l2 *l, const struct weft_l2_event *in)
{
  const struct weft_fwd *f = &in->fwd;
  if (f->src >= l->nodes || f->src == l->self)
    return "l2: a forward from this node itself or from one that does not exist";
  if (in->kind == WEFT_L2_EVENT_KIND_SEEN)
    return weft_marker_refuses_seen(l, f);
  if (l->half_full)
    return "l2: a forward before the second half of the mark before it";
  bool next = in->index == l->block_next && (!l->block_next || f->src == l->block_home);
  if (in->kind == WEFT_L2_EVENT_KIND_INV ? !next : l->block_next)
    return "l2: a forward before the other lines of the block before it";
  if (f->kind != (in->kind == WEFT_L2_EVENT_KIND_INV ? WEFT_FWD_KIND_INV : WEFT_FWD_KIND_MARK))
    return "l2: the forward is not of the event's kind";
  if (in->kind == WEFT_L2_EVENT_KIND_MARK)
    return weft_marker_refuses_mark(l, f);
  if (weft_home_of(f->address) != f->src || weft_l2_bank_of(l, f->address) != l->bank)
    return "l2: an INV from a node that is not the home, or for another bank";
  return NULL;
}

static const char *refuses_response(const struct weft_l2 *l, const struct weft_rsp *r)
{
  if (r->src >= l->nodes || r->src == l->self)
    return "l2: a response from this node itself or from one that does not exist";
  switch (r->kind) {
  case WEFT_RSP_KIND_LINE:
    return weft_remote_refuses_line(l, r);
  case WEFT_RSP_KIND_WROTE:
    return weft_leased_refuses_wrote(l, r);
  case WEFT_RSP_KIND_ACK:
    return weft_release_refuses_ack(l, r->id, r->count);
  case WEFT_RSP_KIND_ATOMIC:
  case WEFT_RSP_KIND_SEEN:
    return NULL;
  default:
    return "l2: a response of unknown kind";
  }
}

static const char *refuses_flush(const struct weft_l2 *l, const struct weft_l2_event *in)
{
  const struct weft_lines *lines = weft_l2_lines(l);
  return in->req.address >= lines->sets || in->way >= lines->ways ? "l2: flush of a way that does not exist"
                                                                  : NULL;
}

const char *weft_l2_refuses(const struct weft_l2 *l, const struct weft_l2_event *in)
{
  switch (in->kind) {
  case WEFT_L2_EVENT_KIND_CU:
    return refuses_cu(l, in);
  case WEFT_L2_EVENT_KIND_REQUEST:
    return refuses_request(l, &in->req);
  case WEFT_L2_EVENT_KIND_INV:
  case WEFT_L2_EVENT_KIND_MARK:
  case WEFT_L2_EVENT_KIND_SEEN:
    return refuses_forward(l, in);
  case WEFT_L2_EVENT_KIND_RESPONSE:
    return refuses_response(l, &in->rsp);
  case WEFT_L2_EVENT_KIND_MEMORY:
    return weft_home_refuses_memory(l, in->index);
  case WEFT_L2_EVENT_KIND_REPLAY:
    return weft_home_refuses_replay(l);
  case WEFT_L2_EVENT_KIND_ANSWER:
    return l->fill_full ? NULL : "l2: an answer while the fill register is empty";
  case WEFT_L2_EVENT_KIND_MARKER_SEND:
    return l->replay_full ? "l2: marker_send while the replay register is full"
                          : weft_release_refuses_send(l);
  case WEFT_L2_EVENT_KIND_MARKER_GO:
    return l->replay_full ? "l2: marker_go while the replay register is full" : weft_marker_refuses_go(l);
  case WEFT_L2_EVENT_KIND_FLUSH:
    return refuses_flush(l, in);
  case WEFT_L2_EVENT_KIND_REBASE:
    return weft_lease_ends(l->lease.mode) ? NULL : "l2: a rebase without leases";
  default:
    return "l2: unknown event";
  }
}

/* ---------------------------------------------------------------- the step */

static void cu(struct weft_l2 *l, const struct weft_l2_event *in, struct weft_l2_effects e)
{
  if (in->req.kind == WEFT_REQ_KIND_FENCE && l->lease.mode)
    weft_leased_acquire(l, &in->req, e.out);
  else if (in->req.kind == WEFT_REQ_KIND_FENCE)
    weft_release_fence(l, &in->req, in->scope, e.out);
  else if (local(l, in->req.address))
    weft_home_request(l, &in->req, l->self, e);
  else if (l->lease.mode)
    weft_leased_cu(l, in, e.out);
  else
    weft_remote_cu(l, in, e.out);
}

static void response(struct weft_l2 *l, const struct weft_rsp *r, struct weft_l2_event *out)
{
  if (r->kind == WEFT_RSP_KIND_LINE && l->lease.mode) {
    weft_leased_line(l, r, out);
  } else if (r->kind == WEFT_RSP_KIND_WROTE) {
    weft_leased_wrote(l, r, out);
  } else if (r->kind == WEFT_RSP_KIND_LINE) {
    weft_remote_line(l, r, out);
  } else if (r->kind == WEFT_RSP_KIND_ATOMIC) {
    weft_l2_to_l1(out, WEFT_RSP_KIND_ATOMIC, r->cu, r->id);
    out->out_l1.wts = r->wts;
    out->out_l1.rts = r->rts;
    if (l->lease.mode)
      weft_lease_hears(&l->lease, l->fault, false, false,
                       (struct weft_stamps){ .wts = r->wts, .rts = r->rts });
    weft_copy_line(out->out_l1.data, r->data, l->line);
  } else {
    if (r->kind == WEFT_RSP_KIND_SEEN || r->seen)
      weft_forward_seen(weft_l2_forward(l), r->src, r->stamp);
    if (r->kind == WEFT_RSP_KIND_ACK)
      weft_release_ack(l, r->id, r->count, out);
  }
}

static void clear(struct weft_l2_event *out)
{
  out->hit = out->expired = out->way = out->victim_dirty = out->slot = 0;
  out->allocated = out->joined = out->closed = out->installed = 0;
  out->sent_req = out->sent_rsp = out->sent_l1 = out->sent_mem = out->sent_fwd = 0;
}

const char *weft_l2_step(struct weft_l2 *l, const struct weft_l2_event *in, struct weft_l2_event *out,
                         struct weft_dir_event *dir)
{
  const char *error = weft_l2_refuses(l, in);
  if (error)
    return error;
  out->kind = in->kind;
  out->index = in->index;
  clear(out);
  dir->valid = dir->tsu.valid = 0;
  struct weft_l2_effects e = { .out = out, .dir = dir };
  switch (in->kind) {
  case WEFT_L2_EVENT_KIND_CU:
    cu(l, in, e);
    break;
  case WEFT_L2_EVENT_KIND_REQUEST:
    if (in->req.kind == WEFT_REQ_KIND_MARKER)
      weft_marker_request(l, in->req.src, in->req.id, out);
    else
      weft_home_request(l, &in->req, in->req.src, e);
    break;
  case WEFT_L2_EVENT_KIND_INV:
    weft_remote_inv(l, &in->fwd, out);
    break;
  case WEFT_L2_EVENT_KIND_MARK:
    weft_marker_mark(l, &in->fwd, out);
    break;
  case WEFT_L2_EVENT_KIND_SEEN:
    weft_marker_seen(l, &in->fwd, out);
    break;
  case WEFT_L2_EVENT_KIND_RESPONSE:
    response(l, &in->rsp, out);
    break;
  case WEFT_L2_EVENT_KIND_MEMORY:
    weft_home_memory(l, in->index, in->rsp.data, out);
    break;
  case WEFT_L2_EVENT_KIND_REPLAY:
    weft_home_replay(l, e);
    break;
  case WEFT_L2_EVENT_KIND_ANSWER:
    weft_remote_answer(l, out);
    break;
  case WEFT_L2_EVENT_KIND_MARKER_SEND:
    weft_release_send(l, out);
    break;
  case WEFT_L2_EVENT_KIND_REBASE:
    weft_leased_rebase(l);
    break;
  case WEFT_L2_EVENT_KIND_MARKER_GO:
    weft_marker_go(l, out);
    break;
  default:
    weft_home_flush(l, in->req.address, in->way, out);
    break;
  }
  out->out_l1.bank = (uint8_t)l->bank;
  out->clock = l->lease.clock;
  return NULL;
}
