/* SPDX-License-Identifier: Apache-2.0 */
/* The history of one line, as its two files share it. */
#ifndef WEFT_HISTORY_H
#define WEFT_HISTORY_H

#include "watch.h"

#define PORTS_MAX 128U

struct kept {
  struct weft_happening happening;
  uint8_t rank; /* of several in one cycle: L1s before L2 banks */
  uint64_t order;
};

struct weft_history {
  char *text; /* the address as it was asked for */
  struct weft_explain_options options;
  struct weft_config config;
  bool resolved;
  uint64_t line;  /* address */
  uint64_t bytes; /* of the word that was asked for, from summary.physical on */
  unsigned bank, l1_set, l2_set;

  int16_t l1_way[PORTS_MAX]; /* where a copy lies; -1: nowhere */
  int16_t l2_way[WEFT_NODES_MAX];
  uint64_t stored[PORTS_MAX]; /* cycle of the last store that no release to the system has covered; 0: none */
  bool in_node[PORTS_MAX];    /* but one to the node has */
  uint64_t inv_since[WEFT_NODES_MAX];                 /* INVs under way; 0: none */
  uint64_t low[WEFT_NODES_MAX], high[WEFT_NODES_MAX]; /* physical addresses that the run used, by home */

  struct kept *kept;
  size_t count, room;
  uint64_t order;
  bool sorted, lost;
  struct weft_history_summary summary;
};

struct happens {
  uint64_t cycle;
  unsigned node;
  int cu, warp;
  const char *unit, *what;
  bool word;
};
/* history.c: keeps one, if it lies in the window and there is room. */
void weft_history_note(struct weft_history *h, const struct happens *at, const char *format, ...)
  WEFT_PRINTF(3, 4);

/* history_l2.c */
void weft_history_bank(struct weft_history *h, const struct weft_track *t, unsigned node, uint64_t cycle,
                       unsigned bank, const struct weft_l2_event *in, const struct weft_l2_event *out,
                       const struct weft_dir_event *dir);

static inline uint64_t weft_history_line_of(const struct weft_history *h, uint64_t address)
{
  return address & ~(h->config.line - 1);
}

#endif
