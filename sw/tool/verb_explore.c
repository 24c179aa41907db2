/* SPDX-License-Identifier: Apache-2.0 */
#include <inttypes.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "explore.h"
#include "tool.h"
#include "words.h"

/* ---------------------------------------------------------------- what was asked for */

static int choose_shapes(struct weft *w, const struct arguments *a, bool *chosen)
{
  for (unsigned i = 0; i < a->name_count; i++) {
    int row = weft_explore_find_shape(w, a->names[i]);
    if (row < 0)
      return complain_library(w, WEFT_BAD_ARGUMENT);
    chosen[row] = true;
  }
  for (size_t i = 0; !a->name_count && i < weft_explore_shape_count(); i++)
    chosen[i] = true;
  return -1;
}

static int check_range(const char *name, uint64_t value, uint64_t min, uint64_t max)
{
  if (value >= min && value <= max)
    return -1;
  return complain(EXIT_USE, "%s %" PRIu64 ": use %" PRIu64 " to %" PRIu64, name, value, min, max);
}

/* A digit, a comma, a digit: three leases of up to four ticks fit a time of four bits. */
static int choose_leases(const struct arguments *a, struct explore_options *o)
{
  const char *text = a->leases ? a->leases : "3,2";
  bool good = strlen(text) == 3 && text[0] >= '1' && text[0] <= '4' && text[1] == ',' && text[2] >= '1' &&
              text[2] <= '4';
  if (!good)
    return complain(EXIT_USE, "--leases %s: two numbers from 1 to 4 are needed, such as --leases 3,2", text);
  o->lease_read = (uint8_t)(text[0] - '0');
  o->lease_write = (uint8_t)(text[2] - '0');
  return -1;
}

/* What is of leases alone would be passed over in silence elsewhere. */
static int check_leases(const struct arguments *a, const struct explore_options *o)
{
  if (weft_lease_ends(weft_lease_mode(o->protocol)) || !(a->leases || a->rebase))
    return -1;
  return complain(EXIT_USE, "%s: only protocols with leases have it, such as --protocol halcone-weak",
                  a->leases ? "--leases" : "--rebase");
}

static int make_job(struct weft *w, const struct arguments *a, struct explore_job *job)
{
  long cores = sysconf(_SC_NPROCESSORS_ONLN);
  *job = (struct explore_job){ .nodes = a->nodes ? (unsigned)a->nodes : EXPLORE_NODES,
                               .workers = a->jobs     ? (unsigned)a->jobs
                                          : cores > 0 ? (unsigned)cores
                                                      : 1,
                               .stop = a->stop,
                               .options = { .slots = a->slots ? (unsigned)a->slots : 1,
                                            .drops = (unsigned)a->drops,
                                            .tight = a->tight,
                                            .rebase = (unsigned)a->rebase,
                                            .no_reduction = a->no_reduction,
                                            .limit = a->limit ? a->limit : 10000000 } };
  int code = check_range("--nodes", job->nodes, 2, EXPLORE_NODES);
  if (code < 0)
    code = check_range("--slots", a->slots ? a->slots : 1, 1, EXPLORE_SLOTS);
  if (code < 0)
    code = check_range("--drops", a->drops, 0, 9);
  if (code < 0)
    code = check_range("--jobs", job->workers, 1, 64);
  if (code < 0)
    code = check_range("--limit", job->options.limit, 1, UINT32_MAX / 2);
  if (code < 0 && a->rebase)
    code = check_range("--rebase", a->rebase, 1, 3);
  if (code < 0)
    code = choose_leases(a, &job->options);
  int failed = code < 0 ? weft_explore_find(w, a->protocol, a->fault, &job->options) : WEFT_OK;
  if (failed)
    return complain_library(w, failed);
  return code < 0 ? check_leases(a, &job->options) : code;
}

/* ---------------------------------------------------------------- what was found */

static const char *end_name(enum explore_end end)
{
  static const char *const names[] = { [EXPLORE_COMPLETE] = "complete",
                                       [EXPLORE_LIMIT] = "state limit",
                                       [EXPLORE_NO_MEMORY] = "out of memory",
                                       [EXPLORE_OVERFLOW] = "too many outcomes" };
  return names[end];
}

