/* SPDX-License-Identifier: Apache-2.0 */
#include "words.h"

#include "messages.h"

#include <stdio.h>

#include "text.h"

const char *weft_explore_value(uint32_t value, char text[16])
{
  bool small = value == explore_wide((uint8_t)value);
  snprintf(text, 16, small ? "%u" : "0x%08x", small ? (unsigned)(uint8_t)value : value);
  return text;
}

/* The line of an address: the names of what lies in it. */
static const char *line_name(const struct explore_machine *m, uint64_t address)
{
  static const char *const one[] = { "x", "y", "z" };
  int v = weft_explore_variable_of(m, address);
  if (v < 0)
    return "a line of no variable";
  return m->shape->one_line && m->shape->variables > 1 ? "the line" : one[v];
}

static const char *const order_names[] = WEFT_ORDER_NAMES;
static const char *const req_names[] = { "READ", "WRITE", "ATOMIC", "FENCE", "MARKER" };
static const char *const rsp_names[] = { "LINE", "ATOMIC", "FENCE", "ACK", "SEEN", "WROTE" };

/* ---------------------------------------------------------------- threads and L1 */

static void log_op(struct explore_context *c, const struct explore_node *n, unsigned cu,
                   const struct weft_l1_event *in, const struct weft_l1_event *out)
{
  int t = weft_explore_thread_at(c->m, n->id, cu, in->cu.warp);
  if (t < 0)
    return;
  weft_text_add(c->log, "T%d issues %s (node %u, CU %u)", t, c->m->shape->op[t][in->cu.tag].text, n->id, cu);
  if (in->cu.op == WEFT_CU_OP_FENCE)
    weft_text_add(c->log, ": the fence waits");
  if (in->cu.op == WEFT_CU_OP_LOAD && out->answered)
    weft_text_add(c->log, ": hits the L1");
  if (out->joined)
    weft_text_add(c->log, ": joins the L1's miss");
  if (out->closed)
    weft_text_add(c->log, "; closes the L1's miss");
  weft_text_add(c->log, "\n");
}

static void log_fence(struct explore_context *c, const struct explore_node *n, unsigned cu,
                      const struct weft_l1_event *in, const struct weft_l1_event *out)
{
  int t = weft_explore_thread_at(c->m, n->id, cu, in->warp);
  if (in->kind == WEFT_L1_EVENT_KIND_FENCE_SEND)
    weft_text_add(c->log, "T%d's fence goes to the L2 of node %u\n", t, n->id);
  else
    weft_text_add(
      c->log, "T%d's fence (%s) is done%s\n", t, order_names[out->cu.order],
      out->cu.order != WEFT_ORDER_RELEASE && out->cu.scope != WEFT_SCOPE_CTA ? ", its L1 is dropped" : "");
}

void weft_explore_log_l1(struct explore_context *c, const struct explore_node *n, unsigned cu,
                         const struct weft_l1_event *in, const struct weft_l1_event *out)
{
  if (!c->log)
    return;
  if (in->kind == WEFT_L1_EVENT_KIND_OP)
    log_op(c, n, cu, in, out);
  else if (in->kind == WEFT_L1_EVENT_KIND_FENCE_SEND || in->kind == WEFT_L1_EVENT_KIND_FENCE_DONE)
    log_fence(c, n, cu, in, out);
  else if (in->kind == WEFT_L1_EVENT_KIND_RESPONSE)
    weft_text_add(c->log, "node %u, CU %u: the L1 gets %s%s\n", n->id, cu, rsp_names[in->rsp.kind],
                  out->installed                       ? ", installs it"
                  : in->rsp.kind == WEFT_RSP_KIND_LINE ? ", does not keep it"
                                                       : "");
}

