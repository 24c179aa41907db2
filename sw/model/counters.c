/* SPDX-License-Identifier: Apache-2.0 */
#include "counters.h"

#include <stdio.h>

#include "link.h"

struct counter {
  const char *unit, *name;
  bool is_event;
};

#define COUNTER_E true
#define COUNTER_T false
#define COUNTER_ROW(kind, unit, name) { #unit, #name, COUNTER_##kind },
static const struct counter node_table[] = { WEFT_NODE_COUNTERS(COUNTER_ROW) };
static const struct counter l1_table[] = { WEFT_L1_COUNTERS(COUNTER_ROW) };

static const struct counter *counter_at(size_t index)
{
  if (index < WEFT_NODE_COUNTER_COUNT)
    return &node_table[index];
  return &l1_table[(index - WEFT_NODE_COUNTER_COUNT) % WEFT_L1_COUNTER_COUNT];
}

int weft_counter_name(size_t index, char *text, size_t size)
{
  const struct counter *c = counter_at(index);
  if (index < WEFT_NODE_COUNTER_COUNT)
    return snprintf(text, size, "%s.%s", c->unit, c->name);
  size_t cu = (index - WEFT_NODE_COUNTER_COUNT) / WEFT_L1_COUNTER_COUNT;
  return snprintf(text, size, "cu%zu.%s.%s", cu, c->unit, c->name);
}

bool weft_counter_is_event(size_t index)
{
  return counter_at(index)->is_event;
}

/* ---------------------------------------------------------------- L1 */

static void count_op(uint64_t *v, const struct weft_cu_req *r, const struct weft_l1_event *out)
{
  static const uint8_t by_op[] = { WEFT_COUNT_l1_loads, WEFT_COUNT_l1_stores, WEFT_COUNT_l1_atomics,
                                   WEFT_COUNT_l1_fences };
  if (out->answered && out->done.error) {
    v[WEFT_COUNT_l1_errors]++;
    return;
  }
  v[by_op[r->op]]++;
  if (r->op != WEFT_CU_OP_LOAD || (r->order != WEFT_ORDER_WEAK && r->scope != WEFT_SCOPE_CTA))
    return;
  v[WEFT_COUNT_l1_hits] += out->hit;
  v[WEFT_COUNT_l1_misses] += out->allocated;
  v[WEFT_COUNT_l1_joins] += out->joined;
}

void weft_count_l1(uint64_t *v, const struct weft_l1_event *in, const struct weft_l1_event *out)
{
  v[WEFT_COUNT_l1_requests] += out->sent;
  if (in->kind == WEFT_L1_EVENT_KIND_OP) {
    count_op(v, &in->cu, out);
  } else if (in->kind == WEFT_L1_EVENT_KIND_RESPONSE && in->rsp.kind == WEFT_RSP_KIND_LINE) {
    v[out->installed ? WEFT_COUNT_l1_installs : WEFT_COUNT_l1_closed]++;
  } else if (in->kind == WEFT_L1_EVENT_KIND_FENCE_DONE) {
    bool acquire = out->cu.order == WEFT_ORDER_ACQUIRE || out->cu.order == WEFT_ORDER_ACQ_REL;
    v[WEFT_COUNT_l1_drops] += acquire && out->cu.scope != WEFT_SCOPE_CTA;
  }
}

/* ---------------------------------------------------------------- L2, home, directory, memory */

static void count_home(uint64_t *v, const struct weft_l2_event *out, bool by_self, bool replay)
{
  if (out->hit) {
    v[by_self ? WEFT_COUNT_home_local : WEFT_COUNT_home_remote]++;
    v[WEFT_COUNT_home_hits] += !replay;
  }
  v[WEFT_COUNT_home_fetches] += out->allocated;
  v[WEFT_COUNT_home_joins] += out->joined;
}

