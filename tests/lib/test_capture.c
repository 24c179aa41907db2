/* SPDX-License-Identifier: Apache-2.0 */
/* Captures: messages as the links show them become frames, whole FinePack packets among them; what has no form on the
 * wire is said, and nothing that a link might show breaks it. */
#include "frame.h"
#include "lib_test.h"
#include "watch.h"

#define KEPT 32U

struct kept {
  unsigned count;
  struct weft_packet packet[KEPT];
  uint8_t bytes[KEPT][4U * WEFT_FRAME_WORDS_MAX];
};

static void keep(void *arg, const struct weft_packet *p)
{
  struct kept *k = arg;
  assert_true(k->count < KEPT);
  if (k->count >= KEPT)
    return;
  k->packet[k->count] = *p;
  memcpy(k->bytes[k->count++], p->bytes, p->count);
}

static struct weft_captor *captor(struct kept *k)
{
  struct weft_config config = { .nodes = 2, .line = 64 };
  memset(k, 0, sizeof *k);
  struct weft_captor *c = weft_captor_new(&config, keep, k);
  assert_non_null(c);
  return c;
}

static void show(struct weft_captor *c, unsigned link, uint64_t cycle, struct weft_req req)
{
  struct weft_link_event e = { .class = WEFT_MSG_CLASS_REQUEST, .kind = req.kind, .req = req };
  weft_captor_link(c, link, cycle, &e);
}

static const struct weft_req reading = { .kind = WEFT_REQ_KIND_READ, .dst = 1, .address = 0x1000000040 };

static uint32_t word(const struct kept *k, unsigned packet, unsigned index)
{
  const uint8_t *b = k->bytes[packet] + 4U * index;
  return (uint32_t)b[0] << 24 | (uint32_t)b[1] << 16 | (uint32_t)b[2] << 8 | b[3];
}

/* The packet's TLP; its token and LCRC are right. */
static struct weft_tlp opened(const struct kept *k, unsigned packet, unsigned sequence)
{
  static uint32_t words[WEFT_FRAME_WORDS_MAX];
  struct weft_tlp tlp;
  unsigned count = (unsigned)k->packet[packet].count / 4U, said, number;
  if (count < 3 || count > WEFT_FRAME_WORDS_MAX)
    abort(); /* the analyser knows it, where it does not know cmocka's failures */
  for (unsigned i = 0; i < count; i++)
    words[i] = word(k, packet, i);
  assert_true(weft_frame_read_token(words[0], &said, &number));
  assert_int_equal(said, count);
  assert_int_equal(number, sequence);
  assert_int_equal(words[count - 1], weft_frame_crc(words, count - 1));
  assert_true(weft_tlp_decode(words + 1, count - 2, 64, &tlp));
  return tlp;
}

static void packets_of_a_cycle_come_by_link(void **state)
{
  (void)state;
  struct kept k;
  struct weft_captor *c = captor(&k);
  show(c, 3, 10, reading);
  show(c, 0, 10, reading);
  assert_int_equal(k.count, 0); /* more may come in this cycle */
  show(c, 3, 12, reading);
  assert_int_equal(k.count, 2);
  weft_captor_flush(c);
  assert_int_equal(k.count, 3);
  static const struct {
    unsigned link, cycle, sequence;
  } wanted[] = { { 0, 10, 0 }, { 3, 10, 0 }, { 3, 12, 1 } };
  for (unsigned i = 0; i < 3; i++) {
    assert_int_equal(k.packet[i].link, wanted[i].link);
    assert_int_equal(k.packet[i].cycle, wanted[i].cycle);
    assert_int_equal(k.packet[i].count, 24);
    assert_int_equal(opened(&k, i, wanted[i].sequence).req.address, reading.address);
  }
  weft_captor_restart(c);
  show(c, 3, 1, reading);
  weft_captor_flush(c);
  opened(&k, 3, 0);
  weft_captor_free(c);
}

static void sequence_numbers_go_round(void **state)
{
  (void)state;
  struct kept k;
  struct weft_captor *c = captor(&k);
  for (unsigned i = 0; i < 4097; i++) {
    k.count = 0;
    show(c, 0, i, reading);
  }
  k.count = 0;
  weft_captor_flush(c);
  opened(&k, 0, 0);
  weft_captor_free(c);
}

static struct weft_req head_of(unsigned payload, bool prefix)
{
  struct weft_req m = { .kind = WEFT_REQ_KIND_PACKET, .dst = 1, .wide = prefix, .address = 0x1000000000 };
  m.data[0] = (uint8_t)payload;
  m.data[1] = (uint8_t)(payload >> 8);
  return m;
}

/* Bytes [at, at + 64) of the payload, or what is left; byte i is i * 7. */
static struct weft_req chunk_of(unsigned at, unsigned payload)
{
  unsigned bytes = payload - at < 64 ? payload - at : 64;
  struct weft_req m = { .kind = WEFT_REQ_KIND_CHUNK, .dst = 1, .id = at + bytes == payload };
  m.mask[0] = weft_ones(bytes);
  for (unsigned i = 0; i < bytes; i++)
    m.data[i] = (uint8_t)((at + i) * 7U);
  return m;
}

