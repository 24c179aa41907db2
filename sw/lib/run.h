/* SPDX-License-Identifier: Apache-2.0 */
/* One launch under way: its warps, what they have in flight, and who may go on. */
#ifndef WEFT_RUN_H
#define WEFT_RUN_H

#include "coroutine.h"
#include "handle.h"

/* One of a warp's operations in flight, or the last one that was. Its number is the port's tag. */
struct weft_slot {
  bool flying;
  uint32_t generation; /* tells a token of an earlier use from one of this */
  uint64_t issue, answered;
  uint64_t address, physical;
  uint8_t op, func, order, scope, bytes;
  void *to; /* load: its bytes; atomic: uint64_t; or NULL */
};

enum weft_warp_state {
  WEFT_WARP_IDLE,      /* its CU has not begun */
  WEFT_WARP_BEGINNING, /* warp 0: the acquire with which a CU begins */
  WEFT_WARP_READY,
  WEFT_WARP_WAITS_ONE,   /* for slot `waits` */
  WEFT_WARP_WAITS_ANY,   /* for any slot */
  WEFT_WARP_AT_BOUNDARY, /* between two kernels */
  WEFT_WARP_ENDED,
  WEFT_WARP_ENDING, /* warp 0: the release with which a CU ends */
};

struct weft_spin {
  bool on;
  uint64_t address, value, since;
  uint8_t condition;
};

struct weft_warp {
  struct weft_run *run;
  struct weft_place place;
  struct weft_coroutine coroutine;
  enum weft_warp_state state;
  unsigned waits;
  uint64_t now; /* the cycle in which it can issue next */
  uint64_t barriers;
  struct weft_spin spin;
  bool at_boundary; /* waits for the next kernel */
  uint8_t acquires; /* the scope that it will need there */
  struct weft_slot slot[WEFT_OUTSTANDING_MAX];
};

/* An operation that waits to be shown to the trace hook: warps run ahead, so they come out of order. */
struct weft_traced {
  struct weft_port_op op;
  uint64_t order;
  uint8_t bytes;
};

struct weft_run {
  struct weft *w;
  weft_kernel kernel;
  void *arg;
  struct weft_warp *warp;
  unsigned warps, finished;
  struct weft_stacks stacks;
  struct weft_warp **ready; /* a list, first in first out, cleared each round */
  unsigned ready_count;
  unsigned *alive; /* warps of each CU that have not ended */
  unsigned cus_left;
  struct weft_port_op *batch; /* to be submitted; room for all that can fly */
  size_t batch_count;
  size_t in_flight;
  uint64_t cycle;    /* of the latest answer */
  uint64_t end;      /* when the last CU ended */
  uint64_t progress; /* cycle of the last answer that was not a spin's */
  uint64_t check_at; /* when to look again whether everybody only spins */
  uint64_t exchange; /* the barrier after which what was written is copied; 0: none yet */
  int code;          /* why it must stop */
  struct weft_traced *traced;
  size_t traced_count, traced_room;
  uint64_t traced_order;
  double told; /* when the progress hook was called last */
};

/* launch.c: the end of a kernel for this warp, and the beginning of the next one. */
void weft_boundary(struct weft_warp *t, enum weft_memory_scope scope);

/* warp.c: puts an operation into a free slot and the batch. Returns the slot. Blocks if all slots fly. */
struct weft_request {
  uint8_t op, func, order, scope;
  uint8_t bytes; /* load, store: 1 to a line; atomic: 4 or 8; fence: 0 */
  uint64_t address, physical;
  const uint64_t *mask; /* store: of the line; NULL: `bytes` bytes from the address on */
  const uint8_t *data;  /* store: the bytes (with a mask: the line); atomic: 16 bytes */
  uint8_t attr;         /* store: WEFT_DMA_ATTRIBUTE, a descriptor of the copy engine */
  void *to;
};
unsigned weft_issue(struct weft_warp *t, const struct weft_request *request);
/* Until nothing of the warp's flies, stores included. */
void weft_drain(struct weft_warp *t);
/* Stops the launch with this code; does not return. */
/* The warp waits for so many cycles. */
void weft_pause(struct weft_warp *t, uint64_t cycles);
_Noreturn void weft_kernel_fail(struct weft_warp *t, int code, const char *format, ...) WEFT_PRINTF(3, 4);

/* hooks.c */
double weft_clock(void);
void weft_trace_note(struct weft_run *run, const struct weft_port_op *op, unsigned bytes);
void weft_trace_flush(struct weft_run *run, uint64_t until);
int weft_hooks_call(struct weft_run *run);

/* report.c */
void weft_report_stuck(struct weft_run *run, uint64_t quiet);
const char *weft_condition_text(unsigned condition);

#endif
