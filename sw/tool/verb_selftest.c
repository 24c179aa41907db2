/* SPDX-License-Identifier: Apache-2.0 */
#include <stdlib.h>
#include <string.h>

#include "boards.h"

static int open_board(struct selftest *t, bool free_time)
{
  const struct weft_options options = { .protocol = t->a->protocol,
                                        .fault = t->a->fault,
                                        .timing = free_time ? "free" : "exact",
                                        .command = t->a->command };
  return weft_open(t->w, t->a->backend ? t->a->backend : "usb:", &options);
}

static int run_step(struct selftest *t, const struct selftest_step *step)
{
  int code = WEFT_OK;
  t->detail[0] = 0;
  t->figures = NULL;
  if (step->free_time) {
    weft_close(t->w);
    code = open_board(t, true);
  }
  if (!code)
    code = step->run(t);
  if (code && (code != WEFT_WRONG_RESULT || !t->detail[0]))
    snprintf(t->detail, sizeof t->detail, "%.*s", (int)strcspn(weft_message(t->w), "\n"), weft_message(t->w));
  return code;
}

static json_t *step_json(struct selftest *t, const char *name, int code)
{
  json_t *object = json_pack("{s:s, s:b, s:s}", "name", name, "ok", !code, "detail", t->detail);
  if (object && code)
    json_object_set_new(object, "code", json_string(weft_code_name(code)));
  if (object && t->figures)
    json_object_set_new(object, "figures", t->figures);
  return object;
}

/* Goes on after a wrong result, and no further after a board that fails. */
static int run_steps(struct selftest *t, json_t *all)
{
  int worst = WEFT_OK;
  for (size_t i = 0; selftest_at(i) && weft_code_class(worst) <= 1; i++) {
    const struct selftest_step *step = selftest_at(i);
    int code = run_step(t, step);
    if (!t->a->json)
      printf("%-10s  %s  %s\n", step->name, code ? "FAILED" : "ok", t->detail);
    fflush(stdout);
    json_array_append_new(all, step_json(t, step->name, code));
    if (code && weft_code_class(code) > 1)
      complain_library(t->w, code);
    if (weft_code_class(code) > weft_code_class(worst))
      worst = code;
  }
  return worst;
}

static int run_open(struct selftest *t, struct output *out)
{
  struct weft_machine machine;
  weft_describe(t->w, &machine);
  char config[32], hash[65];
  snprintf(config, sizeof config, "%s", machine.config);
  snprintf(hash, sizeof hash, "%s", machine.hash);
  json_t *all = json_array();
  int worst = run_steps(t, all);
  json_t *object = json_pack("{s:b, s:s, s:b, s:o, s:o}", "ok", !worst, "config", config, "quick", t->quick,
                             "steps", all, "provenance", json_provenance(t->a, hash));
  int code = output_result(out, object, t->a->json);
  if (code < 0) {
    printf("%s: %s\n", config, worst ? "FAILED" : "all is well");
    code = print_done();
  }
  return code ? code : weft_code_class(worst);
}

static int run(const struct arguments *a)
{
  struct output out;
  char serial[128];
  struct selftest t = { .w = weft_new(), .a = a, .quick = a->quick };
  if (!t.w)
    return complain(EXIT_LACKS, "out of memory");
  /* All else lacks the wire, which comes first. */
  int named = a->backend ? weft_board_serial(t.w, a->backend, serial, sizeof serial) : WEFT_OK;
  if (named) {
    int code = complain_library(t.w, named);
    weft_free(t.w);
    return code;
  }
  int code = output_open(&out, a->output);
  if (code < 0) {
    int opened = open_board(&t, false);
    code = opened ? complain_library(t.w, opened) : run_open(&t, &out);
  }
  output_discard(&out);
  weft_free(t.w);
  return code;
}

const struct verb verb_selftest = {
  .name = "selftest",
  .synopsis = "[-b usb:serial=S] [options]",
  .about = "try a board: wire, memory, counters, coherence, throughput",
  .teaches =
    "Tries everything that a board has, from the wire inwards, and says of each step what it saw: bytes there and\n"
    "back; a march through every node's memory; counters of known operations; litmus tests; and throughput, with\n"
    "time running on. What it measures is bytes and operations, not cycles, which `run` has.\n"
    "Exit code 1: a step saw something wrong; 3: the board failed.\n"
    "\n"
    "  weft selftest\n"
    "  weft selftest --quick -b usb:serial=D00039 --json\n"
    "  weft vboard -- weft selftest -b usb:serial=VIRTUAL",
  .bit = VERB_SELFTEST,
  .run = run,
};
