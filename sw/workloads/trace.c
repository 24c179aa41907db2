/* SPDX-License-Identifier: Apache-2.0 */
/* trace: performs the operations of a file (trace.h), each CU's in order, and checks what can be known of
 * them. */
#include "trace.h"

#include <inttypes.h>
#include <stdlib.h>
#include <string.h>

#include "text_input.h"

struct run {
  struct weft_trace_file file;
  /* The operations of each CU, by their number in the file. */
  size_t **list, *count;
};

static void do_op(struct weft_warp *t, struct run *r, const struct weft_trace_op *op)
{
  uint8_t *pool = r->file.pool;
  uint64_t operand = 0, compare = 0;
  switch ((enum weft_trace_kind)op->kind) {
  case WEFT_TRACE_LOAD:
    if (op->order == WEFT_ACQUIRE)
      weft_load(t, op->mapped, pool + op->result, op->bytes, op->order, op->scope);
    else
      weft_load_async(t, op->mapped, pool + op->result, op->bytes, op->order, op->scope);
    break;
  case WEFT_TRACE_STORE:
    weft_store(t, op->mapped, pool + op->data, op->bytes, op->order, op->scope);
    break;
  case WEFT_TRACE_FENCE:
    weft_fence(t, op->order, op->scope);
    break;
  case WEFT_TRACE_ATOMIC:
    memcpy(&operand, pool + op->data, op->bytes);
    memcpy(&compare, pool + op->data + 8, op->bytes);
    uint64_t old = weft_rmw(t, op->func, op->mapped, op->bytes, operand, compare, op->order, op->scope);
    memcpy(pool + op->result, &old, 8);
    break;
  }
}

static void kernel(struct weft_warp *t, void *arg)
{
  struct run *r = arg;
  const struct weft_place *p = weft_where(t);
  unsigned cu = p->node * p->cus + p->cu;
  if (p->warp)
    return;
  for (size_t i = 0; i < r->count[cu]; i++)
    do_op(t, r, &r->file.op[r->list[cu][i]]);
  weft_wait_all(t);
}

/* ---- Addresses --------------------------------------------------------------------------------------- */

static int compare_pages(const void *a, const void *b)
{
  uint64_t x = *(const uint64_t *)a, y = *(const uint64_t *)b;
  return x < y ? -1 : x > y;
}

static size_t sort_out(uint64_t *page, size_t count)
{
  size_t kept = 0;
  qsort(page, count, sizeof *page, compare_pages);
  for (size_t i = 0; i < count; i++)
    if (!kept || page[kept - 1] != page[i])
      page[kept++] = page[i];
  return kept;
}

/* The file's pages, in whatever order of addresses, become one allocation; the first line to touch one places
 * it. */
static int map_pages(struct weft_job *job, struct weft_trace_file *file)
{
  uint64_t size = job->machine.page;
  uint64_t *page = malloc((file->count + 1) * sizeof *page);
  if (!page)
    return weft_fail_memory(job->w);
  size_t count = 0;
  for (size_t i = 0; i < file->count; i++)
    if (file->op[i].kind != WEFT_TRACE_FENCE)
      page[count++] = file->op[i].address / size;
  count = sort_out(page, count);
  weft_address base = 0;
  int code = count ? weft_alloc(job->w, count * size, job->placement, &base) : WEFT_OK;
  for (size_t i = 0; !code && i < file->count; i++) {
    struct weft_trace_op *op = &file->op[i];
    if (op->kind == WEFT_TRACE_FENCE)
      continue;
    uint64_t number = op->address / size;
    const uint64_t *at = bsearch(&number, page, count, sizeof *page, compare_pages);
    op->mapped = base + (uint64_t)(at - page) * size + op->address % size;
    code = weft_touch(job->w, op->node, op->mapped, op->bytes);
  }
  free(page);
  return code;
}

static int map(struct weft_job *job, struct weft_trace_file *file)
{
  if (job->options->place)
    return map_pages(job, file);
  for (size_t i = 0; i < file->count; i++)
    file->op[i].mapped = WEFT_PHYSICAL(file->op[i].address);
  return WEFT_OK;
}

/* ---- The job ----------------------------------------------------------------------------------------- */

static int deal_out(struct weft_job *job, struct run *r)
{
  unsigned cus = job->machine.nodes * job->machine.cus;
  r->list = calloc(cus, sizeof *r->list);
  r->count = calloc(cus, sizeof *r->count);
  if (!r->list || !r->count)
    return weft_fail_memory(job->w);
  for (size_t i = 0; i < r->file.count; i++)
    r->count[r->file.op[i].node * job->machine.cus + r->file.op[i].cu]++;
  for (unsigned c = 0; c < cus; c++) {
    r->list[c] = malloc((r->count[c] + 1) * sizeof **r->list);
    if (!r->list[c])
      return weft_fail_memory(job->w);
    r->count[c] = 0;
  }
  for (size_t i = 0; i < r->file.count; i++) {
    unsigned c = r->file.op[i].node * job->machine.cus + r->file.op[i].cu;
    r->list[c][r->count[c]++] = i;
  }
  return WEFT_OK;
}

static int read_trace(struct weft_job *job, struct weft_trace_file *file)
{
  const struct weft_machine *m = &job->machine;
  struct weft_trace_limits limits = { m->nodes, m->cus, m->line, m->memory, !job->options->place };
  char *text;
  size_t bytes;
  if (!job->options->file)
    return weft_fail(job->w, WEFT_BAD_ARGUMENT, "trace: which file? weft run trace --file FILE");
  int code = weft_file_read(job->w, job->options->file, &text, &bytes);
  if (code)
    return code;
  code = weft_trace_parse(job->w, job->options->file, text, bytes, &limits, file);
  free(text);
  if (!code && job->size && job->size < file->count)
    file->count = (size_t)job->size;
  job->size = file->count;
  return code;
}

static int run(struct weft_job *job)
{
  struct run r = { .list = NULL };
  struct weft_trace_map *known = NULL;
  int code = read_trace(job, &r.file);
  if (!code)
    code = map(job, &r.file);
  if (!code)
    code = weft_trace_foresee(job->w, &r.file, job->machine.line, &known);
  if (!code)
    code = deal_out(job, &r);
  weft_job_say(job, "%zu operations", r.file.count);
  if (!code)
    code = weft_job_launch(job, kernel, &r);
  if (!code)
    code = weft_trace_check(job, &r.file, known);
  for (unsigned c = 0; r.list && c < job->machine.nodes * job->machine.cus; c++)
    free(r.list[c]);
  free(r.list);
  free(r.count);
  weft_trace_map_free(known);
  weft_trace_free(&r.file);
  return code;
}

const struct weft_workload weft_workload_trace = {
  { "trace", "", "the operations of a file, line by line", "lines" },
  run,
};
