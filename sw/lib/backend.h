/* SPDX-License-Identifier: Apache-2.0 */
/* The table behind which every back-end stands: model, Verilated RTL, board.
 *
 * Time. A back-end owns fabric time. It advances only inside poll() and settle(). Every operation carries
 * the cycle before which it must not be presented to its CU's port. A port takes at most one operation per
 * cycle; of those whose time has come, the one with the smallest (issue, warp, order of submission) is
 * presented first, and stays until it is taken. poll() stops time at the end of the first cycle in which an
 * operation was answered, so that the host can react in that very cycle: results and cycle counts do not
 * depend on how fast the host is. */
#ifndef WEFT_BACKEND_H
#define WEFT_BACKEND_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "weft_configs.h"
#include "weft_formats.h"

#ifdef __cplusplus
extern "C" {
#endif

#define WEFT_BACKEND_ABI 3
#define WEFT_BACKEND_SYMBOL "weft_backend_entry" /* what a shared object exports: struct weft_backend_ops */

/* Results of the table's functions; the library maps them to its public codes. */
enum weft_backend_result {
  WEFT_BACKEND_OK = 0,
  WEFT_BACKEND_STUCK = 1,     /* operations wait and nothing was answered for `patience` cycles */
  WEFT_BACKEND_MISMATCH = 2,  /* lock-step: RTL and model differ; error text says where */
  WEFT_BACKEND_FAILED = 3,    /* the back-end or device failed */
  WEFT_BACKEND_LACKS = 4,     /* file, permission, disk, memory */
  WEFT_BACKEND_REFUSED = 5,   /* the options do not fit what was built */
  WEFT_BACKEND_LINK_DOWN = 6, /* a link was given up; error text names it */
  WEFT_BACKEND_ABSENT = 7,    /* boards, from here on: none fits what was asked for */
  WEFT_BACKEND_AMBIGUOUS = 8, /* more than one does */
  WEFT_BACKEND_BUSY = 9,      /* another program has it */
  WEFT_BACKEND_DENIED = 10,   /* no permission */
  WEFT_BACKEND_GONE = 11,     /* unplugged, or its USB chip fails */
  WEFT_BACKEND_SILENT = 12,   /* it does not answer */
  WEFT_BACKEND_VERSION = 13,  /* another version */
  WEFT_BACKEND_RECORD = 14,   /* a record that is cut short, damaged, or of another run */
  WEFT_BACKEND_NO_DISK = 15,
  WEFT_BACKEND_NO_FILE = 16,
};

struct weft_backend_error {
  char text[2048]; /* one to several lines, no trailing newline */
};

struct weft_port_op {
  uint64_t issue; /* first cycle in which the port may see it */
  uint8_t node, cu;
  struct weft_cu_req req; /* warp and tag come back with the answer */
};

struct weft_port_done {
  uint64_t cycle; /* in which it was answered */
  uint8_t node, cu;
  struct weft_cu_rsp rsp;
};

struct weft_board; /* usb_board.h */

struct weft_backend_options {
  const char *config_name;
  struct weft_config config; /* complete, already checked */
  uint8_t protocol;          /* enum weft_protocol */
  bool finepack;             /* stores leave as FinePack packets */
  bool lockstep;             /* rtl: run the model beside it and compare */
  uint8_t fault;             /* rtl, model: enum weft_fault, 0 for none */
  uint64_t seed;             /* for random delays, where asked for */
  uint32_t jitter;           /* rtl, model: per mille of cycles in which a stream is held back at random */
  uint32_t noise;            /* rtl: per million of cycles in which a link's wire errs, each by itself */
  unsigned cut_link;         /* rtl: a link, first those from the nodes, whose wire carries nothing */
  uint64_t cut_from;         /* rtl: from this cycle on, */
  uint64_t cut_cycles;       /* rtl: for so many; 0: never */
  uint64_t patience;         /* cycles without an answer after which poll() says STUCK */
  const char *wave;          /* rtl: FST file, or NULL */
  const char *wave_view;     /* rtl: GTKWave's list of signals for it, or NULL */
  const char *wave_commands; /* rtl: the same for Surfer, or NULL */
  uint64_t wave_from;        /* rtl: the first cycle of it, */
  uint64_t wave_to;          /* rtl: and the last; 0: to the end */
  const char *command;       /* the command that reproduces this run, for messages */
  /* Boards alone look at these: shared objects that were built before them do not miss them. */
  bool free_time;           /* time runs on while frames are under way */
  struct weft_board *board; /* that has said hello; stays the caller's */
};

struct weft_backend_info {
  const char *name;    /* "model", "rtl", ... */
  const char *hash;    /* of the configuration built in, 64 hex digits */
  bool lockstep;       /* is being compared */
  bool runtime_config; /* takes any parameters (model), or only those built in (rtl) */
};

struct weft_observer; /* sw/model/observer.h: whoever wants to see every event */
struct weft_backend;  /* each back-end's own; starts with `const struct weft_backend_ops *ops` */

struct weft_backend_ops {
  uint32_t abi; /* WEFT_BACKEND_ABI */
  const char *name;
  const char *config_name; /* of what is built in; NULL: any */
  const char *hash;        /* likewise */
  int (*open)(struct weft_backend **out, const struct weft_backend_options *options,
              struct weft_backend_error *e);
  void (*close)(struct weft_backend *b);
  int (*info)(struct weft_backend *b, struct weft_backend_info *info);
  /* Back to cycle 0, all memory and counters zero. */
  int (*reset)(struct weft_backend *b, struct weft_backend_error *e);
  /* Takes any number of operations; copies them. */
  int (*submit)(struct weft_backend *b, const struct weft_port_op *ops, size_t count,
                struct weft_backend_error *e);
  /* Advances time until something was answered. *count = 0 with OK: nothing is outstanding. */
  int (*poll)(struct weft_backend *b, struct weft_port_done *done, size_t max, size_t *count,
              struct weft_backend_error *e);
  /* Forgets operations that were not yet taken by a port. */
  int (*cancel)(struct weft_backend *b);
  /* An atomic snapshot; values[] in the order of the generated counter table, node by node. */
  int (*counters)(struct weft_backend *b, uint64_t *values, size_t count, struct weft_backend_error *e);
  /* The back door: not counted, takes no time. Whole lines are not needed. Reading is exact after settle(). */
  int (*memory)(struct weft_backend *b, uint64_t address, void *bytes, size_t count, bool write,
                struct weft_backend_error *e);
  /* End of a run: drains, writes dirty lines back; under lock-step compares all memory and event counters. */
  int (*settle)(struct weft_backend *b, struct weft_backend_error *e);
  /* The current cycle. */
  uint64_t (*now)(struct weft_backend *b);
  /* What waits for what, for the report of a run that is stuck; text is always terminated. */
  void (*waits)(struct weft_backend *b, char *text, size_t size);
  /* Every event of a unit goes to `observer` from now on, which must live as long; NULL: to nobody. The function is
   * NULL where there are no units inside. */
  int (*watch)(struct weft_backend *b, const struct weft_observer *observer);
  /* Ends the wave file, if there is one: LACKS if it is not whole. NULL: no waves. */
  int (*wave_end)(struct weft_backend *b, struct weft_backend_error *e);
  /* The leases that homes give from the current cycle to the next reset. NULL: there are none. */
  int (*leases)(struct weft_backend *b, const struct weft_lease_settings *leases);
};

#ifdef __cplusplus
}
#endif
#endif
