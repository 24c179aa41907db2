/* SPDX-License-Identifier: Apache-2.0 */
/* What the verbs that run a workload have in common: which one, on what, and how. */
#include <stdlib.h>
#include <string.h>

#include "tool.h"

static int parse_placement(const char *text, struct weft_workload_options *o)
{
  char *end;
  if (!text)
    return -1;
  o->place = true;
  if (!strcmp(text, "first-touch"))
    o->placement = WEFT_FIRST_TOUCH;
  else if (!strcmp(text, "interleaved"))
    o->placement = WEFT_INTERLEAVED;
  else if (!strcmp(text, "replicated"))
    o->placement = WEFT_REPLICATED;
  else if (!strcmp(text, "fixed"))
    o->placement = 0;
  else if (!strncmp(text, "fixed:", 6) && text[6] >= '0' && text[6] <= '9' && strlen(text) < 10 &&
           (o->placement = (int)strtol(text + 6, &end, 10), !*end))
    return -1;
  else
    return complain(
      EXIT_USE, "there is no placement '%s'; there are first-touch, interleaved, replicated and fixed:NODE",
      text);
  return -1;
}

int session_begin(struct session *s, const struct arguments *a)
{
  memset(s, 0, sizeof *s);
  s->options = (struct weft_workload_options){
    .size = a->size,
    .seed = a->seed ? a->seed : 1,
    .iterations = a->iterations,
    .eager = a->eager,
    .launches = a->launches,
    .dispatch = a->dispatch,
    .store = a->store,
    .stride = a->stride,
    .graph = a->graph,
    .pattern = a->pattern,
    .file = a->file,
  };
  s->w = weft_new();
  if (!s->w)
    return complain(EXIT_LACKS, "out of memory");
  progress_open(&s->progress);
  const char *verb = a->verb->name;
  int code = parse_placement(a->placement, &s->options);
  if (code < 0 && !a->name)
    code = complain(EXIT_USE, "%s what? `weft list` names the workloads: weft %s pagerank -b rtl:quad", verb,
                    verb);
  if (code < 0 && !weft_workload_find(a->name, &s->info))
    code = complain_library(s->w, weft_workload_run(s->w, a->name, &s->options, NULL));
  if (code < 0 && !a->backend)
    code = complain(EXIT_USE, "%s on what? name a back-end: weft %s %s -b model:quad", verb, verb, a->name);
  return code;
}

int open_machine(struct weft *w, const struct arguments *a, struct progress *progress,
                 const struct wave_out *wave)
{
  struct weft_options o = {
    .protocol = a->protocol,
    .egress = a->egress,
    .timing = a->timing,
    .set = a->set,
    .no_lockstep = a->no_lockstep,
    .fault = a->fault,
    .seed = a->seed,
    .noise = a->noise > UINT32_MAX ? UINT32_MAX : (uint32_t)a->noise,
    .cut = a->cut,
    .jitter = a->jitter == NOT_SAID    ? 0
              : a->jitter > UINT32_MAX ? UINT32_MAX
                                       : (uint32_t)a->jitter,
    .patience = a->patience,
    .command = a->command,
    .progress = progress->on ? progress_show : NULL,
    .progress_arg = progress,
  };
  if (wave) {
    o.wave = output_name(&wave->fst);
    o.wave_view = output_name(&wave->view);
    o.wave_commands = output_name(&wave->commands);
    o.wave_from = a->wave_from;
    o.wave_to = a->wave_to;
  }
  int code = weft_open(w, a->backend, &o);
  progress_close(progress);
  return code ? complain_library(w, code) : -1;
}

int session_open(struct session *s, const struct arguments *a, const struct wave_out *wave)
{
  struct arguments all = *a;
  if (!all.protocol && s->info.name) /* episodes have no workload */
    all.protocol = weft_workload_protocol(s->info.name);
  return open_machine(s->w, &all, &s->progress, wave);
}

int session_run(struct session *s, struct weft_workload_result *result)
{
  int code = weft_workload_run(s->w, s->info.name, &s->options, result);
  progress_close(&s->progress);
  return code;
}

void session_end(struct session *s)
{
  weft_free(s->w);
}
