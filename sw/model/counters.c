/* SPDX-License-Identifier: Apache-2.0 */
#include "counters.h"

#include "messages.h"

/* ---------------------------------------------------------------- L1 */

static void count_op(uint64_t *v, const struct weft_cu_req *r, const struct weft_l1_event *out)
{
  static const uint8_t by_op[] = { WEFT_CU_COUNTER_L1_LOADS, WEFT_CU_COUNTER_L1_STORES,
                                   WEFT_CU_COUNTER_L1_ATOMICS, WEFT_CU_COUNTER_L1_FENCES };
  if (out->answered && out->done.error) {
    v[WEFT_CU_COUNTER_L1_ERRORS]++;
    return;
  }
  v[by_op[r->op]]++;
  if (r->op != WEFT_CU_OP_LOAD || (r->order != WEFT_ORDER_WEAK && r->scope != WEFT_SCOPE_CTA))
    return;
  v[WEFT_CU_COUNTER_L1_HITS] += out->hit;
  v[WEFT_CU_COUNTER_L1_LEASE_MISSES] += out->expired;
  v[WEFT_CU_COUNTER_L1_MISSES] += out->allocated;
  v[WEFT_CU_COUNTER_L1_JOINS] += out->joined;
}

void weft_count_l1(uint64_t *v, const struct weft_l1_event *in, const struct weft_l1_event *out)
{
  v[WEFT_CU_COUNTER_L1_REQUESTS] += out->sent;
  if (in->kind == WEFT_L1_EVENT_KIND_OP) {
    count_op(v, &in->cu, out);
  } else if (in->kind == WEFT_L1_EVENT_KIND_RESPONSE && in->rsp.kind == WEFT_RSP_KIND_LINE) {
    v[out->installed ? WEFT_CU_COUNTER_L1_INSTALLS : WEFT_CU_COUNTER_L1_CLOSED]++;
    v[WEFT_CU_COUNTER_L1_EXPIRED] += out->installed && in->rsp.rts < out->clock;
  } else if (in->kind == WEFT_L1_EVENT_KIND_FENCE_DONE) {
    bool acquire = out->cu.order == WEFT_ORDER_ACQUIRE || out->cu.order == WEFT_ORDER_ACQ_REL;
    v[WEFT_CU_COUNTER_L1_DROPS] += acquire && out->cu.scope != WEFT_SCOPE_CTA;
  }
}

/* ---------------------------------------------------------------- L2, home, directory, memory */

static void count_home(uint64_t *v, const struct weft_l2_event *out, bool by_self, bool replay)
{
  if (out->hit) {
    v[by_self ? WEFT_COUNTER_HOME_LOCAL : WEFT_COUNTER_HOME_REMOTE]++;
    v[WEFT_COUNTER_HOME_HITS] += !replay;
  }
  v[WEFT_COUNTER_HOME_FETCHES] += out->allocated;
  v[WEFT_COUNTER_HOME_JOINS] += out->joined;
}

static void count_cu(uint64_t *v, const struct weft_l2_event *in, const struct weft_l2_event *out,
                     unsigned self)
{
  static const uint8_t by_kind[] = { WEFT_COUNTER_L2_READS, WEFT_COUNTER_L2_WRITES, WEFT_COUNTER_L2_ATOMICS,
                                     WEFT_COUNTER_L2_FENCES };
  v[by_kind[in->req.kind]]++;
  if (in->req.kind == WEFT_REQ_KIND_FENCE) {
    v[WEFT_COUNTER_RELEASE_STARTED] += out->allocated;
  } else if (weft_home_of(in->req.address) == self) {
    count_home(v, out, true, false);
  } else if (in->req.kind == WEFT_REQ_KIND_READ) {
    /* A wide read goes to its home whether there is a copy or not. */
    v[WEFT_COUNTER_L2_HITS] += out->hit && !out->allocated && !out->joined;
    v[WEFT_COUNTER_L2_LEASE_MISSES] += out->expired;
    v[WEFT_COUNTER_L2_MISSES] += out->allocated;
    v[WEFT_COUNTER_L2_JOINS] += out->joined;
  }
}

/* A marker step: a marker that was asked for, or parked before, and was not parked now. Those that it skipped
 * are acknowledged at once, here if no message says so. */
