/* SPDX-License-Identifier: Apache-2.0 */
/* REC (section 4, Figure 9): a range of lines per entry. Line i has the bits from i x (sharers + 1) on: its
 * position bit, which says that somebody may hold it, then one bit for every sharer. */
#include "directory_policy.h"

static unsigned place_of(const struct weft_directory_shape *shape, unsigned position)
{
  return position * (shape->sharers + 1U);
}

/* The position bit and the sharers of a line, which may lie across two words. */
static uint32_t bits_at(const uint64_t *fields, unsigned at, unsigned width)
{
  unsigned shift = at % 64U;
  uint64_t bits = fields[at / 64U] >> shift;
  if (shift + width > 64U)
    bits |= fields[at / 64U + 1U] << (64U - shift);
  return (uint32_t)bits & ((1U << width) - 1U);
}

static void set_bits(uint64_t *fields, unsigned at, unsigned width, uint32_t bits)
{
  for (unsigned i = 0; i < width; i++) {
    uint64_t bit = UINT64_C(1) << (at + i) % 64U, *word = &fields[(at + i) / 64U];
    *word = bits >> i & 1U ? *word | bit : *word & ~bit;
  }
}

static uint16_t sharers_of(const uint64_t *fields, const struct weft_directory_shape *shape,
                           unsigned position)
{
  return (uint16_t)(bits_at(fields, place_of(shape, position), shape->sharers + 1U) >> 1);
}

static bool any(const uint64_t *fields, const struct weft_directory_shape *shape)
{
  uint64_t all = 0;
  for (unsigned word = 0; word * 64U < place_of(shape, shape->lines); word++)
    all |= fields[word];
  return all != 0;
}

static struct weft_directory_change step(uint64_t *fields, const struct weft_directory_request *r)
{
  const struct weft_directory_shape *shape = &r->shape;
  uint16_t sharers = sharers_of(fields, shape, r->position);
  struct weft_directory_change change = { .cause = WEFT_CAUSE_WRITE };
  change.inv = weft_sharers_step(&sharers, r);
  set_bits(fields, place_of(shape, r->position), shape->sharers + 1U,
           (uint32_t)sharers << 1 | (uint32_t)(sharers != 0));
  change.valid = any(fields, shape);
  return change;
}

extern const struct weft_directory_policy weft_directory_rec;
const struct weft_directory_policy weft_directory_rec = { step, sharers_of };
