/* SPDX-License-Identifier: Apache-2.0 */
/* usb: a board behind the back-end table (docs/frames.md, last table). In exact time the board's cycles and counters are those of
 * the RTL; in free time the fabric runs on while frames are under way, and cycles mean nothing. */
#include "backend_usb.h"

#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "handle.h"

#define AHEAD_MOST (UINT64_C(1) << 31) /* cycles that frames can tell apart */
#define VAIN_MAX 20U /* in free time: questions that a board without any answer is asked, until it is stuck */

static int lacks(struct weft_backend_error *e)
{
  return weft_line_fails(e, WEFT_BACKEND_LACKS, "usb: out of memory on this computer");
}

/* ---- Opening and closing ----------------------------------------------------------------------------- */

static void clear_places(struct weft_backend *b)
{
  for (size_t i = 0; i < b->places; i++)
    b->issue[i] = WEFT_NO_CYCLE;
  b->outstanding = 0;
  b->done_count = b->done_given = 0;
}

static int usb_reset(struct weft_backend *b, struct weft_backend_error *e)
{
  /* What is in flight, or lost, ends with a new session alone. */
  if (b->session->result || b->outstanding) {
    int result = weft_session_open(b->session, true, e);
    if (result)
      return result;
    b->now = 0;
    b->running = false;
  }
  clear_places(b);
  b->since = 0;
  return weft_usb_bring_up(b, e);
}

static void usb_close(struct weft_backend *b)
{
  free(b->issue);
  free(b->done);
  free(b);
}

static int usb_open(struct weft_backend **out, const struct weft_backend_options *options,
                    struct weft_backend_error *e)
{
  const struct weft_config *c = &options->config;
  struct weft_backend *b = calloc(1, sizeof *b);
  if (!b)
    return lacks(e);
  b->ops = &weft_backend_usb;
  b->options = *options;
  b->session = options->board->session;
  b->hash = weft_named_config_find(options->config_name)->hash;
  b->places = c->nodes * c->cus * b->session->identity.warps * b->session->identity.outstanding;
  b->issue = calloc(b->places, sizeof *b->issue);
  b->done = calloc(b->places, sizeof *b->done);
  if (options->free_time)
    b->session->vain_max = VAIN_MAX;
  int result = b->issue && b->done ? usb_reset(b, e) : lacks(e);
  if (result) {
    usb_close(b);
    return result;
  }
  *out = b;
  return WEFT_BACKEND_OK;
}

static int usb_info(struct weft_backend *b, struct weft_backend_info *info)
{
  *info = (struct weft_backend_info){ .name = "usb", .hash = b->hash };
  return WEFT_BACKEND_OK;
}

/* ---- Operations -------------------------------------------------------------------------------------- */

static uint64_t *place_of(struct weft_backend *b, unsigned node, unsigned cu, unsigned warp, unsigned tag)
{
  const struct weft_host_identity *i = &b->session->identity;
  size_t at = ((size_t)(node * i->cus + cu) * i->warps + warp) * i->outstanding + tag;
  bool known = cu < i->cus && warp < i->warps && tag < i->outstanding && at < b->places;
  return known ? &b->issue[at] : NULL;
}

static int put_op(struct weft_backend *b, const struct weft_port_op *op, struct weft_backend_error *e)
{
  struct weft_host_command c;
  uint64_t *place = place_of(b, op->node, op->cu, op->req.warp, op->req.tag);
  if (!place || *place != WEFT_NO_CYCLE)
    return weft_line_fails(e, WEFT_BACKEND_FAILED,
                           "usb: an operation of a warp or tag that the board has not, or twice\n"
                           "that is a fault of host or bitstream; `weft probe` shows both versions");
  if (!b->options.free_time && op->issue > b->now + AHEAD_MOST / 2)
    return weft_line_fails(e, WEFT_BACKEND_REFUSED,
                           "usb: an operation %" PRIu64
                           " cycles ahead; a board takes 2^30\nuse rtl: or model:",
                           op->issue - b->now);
  c.code = WEFT_HOST_OP;
  c.node = op->node;
  c.cu = op->cu;
  c.timed = !b->options.free_time;
  c.issue = (uint32_t)op->issue;
  c.req = op->req;
  int result = weft_session_put(b->session, &c, e);
  if (result)
    return result;
  *place = op->issue;
  b->outstanding++;
  return WEFT_BACKEND_OK;
}

