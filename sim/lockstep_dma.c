/* SPDX-License-Identifier: Apache-2.0 */
/* The copy engines in lock-step. An engine stands between a port and an L1, and both say all that passes there: what the
 * host issued and got, what the L1 met and answered. So an engine needs no event port of its own. */
#include <stdlib.h>

#include "lockstep_parts.h"

bool weft_lockstep_dmas_new(struct weft_lockstep *k)
{
  if (!k->config.dma_slots)
    return true;
  k->dma = calloc(k->nodes, sizeof *k->dma);
  for (unsigned n = 0; k->dma && n < k->nodes; n++) {
    k->dma[n] = calloc(1, weft_dma_size(&k->config));
    if (!k->dma[n])
      return false;
    weft_dma_reset(k->dma[n], &k->config);
  }
  return k->dma != NULL;
}

void weft_lockstep_dmas_free(struct weft_lockstep *k)
{
  for (unsigned n = 0; k->dma && n < k->nodes; n++)
    free(k->dma[n]);
  free(k->dma);
}

bool weft_lockstep_dmas_idle(const struct weft_lockstep *k)
{
  for (unsigned n = 0; k->dma && n < k->nodes; n++)
    if (!weft_dma_idle(k->dma[n]))
      return false;
  return true;
}

/* What the engine does by itself, it has done when the next thing happens to it. */
static bool step(struct weft_lockstep *k, unsigned node, const struct weft_dma_input *in,
                 const struct weft_place *place)
{
  const struct weft_dma_input nothing = { 0 };
  const char *error = weft_dma_step(k->dma[node], in);
  for (uint64_t i = 0; !error && i < 2 * k->config.dma_slots; i++)
    error = weft_dma_step(k->dma[node], &nothing);
  if (error)
    weft_lockstep_wrong(k, place, error);
  return !error;
}

bool weft_lockstep_dma_issued(struct weft_lockstep *k, unsigned node, unsigned cu, uint64_t cycle,
                              const struct weft_cu_req *request)
{
  if (!k->dma || cu || !weft_dma_is_job(request))
    return false;
  struct weft_cu_req *slot = weft_ring_push(&k->described[node]);
  struct weft_place place = weft_place_cu("dma", node, cu, cycle, "descriptor");
  if (slot)
    *slot = *request;
  else
    weft_lockstep_wrong(k, &place, "out of memory");
  return true;
}

/* A load says which entry it is of. If the model's is free, the oldest descriptor that no load has named is there. */
static bool fill_entry(struct weft_lockstep *k, unsigned node, unsigned entry, const struct weft_place *place)
{
  const struct weft_cu_req *job = weft_ring_head(&k->described[node]);
  if (entry >= WEFT_DMA_JOBS || k->dma[node]->job[entry].used || !job)
    return true;
  bool good = step(k, node, &(struct weft_dma_input){ .job = job, .entry = entry }, place);
  weft_ring_pop(&k->described[node]);
  return good;
}

static bool model_has(struct weft_lockstep *k, unsigned node, const struct weft_cu_req *r,
                      struct weft_cu_req *model, const struct weft_place *place)
{
  const struct weft_dma *d = k->dma[node];
  if (r->op == WEFT_CU_OP_STORE)
    return weft_dma_store(d, model);
  return fill_entry(k, node, r->attr, place) && weft_dma_load(d, r->attr, model);
}

bool weft_lockstep_dma_op(struct weft_lockstep *k, unsigned node, unsigned cu, const struct weft_cu_req *r,
                          uint64_t cycle)
{
  struct weft_place place = weft_place_cu("dma", node, cu, cycle, "op");
  struct weft_difference d = { 0 };
  struct weft_cu_req model;
  if (!model_has(k, node, r, &model, &place)) {
    if (!k->failed)
      weft_lockstep_wrong(k, &place, "an operation that the model's engine does not have");
    return false;
  }
  if (weft_differs_cu_req(&d, r, &model, k->line)) {
    weft_lockstep_differ(k, &place, &d);
    return false;
  }
  return step(k, node, &(struct weft_dma_input){ .sent = &model }, &place);
}

void weft_lockstep_dma_back(struct weft_lockstep *k, unsigned node, unsigned cu,
                            const struct weft_cu_rsp *answer, uint64_t cycle)
{
  struct weft_place place = weft_place_cu("dma", node, cu, cycle, "answer of the L1");
  step(k, node, &(struct weft_dma_input){ .back = answer }, &place);
}

bool weft_lockstep_dma_answered(struct weft_lockstep *k, unsigned node, unsigned cu, uint64_t cycle,
                                const struct weft_cu_rsp *answer)
{
  struct weft_place place = weft_place_cu("dma", node, cu, cycle, "answer");
  struct weft_difference d = { 0 };
  struct weft_cu_rsp model;
  if (!k->dma || cu || !weft_dma_answer(k->dma[node], &model) || model.warp != answer->warp ||
      model.tag != answer->tag)
    return false;
  if (weft_differs_cu_rsp(&d, "answer", answer, &model, k->line))
    weft_lockstep_differ(k, &place, &d);
  else
    step(k, node, &(struct weft_dma_input){ .told = true }, &place);
  return true;
}
