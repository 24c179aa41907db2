/* SPDX-License-Identifier: Apache-2.0 */
/* What a kernel calls. Everything is checked here, before it reaches the fabric. */
#include <inttypes.h>
#include <stdarg.h>
#include <stdio.h>
#include <string.h>

#include "run.h"

_Static_assert((int)WEFT_WEAK == WEFT_ORDER_WEAK && (int)WEFT_RELAXED == WEFT_ORDER_RELAXED &&
                 (int)WEFT_ACQUIRE == WEFT_ORDER_ACQUIRE && (int)WEFT_RELEASE == WEFT_ORDER_RELEASE &&
                 (int)WEFT_ACQ_REL == WEFT_ORDER_ACQ_REL,
               "orders are the port's");
_Static_assert((int)WEFT_CTA == WEFT_SCOPE_CTA && (int)WEFT_GPU == WEFT_SCOPE_GPU &&
                 (int)WEFT_SYS == WEFT_SCOPE_SYS,
               "scopes are the port's");
_Static_assert((int)WEFT_ADD == WEFT_FUNC_ADD && (int)WEFT_CAS == WEFT_FUNC_CAS &&
                 (int)WEFT_MINU == WEFT_FUNC_MINU && (int)WEFT_XOR == WEFT_FUNC_XOR,
               "functions are the port's");

const struct weft_place *weft_where(const struct weft_warp *t)
{
  return &t->place;
}

uint64_t weft_cycle(const struct weft_warp *t)
{
  return t->now;
}

void weft_compute(struct weft_warp *t, uint64_t instructions)
{
  t->now += instructions * t->run->w->config.compute_interval;
}

void weft_pause(struct weft_warp *t, uint64_t cycles)
{
  t->now += cycles;
}

_Noreturn void weft_kernel_fail(struct weft_warp *t, int code, const char *format, ...)
{
  char text[512];
  va_list values;
  va_start(values, format);
  vsnprintf(text, sizeof text, format, values);
  va_end(values);
  t->run->code =
    weft_fail(t->run->w, code, "node %u cu %u warp %u: %s", t->place.node, t->place.cu, t->place.warp, text);
  for (;;)
    weft_coroutine_yield(&t->coroutine); /* the launch ends without coming back */
}

/* ---- Slots ------------------------------------------------------------------------------------------- */

static void block(struct weft_warp *t, enum weft_warp_state state, unsigned slot)
{
  t->state = state;
  t->waits = slot;
  weft_coroutine_yield(&t->coroutine);
}

/* Time passes to the cycle after slot's answer, the first in which the warp can know of it. */
static void pass_to_answer(struct weft_warp *t, const struct weft_slot *slot)
{
  if (slot->answered >= t->now)
    t->now = slot->answered + 1;
}

/* Of the slots that do not fly the one that was answered first; waits for one if all fly. */
static unsigned take_slot(struct weft_warp *t)
{
  unsigned limit = (unsigned)t->run->w->config.outstanding, best;
  for (;;) {
    best = limit;
    for (unsigned i = 0; i < limit; i++)
      if (!t->slot[i].flying && (best == limit || t->slot[i].answered < t->slot[best].answered))
        best = i;
    if (best < limit)
      break;
    block(t, WEFT_WARP_WAITS_ANY, 0);
  }
  if (t->slot[best].generation)
    pass_to_answer(t, &t->slot[best]);
  return best;
}

/* Places a request's bytes and mask where the line has them; an atomic's operands stand first. */
static void fill_data(struct weft_cu_req *req, const struct weft_request *r, unsigned line)
{
  unsigned at = (unsigned)(r->physical & (line - 1));
  if (r->op == WEFT_CU_OP_ATOMIC) {
    memcpy(req->data, r->data, 16);
    return;
  }
  if (r->mask) {
    memcpy(req->mask, r->mask, sizeof req->mask);
    memcpy(req->data, r->data, line);
    return;
  }
  for (unsigned i = at; i < at + r->bytes; i++)
    req->mask[i / 64] |= UINT64_C(1) << (i % 64);
  if (r->data)
    memcpy(req->data + at, r->data, r->bytes);
}

