/* SPDX-License-Identifier: Apache-2.0 */
/* The device as USB sees it: packets, transfers, requests, and every fault. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdlib.h>
#include <string.h>

#include <cmocka.h>

#include "device.h"
#include "echo_board.h"
#include "fault_names.h"
#include "host_message.h"

struct bench {
  struct weft_sim_board board;
  struct device device;
  uint64_t names;
};

static void open_bench(struct bench *b, struct weft_vboard_options *o)
{
  memset(b, 0, sizeof *b);
  o->serial = "VIRTUAL";
  o->seed = o->seed ? o->seed : 1;
  b->board.fifo.room = WEFT_FTDI_FIFO;
  device_open(&b->device, &echo_ops, &b->board, o);
}

static struct transfer *submit(struct bench *b, uint8_t endpoint, uint8_t *bytes, uint32_t length)
{
  struct transfer *t = calloc(1, sizeof *t);
  assert_non_null(t);
  t->endpoint = endpoint;
  t->control = !endpoint;
  t->bytes = bytes;
  t->length = length;
  t->name = ++b->names;
  device_submit(&b->device, t);
  return t;
}

static int control(struct bench *b, uint8_t type, uint8_t request, uint16_t value, uint8_t *bytes,
                   uint16_t length)
{
  const uint8_t setup[DEVICE_SETUP] = { type, request, (uint8_t)value,  (uint8_t)(value >> 8),
                                        0,    0,       (uint8_t)length, (uint8_t)(length >> 8) };
  memcpy(bytes, setup, sizeof setup);
  struct transfer *t = submit(b, 0, bytes, DEVICE_SETUP + length);
  device_serve(&b->device, 0);
  assert_ptr_equal(device_reap(&b->device, NULL), t);
  int result = t->result == DEVICE_DONE ? (int)t->actual : -1;
  free(t);
  return result;
}

/* Serves until the transfer comes back, and checks that it does. */
static enum device_result finish(struct bench *b, struct transfer *t, uint32_t *actual)
{
  struct transfer *found = NULL;
  for (unsigned i = 0; i < 1000 && !(found = device_reap(&b->device, NULL)); i++)
    device_serve(&b->device, 128);
  assert_ptr_equal(found, t);
  enum device_result result = t->result;
  *actual = t->actual;
  free(t);
  return result;
}

/* ---- Packets --------------------------------------------------------------------------------------------------- */

/* Bytes there and back, without the two in front of each packet. */
static void there_and_back(enum weft_board_front front, uint32_t count, uint32_t buffer)
{
  struct weft_vboard_options o = { .front = front };
  struct bench b;
  uint8_t sent[2000], in[4096], got[2000];
  uint32_t actual, total = 0;
  unsigned packet = descriptor_packet(front);
  open_bench(&b, &o);
  for (uint32_t i = 0; i < count; i++)
    sent[i] = (uint8_t)(i * 13 + 1);
  struct transfer *out = submit(&b, DEVICE_OUT, sent, count);
  bool out_is_done = false;
  for (unsigned tries = 0; total < count && tries < 200; tries++) {
    struct transfer *t = submit(&b, DEVICE_IN, in, buffer), *done;
    do {
      device_serve(&b.device, 128);
      done = device_reap(&b.device, NULL);
      out_is_done |= done == out;
    } while (done != t);
    assert_int_equal(t->result, DEVICE_DONE);
    for (uint32_t i = 0; i < t->actual; i++) {
      if (i % packet == 0)
        assert_int_equal(in[i], front == WEFT_BOARD_FT245 ? 0x32 : 0x31);
      else if (i % packet >= 2)
        got[total++] = in[i];
    }
    free(t);
  }
  if (!out_is_done)
    assert_int_equal(finish(&b, out, &actual), DEVICE_DONE);
  else
    free(out);
  assert_int_equal(total, count);
  assert_memory_equal(got, sent, count);
}

static void bytes_there_and_back(void **state)
{
  static const uint32_t counts[] = { 1, 61, 62, 63, 509, 510, 511, 1020, 1500, 2000 };
  (void)state;
  for (size_t i = 0; i < sizeof counts / sizeof *counts; i++) {
    there_and_back(WEFT_BOARD_FT245, counts[i], 512);
    there_and_back(WEFT_BOARD_FT245, counts[i], 4096);
    there_and_back(WEFT_BOARD_UART, counts[i], 64);
    there_and_back(WEFT_BOARD_UART, counts[i], 512);
  }
}

