/* SPDX-License-Identifier: Apache-2.0 */
/* The emulated FTDI under any transfers: every one comes back once, with no more bytes than it has room for. Each step is a
 * byte that says what, one that says how long, and for transfers their bytes. */
#include <stdlib.h>
#include <string.h>

#include "../vboard/echo_board.h"
#include "device.h"

#define TRANSFERS 64

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size);

static void check(bool right)
{
  if (!right)
    abort();
}

static struct transfer *make(const uint8_t *data, size_t length, uint8_t what, uint64_t name)
{
  static const uint8_t endpoints[] = { 0, DEVICE_IN, DEVICE_OUT, 0x83 };
  struct transfer *t = calloc(1, sizeof *t);
  check(t);
  t->endpoint = endpoints[what & 3];
  t->control = !t->endpoint;
  t->length = (uint32_t)length;
  t->bytes = malloc(length ? length : 1); /* as long as it says, so that one byte too many is seen */
  check(t->bytes);
  memcpy(t->bytes, data, length);
  t->name = name;
  return t;
}

static size_t reap(struct device *d)
{
  size_t count = 0;
  for (struct transfer *t; (t = device_reap(d, NULL)); count++) {
    check(t->actual <= t->length);
    free(t->bytes);
    free(t);
  }
  return count;
}

static void choose_faults(struct weft_vboard_options *o, uint8_t bits)
{
  static const enum weft_vboard_fault_kind kinds[] = { WEFT_VBOARD_STALL,  WEFT_VBOARD_SHORT,
                                                       WEFT_VBOARD_LOSE,   WEFT_VBOARD_FLIP,
                                                       WEFT_VBOARD_INSERT, WEFT_VBOARD_VERSION };
  o->front = bits & 1 ? WEFT_BOARD_UART : WEFT_BOARD_FT245;
  for (size_t i = 0; i < sizeof kinds / sizeof *kinds; i++) {
    o->fault[kinds[i]].on = bits >> (i + 1) & 1;
    o->fault[kinds[i]].number = 3;
  }
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
  static struct weft_sim_board board;
  static struct device device;
  struct weft_vboard_options options = { .serial = "FUZZ", .seed = 1 };
  size_t submitted = 0, back = 0, at = 1;
  if (!size)
    return 0;
  memset(&board, 0, sizeof board);
  board.fifo.room = WEFT_FTDI_FIFO;
  choose_faults(&options, data[0]);
  device_open(&device, &echo_ops, &board, &options);
  while (at + 2 <= size) {
    uint8_t what = data[at];
    size_t length = data[at + 1];
    at += 2;
    if (what < 128 && submitted - back < TRANSFERS) {
      length = length > size - at ? size - at : length;
      device_submit(&device, make(data + at, length, what, ++submitted));
      at += length;
    } else if (what < 160) {
      device_cancel(&device, NULL, submitted - length % TRANSFERS);
    } else if (what < 192) {
      device_clear_halt(&device, what & 1 ? DEVICE_IN : DEVICE_OUT);
    } else {
      device_serve(&device, length * 64);
    }
    back += reap(&device);
  }
  device_unplug(&device);
  back += reap(&device);
  check(back == submitted);
  return 0;
}
