/* SPDX-License-Identifier: Apache-2.0 */
/* Remote lines under leases: copies that end by themselves, and requests that are on their way (T2 to T9). */
#include "l2_parts.h"
#include "lease_faults.h"
#include "messages.h"

static const struct weft_stamps *stamps(const struct weft_l2 *l, uint64_t line, unsigned way)
{
  return weft_lines_stamps(weft_l2_lines(l), weft_l2_set_of(l, line), way);
}

/* The time that a request is served by: the bank's, or its sender's if that is later (causal). */
static uint16_t time_of(const struct weft_l2 *l, const struct weft_req *r)
{
  if (l->fault == WEFT_FAULT_LEASE_BANK_CLOCK_ALONE)
    return l->lease.clock;
  return weft_later(l->lease.clock, weft_lease_heard(&l->lease, r->cts, r->era));
}

/* The miss that a load may join, or -1: what answers it was asked for no earlier than now (T4). */
static int joins(const struct weft_l2 *l, uint64_t line, uint16_t now)
{
  for (uint64_t open = l->miss_open & ~l->miss_store; open; open &= open - 1) {
    const struct weft_l2_miss *miss = &weft_l2_misses(l)[weft_lowest(open)];
    if (miss->line == line && (now <= miss->clock || l->fault == WEFT_FAULT_LEASE_L2_JOINS_ANY))
      return (int)weft_lowest(open);
  }
  return -1;
}

/* ---------------------------------------------------------------- the node's own requests */

const char *weft_leased_refuses_cu(const struct weft_l2 *l, const struct weft_req *r)
{
  uint64_t line = weft_l2_line_of(l, r->address);
  uint16_t now = time_of(l, r);
  bool room = l->waiter_used != weft_ones(l->waiters), shared = r->kind == WEFT_REQ_KIND_READ && !r->wide;
  int way = weft_l2_find(l, line);
  if (r->kind == WEFT_REQ_KIND_ATOMIC)
    return NULL;
  if (shared && way != WEFT_NO_WAY && now <= stamps(l, line, (unsigned)way)->rts)
    return NULL;
  if (shared && joins(l, line, now) >= 0)
    return room ? NULL : "l2: a join with all waiters in use";
  if (l->miss_used == weft_ones(l->misses))
    return "l2: an allocation with all misses in use";
  return room ? NULL : "l2: an allocation with all waiters in use";
}

static void send(const struct weft_l2 *l, const struct weft_l2_event *in, unsigned id, uint64_t address,
                 struct weft_l2_event *out)
{
  weft_remote_send(l, in, id, address, out);
  out->out_req.cts = weft_lease_says(&l->lease, time_of(l, &in->req));
  out->out_req.era = l->lease.era;
}

/* open: its answer is installed; shared: loads may join. */
static unsigned allocate(struct weft_l2 *l, const struct weft_l2_event *in, uint64_t line, bool open,
                         bool shared, struct weft_l2_event *out)
{
  unsigned miss = weft_lowest(~l->miss_used);
  l->miss_used |= weft_bit(miss);
  if (open)
    l->miss_open |= weft_bit(miss);
  if (!shared)
    l->miss_store |= weft_bit(miss);
  weft_l2_misses(l)[miss] = (struct weft_l2_miss){ .line = line, .clock = time_of(l, &in->req) };
  out->allocated = 1;
  send(l, in, miss, line, out);
  return miss;
}

/* The copy has run out; perhaps nobody has written the line. What the copy has is kept beside the stores' bytes, so that it may go. */
static void renew(struct weft_l2 *l, unsigned miss, uint64_t line, uint16_t now, struct weft_l2_event *out)
{
  struct weft_l2_store *store = weft_l2_store(l, miss);
  l->miss_renews |= weft_bit(miss);
  weft_mask_fill(store->mask, l->line);
  weft_copy_line(store->data, weft_lines_data(weft_l2_lines(l), weft_l2_set_of(l, line), out->way), l->line);
  out->out_req.func = 1;
  out->out_req.cts = now;
  out->out_req.mask[0] = stamps(l, line, out->way)->wts;
  out->out_req.mask[1] = 0;
}

