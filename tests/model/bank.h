/* SPDX-License-Identifier: Apache-2.0 */
/* An L2 bank under test: node 1 of three, `tiny` otherwise (4 sets x 2 ways of 32 B, 4 misses, 4 waiters, 2
 * releases, 2 fetches, 4 waiting requests, 2 markers), with helpers that make the inputs of its events. */
#ifndef WEFT_TEST_BANK_H
#define WEFT_TEST_BANK_H

#include "l2.h"
#include "units.h"

#define SELF 1U

struct bank {
  struct weft_config config;
  struct weft_l2 *l2;
  struct weft_l2_event out; /* effects of the last step */
  struct weft_dir_event dir;
};

/* cmocka fixtures; *state is the bank. */
int bank_setup(void **state);
int bank_teardown(void **state);
/* Makes it anew, after `config` was changed. */
void bank_rebuild(struct bank *b, uint8_t protocol);

void bank_step(struct bank *b, const struct weft_l2_event *in);
/* The event must be refused, and change nothing. */
void bank_refuses(struct bank *b, const struct weft_l2_event *in);

struct weft_l2_event bank_cu(uint8_t kind, unsigned cu, unsigned id, uint64_t address);
struct weft_l2_event bank_request(uint8_t kind, unsigned src, unsigned id, uint64_t address);
struct weft_l2_event bank_forward(uint8_t kind, unsigned src, uint64_t address);
struct weft_l2_event bank_response(uint8_t kind, unsigned src, unsigned id);
struct weft_l2_event bank_event(uint8_t kind);

/* Steps with the above. */
void bank_do_cu(struct bank *b, uint8_t kind, unsigned cu, unsigned id, uint64_t address);
void bank_do_request(struct bank *b, uint8_t kind, unsigned src, unsigned id, uint64_t address);
void bank_do(struct bank *b, uint8_t kind);
/* Memory answers fetch `index` with `byte` everywhere. */
void bank_do_memory(struct bank *b, unsigned index, uint8_t byte);

/* Brings a local line in by a read of CU 0, a remote one likewise. */
void bank_bring_local(struct bank *b, uint64_t offset, uint8_t byte);
void bank_bring_remote(struct bank *b, unsigned home, uint64_t offset, uint8_t byte);

/* No message but the named ones ("req rsp l1 mem fwd") was sent. */
void bank_expect_sent(const struct bank *b, const char *names);

#endif
