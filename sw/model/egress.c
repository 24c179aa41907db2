/* SPDX-License-Identifier: Apache-2.0 */
#include "egress.h"

size_t weft_egress_size(const struct weft_config *c)
{
  return offsetof(struct weft_egress, queue) + weft_write_queue_size(c);
}

void weft_egress_reset(struct weft_egress *e, const struct weft_config *c, unsigned self)
{
  memset(e, 0, offsetof(struct weft_egress, queue));
  weft_write_queue_reset(&e->queue, c, self);
}

void weft_egress_set(struct weft_egress *e, const struct weft_finepack *settings)
{
  e->queue.settings = *settings;
}

/* ---------------------------------------------------------------- work */

static struct weft_egress_work *append(struct weft_egress *e)
{
  struct weft_egress_work *work = &e->work[(e->head + e->count++) % WEFT_EGRESS_WORK];
  memset(work, 0, sizeof *work);
  return work;
}

static void finish(struct weft_egress *e)
{
  memset(&e->work[e->head], 0, sizeof e->work[0]); /* equal states must be equal bytes */
  e->head = (e->head + 1U) % WEFT_EGRESS_WORK;
  e->count--;
  e->from = 0;
  memset(&e->packetizer, 0, sizeof e->packetizer);
}

/* A set whose stores all left is free at once, with its last message. */
static bool left_whole(struct weft_egress *e, const struct weft_egress_work *work)
{
  struct weft_packetizer ahead = e->packetizer;
  struct weft_req message;
  struct weft_egress_count count = { 0 };
  return !weft_packetizer_pop(&ahead, &e->queue, work->dst, work->which, &message, &count);
}

static bool message_left_whole(const struct weft_egress *e, const struct weft_egress_work *work)
{
  uint32_t from = e->from;
  struct weft_req message;
  return work->message.kind != WEFT_REQ_KIND_WRITE ||
         !weft_next_plain(&work->message, e->queue.line, &from, &message);
}

bool weft_egress_pop(struct weft_egress *e, struct weft_req *out, struct weft_egress_count *count)
{
  memset(count, 0, sizeof *count);
  if (e->count == 0)
    return false;
  const struct weft_egress_work *work = &e->work[e->head];
  if (work->flush) {
    weft_packetizer_pop(&e->packetizer, &e->queue, work->dst, work->which, out, count);
    if (!left_whole(e, work))
      return true;
    weft_write_queue_drained(&e->queue, work->dst, work->which);
  } else {
    if (work->message.kind == WEFT_REQ_KIND_WRITE) {
      weft_next_plain(&work->message, e->queue.line, &e->from, out);
      count->plain = 1;
    } else {
      memcpy(out, &work->message, sizeof *out);
    }
    if (!message_left_whole(e, work))
      return true;
  }
  finish(e);
  return true;
}

/* ---------------------------------------------------------------- steps */

static void count_flush(struct weft_egress_count *count, unsigned cause)
{
  uint8_t *const counts[] = {
    [WEFT_FLUSH_CAUSE_BASE] = &count->flush_base,       [WEFT_FLUSH_CAUSE_ROOM] = &count->flush_room,
    [WEFT_FLUSH_CAUSE_PAYLOAD] = &count->flush_payload, [WEFT_FLUSH_CAUSE_RELEASE] = &count->flush_release,
    [WEFT_FLUSH_CAUSE_LOAD] = &count->flush_load,       [WEFT_FLUSH_CAUSE_ATOMIC] = &count->flush_atomic,
    [WEFT_FLUSH_CAUSE_TIMEOUT] = &count->flush_timeout, [WEFT_FLUSH_CAUSE_END] = &count->flush_end,
    [WEFT_FLUSH_CAUSE_STRONG] = &count->flush_strong,
  };
  *counts[cause] = 1;
}

/* A flush becomes work; `which` is the set that drains. */
static void note_flush(struct weft_egress *e, unsigned dst, unsigned which, unsigned cause,
                       struct weft_egress_event *out, struct weft_egress_count *count)
{
  struct weft_egress_work *work = append(e);
  work->flush = 1;
  work->dst = (uint8_t)dst;
  work->which = (uint8_t)which;
  out->flushed = 1;
  out->cause = (uint8_t)cause;
  out->dst = (uint8_t)dst;
  count_flush(count, cause);
}

static void pass(struct weft_egress *e, const struct weft_req *req, struct weft_egress_event *out)
{
  struct weft_egress_work *work = append(e);
  memcpy(&work->message, req, sizeof *req);
  out->taken = 1;
  out->plain = 1;
}

