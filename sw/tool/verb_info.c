/* SPDX-License-Identifier: Apache-2.0 */
#include <inttypes.h>

#include "tool.h"

static json_t *info_json(struct weft *w, const struct arguments *a, const struct weft_machine *m)
{
  json_t *counters = json_array();
  for (size_t i = 0; i < weft_counter_total(w); i++)
    json_array_append_new(counters, json_string(weft_counter_name(w, i)));
  json_t *protocols = json_array();
  for (size_t i = 0; weft_protocol_at(i); i++)
    if (weft_protocol_runs(w, weft_protocol_at(i)))
      json_array_append_new(protocols, json_string(weft_protocol_at(i)));
  return json_pack("{s:s, s:s, s:i, s:s, s:i, s:i, s:i, s:i, s:i, s:i, s:I, s:b, s:b, s:o, s:o, s:o}",
                   "backend", m->backend, "config", m->config, "abi", (int)m->abi, "hash", m->hash, "nodes",
                   (int)m->nodes, "cus", (int)m->cus, "warps", (int)m->warps, "outstanding",
                   (int)m->outstanding, "line", (int)m->line, "page", (int)m->page, "memory",
                   (json_int_t)m->memory, "lockstep", m->lockstep, "any_parameters", m->any_parameters,
                   "protocols", protocols, "counters", counters, "provenance", json_provenance(a, m->hash));
}

static void print_info(struct weft *w, const struct weft_machine *m)
{
  printf("%s:%s\n", m->backend, m->config);
  printf("  %u nodes x %u CUs x %u warps, %u operations in flight per warp\n", m->nodes, m->cus, m->warps,
         m->outstanding);
  printf("  lines of %u bytes, pages of %u, %" PRIu64 " bytes of memory per node\n", m->line, m->page,
         m->memory);
  printf("  ABI %u, hash %s\n", m->abi, m->hash);
  printf("  %s%s\n", m->any_parameters ? "takes any parameters" : "takes the parameters that were built in",
         m->lockstep ? "; runs in lock-step with the model" : "");
  printf("  protocols:");
  for (size_t i = 0; weft_protocol_at(i); i++)
    if (weft_protocol_runs(w, weft_protocol_at(i)))
      printf(" %s", weft_protocol_at(i));
  printf("\n  %zu counters, of which the sums are:\n", weft_counter_total(w));
  for (size_t i = 0; i < weft_counter_total(w); i++)
    if (weft_counter_name(w, i)[0] == 't')
      printf("    %s\n", weft_counter_name(w, i));
}

static int show(struct weft *w, const struct arguments *a, struct output *out)
{
  struct weft_machine m;
  weft_describe(w, &m);
  int code = output_result(out, info_json(w, a, &m), a->json);
  if (code >= 0)
    return code;
  print_info(w, &m);
  return print_done();
}

static int run(const struct arguments *a)
{
  struct output out;
  struct progress progress;
  if (!a->backend)
    return complain(EXIT_USE, "info on what? name a back-end: weft info -b model:quad");
  struct weft *w = weft_new();
  if (!w)
    return complain(EXIT_LACKS, "out of memory");
  progress_open(&progress);
  int code = output_open(&out, a->output);
  if (code < 0) {
    struct weft_options o = { .protocol = a->protocol,
                              .set = a->set,
                              .command = a->command,
                              .progress = progress.on ? progress_show : NULL,
                              .progress_arg = &progress };
    int opened = weft_open(w, a->backend, &o);
    progress_close(&progress);
    code = opened ? complain_library(w, opened) : show(w, a, &out);
  }
  output_discard(&out);
  weft_free(w);
  return code;
}

const struct verb verb_info = {
  .name = "info",
  .synopsis = "-b BACKEND [options]",
  .about = "tell what a back-end is and can do",
  .teaches =
    "Opens a back-end and tells what stands behind it: its configuration and hash, what it can do, and the\n"
    "names of all its counters. rtl:CONFIG is built first if it never was.\n"
    "\n"
    "  weft info -b model:quad --json",
  .bit = VERB_INFO,
  .run = run,
};
