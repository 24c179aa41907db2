/* SPDX-License-Identifier: Apache-2.0 */
#include <stdlib.h>
#include <string.h>

#include "tool.h"

/* A trace's addresses are the fabric's own unless pages were asked for; fig5 has its blocks at one node. */
static const char *placement_of(const struct arguments *a, const char *workload)
{
  return a->placement                 ? a->placement
         : !strcmp(workload, "trace") ? "physical"
         : !strcmp(workload, "fig5")  ? "fixed:0"
                                      : "first-touch";
}

static json_t *result_json(struct weft *w, const struct arguments *a, const char *workload,
                           const struct weft_workload_options *o, const struct run_result *r,
                           const struct samples *samples)
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
  if (object && a->sample) {
    json_object_set_new(object, "sample_interval", json_integer((json_int_t)samples->every));
    json_object_set_new(object, "samples", samples_json(samples));
  }
  if (object && a->latency)
    json_object_set_new(object, "latency", latencies_json(w));
  if (object && r->workload.step_count)
    json_object_set_new(object, "steps", steps_json(&r->workload));
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

static int report(struct session *s, const struct arguments *a, struct run_result *r,
                  const struct samples *samples, struct output *out)
{
  if (r->code)
    complain_library(s->w, r->code);
  int code = collect(s->w, r);
  if (code >= 0)
    return code;
  json_t *object = result_json(s->w, a, s->info.name, &s->options, r, samples);
  if (!object)
    return complain(EXIT_LACKS, "out of memory");
  code = output_json(out, object);
  int printed = EXIT_DONE;
  if (a->json) {
    printed = print_json(object);
  } else {
    summary_print(s->w, a, s->info.name, r);
    if (a->sample)
      samples_print(samples);
    if (a->latency)
      latencies_print(s->w);
    printed = print_done();
  }
  json_decref(object);
  if (code < 0)
    code = printed;
  return code ? code : weft_code_class(r->code);
}

/* What is looked at while it runs. */
static int look(struct session *s, const struct arguments *a, struct samples *samples,
                const struct output *trace)
{
  int code = WEFT_OK;
  if (trace->file)
    code = weft_trace(s->w, trace_out, trace->file);
  if (!code && a->sample) {
    if (!samples_open(samples, s->w, a->sample))
      return complain(EXIT_LACKS, "out of memory");
    code = weft_sample(s->w, a->sample, samples_take, samples);
  }
  if (!code && a->latency)
    code = weft_latency_start(s->w);
  return code ? complain_library(s->w, code) : -1;
}

static int run_open(struct session *s, const struct arguments *a, struct output *json_out,
                    struct output *trace, struct wave_out *wave)
{
  struct run_result r = { 0 };
  struct samples samples = { 0 };
  weft_describe(s->w, &r.machine);
  int code = look(s, a, &samples, trace);
  if (code < 0) {
    r.code = session_run(s, &r.workload);
    r.lockstep = r.machine.lockstep && r.code != WEFT_MISMATCH;
    if (weft_code_class(r.code) > 1)
      code = complain_library(s->w, r.code);
  }
  if (code < 0)
    code = wave_close(wave, s->w, a);
  if (code < 0) {
    code = output_close(trace);
    int reported = report(s, a, &r, &samples, json_out);
    if (code < 0)
      code = reported;
  }
  samples_free(&samples);
  free(r.counters);
  return code;
}

static int run(const struct arguments *a)
{
  struct session s;
  struct output json_out = { 0 }, trace = { 0 };
  struct wave_out wave = { 0 };
  int code = session_begin(&s, a);
  if (code < 0)
    code = output_open(&json_out, a->output);
  if (code < 0)
    code = output_open(&trace, a->trace_out);
  if (code < 0)
    code = wave_open(&wave, a);
  if (code < 0)
    code = session_open(&s, a, &wave);
  if (code < 0)
    code = run_open(&s, a, &json_out, &trace, &wave);
  session_end(&s);
  output_discard(&json_out);
  output_discard(&trace);
  wave_discard(&wave);
  return code;
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
    "  weft run pagerank -b model:quad --latency --sample 5000\n"
    "  weft run fig5 -b rtl:tiny                           (HALCONE's worked example beside the paper's)\n"
    "  weft run vecadd -b rtl:tiny --wave v.fst && gtkwave v.fst v.gtkw\n"
    "  weft run vecadd -b model:quad --trace-out t.txt && weft run trace --file t.txt -b rtl:quad",
  .takes_name = true,
  .bit = VERB_RUN,
  .run = run,
};
