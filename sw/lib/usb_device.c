/* SPDX-License-Identifier: Apache-2.0 */
/* A line to a board over libusb-1.0: several transfers in flight in each direction, all driven from inside send() and receive().
 * An IN transfer that brought nothing but the chip's status bytes is "nothing yet", and a zero-length packet means nothing. */
#include "usb_device.h"

#include <libusb.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/random.h>
#include <time.h>

#include "usb_ftdi.h"

#define IN_BYTES 16384U /* of a transfer: a multiple of every packet size */
#define OUT_BYTES 4096U
#define DEPTH 4U
#define CONTROL_MS 1000U
#define OUT_MS 5000U /* in which a board takes the bytes of one transfer, or never will */
#define STALLS_MAX 3U
#define CLOSE_ROUNDS 50

struct device;
struct slot {
  struct device *device;
  struct libusb_transfer *transfer;
  bool busy;
  uint8_t *bytes;
};

struct device {
  libusb_context *context;
  libusb_device_handle *handle;
  const struct weft_ftdi_chip *chip;
  char name[96];
  uint8_t in_endpoint, out_endpoint;
  size_t packet;
  unsigned depth, stalls;
  struct slot in[WEFT_USB_DEPTH_MAX], out[WEFT_USB_DEPTH_MAX];
  uint8_t *kept; /* bytes that came and were not asked for yet: room for all IN transfers at once */
  size_t kept_from, kept_count;
  bool closing;
  int result; /* once it failed, it stays so */
  struct weft_backend_error why;
};

static void fails(struct device *d, int result, const char *what, const char *cure)
{
  if (d->result)
    return;
  d->result = result;
  snprintf(d->why.text, sizeof d->why.text, "%s: %s\n%s", d->name, what, cure);
}

#define CURE_PLUG "plug it in again (and look at the cable), then run this again"
#define CURE_STALL "unplug it and plug it in again, then run this again"

/* ---- Transfers --------------------------------------------------------------------------------------- */

/* What a transfer's end means; true: its bytes count, and it may be used again. */
static bool ended_well(struct device *d, const struct libusb_transfer *t)
{
  switch (t->status) {
  case LIBUSB_TRANSFER_COMPLETED:
    return true;
  case LIBUSB_TRANSFER_CANCELLED:
    return false;
  case LIBUSB_TRANSFER_NO_DEVICE:
    fails(d, WEFT_BACKEND_GONE, "the board was unplugged while it was in use", CURE_PLUG);
    return false;
  case LIBUSB_TRANSFER_TIMED_OUT:
    if (t->endpoint == d->in_endpoint)
      return true; /* none is set there */
    fails(d, WEFT_BACKEND_SILENT, "the board takes no more bytes", "`weft reset` may help, else its reset button");
    return false;
  case LIBUSB_TRANSFER_STALL:
    fails(d, WEFT_BACKEND_GONE, "the USB chip refuses (stalls) transfers", CURE_STALL);
    return false;
  default:
    fails(d, WEFT_BACKEND_GONE, "a USB transfer failed: the board was unplugged, or the cable is bad", CURE_PLUG);
    return false;
  }
}

static void submit(struct device *d, struct slot *s)
{
  int error = libusb_submit_transfer(s->transfer);
  s->busy = !error;
  if (error == LIBUSB_ERROR_NO_DEVICE)
    fails(d, WEFT_BACKEND_GONE, "the board was unplugged while it was in use", CURE_PLUG);
  else if (error)
    fails(d, WEFT_BACKEND_FAILED, libusb_strerror(error), CURE_STALL);
}

static void keep(struct device *d, const struct libusb_transfer *t)
{
  bool overrun = false; /* the frames find out what is missing */
  if (d->kept_from && d->kept_count)
    memmove(d->kept, d->kept + d->kept_from, d->kept_count);
  d->kept_from = 0;
  d->kept_count +=
    weft_ftdi_deframe(t->buffer, (size_t)t->actual_length, d->packet, d->kept + d->kept_count, &overrun);
}

/* A halted endpoint is set going again a few times; what was lost with it the frames find out. */
static bool stalled_and_cured(struct device *d, const struct libusb_transfer *t)
{
  if (t->status != LIBUSB_TRANSFER_STALL || d->closing || ++d->stalls > STALLS_MAX)
    return false;
  return libusb_clear_halt(d->handle, t->endpoint) == LIBUSB_SUCCESS;
}

