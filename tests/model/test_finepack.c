/* SPDX-License-Identifier: Apache-2.0 */
/* Whatever goes through queue, packetizer and de-packetizer, the memory behind them is that of plain stores: over
 * random streams, masks, shapes, sub-headers and payload limits. And the goodput is that of the closed form. */
#include <inttypes.h>

#include "depacketizer.h"
#include "egress.h"
#include "link.h"
#include "units.h"

#define MEMORY 65536U
#define NODES_MAX 4U
#define EXPECTED 256U /* loads under way at most */

/* A node's egress, and what lies behind it: a de-packetizer and a memory per destination. */
struct world {
  struct weft_config config;
  struct weft_egress *egress;
  struct weft_depacketizer far[NODES_MAX];
  uint8_t memory[NODES_MAX][MEMORY], plain[NODES_MAX][MEMORY];
  uint8_t expected[EXPECTED][WEFT_LINE_MAX]; /* what a load must find, by its number */
  unsigned loads, found;
  uint64_t stores, packets, bytes_in, merged, bytes_out, payload, subs, link;
  uint64_t random;
};

static uint32_t draw(struct world *w, uint32_t below)
{
  w->random ^= w->random << 13;
  w->random ^= w->random >> 7;
  w->random ^= w->random << 17;
  return (uint32_t)(w->random >> 16) % below;
}

static struct world *make(uint64_t seed, unsigned nodes, unsigned line, unsigned entries)
{
  struct world *w = calloc(1, sizeof *w);
  assert_non_null(w);
  w->random = seed * UINT64_C(0x9e3779b97f4a7c15) + 1;
  w->config = test_config("tiny");
  w->config.nodes = nodes;
  w->config.line = line;
  w->config.memory_bytes = MEMORY;
  w->config.egress_finepack = 1;
  w->config.egress_entries = entries;
  w->egress = malloc(weft_egress_size(&w->config));
  assert_non_null(w->egress);
  weft_egress_reset(w->egress, &w->config, 0);
  for (unsigned n = 1; n < nodes; n++)
    weft_depacketizer_reset(&w->far[n], &w->config, n);
  return w;
}

static void choose(struct world *w, struct weft_finepack settings)
{
  weft_egress_set(w->egress, &settings);
  for (unsigned n = 1; n < w->config.nodes; n++)
    weft_depacketizer_set(&w->far[n], settings.sub_header);
}

static void discard(struct world *w)
{
  free(w->egress);
  free(w);
}

/* ---------------------------------------------------------------- the far side */

static void arrive(struct world *w, unsigned node, const struct weft_req *m)
{
  uint64_t at = weft_offset_of(m->address);
  if (m->kind == WEFT_REQ_KIND_WRITE) {
    assert_true(at + w->config.line <= MEMORY);
    weft_merge(&w->memory[node][at], m->data, m->mask, (unsigned)w->config.line);
  } else if (m->kind == WEFT_REQ_KIND_READ) {
    assert_int_equal(w->found % 64U, m->id); /* in order */
    assert_memory_equal(&w->memory[node][at], w->expected[w->found++ % EXPECTED], w->config.line);
  } else if (m->kind == WEFT_REQ_KIND_MARKER) {
    assert_memory_equal(w->memory[node], w->plain[node], MEMORY);
  } else {
    assert_int_equal(m->kind, WEFT_REQ_KIND_ATOMIC);
  }
}

static unsigned cost(const struct weft_req *m)
{
  struct weft_enables e = { { m->mask[0], m->mask[1] } };
  if (m->kind == WEFT_REQ_KIND_PACKET)
    return m->wide ? 24U : 20U;
  if (m->kind == WEFT_REQ_KIND_CHUNK)
    return weft_padded(weft_enabled_bytes(&e)) + (m->id ? 4U : 0);
  assert_true(m->kind != WEFT_REQ_KIND_WRITE || weft_runs(&e) == 1); /* no holes on the link */
  return weft_link_cost_req(m);
}

