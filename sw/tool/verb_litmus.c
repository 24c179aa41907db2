/* SPDX-License-Identifier: Apache-2.0 */
#include <inttypes.h>
#include <string.h>

#include "tool.h"

#define JITTER 300 /* per mille, unless the user says otherwise: without delays runs are too much alike */

struct tally {
  unsigned verdict[WEFT_LITMUS_SKIPPED + 1], contradictions, wrong;
  unsigned judged, outside, unjudged; /* by the oracle */
};

/* ---- Options ----------------------------------------------------------------------------------------- */

static int choose(const char *option, const char *text, const char *(*at)(size_t), unsigned *choice)
{
  *choice = 0;
  if (!text)
    return -1;
  for (unsigned i = 0; at(i); i++)
    if (!strcmp(at(i), text)) {
      *choice = i;
      return -1;
    }
  char all[128];
  size_t used = 0;
  for (size_t i = 0; at(i); i++)
    used += (size_t)snprintf(all + used, sizeof all - used, "%s%s", i ? ", " : "", at(i));
  return complain(EXIT_USE, "%s %s: there are %s", option, text, all);
}

static int take_options(const struct arguments *a, struct weft_litmus_options *o)
{
  unsigned map, place, oracle;
  if (!a->name_count)
    return complain(EXIT_USE, "litmus what? name files or folders: weft litmus tests/litmus -b model:quad");
  if (!a->backend)
    return complain(EXIT_USE, "litmus on what? name a back-end: weft litmus %s -b model:quad", a->names[0]);
  int code = choose("--map", a->map, weft_litmus_map_at, &map);
  if (code < 0)
    code = choose("--place", a->place, weft_litmus_place_at, &place);
  if (code < 0)
    code = choose("--oracle", a->oracle, weft_litmus_oracle_at, &oracle);
  if (code < 0)
    *o = (struct weft_litmus_options){ .runs = a->runs,
                                       .seed = a->seed,
                                       .map = (enum weft_litmus_map)map,
                                       .place = (enum weft_litmus_place)place,
                                       .oracle = (enum weft_litmus_oracle)oracle };
  return code;
}

/* Was there something that the oracle could judge, and was it to? */
static bool asked(const struct weft_litmus_result *r)
{
  return r->oracle == WEFT_LITMUS_ORACLE_SC && r->verdict != WEFT_LITMUS_SKIPPED;
}

/* ---- Telling ----------------------------------------------------------------------------------------- */

/* What the oracle says: null if it was not asked. */
static json_t *oracle_json(const struct weft_litmus_result *r)
{
  if (!asked(r))
    return json_null();
  json_t *outside = json_array();
  for (size_t i = 0; i < r->state_count; i++)
    if (r->states[i].outside)
      json_array_append_new(outside, json_string(r->states[i].text));
  return json_pack("{s:s, s:s, s:s, s:I, s:o}", "name", weft_litmus_oracle_at(r->oracle), "result",
                   r->unjudged[0] ? "unjudged"
                   : r->outside   ? "outside"
                                  : "inside",
                   "reason", r->unjudged, "allowed", (json_int_t)r->allowed, "outside", outside);
}

static json_t *test_json(const struct litmus_file *f, const struct weft_litmus_result *r, bool contradicts)
{
  json_t *states = json_object();
  for (size_t i = 0; i < r->state_count; i++)
    json_object_set_new(states, r->states[i].text, json_integer((json_int_t)r->states[i].count));
  json_t *object =
    json_pack("{s:s, s:s, s:s, s:s, s:o, s:I, s:I, s:I, s:b}", "name", weft_litmus_name(f->test), "file",
              f->path, "result", weft_litmus_verdict_name(r->verdict), "reason", r->reason, "states", states,
              "runs", (json_int_t)r->runs, "unfinished", (json_int_t)r->unfinished, "filtered",
              (json_int_t)r->filtered, "contradicts", contradicts);
  if (object)
    json_object_set_new(object, "oracle", oracle_json(r));
  if (object)
    json_object_set_new(object, "expected", f->expected < 0 ? json_null() : json_integer(f->expected));
  return object;
}

