/* SPDX-License-Identifier: Apache-2.0 */
#include <stdlib.h>
#include <string.h>

#include "tool.h"

/* Snapshots of the counters, gathered while kernels run. */
struct samples {
  struct weft *w;
  json_t *array;
};

static void take_sample(void *arg, uint64_t cycle, const uint64_t *values, size_t count)
{
  struct samples *s = arg;
  (void)count;
  json_array_append_new(s->array, json_pack("{s:I, s:o}", "cycle", (json_int_t)cycle, "counters",
                                            json_counters(s->w, values, "total.")));
}

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
  else if (!strcmp(text, "fixed"))
    o->placement = 0;
  else if (!strncmp(text, "fixed:", 6) && text[6] >= '0' && text[6] <= '9' && strlen(text) < 10 &&
           (o->placement = (int)strtol(text + 6, &end, 10), !*end))
    return -1;
  else
    return complain(EXIT_USE, "there is no placement '%s'; there are first-touch, interleaved and fixed:NODE",
                    text);
  return -1;
}

static int open_machine(struct weft *w, const struct arguments *a, struct progress *progress,
                        const struct output *wave)
{
  struct weft_options o = {
    .protocol = a->protocol,
    .egress = a->egress,
    .timing = a->timing,
    .set = a->set,
    .no_lockstep = a->no_lockstep,
    .fault = a->fault,
    .seed = a->seed,
    .jitter = a->jitter > UINT32_MAX ? UINT32_MAX : (uint32_t)a->jitter,
    .patience = a->patience,
    .wave = output_name(wave),
    .command = a->command,
    .progress = progress->on ? progress_show : NULL,
    .progress_arg = progress,
  };
  return weft_open(w, a->backend, &o);
}

/* A trace's addresses are the fabric's own unless pages were asked for. */
static const char *placement_of(const struct arguments *a, const char *workload)
{
  return a->placement ? a->placement : !strcmp(workload, "trace") ? "physical" : "first-touch";
}

static json_t *result_json(struct weft *w, const struct arguments *a, const char *workload,
                           const struct weft_workload_options *o, const struct run_result *r, json_t *samples)
{
  const struct weft_machine *m = &r->machine;
  const struct weft_statistics *s = &r->statistics;
  json_t *object = json_pack(
    "{s:s, s:s, s:s, s:s, s:s, s:s, s:i, s:I, s:I, s:s, s:I, s:I, s:I, s:b, s:b, s:f, s:o, s:o}", "workload",
    workload, "backend", a->backend, "config", m->config, "protocol", m->protocol, "egress",
    a->egress ? a->egress : "plain", "placement", placement_of(a, workload), "nodes", (int)m->nodes, "seed",
    (json_int_t)o->seed, "size", (json_int_t)r->workload.size, "input", r->workload.summary, "cycles",
    (json_int_t)s->cycles, "operations", (json_int_t)s->operations, "bytes", (json_int_t)s->bytes, "verified",
    r->workload.verified, "lockstep", r->lockstep, "wall_seconds", s->wall_seconds, "counters",
    json_counters(w, r->counters, ""), "provenance", json_provenance(a, m->hash));
  if (object && r->code)
    json_object_set_new(object, "error",
                        json_pack("{s:s, s:s}", "code", weft_code_name(r->code), "message", r->message));
  if (object && r->code == WEFT_STUCK)
    json_object_set_new(object, "waits", json_string(weft_report(w)));
  if (object && samples)
    json_object_set(object, "samples", samples);
  return object;
}

/* What is known at the end, whether it went well or not. After a failure the counters may not be had any
 * more. */
static int collect(struct weft *w, struct run_result *r)
{
  snprintf(r->message, sizeof r->message, "%s", r->code ? weft_message(w) : "");
  weft_statistics_read(w, &r->statistics);
  r->counters = calloc(weft_counter_total(w) + 1, sizeof *r->counters);
  if (!r->counters)
    return complain(EXIT_LACKS, "out of memory");
  int code = weft_counters_read(w, r->counters, weft_counter_total(w));
  return code && !r->code ? complain_library(w, code) : -1;
}

