/* SPDX-License-Identifier: Apache-2.0 */
/* A directory slice: which nodes may hold a copy of the lines whose home is here. */
#ifndef WEFT_DIRECTORY_H
#define WEFT_DIRECTORY_H

#include "layout.h"

#define WEFT_ENTRY_LINES_MAX 128 /* a range of 4 KiB, lines of 32 bytes */

struct weft_directory_entry {
  uint64_t address; /* of the first line */
  uint8_t valid;
  uint8_t pad[7];
  uint64_t fields[]; /* the protocol's own, see directory_policy.h */
};

struct weft_directory {
  uint32_t sets, ways;
  uint32_t home, nodes;
  uint32_t line_shift, bank_shift;
  uint32_t protocol; /* enum weft_protocol, one whose tracker is a directory */
  uint32_t lines;    /* that an entry tracks; a power of two */
  uint32_t refresh;  /* 1: a hit makes its entry the youngest */
  uint32_t fault;    /* enum weft_fault */
  uint32_t entry_size, entries_at, ages_at;
  uint32_t blank_at; /* an entry that is all zero between steps: what a policy starts a new one from */
};

/* What a step that evicts an entry owes: who may hold which of its lines. */
struct weft_directory_owed {
  uint16_t sharers[WEFT_ENTRY_LINES_MAX]; /* by the line's place in the entry */
};

size_t weft_directory_size(const struct weft_config *config, unsigned protocol);
void weft_directory_reset(struct weft_directory *directory, const struct weft_config *config,
                          unsigned protocol, unsigned home);

/* Reads op, local, requester and address of `in`, changes the directory, and fills the effects of `out`; of
 * `owed`, if an entry was evicted, as many as it has lines (if its INVs name a block: the first alone).
 * Returns NULL, or what is wrong with the event. */
const char *weft_directory_step(struct weft_directory *directory, const struct weft_dir_event *in,
                                struct weft_dir_event *out, struct weft_directory_owed *owed);

/* An INV of this directory names all lines of an entry. */
bool weft_directory_block(const struct weft_directory *directory);

/* The address of the first line of the entry that a line belongs to. */
static inline uint64_t weft_directory_base(const struct weft_directory *d, uint64_t address)
{
  return address & ~(((uint64_t)d->lines << d->line_shift) - 1U);
}

/* The nodes that a sharer field of this home names: bit n is node n below the home, else n + 1. */
static inline uint16_t weft_directory_nodes(uint16_t sharers, unsigned home)
{
  uint32_t below = (1U << home) - 1U;
  return (uint16_t)((sharers & below) | (uint32_t)(sharers & ~below) << 1);
}

#endif
