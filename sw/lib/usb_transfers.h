/* SPDX-License-Identifier: Apache-2.0 */
/* A board's USB device and its transfers. For usb_device.c and usb_transfers.c alone. */
#ifndef WEFT_USB_TRANSFERS_H
#define WEFT_USB_TRANSFERS_H

#include <libusb.h>

#include "usb_device.h"
#include "usb_ftdi.h"

#define IN_BYTES 16384U /* of a transfer: a multiple of every packet size */
#define CURE_PLUG "plug it in again (and look at the cable), then run this again"
#define CURE_STALL "unplug it and plug it in again, then run this again"

struct weft_usb;
struct weft_usb_slot {
  struct weft_usb *device;
  struct libusb_transfer *transfer;
  bool busy;
  uint8_t *bytes;
};

struct weft_usb {
  libusb_context *context;
  libusb_device_handle *handle;
  const struct weft_ftdi_chip *chip;
  char name[96];
  uint8_t in_endpoint, out_endpoint;
  size_t packet;
  unsigned depth, stalls, out_ms;
  struct weft_usb_slot in[WEFT_USB_DEPTH_MAX], out[WEFT_USB_DEPTH_MAX];
  uint8_t *kept; /* bytes that came and were not asked for yet: room for all IN transfers at once */
  size_t kept_from, kept_count;
  bool closing;
  int result; /* once it failed, it stays so */
  struct weft_backend_error why;
};

/* Fails, now and from now on; the first time counts. */
void weft_usb_fails(struct weft_usb *d, int result, const char *what, const char *cure);
int weft_usb_result(const struct weft_usb *d, struct weft_backend_error *e);

bool weft_usb_make_slots(struct weft_usb *d); /* false: out of memory */
bool weft_usb_listen(struct weft_usb *d);     /* IN transfers are queued */
void weft_usb_end_slots(struct weft_usb *d);
void weft_usb_free_slots(struct weft_usb *d);

/* The line's functions. */
int weft_usb_send(void *device, const uint8_t *bytes, size_t count, struct weft_backend_error *e);
int weft_usb_receive(void *device, uint8_t *bytes, size_t room, unsigned milliseconds, size_t *count,
                     struct weft_backend_error *e);

#endif
