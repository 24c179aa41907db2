/* SPDX-License-Identifier: Apache-2.0 */
#include "packetizer.h"

/* ---------------------------------------------------------------- plain writes */

/* `from` and the masks count bytes of the line here. */
static bool next_run_of_line(const uint64_t mask[2], unsigned line, uint32_t *from, unsigned *start,
                             unsigned *length)
{
  struct weft_enables e = weft_line_in_block(mask, line, 0);
  if (!weft_next_run(&e, *from, start, length))
    return false;
  *from = *start + *length;
  return true;
}

static void set_ones(uint64_t mask[2], unsigned start, unsigned length)
{
  mask[0] = mask[1] = 0;
  for (unsigned i = start; i < start + length; i++)
    mask[i >> 6] |= weft_bit(i & 63U);
}

bool weft_next_plain(const struct weft_req *store, unsigned line, uint32_t *from, struct weft_req *out)
{
  unsigned start, length;
  bool empty = !store->mask[0] && !store->mask[1];
  if (!(empty && *from == 0) && !next_run_of_line(store->mask, line, from, &start, &length))
    return false;
  memcpy(out, store, sizeof *out);
  if (empty) {
    *from = line;
    return true;
  }
  set_ones(out->mask, start, length);
  uint32_t next = *from;
  if (next_run_of_line(store->mask, line, &next, &start, &length))
    out->func = 0; /* under leases the last one is answered */
  return true;
}

/* One line of a block as a WRITE. */
static void line_of_block(const struct weft_write_queue *q, unsigned dst, const struct weft_queue_block *b,
                          unsigned place, struct weft_req *out)
{
  memset(out, 0, sizeof *out);
  out->kind = WEFT_REQ_KIND_WRITE;
  out->src = (uint8_t)q->self;
  out->dst = (uint8_t)dst;
  out->address = (b->block << WEFT_BLOCK_SHIFT) + place;
  if (q->line == WEFT_BLOCK) {
    out->mask[0] = b->enable.bit[0];
    out->mask[1] = b->enable.bit[1];
  } else {
    out->mask[0] = b->enable.bit[place >> 6] >> (place & 63U) & weft_ones(q->line);
  }
  memcpy(out->data, b->data + place, q->line);
}

/* `from` counts bytes of the block. */
static bool pop_plain(struct weft_packetizer *s, const struct weft_write_queue *q, unsigned dst,
                      unsigned which, struct weft_req *out)
{
  const struct weft_queue_set *set = weft_queue_set(q, dst, which);
  for (; s->block < set->used; s->block++, s->from = 0) {
    const struct weft_queue_block *b = &weft_queue_blocks(q, dst, which)[s->block];
    while (s->from < WEFT_BLOCK) {
      uint32_t place = s->from & ~(q->line - 1U), in_line = s->from - place;
      struct weft_req line;
      line_of_block(q, dst, b, place, &line);
      bool any = (line.mask[0] || line.mask[1]) && weft_next_plain(&line, q->line, &in_line, out);
      s->from = any ? place + in_line : place + q->line;
      if (any)
        return true;
    }
  }
  return false;
}

/* ---------------------------------------------------------------- packets */

static void count_packet(const struct weft_queue_set *set, struct weft_egress_count *count)
{
  count->packets = 1;
  count->payload = (uint16_t)set->payload;
  count->header = (uint8_t)(WEFT_HEADER_BYTES + (set->prefix ? WEFT_PREFIX_BYTES : 0));
  count->framing = WEFT_FRAMING_BYTES;
  count->padding = (uint8_t)(weft_padded(set->payload) - set->payload);
  count->subs = (uint16_t)set->runs;
  uint8_t *const bins[] = { &count->subs_1,  &count->subs_2,  &count->subs_4,  &count->subs_8,
                            &count->subs_16, &count->subs_32, &count->subs_64, &count->subs_128 };
  unsigned power = 31U - (unsigned)__builtin_clz(set->runs);
  *bins[power < 7 ? power : 7] = 1;
}

static void head(const struct weft_write_queue *q, unsigned dst, const struct weft_queue_set *set,
                 struct weft_req *out)
{
  memset(out, 0, sizeof *out);
  out->kind = WEFT_REQ_KIND_PACKET;
  out->src = (uint8_t)q->self;
  out->dst = (uint8_t)dst;
  out->wide = (uint8_t)set->prefix;
  out->address = set->base;
  out->data[0] = (uint8_t)set->payload;
  out->data[1] = (uint8_t)(set->payload >> 8);
}

/* Up to `room` bytes of the payload; moves on. */
static unsigned fill(struct weft_packetizer *s, const struct weft_queue_set *set,
                     const struct weft_queue_block *blocks, uint8_t *to, unsigned room)
{
  unsigned done = 0, start, length;
  while (done < room && s->block < set->used) {
    const struct weft_queue_block *b = &blocks[s->block];
    if (!weft_next_run(&b->enable, s->from, &start, &length)) {
      s->block++;
      s->from = 0;
      continue;
    }
    uint8_t encoded[WEFT_SUB_HEADER_MAX + WEFT_BLOCK];
    weft_put_sub_header(encoded, set->sub_header, (b->block << WEFT_BLOCK_SHIFT) + start - set->base, length);
    memcpy(encoded + set->sub_header, b->data + start, length);
    unsigned left = set->sub_header + length - s->skip, take = left < room - done ? left : room - done;
    memcpy(to + done, encoded + s->skip, take);
    done += take;
    s->skip = take < left ? s->skip + take : 0;
    s->from = take < left ? s->from : start + length;
  }
  return done;
}

static bool pop_packet(struct weft_packetizer *s, const struct weft_write_queue *q, unsigned dst,
                       unsigned which, struct weft_req *out, struct weft_egress_count *count)
{
  const struct weft_queue_set *set = weft_queue_set(q, dst, which);
  if (!s->begun) {
    s->begun = 1;
    head(q, dst, set, out);
    count_packet(set, count);
    return true;
  }
  if (s->sent == set->payload)
    return false;
  memset(out, 0, sizeof *out);
  out->kind = WEFT_REQ_KIND_CHUNK;
  out->src = (uint8_t)q->self;
  out->dst = (uint8_t)dst;
  unsigned bytes = fill(s, set, weft_queue_blocks(q, dst, which), out->data, q->line);
  set_ones(out->mask, 0, bytes);
  s->sent += bytes;
  out->id = s->sent == set->payload;
  return true;
}

bool weft_packetizer_pop(struct weft_packetizer *s, const struct weft_write_queue *q, unsigned dst,
                         unsigned which, struct weft_req *out, struct weft_egress_count *count)
{
  if (!weft_packetizer_plain(weft_queue_set(q, dst, which)))
    return pop_packet(s, q, dst, which, out, count);
  bool any = pop_plain(s, q, dst, which, out);
  count->plain = any;
  return any;
}