static const char *step_store(struct weft_egress *e, const struct weft_egress_event *in,
                              struct weft_egress_event *out, struct weft_egress_count *count)
{
  const struct weft_req *req = &in->req;
  struct weft_queue_decision d = weft_write_queue_decide(&e->queue, req);
  if (d.cause != WEFT_FLUSH_CAUSE_NONE && weft_queue_stuck(&e->queue, req->dst))
    return "egress: a flush while the partition's next set still drains";
  unsigned which = e->queue.filling[req->dst];
  out->hit = d.hit && d.action != WEFT_QUEUE_REOPEN;
  out->taken = d.action != WEFT_QUEUE_PLAIN || d.cause == WEFT_FLUSH_CAUSE_NONE;
  if (out->taken) {
    struct weft_enables e_in = weft_line_in_block(req->mask, e->queue.line, 0);
    count->stores = 1;
    count->bytes = (uint8_t)weft_enabled_bytes(&e_in);
    count->hits = out->hit;
  }
  if (d.action == WEFT_QUEUE_PLAIN && out->taken) {
    pass(e, req, out);
    return NULL;
  }
  if (d.cause != WEFT_FLUSH_CAUSE_NONE)
    note_flush(e, req->dst, which, d.cause, out, count);
  if (d.action == WEFT_QUEUE_PLAIN) {
    weft_write_queue_flush(&e->queue, req->dst);
    return NULL;
  }
  out->slot = d.slot;
  count->merged = (uint8_t)weft_write_queue_put(&e->queue, req, &d);
  if (in->urgent)
    e->due = req->dst + 1U;
  return NULL;
}

/* Loads and atomics wait for the stores of their block, markers for all of their destination. */
static unsigned must_flush(const struct weft_write_queue *q, const struct weft_req *req)
{
  unsigned slot;
  if (req->kind == WEFT_REQ_KIND_MARKER)
    return weft_queue_filling(q, req->dst)->used ? WEFT_FLUSH_CAUSE_RELEASE : WEFT_FLUSH_CAUSE_NONE;
  if (req->kind != WEFT_REQ_KIND_READ && req->kind != WEFT_REQ_KIND_ATOMIC)
    return WEFT_FLUSH_CAUSE_NONE;
  if (!weft_queue_find(q, req->dst, req->address, &slot))
    return WEFT_FLUSH_CAUSE_NONE;
  return req->kind == WEFT_REQ_KIND_READ ? WEFT_FLUSH_CAUSE_LOAD : WEFT_FLUSH_CAUSE_ATOMIC;
}

static const char *step_input(struct weft_egress *e, const struct weft_egress_event *in,
                              struct weft_egress_event *out, struct weft_egress_count *count)
{
  const struct weft_req *req = &in->req;
  if (e->due)
    return "egress: an input before the flush of a strong store";
  bool served = weft_queue_serves(&e->queue, req->dst);
  if (served && req->kind == WEFT_REQ_KIND_WRITE)
    return step_store(e, in, out, count);
  unsigned cause = served ? must_flush(&e->queue, req) : WEFT_FLUSH_CAUSE_NONE;
  if (cause == WEFT_FLUSH_CAUSE_NONE) {
    pass(e, req, out);
    return NULL;
  }
  if (weft_queue_stuck(&e->queue, req->dst))
    return "egress: a flush while the partition's next set still drains";
  note_flush(e, req->dst, weft_write_queue_flush(&e->queue, req->dst), cause, out, count);
  return NULL;
}

static const char *step_flush(struct weft_egress *e, const struct weft_egress_event *in,
                              struct weft_egress_event *out, struct weft_egress_count *count)
{
  bool strong = in->cause == WEFT_FLUSH_CAUSE_STRONG;
  if (!strong && in->cause != WEFT_FLUSH_CAUSE_TIMEOUT && in->cause != WEFT_FLUSH_CAUSE_END)
    return "egress: a flush by itself for a cause that has an input";
  if (!weft_queue_serves(&e->queue, in->dst) || !weft_queue_filling(&e->queue, in->dst)->used)
    return "egress: a flush of nothing";
  if (strong != (e->due == in->dst + 1U))
    return "egress: a strong store's partition is flushed next, and no other";
  if (weft_queue_stuck(&e->queue, in->dst))
    return "egress: a flush while the partition's next set still drains";
  e->due = 0;
  note_flush(e, in->dst, weft_write_queue_flush(&e->queue, in->dst), in->cause, out, count);
  return NULL;
}

const char *weft_egress_step(struct weft_egress *e, const struct weft_egress_event *in,
                             struct weft_egress_event *out, struct weft_egress_count *count)
{
  memset(out, 0, sizeof *out);
  memset(count, 0, sizeof *count);
  out->kind = in->kind;
  if (e->count > WEFT_EGRESS_WORK - 2U)
    return "egress: more work than can wait";
  return in->kind == WEFT_EGRESS_KIND_FLUSH ? step_flush(e, in, out, count) : step_input(e, in, out, count);
}

bool weft_egress_idle(const struct weft_egress *e)
{
  for (unsigned dst = 0; dst < e->queue.nodes; dst++)
    if (weft_queue_filling(&e->queue, dst)->used)
      return false;
  return e->count == 0;
}
