/* SPDX-License-Identifier: Apache-2.0 */
#include <inttypes.h>
#include <string.h>

#include "tool.h"

#define LIMIT_DEFAULT 1000U

static json_t *nodes_json(uint32_t nodes)
{
  json_t *array = json_array();
  for (unsigned n = 0; n < 32; n++)
    if (nodes >> n & 1U)
      json_array_append_new(array, json_integer(n));
  return array;
}

static json_t *happening_json(const struct weft_happening *h)
{
  json_t *object =
    json_pack("{s:I, s:i, s:s, s:s, s:b, s:s}", "cycle", (json_int_t)h->cycle, "node", (int)h->node, "unit",
              h->unit, "what", h->what, "word", h->word, "text", h->text);
  if (object && h->cu >= 0)
    json_object_set_new(object, "cu", json_integer(h->cu));
  if (object && h->warp >= 0)
    json_object_set_new(object, "warp", json_integer(h->warp));
  return object;
}

static json_t *summary_json(const struct weft_history_summary *s)
{
  return json_pack(
    "{s:I, s:I, s:I, s:I, s:I, s:o, s:o, s:I, s:I, s:I, s:I, s:I, s:I, s:I, s:I, s:I, s:I}", "loads",
    (json_int_t)s->loads, "stores", (json_int_t)s->stores, "atomics", (json_int_t)s->atomics, "word_reads",
    (json_int_t)s->word_reads, "word_writes", (json_int_t)s->word_writes, "readers", nodes_json(s->readers),
    "writers", nodes_json(s->writers), "copies", (json_int_t)s->copies, "invalidations",
    (json_int_t)s->invalidations, "invalidated", (json_int_t)s->invalidated, "inv_cycles_min",
    (json_int_t)s->inv_cycles_min, "inv_cycles_max", (json_int_t)s->inv_cycles_max, "fetches",
    (json_int_t)s->fetches, "evictions", (json_int_t)s->evictions, "first", (json_int_t)s->first, "last",
    (json_int_t)s->last, "happenings", (json_int_t)s->happenings);
}

static json_t *result_json(struct session *s, const struct arguments *a,
                           const struct weft_history_summary *sum, int code)
{
  struct weft_happening h;
  struct weft_machine m;
  json_t *history = json_array();
  weft_describe(s->w, &m);
  for (size_t i = 0; weft_history_at(s->w, i, &h); i++)
    json_array_append_new(history, happening_json(&h));
  return json_pack("{s:s, s:s, s:s, s:s, s:I, s:I, s:i, s:b, s:o, s:I, s:o, s:o}", "workload", s->info.name,
                   "backend", a->backend, "config", m.config, "address", a->address, "physical",
                   (json_int_t)sum->physical, "line", (json_int_t)sum->line, "home", (int)sum->home,
                   "verified", code == WEFT_OK, "summary", summary_json(sum), "left_out",
                   (json_int_t)(sum->in_window - sum->kept), "history", history, "provenance",
                   json_provenance(a, m.hash));
}

static void print_nodes(const char *before, uint32_t nodes)
{
  printf("%s", before);
  const char *comma = " ";
  for (unsigned n = 0; n < 32; n++)
    if (nodes >> n & 1U) {
      printf("%s%u", comma, n);
      comma = ", ";
    }
}

static void print_happening(const struct weft_happening *h)
{
  char who[40] = "";
  if (h->cu >= 0 && h->warp >= 0)
    snprintf(who, sizeof who, " cu %d warp %d", h->cu, h->warp);
  else if (h->cu >= 0)
    snprintf(who, sizeof who, " cu %d", h->cu);
  printf("%10" PRIu64 "  node %u %-9s%-13s%c %s\n", h->cycle, h->node, h->unit, who, h->word ? '*' : ' ',
         h->text);
}

