/* SPDX-License-Identifier: Apache-2.0 */
#include "usb_ftdi.h"

#include <string.h>

#define ALL 0U /* values of a reset */
#define PURGE_IN 1U
#define PURGE_OUT 2U
#define MODE_RESET 0x0000U
#define MODE_SYNC_FIFO 0x40ffU /* mode, then which pins: all */
#define EIGHT_BITS 8U          /* no parity, one stop bit */
#define BAUD_3M 0U             /* the divisor of 3 Mbaud, which is also the fastest */
#define LATENCY_MS 1U          /* until a packet that is not full leaves: answers are waited for */
#define STEPS(list) (list), sizeof(list) / sizeof *(list)

/* FT232H, 245 synchronous FIFO: through the plain mode first, and into the FIFO's when somebody already listens. */
static const struct weft_ftdi_step fifo_before[] = {
  { WEFT_FTDI_RESET, ALL, 0 },          { WEFT_FTDI_BIT_MODE, MODE_RESET, 0 },
  { WEFT_FTDI_LATENCY, LATENCY_MS, 0 }, { WEFT_FTDI_RESET, PURGE_IN, 0 },
  { WEFT_FTDI_RESET, PURGE_OUT, 0 },
};
static const struct weft_ftdi_step fifo_after[] = { { WEFT_FTDI_BIT_MODE, MODE_SYNC_FIFO, 0 } };
static const struct weft_ftdi_step fifo_end[] = { { WEFT_FTDI_BIT_MODE, MODE_RESET, 0 } };

/* FT231X, the ULX3S's own port. Nothing stops either end (docs/frames.md, credits). */
static const struct weft_ftdi_step uart_before[] = {
  { WEFT_FTDI_RESET, ALL, 0 },          { WEFT_FTDI_FLOW, 0, 0 },
  { WEFT_FTDI_DATA, EIGHT_BITS, 0 },    { WEFT_FTDI_BAUD, BAUD_3M, 0 },
  { WEFT_FTDI_LATENCY, LATENCY_MS, 0 }, { WEFT_FTDI_RESET, PURGE_IN, 0 },
  { WEFT_FTDI_RESET, PURGE_OUT, 0 },
};

static const struct weft_ftdi_chip chips[] = {
  { 0x6014, "FT232H", "ft245", STEPS(fifo_before), STEPS(fifo_after), STEPS(fifo_end) },
  { 0x6015, "FT231X", "uart", STEPS(uart_before), NULL, 0, NULL, 0 },
};
#define CHIPS (sizeof chips / sizeof *chips)

const struct weft_ftdi_chip *weft_ftdi_chip_at(size_t index)
{
  return index < CHIPS ? &chips[index] : NULL;
}

const struct weft_ftdi_chip *weft_ftdi_chip_find(uint16_t vendor, uint16_t product)
{
  for (size_t i = 0; vendor == WEFT_FTDI_VENDOR && i < CHIPS; i++)
    if (chips[i].product == product)
      return &chips[i];
  return NULL;
}

size_t weft_ftdi_deframe(const uint8_t *in, size_t count, size_t packet, uint8_t *out, bool *overrun)
{
  size_t given = 0;
  if (packet <= WEFT_FTDI_STATUS_BYTES) /* no such endpoint */
    return 0;
  while (count > WEFT_FTDI_STATUS_BYTES - 1) {
    size_t whole = count < packet ? count : packet, bytes = whole - WEFT_FTDI_STATUS_BYTES;
    *overrun |= (in[1] & WEFT_FTDI_OVERRUN) != 0;
    memmove(out + given, in + WEFT_FTDI_STATUS_BYTES, bytes);
    given += bytes;
    in += whole;
    count -= whole;
  }
  return given;
}
