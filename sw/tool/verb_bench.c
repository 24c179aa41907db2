/* SPDX-License-Identifier: Apache-2.0 */
#include <assert.h>
#include <stdlib.h>
#include <string.h>
#include <strings.h>

#include "bench.h"

static const struct bench *find(const char *name)
{
  for (size_t i = 0; name && bench_at(i); i++)
    if (!strcmp(name, bench_at(i)->name))
      return bench_at(i);
  return NULL;
}

static int unknown(const char *name)
{
  char list[300] = "";
  for (size_t i = 0; bench_at(i); i++) {
    strncat(list, i ? ", " : "", sizeof list - strlen(list) - 1);
    strncat(list, bench_at(i)->name, sizeof list - strlen(list) - 1);
  }
  return name ? complain(EXIT_USE, "there is no benchmark '%s'; there are %s", name, list)
              : complain(EXIT_USE, "bench what? There are %s", list);
}

static bool is_called(const struct bench_work *work, const char *word, size_t length)
{
  return (strlen(work->label) == length && !strncasecmp(work->label, word, length)) ||
         (strlen(work->workload) == length && !strncasecmp(work->workload, word, length));
}

static int no_such_work(const struct bench_family *f, const char *word, int length)
{
  char list[500] = "";
  for (size_t w = 0; w < f->works; w++) {
    strncat(list, !w ? "" : w + 1 < f->works ? ", " : " and ", sizeof list - strlen(list) - 1);
    strncat(list, f->work[w].label, sizeof list - strlen(list) - 1);
  }
  return complain(EXIT_USE, "--only: there is no workload '%.*s' here; there are %s", length, word, list);
}

/* --only ATAX,PR: in the order of the table. A workload's name stands for all that run it. */
static int choose_works(struct bench_run *r, const char *only)
{
  const struct bench_family *f = r->bench->family;
  bool chosen[BENCH_WORKS_MAX] = { false };
  for (const char *word = only; word && *word;) {
    size_t length = strcspn(word, ","), found = 0;
    for (size_t w = 0; w < f->works; w++)
      if (is_called(&f->work[w], word, length)) {
        chosen[w] = true;
        found++;
      }
    if (!found)
      return no_such_work(f, word, (int)length);
    word += length + (word[length] == ',');
  }
  for (size_t w = 0; w < f->works; w++)
    if (!only || chosen[w])
      r->work[r->works++] = &f->work[w];
  return r->works ? -1 : complain(EXIT_USE, "--only names no workload; try --only ATAX,PR");
}

static int make_points(struct bench_run *r)
{
  r->points = r->works * r->bench->variants;
  assert(r->points > 0);
  r->point = calloc(r->points, sizeof *r->point);
  if (!r->point)
    return complain(EXIT_LACKS, "out of memory");
  for (size_t i = 0; i < r->points; i++) {
    r->point[i].family = r->bench->family;
    r->point[i].work = r->work[i / r->bench->variants];
    r->point[i].variant = &r->bench->variant[i % r->bench->variants];
  }
  return -1;
}

static int report(const struct bench_run *r, struct output *out)
{
  const struct arguments *a = r->arguments;
  bool whole = r->cached + r->computed == r->points;
  json_t *object =
    whole ? r->bench->family->json(r)
          : json_pack("{s:s, s:I, s:I, s:I}", "bench", r->bench->name, "points", (json_int_t)r->points,
                      "computed", (json_int_t)r->computed, "cached", (json_int_t)r->cached);
  if (object)
    json_object_set_new(object, "provenance", json_provenance(a, ""));
  int code = output_result(out, object, a->json);
  if (code >= 0)
    return code;
  if (whole)
    r->bench->family->print(r);
  else
    printf("%s: %zu of %zu points computed, %zu were there; the rest is other shards'\n", r->bench->name,
           r->computed, r->points, r->cached);
  return print_done();
}

static int run(const struct arguments *a)
{
  struct bench_run r = { .bench = find(a->name), .arguments = a };
  struct output out;
  if (!r.bench)
    return unknown(a->name);
  if (a->backend && !r.bench->family->any_backend)
    return complain(EXIT_USE, "bench %s is measured on the model; --backend is for bench goodput and board",
                    r.bench->name);
  int code = output_open(&out, a->output);
  if (code < 0 && r.bench->family->run) {
    code = r.bench->family->run(a, &out);
    output_discard(&out);
    return code;
  }
  if (code < 0)
    code = choose_works(&r, a->only);
  if (code < 0)
    code = make_points(&r);
  if (code < 0)
    code = bench_cache_open(&r);
  if (code < 0)
    code = bench_compute(&r);
  if (code < 0)
    code = report(&r, &out);
  output_discard(&out);
  bench_cache_free(&r);
  return code;
}

const struct verb verb_bench = {
  .name = "bench",
  .synopsis = "BENCH [options]",
  .about = "run a paper's workloads on its designs, ours beside theirs",
  .teaches =
    "Runs many workloads on variants of one machine, on the model, and prints ours beside the paper's.\n"
    "rec: REC's twelve workloads on five directories. Sweeps of what they depend on: rec-range, rec-entries,\n"
    "rec-replacement, rec-l2, rec-link, rec-nodes. finepack: FinePack's five on one node and on four, whose stores\n"
    "go to their peers in four ways; sweeps finepack-subheader and finepack-link. goodput: payload per byte on the\n"
    "link, beside the closed form. halcone: HALCONE's eleven on four machines and on 1 to 16 nodes; xtreme: its\n"
    "Xtreme programs over sizes and pairs of leases; stamps: bytes of a read and of a write with leases and without.\n"
    "board: bytes and clocks of an operation on the line to a board, virtual unless -b names one. All cores are used.\n"
    "Every run is kept in a file as soon as it ends: a benchmark that was cut off goes on where it was, and one that is\n"
    "run again computes what is missing.\n"
    "\n"
    "  weft bench rec\n"
    "  weft bench rec --only ATAX,PR --json\n"
    "  weft bench rec-range --shard 2/8         (one of eight jobs that share --cache; then once without)\n"
    "  weft bench goodput -b rtl:finepack4      (by the RTL's counters)\n"
    "  weft bench xtreme --only xtreme3         (all its sizes)",
  .takes_name = true,
  .bit = VERB_BENCH,
  .run = run,
};
