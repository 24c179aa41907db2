/* SPDX-License-Identifier: Apache-2.0 */
#include "dma.h"

#include <string.h>

#define ADDRESSES ((UINT64_C(1) << 40) - 1)

size_t weft_dma_size(const struct weft_config *c)
{
  return c->dma_slots ? sizeof(struct weft_dma) + c->dma_slots * sizeof(struct weft_dma_slot) : 0;
}

void weft_dma_reset(struct weft_dma *d, const struct weft_config *c)
{
  size_t size = weft_dma_size(c);
  memset(d, 0, size);
  d->size = (uint32_t)size;
  d->line = (uint32_t)c->line;
  d->slots = (uint32_t)c->dma_slots;
}

static uint32_t behind(const struct weft_dma *d, uint32_t slot)
{
  return slot + 1 < d->slots ? slot + 1 : 0;
}

int weft_dma_room(const struct weft_dma *d)
{
  for (unsigned i = 0; i < WEFT_DMA_JOBS; i++)
    if (!d->job[i].used)
      return (int)i;
  return -1;
}

int weft_dma_turn(const struct weft_dma *d)
{
  for (unsigned i = 0; i < WEFT_DMA_JOBS; i++)
    if (d->job[(d->turn + i) % WEFT_DMA_JOBS].loads)
      return (int)((d->turn + i) % WEFT_DMA_JOBS);
  return -1;
}

/* A load is strong, so that it reads what the node's other compute units have written. */
bool weft_dma_load(const struct weft_dma *d, int entry, struct weft_cu_req *out)
{
  if (entry < 0 || entry >= (int)WEFT_DMA_JOBS || !d->job[entry].loads || d->used == d->slots)
    return false;
  memset(out, 0, sizeof *out);
  out->op = WEFT_CU_OP_LOAD;
  out->order = WEFT_ORDER_RELAXED;
  out->scope = WEFT_SCOPE_GPU;
  out->attr = (uint8_t)entry;
  out->warp = d->job[entry].warp;
  out->tag = (uint8_t)(WEFT_DMA_TAG | d->next);
  out->address = d->job[entry].from;
  weft_mask_fill(out->mask, d->line);
  return true;
}

bool weft_dma_store(const struct weft_dma *d, struct weft_cu_req *out)
{
  const struct weft_dma_slot *s = &d->slot[d->store];
  if (s->state != WEFT_DMA_LOADED || s->error)
    return false;
  memset(out, 0, sizeof *out);
  out->op = WEFT_CU_OP_STORE;
  out->order = WEFT_ORDER_WEAK;
  out->scope = WEFT_SCOPE_CTA;
  out->warp = d->job[s->job].warp;
  out->tag = (uint8_t)(WEFT_DMA_TAG | d->store);
  out->address = s->to;
  memcpy(out->mask, d->job[s->job].mask, sizeof out->mask);
  memcpy(out->data, s->data, d->line);
  return true;
}

bool weft_dma_answer(const struct weft_dma *d, struct weft_cu_rsp *out)
{
  const struct weft_dma_slot *s = &d->slot[d->oldest];
  if (s->state != WEFT_DMA_DONE || !s->last)
    return false;
  memset(out, 0, sizeof *out);
  out->warp = d->job[s->job].warp;
  out->tag = d->job[s->job].tag;
  out->error = s->error || d->job[s->job].error;
  return true;
}

bool weft_dma_idle(const struct weft_dma *d)
{
  bool idle = true;
  for (unsigned i = 0; i < WEFT_DMA_JOBS; i++)
    idle &= !d->job[i].used;
  return idle;
}

/* ---------------------------------------------------------------- one cycle */

static const char *refuses_back(const struct weft_dma *d, const struct weft_cu_rsp *back)
{
  uint32_t slot = back->tag & ~WEFT_DMA_TAG;
  if (!(back->tag & WEFT_DMA_TAG) || slot >= d->slots)
    return "an answer that is not the engine's";
  bool waits = d->slot[slot].state == WEFT_DMA_LOADING || d->slot[slot].state == WEFT_DMA_STORING;
  return waits ? NULL : "an answer that the engine does not wait for";
}

static const char *refuses(const struct weft_dma *d, const struct weft_dma_input *in)
{
  struct weft_cu_req sent;
  struct weft_cu_rsp answer;
  if (in->job && (in->entry >= WEFT_DMA_JOBS || d->job[in->entry].used))
    return "the engine has no room for a descriptor";
  if (in->sent && !(in->sent->op == WEFT_CU_OP_STORE ? weft_dma_store(d, &sent)
                                                     : weft_dma_load(d, in->sent->attr, &sent)))
    return "the engine has no such operation";
  if (in->told && !weft_dma_answer(d, &answer))
    return "the engine answers nothing";
  return in->back ? refuses_back(d, in->back) : NULL;
}

static void free_oldest(struct weft_dma *d, bool told)
{
  struct weft_dma_slot *s = &d->slot[d->oldest];
  struct weft_dma_job *job = &d->job[s->job];
  if (s->state != WEFT_DMA_DONE || (s->last && !told))
    return;
  job->error |= s->error;
  job->used = !s->last;
  s->state = WEFT_DMA_EMPTY;
  d->oldest = behind(d, d->oldest);
  d->used--;
}

static void come_back(struct weft_dma *d, const struct weft_cu_rsp *r)
{
  struct weft_dma_slot *s = &d->slot[r->tag & ~WEFT_DMA_TAG];
  bool load = s->state == WEFT_DMA_LOADING;
  s->error |= r->error;
  s->state = load ? WEFT_DMA_LOADED : WEFT_DMA_DONE;
  if (load)
    memcpy(s->data, r->data, d->line);
}

static void begin_line(struct weft_dma *d, unsigned entry)
{
  struct weft_dma_job *job = &d->job[entry];
  struct weft_dma_slot *s = &d->slot[d->next];
  s->to = job->to;
  s->state = WEFT_DMA_LOADING;
  s->error = 0;
  s->job = (uint8_t)entry;
  s->last = job->left == 1;
  job->from = (job->from + d->line) & ADDRESSES;
  job->to = (job->to + d->line) & ADDRESSES;
  job->left--;
  job->loads = job->left != 0;
  d->next = behind(d, d->next);
  d->used++;
  d->turn = (entry + 1) % WEFT_DMA_JOBS;
}

static void take_job(struct weft_dma_job *job, const struct weft_cu_req *r)
{
  job->from = r->address;
  weft_dma_get(r->data, &job->to, &job->left);
  memcpy(job->mask, r->mask, sizeof job->mask);
  job->to &= ADDRESSES;
  job->used = job->loads = 1;
  job->error = 0;
  job->warp = r->warp;
  job->tag = r->tag;
}

const char *weft_dma_step(struct weft_dma *d, const struct weft_dma_input *in)
{
  const char *wrong = refuses(d, in);
  if (wrong)
    return wrong;
  struct weft_dma_slot *s = &d->slot[d->store];
  /* All of this as the cycle found it: a line that could not be read is not stored. */
  bool skips = s->state == WEFT_DMA_LOADED && s->error;
  bool stores = in->sent && in->sent->op == WEFT_CU_OP_STORE;
  free_oldest(d, in->told);
  if (in->back)
    come_back(d, in->back);
  if (skips || stores) {
    s->state = skips ? WEFT_DMA_DONE : WEFT_DMA_STORING;
    d->store = behind(d, d->store);
  }
  if (in->sent && !stores)
    begin_line(d, in->sent->attr);
  if (in->job)
    take_job(&d->job[in->entry], in->job);
  return NULL;
}
