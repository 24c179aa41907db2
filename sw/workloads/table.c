/* SPDX-License-Identifier: Apache-2.0 */
/* The one table of workloads and aliases. A new one is a file and a line here. */
#include <string.h>
#include <strings.h>

#include "job.h"

static const struct weft_workload *const table[] = {
  &weft_workload_mix,     &weft_workload_pagerank, &weft_workload_sssp,    &weft_workload_jacobi2d,
  &weft_workload_matmul,  &weft_workload_vecadd,   &weft_workload_spatter, &weft_workload_trace,
  &weft_workload_atax,    &weft_workload_conv2d,   &weft_workload_fir,     &weft_workload_gemv,
  &weft_workload_lu,      &weft_workload_mm2,      &weft_workload_mm3,     &weft_workload_sc,
  &weft_workload_st,      &weft_workload_als,      &weft_workload_banded,  &weft_workload_ct,
  &weft_workload_goodput, &weft_workload_bicg,     &weft_workload_bs,      &weft_workload_fws,
  &weft_workload_mp,      &weft_workload_rl,       &weft_workload_aes,     &weft_workload_bfs,
  &weft_workload_xtreme1, &weft_workload_xtreme2,  &weft_workload_xtreme3, &weft_workload_fig5,
};
#define COUNT (sizeof table / sizeof *table)

static bool is_among(const char *name, const char *list)
{
  size_t length = strlen(name);
  while (*list) {
    size_t word = strcspn(list, " ,");
    if (word == length && !strncasecmp(list, name, length))
      return true;
    list += word + strspn(list + word, " ,");
  }
  return false;
}

static const struct weft_workload *find(const char *name)
{
  for (size_t i = 0; name && i < COUNT; i++)
    if (!strcasecmp(name, table[i]->info.name) || is_among(name, table[i]->info.aliases))
      return table[i];
  return NULL;
}

bool weft_workload_at(size_t index, struct weft_workload_info *info)
{
  if (index < COUNT)
    *info = table[index]->info;
  return index < COUNT;
}

bool weft_workload_find(const char *name, struct weft_workload_info *info)
{
  const struct weft_workload *workload = find(name);
  if (workload)
    *info = workload->info;
  return workload;
}

const char *weft_workload_protocol(const char *name)
{
  return find(name) == &weft_workload_fig5 ? "halcone-weak" : NULL;
}

static int unknown(struct weft *w, const char *name)
{
  char list[384] = "";
  for (size_t i = 0; i < COUNT; i++) {
    strncat(list, i ? ", " : "", sizeof list - strlen(list) - 1);
    strncat(list, table[i]->info.name, sizeof list - strlen(list) - 1);
  }
  return weft_fail(w, WEFT_UNKNOWN_WORKLOAD, "there is no workload '%s'; there are %s", name, list);
}

/* What a workload does not look at would be passed over in silence. */
static int check_inputs(struct weft *w, const char *name, const struct weft_workload_options *o)
{
  const struct {
    const char *option;
    bool given;
    const char *readers;
  } inputs[] = {
    { "--graph", o->graph, "pagerank, sssp, als and bfs" },
    { "--pattern", o->pattern, "spatter" },
    { "--file", o->file, "trace" },
    { "--eager", o->eager, "pagerank" },
    { "--store", o->store, "goodput" },
    { "--stride", o->stride, "goodput" },
    { "--iterations", o->iterations,
      "pagerank, sssp, jacobi2d, fir, st, als, ct, banded, bfs, xtreme1, xtreme2 and xtreme3" },
  };
  for (size_t i = 0; i < sizeof inputs / sizeof *inputs; i++)
    if (inputs[i].given && !is_among(name, inputs[i].readers))
      return weft_fail(w, WEFT_BAD_ARGUMENT, "%s does not take %s; it is for %s", name, inputs[i].option,
                       inputs[i].readers);
  return WEFT_OK;
}

int weft_workload_run(struct weft *w, const char *name, const struct weft_workload_options *options,
                      struct weft_workload_result *result)
{
  static const struct weft_workload_options defaults;
  struct weft_workload_result unused;
  const struct weft_workload *workload = find(name);
  if (!options)
    options = &defaults;
  if (!result)
    result = &unused;
  memset(result, 0, sizeof *result);
  if (!workload)
    return unknown(w, name);
  struct weft_job job = {
    .w = w,
    .name = workload->info.name,
    .options = options,
    .result = result,
    .placement = options->place ? options->placement : WEFT_FIRST_TOUCH,
    .size = options->size,
    .seed = options->seed ? options->seed : 1,
    .iterations = options->iterations,
  };
  int code = check_inputs(w, job.name, options);
  if (!code)
    code = weft_describe(w, &job.machine);
  if (!code)
    code = weft_barrier_launches(w, options->launches);
  if (!code)
    code = weft_dispatch(w, options->dispatch);
  if (!code)
    code = workload->run(&job);
  result->size = job.size;
  result->verified = !code;
  return code;
}