static json_t *summary_json(const struct tally *t, size_t tests)
{
  return json_pack("{s:I, s:i, s:i, s:i, s:i, s:i, s:i, s:i, s:i, s:b}", "tests", (json_int_t)tests, "seen",
                   (int)t->verdict[WEFT_LITMUS_SEEN], "not_seen", (int)t->verdict[WEFT_LITMUS_NOT_SEEN], "ok",
                   (int)t->verdict[WEFT_LITMUS_OK], "violated", (int)t->verdict[WEFT_LITMUS_VIOLATED],
                   "skipped", (int)t->verdict[WEFT_LITMUS_SKIPPED], "contradictions", (int)t->contradictions,
                   "outside", (int)t->outside, "unjudged", (int)t->unjudged, "passed", !t->wrong);
}

static void print_test(const struct litmus_file *f, const struct weft_litmus_result *r, bool contradicts)
{
  printf("%s (%s): %s%s%s%s\n", weft_litmus_name(f->test), f->path, weft_litmus_verdict_name(r->verdict),
         contradicts ? ", which contradicts the table" : "", r->reason[0] ? ": " : "", r->reason);
  for (size_t i = 0; i < r->state_count; i++)
    printf("%8" PRIu64 " %c> %s%s\n", r->states[i].count, r->states[i].meets ? '*' : ':', r->states[i].text,
           r->states[i].outside ? "  not sequentially consistent" : "");
  if (r->unfinished)
    printf("%8" PRIu64 " unfinished\n", r->unfinished);
  if (r->unjudged[0])
    printf("         not judged by %s: %s\n", weft_litmus_oracle_at(r->oracle), r->unjudged);
}

static void print_summary(const struct tally *t, size_t tests)
{
  printf("%zu test%s: %u seen, %u not-seen, %u ok, %u violated, %u skipped; %u contradict the table\n", tests,
         tests == 1 ? "" : "s", t->verdict[WEFT_LITMUS_SEEN], t->verdict[WEFT_LITMUS_NOT_SEEN],
         t->verdict[WEFT_LITMUS_OK], t->verdict[WEFT_LITMUS_VIOLATED], t->verdict[WEFT_LITMUS_SKIPPED],
         t->contradictions);
  if (t->judged + t->unjudged)
    printf("%u judged by all interleavings: %u not sequentially consistent; %u not judged\n", t->judged,
           t->outside, t->unjudged);
}

/* ---- Running ----------------------------------------------------------------------------------------- */

/* A violation that the table expects is none. A state that the oracle has not is one, whatever the table says. */
static bool note(struct tally *t, const struct litmus_file *f, const struct weft_litmus_result *r)
{
  bool contradicts = weft_litmus_contradicts(r->verdict, f->expected);
  bool judged = asked(r) && !r->unjudged[0];
  t->verdict[r->verdict]++;
  t->contradictions += contradicts;
  t->judged += judged;
  t->unjudged += asked(r) && !judged;
  t->outside += r->outside > 0;
  t->wrong += contradicts || r->outside || (r->verdict == WEFT_LITMUS_VIOLATED && f->expected != 0);
  return contradicts;
}

static int run_files(struct weft *w, const struct arguments *a, const struct litmus_files *files,
                     const struct weft_litmus_options *o, struct progress *progress, struct tally *tally,
                     json_t *tests)
{
  int code = WEFT_OK;
  for (size_t i = 0; !code && i < files->count; i++) {
    const struct litmus_file *f = &files->file[i];
    struct weft_litmus_result r;
    char what[64];
    snprintf(what, sizeof what, "test %zu of %zu", i + 1, files->count);
    progress_show(progress, &(struct weft_progress){ .what = what, .detail = weft_litmus_name(f->test) });
    code = weft_litmus_run(w, f->test, o, &r);
    progress_close(progress);
    if (code)
      break;
    bool contradicts = note(tally, f, &r);
    json_array_append_new(tests, test_json(f, &r, contradicts));
    if (!a->json)
      print_test(f, &r, contradicts);
  }
  return code;
}