static void count_marker(uint64_t *v, const struct weft_l2_event *out, unsigned nodes)
{
  unsigned marks = out->sent_fwd ? (unsigned)__builtin_popcount(out->out_fwd.nodes) : 0;
  unsigned skips = nodes - 1U - marks;
  v[WEFT_COUNTER_HOME_MARKERS]++;
  v[WEFT_COUNTER_HOME_MARKS] += marks;
  v[WEFT_COUNTER_HOME_SKIPS] += skips;
  if (!out->sent_rsp)
    v[WEFT_COUNTER_RELEASE_ACKS] += skips;
}

static void count_directory(uint64_t *v, const struct weft_dir_event *dir)
{
  v[WEFT_COUNTER_DIRECTORY_LOOKUPS]++;
  v[WEFT_COUNTER_DIRECTORY_HITS] += dir->hit;
  v[WEFT_COUNTER_DIRECTORY_ALLOCATIONS] += dir->allocated;
  v[WEFT_COUNTER_DIRECTORY_EVICTIONS] += dir->evicted;
  v[dir->cause == WEFT_CAUSE_EVICT ? WEFT_COUNTER_DIRECTORY_INV_EVICT : WEFT_COUNTER_DIRECTORY_INV_WRITE] +=
    dir->invs;
  if (!dir->evicted)
    return;
  v[WEFT_COUNTER_DIRECTORY_EVICTED_LINES] += dir->lines;
  v[WEFT_COUNTER_DIRECTORY_EVICTED_1 + weft_log2_up(dir->lines)]++;
}

static void count_tsu(uint64_t *v, const struct weft_tsu_event *tsu)
{
  v[WEFT_COUNTER_TSU_LOOKUPS]++;
  v[WEFT_COUNTER_TSU_HITS] += tsu->hit;
  v[WEFT_COUNTER_TSU_MISSES] += tsu->allocated;
  v[WEFT_COUNTER_TSU_EVICTIONS] += tsu->evicted;
  v[WEFT_COUNTER_TSU_REENTRIES] += tsu->reentered;
}

static void count_response(uint64_t *v, const struct weft_rsp *r, const struct weft_l2_event *out)
{
  if (weft_rsp_fills(r->kind)) {
    v[out->installed ? WEFT_COUNTER_L2_INSTALLS : WEFT_COUNTER_L2_CLOSED]++;
    v[WEFT_COUNTER_L2_EXPIRED] += out->installed && r->rts < out->clock;
  } else if (r->kind == WEFT_RSP_KIND_ACK) {
    v[WEFT_COUNTER_RELEASE_ACKS] += r->count;
  }
}

static void count_inv(uint64_t *v, const struct weft_fwd *f, const struct weft_l2_event *out)
{
  if (!out->hit)
    v[WEFT_COUNTER_L2_INV_MISS]++;
  else
    v[f->cause == WEFT_CAUSE_WRITE ? WEFT_COUNTER_L2_INV_HIT_WRITE : WEFT_COUNTER_L2_INV_HIT_EVICT]++;
}

void weft_count_l2(uint64_t *v, const struct weft_l2_event *in, const struct weft_l2_event *out,
                   const struct weft_dir_event *dir, unsigned self, unsigned nodes)
{
  if (out->sent_mem)
    v[out->out_mem.write ? WEFT_COUNTER_MEMORY_WRITES : WEFT_COUNTER_MEMORY_READS]++;
  v[WEFT_COUNTER_L2_WRITEBACKS] += out->victim_dirty;
  if (out->sent_req)
    v[WEFT_COUNTER_L2_STAMP_BYTES] +=
      4U * (weft_req_has_time(&out->out_req) + weft_req_renews(&out->out_req));
  if (out->sent_rsp && weft_rsp_answers(out->out_rsp.kind) && (out->out_rsp.wts | out->out_rsp.rts))
    v[WEFT_COUNTER_L2_STAMP_BYTES] +=
      out->out_rsp.kind == WEFT_RSP_KIND_WROTE && !out->out_rsp.wide ? 8U : 4U;
  if (dir->tsu.valid)
    count_tsu(v, &dir->tsu);
  else if (dir->valid)
    count_directory(v, dir);
  switch (in->kind) {
  case WEFT_L2_EVENT_KIND_CU:
    count_cu(v, in, out, self);
    break;
  case WEFT_L2_EVENT_KIND_REQUEST:
    if (in->req.kind != WEFT_REQ_KIND_MARKER)
      count_home(v, out, false, false);
    else if (!out->allocated)
      count_marker(v, out, nodes);
    break;
  case WEFT_L2_EVENT_KIND_REPLAY:
    count_home(v, out, out->req.src == self, true);
    break;
  case WEFT_L2_EVENT_KIND_MARKER_SEND:
    if (!out->sent_req && !out->allocated)
      count_marker(v, out, nodes);
    break;
  case WEFT_L2_EVENT_KIND_MARKER_GO:
    count_marker(v, out, nodes);
    break;
  case WEFT_L2_EVENT_KIND_MARK:
    v[WEFT_COUNTER_RELEASE_ACKS] += !out->sent_rsp;
    break;
  case WEFT_L2_EVENT_KIND_RESPONSE:
    count_response(v, &in->rsp, out);
    break;
  case WEFT_L2_EVENT_KIND_INV:
    count_inv(v, &in->fwd, out);
    break;
  default:
    break;
  }
}

