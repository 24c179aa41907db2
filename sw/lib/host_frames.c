/* SPDX-License-Identifier: Apache-2.0 */
#include "host_frames.h"

#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#define GARBAGE_MAX (64U << 10) /* bytes without one whole frame among them */
#define QUIET_MOST_MS 2000U
#define CHUNK 4096U

#define CURE_LOST \
  "look at cable and supply, then run this again: `weft selftest` tells whether the line is good"

int weft_session_failed(const struct weft_session *s, struct weft_backend_error *e)
{
  *e = s->why;
  return s->result;
}

int weft_session_fail(struct weft_session *s, struct weft_backend_error *e, int result, const char *format,
                      ...)
{
  va_list values;
  va_start(values, format);
  vsnprintf(s->why.text, sizeof s->why.text, format, values);
  va_end(values);
  s->result = result;
  return weft_session_failed(s, e);
}

/* ---- Sending ----------------------------------------------------------------------------------------- */

static int send_bytes(struct weft_session *s, const uint8_t *bytes, size_t count,
                      struct weft_backend_error *e)
{
  int result = s->line.send(s->line.context, bytes, count, e);
  if (result) {
    s->why = *e;
    s->result = result;
  }
  s->traffic.sent += count;
  return result;
}

static int send_one(struct weft_session *s, const struct weft_session_frame *f, struct weft_backend_error *e)
{
  uint8_t bytes[WEFT_HOST_FRAME_MAX];
  struct weft_host_header header = { .kind = WEFT_HOST_DATA, .sequence = f->number, .length = f->length };
  s->traffic.frames_sent++;
  return send_bytes(s, bytes, weft_host_frame_write(&header, f->payload, bytes), e);
}

int weft_session_send_frame(struct weft_session *s, const uint8_t *payload, size_t length,
                            struct weft_backend_error *e)
{
  struct weft_session_frame *f = &s->kept[(s->kept_from + s->kept_count++) % WEFT_SESSION_KEPT];
  f->number = s->next++;
  f->length = (uint16_t)length;
  memcpy(f->payload, payload, length);
  s->sent += length;
  return send_one(s, f, e);
}

int weft_session_send_reset(struct weft_session *s, uint8_t flags, struct weft_backend_error *e)
{
  uint8_t bytes[2 * WEFT_HOST_FRAME_MAX] = { 0 }, payload[WEFT_HOST_RESET_BYTES];
  struct weft_host_header header = { .kind = WEFT_HOST_RESET, .length = WEFT_HOST_RESET_BYTES };
  weft_host_reset_write(s->nonce, flags, payload);
  size_t count = WEFT_HOST_FRAME_MAX;
  count += weft_host_frame_write(&header, payload, bytes + count);
  s->next = 1;
  return send_bytes(s, bytes, count, e);
}

/* All that the board has not acknowledged, under the same numbers: what it did get, it drops. */
static int send_again(struct weft_session *s, struct weft_backend_error *e)
{
  int result = WEFT_BACKEND_OK;
  s->again_done = true;
  for (unsigned i = 0; i < s->kept_count && !result; i++) {
    s->traffic.frames_again++;
    result = send_one(s, &s->kept[(s->kept_from + i) % WEFT_SESSION_KEPT], e);
  }
  return result;
}

/* The oldest of them alone: a board that is only slow says so, and one that has lost it goes on. */
static int nudge(struct weft_session *s, struct weft_backend_error *e)
{
  const struct weft_session_frame *f = &s->kept[s->kept_from];
  s->nudged += WEFT_HOST_AROUND + f->length;
  s->traffic.frames_again++;
  return send_one(s, f, e);
}

/* A command that does nothing, in a frame of its own: the number of the frame that answers it tells whether one before it was
 * lost. */
static int ask(struct weft_session *s, struct weft_backend_error *e)
{
  static const uint8_t nothing[] = { WEFT_HOST_NOP };
  if (s->kept_count == WEFT_SESSION_KEPT || s->sent - s->credit >= s->identity.window)
    return WEFT_BACKEND_OK;
  s->asked = true;
  return weft_session_send_frame(s, nothing, sizeof nothing, e);
}

/* ---- What comes -------------------------------------------------------------------------------------- */

static int not_whole(struct weft_session *s, struct weft_backend_error *e)
{
  return weft_session_fail(s, e, WEFT_BACKEND_FAILED,
                           "usb: the board sent a whole frame that means nothing\n"
                           "host and bitstream do not match; `weft probe` shows both versions");
}