static void read(struct weft_l2 *l, const struct weft_l2_event *in, uint64_t line, struct weft_l2_event *out)
{
  const struct weft_req *r = &in->req;
  if (out->hit && !r->wide) {
    const struct weft_stamps *s = stamps(l, line, out->way);
    weft_remote_hit(l, r, line, out);
    out->out_l1.wts = s->wts;
    out->out_l1.rts = s->rts;
    return;
  }
  int miss = r->wide ? -1 : joins(l, line, time_of(l, r));
  out->joined = miss >= 0;
  if (miss < 0) {
    miss = (int)allocate(l, in, line, !r->wide, !r->wide, out);
    if (out->expired && !r->wide && l->lease.renews)
      renew(l, (unsigned)miss, line, time_of(l, r), out);
  }
  weft_remote_wait(l, (unsigned)miss, r, out);
}

/* Forwarded without a lock; the copy stays as it is, and the bytes are kept until the answer (T3). */
static void write(struct weft_l2 *l, const struct weft_l2_event *in, uint64_t line, struct weft_l2_event *out)
{
  const struct weft_req *r = &in->req;
  unsigned miss = allocate(l, in, line, true, false, out);
  if (out->hit && l->fault == WEFT_FAULT_LEASE_L2_WRITES_EARLY)
    weft_merge(weft_lines_data(weft_l2_lines(l), weft_l2_set_of(l, line), out->way), r->data, r->mask,
               l->line);
  memcpy(weft_l2_store(l, miss)->mask, r->mask, sizeof r->mask);
  weft_copy_line(weft_l2_store(l, miss)->data, r->data, l->line);
  weft_remote_wait(l, miss, r, out);
}

/* Its answer moves the clock past the copy's lease; where none ends, the copy goes, and what is on its way of the line is not
 * installed. */
static void atomic(struct weft_l2 *l, const struct weft_l2_event *in, uint64_t line, int way,
                   struct weft_l2_event *out)
{
  if (l->lease.mode == WEFT_LEASE_ENDLESS) {
    weft_remote_close(l, line);
    if (way != WEFT_NO_WAY)
      weft_lines_tags(weft_l2_lines(l), weft_l2_set_of(l, line))[way] = 0;
  }
  send(l, in, in->req.id, in->req.address, out);
}

void weft_leased_cu(struct weft_l2 *l, const struct weft_l2_event *in, struct weft_l2_event *out)
{
  const struct weft_req *r = &in->req;
  uint64_t line = weft_l2_line_of(l, r->address);
  int way = weft_l2_find(l, line);
  if (way != WEFT_NO_WAY) {
    out->hit = time_of(l, r) <= stamps(l, line, (unsigned)way)->rts;
    out->expired = !out->hit;
    out->way = (uint8_t)way;
  }
  if (r->kind == WEFT_REQ_KIND_READ)
    read(l, in, line, out);
  else if (r->kind == WEFT_REQ_KIND_WRITE)
    write(l, in, line, out);
  else
    atomic(l, in, line, way, out);
}

/* ---------------------------------------------------------------- what comes from the home */

/* Whoever waits for the miss is answered with these. */
static void fill(struct weft_l2 *l, const struct weft_rsp *r, bool read, bool installs,
                 struct weft_l2_event *out)
{
  const struct weft_stamps came = { .wts = r->wts, .rts = r->rts };
  const struct weft_stamps kept = weft_lease_kept(&l->lease, l->fault, came);
  uint64_t line = weft_l2_misses(l)[r->id].line;
  if (out->installed)
    *weft_lines_stamps(weft_l2_lines(l), weft_l2_set_of(l, line), out->way) = kept;
  weft_lease_hears(&l->lease, l->fault, read, out->installed, came);
  l->miss_open &= ~weft_bit(r->id);
  l->miss_store &= ~weft_bit(r->id);
  l->miss_renews &= ~weft_bit(r->id);
  l->fill_full = 1;
  l->fill_miss = r->id;
  l->fill_install = installs;
  l->fill_stamps = kept;
}