static void silence_is_two_bytes(void **state)
{
  struct weft_vboard_options o = { .front = WEFT_BOARD_FT245 };
  struct bench b;
  uint8_t in[512];
  uint32_t actual;
  (void)state;
  open_bench(&b, &o);
  assert_int_equal(finish(&b, submit(&b, DEVICE_IN, in, sizeof in), &actual), DEVICE_DONE);
  assert_int_equal(actual, 2);
}

static void a_small_buffer_overflows(void **state)
{
  struct weft_vboard_options o = { .front = WEFT_BOARD_FT245 };
  struct bench b;
  uint8_t out[100] = { 1 }, in[50];
  uint32_t actual;
  (void)state;
  open_bench(&b, &o);
  assert_int_equal(finish(&b, submit(&b, DEVICE_OUT, out, sizeof out), &actual), DEVICE_DONE);
  assert_int_equal(finish(&b, submit(&b, DEVICE_IN, in, sizeof in), &actual), DEVICE_OVERFLOW);
}

static void cancelled_and_unplugged(void **state)
{
  struct weft_vboard_options o = { .front = WEFT_BOARD_FT245 };
  struct bench b;
  uint8_t in[512];
  uint32_t actual;
  (void)state;
  open_bench(&b, &o);
  struct transfer *first = submit(&b, DEVICE_IN, in, sizeof in),
                  *second = submit(&b, DEVICE_IN, in, sizeof in);
  struct transfer *third = submit(&b, DEVICE_IN, in, sizeof in);
  assert_true(device_cancel(&b.device, NULL, second->name));
  assert_false(device_cancel(&b.device, NULL, second->name));
  assert_int_equal(finish(&b, second, &actual), DEVICE_CANCELLED);
  device_unplug(&b.device);
  assert_int_equal(finish(&b, first, &actual), DEVICE_GONE);
  assert_int_equal(finish(&b, third, &actual), DEVICE_GONE);
  assert_int_equal(finish(&b, submit(&b, DEVICE_IN, in, sizeof in), &actual), DEVICE_GONE);
}

static void everybody_reaps_his_own(void **state)
{
  struct weft_vboard_options o = { .front = WEFT_BOARD_FT245 };
  struct bench b;
  uint8_t in[512];
  int mine, yours;
  (void)state;
  open_bench(&b, &o);
  struct transfer *first = submit(&b, DEVICE_IN, in, sizeof in),
                  *second = submit(&b, DEVICE_IN, in, sizeof in);
  first->owner = &mine;
  second->owner = &yours;
  device_cancel_all(&b.device, &yours);
  assert_null(device_reap(&b.device, &mine));
  assert_ptr_equal(device_reap(&b.device, &yours), second);
  device_unplug(&b.device);
  assert_ptr_equal(device_reap(&b.device, &mine), first);
  free(first);
  free(second);
}

/* ---- Requests -------------------------------------------------------------------------------------------------- */

static void descriptors(void **state)
{
  static const struct {
    enum weft_board_front front;
    uint8_t product;
    unsigned packet;
  } chips[] = { { WEFT_BOARD_FT245, 0x14, 512 }, { WEFT_BOARD_UART, 0x15, 64 } };
  (void)state;
  for (size_t i = 0; i < 2; i++) {
    struct weft_vboard_options o = { .front = chips[i].front };
    struct bench b;
    uint8_t bytes[8 + 255];
    open_bench(&b, &o);
    assert_int_equal(control(&b, 0x80, 6, 0x0100, bytes, 18), 18);
    assert_int_equal(bytes[8 + 10], chips[i].product);
    assert_int_equal(control(&b, 0x80, 6, 0x0200, bytes, 255), 32);
    assert_int_equal(bytes[8 + 22] | bytes[8 + 23] << 8, chips[i].packet);
    assert_int_equal(bytes[8 + 20], 0x81);
    assert_int_equal(bytes[8 + 27], 0x02);
    assert_int_equal(control(&b, 0x80, 6, 0x0200, bytes, 9), 9);
    assert_int_equal(control(&b, 0x80, 6, 0x0303, bytes, 255), 2 + 2 * 7);
    assert_int_equal(bytes[8 + 2], 'V');
    assert_int_equal(control(&b, 0x80, 6, 0x0309, bytes, 255), -1);
    assert_int_equal(control(&b, 0x80, 6, 0x0700, bytes, 255), -1);
    assert_int_equal(control(&b, 0x80, 8, 0, bytes, 1), -1);
  }
}