static void LIBUSB_CALL in_ended(struct libusb_transfer *t)
{
  struct slot *s = t->user_data;
  struct device *d = s->device;
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
  struct slot *s = t->user_data;
  struct device *d = s->device;
  s->busy = false;
  if (t->status == LIBUSB_TRANSFER_STALL)
    return;
  if (ended_well(d, t) && t->actual_length != t->length)
    fails(d, WEFT_BACKEND_GONE, "the USB chip took a part of a transfer only", CURE_STALL);
}

static bool halted(const struct slot *s)
{
  return !s->busy && s->transfer->status == LIBUSB_TRANSFER_STALL;
}

/* After events: endpoints that stalled, and IN transfers that waited for room. An OUT transfer that stalled is not sent again:
 * nobody knows how much of it arrived, and the frames do. */
static void tend(struct device *d)
{
  for (unsigned i = 0; i < d->depth && !d->result; i++) {
    struct slot *in = &d->in[i], *out = &d->out[i];
    if (halted(out)) {
      bool cured = stalled_and_cured(d, out->transfer);
      out->transfer->status = LIBUSB_TRANSFER_COMPLETED;
      if (!cured)
        fails(d, WEFT_BACKEND_GONE, "the USB chip refuses (stalls) transfers", CURE_STALL);
    }
    if (halted(in) && !stalled_and_cured(d, in->transfer))
      fails(d, WEFT_BACKEND_GONE, "the USB chip refuses (stalls) transfers", CURE_STALL);
    if (!in->busy && !d->result && d->kept_count <= IN_BYTES)
      submit(d, in);
  }
}

static double clock_ms(void)
{
  struct timespec now;
  clock_gettime(CLOCK_MONOTONIC, &now);
  return 1e3 * (double)now.tv_sec + 1e-6 * (double)now.tv_nsec;
}

/* Lets transfers end, for so long at most. */
static int handle(struct device *d, double milliseconds)
{
  long us = milliseconds > 0 ? (long)(1e3 * milliseconds) : 0;
  struct timeval wait = { .tv_sec = us / 1000000, .tv_usec = us % 1000000 };
  int error = libusb_handle_events_timeout_completed(d->context, &wait, NULL);
  if (error && error != LIBUSB_ERROR_INTERRUPTED)
    fails(d, error == LIBUSB_ERROR_NO_DEVICE ? WEFT_BACKEND_GONE : WEFT_BACKEND_FAILED, libusb_strerror(error),
          CURE_PLUG);
  if (!d->result && !d->closing)
    tend(d);
  return d->result;
}

static int result_of(const struct device *d, struct weft_backend_error *e)
{
  if (d->result)
    *e = d->why;
  return d->result;
}

static struct slot *free_out(struct device *d)
{
  for (unsigned i = 0; i < d->depth; i++)
    if (!d->out[i].busy && !halted(&d->out[i]))
      return &d->out[i];
  return NULL;
}

static int device_send(void *context, const uint8_t *bytes, size_t count, struct weft_backend_error *e)
{
  struct device *d = context;
  while (count && !d->result) {
    struct slot *s = free_out(d);
    if (!s) {
      handle(d, 100);
      continue;
    }
    size_t part = count < OUT_BYTES ? count : OUT_BYTES;
    memcpy(s->bytes, bytes, part);
    s->transfer->length = (int)part;
    submit(d, s);
    bytes += part;
    count -= part;
  }
  return result_of(d, e);
}

static int device_receive(void *context, uint8_t *bytes, size_t room, unsigned milliseconds, size_t *count,
                          struct weft_backend_error *e)
{
  struct device *d = context;
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
    return result_of(d, e);
  *count = d->kept_count < room ? d->kept_count : room;
  memcpy(bytes, d->kept + d->kept_from, *count);
  d->kept_from += *count;
  d->kept_count -= *count;
  return WEFT_BACKEND_OK;
}

/* ---- Beginning and end ------------------------------------------------------------------------------- */

static bool any_busy(const struct device *d, bool out)
{
  for (unsigned i = 0; i < d->depth; i++)
    if (out ? d->out[i].busy : d->in[i].busy || d->out[i].busy)
      return true;
  return false;
}

static int tell_chip(struct device *d, const struct weft_ftdi_step *steps, size_t count)
{
  for (size_t i = 0; i < count; i++) {
    int error =
      libusb_control_transfer(d->handle, LIBUSB_REQUEST_TYPE_VENDOR | LIBUSB_RECIPIENT_DEVICE, steps[i].request,
                              steps[i].value, steps[i].index, NULL, 0, CONTROL_MS);
    if (error < 0) {
      fails(d, WEFT_BACKEND_GONE,
            error == LIBUSB_ERROR_NO_DEVICE ? "the board was unplugged while it was opened"
                                            : "the USB chip does not take its settings",
            CURE_STALL);
      return d->result;
    }
  }
  return WEFT_BACKEND_OK;
}