unsigned weft_issue(struct weft_warp *t, const struct weft_request *r)
{
  unsigned number = take_slot(t);
  struct weft_slot *slot = &t->slot[number];
  *slot = (struct weft_slot){
    .flying = true,
    .generation = slot->generation + 1,
    .issue = t->now,
    .address = r->address,
    .physical = r->physical,
    .op = r->op,
    .func = r->func,
    .order = r->order,
    .scope = r->scope,
    .bytes = r->bytes,
    .to = r->to,
  };
  struct weft_port_op *op = &t->run->batch[t->run->batch_count++];
  memset(op, 0, sizeof *op);
  op->issue = t->now++;
  op->node = (uint8_t)t->place.node;
  op->cu = (uint8_t)t->place.cu;
  op->req.warp = (uint8_t)t->place.warp;
  op->req.tag = (uint8_t)number;
  op->req.op = r->op;
  op->req.func = r->func;
  op->req.wide = r->op == WEFT_CU_OP_ATOMIC && r->bytes == 8;
  op->req.order = r->order;
  op->req.scope = r->scope;
  op->req.attr = r->attr;
  op->req.address = r->physical;
  if (r->op != WEFT_CU_OP_FENCE)
    fill_data(&op->req, r, t->place.line);
  t->run->in_flight++;
  weft_trace_note(t->run, op, r->bytes);
  return number;
}

static weft_token token_of(const struct weft_warp *t, unsigned slot)
{
  return (t->slot[slot].generation << 8) | slot;
}

void weft_wait(struct weft_warp *t, weft_token token)
{
  unsigned number = token & 0xffu;
  if (number >= WEFT_OUTSTANDING_MAX)
    weft_kernel_fail(t, WEFT_BAD_ARGUMENT, "weft_wait() of 0x%x, which is no token", token);
  struct weft_slot *slot = &t->slot[number];
  if ((slot->generation & 0xffffffu) != token >> 8)
    return; /* the slot was used again, so it was answered, and time has passed that */
  if (slot->flying)
    block(t, WEFT_WARP_WAITS_ONE, number);
  pass_to_answer(t, slot);
}

/* A store has no token: where its answer takes long, with leases, nobody but a fence waits for it. */
void weft_wait_all(struct weft_warp *t)
{
  for (unsigned i = 0; i < WEFT_OUTSTANDING_MAX; i++)
    if (t->slot[i].generation && !(t->slot[i].flying && t->slot[i].op == WEFT_CU_OP_STORE))
      weft_wait(t, token_of(t, i));
}

void weft_drain(struct weft_warp *t)
{
  for (unsigned i = 0; i < WEFT_OUTSTANDING_MAX; i++)
    if (t->slot[i].generation)
      weft_wait(t, token_of(t, i));
}

/* ---- Checks ------------------------------------------------------------------------------------------ */

static uint64_t locate(struct weft_warp *t, const char *what, weft_address a, size_t bytes)
{
  unsigned line = t->place.line;
  uint64_t physical;
  uint64_t shown = a & ~WEFT_PHYSICAL_FLAG;
  if (!bytes || bytes > line)
    weft_kernel_fail(t, WEFT_BAD_SIZE, "%s of %zu bytes at 0x%" PRIx64 ": use 1 to %u bytes, a line", what,
                     bytes, shown, line);
  if ((a & (line - 1)) + bytes > line)
    weft_kernel_fail(t, WEFT_ACROSS_LINE,
                     "%s of %zu bytes at 0x%" PRIx64 " crosses a line of %u bytes: split it at 0x%" PRIx64,
                     what, bytes, shown, line, (shown & ~(uint64_t)(line - 1)) + line);
  switch (weft_pages_translate(&t->run->w->pages, t->place.node, a, &physical)) {
  case WEFT_TRANSLATED:
    return physical;
  case WEFT_OUTSIDE_MEMORY:
    weft_kernel_fail(t, WEFT_BAD_ADDRESS,
                     "%s of %zu bytes at physical 0x%" PRIx64 " is outside memory: %u nodes of %" PRIu64
                     " bytes",
                     what, bytes, shown, t->place.nodes, t->run->w->config.memory_bytes);
  default:
    weft_kernel_fail(t, WEFT_BAD_ADDRESS, "%s of %zu bytes at 0x%" PRIx64 ": not allocated", what, bytes,
                     shown);
  }
}

static void check_order(struct weft_warp *t, const char *what, unsigned order, unsigned scope,
                        unsigned allowed)
{
  static const char *const names[] = WEFT_ORDER_NAMES;
  if (order > WEFT_ACQ_REL || !(allowed >> order & 1))
    weft_kernel_fail(t, WEFT_BAD_ARGUMENT, "%s of order %s", what,
                     order > WEFT_ACQ_REL ? "unknown" : names[order]);
  if (scope > WEFT_SYS)
    weft_kernel_fail(t, WEFT_BAD_ARGUMENT, "%s of the unknown scope %u", what, scope);
}
#define ORDER(name) (1u << WEFT_##name)

