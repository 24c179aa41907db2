/* SPDX-License-Identifier: Apache-2.0 */
/* What a directory protocol decides, and all it decides: what a request does to the entry of its line. The
 * directory finds, replaces and keeps entries. A protocol NAME of rtl/config/protocols.toml is one constant
 * `weft_directory_NAME` of this type, in directory_NAME.c, and the module directory_NAME in rtl/home. */
#ifndef WEFT_DIRECTORY_POLICY_H
#define WEFT_DIRECTORY_POLICY_H

#include <stdbool.h>
#include <stdint.h>

#include "weft_formats.h"

struct weft_directory_request {
  uint8_t op;         /* enum weft_dir_op */
  bool local;         /* by the home itself */
  bool hit;           /* the line has an entry; if not, the fields are zero and mean nothing */
  uint16_t requester; /* its sharer bit; 0 if local */
};

struct weft_directory_change {
  bool valid;    /* the line has an entry afterwards; if it had none, one is allocated */
  uint16_t inv;  /* sharers that must drop the line; nobody can have it without an entry */
  uint8_t cause; /* enum weft_cause: a write, or want of room for another sharer */
};

struct weft_directory_policy {
  /* Changes the entry's fields: as many bits as the table of protocols says, from bit 0 of the first word. */
  struct weft_directory_change (*step)(uint64_t *fields, const struct weft_directory_request *request);
  /* Who may hold the line, by a valid entry: they are owed an INV when it is evicted. */
  uint16_t (*sharers)(const uint64_t *fields);
};

#endif
