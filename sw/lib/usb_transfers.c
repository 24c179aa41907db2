/* SPDX-License-Identifier: Apache-2.0 */
/* A line to a board over libusb-1.0: several transfers in flight in each direction, all driven from inside send() and receive().
 * An IN transfer that brought nothing but the chip's status bytes is "nothing yet", and a zero-length packet means nothing. */
#include "usb_transfers.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>

#define OUT_BYTES 4096U
#define STALLS_MAX 3U
#define CLOSE_ROUNDS 50

void weft_usb_fails(struct weft_usb *d, int result, const char *what, const char *cure)
{
  if (d->result)
    return;
  d->result = result;
  snprintf(d->why.text, sizeof d->why.text, "%s: %s\n%s", d->name, what, cure);
}

/* ---- Transfers --------------------------------------------------------------------------------------- */

/* What a transfer's end means; true: its bytes count, and it may be used again. */
static bool ended_well(struct weft_usb *d, const struct libusb_transfer *t)
{
  switch (t->status) {
  case LIBUSB_TRANSFER_COMPLETED:
    return true;
  case LIBUSB_TRANSFER_CANCELLED:
    return false;
  case LIBUSB_TRANSFER_NO_DEVICE:
    weft_usb_fails(d, WEFT_BACKEND_GONE, "the board was unplugged while it was in use", CURE_PLUG);
    return false;
  case LIBUSB_TRANSFER_TIMED_OUT:
    if (t->endpoint == d->in_endpoint)
      return true; /* none is set there */
    weft_usb_fails(d, WEFT_BACKEND_SILENT, "the board takes no more bytes",
                   "`weft reset` may help, else its reset button");
    return false;
  case LIBUSB_TRANSFER_STALL:
    weft_usb_fails(d, WEFT_BACKEND_GONE, "the USB chip refuses (stalls) transfers", CURE_STALL);
    return false;
  default:
    weft_usb_fails(d, WEFT_BACKEND_GONE,
                   "a USB transfer failed: the board was unplugged, or the cable is bad", CURE_PLUG);
    return false;
  }
}

static void submit(struct weft_usb *d, struct weft_usb_slot *s)
{
  int error = libusb_submit_transfer(s->transfer);
  s->busy = !error;
  if (error == LIBUSB_ERROR_NO_DEVICE)
    weft_usb_fails(d, WEFT_BACKEND_GONE, "the board was unplugged while it was in use", CURE_PLUG);
  else if (error)
    weft_usb_fails(d, WEFT_BACKEND_FAILED, libusb_strerror(error), CURE_STALL);
}

static void keep(struct weft_usb *d, const struct libusb_transfer *t)
{
  bool overrun = false; /* the frames find out what is missing */
  if (d->kept_from && d->kept_count)
    memmove(d->kept, d->kept + d->kept_from, d->kept_count);
  d->kept_from = 0;
  d->kept_count +=
    weft_ftdi_deframe(t->buffer, (size_t)t->actual_length, d->packet, d->kept + d->kept_count, &overrun);
}

static void LIBUSB_CALL in_ended(struct libusb_transfer *t)
{
  struct weft_usb_slot *s = t->user_data;
  struct weft_usb *d = s->device;
  s->busy = false;
  if (t->status == LIBUSB_TRANSFER_COMPLETED && t->actual_length > (int)WEFT_FTDI_STATUS_BYTES) {
    keep(d, t);
    d->stalls = 0;
  }
  if (t->status == LIBUSB_TRANSFER_STALL || !ended_well(d, t))
    return; /* tend() sees to a stall: not from inside a callback */
  /* One that waits while bytes are not fetched: the board is stopped by its chip, and nothing is lost. */
  if (!d->closing && d->kept_count <= IN_BYTES)
    submit(d, s);
}

static void LIBUSB_CALL out_ended(struct libusb_transfer *t)
{
  struct weft_usb_slot *s = t->user_data;
  struct weft_usb *d = s->device;
  s->busy = false;
  if (t->status == LIBUSB_TRANSFER_STALL)
    return;
  if (ended_well(d, t) && t->actual_length != t->length)
    weft_usb_fails(d, WEFT_BACKEND_GONE, "the USB chip took a part of a transfer only", CURE_STALL);
}

static bool halted(const struct weft_usb_slot *s)
{
  return !s->busy && s->transfer->status == LIBUSB_TRANSFER_STALL;
}

/* A halted endpoint is set going again, a few times until something comes through. What was lost with it the frames find out: an OUT
 * transfer is not sent again, since nobody knows how much of it arrived. All transfers that one stall has ended are one case. */
static void cure_stall(struct weft_usb *d, struct weft_usb_slot *slots, uint8_t endpoint)
{
  bool stalled = false;
  for (unsigned i = 0; i < d->depth; i++)
    if (halted(&slots[i])) {
      slots[i].transfer->status = LIBUSB_TRANSFER_COMPLETED;
      stalled = true;
    }
  if (stalled && (++d->stalls > STALLS_MAX || libusb_clear_halt(d->handle, endpoint)))
    weft_usb_fails(d, WEFT_BACKEND_GONE, "the USB chip refuses (stalls) transfers", CURE_STALL);
}

/* After events: endpoints that stalled, and IN transfers that waited for room. */
static void tend(struct weft_usb *d)
{
  cure_stall(d, d->in, d->in_endpoint);
  cure_stall(d, d->out, d->out_endpoint);
  for (unsigned i = 0; i < d->depth && !d->result; i++)
    if (!d->in[i].busy && d->kept_count <= IN_BYTES)
      submit(d, &d->in[i]);
}

static double clock_ms(void)
{
  struct timespec now;
  clock_gettime(CLOCK_MONOTONIC, &now);
  return 1e3 * (double)now.tv_sec + 1e-6 * (double)now.tv_nsec;
}

