/* SPDX-License-Identifier: Apache-2.0 */
/* The board's receiving end (rtl/host/frame_rx.sv): of the frames that come whole, those that are executed. */
#ifndef WEFT_FRAME_RX_H
#define WEFT_FRAME_RX_H

#include "host_frame.h"

enum weft_frame_rx_result {
  WEFT_FRAME_RX_NOTHING = 0,
  WEFT_FRAME_RX_TAKEN = 1, /* its payload waits to be executed */
  WEFT_FRAME_RX_RESET = 2, /* nonce and flags are new, all else is as after power-up */
};

struct weft_frame_rx {
  struct weft_host_receiver receiver;
  bool room;        /* for the frame that is being received, as of its header */
  uint8_t expected; /* sequence number */
  uint16_t taken;   /* bytes of payload since the reset, mod 65536 */
  uint16_t executed;
  uint32_t nonce;
  uint8_t flags;
};

void weft_frame_rx_reset(struct weft_frame_rx *f);
enum weft_frame_rx_result weft_frame_rx_step(struct weft_frame_rx *f, uint8_t byte);
/* So many bytes of payload have left the buffer. */
void weft_frame_rx_execute(struct weft_frame_rx *f, unsigned bytes);
/* For callers that only have a pointer. */
size_t weft_frame_rx_size(void);

#endif