static int begin_free_time(struct weft_backend *b, struct weft_backend_error *e)
{
  const struct weft_host_command c = { .code = WEFT_HOST_FREE };
  b->running = true;
  return weft_session_put(b->session, &c, e);
}

static int usb_submit(struct weft_backend *b, const struct weft_port_op *ops, size_t count,
                      struct weft_backend_error *e)
{
  int result = WEFT_BACKEND_OK;
  if (b->options.free_time && !b->running)
    result = begin_free_time(b, e);
  for (size_t i = 0; i < count && !result; i++)
    result = put_op(b, &ops[i], e);
  return result;
}

/* Free time tells no cycles: an answer is not before its operation, nor before the answers that came earlier. */
static uint64_t free_cycle(const struct weft_backend *b, uint64_t issue)
{
  uint64_t cycle = issue > b->now ? issue : b->now;
  return cycle > b->since ? cycle : b->since;
}

/* A DONE, with the cycle in which it was answered. */
static int take_done(struct weft_backend *b, const struct weft_host_answer *a, struct weft_backend_error *e)
{
  uint64_t *place = place_of(b, a->node, a->cu, a->rsp.warp, a->rsp.tag);
  if (!place || *place == WEFT_NO_CYCLE || !b->outstanding || b->done_count == b->places)
    return weft_line_fails(e, WEFT_BACKEND_FAILED,
                           "usb: an answer that nobody asked for: node %u cu %u warp %u tag %u\n"
                           "host and bitstream do not match; `weft probe` shows both versions",
                           a->node, a->cu, a->rsp.warp, a->rsp.tag);
  struct weft_port_done *d = &b->done[b->done_count++];
  uint64_t issue = *place;
  *place = WEFT_NO_CYCLE;
  b->outstanding--;
  d->node = a->node;
  d->cu = a->cu;
  d->rsp = a->rsp;
  d->cycle = a->timed ? weft_host_cycle(b->now, (uint32_t)a->cycle) : free_cycle(b, issue);
  b->since = d->cycle;
  return WEFT_BACKEND_OK;
}

int weft_usb_expect(struct weft_backend *b, uint8_t code, struct weft_host_answer *a,
                    struct weft_backend_error *e)
{
  int result = weft_session_next(b->session, a, e);
  while (!result && a->code == WEFT_HOST_OP) {
    result = take_done(b, a, e);
    if (!result)
      result = weft_session_next(b->session, a, e);
  }
  if (result || a->code == code)
    return result;
  return weft_line_fails(e, WEFT_BACKEND_FAILED,
                         "usb: the board answered 0x%02x where 0x%02x was due\n"
                         "that is a fault of host or bitstream; `weft probe` shows both versions",
                         a->code, code);
}

int weft_usb_run(struct weft_backend *b, uint64_t limit, bool to_answer, struct weft_host_answer *stop,
                 struct weft_backend_error *e)
{
  const struct weft_host_command c = { .code = WEFT_HOST_RUN,
                                       .flags = to_answer ? WEFT_HOST_RUN_TO_ANSWER : 0,
                                       .value = (uint32_t)limit };
  int result = weft_session_put(b->session, &c, e);
  if (!result)
    result = weft_usb_expect(b, WEFT_HOST_RUN, stop, e);
  if (!result)
    b->now = stop->cycle;
  return result;
}

int weft_usb_halt(struct weft_backend *b, struct weft_backend_error *e)
{
  struct weft_host_answer stop;
  if (!b->running)
    return WEFT_BACKEND_OK;
  b->running = false;
  return weft_usb_run(b, 0, false, &stop, e);
}

/* As weft_patience_check() counts: from the last answer, or from when the first of all operations was due. */
static uint64_t waits_since(const struct weft_backend *b)
{
  uint64_t first = WEFT_NO_CYCLE;
  for (size_t i = 0; i < b->places; i++)
    if (b->issue[i] < first)
      first = b->issue[i];
  return first != WEFT_NO_CYCLE && first > b->since ? first : b->since;
}

