/* SPDX-License-Identifier: Apache-2.0 */
/* The region that the program works on, and the program, phase by phase. */
#include <inttypes.h>
#include <stdlib.h>
#include <string.h>

#include "mix.h"

#define OPS_PER_PHASE 24u /* of a warp */
#define DEFAULT_OPS 20000u
#define MOST_OPS (UINT64_C(1) << 25)
#define DENSE_LINES 12u
#define DENSE_AT 512u /* in a node's first block */
#define BLOCKS_MOST 8u
#define BLOCKS_LEAST 2u

uint32_t weft_mix_mailbox(const struct weft_mix *m, unsigned warp)
{
  return m->mail + warp * 2 * m->line;
}

uint32_t weft_mix_lock(const struct weft_mix *m, unsigned number)
{
  return m->locks + number * 2 * m->line;
}

/* Some hot lines lie side by side. Others lie at the same few places of every block, so that they meet in the
 * same sets of caches and directory and push one another out. */
static bool choose_lines(struct weft_mix *m)
{
  unsigned all = m->nodes * m->blocks;
  m->hot = calloc(all * 4 + m->nodes * DENSE_LINES, sizeof *m->hot);
  for (unsigned b = 0; m->hot && b < all; b++) {
    uint32_t start = b * WEFT_MIX_BLOCK;
    for (unsigned k = 0; k < 4; k++)
      m->hot[m->hot_count++] = start + (k & 2 ? WEFT_MIX_BLOCK / 2 : 0) + (k & 1) * m->line;
    for (unsigned k = 0; b < m->nodes && k < DENSE_LINES; k++)
      m->hot[m->hot_count++] = start + DENSE_AT + k * m->line;
  }
  return m->hot;
}
_Static_assert(DENSE_AT + DENSE_LINES * 128 <= WEFT_MIX_BLOCK / 2, "dense lines run into the others");

static uint32_t round_up(uint64_t bytes)
{
  return (uint32_t)((bytes + WEFT_MIX_BLOCK - 1) / WEFT_MIX_BLOCK * WEFT_MIX_BLOCK);
}

static int make_region(struct weft_job *job, struct weft_mix *m)
{
  const struct weft_machine *machine = &job->machine;
  m->line = machine->line;
  m->nodes = machine->nodes;
  m->warps = machine->nodes * machine->cus * machine->warps;
  uint64_t blocks = machine->memory / WEFT_MIX_BLOCK / 4;
  m->blocks = blocks > BLOCKS_MOST ? BLOCKS_MOST : blocks < BLOCKS_LEAST ? BLOCKS_LEAST : (unsigned)blocks;
  m->mail = m->nodes * m->blocks * WEFT_MIX_BLOCK;
  m->locks = m->mail + round_up((uint64_t)m->warps * 2 * m->line);
  m->bytes = m->locks + round_up(WEFT_MIX_LOCKS * 2 * m->line);
  m->memory = calloc(1, m->bytes);
  m->program = calloc(m->warps, sizeof *m->program);
  m->sent = calloc(m->warps, sizeof *m->sent);
  if (!choose_lines(m) || !m->memory || !m->program || !m->sent)
    return weft_fail_memory(job->w);
  m->cell = calloc(m->hot_count * (m->line / 8), sizeof *m->cell);
  return m->cell ? WEFT_OK : weft_fail_memory(job->w);
}

static void fill_region(struct weft_mix *m)
{
  for (uint32_t i = 0; i < m->mail; i += 8) {
    uint64_t value = weft_random_next(&m->random);
    memcpy(m->memory + i, &value, 8);
  }
}

/* Everybody sends in the first half and receives in the second, so nobody waits for one who waits. */
static void plan_warp(struct weft_mix *m, unsigned warp)
{
  for (unsigned i = 0; i < OPS_PER_PHASE; i++) {
    if (i == OPS_PER_PHASE / 3)
      weft_mix_send(m, warp);
    if (i == 2 * OPS_PER_PHASE / 3)
      weft_mix_receive(m, warp);
    /* On both sides of a barrier the same line: a copy that should be gone would still be there. */
    if (i == 0 || i == OPS_PER_PHASE - 1)
      weft_mix_look(m, warp);
    else
      weft_mix_any(m, warp);
  }
  weft_mix_barrier(m, warp);
}

static void plan_phase(struct weft_mix *m)
{
  m->shift = m->warps > 1 ? 1 + weft_random_below(&m->random, m->warps - 1) : 0;
  for (unsigned i = 0; i < m->warps; i++)
    m->sent[i] = weft_random_next(&m->random);
  weft_mix_cast(m);
  for (unsigned i = 0; i < m->warps; i++)
    plan_warp(m, i);
}

int weft_mix_plan(struct weft_job *job, struct weft_mix *m, uint8_t **start)
{
  memset(m, 0, sizeof *m);
  m->random = weft_random_stream(job->seed, WEFT_STREAM_PLAN);
  if (!job->size)
    job->size = DEFAULT_OPS;
  if (job->size > MOST_OPS)
    return weft_job_bad_size(job, 1, MOST_OPS);
  int code = make_region(job, m);
  if (code)
    return code;
  fill_region(m);
  *start = malloc(m->bytes);
  if (!*start)
    return weft_fail_memory(job->w);
  memcpy(*start, m->memory, m->bytes);
  uint64_t per_phase = (uint64_t)m->warps * OPS_PER_PHASE;
  m->phases = (job->size + per_phase - 1) / per_phase + 1; /* the last one rereads what the others left */
  for (m->phase = 0; m->phase < m->phases && !m->out_of_memory; m->phase++)
    plan_phase(m);
  return m->out_of_memory ? weft_fail_memory(job->w) : WEFT_OK;
}

void weft_mix_free(struct weft_mix *m)
{
  for (unsigned i = 0; m->program && i < m->warps; i++)
    free(m->program[i].op);
  free(m->program);
  free(m->pool);
  free(m->memory);
  free(m->sent);
  free(m->cell);
  free(m->hot);
  memset(m, 0, sizeof *m);
}