static void outcome_text(const struct weft_explore_shape *shape, const struct explore_outcome *o, char *text,
                         size_t size)
{
  char value[16];
  size_t at = 0;
  text[0] = 0;
  for (unsigned r = 0; r < shape->registers && at < size; r++)
    at += (size_t)snprintf(text + at, size - at, "r%u=%s ", r, weft_explore_value(o->reg[r], value));
  for (unsigned v = 0; v < shape->variables && at < size; v++)
    at += (size_t)snprintf(text + at, size - at, "%c=%s%s", 'x' + (int)v,
                           weft_explore_value(o->variable[v], value), v + 1 < shape->variables ? " " : "");
}

static json_t *outcomes_json(const struct explore_result *r)
{
  json_t *list = json_array();
  for (unsigned i = 0; i < r->outcomes; i++) {
    char text[160];
    outcome_text(&r->shape, &r->outcome[i], text, sizeof text);
    json_array_append_new(list, json_string(text));
  }
  return list;
}

static json_t *trace_json(const struct explore_result *r)
{
  json_t *lines = json_array();
  for (const char *at = r->trace; *at;) {
    size_t length = strcspn(at, "\n");
    json_array_append_new(lines, json_stringn(at, length));
    at += length + (at[length] == '\n');
  }
  return json_pack("{s:s, s:s, s:o}", "what", r->what, "where", r->where, "steps", lines);
}

static json_t *shape_json(const struct explore_result *r)
{
  static const char *const verdicts[] = { "forbidden", "seen", "allowed" };
  json_t *object =
    json_pack("{s:s, s:I, s:I, s:I, s:I, s:I, s:s, s:s, s:s, s:b, s:o}", "name", r->shape.name, "placements",
              (json_int_t)r->placements, "states", (json_int_t)r->states, "violations",
              (json_int_t)r->violations, "deadlocks", (json_int_t)r->deadlocks, "incomplete",
              (json_int_t)r->incomplete, "end", end_name(r->end), "condition", r->shape.condition, "verdict",
              verdicts[r->shape.verdict], "reached", r->condition, "outcomes", outcomes_json(r));
  if (object && r->trace)
    json_object_set_new(object, "trace", trace_json(r));
  return object;
}

static void print_threads(const struct weft_explore_shape *shape)
{
  for (unsigned t = 0; t < shape->threads; t++) {
    printf("    T%u: ", t);
    for (unsigned i = 0; i < shape->count[t]; i++)
      printf("%s%s", i ? "; " : "", shape->op[t][i].text);
    printf("\n");
  }
}

static void print_shape(const struct explore_result *r)
{
  printf("%-18s %10" PRIu64 " %12" PRIu64 " %10" PRIu64 " %9" PRIu64 "  %-20s %s%s\n", r->shape.name,
         r->placements, r->states, r->violations, r->deadlocks, r->shape.condition,
         r->condition ? "reached" : "not reached", r->end == EXPLORE_COMPLETE ? "" : " (not complete)");
  if (!r->trace)
    return;
  printf("\n  %s\n  %s\n", r->what, r->where);
  print_threads(&r->shape);
  printf("  the shortest way there:\n");
  for (const char *at = r->trace; *at;) {
    size_t length = strcspn(at, "\n");
    printf("    %.*s\n", (int)length, at);
    at += length + (at[length] == '\n');
  }
  printf("\n");
}

/* ---------------------------------------------------------------- the verb */

struct sums {
  uint64_t placements, states, violations, deadlocks, incomplete;
  enum explore_end end;
};

static void add(struct sums *s, const struct explore_result *r)
{
  s->placements += r->placements;
  s->states += r->states;
  s->violations += r->violations;
  s->deadlocks += r->deadlocks;
  s->incomplete += r->incomplete;
  s->end = r->end > s->end ? r->end : s->end;
}

static void show_progress(void *context, const char *shape, uint64_t done, uint64_t all, uint64_t states)
{
  char text[96];
  snprintf(text, sizeof text, "%" PRIu64 " of %" PRIu64 " placements, %" PRIu64 " states", done, all, states);
  const struct weft_progress p = { .what = shape, .detail = text };
  progress_show(context, &p);
}

