/* SPDX-License-Identifier: Apache-2.0 */
/* What units tell in their messages by number alone (a miss, a fetch) is kept here, so that an answer can be told from
 * whom it came. */
#include <stdlib.h>

#include "layout.h"
#include "lease.h"
#include "watch.h"
#include "weft_protocols.h"

const char *const weft_level_names[WEFT_LEVELS] = { "l1", "l2", "home", "memory", "remote", "remote_memory" };

bool weft_track_open(struct weft_track *t, const struct weft_config *config, unsigned protocol)
{
  t->nodes = (unsigned)config->nodes;
  t->cus = (unsigned)config->cus;
  t->banks = (unsigned)config->l2_banks;
  t->line = (unsigned)config->line;
  t->leases = weft_lease_mode(protocol) != WEFT_LEASE_OFF;
  t->l1 = calloc((size_t)t->nodes * t->cus, sizeof *t->l1);
  t->l2 = calloc((size_t)t->nodes * t->banks, sizeof *t->l2);
  t->entry_lines = weft_protocol_lines(config, protocol);
  t->memory_lines = config->memory_bytes / config->line;
  t->sharers = calloc((size_t)t->nodes * t->memory_lines, sizeof *t->sharers);
  return t->l1 && t->l2 && t->sharers;
}

void weft_track_close(struct weft_track *t)
{
  free(t->l1);
  free(t->l2);
  free(t->sharers);
  t->l1 = NULL;
  t->l2 = NULL;
  t->sharers = NULL;
}

static struct weft_flight *flight_of(const struct weft_track *t, unsigned port, unsigned warp, unsigned tag)
{
  if (tag & WEFT_DMA_TAG)
    return &t->l1[port].copies[tag % WEFT_DMA_SLOTS_MAX];
  return &t->l1[port].flight[warp % WEFT_WARPS_MAX][tag % WEFT_OUTSTANDING_MAX];
}

void weft_mask_span(const uint64_t mask[2], uint8_t *first, uint8_t *bytes)
{
  unsigned low = mask[0]   ? (unsigned)__builtin_ctzll(mask[0])
                 : mask[1] ? 64U + (unsigned)__builtin_ctzll(mask[1])
                           : 0;
  unsigned end = mask[1]   ? 128U - (unsigned)__builtin_clzll(mask[1])
                 : mask[0] ? 64U - (unsigned)__builtin_clzll(mask[0])
                           : 0;
  *first = (uint8_t)low;
  *bytes = (uint8_t)(end - low);
}

void weft_track_taken(struct weft_track *t, unsigned port, uint64_t issue, const struct weft_cu_req *r)
{
  *flight_of(t, port, r->warp, r->tag) = (struct weft_flight){
    .issue = issue, .address = r->address, .op = r->op, .order = r->order, .scope = r->scope, .wide = r->wide
  };
  if (r->op == WEFT_CU_OP_LOAD || r->op == WEFT_CU_OP_STORE)
    weft_mask_span(r->mask, &flight_of(t, port, r->warp, r->tag)->first,
                   &flight_of(t, port, r->warp, r->tag)->bytes);
}

static uint64_t line_of(const struct weft_track *t, uint64_t address)
{
  return address & ~(uint64_t)(t->line - 1);
}

static void enter(struct weft_entry *table, unsigned index, uint64_t line, uint64_t cycle)
{
  table[index % WEFT_TABLE_MAX] = (struct weft_entry){ .line = line, .since = cycle };
}

void weft_track_l1(struct weft_track *t, unsigned port, uint64_t cycle, const struct weft_l1_event *in,
                   const struct weft_l1_event *out)
{
  struct weft_track_l1 *u = &t->l1[port];
  if (in->kind == WEFT_L1_EVENT_KIND_OP && (in->cu.tag & WEFT_DMA_TAG)) /* no port has shown it */
    weft_track_taken(t, port, cycle, &in->cu);
  if (in->kind == WEFT_L1_EVENT_KIND_OP && out->allocated)
    enter(u->miss, out->miss, line_of(t, in->cu.address), cycle);
  if (in->kind == WEFT_L1_EVENT_KIND_RESPONSE && in->rsp.kind != WEFT_RSP_KIND_FENCE)
    u->fill = in->rsp.id;
}

const struct weft_flight *weft_track_answered(const struct weft_track *t, unsigned port,
                                              const struct weft_l1_event *in, const struct weft_l1_event *out,
                                              enum weft_level *level)
{
  const struct weft_track_l1 *u = &t->l1[port];
  bool filled = in->kind == WEFT_L1_EVENT_KIND_ANSWER;
  *level = filled ? (enum weft_level)u->miss[u->fill % WEFT_TABLE_MAX].level : WEFT_LEVEL_L1;
  return flight_of(t, port, out->done.warp, out->done.tag);
}