void weft_explore_log_answer(struct explore_context *c, unsigned thread, unsigned op, uint32_t value)
{
  char text[16];
  const struct explore_op *o = &c->m->shape->op[thread][op];
  if (c->log && o->result >= 0)
    weft_text_add(c->log, "T%u: r%d = %s\n", thread, o->result, weft_explore_value(value, text));
}

void weft_explore_log_skip(struct explore_context *c, unsigned thread, unsigned op)
{
  if (c->log)
    weft_text_add(c->log, "T%u passes over %s\n", thread, c->m->shape->op[thread][op].text);
}

void weft_explore_log_drop(struct explore_context *c, const struct explore_node *n, int cu, uint64_t tag)
{
  if (!c->log)
    return;
  uint64_t address = tag & ~(WEFT_TAG_VALID | WEFT_TAG_DIRTY);
  if (cu < 0)
    weft_text_add(c->log, "node %u: the L2 replaces %s\n", n->id, line_name(c->m, address));
  else
    weft_text_add(c->log, "node %u, CU %d: the L1 replaces %s\n", n->id, cu, line_name(c->m, address));
}

void weft_explore_log_forgets(struct explore_context *c, const struct explore_node *n, uint64_t address)
{
  if (c->log)
    weft_text_add(c->log, "node %u: the TSU evicts %s\n", n->id, line_name(c->m, address));
}

/* ---------------------------------------------------------------- L2 and home */

static void log_request(struct explore_context *c, const struct explore_node *n,
                        const struct weft_l2_event *in)
{
  const struct weft_req *r = &in->req;
  bool own = in->kind == WEFT_L2_EVENT_KIND_CU;
  weft_text_add(c->log, "node %u: the %s takes %s", n->id,
                own && weft_home_of(r->address) != n->id ? "L2" : "home", req_names[r->kind]);
  if (r->kind <= WEFT_REQ_KIND_ATOMIC)
    weft_text_add(c->log, " of %s", line_name(c->m, r->address));
  if (own)
    weft_text_add(c->log, " from CU %u", r->cu);
  else
    weft_text_add(c->log, " from node %u", r->src);
}

static void log_forward(struct explore_context *c, const struct explore_node *n,
                        const struct weft_l2_event *in)
{
  if (in->kind == WEFT_L2_EVENT_KIND_INV)
    weft_text_add(c->log, "node %u: INV of %s from node %u", n->id,
                  line_name(c->m, in->fwd.address + (uint64_t)in->index * EXPLORE_LINE), in->fwd.src);
  else if (in->kind == WEFT_L2_EVENT_KIND_MARK)
    weft_text_add(c->log, "node %u: MARK from node %u for the release of node %u", n->id, in->fwd.src,
                  in->fwd.releaser);
  else
    weft_text_add(c->log, "node %u: tells node %u what it has seen", n->id, in->fwd.src);
}

static void log_input(struct explore_context *c, const struct explore_node *n, const struct weft_l2_event *in,
                      const struct weft_l2_event *out)
{
  switch (in->kind) {
  case WEFT_L2_EVENT_KIND_CU:
  case WEFT_L2_EVENT_KIND_REQUEST:
    log_request(c, n, in);
    break;
  case WEFT_L2_EVENT_KIND_INV:
  case WEFT_L2_EVENT_KIND_MARK:
  case WEFT_L2_EVENT_KIND_SEEN:
    log_forward(c, n, in);
    break;
  case WEFT_L2_EVENT_KIND_RESPONSE:
    weft_text_add(c->log, "node %u: %s from node %u", n->id, rsp_names[in->rsp.kind], in->rsp.src);
    break;
  case WEFT_L2_EVENT_KIND_MEMORY:
    weft_text_add(c->log, "node %u: memory answers", n->id);
    break;
  case WEFT_L2_EVENT_KIND_REPLAY:
    weft_text_add(c->log, "node %u: the home replays %s of %s by node %u", n->id, req_names[out->req.kind],
                  line_name(c->m, out->req.address), out->req.src);
    break;
  case WEFT_L2_EVENT_KIND_ANSWER:
    weft_text_add(c->log, "node %u: the L2 answers a load that waited", n->id);
    break;
  case WEFT_L2_EVENT_KIND_FLUSH:
    weft_text_add(c->log, "node %u: %s", n->id,
                  out->sent_req ? "what its home does not know goes there" : "and writes it to memory");
    break;
  default:
    weft_text_add(c->log, "node %u: %s", n->id,
                  in->kind != WEFT_L2_EVENT_KIND_MARKER_SEND                   ? "a parked marker goes on"
                  : out->sent_req && out->out_req.kind != WEFT_REQ_KIND_MARKER ? "what waited leaves"
                                                                               : "a release sends a marker");
    break;
  }
}

