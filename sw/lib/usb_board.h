/* SPDX-License-Identifier: Apache-2.0 */
/* A board that has said hello: the line to it and the session over that line. */
#ifndef WEFT_USB_BOARD_H
#define WEFT_USB_BOARD_H

#include <weft/board.h>

#include "host_session.h"
#include "weft_configs.h"

struct weft_board {
  struct weft_line line;
  struct weft_session *session;
};

/* Opens what "usb:...", "record:FILE,usb:..." or "replay:FILE" names, and reads the hello. A public code. */
int weft_board_open(struct weft *w, const char *backend, bool reset_fabric, struct weft_board **board);
void weft_board_close(struct weft_board *board); /* NULL: nothing to do */

/* Which of the named configurations the board was built from; the message says what differs. */
int weft_board_config(struct weft *w, const struct weft_board *board,
                      const struct weft_named_config **config);

#endif
