/* SPDX-License-Identifier: Apache-2.0 */
#include "depacketizer.h"

size_t weft_depacketizer_size(const struct weft_config *c)
{
  (void)c;
  return sizeof(struct weft_depacketizer);
}

void weft_depacketizer_reset(struct weft_depacketizer *d, const struct weft_config *c, unsigned self)
{
  memset(d, 0, sizeof *d);
  d->memory = c->memory_bytes;
  d->line = (uint32_t)c->line;
  d->sub_header = (uint32_t)c->egress_sub_header;
  d->self = self;
}

/* ---------------------------------------------------------------- what is well-formed */

const char *weft_payload_wrong(const uint8_t *payload, unsigned bytes, unsigned sub_header, uint64_t base,
                               uint64_t memory)
{
  uint64_t reach = weft_bit(weft_window_bits(sub_header)), offset;
  unsigned length, at = 0;
  if (bytes == 0)
    return "a packet without payload";
  for (; at < bytes; at += sub_header + length) {
    if (at + sub_header > bytes)
      return "a sub-header that is cut short";
    weft_get_sub_header(payload + at, sub_header, &offset, &length);
    if (length == 0)
      return "a store of no bytes";
    if (offset + length > reach || weft_offset_of(base) + offset + length > memory)
      return "a store beyond the window";
  }
  return at == bytes ? NULL : "data that is cut short";
}

/* ---------------------------------------------------------------- in */

static struct weft_arriving *newest(struct weft_depacketizer *d)
{
  return &d->packet[(d->head + d->whole) % WEFT_PACKETS];
}

static void drop(struct weft_depacketizer *d, struct weft_ingress_count *count)
{
  memset(newest(d), 0, sizeof(struct weft_arriving)); /* equal states must be equal bytes */
  d->open = 0;
  count->malformed++;
}

static void close_packet(struct weft_depacketizer *d, struct weft_ingress_count *count)
{
  struct weft_arriving *p = newest(d);
  bool good = !p->broken && p->bytes == p->declared && weft_home_of(p->base) == d->self &&
              !weft_payload_wrong(p->payload, p->bytes, d->sub_header, p->base, d->memory);
  if (!good) {
    drop(d, count);
    return;
  }
  d->open = 0;
  d->whole++;
  count->packets = 1;
}

static const char *take_head(struct weft_depacketizer *d, const struct weft_req *in,
                             struct weft_ingress_count *count)
{
  if (d->open)
    drop(d, count);
  if (d->whole == WEFT_PACKETS)
    return "depacketizer: a packet while two are still here";
  struct weft_arriving *p = newest(d);
  p->base = in->address;
  p->src = in->src;
  p->declared = in->data[0] | (uint32_t)in->data[1] << 8;
  p->broken = p->declared > WEFT_PAYLOAD_MAX;
  d->open = 1;
  return NULL;
}

/* All chunks but the last are full; the bytes of the last are the first ones. */
static void take_chunk(struct weft_depacketizer *d, const struct weft_req *in,
                       struct weft_ingress_count *count)
{
  if (!d->open) {
    count->malformed++;
    return;
  }
  struct weft_arriving *p = newest(d);
  struct weft_enables e = weft_line_in_block(in->mask, d->line, 0);
  unsigned start, bytes, last = in->id & 1U;
  weft_next_run(&e, 0, &start, &bytes);
  if (weft_runs(&e) != 1 || start != 0 || (!last && bytes != d->line) || p->bytes + bytes > p->declared)
    p->broken = 1;
  if (!p->broken) {
    memcpy(p->payload + p->bytes, in->data, bytes);
    p->bytes += bytes;
  }
  if (last)
    close_packet(d, count);
}

const char *weft_depacketizer_step(struct weft_depacketizer *d, const struct weft_req *in,
                                   struct weft_ingress_count *count)
{
  memset(count, 0, sizeof *count);
  if (d->passes)
    return "depacketizer: a message while another one passes";
  if (in->kind == WEFT_REQ_KIND_PACKET)
    return take_head(d, in, count);
  if (in->kind == WEFT_REQ_KIND_CHUNK) {
    take_chunk(d, in, count);
    return NULL;
  }
  if (d->open)
    drop(d, count);
  if (d->whole)
    return "depacketizer: a message before the stores of an earlier packet";
  memcpy(&d->passing, in, sizeof *in);
  d->passes = 1;
  return NULL;
}

/* ---------------------------------------------------------------- out */

static void leave(struct weft_depacketizer *d)
{
  memset(&d->packet[d->head], 0, sizeof(struct weft_arriving));
  d->head = (d->head + 1U) % WEFT_PACKETS;
  d->whole--;
  d->at = 0;
}

static void pop_store(struct weft_depacketizer *d, struct weft_req *out, struct weft_ingress_count *count)
{
  const struct weft_arriving *p = &d->packet[d->head];
  uint64_t offset;
  unsigned length;
  weft_get_sub_header(p->payload + d->at, d->sub_header, &offset, &length);
  uint64_t address = p->base + offset + d->done;
  unsigned place = (unsigned)address & (d->line - 1U), left = length - d->done;
  unsigned bytes = left < d->line - place ? left : d->line - place;
  memset(out, 0, sizeof *out);
  out->kind = WEFT_REQ_KIND_WRITE;
  out->src = (uint8_t)p->src;
  out->dst = (uint8_t)d->self;
  out->address = address - place;
  for (unsigned i = place; i < place + bytes; i++)
    out->mask[i >> 6] |= weft_bit(i & 63U);
  memcpy(out->data + place, p->payload + d->at + d->sub_header + d->done, bytes);
  count->stores = 1;
  count->bytes = (uint8_t)bytes;
  d->done += bytes;
  if (d->done < length)
    return;
  d->done = 0;
  d->at += d->sub_header + length;
  if (d->at == p->bytes)
    leave(d);
}

bool weft_depacketizer_pop(struct weft_depacketizer *d, struct weft_req *out,
                           struct weft_ingress_count *count)
{
  memset(count, 0, sizeof *count);
  if (d->whole) {
    pop_store(d, out, count);
    return true;
  }
  if (!d->passes)
    return false;
  memcpy(out, &d->passing, sizeof *out);
  memset(&d->passing, 0, sizeof d->passing);
  d->passes = 0;
  return true;
}