static void free_slots(struct slot *slots)
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
static void device_close(void *context)
{
  struct device *d = context;
  d->closing = true;
  if (d->handle) {
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
    if (!d->result)
      tell_chip(d, d->chip->end, d->chip->end_count);
    libusb_release_interface(d->handle, 0);
    libusb_close(d->handle);
  }
  free_slots(d->in);
  free_slots(d->out);
  if (d->context)
    libusb_exit(d->context);
  free(d->kept);
  free(d);
}

/* The two bulk endpoints and their packets' size, by the descriptors. */
static bool read_endpoints(struct device *d, libusb_device *device)
{
  struct libusb_config_descriptor *config;
  if (libusb_get_active_config_descriptor(device, &config) && libusb_get_config_descriptor(device, 0, &config))
    return false;
  const struct libusb_interface *interfaces = config->interface;
  if (config->bNumInterfaces && interfaces[0].num_altsetting)
    for (unsigned i = 0; i < interfaces[0].altsetting[0].bNumEndpoints; i++) {
      const struct libusb_endpoint_descriptor *p = &interfaces[0].altsetting[0].endpoint[i];
      if ((p->bmAttributes & 3U) != LIBUSB_TRANSFER_TYPE_BULK)
        continue;
      if (p->bEndpointAddress & LIBUSB_ENDPOINT_IN) {
        d->in_endpoint = p->bEndpointAddress;
        d->packet = p->wMaxPacketSize & 0x7ffU;
      } else {
        d->out_endpoint = p->bEndpointAddress;
      }
    }
  libusb_free_config_descriptor(config);
  return d->in_endpoint && d->out_endpoint && d->packet > WEFT_FTDI_STATUS_BYTES && IN_BYTES % d->packet == 0;
}

static bool make_slot(struct device *d, struct slot *s, uint8_t endpoint, size_t size, unsigned timeout,
                      libusb_transfer_cb_fn ended)
{
  s->device = d;
  s->bytes = malloc(size);
  s->transfer = libusb_alloc_transfer(0);
  if (!s->bytes || !s->transfer)
    return false;
  libusb_fill_bulk_transfer(s->transfer, d->handle, endpoint, s->bytes, (int)size, ended, s, timeout);
  return true;
}

static bool make_slots(struct device *d)
{
  d->kept = malloc((size_t)(d->depth + 2) * IN_BYTES);
  for (unsigned i = 0; d->kept && i < d->depth; i++)
    if (!make_slot(d, &d->in[i], d->in_endpoint, IN_BYTES, 0, in_ended) ||
        !make_slot(d, &d->out[i], d->out_endpoint, OUT_BYTES, OUT_MS, out_ended))
      return false;
  return d->kept != NULL;
}

static int set_up(struct device *d)
{
  if (tell_chip(d, d->chip->before, d->chip->before_count))
    return d->result;
  for (unsigned i = 0; i < d->depth && !d->result; i++)
    submit(d, &d->in[i]);
  return d->result ? d->result : tell_chip(d, d->chip->after, d->chip->after_count);
}

#define RULE "70-weft.rules"
#define CURE_RULE \
  "`make install` places the udev rule " RULE " (sw/setup/" RULE "): copy it to /etc/udev/rules.d, plug the board in again"

static int refused(int error, const char *name, struct weft_backend_error *e)
{
  switch (error) {
  case LIBUSB_ERROR_ACCESS:
    return weft_line_fails(e, WEFT_BACKEND_DENIED, "%s: no permission to use the board\n" CURE_RULE, name);
  case LIBUSB_ERROR_BUSY:
    return weft_line_fails(e, WEFT_BACKEND_BUSY,
                           "%s: the board is in use by another program\nend that one, or name another board: "
                           "`weft list` shows them",
                           name);
  case LIBUSB_ERROR_NO_DEVICE:
    return weft_line_fails(e, WEFT_BACKEND_GONE, "%s: the board was unplugged\n" CURE_PLUG, name);
  default:
    return weft_line_fails(e, WEFT_BACKEND_FAILED, "%s: it cannot be opened: %s\n" CURE_STALL, name,
                           libusb_strerror(error));
  }
}

