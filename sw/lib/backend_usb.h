/* SPDX-License-Identifier: Apache-2.0 */
/* What the files of the board's back-end share. */
#ifndef WEFT_BACKEND_USB_H
#define WEFT_BACKEND_USB_H

#include "usb_board.h"
#include "registers.h"

struct weft_backend {
  const struct weft_backend_ops *ops;
  struct weft_backend_options options;
  struct weft_session *session;
  const char *hash;
  uint64_t now;   /* the next cycle, as far as the board has told; in free time ours: one per round */
  uint64_t since; /* of the last answer */
  uint64_t walk;  /* what time.cycles counted before cycle 0 */
  bool running;   /* time runs on by itself */
  uint64_t outstanding;
  uint64_t *issue; /* [((node * cus + cu) * warps + warp) * tags + tag]; NO_CYCLE: not in flight */
  size_t places;
  struct weft_port_done *done; /* answers that poll() has not given yet: room for all */
  size_t done_count, done_given;
};

#define WEFT_NO_CYCLE UINT64_MAX
#define WEFT_USB_SLICE 65536U /* cycles of one RUN or UNTIL; a multiple of every step */

int weft_usb_write(struct weft_backend *b, uint32_t address, uint32_t value, struct weft_backend_error *e);
/* Time goes on to `limit`, or to the end of the first cycle with an answer. `stop`: how it ended. */
int weft_usb_run(struct weft_backend *b, uint64_t limit, bool to_answer, struct weft_host_answer *stop,
                 struct weft_backend_error *e);
/* The next answer but DONEs, which are kept for poll(): of this kind. */
int weft_usb_expect(struct weft_backend *b, uint8_t code, struct weft_host_answer *a,
                    struct weft_backend_error *e);
/* Ends free time, if it runs. */
int weft_usb_halt(struct weft_backend *b, struct weft_backend_error *e);

/* backend_usb_settle.c */
int weft_usb_bring_up(struct weft_backend *b, struct weft_backend_error *e);
int weft_usb_counters(struct weft_backend *b, uint64_t *values, size_t count, struct weft_backend_error *e);
int weft_usb_memory(struct weft_backend *b, uint64_t address, void *bytes, size_t count, bool write,
                    struct weft_backend_error *e);
int weft_usb_settle(struct weft_backend *b, struct weft_backend_error *e);

#endif