static void count_cu(uint64_t *v, const struct weft_l2_event *in, const struct weft_l2_event *out, unsigned self)
{
  static const uint8_t by_kind[] = { WEFT_COUNT_l2_reads, WEFT_COUNT_l2_writes, WEFT_COUNT_l2_atomics,
                                     WEFT_COUNT_l2_fences };
  v[by_kind[in->req.kind]]++;
  if (in->req.kind == WEFT_REQ_KIND_FENCE) {
    v[WEFT_COUNT_release_started] += out->allocated;
  } else if (weft_home_of(in->req.address) == self) {
    count_home(v, out, true, false);
  } else if (in->req.kind == WEFT_REQ_KIND_READ) {
    v[WEFT_COUNT_l2_hits] += out->hit;
    v[WEFT_COUNT_l2_misses] += out->allocated;
    v[WEFT_COUNT_l2_joins] += out->joined;
  }
}

/* A marker step: a marker that was asked for, or parked before, and was not parked now. Those that it skipped are
 * acknowledged at once, here if no message says so. */
static void count_marker(uint64_t *v, const struct weft_l2_event *out, unsigned nodes)
{
  unsigned marks = out->sent_fwd ? (unsigned)__builtin_popcount(out->out_fwd.nodes) : 0;
  unsigned skips = nodes - 1U - marks;
  v[WEFT_COUNT_home_markers]++;
  v[WEFT_COUNT_home_marks] += marks;
  v[WEFT_COUNT_home_skips] += skips;
  if (!out->sent_rsp)
    v[WEFT_COUNT_release_acks] += skips;
}

static void count_directory(uint64_t *v, const struct weft_dir_event *dir)
{
  v[WEFT_COUNT_directory_lookups]++;
  v[WEFT_COUNT_directory_hits] += dir->hit;
  v[WEFT_COUNT_directory_allocations] += dir->allocated;
  v[WEFT_COUNT_directory_evictions] += dir->evicted;
  v[dir->evicted ? WEFT_COUNT_directory_inv_evict : WEFT_COUNT_directory_inv_write] +=
    (unsigned)__builtin_popcount(dir->inv_sharers);
}

static void count_response(uint64_t *v, const struct weft_rsp *r, const struct weft_l2_event *out)
{
  if (r->kind == WEFT_RSP_KIND_LINE)
    v[out->installed ? WEFT_COUNT_l2_installs : WEFT_COUNT_l2_closed]++;
  else if (r->kind == WEFT_RSP_KIND_ACK)
    v[WEFT_COUNT_release_acks] += r->count;
}

static void count_inv(uint64_t *v, const struct weft_fwd *f, const struct weft_l2_event *out)
{
  if (!out->hit)
    v[WEFT_COUNT_l2_inv_miss]++;
  else
    v[f->cause == WEFT_CAUSE_WRITE ? WEFT_COUNT_l2_inv_hit_write : WEFT_COUNT_l2_inv_hit_evict]++;
}

void weft_count_l2(uint64_t *v, const struct weft_l2_event *in, const struct weft_l2_event *out,
                   const struct weft_dir_event *dir, unsigned self, unsigned nodes)
{
  if (out->sent_mem)
    v[out->out_mem.write ? WEFT_COUNT_memory_writes : WEFT_COUNT_memory_reads]++;
  v[WEFT_COUNT_l2_writebacks] += out->victim_dirty;
  if (dir->valid)
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
    v[WEFT_COUNT_release_acks] += !out->sent_rsp;
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

/* ---------------------------------------------------------------- links */

void weft_count_link(uint64_t *v, unsigned class, unsigned bytes)
{
  v[WEFT_COUNT_link_messages_request + class]++;
  v[WEFT_COUNT_link_bytes_request + class] += bytes;
}

void weft_count_switch(uint64_t *v, unsigned bytes)
{
  v[WEFT_COUNT_switch_messages]++;
  v[WEFT_COUNT_switch_bytes] += bytes;
}
