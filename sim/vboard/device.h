/* SPDX-License-Identifier: Apache-2.0 */
/* An FTDI as USB sees it: endpoints, packets with two status bytes, vendor requests. Knows neither umockdev nor threads: one
 * caller at a time. */
#ifndef WEFT_VBOARD_DEVICE_H
#define WEFT_VBOARD_DEVICE_H

#include "faults.h"

#define DEVICE_OUT 0x02U
#define DEVICE_IN 0x81U
#define DEVICE_SETUP 8U /* bytes of a control request before its data */

enum device_result { DEVICE_DONE, DEVICE_STALLED, DEVICE_GONE, DEVICE_CANCELLED, DEVICE_OVERFLOW };

/* One request for a transfer, of whoever calls. */
struct transfer {
  struct transfer *next;
  bool control;
  uint8_t endpoint;
  uint8_t *bytes; /* control: with the setup before the data */
  uint32_t length;
  uint32_t actual; /* so far */
  enum device_result result;
  const void *owner; /* who submitted it, */
  uint64_t name;     /* and what he calls it */
  void *token;       /* the caller's */
};

struct transfer_queue {
  struct transfer *first, *last;
};

#define DEVICE_STAGE 2048U

/* What the board has sent, behind the faults and before the packets. */
struct stage {
  uint8_t byte[DEVICE_STAGE];
  size_t first, count;
};

struct device {
  const struct weft_board_ops *ops;
  struct weft_sim_board *board; /* NULL: nobody is behind the chip */
  enum weft_board_front front;
  const char *serial;
  struct transfer_queue control, in, out, done;
  struct faults faults;
  struct other_version other;
  struct stage up;
  bool gone;
  bool halted_in, halted_out;
  uint8_t mode;          /* bit mode */
  uint16_t latency;      /* milliseconds, as set */
  uint64_t since_bytes;  /* clocks since something to send has waited, */
  uint64_t since_packet; /* and since the last packet */
  uint64_t transfers_in, transfers_out, transfers_control;
};

void device_open(struct device *d, const struct weft_board_ops *ops, struct weft_sim_board *board,
                 const struct weft_vboard_options *options);
void device_submit(struct device *d, struct transfer *t);
/* Takes back the transfer with this name; false: it is not waiting. */
bool device_cancel(struct device *d, const void *owner, uint64_t name);
void device_cancel_all(struct device *d, const void *owner);       /* NULL: everybody's */
struct transfer *device_reap(struct device *d, const void *owner); /* likewise; NULL: none is done */
void device_clear_halt(struct device *d, uint8_t endpoint);
void device_unplug(struct device *d);
/* Whatever can move between transfers and FIFOs does. clocks: that went by since the last call. */
void device_serve(struct device *d, uint64_t clocks);
bool device_waits(const struct device *d); /* somebody wants something to move */

/* descriptors.c: returns the bytes of a descriptor, 0 if there is none; type and index as in the request */
size_t descriptor_get(enum weft_board_front front, const char *serial, uint8_t type, uint8_t index,
                      uint8_t *out, size_t room);
unsigned descriptor_packet(enum weft_board_front front); /* bytes of a bulk packet */
const char *descriptor_product(enum weft_board_front front);

/* requests.c: a control transfer. Returns the bytes of its answer, or -1: refused */
int request_serve(struct device *d, const uint8_t *setup, uint8_t *data, size_t room);

#endif
