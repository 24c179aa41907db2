/* SPDX-License-Identifier: Apache-2.0 */
/* What an FTDI chip's transfers hold: whatever the bytes, what remains is what stands behind the status bytes of each packet,
 * in order, also when it is taken out in place. The first byte chooses the packets' size. */
#include <stdlib.h>
#include <string.h>

#include "usb_ftdi.h"

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size);

static void must(bool good)
{
  if (!good)
    abort();
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
  static const size_t packets[] = { 64, 512, 8, 3, 2, 1, 0, 1024 };
  if (size == 0)
    return 0;
  size_t packet = packets[data[0] % 8], count = size - 1, given = 0;
  bool overrun = false, in_place = false, lost = false;
  uint8_t *out = malloc(count + 1), *same = malloc(count + 1);
  must(out && same);
  memcpy(same, data + 1, count);
  size_t bytes = weft_ftdi_deframe(data + 1, count, packet, out, &overrun);
  for (size_t i = 0; packet > 2 && i < count; i++) {
    if (i % packet >= 2) {
      must(given < bytes && out[given] == data[1 + i]);
      given++;
    }
    lost |= i % packet == 1 && data[1 + i] & WEFT_FTDI_OVERRUN;
  }
  must(given == bytes && lost == overrun);
  must(weft_ftdi_deframe(same, count, packet, same, &in_place) == bytes && memcmp(same, out, bytes) == 0);
  must(in_place == overrun);
  free(out);
  free(same);
  return 0;
}
