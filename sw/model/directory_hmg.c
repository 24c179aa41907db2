/* SPDX-License-Identifier: Apache-2.0 */
/* HMG (REC, section 2.3): four lines per entry, one bit for every sharer of any of them. */
#include "directory_policy.h"

static struct weft_directory_change step(uint64_t *fields, const struct weft_directory_request *r)
{
  uint16_t sharers = (uint16_t)fields[0];
  struct weft_directory_change change = { .cause = WEFT_CAUSE_WRITE };
  /* An atomic's requester dropped this line, but it may hold others of the block: it stays recorded. */
  uint16_t kept = r->op == WEFT_DIR_OP_ATOMIC ? sharers & r->requester : 0;
  change.inv = weft_sharers_step(&sharers, r);
  sharers |= kept;
  fields[0] = sharers;
  change.valid = sharers != 0;
  return change;
}

static uint16_t sharers_of(const uint64_t *fields, const struct weft_directory_shape *shape,
                           unsigned position)
{
  (void)shape;
  (void)position;
  return (uint16_t)fields[0];
}

extern const struct weft_directory_policy weft_directory_hmg;
const struct weft_directory_policy weft_directory_hmg = { step, sharers_of };
