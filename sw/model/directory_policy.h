/* SPDX-License-Identifier: Apache-2.0 */
/* What a directory protocol decides, and all it decides: what a request does to the entry of its line. The
 * directory finds, replaces and keeps entries. A protocol NAME of rtl/config/protocols.toml is one constant
 * `weft_directory_NAME` of this type, in directory_NAME.c, and the module directory_NAME in rtl/home. */
#ifndef WEFT_DIRECTORY_POLICY_H
#define WEFT_DIRECTORY_POLICY_H

#include <stdbool.h>
#include <stdint.h>

#include "weft_formats.h"

/* How an entry is laid out: the same for all entries of a directory. */
struct weft_directory_shape {
  uint8_t sharers; /* bits: all nodes but the home */
  uint8_t lines;   /* that an entry tracks */
  uint8_t fault;   /* enum weft_fault: a seeded one, for testing the testers */
};

struct weft_directory_request {
  struct weft_directory_shape shape;
  uint8_t op;         /* enum weft_dir_op */
  bool local;         /* by the home itself */
  bool hit;           /* the line has an entry; if not, the fields are zero and mean nothing */
  uint8_t position;   /* of the line among those of its entry */
  uint16_t requester; /* its sharer bit; 0 if local */
};

struct weft_directory_change {
  bool valid;    /* the line has an entry afterwards; if it had none, one is allocated */
  uint16_t inv;  /* sharers that must drop the line (a block's: all its lines) */
  uint8_t cause; /* enum weft_cause: a write, or want of room for another sharer */
};

struct weft_directory_policy {
  /* Changes the entry's fields: as many bits as the table of protocols says, from bit 0 of the first word. */
  struct weft_directory_change (*step)(uint64_t *fields, const struct weft_directory_request *request);
  /* Who may hold the line at this position, by a valid entry: they are owed an INV when it is evicted. */
  uint16_t (*sharers)(const uint64_t *fields, const struct weft_directory_shape *shape, unsigned position);
};

/* What a request does to one set of sharer bits that stands for one line; returns who must drop the line. */
static inline uint16_t weft_sharers_step(uint16_t *sharers, const struct weft_directory_request *r)
{
  uint16_t old = *sharers, others = old & (uint16_t)~r->requester;
  if (r->op == WEFT_DIR_OP_READ) {
    *sharers |= r->requester;
    return 0;
  }
  /* an atomic's requester dropped its copy when it issued it: it is neither told nor recorded */
  *sharers = r->op == WEFT_DIR_OP_WRITE ? r->requester : 0;
  if (r->shape.fault == WEFT_FAULT_DIRECTORY_FORGETS_WRITER)
    *sharers = 0;
  if (r->shape.fault == WEFT_FAULT_DIRECTORY_SINGLE_SHARER && r->local && (old & (old - 1U)) == 0)
    return 0;
  if (r->shape.fault == WEFT_FAULT_DIRECTORY_TELLS_REQUESTER && r->op == WEFT_DIR_OP_ATOMIC)
    return old | r->requester;
  return others;
}

#endif
