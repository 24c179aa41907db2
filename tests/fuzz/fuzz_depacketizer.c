/* SPDX-License-Identifier: Apache-2.0 */
/* Packets: whatever the bytes, a malformed packet is dropped whole and counted, a well-formed one gives exactly its
 * stores, and the de-packetizer goes on. The same inputs are played to the RTL by tests/ingress/test_depacketizer.py.
 *
 * An input: sub-header size, what is wrong (1: base of another node, 2: a message), change of the declared length, which
 * message, how; three bytes of base; the payload. */
#include <stdlib.h>

#include "depacketizer.h"

#define SELF 1U
#define MEMORY 65536U
#define CHUNKS 130U

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size);

struct input {
  unsigned sub_header, line, count;
  uint64_t base;
  struct weft_req message[CHUNKS + 4U];
};

static struct weft_req chunk(const uint8_t *payload, unsigned bytes, unsigned line)
{
  struct weft_req m = { .kind = WEFT_REQ_KIND_CHUNK, .src = 3, .dst = SELF, .id = bytes <= line };
  unsigned here = bytes < line ? bytes : line;
  memcpy(m.data, payload, here);
  for (unsigned i = 0; i < here; i++)
    m.mask[i >> 6] |= weft_bit(i & 63U);
  return m;
}

static void keep_below(uint64_t mask[2], unsigned n)
{
  mask[0] &= weft_ones(n);
  mask[1] &= n > 64 ? weft_ones(n - 64) : 0;
}

static void insert(struct input *in, unsigned at, struct weft_req m)
{
  memmove(in->message + at + 1, in->message + at, (in->count - at) * sizeof m);
  in->message[at] = m;
  in->count++;
}

/* One message of the packet is not as it should be. */
static void spoil(struct input *in, unsigned at, unsigned how)
{
  struct weft_req *victim = &in->message[at];
  struct weft_req other = {
    .kind = WEFT_REQ_KIND_READ, .src = 3, .dst = SELF, .address = in->base, .id = how & 63U
  };
  unsigned hole = (how >> 3) % in->line;
  switch (how % 6U) {
  case 0:
    victim->mask[hole >> 6] &= ~weft_bit(hole & 63U);
    break;
  case 1:
    victim->id ^= 1U;
    break;
  case 2:
    memmove(victim, victim + 1, (--in->count - at) * sizeof *victim);
    break;
  case 3:
    insert(in, at, other);
    break;
  case 4:
    other = *victim;
    insert(in, at, other);
    break;
  default:
    keep_below(victim->mask, how % in->line);
  }
}

static void build(struct input *in, const uint8_t *d, const uint8_t *payload, unsigned bytes)
{
  unsigned declared = (bytes + (unsigned)(int8_t)d[2]) & 0xffffU;
  in->sub_header = WEFT_SUB_HEADER_MIN + d[0] % 5U;
  in->line = 32U << (d[1] >> 2) % 3U;
  in->base = (uint64_t)(SELF + (d[1] & 1U)) << WEFT_HOME_SHIFT |
             (uint64_t)(d[5] | (unsigned)d[6] << 8 | (unsigned)d[7] << 16) << 6;
  in->message[0] =
    (struct weft_req){ .kind = WEFT_REQ_KIND_PACKET, .src = 3, .dst = SELF, .address = in->base };
  in->message[0].data[0] = (uint8_t)declared;
  in->message[0].data[1] = (uint8_t)(declared >> 8);
  in->count = 1;
  for (unsigned at = 0; at < bytes; at += in->line)
    in->message[in->count++] = chunk(payload + at, bytes - at, in->line);
  if (d[1] & 2U && d[3] < in->count)
    spoil(in, d[3], d[4]);
}

/* Bytes of all stores of a packet that nothing is wrong with, else 0: a second opinion. */
static unsigned promised(const struct input *in, const uint8_t *payload, unsigned bytes)
{
  unsigned at = 0, sum = 0;
  uint64_t reach = 1;
  for (unsigned i = 0; i < 8U * in->sub_header - 10U && i < 36U; i++)
    reach *= 2;
  while (at < bytes) {
    uint64_t header = 0;
    if (bytes - at < in->sub_header)
      return 0;
    for (unsigned i = in->sub_header; i > 0; i--)
      header = header * 256U + payload[at + i - 1U];
    uint64_t length = header % 1024U, end = header / 1024U + length;
    at += in->sub_header + (unsigned)length;
    if (length == 0 || end > reach || at > bytes || (in->base % weft_bit(36)) + end > MEMORY)
      return 0;
    sum += (unsigned)length;
  }
  return sum;
}

static void must(bool holds)
{
  if (!holds)
    abort();
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
  static struct input in;
  static struct weft_depacketizer d;
  static struct weft_config config;
  uint8_t first[8] = { 0 };
  memcpy(first, data, size < 8 ? size : 8);
  const uint8_t *payload = size > 8 ? data + 8 : first;
  unsigned bytes = size > 8 + WEFT_PAYLOAD_MAX ? WEFT_PAYLOAD_MAX : size > 8 ? (unsigned)size - 8U : 0;
  build(&in, first, payload, bytes);
  config.memory_bytes = MEMORY;
  config.line = in.line;
  config.egress_sub_header = in.sub_header;
  weft_depacketizer_reset(&d, &config, SELF);

  unsigned malformed = 0, packets = 0, out = 0, others = 0;
  struct weft_ingress_count count;
  struct weft_req m;
  for (unsigned i = 0; i < in.count; i++) {
    must(weft_depacketizer_step(&d, &in.message[i], &count) == NULL);
    malformed += count.malformed;
    packets += count.packets;
    while (weft_depacketizer_pop(&d, &m, &count)) {
      must(m.kind == WEFT_REQ_KIND_WRITE || m.kind == WEFT_REQ_KIND_READ);
      must(m.kind != WEFT_REQ_KIND_WRITE || weft_offset_of(m.address) + in.line <= MEMORY);
      others += m.kind == WEFT_REQ_KIND_READ;
      out += count.bytes;
    }
  }
  bool spoiled = first[1] & 2U && first[3] <= (bytes + in.line - 1U) / in.line;
  if (!spoiled) { /* what a message more or less does is seen by the RTL beside it */
    bool whole = promised(&in, payload, bytes) && first[2] == 0 && !(first[1] & 1U);
    must(packets == whole && malformed == (!whole && bytes != 0));
    must(out == (whole ? promised(&in, payload, bytes) : 0) && others == 0);
  }
  must(packets || out == 0);
  /* A packet without its end is dropped for what comes next, and that is whole. */
  struct weft_req last = { .kind = WEFT_REQ_KIND_MARKER, .dst = SELF };
  must(weft_depacketizer_step(&d, &last, &count) == NULL);
  must(weft_depacketizer_pop(&d, &m, &count) && m.kind == WEFT_REQ_KIND_MARKER);
  must(weft_depacketizer_idle(&d));
  return 0;
}
