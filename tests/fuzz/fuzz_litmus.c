/* SPDX-License-Identifier: Apache-2.0 */
/* Litmus tests: whatever the bytes, the reader returns; a test that it accepts runs to a verdict, or is skipped. Flat
 * memory is sequentially consistent, so the oracle has every state that is seen on it, or says why it cannot tell. */
#include <stdlib.h>
#include <weft/litmus.h>

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size);

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
  static const struct weft_litmus_options options = { .runs = 2, .oracle = WEFT_LITMUS_ORACLE_SC };
  struct weft *w = weft_new();
  struct weft_litmus *test;
  struct weft_litmus_result result;
  if (!weft_litmus_parse(w, "fuzz", (const char *)data, size, &test)) {
    /* Accesses are checked before they are made, so the machine refuses none of them. */
    if (size < 600 && (weft_open(w, "null:tiny", NULL) || weft_litmus_run(w, test, &options, &result)))
      abort();
    if (size < 600 && result.outside)
      abort();
    weft_litmus_free(test);
  }
  weft_free(w);
  return 0;
}
