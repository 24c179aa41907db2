/* SPDX-License-Identifier: Apache-2.0 */
/* A directory slice: which nodes may hold a copy of the lines whose home is here. */
#ifndef WEFT_DIRECTORY_H
#define WEFT_DIRECTORY_H

#include "layout.h"

struct weft_directory_entry {
  uint64_t address; /* of the line */
  uint8_t valid;
  uint8_t pad[7];
  uint64_t fields[]; /* the protocol's own, see directory_policy.h */
};

struct weft_directory {
  uint32_t sets, ways;
  uint32_t home, nodes;
  uint32_t line_shift, bank_shift;
  uint32_t protocol; /* enum weft_protocol, one whose tracker is a directory */
  uint32_t entry_size, entries_at, ages_at;
  uint32_t blank_at; /* an entry that is all zero between steps: what a policy starts a new one from */
  uint32_t pad;
};

size_t weft_directory_size(const struct weft_config *config);
void weft_directory_reset(struct weft_directory *directory, const struct weft_config *config,
                          unsigned protocol, unsigned home);

/* Reads op, local, requester and address of `in`, changes the directory, and fills the effects of `out`.
 * Returns NULL, or what is wrong with the event. */
const char *weft_directory_step(struct weft_directory *directory, const struct weft_dir_event *in,
                                struct weft_dir_event *out);

/* The nodes that a sharer field of this home names: bit n is node n below the home, else n + 1. */
static inline uint16_t weft_directory_nodes(uint16_t sharers, unsigned home)
{
  uint32_t below = (1U << home) - 1U;
  return (uint16_t)((sharers & below) | (uint32_t)(sharers & ~below) << 1);
}

#endif
