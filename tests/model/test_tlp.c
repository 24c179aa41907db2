/* SPDX-License-Identifier: Apache-2.0 */
/* What goes onto the wire comes off it again, costs what the table says, and nothing else is taken for a message. */
#include "frame.h"
#include "units.h"

#define ROUNDS 20000U

static const unsigned lines[] = { 16, 32, 64, 128 };

static void random_bytes(uint64_t *seed, uint8_t *data, unsigned bytes)
{
  for (unsigned i = 0; i < bytes; i++)
    data[i] = (uint8_t)(test_random(seed) >> 40);
}

static unsigned below(uint64_t *seed, unsigned n)
{
  return (unsigned)(test_random(seed) >> 33) % n;
}

/* A run of enabled bytes, and the data only there: what the receiver of a write has a use for. */
static void random_run(uint64_t *seed, unsigned first, unsigned end, struct weft_req *m)
{
  for (unsigned i = first; i < end; i++) {
    m->mask[i / 64U] |= weft_bit(i % 64U);
    m->data[i] = (uint8_t)(test_random(seed) >> 40);
  }
}

static void random_operands(uint64_t *seed, struct weft_req *m)
{
  unsigned bytes = m->wide ? 8 : 4;
  random_bytes(seed, m->data, bytes);
  if (m->func == WEFT_FUNC_CAS)
    random_bytes(seed, m->data + 8, bytes);
}

static struct weft_req random_req(uint64_t *seed, uint8_t kind, unsigned line)
{
  struct weft_req m = { .kind = kind, .src = (uint8_t)below(seed, 16), .dst = (uint8_t)below(seed, 16) };
  uint64_t address = test_random(seed) & weft_ones(40);
  m.id = (uint8_t)below(seed, 64);
  m.cu = kind == WEFT_REQ_KIND_MARKER ? 0 : (uint8_t)below(seed, 8);
  m.address = address & ~(uint64_t)(line - 1U);
  if (kind == WEFT_REQ_KIND_READ && below(seed, 2)) { /* it renews a copy */
    m.func = 1;
    m.mask[0] = below(seed, 65536);
    m.era = (uint8_t)below(seed, 4);
    m.cts = (uint16_t)(1U + below(seed, 65535));
  } else if (kind == WEFT_REQ_KIND_WRITE) {
    unsigned first = below(seed, line);
    random_run(seed, first, first + 1U + below(seed, line - first), &m);
  } else if (kind == WEFT_REQ_KIND_ATOMIC) {
    m.func = (uint8_t)below(seed, 10);
    m.wide = below(seed, 2);
    m.address = address & ~(uint64_t)(m.wide ? 7U : 3U);
    random_operands(seed, &m);
  } else if (kind == WEFT_REQ_KIND_MARKER) {
    m.address = test_address(m.dst, (uint64_t)below(seed, 8) << 12);
  } else if (kind == WEFT_REQ_KIND_PACKET) {
    unsigned bytes = 1U + below(seed, 4096);
    m.wide = below(seed, 2);
    m.data[0] = (uint8_t)bytes;
    m.data[1] = (uint8_t)(bytes >> 8);
  }
  return m;
}

static struct weft_fwd random_fwd(uint64_t *seed, uint8_t kind)
{
  struct weft_fwd m = { .kind = kind, .src = (uint8_t)below(seed, 16), .dst = (uint8_t)below(seed, 16) };
  m.stamp = (uint16_t)test_random(seed);
  if (kind == WEFT_FWD_KIND_INV) {
    m.block = below(seed, 2);
    m.cause = (uint8_t)below(seed, 2);
    m.address = test_address(m.src, test_random(seed) & weft_ones(36) & ~UINT64_C(31));
  } else {
    m.releaser = (uint8_t)below(seed, 16);
    m.id = (uint8_t)below(seed, 64);
    m.address = test_address(m.src, (uint64_t)below(seed, 8) << 12);
  }
  return m;
}

static struct weft_rsp random_rsp(uint64_t *seed, uint8_t kind, unsigned line)
{
  struct weft_rsp m = { .kind = kind, .src = (uint8_t)below(seed, 16), .dst = (uint8_t)below(seed, 16) };
  m.bank = (uint8_t)below(seed, 8);
  if (kind == WEFT_RSP_KIND_LINE || kind == WEFT_RSP_KIND_ATOMIC) {
    m.cu = (uint8_t)below(seed, 8);
    m.id = (uint8_t)below(seed, 64);
    m.wide = kind == WEFT_RSP_KIND_ATOMIC && below(seed, 2);
    random_bytes(seed, m.data, kind == WEFT_RSP_KIND_LINE ? line : m.wide ? 8 : 4);
    return m;
  }
  m.stamp = (uint16_t)test_random(seed);
  if (kind == WEFT_RSP_KIND_WROTE) {
    m.cu = (uint8_t)below(seed, 8);
    m.id = (uint8_t)below(seed, 64);
    m.wide = below(seed, 2);
    m.stamp = m.wide ? 0 : m.stamp;
  }
  if (kind == WEFT_RSP_KIND_ACK) {
    m.id = (uint8_t)below(seed, 64);
    m.count = (uint8_t)below(seed, 16);
    m.seen = below(seed, 2);
  }
  return m;
}

