/* SPDX-License-Identifier: Apache-2.0 */
/* A session: opening, commands, answers. What happens to single frames is in host_frames.c. */
#include "host_session.h"

#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "host_frames.h"

int weft_line_fails(struct weft_backend_error *e, int result, const char *format, ...)
{
  va_list values;
  va_start(values, format);
  vsnprintf(e->text, sizeof e->text, format, values);
  va_end(values);
  return result;
}

struct weft_session *weft_session_new(const struct weft_line *line, unsigned timeout_ms)
{
  struct weft_session *s = calloc(1, sizeof *s);
  if (!s)
    return NULL;
  s->line = *line;
  s->nonce = line->nonce;
  s->vain_max = WEFT_SESSION_VAIN_MAX;
  s->timeout_ms = timeout_ms ? timeout_ms : WEFT_SESSION_TIMEOUT_MS;
  return s;
}

void weft_session_free(struct weft_session *s)
{
  struct weft_backend_error e = { "" };
  if (!s)
    return;
  if (s->said_hello && !s->result)
    weft_session_send_reset(s, WEFT_HOST_RESET_FABRIC, &e);
  free(s->answers);
  free(s);
}

/* ---- Opening ----------------------------------------------------------------------------------------- */

static void forget(struct weft_session *s)
{
  s->result = WEFT_BACKEND_OK;
  s->kept_count = s->answers_from = s->answers_count = 0;
  s->filled = 0;
  s->in_vain = 0;
  s->nudged = 0;
  s->sent = s->credit = 0;
  s->again_done = s->asked = s->said_hello = false;
  s->report = (struct weft_host_counts){ 0 };
  s->silent_ms = 0;
  s->since_frame = 0;
  s->quiet_ms = WEFT_SESSION_HELLO_MS;
}

int weft_session_open(struct weft_session *s, bool reset_fabric, struct weft_backend_error *e)
{
  uint8_t flags = reset_fabric ? WEFT_HOST_RESET_FABRIC : 0;
  forget(s);
  s->nonce++;
  int result = weft_session_send_reset(s, flags, e);
  while (!result && !s->said_hello) {
    unsigned before = s->silent_ms;
    result = weft_session_receive(s, e);
    if (!result && s->silent_ms > before && !s->said_hello)
      result = weft_session_send_reset(s, flags, e); /* the same nonce: a second hello is as good */
  }
  return result;
}

/* ---- Commands ---------------------------------------------------------------------------------------- */

int weft_session_flush(struct weft_session *s, struct weft_backend_error *e)
{
  if (s->result)
    return weft_session_failed(s, e);
  if (!s->filled)
    return WEFT_BACKEND_OK;
  while (s->kept_count > WEFT_SESSION_KEPT - 2 ||
         s->sent - s->credit + s->filled + WEFT_SESSION_SPARE > s->identity.window)
    if (weft_session_receive(s, e))
      return s->result;
  size_t length = s->filled;
  s->filled = 0;
  return weft_session_send_frame(s, s->filling, length, e);
}

int weft_session_put(struct weft_session *s, const struct weft_host_command *c, struct weft_backend_error *e)
{
  uint8_t bytes[WEFT_HOST_COMMAND_MAX];
  if (s->result)
    return weft_session_failed(s, e);
  size_t count = weft_host_command_write(c, s->identity.line, bytes);
  if (!count)
    return weft_line_fails(e, WEFT_BACKEND_FAILED,
                           "usb: an operation that a frame cannot carry\nuse rtl: or model:, and report it");
  if (s->filled + count > WEFT_SESSION_PAYLOAD && weft_session_flush(s, e))
    return s->result;
  memcpy(s->filling + s->filled, bytes, count);
  s->filled += count;
  s->traffic.commands++;
  return WEFT_BACKEND_OK;
}

int weft_session_finish(struct weft_session *s, struct weft_backend_error *e)
{
  if (weft_session_flush(s, e))
    return s->result;
  while (s->credit != s->sent)
    if (weft_session_receive(s, e))
      return s->result;
  return WEFT_BACKEND_OK;
}

/* ---- Answers ----------------------------------------------------------------------------------------- */

static int refused(struct weft_session *s, const struct weft_host_answer *a, struct weft_backend_error *e)
{
  static const char *const reasons[] = { "no reason",
                                         "no such command",
                                         "it is cut short",
                                         "no such node, CU, warp or tag",
                                         "its tag is in flight",
                                         "its size",
                                         "one of its fields",
                                         "its address" };
  unsigned known = sizeof reasons / sizeof *reasons;
  return weft_session_fail(s, e, WEFT_BACKEND_FAILED,
                           "usb: the board refused a command (0x%02x, at byte %u): %s\n"
                           "that is a fault of host or bitstream; `weft probe` shows both versions",
                           a->command, a->place, a->reason < known ? reasons[a->reason] : "unknown reason");
}

int weft_session_next(struct weft_session *s, struct weft_host_answer *a, struct weft_backend_error *e)
{
  if (s->result)
    return weft_session_failed(s, e);
  if (!s->answers_count && weft_session_flush(s, e))
    return s->result;
  while (!s->answers_count) {
    if (weft_session_receive(s, e))
      return s->result;
    if (s->in_vain > s->vain_max && s->credit == s->sent)
      return weft_session_fail(s, e, WEFT_BACKEND_FAILED,
                               "usb: the board has executed all commands, and owes an answer\n"
                               "that is a fault of host or bitstream; `weft probe` shows both versions");
  }
  size_t used = weft_host_answer_read(a, s->identity.line, s->answers + s->answers_from, s->answers_count);
  s->answers_from += used;
  s->answers_count -= used;
  return a->code == WEFT_HOST_REFUSED ? refused(s, a, e) : WEFT_BACKEND_OK;
}

int weft_session_expect(struct weft_session *s, uint8_t code, struct weft_host_answer *a,
                        struct weft_backend_error *e)
{
  int result = weft_session_next(s, a, e);
  if (result || a->code == code)
    return result;
  return weft_session_fail(s, e, WEFT_BACKEND_FAILED,
                           "usb: the board answered 0x%02x where 0x%02x was due\n"
                           "that is a fault of host or bitstream; `weft probe` shows both versions",
                           a->code, code);
}
