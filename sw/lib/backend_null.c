/* SPDX-License-Identifier: Apache-2.0 */
/* null: flat memory and no caches. A port takes one operation per cycle and answers it in that cycle, so
 * memory is sequentially consistent. It is what kernels are developed on, and the yardstick of the others. */
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>

#include "atomic.h"
#include "backend.h"
#include "dma.h"
#include "handle.h"
#include "ports.h"
#include "weft_counters.h"

struct weft_backend {
  const struct weft_backend_ops *ops;
  struct weft_config config;
  const char *hash;
  uint64_t now;
  struct weft_ports *ports;
  uint8_t *memory; /* of all nodes, one after the other */
  size_t memory_bytes;
  uint64_t *counters;
  size_t counters_per_node;
};

static int lacks(struct weft_backend_error *e, const char *what)
{
  snprintf(e->text, sizeof e->text, "null: not enough memory on this computer for %s; use a smaller machine",
           what);
  return WEFT_BACKEND_LACKS;
}

static void null_close(struct weft_backend *b)
{
  weft_ports_free(b->ports);
  free(b->counters);
  if (b->memory)
    munmap(b->memory, b->memory_bytes);
  free(b);
}

static int null_open(struct weft_backend **out, const struct weft_backend_options *options,
                     struct weft_backend_error *e)
{
  struct weft_backend *b = calloc(1, sizeof *b);
  if (!b)
    return lacks(e, "a handle");
  b->ops = &weft_backend_null;
  b->config = options->config;
  b->hash = weft_named_config_find(options->config_name)->hash;
  b->ports = weft_ports_new((unsigned)b->config.nodes, (unsigned)b->config.cus);
  b->counters_per_node = weft_counter_count(&b->config);
  b->counters = calloc(b->counters_per_node * b->config.nodes, sizeof *b->counters);
  b->memory_bytes = options->config.nodes * options->config.memory_bytes;
  void *memory =
    mmap(NULL, b->memory_bytes, PROT_READ | PROT_WRITE, MAP_PRIVATE | MAP_ANONYMOUS | MAP_NORESERVE, -1, 0);
  b->memory = memory == MAP_FAILED ? NULL : memory;
  if (!b->ports || !b->counters || !b->memory) {
    null_close(b);
    return lacks(e, "the nodes' memory");
  }
  *out = b;
  return WEFT_BACKEND_OK;
}

static int null_info(struct weft_backend *b, struct weft_backend_info *info)
{
  *info = (struct weft_backend_info){ .name = "null", .hash = b->hash, .runtime_config = true };
  return WEFT_BACKEND_OK;
}

static int null_reset(struct weft_backend *b, struct weft_backend_error *e)
{
  if (madvise(b->memory, b->memory_bytes, MADV_DONTNEED))
    return lacks(e, "clearing memory");
  weft_ports_clear(b->ports);
  memset(b->counters, 0, b->counters_per_node * b->config.nodes * sizeof *b->counters);
  b->now = 0;
  return WEFT_BACKEND_OK;
}

static int null_submit(struct weft_backend *b, const struct weft_port_op *ops, size_t count,
                       struct weft_backend_error *e)
{
  for (size_t i = 0; i < count; i++)
    if (!weft_ports_push(b->ports, &ops[i]))
      return lacks(e, "the operations in flight");
  return WEFT_BACKEND_OK;
}

static int null_cancel(struct weft_backend *b)
{
  weft_ports_clear(b->ports);
  return WEFT_BACKEND_OK;
}

/* ---- Operations -------------------------------------------------------------------------------------- */

static uint8_t *locate(const struct weft_backend *b, uint64_t address)
{
  uint64_t node = address >> 36, offset = address & ((UINT64_C(1) << 36) - 1);
  if (node >= b->config.nodes || offset >= b->config.memory_bytes)
    return NULL;
  return b->memory + node * b->config.memory_bytes + offset;
}

static void answer_atomic(struct weft_cu_rsp *rsp, uint64_t old)
{
  memcpy(rsp->data, &old, sizeof old);
}

static bool refuses(const struct weft_backend *b, const struct weft_cu_req *req)
{
  if (req->op == WEFT_CU_OP_FENCE)
    return false;
  if (!locate(b, req->address))
    return true;
  if (req->op == WEFT_CU_OP_ATOMIC)
    return req->func > WEFT_FUNC_XOR || req->address % (req->wide ? 8 : 4);
  return !(req->mask[0] | req->mask[1]);
}

static void count_op(struct weft_backend *b, const struct weft_port_op *op)
{
  static const enum weft_cu_counter_number which[] = {
    [WEFT_CU_OP_LOAD] = WEFT_CU_COUNTER_L1_LOADS,
    [WEFT_CU_OP_STORE] = WEFT_CU_COUNTER_L1_STORES,
    [WEFT_CU_OP_ATOMIC] = WEFT_CU_COUNTER_L1_ATOMICS,
    [WEFT_CU_OP_FENCE] = WEFT_CU_COUNTER_L1_FENCES,
  };
  b->counters[op->node * b->counters_per_node + weft_cu_counter(op->cu, which[op->req.op])]++;
}

