/* SPDX-License-Identifier: Apache-2.0 */
/* FTDI's ways, without any USB: what their chips are told at the beginning and the end, and what stands around the bytes that
 * they send. */
#ifndef WEFT_USB_FTDI_H
#define WEFT_USB_FTDI_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#define WEFT_FTDI_VENDOR 0x0403U
#define WEFT_FTDI_STATUS_BYTES 2U /* that every IN packet begins with */
#define WEFT_FTDI_OVERRUN 0x02U   /* in the second of them: a UART lost a byte */

enum weft_ftdi_request {
  WEFT_FTDI_RESET = 0x00,
  WEFT_FTDI_FLOW = 0x02,
  WEFT_FTDI_BAUD = 0x03,
  WEFT_FTDI_DATA = 0x04,
  WEFT_FTDI_LATENCY = 0x09,
  WEFT_FTDI_BIT_MODE = 0x0b,
};

/* A vendor request without data, from host to device. */
struct weft_ftdi_step {
  uint8_t request;
  uint16_t value, index;
};

struct weft_ftdi_chip {
  uint16_t product;
  const char *name;
  const char *front;                   /* which of a board's fronts it is wired to */
  const struct weft_ftdi_step *before; /* IN transfers are queued */
  size_t before_count;
  const struct weft_ftdi_step *after; /* they are: whatever the chip then sends is not lost */
  size_t after_count;
  const struct weft_ftdi_step *end;
  size_t end_count;
};

/* The chips that boards have; NULL past the last. */
const struct weft_ftdi_chip *weft_ftdi_chip_at(size_t index);
const struct weft_ftdi_chip *weft_ftdi_chip_find(uint16_t vendor, uint16_t product);

/* Takes the status bytes out of what one transfer brought: packets of `packet` bytes, of which only the last may be shorter.
 * Writes the rest to `out`, which may be `in`; returns how much. *overrun: set if a packet says that a byte was lost, else left. */
size_t weft_ftdi_deframe(const uint8_t *in, size_t count, size_t packet, uint8_t *out, bool *overrun);

#endif