static void vendor_requests(void **state)
{
  struct weft_vboard_options o = { .front = WEFT_BOARD_FT245 };
  struct bench b;
  uint8_t bytes[64];
  (void)state;
  open_bench(&b, &o);
  assert_int_equal(control(&b, 0xc0, 0x0a, 0, bytes, 1), 1);
  assert_int_equal(bytes[8], 16);
  assert_int_equal(control(&b, 0x40, 0x09, 2, bytes, 0), 0);
  assert_int_equal(control(&b, 0xc0, 0x0a, 0, bytes, 1), 1);
  assert_int_equal(bytes[8], 2);
  assert_int_equal(control(&b, 0x40, 0x09, 0, bytes, 0), -1);
  assert_int_equal(control(&b, 0x40, 0x0b, 0x4000, bytes, 0), 0);
  assert_true(b.board.active);
  assert_int_equal(control(&b, 0x40, 0x0b, 0x0000, bytes, 0), 0);
  assert_false(b.board.active);
  assert_int_equal(control(&b, 0x40, 0x03, 7, bytes, 0), 0);
  assert_int_equal(control(&b, 0x40, 0x03, 700, bytes, 0), -1);
  assert_int_equal(control(&b, 0x40, 0x00, 3, bytes, 0), -1);
  assert_int_equal(control(&b, 0x40, 0x77, 0, bytes, 0), -1);
  assert_int_equal(control(&b, 0xc0, 0x05, 0, bytes, 1), -1); /* no room for its two bytes */
  b.board.fifo.count = 5;
  assert_int_equal(control(&b, 0x40, 0x00, 0, bytes, 0), 0);
  assert_int_equal(b.board.fifo.count, 0);
}

static void a_request_cut_short_is_refused(void **state)
{
  struct weft_vboard_options o = { .front = WEFT_BOARD_FT245 };
  struct bench b;
  uint8_t bytes[8] = { 0x80, 6, 0, 1 };
  uint32_t actual;
  (void)state;
  open_bench(&b, &o);
  assert_int_equal(finish(&b, submit(&b, 0, bytes, 7), &actual), DEVICE_STALLED);
  assert_int_equal(finish(&b, submit(&b, 0x03, bytes, 7), &actual), DEVICE_STALLED);
}

/* ---- Faults ---------------------------------------------------------------------------------------------------- */

static void ask(struct weft_vboard_options *o, enum weft_vboard_fault_kind kind, uint64_t number)
{
  o->fault[kind].on = true;
  o->fault[kind].number = number;
}

/* So many bytes through the faults of one way; returns what is left of them. */
static size_t pass(struct faults *f, enum fault_way way, size_t count, size_t *changed)
{
  size_t left = 0;
  for (size_t i = 0; i < count; i++) {
    uint8_t out[FAULT_BYTES_MAX];
    unsigned now = faults_byte(f, way, (uint8_t)i, out);
    *changed += now && out[0] != (uint8_t)i;
    left += now;
  }
  return left;
}

static void byte_faults_come_as_often_as_asked(void **state)
{
  (void)state;
  for (unsigned kind = WEFT_VBOARD_LOSE; kind <= WEFT_VBOARD_INSERT; kind++) {
    struct weft_vboard_options o = { .seed = 5 };
    struct faults f;
    size_t changed = 0;
    ask(&o, kind, 100);
    faults_begin(&f, &o);
    size_t left = pass(&f, FAULT_UP, 100000, &changed);
    uint64_t injected = f.kind[kind].injected;
    assert_in_range(injected, 900, 1100);
    assert_int_equal(left, kind == WEFT_VBOARD_LOSE     ? 100000 - injected
                           : kind == WEFT_VBOARD_INSERT ? 100000 + injected
                                                        : 100000);
    assert_int_equal(changed, kind == WEFT_VBOARD_FLIP ? injected : 0);
  }
}