static int keep_answer(struct weft_session *s, const uint8_t *bytes, size_t count,
                       struct weft_backend_error *e)
{
  if (s->answers_from && !s->answers_count)
    s->answers_from = 0;
  size_t end = s->answers_from + s->answers_count;
  if (end + count > s->answers_room) {
    size_t room = 2 * (end + count);
    uint8_t *more = realloc(s->answers, room);
    if (!more)
      return weft_session_fail(s, e, WEFT_BACKEND_LACKS, "out of memory");
    s->answers = more;
    s->answers_room = room;
  }
  memcpy(s->answers + end, bytes, count);
  s->answers_count += count;
  return WEFT_BACKEND_OK;
}

/* A frame that it had already, and got again because nothing was heard of it: no damage. */
static bool is_our_own_doing(const struct weft_session *s, const struct weft_host_counts *now)
{
  return s->nudged && now->bytes - s->report.bytes == s->nudged && now->header == s->report.header &&
         now->crc == s->report.crc && now->room == s->report.room;
}

static int take_messages(struct weft_session *s, struct weft_backend_error *e)
{
  const struct weft_host_header *h = &s->receiver.header;
  struct weft_host_answer a;
  bool damage = false;
  for (size_t at = 0, used; at < h->length; at += used) {
    used = weft_host_answer_read(&a, s->identity.line, s->receiver.payload + at, h->length - at);
    if (!used)
      return not_whole(s, e);
    if (a.code != WEFT_HOST_REPORT) {
      if (keep_answer(s, s->receiver.payload + at, used, e))
        return s->result;
      continue;
    }
    damage |= !is_our_own_doing(s, &a.counts);
    s->traffic.dropped_board += a.counts.bytes - s->report.bytes;
    s->report = a.counts;
    s->nudged = 0;
  }
  /* Once per acknowledgement: what is sent again makes the board report again. */
  return damage && s->kept_count && !s->again_done ? send_again(s, e) : WEFT_BACKEND_OK;
}

static int take_header(struct weft_session *s, struct weft_backend_error *e)
{
  const struct weft_host_header *h = &s->receiver.header;
  uint8_t oldest = (uint8_t)(s->next - s->kept_count), taken = (uint8_t)(h->ack - oldest);
  uint16_t executed = (uint16_t)(h->credit - (uint16_t)s->credit);
  if (h->sequence != s->expected)
    return weft_session_fail(
      s, e, WEFT_BACKEND_FAILED,
      "usb: answers of the board were lost (frame %u came, %u was due): what was under way has "
      "failed\n" CURE_LOST,
      h->sequence, s->expected);
  if (taken > s->kept_count || executed > s->sent - s->credit)
    return not_whole(s, e);
  s->expected++;
  s->kept_from = (s->kept_from + taken) % WEFT_SESSION_KEPT;
  s->kept_count -= taken;
  s->credit += executed;
  if (taken)
    s->again_done = false;
  s->in_vain = s->asked && !h->length ? s->in_vain + 1 : 0;
  s->asked = false;
  return WEFT_BACKEND_OK;
}

/* Numbers that the rest relies on. Whether it is the right board, others ask. */
static bool is_sound(const struct weft_host_identity *i)
{
  return i->line >= 16 && i->line <= WEFT_LINE_MAX && !(i->line & (i->line - 1U)) && i->nodes > i->memories &&
         i->window > WEFT_SESSION_PAYLOAD + WEFT_SESSION_SPARE && i->memory_log2 <= 36;
}

/* Hellos of earlier sessions are of no concern; after ours has come, only ours may come again (from a reset sent twice). */
static int take_hello(struct weft_session *s, struct weft_backend_error *e)
{
  struct weft_host_answer a;
  size_t used = weft_host_answer_read(&a, WEFT_LINE_MAX, s->receiver.payload, s->receiver.header.length);
  bool hello = used && a.code == WEFT_HOST_IDENTITY && a.identity.nonce == s->nonce;
  if (!hello && s->said_hello)
    return weft_session_fail(s, e, WEFT_BACKEND_FAILED,
                             "usb: the board was reset by somebody else\n" CURE_LOST);
  if (!used)
    return weft_session_fail(s, e, WEFT_BACKEND_VERSION,
                             "usb: the board's hello is none that this library knows\n"
                             "load a bitstream of this version: weft program");
  if (!hello)
    return WEFT_BACKEND_OK;
  if (!is_sound(&a.identity))
    return not_whole(s, e);
  s->identity = a.identity;
  s->expected = (uint8_t)(s->receiver.header.sequence + 1);
  s->said_hello = true;
  return WEFT_BACKEND_OK;
}

