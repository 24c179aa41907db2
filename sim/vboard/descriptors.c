/* SPDX-License-Identifier: Apache-2.0 */
/* What the chips say of themselves: an FT232H module, and the FT231X of an ULX3S. */
#include <string.h>

#include "device.h"

#define TYPE_DEVICE 1
#define TYPE_CONFIGURATION 2
#define TYPE_STRING 3
#define DEVICE_BYTES 18
#define CONFIGURATION_BYTES 32

static const uint8_t device[2][DEVICE_BYTES] = {
  /* USB 2.0, class per interface, 64 bytes on endpoint 0, 0403:6014 release 9.00, strings 1 2 3, one configuration */
  { 18, 1, 0x00, 0x02, 0, 0, 0, 64, 0x03, 0x04, 0x14, 0x60, 0x00, 0x09, 1, 2, 3, 1 },
  /* the same, 0403:6015 release 10.00 */
  { 18, 1, 0x00, 0x02, 0, 0, 0, 8, 0x03, 0x04, 0x15, 0x60, 0x00, 0x10, 1, 2, 3, 1 },
};

/* One interface of the vendor's class with two bulk endpoints, 0x81 in and 0x02 out. */
static const uint8_t configuration[2][CONFIGURATION_BYTES] = {
  { 9, 2, 32,   0, 1,    1,    0,    0xa0, 250, /* bus powered, wakes up, 500 mA */
    9, 4, 0,    0, 2,    0xff, 0xff, 0xff, 2,   7, 5, 0x81, 2, 0x00, 0x02, 0, /* 512 */
    7, 5, 0x02, 2, 0x00, 0x02, 0 },
  { 9,    2, 32, 0, 1,    1, 0,  0xa0, 45, 9, 4, 0,    0, 2,  0xff, 0xff,
    0xff, 2, 7,  5, 0x81, 2, 64, 0,    0,  7, 5, 0x02, 2, 64, 0,    0 },
};

static const char *const products[2] = { "Single RS232-HS", "ULX3S FPGA 85K v3.0.8" };

unsigned descriptor_packet(enum weft_board_front front)
{
  return front == WEFT_BOARD_FT245 ? 512 : 64;
}

const char *descriptor_product(enum weft_board_front front)
{
  return products[front];
}

static size_t string(const char *text, uint8_t *out)
{
  size_t at = 2;
  for (; *text && at + 2 <= 255; text++) {
    out[at++] = (uint8_t)*text;
    out[at++] = 0;
  }
  out[0] = (uint8_t)at;
  out[1] = TYPE_STRING;
  return at;
}

static size_t string_at(enum weft_board_front front, const char *serial, uint8_t index, uint8_t *out)
{
  static const uint8_t languages[4] = { 4, TYPE_STRING, 0x09, 0x04 };
  switch (index) {
  case 0:
    memcpy(out, languages, sizeof languages);
    return sizeof languages;
  case 1:
    return string("FTDI", out);
  case 2:
    return string(products[front], out);
  case 3:
    return string(serial, out);
  default:
    return 0;
  }
}

size_t descriptor_get(enum weft_board_front front, const char *serial, uint8_t type, uint8_t index,
                      uint8_t *out, size_t room)
{
  uint8_t whole[256];
  size_t count = 0;
  if (type == TYPE_DEVICE) {
    memcpy(whole, device[front], count = DEVICE_BYTES);
  } else if (type == TYPE_CONFIGURATION && !index) {
    memcpy(whole, configuration[front], count = CONFIGURATION_BYTES);
  } else if (type == TYPE_STRING) {
    count = string_at(front, serial, index, whole);
  }
  if (count > room)
    count = room;
  memcpy(out, whole, count);
  return count;
}