static void chunks_become_one_packet(void **state)
{
  (void)state;
  static const unsigned payloads[] = { 1, 4, 63, 64, 65, 130, 4095, 4096 };
  for (unsigned i = 0; i < 2 * sizeof payloads / sizeof *payloads; i++) {
    unsigned payload = payloads[i / 2], cycle = 5;
    bool prefix = i & 1U;
    struct kept k;
    struct weft_captor *c = captor(&k);
    show(c, 1, cycle, head_of(payload, prefix));
    for (unsigned at = 0; at < payload; at += 64) {
      show(c, 2, cycle, reading); /* another link goes on meanwhile */
      show(c, 1, ++cycle, chunk_of(at, payload));
      k.count = 0;
    }
    weft_captor_flush(c);
    assert_int_equal(k.count, 1);
    assert_int_equal(k.packet[0].link, 1);
    assert_int_equal(k.packet[0].cycle, cycle);
    assert_int_equal(k.packet[0].count, 24U + 4U * prefix + ((payload + 3U) & ~3U));
    struct weft_tlp tlp = opened(&k, 0, 0);
    assert_int_equal(tlp.payload, payload);
    assert_int_equal(tlp.req.wide, prefix);
    for (unsigned at = 0; at < payload; at++)
      assert_int_equal(k.bytes[0][4U + 4U * tlp.header + at], (uint8_t)(at * 7U));
    weft_captor_free(c);
  }
}

/* Each is said by a packet without bytes, and what follows is whole again. */
static void what_has_no_form_is_said(void **state)
{
  (void)state;
  struct kept k;
  struct weft_captor *c = captor(&k);
  struct weft_req holes = { .kind = WEFT_REQ_KIND_WRITE, .dst = 1, .mask = { 5 } };
  show(c, 0, 1, holes);
  show(c, 0, 2, chunk_of(0, 10)); /* of no packet */
  show(c, 0, 3, head_of(0, false));
  show(c, 0, 4, head_of(100, false));
  show(c, 0, 5, reading); /* before the last chunk */
  show(c, 0, 6, reading);
  weft_captor_flush(c);
  assert_int_equal(k.count, 5);
  for (unsigned i = 0; i < 4; i++)
    assert_int_equal(k.packet[i].count, 0);
  opened(&k, 4, 4);
  weft_captor_free(c);
}

static void a_packet_without_end_is_given_up(void **state)
{
  (void)state;
  struct kept k;
  struct weft_captor *c = captor(&k);
  show(c, 0, 1, head_of(4096, true));
  for (unsigned i = 0; i < 64; i++)
    show(c, 0, 2 + i, chunk_of(0, 1000));
  assert_int_equal(k.count, 0);
  show(c, 0, 66, chunk_of(0, 1000));
  weft_captor_flush(c);
  assert_int_equal(k.count, 1);
  assert_int_equal(k.packet[0].count, 0);
  weft_captor_free(c);
}

/* ---------------------------------------------------------------- through the public header */

static void publish(struct weft_warp *t, void *arg)
{
  weft_rmw(t, WEFT_ADD, *(const weft_address *)arg, 8, 1, 0, WEFT_RELAXED, WEFT_SYS);
}

static void count_up(void *arg, const struct weft_packet *p)
{
  assert_true(p->count >= 24);
  ++*(unsigned *)arg;
}

static void a_machine_is_captured(void **state)
{
  (void)state;
  struct weft *w = open_machine("model:tiny");
  weft_address a;
  uint64_t messages[4], sum = 0;
  unsigned packets = 0, other = 0;
  static const char *const names[] = { "total.link.messages_request", "total.link.messages_forward",
                                       "total.link.messages_response", "total.switch.messages" };
  assert_works(w, weft_alloc(w, 8, 0, &a));
  assert_works(w, weft_capture(w, count_up, &packets));
  assert_works(w, weft_launch(w, publish, &a));
  assert_works(w, weft_settle(w));
  assert_works(w, weft_capture(w, NULL, NULL));
  for (unsigned i = 0; i < 4; i++) {
    assert_works(w, weft_counter_get(w, names[i], &messages[i]));
    sum += messages[i];
  }
  assert_true(packets != 0);
  assert_int_equal(packets, sum);
  assert_works(w, weft_reset(w)); /* nobody looks any more */
  assert_works(w, weft_capture(w, count_up, &other));
  assert_works(w, weft_reset(w)); /* still */
  assert_works(w, weft_launch(w, publish, &a));
  assert_works(w, weft_settle(w));
  assert_works(w, weft_capture(w, NULL, NULL));
  assert_int_equal(other, packets);
  weft_free(w);
}

static void without_links_there_is_nothing(void **state)
{
  (void)state;
  unsigned packets = 0;
  struct weft *w = weft_new();
  assert_fails(w, weft_capture(w, count_up, &packets), WEFT_BAD_STATE, "open");
  weft_free(w);
  w = open_machine("null:tiny");
  assert_fails(w, weft_capture(w, count_up, &packets), WEFT_NOT_BUILT_IN, "model:tiny");
  weft_free(w);
}

int main(void)
{
  const struct CMUnitTest tests[] = {
    cmocka_unit_test(packets_of_a_cycle_come_by_link),  cmocka_unit_test(sequence_numbers_go_round),
    cmocka_unit_test(chunks_become_one_packet),         cmocka_unit_test(what_has_no_form_is_said),
    cmocka_unit_test(a_packet_without_end_is_given_up), cmocka_unit_test(a_machine_is_captured),
    cmocka_unit_test(without_links_there_is_nothing),
  };
  return cmocka_run_group_tests(tests, NULL, NULL);
}
