/* SPDX-License-Identifier: Apache-2.0 */
/* A sender and a receiver with a bad wire between them: nothing lost, nothing doubled, order kept. */
#include "link_layer.h"
#include "units.h"

#define BEAT 4U      /* words */
#define FLIGHT 8U    /* beats on the wire, and records on the side channel */
#define QUEUE 65536U /* words that wait for the wire */

struct beat {
  uint32_t word[BEAT], starts;
  bool valid;
};

struct record {
  unsigned ack, naks;
  bool valid;
};

struct line {
  uint64_t seed, now;
  struct weft_sender *sender;
  struct weft_receiver receiver;
  struct beat wire[FLIGHT];
  struct record side[FLIGHT];
  uint32_t queue[QUEUE]; /* of words; a start is marked beside it */
  bool start[QUEUE];
  unsigned head, tail;
  uint32_t sent;
  uint32_t expected; /* what the next accepted frame must carry */
  unsigned noise;    /* one beat and one record in so many suffers; 0: none */
  bool dead, deaf;   /* nothing comes through; nothing comes back */
};

static unsigned below(struct line *l, unsigned n)
{
  return (unsigned)(test_random(&l->seed) >> 33) % n;
}

static struct line *make(unsigned noise, uint32_t retrains)
{
  struct weft_sender_settings settings = { .words = 500, .timeout = 100, .retrains = retrains };
  struct line *l = calloc(1, sizeof *l);
  assert_non_null(l);
  l->seed = 7;
  l->noise = noise;
  l->sender = malloc(weft_sender_size(&settings));
  assert_non_null(l->sender);
  weft_sender_reset(l->sender, &settings);
  weft_receiver_reset(&l->receiver, WEFT_FRAME_WORDS_MAX);
  return l;
}

static void unmake(struct line *l)
{
  free(l->sender);
  free(l);
}

static void put(struct line *l, const uint32_t *frame, unsigned words)
{
  for (unsigned i = 0; i < words; i++) {
    assert_true(l->tail - l->head < QUEUE);
    l->queue[l->tail % QUEUE] = frame[i];
    l->start[l->tail++ % QUEUE] = i == 0;
  }
}

static void act(struct line *l, enum weft_sender_action action)
{
  static uint32_t frame[WEFT_FRAME_WORDS_MAX];
  uint32_t at = 0;
  unsigned words;
  if (action == WEFT_SENDER_NOTHING || action == WEFT_SENDER_DOWN)
    return;
  l->head = l->tail; /* what has not left begins anew with the rest */
  while ((words = weft_sender_replay(l->sender, &at, frame)) != 0)
    put(l, frame, words);
}

static void accept(void *context, const uint32_t *frame, unsigned words)
{
  struct line *l = context;
  assert_int_equal(frame[1], l->expected);
  assert_int_equal(words, 6U + l->expected % 20U);
  l->expected++;
}

/* The next beat of what waits: up to the second start. */
static struct beat next_beat(struct line *l)
{
  struct beat b = { .valid = l->head != l->tail };
  for (unsigned i = 0; i < BEAT && l->head != l->tail; i++, l->head++) {
    bool start = l->start[l->head % QUEUE];
    if (start && b.starts)
      break;
    b.word[i] = l->queue[l->head % QUEUE];
    b.starts |= (uint32_t)start << i;
  }
  return b;
}

static bool hit(struct line *l)
{
  return l->dead || (l->noise && below(l, l->noise) == 0);
}

/* Flips, drops, doubles and swaps beats. */
static void damage(struct line *l, struct beat *b)
{
  struct beat *before = &l->wire[(l->now + FLIGHT - 1U) % FLIGHT];
  struct beat kept = *b;
  switch (l->dead ? 1U : below(l, 5)) {
  case 0:
    b->word[below(l, BEAT)] ^= 1U << below(l, 32);
    break;
  case 1:
    b->valid = false;
    break;
  case 2:
    *b = *before;
    break;
  case 3:
    b->starts ^= 1U << below(l, BEAT);
    break;
  default:
    *b = *before;
    *before = kept;
    break;
  }
}

static void cycle(struct line *l)
{
  unsigned at = (unsigned)(l->now % FLIGHT);
  struct beat arrives = l->wire[at];
  struct record heard = l->side[at];
  if (arrives.valid)
    weft_receiver_beat(&l->receiver, arrives.word, arrives.starts, BEAT, accept, l);
  l->side[at] = (struct record){ weft_receiver_ack(&l->receiver), l->receiver.naks, !hit(l) && !l->deaf };
  l->wire[at] = next_beat(l);
  if (hit(l))
    damage(l, &l->wire[at]);
  if (heard.valid)
    act(l, weft_sender_record(l->sender, heard.ack, heard.naks));
  if (l->head == l->tail)
    act(l, weft_sender_tick(l->sender));
  l->now++;
}

static void send(struct line *l, uint32_t number)
{
  uint32_t frame[32] = { 0 };
  unsigned count = 4U + number % 20U;
  for (unsigned i = 1; i <= count; i++)
    frame[i] = number * i;
  put(l, frame, weft_sender_send(l->sender, frame, count));
}