/* ---------------------------------------------------------------- L2 banks */

/* A remote node's request: whether its line was at hand is known here first. A READ is waited for by the asking bank's
 * miss (under leases a WRITE too), an ATOMIC by the asking L1's. */
static void request_comes(struct weft_track *t, unsigned bank, const struct weft_req *r,
                          const struct weft_l2_event *out)
{
  uint8_t level = out->hit ? WEFT_LEVEL_REMOTE : WEFT_LEVEL_REMOTE_MEMORY;
  if (r->kind == WEFT_REQ_KIND_READ || (r->kind == WEFT_REQ_KIND_WRITE && t->leases))
    t->l2[r->src * t->banks + bank].miss[r->id % WEFT_TABLE_MAX].level = level;
  else if (r->kind == WEFT_REQ_KIND_ATOMIC)
    t->l1[r->src * t->cus + r->cu].miss[r->id % WEFT_TABLE_MAX].level = level;
}

static void cu_asks(struct weft_track *t, struct weft_track_l2 *u, unsigned node, uint64_t cycle,
                    const struct weft_l2_event *in, const struct weft_l2_event *out)
{
  if (!out->allocated)
    return;
  struct weft_entry *table = in->req.kind == WEFT_REQ_KIND_FENCE     ? u->release
                             : weft_home_of(in->req.address) == node ? u->fetch
                                                                     : u->miss;
  enter(table, out->slot, line_of(t, in->req.address), cycle);
}

/* A line or an atomic's old value goes to an L1: its miss learns who answers. */
static void answer_goes(struct weft_track *t, const struct weft_track_l2 *u, unsigned node,
                        const struct weft_l2_event *in, const struct weft_l2_event *out)
{
  struct weft_entry *miss = &t->l1[node * t->cus + out->out_l1.cu].miss[out->out_l1.id % WEFT_TABLE_MAX];
  switch (in->kind) {
  case WEFT_L2_EVENT_KIND_CU:
    miss->level = weft_home_of(in->req.address) == node ? WEFT_LEVEL_HOME : WEFT_LEVEL_L2;
    break;
  case WEFT_L2_EVENT_KIND_REPLAY:
    miss->level = WEFT_LEVEL_MEMORY;
    break;
  case WEFT_L2_EVENT_KIND_ANSWER:
    miss->level = u->miss[out->index % WEFT_TABLE_MAX].level;
    break;
  default: /* an atomic's response: its home has said it */
    break;
  }
}

static uint16_t *sharers_at(const struct weft_track *t, unsigned home, uint64_t address)
{
  return &t->sharers[home * t->memory_lines + weft_offset_of(address) / t->line];
}

/* What a directory's step leaves behind, and whom it owes an INV. An evicted entry of several lines is told by its first
 * line alone: whom each line is owed to follows from the steps before. */
static void directory_steps(struct weft_track *t, unsigned home, const struct weft_l2_event *out,
                            const struct weft_dir_event *dir)
{
  struct weft_track_owed *owed = &t->owed;
  bool spread = out->sent_fwd && out->out_fwd.spread;
  if (out->sent_fwd) {
    owed->lines = spread ? t->entry_lines : 1;
    owed->nodes[0] = out->out_fwd.nodes;
  }
  for (unsigned i = 0; dir->evicted && i < t->entry_lines; i++) {
    uint16_t *sharers = sharers_at(t, home, dir->evicted_address + (uint64_t)i * t->line);
    if (spread)
      owed->nodes[i] = weft_directory_nodes(*sharers, home);
    *sharers = 0;
  }
  *sharers_at(t, home, dir->address) = dir->sharers;
}

void weft_track_l2(struct weft_track *t, unsigned node, unsigned bank, uint64_t cycle,
                   const struct weft_l2_event *in, const struct weft_l2_event *out,
                   const struct weft_dir_event *dir)
{
  struct weft_track_l2 *u = &t->l2[node * t->banks + bank];
  t->owed.lines = 0;
  if (dir->valid)
    directory_steps(t, node, out, dir);
  if (in->kind == WEFT_L2_EVENT_KIND_CU) {
    cu_asks(t, u, node, cycle, in, out);
  } else if (in->kind == WEFT_L2_EVENT_KIND_REQUEST) {
    request_comes(t, bank, &in->req, out);
    if (out->allocated)
      enter(in->req.kind == WEFT_REQ_KIND_MARKER ? u->marker : u->fetch, out->slot,
            line_of(t, in->req.address), cycle);
  } else if (in->kind == WEFT_L2_EVENT_KIND_MARKER_SEND && out->allocated) {
    enter(u->marker, out->slot, 0, cycle);
  }
  if (out->sent_l1 && out->out_l1.kind != WEFT_RSP_KIND_FENCE)
    answer_goes(t, u, node, in, out);
}
