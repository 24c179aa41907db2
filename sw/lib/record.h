/* SPDX-License-Identifier: Apache-2.0 */
/* All bytes between host and board in a file, and a line that is made of such a file (docs/boards.md, "Records"). */
#ifndef WEFT_RECORD_H
#define WEFT_RECORD_H

#include "line.h"

#define WEFT_RECORD_MAGIC "WEFTREC"
#define WEFT_RECORD_VERSION 1U
#define WEFT_RECORD_HEADER 16U /* bytes: magic and 0, version 4, nonce 4 */
#define WEFT_RECORD_BLOCK 8U   /* bytes before a block's content: kind 1, 0 3, length 4 */
#define WEFT_RECORD_CRC 4U     /* behind it, of all of the block */
#define WEFT_RECORD_LENGTH_MAX (1U << 20)

enum weft_record_kind {
  WEFT_RECORD_SENT = 1,
  WEFT_RECORD_CAME = 2,
  WEFT_RECORD_QUIET = 3, /* nothing came for so many milliseconds: 4 bytes */
  WEFT_RECORD_END = 4,
};

/* Puts a recorder between a line and its user. The inner line is closed with it; on failure it is left as it was. */
int weft_record_open(struct weft_line *line, const char *path, struct weft_backend_error *e);

int weft_replay_open(struct weft_line *line, const char *path, struct weft_backend_error *e);
/* The same of bytes that are there already: takes them over, whatever it returns. `name` is for messages. */
int weft_replay_bytes(struct weft_line *line, uint8_t *bytes, size_t count, const char *name,
                      struct weft_backend_error *e);

#endif
