/* SPDX-License-Identifier: Apache-2.0 */
/* What is well-formed, one thing after the other. */
#include "depacketizer.h"
#include "units.h"

#define SELF 2U
#define SUB_HEADER 3U
#define WINDOW 16384U

static struct weft_depacketizer d;

static int make(void **state)
{
  (void)state;
  struct weft_config c = test_config("finepack4");
  c.line = 32;
  c.memory_bytes = 65536;
  c.egress_sub_header = SUB_HEADER;
  weft_depacketizer_reset(&d, &c, SELF);
  return 0;
}

struct outcome {
  unsigned packets, malformed, stores, bytes;
};

static struct outcome send(uint64_t base, unsigned declared, const uint8_t *payload, unsigned bytes)
{
  struct outcome all = { 0 };
  struct weft_ingress_count count;
  struct weft_req m = { .kind = WEFT_REQ_KIND_PACKET,
                        .address = base,
                        .data = { (uint8_t)declared, (uint8_t)(declared >> 8) } };
  assert_null(weft_depacketizer_step(&d, &m, &count));
  for (unsigned at = 0; at < bytes; at += 32) {
    unsigned here = bytes - at < 32 ? bytes - at : 32;
    m = (struct weft_req){ .kind = WEFT_REQ_KIND_CHUNK,
                           .id = at + 32 >= bytes,
                           .mask = { weft_ones(here), 0 } };
    memcpy(m.data, payload + at, here);
    assert_null(weft_depacketizer_step(&d, &m, &count));
    all.packets += count.packets;
    all.malformed += count.malformed;
  }
  while (weft_depacketizer_pop(&d, &m, &count)) {
    all.stores += count.stores;
    all.bytes += count.bytes;
  }
  assert_true(weft_depacketizer_idle(&d));
  return all;
}

/* A store of `length` bytes at `offset`; only `kept` bytes of its data are there. */
static unsigned put(uint8_t *to, unsigned offset, unsigned length, unsigned kept)
{
  weft_put_sub_header(to, SUB_HEADER, offset, length);
  memset(to + SUB_HEADER, 0xa5, kept);
  return SUB_HEADER + kept;
}

static void one_packet(unsigned offset, unsigned length, unsigned kept, unsigned tail, int delta,
                       struct outcome wanted)
{
  uint8_t payload[2100] = { 0 };
  unsigned bytes = put(payload, 64, 4, 4);
  bytes += put(payload + bytes, offset, length, kept) + tail;
  struct outcome found = send(test_address(SELF, WINDOW), (unsigned)((int)bytes + delta), payload, bytes);
  assert_memory_equal(&found, &wanted, sizeof found);
}

static const struct outcome dropped = { 0, 1, 0, 0 };

static void whole_packets_give_their_stores(void **state)
{
  (void)state;
  one_packet(128, 8, 8, 0, 0, (struct outcome){ 1, 0, 2, 12 });
  one_packet(30, 8, 8, 0, 0, (struct outcome){ 1, 0, 3, 12 }); /* across a line */
  one_packet(0, 1023, 1023, 0, 0, (struct outcome){ 1, 0, 33, 1027 });
  one_packet(WINDOW - 1, 1, 1, 0, 0, (struct outcome){ 1, 0, 2, 5 });
}

static void malformed_packets_give_none(void **state)
{
  (void)state;
  one_packet(0, 0, 0, 0, 0, dropped);          /* no bytes */
  one_packet(0, 8, 7, 0, 0, dropped);          /* data cut short */
  one_packet(0, 8, 8, 1, 0, dropped);          /* a sub-header cut short */
  one_packet(WINDOW - 1, 2, 2, 0, 0, dropped); /* beyond the window */
  one_packet(0, 8, 8, 0, 1, dropped);          /* more declared than there is */
  one_packet(0, 8, 8, 0, -1, dropped);
  uint8_t payload[16];
  unsigned bytes = put(payload, 0, 4, 4);
  struct outcome found = send(test_address(SELF + 1, 0), bytes, payload, bytes); /* another node's */
  assert_memory_equal(&found, &dropped, sizeof found);
  found = send(test_address(SELF, 65536 - 2), bytes, payload, bytes); /* beyond memory */
  assert_memory_equal(&found, &dropped, sizeof found);
}

static void strays_are_counted_and_nothing_hangs(void **state)
{
  (void)state;
  struct weft_ingress_count count;
  struct weft_req chunk = { .kind = WEFT_REQ_KIND_CHUNK, .mask = { 1, 0 } },
                  head = { .kind = WEFT_REQ_KIND_PACKET };
  struct weft_req load = { .kind = WEFT_REQ_KIND_READ, .id = 7 }, out;
  assert_null(weft_depacketizer_step(&d, &chunk, &count));
  assert_int_equal(count.malformed, 1);
  assert_null(weft_depacketizer_step(&d, &head, &count));
  assert_null(weft_depacketizer_step(&d, &load, &count)); /* the packet has no end */
  assert_int_equal(count.malformed, 1);
  assert_true(weft_depacketizer_pop(&d, &out, &count));
  assert_int_equal(out.id, 7);
  one_packet(128, 8, 8, 0, 0, (struct outcome){ 1, 0, 2, 12 });
}

int main(void)
{
  const struct CMUnitTest tests[] = {
    cmocka_unit_test_setup(whole_packets_give_their_stores, make),
    cmocka_unit_test_setup(malformed_packets_give_none, make),
    cmocka_unit_test_setup(strays_are_counted_and_nothing_hangs, make),
  };
  return cmocka_run_group_tests(tests, NULL, NULL);
}