static void requests_come_back(void **state)
{
  (void)state;
  static const uint8_t kinds[] = { WEFT_REQ_KIND_READ, WEFT_REQ_KIND_WRITE, WEFT_REQ_KIND_ATOMIC,
                                   WEFT_REQ_KIND_MARKER };
  uint64_t seed = 1;
  uint32_t words[WEFT_TLP_MESSAGE_MAX];
  struct weft_tlp t;
  for (unsigned i = 0; i < ROUNDS; i++) {
    unsigned line = lines[i / 4 % 4];
    struct weft_req m = random_req(&seed, kinds[i % 4], line);
    unsigned count = weft_tlp_encode(WEFT_LINK_REQUEST, &m, line, words);
    assert_int_equal(4U * (count + WEFT_FRAME_AROUND), weft_link_cost_req(&m));
    assert_true(weft_tlp_decode(words, count, line, &t));
    assert_int_equal(t.class, WEFT_LINK_REQUEST);
    assert_memory_equal(&t.req, &m, sizeof m);
    assert_false(weft_tlp_decode(words, count - 1U, line, &t));
  }
}

static void forwards_come_back(void **state)
{
  (void)state;
  uint64_t seed = 2;
  uint32_t words[4];
  struct weft_tlp t;
  for (unsigned i = 0; i < ROUNDS; i++) {
    struct weft_fwd m = random_fwd(&seed, (uint8_t)(i & 1U));
    assert_int_equal(weft_tlp_encode(WEFT_LINK_FORWARD, &m, 64, words), 4);
    assert_int_equal(4U * (4U + WEFT_FRAME_AROUND), weft_link_cost_fwd(&m));
    assert_true(weft_tlp_decode(words, 4, 64, &t));
    assert_int_equal(t.class, WEFT_LINK_FORWARD);
    assert_memory_equal(&t.fwd, &m, sizeof m);
  }
}

static void responses_come_back(void **state)
{
  (void)state;
  static const uint8_t kinds[] = { WEFT_RSP_KIND_LINE, WEFT_RSP_KIND_ATOMIC, WEFT_RSP_KIND_ACK,
                                   WEFT_RSP_KIND_SEEN, WEFT_RSP_KIND_WROTE };
  uint64_t seed = 3;
  uint32_t words[WEFT_TLP_MESSAGE_MAX];
  struct weft_tlp t;
  for (unsigned i = 0; i < ROUNDS; i++) {
    unsigned line = lines[i / 4 % 4];
    struct weft_rsp m = random_rsp(&seed, kinds[i % 4], line);
    unsigned count = weft_tlp_encode(WEFT_LINK_RESPONSE, &m, line, words);
    assert_int_equal(4U * (count + WEFT_FRAME_AROUND), weft_link_cost_rsp(&m, line));
    assert_true(weft_tlp_decode(words, count, line, &t));
    assert_int_equal(t.class, WEFT_LINK_RESPONSE);
    assert_memory_equal(&t.rsp, &m, sizeof m);
  }
}

/* Chunk `index` of a packet of so many bytes. */
static struct weft_req random_chunk(uint64_t *seed, const struct weft_req *head, unsigned index,
                                    unsigned line)
{
  unsigned left = weft_tlp_payload(head) - index * line;
  struct weft_req m = { .kind = WEFT_REQ_KIND_CHUNK, .src = head->src, .dst = head->dst, .id = left <= line };
  random_run(seed, 0, left < line ? left : line, &m);
  return m;
}

static void packets_come_back_with_their_chunks(void **state)
{
  (void)state;
  uint64_t seed = 4;
  static uint32_t words[WEFT_TLP_WORDS_MAX];
  static struct weft_req chunk[256];
  struct weft_tlp t;
  struct weft_req found;
  for (unsigned i = 0; i < 300; i++) {
    unsigned line = lines[i % 4];
    struct weft_req head = random_req(&seed, WEFT_REQ_KIND_PACKET, line);
    unsigned count = weft_tlp_encode_req(&head, line, words), cost = weft_link_cost_req(&head);
    unsigned chunks = weft_tlp_chunks(weft_tlp_payload(&head), line);
    for (unsigned k = 0; k < chunks; k++) {
      chunk[k] = random_chunk(&seed, &head, k, line);
      count += weft_tlp_encode_req(&chunk[k], line, words + count);
      cost += weft_link_cost_req(&chunk[k]);
    }
    assert_int_equal(4U * (count + WEFT_FRAME_AROUND), cost);
    assert_true(weft_tlp_decode(words, count, line, &t));
    assert_memory_equal(&t.req, &head, sizeof head);
    for (unsigned k = 0; k < chunks; k++) {
      assert_true(weft_tlp_chunk(&t, words, k, line, &found));
      assert_memory_equal(&found, &chunk[k], sizeof found);
    }
    assert_false(weft_tlp_chunk(&t, words, chunks, line, &found));
  }
}