static int report(struct weft *w, const struct arguments *a, const char *workload,
                  const struct weft_workload_options *o, struct run_result *r, json_t *samples,
                  struct output *out)
{
  if (r->code)
    complain_library(w, r->code);
  int code = collect(w, r);
  if (code >= 0)
    return code;
  json_t *object = result_json(w, a, workload, o, r, samples);
  if (!object)
    return complain(EXIT_LACKS, "out of memory");
  code = output_json(out, object);
  int printed = EXIT_DONE;
  if (a->json) {
    printed = print_json(object);
  } else {
    summary_print(w, a, workload, r);
    printed = print_done();
  }
  json_decref(object);
  if (code < 0)
    code = printed;
  return code ? code : weft_code_class(r->code);
}

static int run_open(struct weft *w, const struct arguments *a, const char *workload,
                    const struct weft_workload_options *o, struct progress *progress, struct output *json_out,
                    struct output *trace)
{
  struct run_result r = { 0 };
  struct samples samples = { .w = w };
  weft_describe(w, &r.machine);
  if (trace->file)
    weft_trace(w, trace_out, trace->file);
  if (a->sample) {
    samples.array = json_array();
    weft_sample(w, a->sample, take_sample, &samples);
  }
  r.code = weft_workload_run(w, workload, o, &r.workload);
  progress_close(progress);
  r.lockstep = r.machine.lockstep && r.code != WEFT_MISMATCH;
  int code;
  if (weft_code_class(r.code) > 1) {
    code = complain_library(w, r.code);
  } else {
    code = output_close(trace);
    int reported = report(w, a, workload, o, &r, samples.array, json_out);
    if (code < 0)
      code = reported;
  }
  json_decref(samples.array);
  free(r.counters);
  return code;
}

static int run(const struct arguments *a)
{
  struct weft_workload_options o = {
    .size = a->size,
    .seed = a->seed ? a->seed : 1,
    .iterations = a->iterations,
    .graph = a->graph,
    .pattern = a->pattern,
    .file = a->file,
  };
  struct weft_workload_info info = { 0 };
  struct output json_out = { 0 }, trace = { 0 }, wave = { 0 };
  struct progress progress;
  struct weft *w = weft_new();
  if (!w)
    return complain(EXIT_LACKS, "out of memory");
  int code = parse_placement(a->placement, &o);
  if (code < 0 && !a->name)
    code = complain(EXIT_USE, "run what? `weft list` names the workloads: weft run pagerank -b rtl:quad");
  else if (code < 0 && !weft_workload_find(a->name, &info))
    code = complain_library(w, weft_workload_run(w, a->name, &o, NULL));
  if (code < 0 && !a->backend)
    code = complain(EXIT_USE, "run on what? name a back-end: weft run %s -b model:quad", a->name);
  if (code < 0)
    code = output_open(&json_out, a->output);
  if (code < 0)
    code = output_open(&trace, a->trace_out);
  if (code < 0)
    code = output_open(&wave, a->wave);
  progress_open(&progress);
  if (code < 0 && info.name) {
    int opened = open_machine(w, a, &progress, &wave);
    progress_close(&progress);
    code = opened ? complain_library(w, opened) : run_open(w, a, info.name, &o, &progress, &json_out, &trace);
  }
  weft_free(w); /* the wave file is complete now */
  int kept = code == EXIT_DONE || code == EXIT_WRONG ? output_close(&wave) : -1;
  output_discard(&json_out);
  output_discard(&trace);
  output_discard(&wave);
  return kept < 0 ? code : kept;
}

const struct verb verb_run = {
  .name = "run",
  .synopsis = "WORKLOAD -b BACKEND [options]",
  .about = "run a workload and check its result",
  .teaches =
    "Runs a workload (`weft list` names them) on every warp of the machine. Its loads, stores and atomics\n"
    "carry real data through the fabric. At the end memory is compared with a plain C run of the same\n"
    "algorithm, bit for bit. With rtl: the model runs beside the RTL in lock-step, and the first difference\n"
    "stops the run. Exit code 1 and `verified: false` say that the answer is wrong; the JSON is still there.\n"
    "\n"
    "  weft run pagerank -b rtl:quad --json\n"
    "  weft run sssp -b model:quad --graph karate.mtx --nodes 8\n"
    "  weft run mix -b rtl:tiny --size 20000 --jitter 200 --seed 7\n"
    "  weft run mix -b model:quad --protocol none          (no coherence: exit code 1)\n"
    "  weft run vecadd -b model:quad --trace-out t.txt && weft run trace --file t.txt -b rtl:quad",
  .takes_name = true,
  .bit = VERB_RUN,
  .run = run,
};
