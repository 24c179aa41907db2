/* SPDX-License-Identifier: Apache-2.0 */
/* Transfers in and out of the chip's FIFOs. */
#include "device.h"

#include <string.h>

#define STATUS_BYTES 2U
/* A chip sends a packet that is not full when its latency timer has run out. A millisecond of it are 60,000 clocks, which a
 * simulation takes a quarter of a second for: here it is shorter. */
#define LATENCY_CLOCKS 64U
/* And it says every now and then that there is nothing. */
#define IDLE_CLOCKS 16384U
#define LATENCY_AT_POWER_UP 16U

static void append(struct transfer_queue *q, struct transfer *t)
{
  t->next = NULL;
  if (q->last)
    q->last->next = t;
  else
    q->first = t;
  q->last = t;
}

/* The first of an owner, or with a name; NULL and 0: any. */
static struct transfer *take_of(struct transfer_queue *q, const void *owner, uint64_t name)
{
  struct transfer *before = NULL;
  for (struct transfer *t = q->first; t; before = t, t = t->next) {
    if ((owner && t->owner != owner) || (name && t->name != name))
      continue;
    if (before)
      before->next = t->next;
    else
      q->first = t->next;
    if (q->last == t)
      q->last = before;
    return t;
  }
  return NULL;
}

static struct transfer *take(struct transfer_queue *q)
{
  return take_of(q, NULL, 0);
}

static void finish(struct device *d, struct transfer *t, enum device_result result)
{
  t->result = result;
  if (result == DEVICE_DONE)
    faults_count_transfer(&d->faults);
  append(&d->done, t);
}

static void finish_all(struct device *d, const void *owner, enum device_result result)
{
  struct transfer_queue *queues[] = { &d->control, &d->in, &d->out };
  for (size_t i = 0; i < sizeof queues / sizeof *queues; i++)
    for (struct transfer *t; (t = take_of(queues[i], owner, 0));)
      finish(d, t, result);
}

void device_open(struct device *d, const struct weft_board_ops *ops, struct weft_sim_board *board,
                 const struct weft_vboard_options *options)
{
  *d = (struct device){ .ops = ops,
                        .board = board,
                        .front = options->front,
                        .serial = options->serial,
                        .latency = LATENCY_AT_POWER_UP };
  faults_begin(&d->faults, options);
  weft_host_receiver_reset(&d->other.receiver);
}

void device_submit(struct device *d, struct transfer *t)
{
  t->actual = 0;
  if (d->gone)
    finish(d, t, DEVICE_GONE);
  else if (t->control)
    append(&d->control, t);
  else if (t->endpoint == DEVICE_IN)
    append(&d->in, t);
  else if (t->endpoint == DEVICE_OUT)
    append(&d->out, t);
  else
    finish(d, t, DEVICE_STALLED);
}

bool device_cancel(struct device *d, const void *owner, uint64_t name)
{
  struct transfer_queue *queues[] = { &d->control, &d->in, &d->out };
  for (size_t i = 0; i < sizeof queues / sizeof *queues; i++) {
    struct transfer *t = take_of(queues[i], owner, name);
    if (!t)
      continue;
    finish(d, t, DEVICE_CANCELLED);
    return true;
  }
  return false;
}

void device_cancel_all(struct device *d, const void *owner)
{
  finish_all(d, owner, DEVICE_CANCELLED);
}

struct transfer *device_reap(struct device *d, const void *owner)
{
  return take_of(&d->done, owner, 0);
}

void device_clear_halt(struct device *d, uint8_t endpoint)
{
  if (endpoint == DEVICE_IN)
    d->halted_in = false;
  if (endpoint == DEVICE_OUT)
    d->halted_out = false;
}

void device_unplug(struct device *d)
{
  d->gone = true;
  finish_all(d, NULL, DEVICE_GONE);
}

static void serve_control(struct device *d)
{
  struct transfer *t;
  while ((t = take(&d->control))) {
    int count = -1;
    if (t->length >= DEVICE_SETUP)
      count = request_serve(d, t->bytes, t->bytes + DEVICE_SETUP, t->length - DEVICE_SETUP);
    t->actual = count < 0 ? 0 : (uint32_t)count;
    d->transfers_control++;
    finish(d, t, count < 0 ? DEVICE_STALLED : DEVICE_DONE);
  }
}

/* A byte goes on with what the faults make of it, for which there must be room. */
static bool put_byte(struct device *d, uint8_t byte)
{
  uint8_t bytes[FAULT_BYTES_MAX];
  if (d->ops->room(d->board) < FAULT_BYTES_MAX)
    return false;
  d->ops->put(d->board, bytes, faults_byte(&d->faults, FAULT_DOWN, byte, bytes));
  return true;
}

