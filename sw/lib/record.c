/* SPDX-License-Identifier: Apache-2.0 */
/* A line that passes everything on, and writes it down. */
#include "record.h"

#include <errno.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "crc32.h"
#include "host_bytes.h"

struct recorder {
  struct weft_line inner;
  FILE *file;
  char path[512];
};

static int cannot_write(const char *path, struct weft_backend_error *e)
{
  return weft_line_fails(e, WEFT_BACKEND_NO_DISK, "cannot write %s: %s\nmake room, or name a file elsewhere",
                         path, strerror(errno));
}

static int write_block(struct recorder *r, enum weft_record_kind kind, const uint8_t *bytes, size_t count,
                       struct weft_backend_error *e)
{
  uint8_t head[WEFT_RECORD_BLOCK], tail[WEFT_RECORD_CRC];
  weft_host_put(weft_host_put(head, kind, 4), count, 4);
  weft_host_put(tail, ~weft_crc32_bytes(weft_crc32_bytes(~0U, head, sizeof head), bytes, count), 4);
  if (fwrite(head, sizeof head, 1, r->file) != 1 || (count && fwrite(bytes, count, 1, r->file) != 1) ||
      fwrite(tail, sizeof tail, 1, r->file) != 1 || fflush(r->file))
    return cannot_write(r->path, e);
  return WEFT_BACKEND_OK;
}

static int record_send(void *context, const uint8_t *bytes, size_t count, struct weft_backend_error *e)
{
  struct recorder *r = context;
  int result = write_block(r, WEFT_RECORD_SENT, bytes, count, e);
  return result ? result : r->inner.send(r->inner.context, bytes, count, e);
}

static int record_receive(void *context, uint8_t *bytes, size_t room, unsigned milliseconds, size_t *count,
                          struct weft_backend_error *e)
{
  struct recorder *r = context;
  uint8_t pause[4];
  int result = r->inner.receive(r->inner.context, bytes, room, milliseconds, count, e);
  if (result)
    return result;
  weft_host_put(pause, milliseconds, sizeof pause);
  return *count ? write_block(r, WEFT_RECORD_CAME, bytes, *count, e)
                : write_block(r, WEFT_RECORD_QUIET, pause, sizeof pause, e);
}

/* Without its end a record is one that was cut short. Nobody is left to be told that there is no room for it. */
static void record_close(void *context)
{
  struct recorder *r = context;
  struct weft_backend_error e = { "" };
  r->inner.close(r->inner.context);
  write_block(r, WEFT_RECORD_END, NULL, 0, &e);
  fclose(r->file);
  free(r);
}

int weft_record_open(struct weft_line *line, const char *path, struct weft_backend_error *e)
{
  uint8_t header[WEFT_RECORD_HEADER] = WEFT_RECORD_MAGIC;
  struct recorder *r = calloc(1, sizeof *r);
  if (!r)
    return weft_line_fails(e, WEFT_BACKEND_LACKS, "out of memory");
  snprintf(r->path, sizeof r->path, "%s", path);
  r->inner = *line;
  r->file = fopen(path, "we");
  weft_host_put(weft_host_put(header + 8, WEFT_RECORD_VERSION, 4), line->nonce, 4);
  if (!r->file || fwrite(header, sizeof header, 1, r->file) != 1) {
    int result = cannot_write(path, e);
    if (r->file)
      fclose(r->file);
    free(r);
    return result;
  }
  line->context = r; /* name and nonce stay */
  line->send = record_send;
  line->receive = record_receive;
  line->close = record_close;
  return WEFT_BACKEND_OK;
}