void weft_leased_line(struct weft_l2 *l, const struct weft_rsp *r, struct weft_l2_event *out)
{
  uint8_t *data = weft_at(l, l->fill_at);
  weft_copy_line(data, r->data, l->line);
  if (l->miss_open & weft_bit(r->id)) /* loads that go home are not installed */
    weft_l2_install(l, weft_l2_misses(l)[r->id].line, data, out);
  if (l->miss_renews & weft_bit(r->id))
    memset(weft_l2_store(l, r->id), 0, l->store_stride);
  fill(l, r, true, true, out); /* the L1's own miss says whether it may install it */
}

const char *weft_leased_refuses_wrote(const struct weft_l2 *l, const struct weft_rsp *r)
{
  const char *error = weft_remote_refuses_line(l, r);
  if (error)
    return error;
  return l->lease.mode && ((l->miss_store | l->miss_renews) & weft_bit(r->id))
           ? NULL
           : "l2: stamps alone for a miss that is neither a store's nor renews a copy";
}

/* The copy is what the store found at the home: nobody has written the line in between (point e of docs/protocol.md). */
static bool found_same(const struct weft_l2 *l, uint64_t line, int way, uint16_t was)
{
  return way != WEFT_NO_WAY && (stamps(l, line, (unsigned)way)->wts == was ||
                                weft_lease_has(l->fault, WEFT_FAULT_LEASE_L2_KEEPS_BLOCK));
}

/* The line as memory has it now is known, and kept here and in the L1, if the store was of all of it, or if the copy is what the store found.
 * Of a load that renews it is known too. */
void weft_leased_wrote(struct weft_l2 *l, const struct weft_rsp *r, struct weft_l2_event *out)
{
  uint64_t line = weft_l2_misses(l)[r->id].line;
  struct weft_l2_store *store = weft_l2_store(l, r->id);
  int way = weft_l2_find(l, line);
  bool full = weft_mask_full(store->mask, l->line), open = l->miss_open & weft_bit(r->id);
  bool renews = l->miss_renews & weft_bit(r->id);
  bool same = !full && found_same(l, line, way, r->stamp);
  uint8_t *data = weft_at(l, l->fill_at);
  weft_copy_line(data, store->data, l->line);
  if (open && same) {
    weft_copy_line(data, weft_lines_data(weft_l2_lines(l), weft_l2_set_of(l, line), (unsigned)way), l->line);
    weft_merge(data, store->data, store->mask, l->line);
  }
  if (open && (same || full))
    weft_l2_install(l, line, data, out);
  fill(l, r, renews, renews || out->installed, out);
  memset(store, 0, l->store_stride);
}

/* ---------------------------------------------------------------- the end of all leases */

static void drop_copies(struct weft_l2 *l)
{
  struct weft_lines *lines = weft_l2_lines(l);
  for (uint64_t i = 0; i < (uint64_t)lines->sets * lines->ways; i++)
    if (weft_home_of(lines->tags[i]) != l->self)
      lines->tags[i] = 0;
}

/* An acquire of scope sys comes here before the L1 acquires (T6). */
void weft_leased_acquire(struct weft_l2 *l, const struct weft_req *r, struct weft_l2_event *out)
{
  if (l->lease.mode == WEFT_LEASE_CAUSAL) {
    weft_lease_outlive(&l->lease);
  } else {
    drop_copies(l);
    if (l->fault != WEFT_FAULT_LEASE_L2_ACQUIRE_KEEPS_FILLS)
      l->miss_open = 0;
  }
  weft_l2_to_l1(out, WEFT_RSP_KIND_FENCE, r->cu, r->id);
}

/* What is outstanding stays, and is answered by the new time (T10). */
void weft_leased_rebase(struct weft_l2 *l)
{
  drop_copies(l);
  for (uint64_t used = l->miss_used; used; used &= used - 1)
    weft_l2_misses(l)[weft_lowest(used)].clock = 0;
  weft_lease_rebase(&l->lease);
  weft_tsu_rebase(weft_l2_tsu(l));
}