static int run_to_answer(struct weft_backend *b, struct weft_backend_error *e)
{
  struct weft_host_answer stop;
  uint64_t stuck = waits_since(b) + b->options.patience + 1;
  while (!b->done_count) {
    if (b->now >= stuck)
      return weft_line_fails(e, WEFT_BACKEND_STUCK, "no operation was answered for %" PRIu64 " cycles",
                             b->options.patience);
    uint64_t limit = stuck - b->now < WEFT_USB_SLICE ? stuck : b->now + WEFT_USB_SLICE;
    int result = weft_usb_run(b, limit, true, &stop, e);
    if (result)
      return result;
  }
  return WEFT_BACKEND_OK;
}

/* Free time: the first answer is waited for, and with it comes whatever else is there. What was submitted leaves when nothing
 * has come: the busier the line, the longer the frames. */
static int wait_for_answer(struct weft_backend *b, struct weft_backend_error *e)
{
  struct weft_host_answer a;
  int result = weft_session_look(b->session, e);
  if (!result && !b->session->answers_count)
    result = weft_session_flush(b->session, e);
  if (result)
    return result;
  do {
    result = weft_session_expect(b->session, WEFT_HOST_OP, &a, e);
    if (result)
      return result == WEFT_BACKEND_FAILED && b->session->in_vain > VAIN_MAX ? WEFT_BACKEND_STUCK : result;
    result = take_done(b, &a, e);
    if (result)
      return result;
  } while (b->session->answers_count);
  b->now = b->since + 1;
  return WEFT_BACKEND_OK;
}

static int usb_poll(struct weft_backend *b, struct weft_port_done *done, size_t max, size_t *count,
                    struct weft_backend_error *e)
{
  *count = 0;
  if (b->done_given == b->done_count) {
    b->done_given = b->done_count = 0;
    if (!b->outstanding)
      return WEFT_BACKEND_OK;
    int result = b->options.free_time ? wait_for_answer(b, e) : run_to_answer(b, e);
    if (result)
      return result;
  }
  while (*count < max && b->done_given < b->done_count)
    done[(*count)++] = b->done[b->done_given++];
  return WEFT_BACKEND_OK;
}

/* Which of them were cancelled the board does not say; nobody submits before the next reset. */
static int usb_cancel(struct weft_backend *b)
{
  struct weft_backend_error e = { "" };
  struct weft_host_answer a;
  const struct weft_host_command c = { .code = WEFT_HOST_CANCEL };
  int result = weft_session_put(b->session, &c, &e);
  while (!result) {
    result = weft_session_next(b->session, &a, &e);
    if (!result && a.code == WEFT_HOST_CANCEL)
      break;
    if (!result && a.code == WEFT_HOST_OP && b->outstanding)
      b->outstanding--; /* answered meanwhile, in free time */
  }
  if (!result)
    b->outstanding -= a.count < b->outstanding ? a.count : b->outstanding;
  return result;
}

static uint64_t usb_now(struct weft_backend *b)
{
  return b->done_given < b->done_count ? b->since : b->now;
}

static void usb_waits(struct weft_backend *b, char *text, size_t size)
{
  snprintf(text, size, "a board does not show its insides; run the same on rtl:%s to see what waits for what",
           b->options.config_name);
}

static int usb_leases(struct weft_backend *b, const struct weft_lease_settings *leases)
{
  struct weft_backend_error e = { "" };
  return weft_usb_write(b, WEFT_REGISTER(control.leases), weft_leases_register(leases), &e);
}

const struct weft_backend_ops weft_backend_usb = {
  .abi = WEFT_BACKEND_ABI,
  .name = "usb",
  .open = usb_open,
  .close = usb_close,
  .info = usb_info,
  .reset = usb_reset,
  .submit = usb_submit,
  .poll = usb_poll,
  .cancel = usb_cancel,
  .counters = weft_usb_counters,
  .memory = weft_usb_memory,
  .settle = weft_usb_settle,
  .now = usb_now,
  .waits = usb_waits,
  .leases = usb_leases,
};
