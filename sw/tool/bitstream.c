/* SPDX-License-Identifier: Apache-2.0 */
/* Is a file a whole bitstream for an ECP5? As ecppack writes it: FF 00, comments ended by a 0 each and FF, the preamble, commands (VERIFY_ID
 * among the first), and at the very end ISC_PROGRAM_DONE with four dummies behind it. What is between, the FPGA checks itself. */
#include <errno.h>
#include <string.h>

#include "boards.h"

#define HEAD_BYTES 1024U

static const uint8_t preamble[] = { 0xff, 0xff, 0xbd, 0xb3 };
static const uint8_t ending[] = { 0x5e, 0, 0, 0, 0xff, 0xff, 0xff, 0xff };

static const uint8_t *find(const uint8_t *in, size_t count, const void *what, size_t length)
{
  for (size_t i = 0; i + length <= count; i++)
    if (!memcmp(in + i, what, length))
      return in + i;
  return NULL;
}

/* "Part: LFE5U-85F-6CABGA381" */
static void read_part(const uint8_t *head, size_t count, char *part, size_t size)
{
  const uint8_t *at = find(head, count, "Part: ", 6);
  part[0] = 0;
  if (at)
    snprintf(part, size, "%.*s", (int)(count - (size_t)(at + 6 - head)), (const char *)at + 6);
}

int bitstream_check(const char *path, char *part, size_t size)
{
  uint8_t head[HEAD_BYTES + 1] = { 0 }, tail[sizeof ending] = { 0 };
  FILE *file = fopen(path, "re");
  if (!file)
    return complain(EXIT_LACKS, "cannot read %s: %s\nname a bitstream: `make fpga` builds one", path,
                    strerror(errno));
  size_t count = fread(head, 1, HEAD_BYTES, file);
  bool last = !fseek(file, -(long)sizeof tail, SEEK_END) && fread(tail, sizeof tail, 1, file) == 1;
  fclose(file);
  if (count < 2 || head[0] != 0xff || head[1] != 0)
    return complain(
      EXIT_LACKS, "%s is no bitstream for an ECP5: it does not begin like one\n`make fpga` builds one", path);
  if (!find(head, count, preamble, sizeof preamble) || !last || memcmp(tail, ending, sizeof ending) != 0)
    return complain(
      EXIT_LACKS,
      "%s is cut short: a bitstream ends otherwise\nbuild or copy it again; the board is as it was", path);
  read_part(head, count, part, size);
  return -1;
}
