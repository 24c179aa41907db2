/* SPDX-License-Identifier: Apache-2.0 */
/* Packets off the wire: whatever the words, the decoder returns; what it accepts, the encoder writes so that it reads the
 * same again. The first byte chooses the size of a line. */
#include <stdlib.h>

#include "frame.h"

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size);

/* Encodes a decoded packet anew; a FinePack packet with its chunks. */
static unsigned encode(const struct weft_tlp *t, const uint32_t *words, unsigned line, uint32_t *again)
{
  if (t->class == WEFT_LINK_FORWARD)
    return weft_tlp_encode_fwd(&t->fwd, again);
  if (t->class == WEFT_LINK_RESPONSE)
    return weft_tlp_encode_rsp(&t->rsp, line, again);
  unsigned count = weft_tlp_encode_req(&t->req, line, again);
  struct weft_req chunk;
  if (t->req.kind == WEFT_REQ_KIND_PACKET)
    for (unsigned i = 0; weft_tlp_chunk(t, words, i, line, &chunk); i++)
      count += weft_tlp_encode_req(&chunk, line, again + count);
  return count;
}

static void must(bool good)
{
  if (!good)
    abort();
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
  static uint32_t words[WEFT_TLP_WORDS_MAX + 1U], again[WEFT_TLP_WORDS_MAX + 1U];
  static struct weft_tlp first, second;
  if (size == 0)
    return 0;
  unsigned line = 32U << data[0] % 3U, count = 0;
  for (size_t i = 1; i + 4 <= size && count < WEFT_TLP_WORDS_MAX + 1U; i += 4)
    words[count++] =
      (uint32_t)data[i] << 24 | (uint32_t)data[i + 1] << 16 | (uint32_t)data[i + 2] << 8 | data[i + 3];
  unsigned length, sequence;
  if (count)
    weft_frame_read_token(words[0], &length, &sequence);
  if (!weft_tlp_decode(words, count, line, &first))
    return 0;
  must(encode(&first, words, line, again) == count);
  must(weft_tlp_decode(again, count, line, &second));
  /* Bytes beside the enabled ones are not kept. */
  if (first.class == WEFT_LINK_REQUEST && first.req.kind == WEFT_REQ_KIND_WRITE)
    memcpy(second.req.data, first.req.data, sizeof first.req.data);
  must(memcmp(&first, &second, sizeof first) == 0);
  return 0;
}