static int explore_all(const struct arguments *a, const struct explore_job *job, const bool *chosen,
                       json_t *list, struct sums *sums)
{
  struct explore_result *r = malloc(sizeof *r);
  struct weft_explore_shape shape;
  int code = r ? -1 : complain(EXIT_LACKS, "out of memory");
  if (!a->json)
    printf("%-18s %10s %12s %10s %9s  %s\n", "shape", "placements", "states", "violations", "deadlocks",
           "condition");
  for (size_t i = 0; code < 0 && i < weft_explore_shape_count(); i++) {
    if (!chosen[i])
      continue;
    if (!weft_explore_shape_read(i, &shape) || !weft_explore_shape(&shape, job, r)) {
      code = complain(EXIT_LACKS, "%s: out of memory", weft_explore_shape_name(i));
      break;
    }
    progress_close(job->context);
    add(sums, r);
    json_array_append_new(list, shape_json(r));
    if (!a->json)
      print_shape(r);
    fflush(stdout);
    free(r->trace);
  }
  free(r);
  return code;
}

static int finish(const struct arguments *a, const struct explore_job *job, const struct sums *s,
                  json_t *list, struct output *out)
{
  json_t *object = json_pack("{s:s, s:i, s:i, s:i, s:I, s:I, s:I, s:I, s:I, s:O, s:o}", "protocol",
                             a->protocol ? a->protocol : "baseline", "nodes", (int)job->nodes, "slots",
                             (int)job->options.slots, "drops", (int)job->options.drops, "placements",
                             (json_int_t)s->placements, "states", (json_int_t)s->states, "violations",
                             (json_int_t)s->violations, "deadlocks", (json_int_t)s->deadlocks, "incomplete",
                             (json_int_t)s->incomplete, "shapes", list, "provenance", json_provenance(a, ""));
  if (!object)
    return complain(EXIT_LACKS, "out of memory");
  if (!a->json)
    printf("%-18s %10" PRIu64 " %12" PRIu64 " %10" PRIu64 " %9" PRIu64 "\n", "all", s->placements, s->states,
           s->violations, s->deadlocks);
  int code = output_result(out, object, a->json);
  if (code < 0)
    code = print_done();
  if (code)
    return code;
  if (s->end == EXPLORE_NO_MEMORY)
    return complain(EXIT_LACKS,
                    "%" PRIu64 " placements were not explored to their end: out of memory\n"
                    "use fewer --jobs, fewer --drops or fewer --nodes",
                    s->incomplete);
  if (s->incomplete)
    return complain(EXIT_WRONG,
                    "%" PRIu64 " placements were not explored to their end: %s\n"
                    "a larger --limit, fewer --drops or fewer --nodes may help",
                    s->incomplete, end_name(s->end));
  return s->violations || s->deadlocks ? EXIT_WRONG : EXIT_DONE;
}

static int explore(const struct arguments *a, struct weft *w, bool *chosen, json_t *list)
{
  struct output out = { 0 };
  struct progress progress;
  struct explore_job job;
  struct sums sums = { 0 };
  int code = choose_shapes(w, a, chosen);
  if (code < 0)
    code = make_job(w, a, &job);
  if (code < 0)
    code = output_open(&out, a->output);
  if (code < 0) {
    progress_open(&progress);
    job.progress = progress.on ? show_progress : NULL;
    job.context = &progress;
    code = explore_all(a, &job, chosen, list, &sums);
    progress_close(&progress);
  }
  if (code < 0)
    code = finish(a, &job, &sums, list, &out);
  output_discard(&out);
  return code;
}

static int run(const struct arguments *a)
{
  bool *chosen = calloc(weft_explore_shape_count(), sizeof *chosen);
  struct weft *w = weft_new();
  json_t *list = json_array();
  int code = chosen && w && list ? explore(a, w, chosen, list) : complain(EXIT_LACKS, "out of memory");
  json_decref(list);
  weft_free(w);
  free(chosen);
  return code;
}

const struct verb verb_explore = {
  .name = "explore",
  .synopsis = "[SHAPE...] [options]",
  .about = "search all interleavings of small programs for what the memory model forbids",
  .teaches =
    "Drives the model's own steps through every order of issue, delivery, replacement and memory's answers, on a\n"
    "machine of two or three nodes with a directory of one entry, for every placement of the threads and variables\n"
    "of a shape (all shapes without a name). Every end is judged by the memory model. Exit code 1: something\n"
    "forbidden was reached, nothing could go on, or the search did not end; the shortest way there is printed.\n"
    "\n"
    "  weft explore MP+rel+acq SB+sc+sc\n"
    "  weft explore --protocol none MP+rel+acq --stop       (no coherence: exit code 1, and the way)\n"
    "  weft explore CoRR+3 --fault l1_second_miss_open --stop",
  .takes_names = true,
  .bit = VERB_EXPLORE,
  .run = run,
};
