/* SPDX-License-Identifier: Apache-2.0 */
/* AES-256 (FIPS 197), a block at a time, byte by byte, with a table for the substitution. */
#ifndef WEFT_AES_CIPHER_H
#define WEFT_AES_CIPHER_H

#include <stdint.h>

#define WEFT_AES_ROUNDS 14u
#define WEFT_AES_BLOCK 16u
#define WEFT_AES_KEY 32u
#define WEFT_AES_KEYS (WEFT_AES_BLOCK * (WEFT_AES_ROUNDS + 1)) /* bytes of all rounds' keys */
#define WEFT_AES_SBOX 256u

void weft_aes_sbox(uint8_t sbox[WEFT_AES_SBOX]);
void weft_aes_expand(const uint8_t *sbox, const uint8_t key[WEFT_AES_KEY], uint8_t keys[WEFT_AES_KEYS]);
void weft_aes_encrypt(const uint8_t *sbox, const uint8_t *keys, uint8_t block[WEFT_AES_BLOCK]);

#endif
