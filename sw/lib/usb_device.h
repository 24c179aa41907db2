/* SPDX-License-Identifier: Apache-2.0 */
/* Boards on the USB (libusb-1.0): which there are, and a line to one of them. */
#ifndef WEFT_USB_DEVICE_H
#define WEFT_USB_DEVICE_H

#include <weft/board.h>

#include "line.h"

#define WEFT_USB_DEPTH_MAX 64U

struct weft_usb_settings {
  char serial[64];     /* "": whichever there is */
  unsigned depth;      /* transfers in flight, in each direction; 0: some */
  unsigned timeout_ms; /* of a board that takes no bytes; 0: some */
};

/* Every board that is plugged in, by what the kernel knows of it: no device is opened. *boards is the caller's to free(). */
int weft_usb_list(struct weft_board_found **boards, size_t *count, struct weft_backend_error *e);

/* Opens the one that is meant, and sets it up. */
int weft_usb_open(struct weft_line *line, const struct weft_usb_settings *settings,
                  struct weft_backend_error *e);

#endif
