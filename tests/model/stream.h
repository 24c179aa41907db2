/* SPDX-License-Identifier: Apache-2.0 */
/* A stream of events as the RTL would give it, recorded from the machine of models, fed to the checker. */
#ifndef WEFT_TEST_STREAM_H
#define WEFT_TEST_STREAM_H

#include "lockstep.h"
#include "machine.h"

enum record_kind { RECORD_L1, RECORD_L2, RECORD_DIR, RECORD_LINK, RECORD_ISSUED, RECORD_ANSWERED };

struct record {
  enum record_kind kind;
  unsigned node, index; /* a link's number is its node */
  union {
    struct weft_l1_event l1;
    struct weft_l2_event l2;
    struct weft_dir_event dir;
    struct weft_link_event link;
    struct weft_cu_req issued;
    struct weft_cu_rsp answered;
  } as;
};

struct stream {
  struct weft_config config;
  struct record *records;
  size_t count, capacity;
  uint8_t **memory; /* of each node, at the end */
};

#define STREAM_SEED 42U
#define STREAM_COMMAND "weft run mix -b rtl:tiny --seed 42"

/* Random traffic of `ops` operations on a machine of this shape, flushed at its end. */
struct stream *stream_record(const struct weft_config *config, unsigned ops, uint64_t seed);
void stream_free(struct stream *s);

/* Feeds records [0, count) to a new checker, whose cycle is the number of the record; `change` (or NULL)
 * stands for record `at`. The checker is the caller's to free. */
struct weft_lockstep *stream_feed(const struct stream *s, size_t count, size_t at,
                                  const struct record *change);

#endif
