/* SPDX-License-Identifier: Apache-2.0 */
/* Boards: an FPGA with the fabric in it, behind an FTDI chip on the USB. weft_open() takes "usb:" as it takes any back-end; what
 * is here is what only boards have. */
#ifndef WEFT_BOARD_H
#define WEFT_BOARD_H

#include <weft/weft.h>

#ifdef __cplusplus
extern "C" {
#endif

/* Can it be opened? Told by what the kernel knows, so that a board at work is not disturbed by the question. */
enum weft_board_state {
  WEFT_BOARD_STATE_FREE,
  WEFT_BOARD_STATE_BUSY,   /* another program has it */
  WEFT_BOARD_STATE_DENIED, /* no permission: the udev rule is missing */
};

struct weft_board_found {
  char serial[64]; /* "" if it has none */
  char product[64];
  char chip[16];      /* "FT232H" */
  char front[8];      /* "ft245", "uart": which pins of the FPGA it is wired to */
  unsigned bus, port; /* the kernel's numbers of it, as lsusb prints them */
  enum weft_board_state state;
};

/* Everything on the USB that may be a board. *boards is the caller's to free(). */
WEFT_API int weft_boards_find(struct weft *w, struct weft_board_found **boards, size_t *count);

/* Which board a back-end names: its serial number, "" for the only one that is there or a record's. WEFT_UNKNOWN_BACKEND:
 * it is no board, or its settings mean nothing. */
WEFT_API int weft_board_serial(struct weft *w, const char *backend, char *serial, size_t size);

/* What a board says of itself. */
struct weft_board_identity {
  char board[96];               /* which one: "usb:serial=S" */
  unsigned frames;              /* version of the frames between host and board, */
  unsigned abi;                 /* of registers and wire formats, */
  unsigned own_frames, own_abi; /* and those of this library */
  char hash[65];                /* of configuration and sources; hex digits */
  char config[32];              /* whose hash it is; "" if it is none of this library's */
  unsigned clock;               /* of the fabric, Hz; 0 in simulation */
  unsigned nodes, memories, cus, warps, outstanding, line, banks, counters;
  uint64_t memory; /* bytes per node */
  unsigned window; /* bytes of commands that it keeps */
  bool faults;     /* are built in */
};

/* Asks the board of a back-end "usb:...", whatever bitstream it has. The handle is closed before and after. With `reset`
 * the fabric is reset too; else it stays as it was, but what a program that ended early had under way is forgotten. */
WEFT_API int weft_board_identify(struct weft *w, const char *backend, bool reset,
                                 struct weft_board_identity *identity);

/* Of an open board: sends bytes to it, has them sent back and compares. WEFT_WRONG_RESULT names the first that differs. */
WEFT_API int weft_board_echo(struct weft *w, const void *bytes, size_t count);

/* What went over the line since weft_open(). */
struct weft_board_traffic {
  uint64_t sent, received; /* bytes, frames' own included */
  uint64_t frames_sent, frames_received;
  uint64_t frames_again;  /* of those sent, after a loss */
  uint64_t dropped_host;  /* bytes that belonged to no whole frame, here, */
  uint64_t dropped_board; /* and there */
  uint64_t commands;      /* operations included */
};
WEFT_API int weft_board_traffic_read(struct weft *w, struct weft_board_traffic *traffic);

#ifdef __cplusplus
}
#endif
#endif