/* Until `frames` have gone out and come in, or so many cycles have passed. */
static void run(struct line *l, uint32_t frames, uint64_t cycles)
{
  for (; l->expected < frames && cycles; cycles--) {
    if (l->sent < frames && l->tail - l->head < 64U && weft_sender_may_send(l->sender, 6U + l->sent % 20U))
      send(l, l->sent++);
    cycle(l);
  }
}

static void a_clean_wire_asks_for_nothing(void **state)
{
  (void)state;
  struct line *l = make(0, 1);
  run(l, 10000, 1000000);
  assert_int_equal(l->expected, 10000);
  assert_int_equal(l->sender->count.replays + l->sender->count.timeouts + l->receiver.count.naks, 0);
  assert_int_equal(l->receiver.count.accepted, l->sender->count.sent);
  unmake(l);
}

static void a_bad_wire_loses_nothing(void **state)
{
  (void)state;
  static const unsigned noise[] = { 1000, 100, 30 };
  for (unsigned i = 0; i < 3; i++) {
    struct line *l = make(noise[i], 1000);
    run(l, 10000, 10000000);
    const struct weft_receiver_counts *r = &l->receiver.count;
    assert_int_equal(l->expected, 10000);
    assert_true(r->broken && r->gaps);
    assert_true(noise[i] > 30 || r->cut);
    assert_true(l->sender->count.replays <= r->naks + l->sender->count.timeouts);
    unmake(l);
  }
}

static void a_link_that_dies_for_a_while_comes_back(void **state)
{
  (void)state;
  struct line *l = make(0, 3);
  run(l, 1000000, 500);
  l->dead = true;
  run(l, 1000000, 1000); /* ten time-outs: two retrainings */
  assert_false(l->sender->down);
  assert_true(l->sender->count.retrains > 0);
  l->dead = false;
  uint32_t before = l->expected;
  for (unsigned i = 0; i < 2000; i++)
    cycle(l);
  assert_true(l->expected > before);
  assert_int_equal(weft_sender_outstanding(l->sender), 0);
  assert_int_equal(l->sender->retrains, 0); /* progress */
  unmake(l);
}

static void lost_acknowledgements_cost_a_replay(void **state)
{
  (void)state;
  struct line *l = make(0, 3);
  l->deaf = true;
  run(l, 20, 350);
  for (unsigned i = 0; i < 150; i++)
    cycle(l);
  l->deaf = false;
  for (unsigned i = 0; i < 200; i++)
    cycle(l);
  assert_int_equal(l->expected, 20);
  assert_true(l->receiver.count.duplicates >= 20 && l->sender->count.timeouts);
  assert_int_equal(l->receiver.count.naks, 0);
  assert_int_equal(weft_sender_outstanding(l->sender), 0);
  unmake(l);
}

static void a_dead_link_is_given_up(void **state)
{
  (void)state;
  struct line *l = make(0, 2);
  l->dead = true;
  send(l, 0);
  for (unsigned i = 0; i < 100 * 20; i++)
    cycle(l);
  assert_true(l->sender->down);
  assert_int_equal(l->sender->count.retrains, 2);
  assert_int_equal(l->sender->count.replays, 3 * (WEFT_LINK_TRIES - 1U));
  assert_false(weft_sender_may_send(l->sender, 6));
  unmake(l);
}

static void the_window_is_half_the_numbers(void **state)
{
  (void)state;
  struct weft_sender_settings settings = { .words = 100000, .timeout = 10, .retrains = 1 };
  struct weft_sender *s = malloc(weft_sender_size(&settings));
  uint32_t frame[8];
  assert_non_null(s);
  weft_sender_reset(s, &settings);
  for (unsigned i = 0; i < WEFT_LINK_WINDOW; i++) {
    assert_true(weft_sender_may_send(s, 6));
    weft_sender_send(s, frame, 4);
  }
  assert_false(weft_sender_may_send(s, 6));
  assert_int_equal(weft_sender_record(s, WEFT_LINK_WINDOW, 0),
                   WEFT_SENDER_NOTHING); /* never sent: not heard */
  assert_false(weft_sender_may_send(s, 6));
  assert_int_equal(weft_sender_record(s, 0, 0), WEFT_SENDER_NOTHING);
  assert_true(weft_sender_may_send(s, 6));
  assert_int_equal(weft_sender_record(s, 9, 1), WEFT_SENDER_REPLAY); /* a Nak purges too */
  assert_int_equal(weft_sender_outstanding(s), WEFT_LINK_WINDOW - 10U);
  assert_int_equal(weft_sender_record(s, 9, 0), WEFT_SENDER_NOTHING); /* an old record */
  free(s);
}

int main(void)
{
  const struct CMUnitTest tests[] = {
    cmocka_unit_test(a_clean_wire_asks_for_nothing),
    cmocka_unit_test(a_bad_wire_loses_nothing),
    cmocka_unit_test(a_link_that_dies_for_a_while_comes_back),
    cmocka_unit_test(lost_acknowledgements_cost_a_replay),
    cmocka_unit_test(a_dead_link_is_given_up),
    cmocka_unit_test(the_window_is_half_the_numbers),
  };
  return cmocka_run_group_tests_name("model.link_layer", tests, NULL, NULL);
}
