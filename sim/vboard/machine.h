/* SPDX-License-Identifier: Apache-2.0 */
/* A machine with one board more, and a command in it. Three threads: one waits for the command, umockdev's takes ioctls, a
 * third one is the board's time. */
#ifndef WEFT_VBOARD_MACHINE_H
#define WEFT_VBOARD_MACHINE_H

#include <signal.h>

#include "usbfs.h"

#define PRELOAD "libumockdev-preload.so.0"

struct machine {
  const struct weft_vboard_options *options;
  struct weft_vboard_result *result;
  void *object; /* libweft-board.so */
  const struct weft_board_ops *ops;
  struct weft_sim_board *board;
  UMockdevTestbed *testbed;
  struct usbfs usb, twin;
  pthread_t thread;
  bool started, stop, has_twin;
  int event;                        /* the device was unplugged */
  struct sigaction before[3], pipe; /* what signals did before */
  sigset_t mask;
};

/* Writes the message; returns the code. */
int machine_fails(struct machine *m, int code, const char *what, const char *why);
bool machine_is_to(const struct machine *m, enum weft_vboard_fault_kind kind); /* have this fault */

/* board_time.c: a thread's function, for a struct machine */
void *board_time(void *machine);

/* command.c: signals are the command's from the first of these calls to the last */
void command_catch_signals(struct machine *m);
int command_run(struct machine *m); /* until it has ended; 0, or an exit code and a message */
int command_wait(pid_t process);    /* its exit code, as a shell has it */
void command_give_signals_back(const struct machine *m);

#endif
