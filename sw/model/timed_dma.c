/* SPDX-License-Identifier: Apache-2.0 */
/* A node's copy engine in its place before the first L1: what that L1 is shown, and whose its answers are. */
#include "timed_parts.h"

static void take_from_port(struct weft_timed *t, struct weft_timed_dma *d, unsigned port)
{
  d->shown = NULL;
  t->host.take(t->host.context, port);
}

const struct weft_cu_req *weft_timed_dma_show(struct weft_timed *t, struct weft_timed_dma *d, unsigned port)
{
  if (!d->shown)
    d->shown = t->host.show(t->host.context, port, t->now);
  d->sends = weft_dma_offer(d->state, &d->offer);
  if (!d->shown || !weft_dma_is_job(d->shown))
    return d->sends ? &d->offer : d->shown;
  d->takes = weft_dma_room(d->state) >= 0;
  if (d->takes) {
    d->job = *d->shown;
    take_from_port(t, d, port);
  }
  return d->sends ? &d->offer : NULL;
}

void weft_timed_dma_taken(struct weft_timed *t, struct weft_timed_dma *d, unsigned port)
{
  d->sent = d->sends;
  if (!d->sends)
    take_from_port(t, d, port);
}

void weft_timed_dma_step(struct weft_timed *t, struct weft_timed_dma *d, unsigned port,
                         const struct weft_cu_rsp *answer)
{
  bool back = answer && (answer->tag & WEFT_DMA_TAG);
  struct weft_cu_rsp done;
  bool told = (!answer || back) && weft_dma_answer(d->state, &done);
  if (told)
    answer = &done;
  struct weft_dma_input in = {
    .job = d->takes ? &d->job : NULL,
    .entry = (uint32_t)weft_dma_room(d->state),
    .sent = d->sent ? &d->offer : NULL,
    .back = back ? &t->l1[port].c.done : NULL,
    .told = told,
  };
  const char *wrong = weft_dma_step(d->state, &in);
  if (wrong && !t->wrong)
    t->wrong = wrong;
  if (answer && (told || !back))
    t->host.answer(t->host.context, port, answer, t->now);
  d->takes = d->sends = d->sent = false;
}