static void what_has_no_form_gives_no_words(void **state)
{
  (void)state;
  uint32_t words[WEFT_TLP_MESSAGE_MAX];
  struct weft_req holes = { .kind = WEFT_REQ_KIND_WRITE, .mask = { 5 } },
                  empty = { .kind = WEFT_REQ_KIND_WRITE };
  struct weft_req crooked = { .kind = WEFT_REQ_KIND_READ, .address = 4 },
                  fence = { .kind = WEFT_REQ_KIND_FENCE };
  struct weft_req narrow = { .kind = WEFT_REQ_KIND_ATOMIC, .wide = 1, .address = 4 };
  struct weft_fwd stranger = { .kind = WEFT_FWD_KIND_INV, .src = 1 };
  const struct weft_req *bad[] = { &holes, &empty, &crooked, &fence, &narrow };
  for (unsigned i = 0; i < sizeof bad / sizeof *bad; i++)
    assert_int_equal(weft_tlp_encode_req(bad[i], 32, words), 0);
  assert_int_equal(weft_tlp_encode_fwd(&stranger, words), 0);
}

static void malformed_packets_are_refused(void **state)
{
  (void)state;
  struct weft_tlp t;
  static const struct {
    uint32_t words[6];
    unsigned count;
  } bad[] = {
    { { 0x20000008, 0x000000ff, 0, 0x20 }, 3 },           /* cut short */
    { { 0x20000007, 0x000000ff, 0, 0x20 }, 4 },           /* not a whole line */
    { { 0x20000008, 0x0000000f, 0, 0x20 }, 4 },           /* not all bytes */
    { { 0x60000001, 0x00000005, 0, 0x20, 0 }, 5 },        /* holes */
    { { 0x60000001, 0x00000000, 0, 0x20, 0 }, 5 },        /* no byte */
    { { 0x60000002, 0x000000f7, 0, 0x20, 0, 0 }, 6 },     /* a hole before the second word */
    { { 0x60000002, 0x000000ff, 0, 0x3c, 0, 0 }, 6 },     /* over the end of the line */
    { { 0x60000001, 0x0000000f, 0x100, 0x20, 0 }, 5 },    /* an address of more than 40 bits */
    { { 0x68000001, 0x00000020, 0, 0x20, 0 }, 5 },        /* a function that has a type of its own */
    { { 0x6e000001, 0x00000000, 0, 0x20, 0 }, 5 },        /* half a compare-and-swap */
    { { 0x32000000, 0x00a0007f, 0x5745, 0 }, 4 },         /* no such message */
    { { 0x32000000, 0x0000007e, 0x5745, 0 }, 4 },         /* another's message code */
    { { 0x32000000, 0x0000007f, 0x5746, 0 }, 4 },         /* another's message */
    { { 0x4a000003, 0x0000000c, 0, 0, 0, 0 }, 6 },        /* neither a line nor an old value */
    { { 0x4a000001, 0x00002004, 0, 0 }, 4 },              /* not successful */
    { { 0x6f000001, 0x0000000f, 0, 0x40, 0 }, 5 },        /* a FinePack packet with byte enables */
    { { 0x9e005745, 0x60000001, 0x00000001, 0, 64 }, 5 }, /* a prefix, and no payload */
    { { 0x00000001, 0x0000000f, 0x40, 0 }, 4 },           /* a 32-bit read */
  };
  for (unsigned i = 0; i < sizeof bad / sizeof *bad; i++)
    assert_false(weft_tlp_decode(bad[i].words, bad[i].count, 32, &t));
}

static void frames_are_checked(void **state)
{
  (void)state;
  uint64_t seed = 5;
  unsigned words, sequence;
  for (unsigned n = WEFT_FRAME_WORDS_MIN; n <= WEFT_FRAME_WORDS_MAX; n++) {
    unsigned number = below(&seed, 4096);
    uint32_t token = weft_frame_token(n, number);
    assert_true(weft_frame_read_token(token, &words, &sequence));
    assert_int_equal(words, n);
    assert_int_equal(sequence, number);
    for (unsigned bit = 12; bit < 32; bit++) /* the sequence itself is the LCRC's */
      assert_false(weft_frame_read_token(token ^ 1U << bit, &words, &sequence));
  }
  static const uint32_t text[] = { 0x31323334, 0x35363738 };
  assert_int_equal(weft_frame_crc(text, 2), 0x9ae0daaf); /* CRC-32 of "12345678" */
}

int main(void)
{
  const struct CMUnitTest tests[] = {
    cmocka_unit_test(requests_come_back),
    cmocka_unit_test(forwards_come_back),
    cmocka_unit_test(responses_come_back),
    cmocka_unit_test(packets_come_back_with_their_chunks),
    cmocka_unit_test(what_has_no_form_gives_no_words),
    cmocka_unit_test(malformed_packets_are_refused),
    cmocka_unit_test(frames_are_checked),
  };
  return cmocka_run_group_tests_name("model.tlp", tests, NULL, NULL);
}
