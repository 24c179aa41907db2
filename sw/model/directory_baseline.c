/* SPDX-License-Identifier: Apache-2.0 */
/* The baseline: one line per entry, one bit for every sharer. */
#include "directory_policy.h"

static struct weft_directory_change step(uint64_t *fields, const struct weft_directory_request *r)
{
  uint16_t sharers = (uint16_t)fields[0];
  struct weft_directory_change change = { .cause = WEFT_CAUSE_WRITE };
  change.inv = weft_sharers_step(&sharers, r);
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

extern const struct weft_directory_policy weft_directory_baseline;
const struct weft_directory_policy weft_directory_baseline = { step, sharers_of };
