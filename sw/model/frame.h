/* SPDX-License-Identifier: Apache-2.0 */
/* What a link puts around a transaction layer packet (docs/wire.md): a token in front, a CRC behind. */
#ifndef WEFT_FRAME_H
#define WEFT_FRAME_H

#include "tlp.h"

#define WEFT_FRAME_AROUND 2U /* words: token and LCRC */
#define WEFT_FRAME_WORDS_MIN (WEFT_FRAME_AROUND + 4U)
#define WEFT_FRAME_WORDS_MAX (WEFT_FRAME_AROUND + WEFT_TLP_WORDS_MAX)
#define WEFT_SEQUENCE_BITS 12U
#define WEFT_SEQUENCE_MASK 0xfffU

/* The token of a frame of so many words, token and LCRC included. */
uint32_t weft_frame_token(unsigned words, unsigned sequence);
/* False: not the token of a frame that can be. */
bool weft_frame_read_token(uint32_t token, unsigned *words, unsigned *sequence);

/* CRC-32 (that of Ethernet) over the words' bytes in the order of the wire. */
uint32_t weft_frame_crc(const uint32_t *words, unsigned count);
/* One word of it; begins with WEFT_FRAME_CRC_BEGIN, its complement at the end is the CRC. */
#define WEFT_FRAME_CRC_BEGIN 0xffffffffU
uint32_t weft_frame_crc_step(uint32_t crc, uint32_t word);

/* Puts token and LCRC around `count` words that stand at frame + 1; returns the frame's words. */
unsigned weft_frame_close(uint32_t *frame, unsigned count, unsigned sequence);

#endif
