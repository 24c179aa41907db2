/* SPDX-License-Identifier: Apache-2.0 */
/* FinePack in lock-step: the remote write queue and packetizer of every node, and the de-packetizer behind its link. */
#include <stdlib.h>

#include "lockstep_parts.h"

static const char *const egress_kinds[] = WEFT_EGRESS_KIND_NAMES;

/* ---------------------------------------------------------------- life */

bool weft_lockstep_edges_new(struct weft_lockstep *k, bool finepack)
{
  k->egress = calloc(k->nodes, sizeof *k->egress);
  k->ingress = calloc(k->nodes, sizeof *k->ingress);
  if (!k->egress || !k->ingress)
    return false;
  for (unsigned n = 0; n < k->nodes; n++) {
    k->egress[n] = calloc(1, weft_egress_size(&k->config));
    k->ingress[n] = calloc(1, weft_depacketizer_size(&k->config));
    if (!k->egress[n] || !k->ingress[n])
      return false;
    weft_egress_reset(k->egress[n], &k->config, n);
    weft_egress_enable(k->egress[n], finepack);
    weft_depacketizer_reset(k->ingress[n], &k->config, n);
  }
  return true;
}

void weft_lockstep_edges_free(struct weft_lockstep *k)
{
  for (unsigned n = 0; n < k->nodes; n++) {
    if (k->egress)
      free(k->egress[n]);
    if (k->ingress)
      free(k->ingress[n]);
  }
  free(k->egress);
  free(k->ingress);
}

/* ---------------------------------------------------------------- egress */

/* The message that the RTL sent against the model's next one. */
static bool sends_alike(struct weft_lockstep *k, const struct weft_place *place, bool any,
                        const struct weft_req *rtl, const struct weft_req *model)
{
  struct weft_difference d = { 0 };
  if (!any) {
    weft_lockstep_wrong(k, place, "a message leaves that the model does not have");
    return false;
  }
  if (weft_differs_req(&d, "out", rtl, model, k->line)) {
    weft_lockstep_differ(k, place, &d);
    return false;
  }
  return true;
}

static bool differs_step(struct weft_difference *d, const struct weft_egress_event *rtl,
                         const struct weft_egress_event *model)
{
  if (rtl->taken != model->taken)
    return weft_differs(d, "", "taken", rtl->taken, model->taken);
  if (rtl->hit != model->hit)
    return weft_differs(d, "", "hit", rtl->hit, model->hit);
  if (rtl->plain != model->plain)
    return weft_differs(d, "", "plain", rtl->plain, model->plain);
  if (rtl->flushed != model->flushed)
    return weft_differs(d, "", "flushed", rtl->flushed, model->flushed);
  if (model->flushed && (rtl->cause != model->cause || rtl->dst != model->dst))
    return rtl->cause != model->cause ? weft_differs(d, "", "cause", rtl->cause, model->cause)
                                      : weft_differs(d, "", "dst", rtl->dst, model->dst);
  return false;
}

static bool step_egress(struct weft_lockstep *k, unsigned node, uint64_t cycle,
                        const struct weft_egress_event *rtl, const struct weft_place *place)
{
  struct weft_egress_event model;
  struct weft_egress_count count;
  struct weft_difference d = { 0 };
  struct weft_req asked = rtl->req;
  asked.wide = rtl->urgent ? 1 : asked.wide; /* as the bank sent it */
  if (rtl->kind == WEFT_EGRESS_KIND_INPUT && !weft_lockstep_into_egress(k, node, &asked, rtl->taken, cycle))
    return false;
  const char *error = weft_egress_step(k->egress[node], rtl, &model, &count);
  if (error)
    weft_lockstep_wrong(k, place, error);
  else if (differs_step(&d, rtl, &model))
    weft_lockstep_differ(k, place, &d);
  else
    weft_count_egress(k->counters + node * k->per_node, &count);
  return !k->failed;
}

void weft_lockstep_egress(struct weft_lockstep *k, unsigned node, uint64_t cycle, const uint32_t *bits)
{
  if (k->failed || !k->egress)
    return;
  struct weft_egress_event rtl;
  struct weft_bits c = { bits, 0, k->line };
  weft_read_egress_event(&c, &rtl);
  const char *kind = rtl.kind < sizeof egress_kinds / sizeof *egress_kinds ? egress_kinds[rtl.kind] : "?";
  struct weft_place place = weft_place_bank("egress", node, 0, cycle, kind);
  if (!weft_lockstep_in_sequence(k, &k->seq_egress[node], rtl.seq, &place))
    return;
  if (rtl.sent) {
    struct weft_req out;
    struct weft_egress_count count;
    bool any = weft_egress_pop(k->egress[node], &out, &count);
    if (!sends_alike(k, &place, any, &rtl.out, &out))
      return;
    weft_count_egress(k->counters + node * k->per_node, &count);
    weft_lockstep_leaves(k, node, &out);
  }
  if (rtl.kind != WEFT_EGRESS_KIND_NONE)
    step_egress(k, node, cycle, &rtl, &place);
}

/* ---------------------------------------------------------------- ingress */

static bool take_in(struct weft_lockstep *k, unsigned node, uint64_t cycle,
                    const struct weft_ingress_event *rtl, const struct weft_place *place)
{
  struct weft_ingress_count count = { 0 };
  if (!weft_lockstep_into_ingress(k, node, &rtl->req, cycle))
    return false;
  const char *error = weft_depacketizer_step(k->ingress[node], &rtl->req, &count);
  if (error)
    weft_lockstep_wrong(k, place, error);
  else
    weft_count_ingress(k->counters + node * k->per_node, &count);
  return !error;
}

/* What passes comes in and leaves in one cycle. */
void weft_lockstep_ingress(struct weft_lockstep *k, unsigned node, uint64_t cycle, const uint32_t *bits)
{
  if (k->failed || !k->ingress)
    return;
  struct weft_ingress_event rtl;
  struct weft_ingress_count count = { 0 };
  struct weft_bits c = { bits, 0, k->line };
  weft_read_ingress_event(&c, &rtl);
  struct weft_place place = weft_place_bank("ingress", node, 0, cycle, rtl.taken ? "input" : "output");
  if (!weft_lockstep_in_sequence(k, &k->seq_ingress[node], rtl.seq, &place))
    return;
  if (rtl.taken && !take_in(k, node, cycle, &rtl, &place))
    return;
  if (!rtl.sent)
    return;
  struct weft_req out;
  bool any = weft_depacketizer_pop(k->ingress[node], &out, &count);
  if (!sends_alike(k, &place, any, &rtl.out, &out))
    return;
  weft_count_ingress(k->counters + node * k->per_node, &count);
  weft_lockstep_handed(k, node, &out);
}