static void serve_out(struct device *d)
{
  while (d->out.first) {
    struct transfer *t = d->out.first;
    if (!t->actual && faults_stall(&d->faults, FAULT_DOWN))
      d->halted_out = true;
    if (d->halted_out) {
      finish(d, take(&d->out), DEVICE_STALLED);
      continue;
    }
    if (!d->board)
      t->actual = t->length;
    while (t->actual < t->length && put_byte(d, t->bytes[t->actual]))
      t->actual++;
    if (t->actual < t->length)
      return;
    d->transfers_out++;
    finish(d, take(&d->out), DEVICE_DONE);
  }
}

static void stage(struct device *d, const uint8_t *bytes, size_t count)
{
  for (size_t i = 0; i < count; i++)
    d->up.byte[(d->up.first + d->up.count++) % DEVICE_STAGE] = bytes[i];
}

static void stage_byte(struct device *d, uint8_t byte)
{
  uint8_t bytes[FAULT_BYTES_MAX], frame[WEFT_HOST_FRAME_MAX];
  unsigned count = faults_byte(&d->faults, FAULT_UP, byte, bytes);
  if (!faults_on(&d->faults, WEFT_VBOARD_VERSION)) {
    stage(d, bytes, count);
    return;
  }
  for (unsigned i = 0; i < count; i++)
    stage(d, frame, other_version_byte(&d->other, &d->faults, bytes[i], frame));
}

/* No more than a packet's worth: what is left in the chip is what stops the board. */
static void fetch(struct device *d)
{
  uint8_t byte;
  while (d->board && d->up.count < descriptor_packet(d->front) && d->ops->get(d->board, &byte, 1))
    stage_byte(d, byte);
  if (d->board && faults_sticks(&d->faults))
    d->ops->stuck(d->board, true);
}

/* One packet of status and so many bytes. A transfer ends with a packet that is not full, or with its buffer. */
static void send_packet(struct device *d, size_t count)
{
  struct transfer *t = d->in.first;
  unsigned packet = descriptor_packet(d->front);
  uint8_t *at = t->bytes + t->actual;
  count = faults_packet(&d->faults, count);
  if (t->length - t->actual < STATUS_BYTES + count) {
    finish(d, take(&d->in), DEVICE_OVERFLOW);
    return;
  }
  *at++ = (uint8_t)(d->front == WEFT_BOARD_FT245 ? 0x32 : 0x31); /* CTS, DSR; how long packets are */
  *at++ = 0x60; /* nothing more to send, nothing being sent */
  for (size_t i = 0; i < count; i++, d->up.count--) {
    *at++ = d->up.byte[d->up.first];
    d->up.first = (d->up.first + 1) % DEVICE_STAGE;
  }
  t->actual += (uint32_t)(STATUS_BYTES + count);
  d->since_packet = d->since_bytes = 0;
  if (STATUS_BYTES + count == packet && t->length - t->actual >= packet)
    return;
  d->transfers_in++;
  finish(d, take(&d->in), DEVICE_DONE);
}

/* A packet goes when it is full, when what there is has waited for long enough, or to say that there is nothing. */
static bool packet_is_due(const struct device *d, size_t room)
{
  bool late = d->since_bytes >= (uint64_t)d->latency * LATENCY_CLOCKS;
  return d->up.count >= room || (late && (d->up.count || d->in.first->actual)) ||
         d->since_packet >= IDLE_CLOCKS;
}

static void serve_in(struct device *d)
{
  size_t room = descriptor_packet(d->front) - STATUS_BYTES;
  for (fetch(d); d->in.first; fetch(d)) {
    if (!packet_is_due(d, room))
      return;
    if (!d->in.first->actual && faults_stall(&d->faults, FAULT_UP))
      d->halted_in = true;
    if (d->halted_in)
      finish(d, take(&d->in), DEVICE_STALLED);
    else
      send_packet(d, d->up.count < room ? d->up.count : room);
  }
}

void device_serve(struct device *d, uint64_t clocks)
{
  if (d->gone || faults_hangs(&d->faults))
    return;
  d->since_bytes = d->up.count || (d->in.first && d->in.first->actual) ? d->since_bytes + clocks : 0;
  d->since_packet += clocks;
  serve_control(d);
  serve_out(d);
  serve_in(d);
  if (faults_unplugs(&d->faults))
    device_unplug(d);
}

bool device_waits(const struct device *d)
{
  return !d->gone && !faults_hangs(&d->faults) && (d->control.first || d->out.first || d->up.count);
}