/* ---------------------------------------------------------------- egress and ingress */

void weft_count_egress(uint64_t *v, const struct weft_egress_count *c)
{
  v[WEFT_COUNTER_EGRESS_STORES] += c->stores;
  v[WEFT_COUNTER_EGRESS_BYTES] += c->bytes;
  v[WEFT_COUNTER_EGRESS_MERGED] += c->merged;
  v[WEFT_COUNTER_EGRESS_HITS] += c->hits;
  v[WEFT_COUNTER_EGRESS_FLUSH_BASE] += c->flush_base;
  v[WEFT_COUNTER_EGRESS_FLUSH_ROOM] += c->flush_room;
  v[WEFT_COUNTER_EGRESS_FLUSH_PAYLOAD] += c->flush_payload;
  v[WEFT_COUNTER_EGRESS_FLUSH_RELEASE] += c->flush_release;
  v[WEFT_COUNTER_EGRESS_FLUSH_LOAD] += c->flush_load;
  v[WEFT_COUNTER_EGRESS_FLUSH_ATOMIC] += c->flush_atomic;
  v[WEFT_COUNTER_EGRESS_FLUSH_TIMEOUT] += c->flush_timeout;
  v[WEFT_COUNTER_EGRESS_FLUSH_END] += c->flush_end;
  v[WEFT_COUNTER_EGRESS_FLUSH_STRONG] += c->flush_strong;
  v[WEFT_COUNTER_EGRESS_PLAIN] += c->plain;
  v[WEFT_COUNTER_EGRESS_PACKETS] += c->packets;
  v[WEFT_COUNTER_EGRESS_PAYLOAD] += c->payload;
  v[WEFT_COUNTER_EGRESS_HEADER] += c->header;
  v[WEFT_COUNTER_EGRESS_FRAMING] += c->framing;
  v[WEFT_COUNTER_EGRESS_PADDING] += c->padding;
  v[WEFT_COUNTER_EGRESS_SUBS] += c->subs;
  v[WEFT_COUNTER_EGRESS_SUBS_1] += c->subs_1;
  v[WEFT_COUNTER_EGRESS_SUBS_2] += c->subs_2;
  v[WEFT_COUNTER_EGRESS_SUBS_4] += c->subs_4;
  v[WEFT_COUNTER_EGRESS_SUBS_8] += c->subs_8;
  v[WEFT_COUNTER_EGRESS_SUBS_16] += c->subs_16;
  v[WEFT_COUNTER_EGRESS_SUBS_32] += c->subs_32;
  v[WEFT_COUNTER_EGRESS_SUBS_64] += c->subs_64;
  v[WEFT_COUNTER_EGRESS_SUBS_128] += c->subs_128;
  v[WEFT_COUNTER_EGRESS_STALLS] += c->stalls;
}

void weft_count_ingress(uint64_t *v, const struct weft_ingress_count *c)
{
  v[WEFT_COUNTER_INGRESS_PACKETS] += c->packets;
  v[WEFT_COUNTER_INGRESS_MALFORMED] += c->malformed;
  v[WEFT_COUNTER_INGRESS_STORES] += c->stores;
  v[WEFT_COUNTER_INGRESS_BYTES] += c->bytes;
}

/* ---------------------------------------------------------------- links */

void weft_count_link(uint64_t *v, unsigned class, unsigned bytes)
{
  v[WEFT_COUNTER_LINK_MESSAGES_REQUEST + class]++;
  v[WEFT_COUNTER_LINK_BYTES_REQUEST + class] += bytes;
}

void weft_count_switch(uint64_t *v, unsigned bytes)
{
  v[WEFT_COUNTER_SWITCH_MESSAGES]++;
  v[WEFT_COUNTER_SWITCH_BYTES] += bytes;
}
