/* SPDX-License-Identifier: Apache-2.0 */
#include "ftdi_chip.h"

void weft_ftdi_fifo_push(struct weft_ftdi_fifo *f, uint8_t byte)
{
  f->byte[(f->first + f->count) % WEFT_FTDI_FIFO] = byte;
  f->count++;
}

uint8_t weft_ftdi_fifo_pop(struct weft_ftdi_fifo *f)
{
  uint8_t byte = f->byte[f->first];
  f->first = (f->first + 1) % WEFT_FTDI_FIFO;
  f->count--;
  return byte;
}
