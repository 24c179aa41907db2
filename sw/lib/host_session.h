/* SPDX-License-Identifier: Apache-2.0 */
/* The host's end of docs/frames.md, over any line: numbers, credits, what is sent again, and what is known to be lost.
 *
 * Commands are put into a frame, which leaves when it is full or when an answer is waited for. A frame that the board did
 * not get is sent again, under its number, so that nothing is done twice. What the board sends is never sent again: when
 * a frame of it is missing, the session has failed, and every call says so until it is opened again. */
#ifndef WEFT_HOST_SESSION_H
#define WEFT_HOST_SESSION_H

#include <weft/board.h>

#include "host_message.h"
#include "line.h"

#define WEFT_SESSION_TIMEOUT_MS 10000U
#define WEFT_SESSION_VAIN_MAX 3U
#define WEFT_SESSION_KEPT 16U /* frames that the board has not acknowledged */
#define WEFT_SESSION_SPARE 8U /* bytes of the window that are kept for asking */
#define WEFT_SESSION_PAYLOAD \
  (WEFT_HOST_COMMAND_MAX) /* of our frames: a quarter of the window, so that credits flow */

struct weft_session_frame {
  uint8_t number;
  uint16_t length;
  uint8_t payload[WEFT_SESSION_PAYLOAD];
};

struct weft_session {
  struct weft_line line;
  unsigned timeout_ms; /* of silence after which the board is given up */
  uint32_t nonce;
  struct weft_host_identity identity;
  struct weft_host_receiver receiver;
  struct weft_board_traffic traffic;

  int result; /* once it failed */
  struct weft_backend_error why;

  struct weft_session_frame kept[WEFT_SESSION_KEPT]; /* a ring: sent, not acknowledged */
  unsigned kept_from, kept_count;
  uint8_t filling[WEFT_SESSION_PAYLOAD]; /* the frame that is being filled, */
  size_t filled;                         /* as far as it is */
  uint8_t next;                          /* number of the next frame */
  uint64_t sent, credit;                 /* payload bytes since the opening: sent, and known to be executed */
  bool again_done;                       /* all that is kept was sent again since the last acknowledgement */
  uint32_t nudged;   /* bytes of frames that were sent again only to hear something, since the last report */
  bool asked;        /* whether anything was lost, and not answered yet */
  unsigned in_vain;  /* so many times in a row the answer was empty */
  unsigned vain_max; /* how often, while something else is due */

  uint8_t expected; /* number of the board's next frame */
  bool said_hello;
  struct weft_host_counts report; /* the board's latest */
  unsigned quiet_ms, silent_ms;   /* how long to wait before doing something; silence so far */
  uint64_t since_frame;           /* bytes that came since the last whole frame */

  uint8_t *answers; /* messages that nobody fetched yet */
  size_t answers_from, answers_count, answers_room;
};

struct weft_session *weft_session_new(const struct weft_line *line,
                                      unsigned timeout_ms); /* NULL: out of memory */
/* Leaves the board reset, if it can be reached. The line stays open. */
void weft_session_free(struct weft_session *s);

/* Whatever was before: zeros, a reset, and the board's hello. */
int weft_session_open(struct weft_session *s, bool reset_fabric, struct weft_backend_error *e);
/* A command, behind the others. May wait for credit. */
int weft_session_put(struct weft_session *s, const struct weft_host_command *c, struct weft_backend_error *e);
int weft_session_flush(struct weft_session *s, struct weft_backend_error *e);
/* Takes what has come already, and waits for nothing. */
int weft_session_look(struct weft_session *s, struct weft_backend_error *e);
/* The next answer. Whoever asks knows that there will be one. */
int weft_session_next(struct weft_session *s, struct weft_host_answer *a, struct weft_backend_error *e);
/* The same, and it must be of this kind. For those who have nothing else under way. */
int weft_session_expect(struct weft_session *s, uint8_t code, struct weft_host_answer *a,
                        struct weft_backend_error *e);
/* Until all commands have been executed. */
int weft_session_finish(struct weft_session *s, struct weft_backend_error *e);

#endif
