/* SPDX-License-Identifier: Apache-2.0 */
#include "aes_cipher.h"

#include <string.h>

#define COLUMN 4u

/* Times x in the field of FIPS 197, section 4.2.1. */
static uint8_t doubled(uint8_t b)
{
  return (uint8_t)(b << 1 ^ (b & 0x80 ? 0x1b : 0));
}

static uint8_t rotated(uint8_t b, unsigned places)
{
  return (uint8_t)(b << places | b >> (8 - places));
}

/* Section 5.1.1: the inverse, then an affine map. 3 generates the field: as `power` goes through its powers, `inverse`
 * goes through those of its inverse, 0xf6. */
void weft_aes_sbox(uint8_t sbox[WEFT_AES_SBOX])
{
  uint8_t power = 1, inverse = 1;
  do {
    power = (uint8_t)(power ^ doubled(power));
    inverse = (uint8_t)(inverse ^ inverse << 1);
    inverse = (uint8_t)(inverse ^ inverse << 2);
    inverse = (uint8_t)(inverse ^ inverse << 4);
    inverse = (uint8_t)(inverse ^ (inverse & 0x80 ? 0x09 : 0));
    sbox[power] = (uint8_t)(inverse ^ rotated(inverse, 1) ^ rotated(inverse, 2) ^ rotated(inverse, 3) ^
                            rotated(inverse, 4) ^ 0x63);
  } while (power != 1);
  sbox[0] = 0x63;
}

/* Section 5.2. */
void weft_aes_expand(const uint8_t *sbox, const uint8_t key[WEFT_AES_KEY], uint8_t keys[WEFT_AES_KEYS])
{
  uint8_t constant = 1;
  memcpy(keys, key, WEFT_AES_KEY);
  for (unsigned at = WEFT_AES_KEY; at < WEFT_AES_KEYS; at += COLUMN) {
    const uint8_t *last = keys + at - COLUMN;
    uint8_t word[COLUMN] = { last[0], last[1], last[2], last[3] };
    if (at % WEFT_AES_KEY == 0) {
      word[0] = sbox[last[1]] ^ constant;
      word[1] = sbox[last[2]];
      word[2] = sbox[last[3]];
      word[3] = sbox[last[0]];
      constant = doubled(constant);
    } else if (at % WEFT_AES_KEY == WEFT_AES_KEY / 2) {
      for (unsigned i = 0; i < COLUMN; i++)
        word[i] = sbox[word[i]];
    }
    for (unsigned i = 0; i < COLUMN; i++)
      keys[at + i] = keys[at + i - WEFT_AES_KEY] ^ word[i];
  }
}

/* SubBytes and ShiftRows: row r of column c comes from column c + r. */
static void substitute_and_shift(const uint8_t *sbox, uint8_t block[WEFT_AES_BLOCK])
{
  uint8_t old[WEFT_AES_BLOCK];
  memcpy(old, block, sizeof old);
  for (unsigned i = 0; i < WEFT_AES_BLOCK; i++)
    block[i] = sbox[old[(i + COLUMN * (i % COLUMN)) % WEFT_AES_BLOCK]];
}

static void mix_column(uint8_t *column)
{
  uint8_t first = column[0], all = column[0] ^ column[1] ^ column[2] ^ column[3];
  for (unsigned i = 0; i < COLUMN; i++) {
    uint8_t next = i + 1 < COLUMN ? column[i + 1] : first;
    column[i] = column[i] ^ all ^ doubled(column[i] ^ next);
  }
}

static void add_key(const uint8_t *key, uint8_t block[WEFT_AES_BLOCK])
{
  for (unsigned i = 0; i < WEFT_AES_BLOCK; i++)
    block[i] ^= key[i];
}

/* Section 5.1: the last round mixes no columns. */
void weft_aes_encrypt(const uint8_t *sbox, const uint8_t *keys, uint8_t block[WEFT_AES_BLOCK])
{
  add_key(keys, block);
  for (unsigned round = 1; round <= WEFT_AES_ROUNDS; round++) {
    substitute_and_shift(sbox, block);
    for (unsigned c = 0; round < WEFT_AES_ROUNDS && c < WEFT_AES_BLOCK; c += COLUMN)
      mix_column(block + c);
    add_key(keys + (size_t)WEFT_AES_BLOCK * round, block);
  }
}
