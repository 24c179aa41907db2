/* SPDX-License-Identifier: Apache-2.0 */
/* Frames between host and board (docs/frames.md): what stands around their messages, in both directions. */
#ifndef WEFT_HOST_FRAME_H
#define WEFT_HOST_FRAME_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#define WEFT_HOST_VERSION 1U
#define WEFT_HOST_SYNC_0 0x57U
#define WEFT_HOST_SYNC_1 0xa9U
#define WEFT_HOST_HEADER 12U    /* bytes, sync and check included */
#define WEFT_HOST_AROUND 16U    /* header and CRC */
#define WEFT_HOST_PAYLOAD 1024U /* at most */
#define WEFT_HOST_FRAME_MAX (WEFT_HOST_AROUND + WEFT_HOST_PAYLOAD)
#define WEFT_HOST_WINDOW 2048U /* bytes of payload that a board keeps; its hello says so */
#define WEFT_HOST_RESET_BYTES 5U

enum weft_host_kind { WEFT_HOST_DATA = 0, WEFT_HOST_RESET = 1 /* from the board: hello */ };

struct weft_host_header {
  uint8_t kind, sequence, ack;
  uint16_t length, credit;
};

/* CRC-16 of the header and CRC-32 of the frame, a byte at a time; the latter's complement is sent. */
#define WEFT_HOST_CHECK_BEGIN 0xffffU
#define WEFT_HOST_CRC_BEGIN 0xffffffffU
uint16_t weft_host_check_step(uint16_t check, uint8_t byte);
uint32_t weft_host_crc_step(uint32_t crc, uint8_t byte);

/* Writes a frame around header->length bytes of payload; returns its bytes. */
size_t weft_host_frame_write(const struct weft_host_header *header, const uint8_t *payload, uint8_t *out);
/* The payload of a reset. */
void weft_host_reset_write(uint32_t nonce, uint8_t flags, uint8_t *payload);

/* What a receiver found wrong, since it began; stands at its greatest value. */
struct weft_host_counts {
  uint32_t bytes;  /* that belonged to no frame, or to one that was dropped */
  uint16_t header; /* frames with a bad header */
  uint16_t crc;
  uint16_t sequence; /* of a board: whole, but not the one expected */
  uint16_t room;     /* of a board: no room for them */
};

enum weft_host_found {
  WEFT_HOST_NOTHING = 0, /* yet */
  WEFT_HOST_FRAME = 1,   /* header and payload are those of a whole frame, until the next byte */
  WEFT_HOST_BAD_HEADER = 2,
  WEFT_HOST_BAD_CRC = 3,
};

enum weft_host_place {
  WEFT_HOST_AT_SYNC,
  WEFT_HOST_AT_SYNC_1,
  WEFT_HOST_AT_HEADER,
  WEFT_HOST_AT_PAYLOAD,
  WEFT_HOST_AT_CRC,
};

struct weft_host_receiver {
  uint32_t place; /* enum weft_host_place */
  uint32_t at;    /* bytes of it so far */
  uint32_t crc, sent_crc;
  struct weft_host_header header;
  uint8_t version;                /* of the last header whose check was right */
  uint8_t head[WEFT_HOST_HEADER]; /* from the kind on */
  uint8_t payload[WEFT_HOST_PAYLOAD];
  struct weft_host_counts counts;
};

void weft_host_receiver_reset(struct weft_host_receiver *r);
enum weft_host_found weft_host_receive(struct weft_host_receiver *r, uint8_t byte);
/* Adds to a count without going beyond its greatest value. */
void weft_host_count(uint16_t *count);
void weft_host_count_bytes(uint32_t *count, uint32_t bytes);

#endif