/* One message over the link; false if there is none. */
static bool carry(struct world *w)
{
  struct weft_req m, far;
  struct weft_egress_count sent;
  struct weft_ingress_count got;
  if (!weft_egress_pop(w->egress, &m, &sent))
    return false;
  assert_true(m.dst != 0 && m.dst < w->config.nodes);
  assert_true(sent.payload <= w->config.egress_payload); /* sparse or not: nothing is left to split */
  w->packets += sent.packets;
  w->payload += sent.payload;
  w->subs += sent.subs;
  w->link += cost(&m);
  assert_null(weft_depacketizer_step(&w->far[m.dst], &m, &got));
  assert_int_equal(got.malformed, 0);
  while (weft_depacketizer_pop(&w->far[m.dst], &far, &got)) {
    w->bytes_out += got.bytes;
    arrive(w, m.dst, &far);
  }
  return true;
}

/* ---------------------------------------------------------------- the near side */

static void step(struct world *w, struct weft_egress_event *in)
{
  struct weft_egress_event out;
  struct weft_egress_count count;
  do {
    const char *error;
    while ((error = weft_egress_step(w->egress, in, &out, &count)) != NULL)
      if (!carry(w))
        fail_msg("%s", error);
    w->merged += count.merged;
    w->bytes_in += count.stores ? count.bytes : 0;
    if (in->kind == WEFT_EGRESS_KIND_FLUSH)
      return;
  } while (!out.taken);
  if (in->urgent && w->egress->due) {
    struct weft_egress_event flush = { .kind = WEFT_EGRESS_KIND_FLUSH,
                                       .cause = WEFT_FLUSH_CAUSE_STRONG,
                                       .dst = in->req.dst };
    step(w, &flush);
  }
}

static void flush_all(struct world *w)
{
  for (unsigned n = 1; n < w->config.nodes; n++) {
    struct weft_egress_event in = { .kind = WEFT_EGRESS_KIND_FLUSH,
                                    .cause = WEFT_FLUSH_CAUSE_END,
                                    .dst = (uint8_t)n };
    if (weft_queue_filling(&w->egress->queue, n)->used)
      step(w, &in);
  }
  while (carry(w))
    ;
  assert_true(weft_egress_idle(w->egress));
  for (unsigned n = 1; n < w->config.nodes; n++) {
    assert_true(weft_depacketizer_idle(&w->far[n]));
    assert_memory_equal(w->memory[n], w->plain[n], MEMORY);
  }
}

static void store(struct world *w, struct weft_egress_event *in)
{
  weft_merge(&w->plain[in->req.dst][weft_offset_of(in->req.address)], in->req.data, in->req.mask,
             (unsigned)w->config.line);
  w->stores++;
  step(w, in);
}

/* Full lines, single runs, bytes strewn about, whole words with holes. */
static void some_mask(struct world *w, uint64_t mask[2])
{
  unsigned line = (unsigned)w->config.line, style = draw(w, 4);
  unsigned start = draw(w, line),
           length = 1 + draw(w, style ? line - start : (line - start < 8 ? line - start : 8));
  mask[0] = mask[1] = 0;
  for (unsigned i = 0; i < line; i++) {
    bool on = style == 3   ? draw(w, 3) == 0
              : style == 2 ? w->random >> (i / 4U) & 1U
                           : i >= start && i < start + length;
    if (on || (i == start))
      mask[i >> 6] |= weft_bit(i & 63U);
  }
  if (draw(w, 16) == 0)
    for (unsigned i = 0; i < line; i++)
      mask[i >> 6] |= weft_bit(i & 63U);
}

/* A few hot blocks, a window of its own, or anywhere. */
static uint64_t some_address(struct world *w, unsigned spread)
{
  uint64_t at = spread == 0 ? draw(w, 2048) : spread == 1 ? 16384U + draw(w, 16384) : draw(w, MEMORY);
  return at & ~(w->config.line - 1U);
}