static json_t *result_json(const struct arguments *a, const struct weft_machine *m,
                           const struct weft_litmus_options *o, json_t *tests, const struct tally *tally,
                           size_t count)
{
  return json_pack("{s:s, s:s, s:s, s:I, s:s, s:s, s:s, s:O, s:o, s:o}", "backend", a->backend, "config",
                   m->config, "protocol", m->protocol, "seed", (json_int_t)(o->seed ? o->seed : 1), "map",
                   weft_litmus_map_at(o->map), "place", weft_litmus_place_at(o->place), "oracle",
                   weft_litmus_oracle_at(o->oracle), "tests", tests, "summary", summary_json(tally, count),
                   "provenance", json_provenance(a, m->hash));
}

static int run_open(struct weft *w, const struct arguments *a, const struct litmus_files *files,
                    struct weft_litmus_options *o, struct progress *progress, struct output *out)
{
  struct weft_machine m;
  struct tally tally = { 0 };
  json_t *tests = json_array();
  weft_describe(w, &m);
  if (!a->map && weft_litmus_promises_sc(m.protocol))
    o->map = WEFT_LITMUS_WEAK;
  int code = run_files(w, a, files, o, progress, &tally, tests);
  int told = code ? complain_library(w, code) : EXIT_DONE;
  json_t *object = result_json(a, &m, o, tests, &tally, json_array_size(tests));
  if (object && code)
    json_object_set_new(object, "error",
                        json_pack("{s:s, s:s}", "code", weft_code_name(code), "message", weft_message(w)));
  int result = told > EXIT_WRONG ? -1 : output_result(out, object, a->json);
  if (told > EXIT_WRONG)
    json_decref(object);
  if (result < 0 && !told)
    print_summary(&tally, json_array_size(tests));
  json_decref(tests);
  if (result < 0)
    result = print_done();
  return told ? told : result ? result : tally.wrong ? EXIT_WRONG : EXIT_DONE;
}

static int run(const struct arguments *a)
{
  struct weft_litmus_options o = { 0 };
  struct litmus_files files = { 0 };
  struct output out = { 0 };
  struct progress progress;
  struct arguments with = *a;
  struct weft *w = weft_new();
  progress_open(&progress);
  if (a->jitter == NOT_SAID)
    with.jitter = JITTER;
  int code = w ? take_options(a, &o) : complain(EXIT_LACKS, "out of memory");
  if (code < 0)
    code = litmus_files_find(&files, a);
  if (code < 0)
    code = litmus_files_read(&files, w);
  if (code < 0)
    code = litmus_files_expect(&files, a->expected);
  if (code < 0)
    code = output_open(&out, a->output);
  if (code < 0)
    code = open_machine(w, &with, &progress, NULL);
  if (code < 0)
    code = run_open(w, a, &files, &o, &progress, &out);
  output_discard(&out);
  litmus_files_free(&files);
  weft_free(w);
  return code;
}

const struct verb verb_litmus = {
  .name = "litmus",
  .synopsis = "FILE|DIR... -b BACKEND [options]",
  .about = "run litmus tests and tell which final states there were",
  .teaches =
    "Reads litmus tests in herd's format (RISC-V, and PTX with scopes), of folders all files that end with\n"
    ".litmus, and runs each of them many times on the fabric: threads on warps that are drawn anew, variables\n"
    "on random homes, with delays, in cold and in warm caches. `exists` is seen or not-seen; `~exists` and\n"
    "`forall` are ok or violated; what cannot be expressed is skipped, with the reason. In the histogram states\n"
    "that meet the condition have a star. Exit code 1 says that something is violated, or contradicts the\n"
    "table of --expected, in which 1 stands for an assertion that holds and 0 for one that does not: a state\n"
    "may be missing, but none that is forbidden may be seen. --oracle sc also tries every interleaving of the\n"
    "threads, and a state in which none of them ends has exit code 1 too; on halcone-causal that is so anyway.\n"
    "\n"
    "  weft litmus tests/litmus -b model:quad --expected tests/litmus/expected.csv\n"
    "  weft litmus MP.litmus SB.litmus -b rtl:tiny --runs 5000 --seed 7\n"
    "  weft litmus CoRR.litmus -b model:quad --map weak --json\n"
    "  weft litmus SB.litmus -b model:quad --oracle sc                (weaker than it: exit code 1)\n"
    "  weft litmus tests/litmus -b model:quad --protocol none         (no coherence: exit code 1)",
  .takes_names = true,
  .bit = VERB_LITMUS,
  .run = run,
};
