/* SPDX-License-Identifier: Apache-2.0 */
#include "host_frame.h"

#include <string.h>

#include "crc32.h"
#include "host_bytes.h"

#define HEADER_FROM 2U   /* what stands before it is the sync */
#define CHECK_FROM 8U    /* of the bytes behind the sync */
#define HEADER_BYTES 10U /* behind the sync */

uint16_t weft_host_check_step(uint16_t check, uint8_t byte)
{
  uint32_t value = check ^ (uint32_t)byte << 8;
  for (unsigned i = 0; i < 8; i++)
    value = value << 1 ^ (value & 0x8000U ? 0x1021U : 0U);
  return (uint16_t)value;
}

uint32_t weft_host_crc_step(uint32_t crc, uint8_t byte)
{
  return weft_crc32_step(crc, byte);
}

static uint16_t header_check(const uint8_t *behind_sync)
{
  uint16_t check = WEFT_HOST_CHECK_BEGIN;
  for (unsigned i = 0; i < CHECK_FROM; i++)
    check = weft_host_check_step(check, behind_sync[i]);
  return check;
}

size_t weft_host_frame_write(const struct weft_host_header *header, const uint8_t *payload, uint8_t *out)
{
  size_t end = WEFT_HOST_HEADER + header->length;
  out[0] = WEFT_HOST_SYNC_0;
  out[1] = WEFT_HOST_SYNC_1;
  out[2] = (uint8_t)(WEFT_HOST_VERSION << 4 | header->kind);
  out[3] = header->sequence;
  weft_host_put(out + 4, header->length, 2);
  out[6] = header->ack;
  out[7] = 0;
  weft_host_put(out + 8, header->credit, 2);
  weft_host_put(out + 10, header_check(out + HEADER_FROM), 2);
  if (header->length)
    memcpy(out + WEFT_HOST_HEADER, payload, header->length);
  uint32_t crc = WEFT_HOST_CRC_BEGIN;
  for (size_t i = HEADER_FROM; i < end; i++)
    crc = weft_host_crc_step(crc, out[i]);
  return (size_t)(weft_host_put(out + end, ~crc, 4) - out);
}

void weft_host_reset_write(uint32_t nonce, uint8_t flags, uint8_t *payload)
{
  *weft_host_put(payload, nonce, 4) = flags;
}

void weft_host_count(uint16_t *count)
{
  if (*count != UINT16_MAX)
    ++*count;
}

void weft_host_count_bytes(uint32_t *count, uint32_t bytes)
{
  *count = bytes > UINT32_MAX - *count ? UINT32_MAX : *count + bytes;
}

void weft_host_receiver_reset(struct weft_host_receiver *r)
{
  memset(r, 0, sizeof *r);
}

static void enter(struct weft_host_receiver *r, enum weft_host_place place)
{
  r->place = place;
  r->at = 0;
}

static void at_sync(struct weft_host_receiver *r, uint8_t byte)
{
  if (byte == WEFT_HOST_SYNC_0)
    enter(r, WEFT_HOST_AT_SYNC_1);
  else
    weft_host_count_bytes(&r->counts.bytes, byte != 0);
}

/* A doubled first byte of the sync is one too many, and no more. */
static void at_sync_1(struct weft_host_receiver *r, uint8_t byte)
{
  if (byte == WEFT_HOST_SYNC_1) {
    enter(r, WEFT_HOST_AT_HEADER);
    r->crc = WEFT_HOST_CRC_BEGIN;
    return;
  }
  weft_host_count_bytes(&r->counts.bytes, 1);
  enter(r, WEFT_HOST_AT_SYNC);
  at_sync(r, byte);
}

static bool header_is_good(const struct weft_host_receiver *r)
{
  const struct weft_host_header *h = &r->header;
  return r->version == WEFT_HOST_VERSION && h->kind <= WEFT_HOST_RESET && h->length <= WEFT_HOST_PAYLOAD &&
         r->head[5] == 0;
}

static enum weft_host_found at_header(struct weft_host_receiver *r, uint8_t byte)
{
  r->head[r->at++] = byte;
  r->crc = weft_host_crc_step(r->crc, byte);
  if (r->at < HEADER_BYTES)
    return WEFT_HOST_NOTHING;
  const uint8_t *head = r->head;
  bool checked = header_check(head) == weft_host_get(head + 8, 2);
  r->header = (struct weft_host_header){
    .kind = head[0] & 15U,
    .sequence = head[1],
    .length = (uint16_t)weft_host_get(head + 2, 2),
    .ack = head[4],
    .credit = (uint16_t)weft_host_get(head + 6, 2),
  };
  if (checked)
    r->version = head[0] >> 4;
  if (!checked || !header_is_good(r)) {
    enter(r, WEFT_HOST_AT_SYNC);
    weft_host_count_bytes(&r->counts.bytes, WEFT_HOST_HEADER);
    weft_host_count(&r->counts.header);
    return WEFT_HOST_BAD_HEADER;
  }
  enter(r, r->header.length ? WEFT_HOST_AT_PAYLOAD : WEFT_HOST_AT_CRC);
  return WEFT_HOST_NOTHING;
}

static void at_payload(struct weft_host_receiver *r, uint8_t byte)
{
  r->payload[r->at++] = byte;
  r->crc = weft_host_crc_step(r->crc, byte);
  if (r->at == r->header.length)
    enter(r, WEFT_HOST_AT_CRC);
}

static enum weft_host_found at_crc(struct weft_host_receiver *r, uint8_t byte)
{
  r->sent_crc = r->sent_crc >> 8 | (uint32_t)byte << 24;
  if (++r->at < 4)
    return WEFT_HOST_NOTHING;
  enter(r, WEFT_HOST_AT_SYNC);
  if (r->sent_crc == ~r->crc)
    return WEFT_HOST_FRAME;
  weft_host_count_bytes(&r->counts.bytes, WEFT_HOST_AROUND + r->header.length);
  weft_host_count(&r->counts.crc);
  return WEFT_HOST_BAD_CRC;
}

enum weft_host_found weft_host_receive(struct weft_host_receiver *r, uint8_t byte)
{
  switch (r->place) {
  case WEFT_HOST_AT_SYNC:
    at_sync(r, byte);
    return WEFT_HOST_NOTHING;
  case WEFT_HOST_AT_SYNC_1:
    at_sync_1(r, byte);
    return WEFT_HOST_NOTHING;
  case WEFT_HOST_AT_HEADER:
    return at_header(r, byte);
  case WEFT_HOST_AT_PAYLOAD:
    at_payload(r, byte);
    return WEFT_HOST_NOTHING;
  default:
    return at_crc(r, byte);
  }
}
