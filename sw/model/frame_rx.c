/* SPDX-License-Identifier: Apache-2.0 */
#include "frame_rx.h"

#include <string.h>

#include "host_bytes.h"

void weft_frame_rx_reset(struct weft_frame_rx *f)
{
  memset(f, 0, sizeof *f);
}

size_t weft_frame_rx_size(void)
{
  return sizeof(struct weft_frame_rx);
}

void weft_frame_rx_execute(struct weft_frame_rx *f, unsigned bytes)
{
  f->executed = (uint16_t)(f->executed + bytes);
}

static enum weft_frame_rx_result obey_reset(struct weft_frame_rx *f)
{
  const struct weft_host_receiver *r = &f->receiver;
  uint8_t sequence = r->header.sequence, flags = r->payload[4];
  uint32_t nonce = (uint32_t)weft_host_get(r->payload, 4);
  weft_frame_rx_reset(f);
  f->expected = (uint8_t)(sequence + 1U);
  f->nonce = nonce;
  f->flags = flags;
  return WEFT_FRAME_RX_RESET;
}

static enum weft_frame_rx_result refuse(struct weft_frame_rx *f, uint16_t *why)
{
  weft_host_count_bytes(&f->receiver.counts.bytes, WEFT_HOST_AROUND + f->receiver.header.length);
  weft_host_count(why);
  return WEFT_FRAME_RX_NOTHING;
}

static enum weft_frame_rx_result whole(struct weft_frame_rx *f)
{
  struct weft_host_receiver *r = &f->receiver;
  if (r->header.kind == WEFT_HOST_RESET)
    return r->header.length == WEFT_HOST_RESET_BYTES ? obey_reset(f) : refuse(f, &r->counts.header);
  if (r->header.sequence != f->expected)
    return refuse(f, &r->counts.sequence);
  if (!f->room)
    return refuse(f, &r->counts.room);
  f->expected++;
  f->taken = (uint16_t)(f->taken + r->header.length);
  return WEFT_FRAME_RX_TAKEN;
}

enum weft_frame_rx_result weft_frame_rx_step(struct weft_frame_rx *f, uint8_t byte)
{
  struct weft_host_receiver *r = &f->receiver;
  bool in_header = r->place == WEFT_HOST_AT_HEADER;
  enum weft_host_found found = weft_host_receive(r, byte);
  if (in_header && r->place != WEFT_HOST_AT_HEADER)
    f->room = r->header.length <= WEFT_HOST_WINDOW - (uint16_t)(f->taken - f->executed);
  return found == WEFT_HOST_FRAME ? whole(f) : WEFT_FRAME_RX_NOTHING;
}