/* The same seed, the same faults, whichever way moves first. */
static void faults_are_seeded(void **state)
{
  struct weft_vboard_options o = { .seed = 9 };
  struct faults a, b;
  size_t changed[2] = { 0 };
  (void)state;
  ask(&o, WEFT_VBOARD_LOSE, 50);
  ask(&o, WEFT_VBOARD_FLIP, 50);
  faults_begin(&a, &o);
  faults_begin(&b, &o);
  size_t first = pass(&a, FAULT_DOWN, 5000, &changed[0]);
  pass(&b, FAULT_UP, 777, &changed[1]);
  changed[1] = 0;
  assert_int_equal(pass(&b, FAULT_DOWN, 5000, &changed[1]), first);
  assert_int_equal(changed[0], changed[1]);
}

static void a_stall_lasts_until_it_is_cleared(void **state)
{
  struct weft_vboard_options o = { .front = WEFT_BOARD_FT245 };
  struct bench b;
  uint8_t bytes[512] = { 0 };
  uint32_t actual;
  unsigned stalls = 0;
  (void)state;
  ask(&o, WEFT_VBOARD_STALL, 3);
  open_bench(&b, &o);
  for (unsigned i = 0; i < 60; i++) {
    if (finish(&b, submit(&b, DEVICE_OUT, bytes, 8), &actual) == DEVICE_DONE) {
      b.board.fifo.count = 0;
      continue;
    }
    stalls++;
    assert_int_equal(actual, 0);
    assert_int_equal(finish(&b, submit(&b, DEVICE_OUT, bytes, 8), &actual), DEVICE_STALLED);
    device_clear_halt(&b.device, DEVICE_OUT);
  }
  assert_in_range(stalls, 10, 30);
}

static void unplugged_stuck_and_hanging(void **state)
{
  uint8_t bytes[512] = { 0 };
  uint32_t actual;
  struct bench b;
  (void)state;
  struct weft_vboard_options unplug = { .front = WEFT_BOARD_FT245 }, stuck = unplug, hang = unplug;
  ask(&unplug, WEFT_VBOARD_UNPLUG, 100);
  open_bench(&b, &unplug);
  assert_int_equal(finish(&b, submit(&b, DEVICE_OUT, bytes, 40), &actual), DEVICE_DONE);
  assert_false(b.device.gone);
  assert_int_equal(finish(&b, submit(&b, DEVICE_OUT, bytes, 60), &actual), DEVICE_DONE);
  assert_int_equal(finish(&b, submit(&b, DEVICE_OUT, bytes, 60), &actual), DEVICE_GONE);
  assert_int_equal(b.device.faults.kind[WEFT_VBOARD_UNPLUG].injected, 1);

  ask(&stuck, WEFT_VBOARD_STUCK, 10);
  open_bench(&b, &stuck);
  assert_int_equal(finish(&b, submit(&b, DEVICE_OUT, bytes, 60), &actual), DEVICE_DONE);
  device_serve(&b.device, 0);
  assert_true(b.board.stuck);

  ask(&hang, WEFT_VBOARD_HANG, 2);
  open_bench(&b, &hang);
  assert_int_equal(finish(&b, submit(&b, DEVICE_OUT, bytes, 1), &actual), DEVICE_DONE);
  assert_int_equal(finish(&b, submit(&b, DEVICE_OUT, bytes, 1), &actual), DEVICE_DONE);
  struct transfer *last = submit(&b, DEVICE_OUT, bytes, 1);
  for (unsigned i = 0; i < 100; i++)
    device_serve(&b.device, 1000);
  assert_null(device_reap(&b.device, NULL));
  assert_false(device_waits(&b.device));
  device_cancel_all(&b.device, NULL); /* which the kernel's driver does, whatever the device */
  assert_int_equal(finish(&b, last, &actual), DEVICE_CANCELLED);
}

