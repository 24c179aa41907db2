/* SPDX-License-Identifier: Apache-2.0 */
/* From the back-end's events to those who asked for something that is made of them. */
#include "watch.h"

#include <stdlib.h>

static void taken(void *context, unsigned node, unsigned cu, uint64_t cycle, uint64_t issue,
                  const struct weft_cu_req *r)
{
  struct weft_watch *o = context;
  weft_track_taken(&o->track, node * o->track.cus + cu, issue, r);
  if (o->latencies)
    weft_latencies_taken(o->latencies, cycle, issue);
  if (o->history)
    weft_history_taken(o->history, r);
}

static void l1(void *context, unsigned node, unsigned cu, uint64_t cycle, const struct weft_l1_event *in,
               const struct weft_l1_event *out)
{
  struct weft_watch *o = context;
  unsigned port = node * o->track.cus + cu;
  weft_track_l1(&o->track, port, cycle, in, out);
  if (o->latencies)
    weft_latencies_l1(o->latencies, &o->track, port, cycle, in, out);
  if (o->history)
    weft_history_l1(o->history, &o->track, node, cu, cycle, in, out);
  if (o->sampler)
    weft_sampler_l1(o->sampler, &o->track, node, cu, cycle, in, out);
  if (o->answerer)
    weft_answerer_l1(o->answerer, &o->track, node, cu, cycle, in, out);
}

static void l2(void *context, unsigned node, unsigned bank, uint64_t cycle, const struct weft_l2_event *in,
               const struct weft_l2_event *out, const struct weft_dir_event *dir)
{
  struct weft_watch *o = context;
  if (o->directory && dir->valid)
    o->directory(o->directory_arg, node, cycle, dir);
  if (o->colds)
    weft_colds_l2(o->colds, node, in, out);
  if (!o->tracked)
    return;
  weft_track_l2(&o->track, node, bank, cycle, in, out, dir);
  if (o->latencies)
    weft_latencies_l2(o->latencies, &o->track, node, bank, cycle, in, out);
  if (o->history)
    weft_history_l2(o->history, &o->track, node, bank, cycle, in, out, dir);
  if (o->sampler)
    weft_sampler_l2(o->sampler, node, cycle, in, out, dir);
  if (o->answerer)
    weft_answerer_l2(o->answerer, node, bank, out);
}

static void link_(void *context, unsigned link, uint64_t cycle, const struct weft_link_event *e)
{
  struct weft_watch *o = context;
  if (o->latencies)
    weft_latencies_link(o->latencies, link, cycle, e);
  if (o->sampler)
    weft_sampler_link(o->sampler, link, cycle, e);
  if (o->captor)
    weft_captor_link(o->captor, link, cycle, e);
}

static void tick(void *context, uint64_t cycle)
{
  struct weft_watch *o = context;
  weft_sampler_tick(o->w, o->sampler, cycle);
}

int weft_watch_begin(struct weft *w)
{
  if (w->watch)
    return WEFT_OK;
  if (!w->ops->watch)
    return weft_fail(w, WEFT_NOT_BUILT_IN, "%s: has no units inside to look at; use model:%s or rtl:%s",
                     w->info.name, w->config_name, w->config_name);
  struct weft_watch *o = calloc(1, sizeof *o);
  if (!o)
    return weft_fail_memory(w);
  o->w = w;
  o->observer = (struct weft_observer){ .context = o, .l2 = l2 };
  w->watch = o;
  if (weft_track_open(&o->track, &w->config, w->protocol))
    return WEFT_OK;
  weft_watch_end(w);
  return weft_fail_memory(w);
}

void weft_watch_update(struct weft *w)
{
  struct weft_watch *o = w->watch;
  o->tracked = o->history || o->latencies || o->sampler || o->answerer;
  bool wanted = o->tracked || o->directory || o->colds || o->captor;
  /* Who looks at one unit alone does not pay for the events of the others. */
  o->observer.taken = o->tracked ? taken : NULL;
  o->observer.l1 = o->tracked ? l1 : NULL;
  o->observer.link = o->tracked || o->captor ? link_ : NULL;
  o->observer.tick = o->sampler ? tick : NULL;
  o->observer.every = o->sampler ? weft_sampler_every(o->sampler) : 0;
  w->ops->watch(w->backend, wanted ? &o->observer : NULL);
}

int weft_watch_directory(struct weft *w, weft_directory_function function, void *arg)
{
  if (weft_need_open(w) || weft_watch_begin(w))
    return w->failure.code;
  w->watch->directory = function;
  w->watch->directory_arg = arg;
  weft_watch_update(w);
  return WEFT_OK;
}

void weft_watch_end(struct weft *w)
{
  struct weft_watch *o = w->watch;
  if (!o)
    return;
  if (w->backend)
    w->ops->watch(w->backend, NULL);
  weft_history_free(o->history);
  weft_latencies_free(o->latencies);
  weft_sampler_free(o->sampler);
  weft_colds_free(o->colds);
  weft_captor_free(o->captor);
  weft_answerer_free(o->answerer);
  weft_track_close(&o->track);
  free(o);
  w->watch = NULL;
}

int weft_watch_restart(struct weft *w)
{
  struct weft_watch *o = w->watch;
  if (!o)
    return WEFT_OK;
  if (o->sampler)
    weft_sampler_restart(o->sampler);
  if (o->history)
    weft_history_restart(o->history);
  if (o->captor)
    weft_captor_restart(o->captor);
  if (o->answerer)
    weft_answerer_restart(o->answerer);
  if (o->latencies) {
    weft_latencies_free(o->latencies);
    o->latencies = weft_latencies_new(&w->config, w->egress == WEFT_EGRESS_FINEPACK);
    if (!o->latencies)
      return weft_fail_memory(w);
  }
  if (o->colds) {
    weft_colds_free(o->colds);
    o->colds = weft_colds_new(&w->config);
    if (!o->colds)
      return weft_fail_memory(w);
  }
  weft_watch_update(w);
  return WEFT_OK;
}