static int take_frame(struct weft_session *s, struct weft_backend_error *e)
{
  s->traffic.frames_received++;
  s->silent_ms = 0;
  s->since_frame = 0;
  s->quiet_ms = WEFT_SESSION_QUIET_MS;
  if (s->receiver.header.kind == WEFT_HOST_RESET)
    return take_hello(s, e);
  if (!s->said_hello)
    return WEFT_BACKEND_OK; /* of an earlier session */
  return take_header(s, e) ? s->result : take_messages(s, e);
}

/* A header that is whole in itself, of another version. */
static bool is_other(const struct weft_session *s, enum weft_host_found found)
{
  return found == WEFT_HOST_BAD_HEADER && !s->said_hello && s->receiver.version &&
         s->receiver.version != WEFT_HOST_VERSION;
}

static int take_bytes(struct weft_session *s, const uint8_t *bytes, size_t count,
                      struct weft_backend_error *e)
{
  s->traffic.received += count;
  s->since_frame += count;
  for (size_t i = 0; i < count; i++) {
    enum weft_host_found found = weft_host_receive(&s->receiver, bytes[i]);
    if (found == WEFT_HOST_FRAME && take_frame(s, e))
      return s->result;
    if (is_other(s, found))
      return weft_session_fail(s, e, WEFT_BACKEND_VERSION,
                               "usb: the board speaks version %u of the frames, this library version %u\n"
                               "load a bitstream of this version: weft program",
                               s->receiver.version, WEFT_HOST_VERSION);
    if (found > WEFT_HOST_FRAME && s->said_hello && !s->asked && ask(s, e))
      return s->result;
  }
  s->traffic.dropped_host = s->receiver.counts.bytes;
  if (s->since_frame < GARBAGE_MAX)
    return WEFT_BACKEND_OK;
  return weft_session_fail(s, e, WEFT_BACKEND_SILENT,
                           "usb: nothing but garbage comes from the board\n"
                           "is it a board with Weft's bitstream? `weft program` loads one");
}

static int took_too_long(struct weft_session *s, struct weft_backend_error *e)
{
  return weft_session_fail(
    s, e, WEFT_BACKEND_SILENT, "usb: the board did not answer for %u ms\n%s", s->timeout_ms,
    s->said_hello ? "`weft reset` may help, else its reset button"
                  : "has it Weft's bitstream (`weft program`), and is it wired to this chip?");
}

static int nothing_came(struct weft_session *s, struct weft_backend_error *e)
{
  s->silent_ms += s->quiet_ms;
  if (s->silent_ms >= s->timeout_ms)
    return took_too_long(s, e);
  s->quiet_ms = 2 * s->quiet_ms < QUIET_MOST_MS ? 2 * s->quiet_ms : QUIET_MOST_MS;
  if (!s->said_hello)
    return WEFT_BACKEND_OK;
  return s->kept_count ? nudge(s, e) : ask(s, e);
}

/* Bytes that come within so long; none is no failure. */
static int receive(struct weft_session *s, unsigned milliseconds, size_t *count, struct weft_backend_error *e)
{
  uint8_t bytes[CHUNK];
  int result = s->line.receive(s->line.context, bytes, sizeof bytes, milliseconds, count, e);
  if (!result)
    return *count ? take_bytes(s, bytes, *count, e) : WEFT_BACKEND_OK;
  s->why = *e;
  s->result = result;
  return result;
}

int weft_session_receive(struct weft_session *s, struct weft_backend_error *e)
{
  size_t count = 0;
  unsigned left = s->timeout_ms - s->silent_ms;
  if (s->quiet_ms > left)
    s->quiet_ms = left;
  int result = receive(s, s->quiet_ms, &count, e);
  return result || count ? result : nothing_came(s, e);
}

int weft_session_look(struct weft_session *s, struct weft_backend_error *e)
{
  size_t count = 0;
  return s->result ? weft_session_failed(s, e) : receive(s, 0, &count, e);
}