static void some_request(struct world *w, unsigned spread)
{
  struct weft_egress_event in = { .kind = WEFT_EGRESS_KIND_INPUT };
  unsigned what = draw(w, 100), node = 1 + draw(w, (uint32_t)w->config.nodes - 1U);
  in.req.dst = (uint8_t)node;
  in.req.address = (uint64_t)node << WEFT_HOME_SHIFT | some_address(w, spread);
  if (what < 94) {
    in.req.kind = WEFT_REQ_KIND_WRITE;
    some_mask(w, in.req.mask);
    for (unsigned i = 0; i < w->config.line; i++)
      in.req.data[i] = (uint8_t)draw(w, 256);
    in.urgent = draw(w, 100) == 0;
    store(w, &in);
  } else if (what < 97 && w->loads - w->found < EXPECTED - 1U) {
    in.req.kind = WEFT_REQ_KIND_READ;
    in.req.id = w->loads % 64U;
    memcpy(w->expected[w->loads++ % EXPECTED], &w->plain[node][weft_offset_of(in.req.address)],
           w->config.line);
    step(w, &in);
  } else if (what == 97) {
    in.req.kind = WEFT_REQ_KIND_ATOMIC;
    step(w, &in);
  } else if (what == 98) {
    in.req.kind = WEFT_REQ_KIND_MARKER;
    step(w, &in);
    while (carry(w)) /* the reference must not run ahead of it */
      ;
  } else {
    in.kind = WEFT_EGRESS_KIND_FLUSH;
    in.cause = WEFT_FLUSH_CAUSE_TIMEOUT;
    in.dst = (uint8_t)node;
    if (weft_queue_filling(&w->egress->queue, node)->used)
      step(w, &in);
  }
  for (unsigned n = draw(w, 4); n-- && carry(w);)
    ;
}

static void memory_is_that_of_plain_stores(void **state)
{
  (void)state;
  static const unsigned lines[] = { 16, 32, 64, 128 }, entries[] = { 1, 4, 64 };
  const char *seed = getenv("WEFT_SEED"), *longer = getenv("WEFT_LONG");
  uint64_t first = seed ? strtoull(seed, NULL, 0) : 1, stores = 0, packets = 0;
  unsigned streams = longer && *longer ? 12000 : 600;
  for (unsigned i = 0; i < streams; i++) {
    struct world *w = make(first + i, 2 + i % 3, lines[i / 3 % 4], entries[i / 12 % 3]);
    for (unsigned part = 0; part < 4; part++) {
      choose(w, (struct weft_finepack){ draw(w, 12) != 0, 2 + draw(w, 5), 128U << draw(w, 6), draw(w, 2) });
      for (unsigned n = 0; n < 110; n++)
        some_request(w, part % 3);
      flush_all(w);
    }
    assert_int_equal(w->loads, w->found);
    assert_true(w->bytes_out <= w->bytes_in - w->merged);
    stores += w->stores;
    packets += w->packets;
    discard(w);
  }
  print_message("%" PRIu64 " stores, %" PRIu64 " packets; seed %" PRIu64 "\n", stores, packets, first);
  assert_true(stores >= 200000 && packets >= 5000);
}

/* ---------------------------------------------------------------- goodput of link.md's stream */

/* Store i writes s bytes at the start of block i mod 128 of one window. */
static double goodput(unsigned s, unsigned sub_header, bool finepack)
{
  struct world *w = make(1, 2, 128, 64);
  choose(w, (struct weft_finepack){ finepack, sub_header, 4096, 0 });
  unsigned per = 4096U / (sub_header + s) < 64U ? 4096U / (sub_header + s) : 64U, count = per * 10U;
  struct weft_egress_event in = { .kind = WEFT_EGRESS_KIND_INPUT,
                                  .req = { .kind = WEFT_REQ_KIND_WRITE, .dst = 1 } };
  for (unsigned i = 0; i < s; i++)
    in.req.mask[i >> 6] |= weft_bit(i & 63U);
  for (unsigned i = 0; i < count; i++) {
    in.req.address = weft_bit(WEFT_HOME_SHIFT) + i % 128U * 128U;
    store(w, &in);
  }
  flush_all(w);
  double result = (double)count * s / (double)w->link;
  discard(w);
  return result;
}

static void goodput_is_that_of_the_closed_form(void **state)
{
  (void)state;
  for (unsigned s = 4; s <= 128; s *= 2) {
    assert_true(goodput(s, 5, false) == s / (s + 24.0));
    assert_true(goodput(s, 2, true) == s / (s + 24.0));
    for (unsigned b = 3; b <= 6; b++) {
      unsigned n = 4096U / (b + s) < 64U ? 4096U / (b + s) : 64U;
      double closed = (double)n * s / (24.0 + weft_padded(n * (b + s))), found = goodput(s, b, true);
      if (found != closed)
        fail_msg("%u-byte stores, sub-headers of %u: %.6f, closed form %.6f", s, b, found, closed);
    }
  }
}

int main(void)
{
  const struct CMUnitTest tests[] = {
    cmocka_unit_test(memory_is_that_of_plain_stores),
    cmocka_unit_test(goodput_is_that_of_the_closed_form),
  };
  return cmocka_run_group_tests(tests, NULL, NULL);
}