/* A hello through the fault, read as the library reads it. */
static void read_other(uint64_t number, struct weft_host_answer *answer, uint8_t *version)
{
  struct weft_vboard_options o = { .seed = 1 };
  struct weft_host_answer hello = { .code = WEFT_HOST_IDENTITY };
  struct weft_host_header header = { .kind = WEFT_HOST_RESET, .sequence = 7 };
  struct other_version other = { 0 };
  struct faults f;
  uint8_t payload[WEFT_HOST_PAYLOAD], frame[WEFT_HOST_FRAME_MAX], out[WEFT_HOST_FRAME_MAX];
  size_t bytes = 0;
  ask(&o, WEFT_VBOARD_VERSION, number);
  faults_begin(&f, &o);
  hello.identity =
    (struct weft_host_identity){ .magic = WEFT_HOST_MAGIC, .version = 1, .abi = 1, .nodes = 2 };
  header.length = (uint16_t)weft_host_answer_write(&hello, 32, payload);
  size_t count = weft_host_frame_write(&header, payload, frame);
  for (size_t i = 0; i < count; i++)
    bytes = other_version_byte(&other, &f, frame[i], out);
  assert_int_equal(bytes, count);
  assert_int_equal(f.kind[WEFT_VBOARD_VERSION].injected, 1);
  static struct weft_host_receiver r;
  weft_host_receiver_reset(&r);
  bool whole = false;
  for (size_t i = 0; i < bytes; i++)
    whole |= weft_host_receive(&r, out[i]) == WEFT_HOST_FRAME;
  *version = r.version;
  assert_int_equal(whole,
                   number != 3); /* a receiver drops what it does not know, but sees which version that was */
  if (whole)                     /* what has another magic is no answer at all */
    assert_int_equal(weft_host_answer_read(answer, 32, r.payload, r.header.length) == 0, number == 4);
}

static void other_versions(void **state)
{
  struct weft_host_answer answer = { 0 };
  uint8_t version = 0;
  (void)state;
  read_other(1, &answer, &version);
  assert_int_equal(answer.identity.hash[0], 0xff);
  assert_int_equal(answer.identity.abi, 1);
  read_other(2, &answer, &version);
  assert_int_equal(answer.identity.abi, 2);
  assert_int_equal(answer.identity.hash[0], 0);
  read_other(3, &answer, &version);
  assert_int_equal(version, 2);
  read_other(4, &answer, &version);
}

static void short_packets(void **state)
{
  struct weft_vboard_options o = { .front = WEFT_BOARD_FT245 };
  struct bench b;
  uint8_t out[1000], in[512];
  uint32_t actual, got = 0;
  unsigned packets = 0;
  (void)state;
  ask(&o, WEFT_VBOARD_SHORT, 2);
  open_bench(&b, &o);
  for (unsigned i = 0; i < sizeof out; i++)
    out[i] = (uint8_t)i;
  assert_int_equal(finish(&b, submit(&b, DEVICE_OUT, out, sizeof out), &actual), DEVICE_DONE);
  for (; got < sizeof out; packets++) {
    assert_int_equal(finish(&b, submit(&b, DEVICE_IN, in, sizeof in), &actual), DEVICE_DONE);
    assert_true(actual >= 2);
    for (uint32_t i = 2; i < actual; i++)
      assert_int_equal(in[i], (uint8_t)got++);
  }
  assert_int_equal(b.device.faults.kind[WEFT_VBOARD_SHORT].injected > 0, packets > 2);
  assert_true(packets > 2);
}

int main(void)
{
  const struct CMUnitTest tests[] = {
    cmocka_unit_test(bytes_there_and_back),
    cmocka_unit_test(silence_is_two_bytes),
    cmocka_unit_test(a_small_buffer_overflows),
    cmocka_unit_test(cancelled_and_unplugged),
    cmocka_unit_test(everybody_reaps_his_own),
    cmocka_unit_test(descriptors),
    cmocka_unit_test(vendor_requests),
    cmocka_unit_test(a_request_cut_short_is_refused),
    cmocka_unit_test(byte_faults_come_as_often_as_asked),
    cmocka_unit_test(faults_are_seeded),
    cmocka_unit_test(a_stall_lasts_until_it_is_cleared),
    cmocka_unit_test(unplugged_stuck_and_hanging),
    cmocka_unit_test(other_versions),
    cmocka_unit_test(short_packets),
  };
  return cmocka_run_group_tests_name("vboard.device", tests, NULL, NULL);
}
