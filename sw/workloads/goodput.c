/* SPDX-License-Identifier: Apache-2.0 */
/* goodput: how much of a link's bytes is payload. One warp of node 0 stores to a window of node 1's memory, as many bytes
 * at a time as --store says: store i at the start of block i mod 128 (--stride: blocks of another size; of --store bytes it is a dense
 * stream). So runs of bytes never join, and no packet is cut by its window. */
#include <inttypes.h>
#include <stdlib.h>
#include <string.h>

#include "job.h"

#define WINDOW 16384u /* bytes: what a sub-header of 3 bytes reaches */
#define BLOCK 128u
#define DEFAULT_STORES 8192u
#define MOST_STORES (UINT64_C(1) << 32)
#define DEFAULT_STORE 8u

struct goodput {
  uint64_t stores;
  unsigned bytes, stride;
  weft_address window;
};

/* The bytes of store i differ from those of the one before it at the same place. */
static void fill(const struct goodput *g, uint64_t i, uint8_t *bytes)
{
  for (unsigned k = 0; k < g->bytes; k++)
    bytes[k] = (uint8_t)(i * 7 + i / 251 + k);
}

static uint64_t place_of(const struct goodput *g, uint64_t i)
{
  return i * g->stride % WINDOW;
}

static void kernel(struct weft_warp *t, void *arg)
{
  const struct goodput *g = arg;
  uint8_t bytes[BLOCK];
  if (weft_where(t)->index)
    return;
  for (uint64_t i = 0; i < g->stores; i++) {
    fill(g, i, bytes);
    weft_store(t, g->window + place_of(g, i), bytes, g->bytes, WEFT_WEAK, WEFT_CTA);
  }
}

static int run_stream(struct weft_job *job, struct goodput *g, uint8_t *should)
{
  /* The bottom of its memory, which is a window at every size of sub-header. */
  g->window = WEFT_PHYSICAL(UINT64_C(1) << 36);
  weft_job_say(job, "%" PRIu64 " stores of %u bytes, %u apart", g->stores, g->bytes, g->stride);
  int code = weft_job_launch(job, kernel, g);
  for (uint64_t i = 0; i < g->stores; i++)
    fill(g, i, should + place_of(g, i));
  return code ? code : weft_job_compare(job, "byte", g->window, should, WINDOW, 1);
}

static bool power_of_two(uint64_t value)
{
  return value && !(value & (value - 1));
}

static int run(struct weft_job *job)
{
  const struct weft_machine *m = &job->machine;
  uint64_t store = job->options->store ? job->options->store : DEFAULT_STORE;
  uint64_t stride = job->options->stride ? job->options->stride : BLOCK;
  if (m->nodes < 2 || m->memory < 2 * WINDOW)
    return weft_fail(job->w, WEFT_BAD_ARGUMENT,
                     "goodput: needs two nodes and %u bytes of memory in each; use a larger machine",
                     2 * WINDOW);
  if (store > m->line || stride > BLOCK || store > stride || !power_of_two(stride) || m->line % store)
    return weft_fail(job->w, WEFT_BAD_ARGUMENT,
                     "goodput: --store %" PRIu64 " --stride %" PRIu64
                     ": use a power of two up to the line's %u bytes, and a stride from that to %u",
                     store, stride, m->line, BLOCK);
  if (!job->size)
    job->size = DEFAULT_STORES;
  if (job->size > MOST_STORES)
    return weft_job_bad_size(job, 1, MOST_STORES);
  struct goodput g = { .stores = job->size, .bytes = (unsigned)store, .stride = (unsigned)stride };
  uint8_t *should = calloc(1, WINDOW);
  int code = should ? run_stream(job, &g, should) : weft_fail_memory(job->w);
  free(should);
  return code;
}

const struct weft_workload weft_workload_goodput = {
  { "goodput", "", "one warp's stores to another node's memory, for what they cost on the link", "stores" },
  run,
};
