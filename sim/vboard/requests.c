/* SPDX-License-Identifier: Apache-2.0 */
/* Control requests: the standard ones that reach a device, and FTDI's own. What a chip would stall is refused. */
#include "device.h"

#define STANDARD_IN 0x80U
#define VENDOR_OUT 0x40U
#define VENDOR_IN 0xc0U
#define GET_DESCRIPTOR 6U
#define MODE_RESET 0x00U
#define MODE_SYNC_FIFO 0x40U

enum vendor_request {
  RESET = 0x00,
  MODEM_CONTROL = 0x01,
  FLOW_CONTROL = 0x02,
  BAUD_RATE = 0x03,
  DATA_FORMAT = 0x04,
  MODEM_STATUS = 0x05,
  EVENT_CHARACTER = 0x06,
  ERROR_CHARACTER = 0x07,
  SET_LATENCY = 0x09,
  GET_LATENCY = 0x0a,
  BIT_MODE = 0x0b,
  PINS = 0x0c,
};

/* 1 empties what was meant for the host, 2 what was meant for the FPGA, 0 both. */
static int reset(struct device *d, uint16_t value)
{
  if (value > 2)
    return -1;
  if (d->board)
    d->ops->purge(d->board, value != 1, value != 2);
  if (value != 2)
    d->up.count = 0;
  return 0;
}

/* Bytes in the FIFOs do not outlive a change of mode. Only synchronous FIFO mode moves bytes at an FT232H's pins. */
static int bit_mode(struct device *d, uint16_t value)
{
  uint8_t mode = (uint8_t)(value >> 8);
  if (mode == d->mode)
    return 0;
  d->mode = mode;
  d->up.count = 0;
  if (d->board) {
    d->ops->purge(d->board, true, true);
    d->ops->active(d->board, mode == MODE_SYNC_FIFO);
  }
  return 0;
}

static int latency(struct device *d, uint16_t value)
{
  if (!value || value > 255)
    return -1;
  d->latency = value;
  return 0;
}

static int baud(struct device *d, uint16_t value, uint16_t index)
{
  return !d->board || d->ops->baud(d->board, value, index) ? 0 : -1;
}

static int vendor_out(struct device *d, uint8_t request, uint16_t value, uint16_t index)
{
  switch (request) {
  case RESET:
    return reset(d, value);
  case BAUD_RATE:
    return baud(d, value, index);
  case SET_LATENCY:
    return latency(d, value);
  case BIT_MODE:
    return bit_mode(d, value);
  case MODEM_CONTROL:
  case FLOW_CONTROL:
  case DATA_FORMAT:
  case EVENT_CHARACTER:
  case ERROR_CHARACTER:
    return 0; /* of no concern to these pins */
  default:
    return -1;
  }
}

static int vendor_in(const struct device *d, uint8_t request, uint8_t *data, size_t room)
{
  size_t count = request == MODEM_STATUS ? 2 : request == GET_LATENCY || request == PINS ? 1 : 0;
  if (!count || count > room)
    return -1;
  data[0] = request == GET_LATENCY ? (uint8_t)d->latency : 0;
  if (count == 2) {
    data[0] = 0x01;
    data[1] = 0x60;
  }
  return (int)count;
}

int request_serve(struct device *d, const uint8_t *setup, uint8_t *data, size_t room)
{
  uint16_t value = (uint16_t)(setup[2] | setup[3] << 8), index = (uint16_t)(setup[4] | setup[5] << 8);
  size_t length = (size_t)(setup[6] | setup[7] << 8);
  if (length > room)
    length = room;
  switch (setup[0]) {
  case STANDARD_IN:
    if (setup[1] != GET_DESCRIPTOR)
      return -1;
    size_t count = descriptor_get(d->front, d->serial, setup[3], setup[2], data, length);
    return count ? (int)count : -1;
  case VENDOR_OUT:
    return vendor_out(d, setup[1], value, index);
  case VENDOR_IN:
    return vendor_in(d, setup[1], data, length);
  default:
    return -1;
  }
}
