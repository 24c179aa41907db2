/* SPDX-License-Identifier: Apache-2.0 */
#include "faults.h"

#include "fault_names.h"

/* 1 to 2 N - 1, so N on average. */
static uint64_t distance(struct faults *f, enum weft_vboard_fault_kind kind, enum fault_way way)
{
  return 1 + weft_random_next(&f->random[way]) % (2 * f->kind[kind].number - 1);
}

void faults_begin(struct faults *f, const struct weft_vboard_options *options)
{
  *f = (struct faults){ .random = { weft_random_stream(options->seed, FAULT_DOWN),
                                    weft_random_stream(options->seed, FAULT_UP) } };
  for (unsigned k = 0; k < WEFT_VBOARD_KINDS; k++) {
    uint64_t number = options->fault[k].number;
    f->kind[k].on = options->fault[k].on;
    f->kind[k].number = number ? number : weft_vboard_fault_names[k].number;
    for (unsigned way = 0; f->kind[k].number && way < 2; way++)
      f->kind[k].next[way] = distance(f, k, way);
  }
}

bool faults_on(const struct faults *f, enum weft_vboard_fault_kind kind)
{
  return f->kind[kind].on;
}

/* Of a kind that comes again: is it now? */
static bool comes(struct faults *f, enum weft_vboard_fault_kind kind, enum fault_way way)
{
  if (!f->kind[kind].on || --f->kind[kind].next[way])
    return false;
  f->kind[kind].next[way] = distance(f, kind, way);
  f->kind[kind].injected++;
  return true;
}

unsigned faults_byte(struct faults *f, enum fault_way way, uint8_t byte, uint8_t out[FAULT_BYTES_MAX])
{
  f->bytes[way]++;
  if (comes(f, WEFT_VBOARD_LOSE, way))
    return 0;
  out[0] = byte;
  if (comes(f, WEFT_VBOARD_FLIP, way))
    out[0] ^= (uint8_t)(1U << weft_random_below(&f->random[way], 8));
  if (!comes(f, WEFT_VBOARD_INSERT, way))
    return 1;
  out[1] = (uint8_t)weft_random_next(&f->random[way]);
  return 2;
}

bool faults_stall(struct faults *f, enum fault_way way)
{
  return comes(f, WEFT_VBOARD_STALL, way);
}

size_t faults_packet(struct faults *f, size_t count)
{
  if (count < 2 || !comes(f, WEFT_VBOARD_SHORT, FAULT_UP))
    return count;
  return weft_random_below(&f->random[FAULT_UP], (uint32_t)count);
}

/* Of a kind that comes once. */
static bool comes_once(struct faults *f, enum weft_vboard_fault_kind kind, uint64_t count)
{
  if (!f->kind[kind].on || f->kind[kind].injected || count < f->kind[kind].number)
    return false;
  f->kind[kind].injected = 1;
  return true;
}

bool faults_unplugs(struct faults *f)
{
  return comes_once(f, WEFT_VBOARD_UNPLUG, f->bytes[FAULT_DOWN] + f->bytes[FAULT_UP]);
}

bool faults_sticks(struct faults *f)
{
  return comes_once(f, WEFT_VBOARD_STUCK, f->bytes[FAULT_UP]);
}

void faults_count_transfer(struct faults *f)
{
  f->transfers++;
  comes_once(f, WEFT_VBOARD_HANG, f->transfers);
}

bool faults_hangs(const struct faults *f)
{
  return f->kind[WEFT_VBOARD_HANG].injected;
}
