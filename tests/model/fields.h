/* SPDX-License-Identifier: Apache-2.0 */
/* Every field of every event, and when it means something: docs/events.md as a table. */
#ifndef WEFT_TEST_FIELDS_H
#define WEFT_TEST_FIELDS_H

#include "stream.h"

struct event_field {
  enum record_kind kind;
  const char *name;
  size_t offset;                         /* in struct record */
  bool (*means)(const struct record *r); /* when a wrong value is a difference; otherwise it must be none */
};

extern const struct event_field event_fields[];
extern const size_t event_field_count;

#endif
