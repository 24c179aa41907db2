/* SPDX-License-Identifier: Apache-2.0 */
/* A board that is another one than the library was made for. */
#include "faults.h"
#include "host_bytes.h"

enum { OTHER_HASH = 1, OTHER_ABI = 2, OTHER_FRAMES = 3, OTHER_MAGIC = 4 };

/* Places in an IDENTITY: docs/frames.md. */
static void change(uint8_t *identity, uint64_t what)
{
  if (what == OTHER_MAGIC)
    identity[1] ^= 0xff;
  else if (what == OTHER_FRAMES)
    identity[5]++;
  else if (what == OTHER_ABI)
    identity[6]++;
  else
    identity[10] ^= 0xff;
}

/* The next version in a frame's head, and what checks it. */
static void change_head(uint8_t *frame, size_t bytes)
{
  uint16_t check = WEFT_HOST_CHECK_BEGIN;
  uint32_t crc = WEFT_HOST_CRC_BEGIN;
  frame[2] += 0x10;
  for (size_t i = 2; i < WEFT_HOST_HEADER - 2; i++)
    check = weft_host_check_step(check, frame[i]);
  weft_host_put(frame + WEFT_HOST_HEADER - 2, check, 2);
  for (size_t i = 2; i < bytes - 4; i++)
    crc = weft_host_crc_step(crc, frame[i]);
  weft_host_put(frame + bytes - 4, ~crc, 4);
}

size_t other_version_byte(struct other_version *o, struct faults *f, uint8_t byte,
                          uint8_t out[WEFT_HOST_FRAME_MAX])
{
  struct weft_host_receiver *r = &o->receiver;
  uint64_t what = f->kind[WEFT_VBOARD_VERSION].number;
  if (weft_host_receive(r, byte) != WEFT_HOST_FRAME)
    return 0;
  if (r->header.kind == WEFT_HOST_RESET) {
    change(r->payload, what);
    f->kind[WEFT_VBOARD_VERSION].injected++;
  }
  size_t bytes = weft_host_frame_write(&r->header, r->payload, out);
  if (what == OTHER_FRAMES)
    change_head(out, bytes);
  return bytes;
}
