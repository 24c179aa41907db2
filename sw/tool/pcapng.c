/* SPDX-License-Identifier: Apache-2.0 */
/* pcapng, as draft-ietf-opsawg-pcapng describes it: blocks of {type, length, body, length}, each a multiple of 4 bytes,
 * little-endian on every machine. */
#include <string.h>

#include "tool.h"

enum block { SECTION_HEADER = 0x0a0d0d0a, INTERFACE_DESCRIPTION = 1, ENHANCED_PACKET = 6 };
enum { SHB_HARDWARE = 2, SHB_USERAPPL = 4, IF_NAME = 2, IF_DESCRIPTION = 3, IF_SPEED = 8, IF_TSRESOL = 9 };
#define BYTE_ORDER_MAGIC 0x1a2b3c4dU
#define NANOSECONDS 9U /* a time's unit is 10^-9 s */

static void put(FILE *file, uint64_t value, unsigned bytes)
{
  for (unsigned i = 0; i < bytes; i++)
    putc_unlocked((int)(value >> (8U * i) & 0xffU), file);
}

static uint32_t padded(size_t bytes)
{
  return (uint32_t)((bytes + 3U) & ~(size_t)3U);
}

static void put_bytes(FILE *file, const void *bytes, size_t count)
{
  fwrite(bytes, 1, count, file);
  put(file, 0, padded(count) - (unsigned)count);
}

static void put_option(FILE *file, unsigned code, const void *bytes, size_t count)
{
  put(file, code, 2);
  put(file, count, 2);
  put_bytes(file, bytes, count);
}

static uint32_t option_bytes(size_t count)
{
  return 4U + padded(count);
}

#define END_OF_OPTIONS 4U

void pcapng_begin(FILE *file, const char *hardware, const char *application)
{
  size_t first = strlen(hardware), second = strlen(application);
  uint32_t length = 28U + option_bytes(first) + option_bytes(second) + END_OF_OPTIONS;
  put(file, SECTION_HEADER, 4);
  put(file, length, 4);
  put(file, BYTE_ORDER_MAGIC, 4);
  put(file, 1, 2); /* version 1.0 */
  put(file, 0, 2);
  put(file, UINT64_MAX, 8); /* how long the section is, is not said */
  put_option(file, SHB_HARDWARE, hardware, first);
  put_option(file, SHB_USERAPPL, application, second);
  put(file, 0, END_OF_OPTIONS);
  put(file, length, 4);
}

void pcapng_interface(FILE *file, const char *name, const char *about, uint64_t speed)
{
  size_t first = strlen(name), second = strlen(about);
  uint32_t length =
    20U + option_bytes(first) + option_bytes(second) + option_bytes(8) + option_bytes(1) + END_OF_OPTIONS;
  uint8_t resolution = NANOSECONDS;
  put(file, INTERFACE_DESCRIPTION, 4);
  put(file, length, 4);
  put(file, PCAPNG_USER0, 2);
  put(file, 0, 2);
  put(file, 0, 4); /* packets are never cut off */
  put_option(file, IF_NAME, name, first);
  put_option(file, IF_DESCRIPTION, about, second);
  put(file, IF_SPEED, 2);
  put(file, 8, 2);
  put(file, speed, 8);
  put_option(file, IF_TSRESOL, &resolution, 1);
  put(file, 0, END_OF_OPTIONS);
  put(file, length, 4);
}

void pcapng_packet(FILE *file, uint32_t interface, uint64_t nanoseconds, const uint8_t *head,
                   uint32_t head_bytes, const uint8_t *bytes, uint32_t count)
{
  uint32_t all = head_bytes + count, length = 32U + padded(all);
  put(file, ENHANCED_PACKET, 4);
  put(file, length, 4);
  put(file, interface, 4);
  put(file, nanoseconds >> 32, 4);
  put(file, nanoseconds & UINT32_MAX, 4);
  put(file, all, 4);
  put(file, all, 4);
  fwrite(head, 1, head_bytes, file);
  fwrite(bytes, 1, count, file);
  put(file, 0, padded(all) - all);
  put(file, length, 4);
}