/* Lets transfers end, for so long at most. */
static int handle(struct weft_usb *d, double milliseconds)
{
  long us = milliseconds > 0 ? (long)(1e3 * milliseconds) : 0;
  struct timeval wait = { .tv_sec = us / 1000000, .tv_usec = us % 1000000 };
  int error = libusb_handle_events_timeout_completed(d->context, &wait, NULL);
  if (error && error != LIBUSB_ERROR_INTERRUPTED)
    weft_usb_fails(d, error == LIBUSB_ERROR_NO_DEVICE ? WEFT_BACKEND_GONE : WEFT_BACKEND_FAILED,
                   libusb_strerror(error), CURE_PLUG);
  if (!d->result && !d->closing)
    tend(d);
  return d->result;
}

int weft_usb_result(const struct weft_usb *d, struct weft_backend_error *e)
{
  if (d->result)
    *e = d->why;
  return d->result;
}

static struct weft_usb_slot *free_out(struct weft_usb *d)
{
  for (unsigned i = 0; i < d->depth; i++)
    if (!d->out[i].busy && !halted(&d->out[i]))
      return &d->out[i];
  return NULL;
}

int weft_usb_send(void *context, const uint8_t *bytes, size_t count, struct weft_backend_error *e)
{
  struct weft_usb *d = context;
  double until = clock_ms() + 2.0 * d->out_ms; /* transfers have their own end, if the chip keeps to it */
  while (count && !d->result) {
    struct weft_usb_slot *s = free_out(d);
    if (!s) {
      handle(d, 100);
      if (clock_ms() > until)
        weft_usb_fails(d, WEFT_BACKEND_SILENT, "the board takes no more bytes", CURE_STALL);
      continue;
    }
    until = clock_ms() + 2.0 * d->out_ms;
    size_t part = count < OUT_BYTES ? count : OUT_BYTES;
    memcpy(s->bytes, bytes, part);
    s->transfer->length = (int)part;
    submit(d, s);
    bytes += part;
    count -= part;
  }
  return weft_usb_result(d, e);
}

int weft_usb_receive(void *context, uint8_t *bytes, size_t room, unsigned milliseconds, size_t *count,
                     struct weft_backend_error *e)
{
  struct weft_usb *d = context;
  double until = clock_ms() + milliseconds;
  *count = 0;
  handle(d, 0);
  while (!d->kept_count && !d->result) {
    double left = until - clock_ms();
    if (left <= 0)
      return WEFT_BACKEND_OK;
    handle(d, left);
  }
  if (!d->kept_count)
    return weft_usb_result(d, e);
  *count = d->kept_count < room ? d->kept_count : room;
  memcpy(bytes, d->kept + d->kept_from, *count);
  d->kept_from += *count;
  d->kept_count -= *count;
  return WEFT_BACKEND_OK;
}

/* ---- Making and ending them --------------------------------------------------------------------------- */

static bool make_slot(struct weft_usb *d, struct weft_usb_slot *s, uint8_t endpoint, size_t size,
                      unsigned timeout, libusb_transfer_cb_fn ended)
{
  s->device = d;
  s->bytes = malloc(size);
  s->transfer = libusb_alloc_transfer(0);
  if (!s->bytes || !s->transfer)
    return false;
  libusb_fill_bulk_transfer(s->transfer, d->handle, endpoint, s->bytes, (int)size, ended, s, timeout);
  return true;
}

bool weft_usb_make_slots(struct weft_usb *d)
{
  d->kept = malloc((size_t)(d->depth + 2) * IN_BYTES);
  for (unsigned i = 0; d->kept && i < d->depth; i++)
    if (!make_slot(d, &d->in[i], d->in_endpoint, IN_BYTES, 0, in_ended) ||
        !make_slot(d, &d->out[i], d->out_endpoint, OUT_BYTES, d->out_ms, out_ended))
      return false;
  return d->kept != NULL;
}

static bool any_busy(const struct weft_usb *d, bool out)
{
  for (unsigned i = 0; i < d->depth; i++)
    if (out ? d->out[i].busy : d->in[i].busy || d->out[i].busy)
      return true;
  return false;
}

static void free_slots(struct weft_usb_slot *slots)
{
  for (unsigned i = 0; i < WEFT_USB_DEPTH_MAX; i++) {
    if (slots[i].transfer && !slots[i].busy)
      libusb_free_transfer(slots[i].transfer);
    if (!slots[i].busy)
      free(slots[i].bytes);
  }
}

/* What was sent is let out first; then whatever still waits is called back. Bounded: a chip that never ends a transfer is
 * left to the kernel. */
void weft_usb_end_slots(struct weft_usb *d)
{
  for (int i = 0; i < CLOSE_ROUNDS && !d->result && any_busy(d, true); i++)
    handle(d, 20);
  for (unsigned i = 0; i < d->depth; i++) {
    if (d->in[i].busy)
      libusb_cancel_transfer(d->in[i].transfer);
    if (d->out[i].busy)
      libusb_cancel_transfer(d->out[i].transfer);
  }
  for (int i = 0; i < CLOSE_ROUNDS && any_busy(d, false); i++) {
    struct timeval wait = { .tv_usec = 20000 };
    libusb_handle_events_timeout_completed(d->context, &wait, NULL);
  }
}

void weft_usb_free_slots(struct weft_usb *d)
{
  free_slots(d->in);
  free_slots(d->out);
  free(d->kept);
}

bool weft_usb_listen(struct weft_usb *d)
{
  for (unsigned i = 0; i < d->depth && !d->result; i++)
    submit(d, &d->in[i]);
  return !d->result;
}
