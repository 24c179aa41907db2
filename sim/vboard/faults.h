/* SPDX-License-Identifier: Apache-2.0 */
/* What goes wrong between host and board, when it was asked for. Drawn from a seed and counted in bytes and transfers, never
 * in time, so that a run can be had again. */
#ifndef WEFT_VBOARD_FAULTS_H
#define WEFT_VBOARD_FAULTS_H

#include "host_frame.h"
#include "random.h"
#include "vboard.h"

enum fault_way { FAULT_DOWN = 0, FAULT_UP = 1 }; /* to the board, from it */
#define FAULT_BYTES_MAX 2U                       /* that may become of one */

struct faults {
  struct {
    bool on;
    uint64_t number;
    uint64_t next[2]; /* of those that come again: bytes or transfers to the next one, per way */
    uint64_t injected;
  } kind[WEFT_VBOARD_KINDS];
  struct weft_random random[2]; /* each way its own: which of them moves first is nobody's choice */
  uint64_t bytes[2], transfers;
};

void faults_begin(struct faults *f, const struct weft_vboard_options *options);
bool faults_on(const struct faults *f, enum weft_vboard_fault_kind kind);
/* A byte on its way; returns how many leave in its place. */
unsigned faults_byte(struct faults *f, enum fault_way way, uint8_t byte, uint8_t out[FAULT_BYTES_MAX]);
/* A bulk transfer begins: true if it stalls. */
bool faults_stall(struct faults *f, enum fault_way way);
/* How many of so many bytes a packet takes; of two or more it may be none. */
size_t faults_packet(struct faults *f, size_t count);
/* What comes once has come: each of the first two says so once. */
bool faults_unplugs(struct faults *f);
bool faults_sticks(struct faults *f);
bool faults_hangs(const struct faults *f);
void faults_count_transfer(struct faults *f); /* one is done */

/* other_version.c: of what comes from the board, hellos are those of another board. Holds bytes back until it knows; returns
 * how many go on. */
struct other_version {
  struct weft_host_receiver receiver;
};
size_t other_version_byte(struct other_version *o, struct faults *f, uint8_t byte,
                          uint8_t out[WEFT_HOST_FRAME_MAX]);

#endif
