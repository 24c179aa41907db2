/* SPDX-License-Identifier: Apache-2.0 */
#include <inttypes.h>
#include <string.h>

#include "tool.h"

#define JITTER 300 /* per mille, unless the user says otherwise: without delays runs are too much alike */

struct tally {
  unsigned verdict[WEFT_LITMUS_SKIPPED + 1], contradictions, wrong;
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
  unsigned map, place;
  if (!a->name_count)
    return complain(EXIT_USE, "litmus what? name files or folders: weft litmus tests/litmus -b model:quad");
  if (!a->backend)
    return complain(EXIT_USE, "litmus on what? name a back-end: weft litmus %s -b model:quad", a->names[0]);
  int code = choose("--map", a->map, weft_litmus_map_at, &map);
  if (code < 0)
    code = choose("--place", a->place, weft_litmus_place_at, &place);
  if (code < 0)
    *o = (struct weft_litmus_options){ .runs = a->runs,
                                       .seed = a->seed,
                                       .map = (enum weft_litmus_map)map,
                                       .place = (enum weft_litmus_place)place };
  return code;
}

/* ---- Telling ----------------------------------------------------------------------------------------- */

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
    json_object_set_new(object, "expected", f->expected < 0 ? json_null() : json_integer(f->expected));
  return object;
}

static json_t *summary_json(const struct tally *t, size_t tests)
{
  return json_pack("{s:I, s:i, s:i, s:i, s:i, s:i, s:i, s:b}", "tests", (json_int_t)tests, "seen",
                   (int)t->verdict[WEFT_LITMUS_SEEN], "not_seen", (int)t->verdict[WEFT_LITMUS_NOT_SEEN], "ok",
                   (int)t->verdict[WEFT_LITMUS_OK], "violated", (int)t->verdict[WEFT_LITMUS_VIOLATED],
                   "skipped", (int)t->verdict[WEFT_LITMUS_SKIPPED], "contradictions", (int)t->contradictions,
                   "passed", !t->wrong);
}

static void print_test(const struct litmus_file *f, const struct weft_litmus_result *r, bool contradicts)
{
  printf("%s (%s): %s%s%s%s\n", weft_litmus_name(f->test), f->path, weft_litmus_verdict_name(r->verdict),
         contradicts ? ", which contradicts the table" : "", r->reason[0] ? ": " : "", r->reason);
  for (size_t i = 0; i < r->state_count; i++)
    printf("%8" PRIu64 " %c> %s\n", r->states[i].count, r->states[i].meets ? '*' : ':', r->states[i].text);
  if (r->unfinished)
    printf("%8" PRIu64 " unfinished\n", r->unfinished);
}

static void print_summary(const struct tally *t, size_t tests)
{
  printf("%zu test%s: %u seen, %u not-seen, %u ok, %u violated, %u skipped; %u contradict the table\n", tests,
         tests == 1 ? "" : "s", t->verdict[WEFT_LITMUS_SEEN], t->verdict[WEFT_LITMUS_NOT_SEEN],
         t->verdict[WEFT_LITMUS_OK], t->verdict[WEFT_LITMUS_VIOLATED], t->verdict[WEFT_LITMUS_SKIPPED],
         t->contradictions);
}

/* ---- Running ----------------------------------------------------------------------------------------- */

/* A violation that the table expects is none. */
static bool note(struct tally *t, const struct litmus_file *f, enum weft_litmus_verdict verdict)
{
  bool contradicts = weft_litmus_contradicts(verdict, f->expected);
  t->verdict[verdict]++;
  t->contradictions += contradicts;
  t->wrong += contradicts || (verdict == WEFT_LITMUS_VIOLATED && f->expected != 0);
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
    bool contradicts = note(tally, f, r.verdict);
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
  return json_pack("{s:s, s:s, s:s, s:I, s:s, s:s, s:O, s:o, s:o}", "backend", a->backend, "config",
                   m->config, "protocol", m->protocol, "seed", (json_int_t)(o->seed ? o->seed : 1), "map",
                   weft_litmus_map_at(o->map), "place", weft_litmus_place_at(o->place), "tests", tests,
                   "summary", summary_json(tally, count), "provenance", json_provenance(a, m->hash));
}

static int run_open(struct weft *w, const struct arguments *a, const struct litmus_files *files,
                    const struct weft_litmus_options *o, struct progress *progress, struct output *out)
{
  struct weft_machine m;
  struct tally tally = { 0 };
  json_t *tests = json_array();
  weft_describe(w, &m);
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
    "may be missing, but none that is forbidden may be seen.\n"
    "\n"
    "  weft litmus tests/litmus -b model:quad --expected tests/litmus/expected.csv\n"
    "  weft litmus MP.litmus SB.litmus -b rtl:tiny --runs 5000 --seed 7\n"
    "  weft litmus CoRR.litmus -b model:quad --map weak --json\n"
    "  weft litmus tests/litmus -b model:quad --protocol none         (no coherence: exit code 1)",
  .takes_names = true,
  .bit = VERB_LITMUS,
  .run = run,
};