/* ---- Loads and stores -------------------------------------------------------------------------------- */

weft_token weft_load_async(struct weft_warp *t, weft_address a, void *to, size_t bytes,
                           enum weft_memory_order order, enum weft_memory_scope scope)
{
  check_order(t, "an asynchronous load", order, scope, ORDER(WEAK) | ORDER(RELAXED));
  struct weft_request r = {
    .op = WEFT_CU_OP_LOAD,
    .order = (uint8_t)order,
    .scope = (uint8_t)scope,
    .address = a,
    .physical = locate(t, "a load", a, bytes),
    .bytes = (uint8_t)bytes,
    .to = to,
  };
  bool asked = t->run->w->replicas.asked;
  uint64_t replica = asked ? weft_pages_replica(&t->run->w->pages, a) : WEFT_NO_REPLICA;
  if (replica != WEFT_NO_REPLICA)
    weft_replicas_loaded(t->run->w, t->place.node, replica,
                         weft_bytes_from((unsigned)(a & (t->place.line - 1)), (unsigned)bytes));
  return token_of(t, weft_issue(t, &r));
}

void weft_load(struct weft_warp *t, weft_address a, void *to, size_t bytes, enum weft_memory_order order,
               enum weft_memory_scope scope)
{
  check_order(t, "a load", order, scope, ORDER(WEAK) | ORDER(RELAXED) | ORDER(ACQUIRE));
  weft_wait(t, weft_load_async(t, a, to, bytes, order == WEFT_ACQUIRE ? WEFT_RELAXED : order, scope));
  if (order == WEFT_ACQUIRE)
    weft_fence(t, WEFT_ACQUIRE, scope);
}

/* To the own replica, and by the egress to those of the peers, the next node's first. */
static void store_replicas(struct weft_warp *t, struct weft_request *r, uint64_t replica)
{
  struct weft *w = t->run->w;
  unsigned first = (unsigned)(r->physical & (t->place.line - 1));
  struct weft_bytes mask =
    r->mask ? (struct weft_bytes){ { r->mask[0], r->mask[1] } } : weft_bytes_from(first, r->bytes);
  weft_issue(t, r);
  weft_replicas_stored(w, t->place.node, replica, mask);
  for (unsigned i = 1; i < t->place.nodes && !weft_egress_copies(w->egress); i++) {
    weft_pages_translate(&w->pages, (t->place.node + i) % t->place.nodes, r->address, &r->physical);
    weft_issue(t, r);
  }
}

static void store(struct weft_warp *t, struct weft_request *r, enum weft_memory_order order)
{
  check_order(t, "a store", order, r->scope, ORDER(WEAK) | ORDER(RELAXED) | ORDER(RELEASE));
  if (order == WEFT_RELEASE)
    weft_fence(t, WEFT_RELEASE, r->scope);
  r->op = WEFT_CU_OP_STORE;
  r->order = (uint8_t)(order == WEFT_RELEASE ? WEFT_RELAXED : order);
  uint64_t replica = weft_pages_replica(&t->run->w->pages, r->address);
  if (replica == WEFT_NO_REPLICA)
    weft_issue(t, r);
  else
    store_replicas(t, r, replica);
}

void weft_store(struct weft_warp *t, weft_address a, const void *from, size_t bytes,
                enum weft_memory_order order, enum weft_memory_scope scope)
{
  struct weft_request r = {
    .scope = (uint8_t)scope,
    .address = a,
    .physical = locate(t, "a store", a, bytes),
    .bytes = (uint8_t)bytes,
    .data = from,
  };
  store(t, &r, order);
}

void weft_store_masked(struct weft_warp *t, weft_address line_address, const void *line,
                       const uint64_t mask[2], enum weft_memory_order order, enum weft_memory_scope scope)
{
  unsigned bytes = t->place.line;
  uint64_t cut[2] = { mask[0], bytes > 64 ? mask[1] : 0 };
  if (bytes < 64)
    cut[0] &= (UINT64_C(1) << bytes) - 1;
  if (!(cut[0] | cut[1]))
    weft_kernel_fail(t, WEFT_BAD_SIZE, "a masked store of no bytes at 0x%" PRIx64,
                     line_address & ~WEFT_PHYSICAL_FLAG);
  struct weft_request r = {
    .scope = (uint8_t)scope,
    .address = line_address,
    .physical = locate(t, "a masked store", line_address, bytes),
    .bytes = (uint8_t)(__builtin_popcountll(cut[0]) + __builtin_popcountll(cut[1])),
    .mask = cut,
    .data = line,
  };
  store(t, &r, order);
}