static libusb_device *find_device(struct device *d, const struct weft_board_found *found)
{
  libusb_device **list, *device = NULL;
  ssize_t count = libusb_get_device_list(d->context, &list);
  for (ssize_t i = 0; i < count; i++)
    if (libusb_get_bus_number(list[i]) == found->bus && libusb_get_device_address(list[i]) == found->port)
      device = libusb_ref_device(list[i]);
  if (count >= 0)
    libusb_free_device_list(list, 1);
  return device;
}

static int claim(struct device *d, const struct weft_board_found *found, struct weft_backend_error *e)
{
  libusb_device *device = find_device(d, found);
  if (!device)
    return refused(LIBUSB_ERROR_NO_DEVICE, d->name, e);
  int error = libusb_open(device, &d->handle);
  bool ends = !error && read_endpoints(d, device);
  libusb_unref_device(device);
  if (error) {
    d->handle = NULL;
    return refused(error, d->name, e);
  }
  if (!ends)
    return weft_line_fails(e, WEFT_BACKEND_FAILED, "%s: this is no chip that a board has: its endpoints are others",
                           d->name);
  libusb_set_auto_detach_kernel_driver(d->handle, 1); /* gives way, and comes back at the end */
  error = libusb_claim_interface(d->handle, 0);
  if (error) {
    libusb_close(d->handle);
    d->handle = NULL;
    return refused(error, d->name, e);
  }
  return WEFT_BACKEND_OK;
}

/* The one that is meant, among those that there are. */
static int choose(const struct weft_usb_settings *settings, struct weft_board_found *chosen,
                  struct weft_backend_error *e)
{
  struct weft_board_found *boards;
  char names[512] = "";
  size_t count, fits = 0;
  int result = weft_usb_list(&boards, &count, e);
  if (result)
    return result;
  for (size_t i = 0; i < count; i++) {
    size_t used = strlen(names);
    snprintf(names + used, sizeof names - used, "%s%s", i ? ", " : "", boards[i].serial[0] ? boards[i].serial : "-");
    if (settings->serial[0] && strcmp(settings->serial, boards[i].serial) != 0)
      continue;
    *chosen = boards[i];
    fits++;
  }
  free(boards);
  if (fits == 1)
    return WEFT_BACKEND_OK;
  if (!count)
    return weft_line_fails(e, WEFT_BACKEND_ABSENT,
                           "usb: no board is plugged in\nplug one in, or try `weft vboard -- COMMAND`, which emulates one");
  if (!fits)
    return weft_line_fails(e, WEFT_BACKEND_ABSENT,
                           "usb: there is no board with serial number '%s'; there %s %s\nname one of them, or plug it in",
                           settings->serial, count == 1 ? "is" : "are", names);
  return weft_line_fails(e, WEFT_BACKEND_AMBIGUOUS,
                         "usb: %zu boards fit%s%s: %s\nname one by its serial number: usb:serial=...%s", fits,
                         settings->serial[0] ? " serial number " : "", settings->serial, names,
                         settings->serial[0] ? ", or unplug the other" : "");
}

int weft_usb_open(struct weft_line *line, const struct weft_usb_settings *settings, struct weft_backend_error *e)
{
  struct weft_board_found found;
  int result = choose(settings, &found, e);
  if (result)
    return result;
  struct device *d = calloc(1, sizeof *d);
  if (!d || libusb_init(&d->context)) {
    free(d);
    return weft_line_fails(e, WEFT_BACKEND_LACKS, "usb: libusb cannot begin: out of memory, or no USB on this computer");
  }
  d->chip = weft_ftdi_chip_at(strcmp(found.front, weft_ftdi_chip_at(0)->front) != 0);
  d->depth = settings->depth ? settings->depth : DEPTH;
  snprintf(d->name, sizeof d->name, "usb:serial=%s", found.serial);
  result = claim(d, &found, e);
  if (!result && !make_slots(d))
    result = weft_line_fails(e, WEFT_BACKEND_LACKS, "out of memory");
  if (!result && set_up(d))
    result = result_of(d, e);
  *line = (struct weft_line){ .context = d, .send = device_send, .receive = device_receive, .close = device_close };
  memcpy(line->name, d->name, sizeof line->name);
  if (!result && getrandom(&line->nonce, sizeof line->nonce, 0) != (ssize_t)sizeof line->nonce)
    line->nonce = (uint32_t)clock_ms();
  if (result)
    device_close(d);
  return result;
}