/* What the step did, as far as it explains what follows. */
static void log_effects(struct explore_context *c, const struct weft_l2_event *in,
                        const struct weft_l2_event *out)
{
  bool request = in->kind == WEFT_L2_EVENT_KIND_CU || in->kind == WEFT_L2_EVENT_KIND_REQUEST;
  if (request && in->req.kind <= WEFT_REQ_KIND_ATOMIC && out->hit)
    weft_text_add(c->log, ", hit");
  if (in->kind == WEFT_L2_EVENT_KIND_INV)
    weft_text_add(c->log, out->hit ? ", drops the copy" : ", finds no copy");
  if (out->closed)
    weft_text_add(c->log, ", closes the fill");
  if (out->joined)
    weft_text_add(c->log, ", joins what is on its way");
  if (out->installed)
    weft_text_add(c->log, ", installs it");
  if (in->kind == WEFT_L2_EVENT_KIND_RESPONSE && weft_rsp_fills(in->rsp.kind) && !out->installed)
    weft_text_add(c->log, ", does not keep it");
  if (out->sent_mem)
    weft_text_add(c->log, out->out_mem.write ? ", writes %s back" : ", asks memory for %s",
                  line_name(c->m, out->out_mem.address));
}

static void log_sent(struct explore_context *c, const struct weft_l2_event *out,
                     const struct weft_dir_event *dir)
{
  if (dir->valid && dir->evicted)
    weft_text_add(c->log, ", the directory evicts an entry");
  if (out->sent_fwd)
    weft_text_add(c->log, ", owes %s%s", out->out_fwd.kind == WEFT_FWD_KIND_INV ? "INV of " : "MARK",
                  out->out_fwd.kind == WEFT_FWD_KIND_INV ? line_name(c->m, out->out_fwd.address) : "");
  if (out->sent_req)
    weft_text_add(c->log, ", sends %s to node %u", req_names[out->out_req.kind], out->out_req.dst);
  if (out->sent_rsp)
    weft_text_add(c->log, ", sends %s to node %u", rsp_names[out->out_rsp.kind], out->out_rsp.dst);
  if (out->sent_l1)
    weft_text_add(c->log, ", %s to CU %u", rsp_names[out->out_l1.kind], out->out_l1.cu);
}

void weft_explore_log_l2(struct explore_context *c, const struct explore_node *n,
                         const struct weft_l2_event *in, const struct weft_l2_event *out,
                         const struct weft_dir_event *dir)
{
  if (!c->log)
    return;
  log_input(c, n, in, out);
  log_effects(c, in, out);
  log_sent(c, out, dir);
  weft_text_add(c->log, "\n");
}

void weft_explore_log_forward(struct explore_context *c, const struct explore_node *n,
                              const struct weft_fwd *f)
{
  if (!c->log)
    return;
  if (f->kind == WEFT_FWD_KIND_INV)
    weft_text_add(c->log, "node %u: sends INV of %s to node %u\n", n->id, line_name(c->m, f->address),
                  f->dst);
  else
    weft_text_add(c->log, "node %u: sends MARK to node %u for the release of node %u\n", n->id, f->dst,
                  f->releaser);
}