static void print_summary(const struct weft_history_summary *s)
{
  printf("\n%" PRIu64 " loads, %" PRIu64 " stores, %" PRIu64 " atomics of the line; %" PRIu64
         " reads and %" PRIu64 " writes of the address itself (*)\n",
         s->loads, s->stores, s->atomics, s->word_reads, s->word_writes);
  if (s->readers)
    print_nodes("read by node", s->readers);
  if (s->writers)
    print_nodes(s->readers ? "; written by node" : "written by node", s->writers);
  printf("\n%" PRIu64 " copies made in other nodes, %" PRIu64 " INVs sent, %" PRIu64 " of them found a copy",
         s->copies, s->invalidations, s->invalidated);
  if (s->inv_cycles_max)
    printf(", %" PRIu64 " to %" PRIu64 " cycles after the home's step", s->inv_cycles_min, s->inv_cycles_max);
  printf("\n%" PRIu64 " fetches from memory, %" PRIu64 " evictions from an L2; from cycle %" PRIu64
         " to %" PRIu64 "\n",
         s->fetches, s->evictions, s->first, s->last);
}

static void print_history(struct session *s, const struct arguments *a,
                          const struct weft_history_summary *sum)
{
  struct weft_happening h;
  printf("%s on %s: the history of %s, physical 0x%" PRIx64 "\nline 0x%" PRIx64 ", byte %" PRIu64
         " of it; its home is node %u\n\n",
         s->info.name, a->backend, a->address, sum->physical, sum->line, sum->physical - sum->line,
         sum->home);
  printf("%10s  %-29s\n", "cycle", "where");
  for (size_t i = 0; weft_history_at(s->w, i, &h); i++)
    print_happening(&h);
  if (sum->kept < sum->in_window)
    printf("%10s  %" PRIu64 " more are left out; see them with --limit %" PRIu64 " or --from %" PRIu64 "\n",
           "...", sum->in_window - sum->kept, sum->in_window, h.cycle);
  if (sum->in_window < sum->happenings)
    printf("%10s  %" PRIu64 " lie outside the cycles that were asked for\n", "",
           sum->happenings - sum->in_window);
  print_summary(sum);
}

/* A run that went wrong has a history all the same. */
static int explain(struct session *s, const struct arguments *a, struct output *out)
{
  struct weft_workload_result result;
  struct weft_history_summary sum;
  struct weft_explain_options o = { a->from, a->until, a->limit ? a->limit : LIMIT_DEFAULT };
  int code = weft_explain(s->w, a->address, &o);
  if (code)
    return complain_library(s->w, code);
  int ran = session_run(s, &result);
  if (ran)
    complain_library(s->w, ran);
  if (weft_code_class(ran) > 1)
    return weft_code_class(ran);
  code = weft_history_read(s->w, &sum);
  if (code)
    return complain_library(s->w, code);
  json_t *object = result_json(s, a, &sum, ran);
  if (!object)
    return complain(EXIT_LACKS, "out of memory");
  code = output_json(out, object);
  if (code < 0 && a->json)
    code = print_json(object);
  json_decref(object);
  if (code < 0) {
    print_history(s, a, &sum);
    code = print_done();
  }
  return code ? code : weft_code_class(ran);
}

static int run(const struct arguments *a)
{
  struct session s;
  struct output out = { 0 };
  int code = session_begin(&s, a);
  if (code < 0 && !a->address)
    code = complain(EXIT_USE, "explain which address? --address ARRAY[INDEX], or --address 0x1000000040");
  if (code < 0)
    code = output_open(&out, a->output);
  if (code < 0)
    code = session_open(&s, a, NULL);
  if (code < 0)
    code = explain(&s, a, &out);
  output_discard(&out);
  session_end(&s);
  return code;
}

const struct verb verb_explain = {
  .name = "explain",
  .synopsis = "WORKLOAD -b BACKEND --address A [options]",
  .about = "run a workload and tell the history of one address",
  .teaches =
    "Runs a workload as `weft run` does, and tells what happened to one address and its line, cycle by cycle:\n"
    "who read and wrote it, where copies went, who was invalidated, when it came from memory. A is ARRAY[INDEX] of\n"
    "the workload's arrays (a wrong name lists them), or a physical address as traces and lock-step reports show\n"
    "them. Equal on model: and rtl:. A * marks operations on the very bytes that were asked for.\n"
    "\n"
    "  weft explain pagerank -b model:quad --address rank[17]\n"
    "  weft explain mix -b rtl:tiny --address 0x1000000040 --from 1000 --until 2000 --json",
  .takes_name = true,
  .bit = VERB_EXPLAIN,
  .run = run,
};