void weft_load_span_async(struct weft_warp *t, weft_address a, void *to, size_t bytes)
{
  uint8_t *at = to;
  unsigned line = t->place.line;
  while (bytes) {
    size_t part = line - (a & (line - 1));
    if (part > bytes)
      part = bytes;
    weft_load_async(t, a, at, part, WEFT_WEAK, WEFT_CTA);
    a += part;
    at += part;
    bytes -= part;
  }
}

void weft_load_span(struct weft_warp *t, weft_address a, void *to, size_t bytes)
{
  weft_load_span_async(t, a, to, bytes);
  weft_wait_all(t);
}

void weft_store_span(struct weft_warp *t, weft_address a, const void *from, size_t bytes)
{
  const uint8_t *at = from;
  unsigned line = t->place.line;
  while (bytes) {
    size_t part = line - (a & (line - 1));
    if (part > bytes)
      part = bytes;
    weft_store(t, a, at, part, WEFT_WEAK, WEFT_CTA);
    a += part;
    at += part;
    bytes -= part;
  }
}

/* ---- Atomics and fences ------------------------------------------------------------------------------ */

weft_token weft_rmw_async(struct weft_warp *t, enum weft_function function, weft_address a, size_t bytes,
                          uint64_t operand, uint64_t compare, uint64_t *old, enum weft_memory_scope scope)
{
  check_order(t, "an atomic", WEFT_RELAXED, scope, ORDER(RELAXED));
  if ((unsigned)function > WEFT_XOR)
    weft_kernel_fail(t, WEFT_BAD_ARGUMENT, "an atomic of the unknown function %u", (unsigned)function);
  if (bytes != 4 && bytes != 8)
    weft_kernel_fail(t, WEFT_BAD_SIZE, "an atomic of %zu bytes at 0x%" PRIx64 ": use 4 or 8", bytes,
                     a & ~WEFT_PHYSICAL_FLAG);
  if (a % bytes)
    weft_kernel_fail(t, WEFT_MISALIGNED, "an atomic of %zu bytes at 0x%" PRIx64 ": use a multiple of %zu",
                     bytes, a & ~WEFT_PHYSICAL_FLAG, bytes);
  if (weft_pages_replica(&t->run->w->pages, a) != WEFT_NO_REPLICA)
    weft_kernel_fail(t, WEFT_BAD_ADDRESS,
                     "an atomic at 0x%" PRIx64 ", which is replicated: its replicas would differ\n"
                     "keep what warps synchronise by in memory of another placement",
                     a);
  uint8_t data[16] = { 0 };
  memcpy(data, &operand, bytes);
  memcpy(data + 8, &compare, bytes);
  if (old)
    *old = 0; /* of a 4-byte atomic only the lower half is written */
  struct weft_request r = {
    .op = WEFT_CU_OP_ATOMIC,
    .func = (uint8_t)function,
    .order = WEFT_RELAXED,
    .scope = (uint8_t)scope,
    .address = a,
    .physical = locate(t, "an atomic", a, bytes),
    .bytes = (uint8_t)bytes,
    .data = data,
    .to = old,
  };
  return token_of(t, weft_issue(t, &r));
}

uint64_t weft_rmw(struct weft_warp *t, enum weft_function function, weft_address a, size_t bytes,
                  uint64_t operand, uint64_t compare, enum weft_memory_order order,
                  enum weft_memory_scope scope)
{
  uint64_t old;
  check_order(t, "an atomic", order, scope, ~0u);
  if (order == WEFT_RELEASE || order == WEFT_ACQ_REL)
    weft_fence(t, WEFT_RELEASE, scope);
  weft_wait(t, weft_rmw_async(t, function, a, bytes, operand, compare, &old, scope));
  if (order == WEFT_ACQUIRE || order == WEFT_ACQ_REL)
    weft_fence(t, WEFT_ACQUIRE, scope);
  return old;
}

/* Waits for its answer: behind a fence that is under way the port would hold up the CU's other warps. */
void weft_fence(struct weft_warp *t, enum weft_memory_order order, enum weft_memory_scope scope)
{
  check_order(t, "a fence", order, scope, ORDER(ACQUIRE) | ORDER(RELEASE) | ORDER(ACQ_REL));
  struct weft_request r = { .op = WEFT_CU_OP_FENCE, .order = (uint8_t)order, .scope = (uint8_t)scope };
  weft_wait(t, token_of(t, weft_issue(t, &r)));
}