/* What the copy engine does, at once; true: it met an error. */
static bool copy(const struct weft_backend *b, const struct weft_cu_req *req)
{
  uint64_t to;
  uint16_t lines;
  weft_dma_get(req->data, &to, &lines);
  bool error = !lines;
  for (unsigned i = 0; i < lines; i++) {
    const uint8_t *source = locate(b, req->address + i * b->config.line);
    uint8_t *target = locate(b, to + i * b->config.line);
    error |= !source || !target;
    if (source && target)
      weft_merge(target, source, req->mask, (unsigned)b->config.line);
  }
  return error;
}

static struct weft_port_done perform(struct weft_backend *b, const struct weft_port_op *op)
{
  const struct weft_cu_req *req = &op->req;
  struct weft_port_done done = { .cycle = b->now, .node = op->node, .cu = op->cu };
  done.rsp.warp = req->warp;
  done.rsp.tag = req->tag;
  done.rsp.error = refuses(b, req);
  if (done.rsp.error)
    return done;
  if (b->config.dma_slots && weft_dma_is_job(req)) {
    done.rsp.error = copy(b, req);
    return done;
  }
  count_op(b, op);
  if (req->op == WEFT_CU_OP_FENCE)
    return done;
  uint8_t *line = locate(b, req->address & ~(b->config.line - 1));
  if (req->op == WEFT_CU_OP_LOAD)
    memcpy(done.rsp.data, line, b->config.line);
  else if (req->op == WEFT_CU_OP_ATOMIC)
    answer_atomic(&done.rsp, weft_atomic_apply(req->func, req->wide, locate(b, req->address), req->data));
  else
    weft_merge(line, req->data, req->mask, (unsigned)b->config.line);
  return done;
}

static int null_poll(struct weft_backend *b, struct weft_port_done *done, size_t max, size_t *answered,
                     struct weft_backend_error *e)
{
  (void)e;
  uint64_t next = weft_ports_next(b->ports);
  unsigned ports = (unsigned)(b->config.nodes * b->config.cus);
  size_t n = 0;
  *answered = 0;
  if (next == UINT64_MAX)
    return WEFT_BACKEND_OK;
  if (next > b->now)
    b->now = next;
  /* A caller with little room gets the rest one cycle later. */
  for (unsigned i = 0; i < ports && n < max; i++) {
    const struct weft_port_op *op = weft_ports_show(b->ports, i, b->now);
    if (!op)
      continue;
    done[n++] = perform(b, op);
    weft_ports_take(b->ports, i);
  }
  *answered = n;
  b->now++;
  return WEFT_BACKEND_OK;
}

static int null_counters(struct weft_backend *b, uint64_t *values, size_t count, struct weft_backend_error *e)
{
  size_t have = b->counters_per_node * b->config.nodes;
  if (count != have) {
    snprintf(e->text, sizeof e->text, "null: %zu counters asked for, there are %zu", count, have);
    return WEFT_BACKEND_FAILED;
  }
  memcpy(values, b->counters, have * sizeof *values);
  for (unsigned n = 0; n < b->config.nodes; n++)
    values[n * b->counters_per_node + WEFT_COUNTER_TIME_CYCLES] = b->now;
  return WEFT_BACKEND_OK;
}

static int null_memory(struct weft_backend *b, uint64_t address, void *bytes, size_t size, bool write,
                       struct weft_backend_error *e)
{
  uint8_t *first = locate(b, address);
  if (!first || (size && !locate(b, address + size - 1))) {
    snprintf(e->text, sizeof e->text, "null: %zu bytes at 0x%llx are outside memory", size,
             (unsigned long long)address);
    return WEFT_BACKEND_FAILED;
  }
  if (write)
    memcpy(first, bytes, size);
  else
    memcpy(bytes, first, size);
  return WEFT_BACKEND_OK;
}

static int null_settle(struct weft_backend *b, struct weft_backend_error *e)
{
  (void)b;
  (void)e;
  return WEFT_BACKEND_OK;
}

static uint64_t null_now(struct weft_backend *b)
{
  return b->now;
}

static void null_waits(struct weft_backend *b, char *text, size_t size)
{
  snprintf(text, size, "null: %zu operations wait for their cycle", weft_ports_waiting(b->ports));
}

const struct weft_backend_ops weft_backend_null = {
  .abi = WEFT_BACKEND_ABI,
  .name = "null",
  .open = null_open,
  .close = null_close,
  .info = null_info,
  .reset = null_reset,
  .submit = null_submit,
  .poll = null_poll,
  .cancel = null_cancel,
  .counters = null_counters,
  .memory = null_memory,
  .settle = null_settle,
  .now = null_now,
  .waits = null_waits,
};
