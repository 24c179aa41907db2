/* SPDX-License-Identifier: Apache-2.0 */
/* What is measured, and what is kept to measure it. */
#ifndef WEFT_LATENCY_H
#define WEFT_LATENCY_H

#include "watch.h"

/* A value below EXACT has a bucket of its own; above, an octave has PARTS. */
#define EXACT 64U
#define PARTS 32U
#define BUCKETS (EXACT + 42U * PARTS)
#define CLASSES 3U

enum {
  MESSAGE_READ,
  MESSAGE_WRITE,
  MESSAGE_ATOMIC,
  MESSAGE_MARKER,
  MESSAGE_INV,
  MESSAGE_MARK,
  MESSAGE_LINE,
  MESSAGE_OLD,
  MESSAGE_ACK,
  MESSAGE_SEEN,
  MESSAGES
};

enum {
  FIRST_LOAD = 0,
  FIRST_ATOMIC = FIRST_LOAD + WEFT_LEVELS,
  STORE = FIRST_ATOMIC + WEFT_LEVELS,
  ACQUIRE,
  RELEASE,
  ACQ_REL,
  UNIT_PORT,
  UNIT_L1_TO_L2,
  UNIT_L2_MISS,
  UNIT_FETCH,
  UNIT_RELEASE,
  UNIT_MARKER,
  FIRST_WIRE,
  FIRST_DELIVERY = FIRST_WIRE + MESSAGES,
  HISTOGRAMS = FIRST_DELIVERY + MESSAGES
};

#define LEVEL_NAMES(op) \
  "operation." op ".l1", "operation." op ".l2", "operation." op ".home", "operation." op ".memory", \
    "operation." op ".remote", "operation." op ".remote_memory"
#define MESSAGE_NAMES(what) \
  "message.read." what, "message.write." what, "message.atomic." what, "message.marker." what, \
    "message.inv." what, "message.mark." what, "message.line." what, "message.old." what, \
    "message.ack." what, "message.seen." what
#define WEFT_LATENCY_NAMES \
  { LEVEL_NAMES("load"),   LEVEL_NAMES("atomic"),    "operation.store", \
    "operation.acquire",   "operation.release",      "operation.acq_rel", \
    "unit.port",           "unit.l1_to_l2",          "unit.l2_miss", \
    "unit.fetch",          "unit.release",           "unit.marker", \
    MESSAGE_NAMES("wire"), MESSAGE_NAMES("delivery") }

#define LEVEL_ABOUTS(op) \
  op ", answered by the L1", op ", answered by the own L2's copy", op ", answered by the own home", \
    op ", answered by the own memory", op ", answered by a remote home", op ", answered by a remote memory"
#define MESSAGE_ABOUTS(what) \
  "READ " what, "WRITE " what, "ATOMIC " what, "MARKER " what, "INV " what, "MARK " what, "LINE " what, \
    "an atomic's old value " what, "ACK " what, "SEEN " what
#define WEFT_LATENCY_ABOUTS \
  { LEVEL_ABOUTS("load"), \
    LEVEL_ABOUTS("atomic"), \
    "store, until its CU goes on", \
    "acquire", \
    "release", \
    "acquire and release", \
    "waiting before a CU's port", \
    "from an L1 to its L2 bank", \
    "an L2's miss of a remote line", \
    "a home's fetch from memory", \
    "a release to the system, inside an L2 bank", \
    "a marker that waits for fetches", \
    MESSAGE_ABOUTS("until it is on the wire"), \
    MESSAGE_ABOUTS("until its receiver has it") }

struct histogram {
  uint64_t count, sum, min, max;
  uint64_t bucket[BUCKETS];
};

struct sent {
  uint64_t cycle;
  uint8_t kind;
};

/* Messages that keep their order. */
struct fifo {
  uint32_t head, count, room;
  struct sent *slot;
};

struct weft_latencies {
  unsigned nodes, cus, banks;
  bool packed; /* requests leave by FinePack */
  struct histogram histogram[HISTOGRAMS];
  struct fifo *wire;  /* [(src * nodes + dst) * classes + class]: made and not yet on the wire */
  struct fifo *way;   /* the same per bank, which keep their order: made and not yet received */
  struct fifo *to_l2; /* [(node * cus + cu) * banks + bank] */
  uint64_t (*release)[WEFT_WARPS_MAX]; /* [(node * cus + cu) * banks + bank][warp] */
};

#endif
