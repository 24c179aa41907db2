/* SPDX-License-Identifier: Apache-2.0 */
/* aes: a text encrypted in place with AES-256, every block for itself (Hetero-Mark's AES). The table of substitutions and
 * the rounds' keys are read by everybody; between two loads lie thousands of instructions. */
#include <inttypes.h>

#include "aes_cipher.h"
#include "fields.h"

#define DEFAULT_BLOCKS 2048u
#define MOST_BLOCKS (UINT64_C(1) << 30)
#define LANES 32u /* blocks that a warp has in hand */
#define WORDS (WEFT_AES_BLOCK / 4)

/* A round of a lane: 16 bytes looked up, moved, mixed (two doublings, four sums each) and added to the key. */
#define INSTRUCTIONS (WEFT_AES_ROUNDS * WEFT_AES_BLOCK * (4 + 10 + 2))

enum { TEXT, KEYS, SBOX, FIELDS };

struct aes {
  uint64_t blocks, seed;
  struct weft_field field[FIELDS];
};

static void do_blocks(struct weft_warp *t, const struct aes *a, uint64_t first, unsigned n)
{
  uint8_t sbox[WEFT_AES_SBOX], keys[WEFT_AES_KEYS], text[LANES][WEFT_AES_BLOCK];
  weft_address at = a->field[TEXT].at + WEFT_AES_BLOCK * first;
  weft_load_span_async(t, a->field[SBOX].at, sbox, sizeof sbox);
  weft_load_span_async(t, a->field[KEYS].at, keys, sizeof keys);
  weft_load_span_async(t, at, text, WEFT_AES_BLOCK * (size_t)n);
  weft_wait_all(t);
  for (unsigned i = 0; i < n; i++)
    weft_aes_encrypt(sbox, keys, text[i]);
  weft_compute(t, INSTRUCTIONS);
  weft_store_span(t, at, text, WEFT_AES_BLOCK * (size_t)n);
}

static void kernel(struct weft_warp *t, void *arg)
{
  const struct aes *a = arg;
  uint64_t pieces = (a->blocks + LANES - 1) / LANES;
  for (struct weft_deal d = weft_deal_to(pieces, weft_where(t)); d.piece < d.end; d.piece += d.step) {
    uint64_t left = a->blocks - d.piece * LANES;
    do_blocks(t, a, d.piece * LANES, left < LANES ? (unsigned)left : LANES);
  }
}

static void prepare(void *arg)
{
  struct aes *a = arg;
  struct weft_random random = weft_random_stream(a->seed, WEFT_STREAM_INPUT);
  uint32_t key[WEFT_AES_KEY / 4];
  for (unsigned i = 0; i < WEFT_AES_KEY / 4; i++)
    key[i] = (uint32_t)weft_random_next(&random);
  for (uint64_t i = 0; i < a->field[TEXT].count; i++)
    a->field[TEXT].wholes[i] = (uint32_t)weft_random_next(&random);
  uint8_t *sbox = (uint8_t *)a->field[SBOX].wholes;
  weft_aes_sbox(sbox);
  weft_aes_expand(sbox, (const uint8_t *)key, (uint8_t *)a->field[KEYS].wholes);
}

static void plain(void *arg)
{
  struct aes *a = arg;
  for (uint64_t i = 0; i < a->blocks; i++)
    weft_aes_encrypt((const uint8_t *)a->field[SBOX].wholes, (const uint8_t *)a->field[KEYS].wholes,
                     (uint8_t *)(a->field[TEXT].wholes + WORDS * i));
}

static int run(struct weft_job *job)
{
  if (!job->size)
    job->size = weft_job_fit(job, DEFAULT_BLOCKS, WEFT_AES_BLOCK);
  if (job->size > MOST_BLOCKS)
    return weft_job_bad_size(job, 1, MOST_BLOCKS);
  struct aes a = { job->size,
                   job->seed,
                   { [TEXT] = WEFT_WHOLES("text", WORDS * job->size),
                     [KEYS] = WEFT_WHOLES("keys", WEFT_AES_KEYS / 4),
                     [SBOX] = WEFT_WHOLES("sbox", WEFT_AES_SBOX / 4) } };
  weft_job_say(job, "%" PRIu64 " blocks of %u bytes, AES-256", a.blocks, WEFT_AES_BLOCK);
  return weft_fields_run(job, &(struct weft_fields){ a.field, FIELDS, kernel, prepare, plain, &a });
}

const struct weft_workload weft_workload_aes = {
  { "aes", "", "a text encrypted in place with AES-256, block by block", "blocks of 16 bytes" },
  run,
};
