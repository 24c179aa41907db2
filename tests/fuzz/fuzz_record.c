/* SPDX-License-Identifier: Apache-2.0 */
/* A record of a board: whatever the file, it is refused with a message, or it is served to its end. The first byte chooses who
 * uses it: somebody who only listens, or a whole session, which sends what the record may not hold. Bit 1: CRCs are set right, so that
 * what lies behind them is reached. */
#include <stdlib.h>
#include <string.h>

#include "crc32.h"
#include "host_bytes.h"
#include "host_session.h"
#include "record.h"

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size);

static void must(bool good)
{
  if (!good)
    abort();
}

static void set_right(uint8_t *bytes, size_t count)
{
  for (size_t at = WEFT_RECORD_HEADER; at + WEFT_RECORD_BLOCK + WEFT_RECORD_CRC <= count;) {
    size_t length = (size_t)weft_host_get(bytes + at + 4, 4), whole = WEFT_RECORD_BLOCK + length;
    if (length > count || at + whole + WEFT_RECORD_CRC > count)
      return;
    weft_host_put(bytes + at + whole, ~weft_crc32_bytes(~0U, bytes + at, whole), 4);
    at += whole + WEFT_RECORD_CRC;
  }
}

static void listen(struct weft_line *line)
{
  struct weft_backend_error e = { "" };
  uint8_t bytes[64];
  size_t count;
  while (!line->receive(line->context, bytes, sizeof bytes, 1, &count, &e))
    must(count <= sizeof bytes);
  must(e.text[0] != 0);
}

static void use(struct weft_line *line)
{
  struct weft_backend_error e = { "" };
  struct weft_host_answer a;
  struct weft_session *s = weft_session_new(line, 1000);
  must(s != NULL);
  const struct weft_host_command c = { .code = WEFT_HOST_READ, .count = 1 };
  int result = weft_session_open(s, true, &e);
  if (!result)
    result = weft_session_put(s, &c, &e);
  if (!result)
    result = weft_session_next(s, &a, &e);
  must(!result || e.text[0] != 0);
  weft_session_free(s);
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
  struct weft_backend_error e = { "" };
  struct weft_line line;
  if (size == 0)
    return 0;
  uint8_t *bytes = malloc(size);
  must(bytes != NULL);
  memcpy(bytes, data + 1, size - 1);
  if (data[0] & 2U)
    set_right(bytes, size - 1);
  if (weft_replay_bytes(&line, bytes, size - 1, "fuzz", &e)) {
    must(e.text[0] != 0);
    return 0;
  }
  if (data[0] & 1U)
    use(&line);
  else
    listen(&line);
  line.close(line.context);
  return 0;
}
