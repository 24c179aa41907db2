/* SPDX-License-Identifier: Apache-2.0 */
/* The FTDI chips at their pins: an FPGA that keeps the rules loses nothing, one that breaks them is caught. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdlib.h>
#include <string.h>

#include <cmocka.h>

#include "ftdi_chip.h"

/* ---- FT232H: a small FPGA at its pins -------------------------------------------------------------------------- */

enum state { IDLE, TURN, READ, WRITE };

struct fpga {
  enum state state;
  struct weft_board_outputs out;
  uint8_t got[4096];
  size_t got_count;
  const uint8_t *send;
  size_t send_count, sent;
};

static void fpga_idle(struct fpga *f)
{
  f->state = IDLE;
  f->out = (struct weft_board_outputs){ .txd = true, .oe_n = true, .rd_n = true, .wr_n = true };
}

/* What it shows after an edge, from what the chip showed before it. */
static void fpga_edge(struct fpga *f, const struct weft_board_inputs *pins)
{
  if (!f->out.rd_n && !pins->rxf_n)
    f->got[f->got_count++] = pins->data;
  if (!f->out.wr_n && !pins->txe_n)
    f->sent++;
  switch (f->state) {
  case IDLE:
    if (!pins->rxf_n) {
      f->state = TURN;
      f->out.oe_n = false;
    } else if (f->sent < f->send_count) {
      f->state = WRITE;
      f->out.drive = true;
      f->out.wr_n = false;
    }
    break;
  case TURN:
    f->state = READ;
    f->out.rd_n = false;
    break;
  case READ:
    if (pins->rxf_n)
      fpga_idle(f);
    break;
  case WRITE:
    if (f->sent == f->send_count)
      fpga_idle(f);
    break;
  }
  f->out.data = f->sent < f->send_count ? f->send[f->sent] : 0;
}

static unsigned step(struct weft_ft232h *c, struct fpga *f, struct weft_board_inputs *pins)
{
  struct weft_board_outputs before = f->out;
  fpga_edge(f, pins);
  unsigned moved = weft_ft232h_edge(c, pins, &before);
  weft_ft232h_drive(c, pins);
  return moved;
}

static void open_chip(struct weft_ft232h *c, struct fpga *f, struct weft_board_inputs *pins)
{
  memset(f, 0, sizeof *f);
  memset(pins, 0, sizeof *pins);
  fpga_idle(f);
  weft_ft232h_reset(c);
  c->active = true;
  weft_ft232h_drive(c, pins);
}

static void test_fifo_both_ways(void **unused)
{
  struct weft_ft232h c;
  struct fpga f;
  struct weft_board_inputs pins;
  uint8_t sent[700], back[700];
  size_t given = 0, taken = 0;
  unsigned rises = 0;
  (void)unused;
  open_chip(&c, &f, &pins);
  for (size_t i = 0; i < sizeof sent; i++)
    sent[i] = (uint8_t)(i * 7 + i / 256);
  f.send = sent;
  f.send_count = sizeof sent;
  for (unsigned clock = 0; clock < 6000; clock++) {
    bool low = !pins.rxf_n;
    if (given < sizeof sent && clock % 2)
      weft_ftdi_fifo_push(&c.down, sent[given++]);
    step(&c, &f, &pins);
    rises += low && pins.rxf_n;
    if (c.up.count && clock % 3 == 0)
      back[taken++] = weft_ftdi_fifo_pop(&c.up);
  }
  assert_int_equal(f.got_count, sizeof sent);
  assert_memory_equal(f.got, sent, sizeof sent);
  assert_int_equal(taken, sizeof sent);
  assert_memory_equal(back, sent, sizeof sent);
  assert_true(rises > 0);
  assert_int_equal(c.breach, WEFT_FTDI_FINE);
}

/* The classic lost byte: TXE# rises while WR# is low, so the byte was not taken, and must stand. */
static void test_a_full_fifo_takes_nothing(void **unused)
{
  struct weft_ft232h c;
  struct fpga f;
  struct weft_board_inputs pins;
  static uint8_t bytes[WEFT_FTDI_FIFO + 100];
  (void)unused;
  open_chip(&c, &f, &pins);
  for (size_t i = 0; i < sizeof bytes; i++)
    bytes[i] = (uint8_t)(i ^ i >> 8);
  f.send = bytes;
  f.send_count = sizeof bytes;
  for (unsigned clock = 0; clock < 2000; clock++)
    step(&c, &f, &pins);
  assert_int_equal(c.up.count, WEFT_FTDI_FIFO);
  assert_true(pins.txe_n);
  assert_true(c.held > 0);
  for (size_t i = 0; i < sizeof bytes; i++) {
    assert_int_equal(weft_ftdi_fifo_pop(&c.up), bytes[i]);
    step(&c, &f, &pins);
    step(&c, &f, &pins);
  }
  assert_int_equal(c.up.count, 0);
  assert_int_equal(f.sent, sizeof bytes);
}

static void test_stuck_and_inactive(void **unused)
{
  struct weft_ft232h c;
  struct fpga f;
  struct weft_board_inputs pins;
  uint8_t byte = 5;
  (void)unused;
  open_chip(&c, &f, &pins);
  c.stuck = true;
  weft_ft232h_drive(&c, &pins);
  f.send = &byte;
  f.send_count = 1;
  for (unsigned clock = 0; clock < 50; clock++)
    assert_int_equal(step(&c, &f, &pins), 0);
  open_chip(&c, &f, &pins);
  c.active = false;
  weft_ftdi_fifo_push(&c.down, 1);
  weft_ft232h_drive(&c, &pins);
  for (unsigned clock = 0; clock < 50; clock++)
    assert_int_equal(step(&c, &f, &pins), 0);
  assert_true(pins.rxf_n && pins.txe_n);
}

/* At the end of a packet of the host RXF# is high for one clock, and no byte is given twice or lost by it. */
static void test_a_packet_ends(void **unused)
{
  struct weft_ft232h c;
  struct fpga f;
  struct weft_board_inputs pins;
  (void)unused;
  open_chip(&c, &f, &pins);
  for (unsigned i = 0; i < 600; i++)
    weft_ftdi_fifo_push(&c.down, (uint8_t)i);
  weft_ft232h_drive(&c, &pins);
  unsigned clock = 0;
  for (; f.got_count < 512; clock++)
    step(&c, &f, &pins);
  assert_true(pins.rxf_n);
  for (; clock < 700; clock++)
    step(&c, &f, &pins);
  assert_int_equal(f.got_count, 600);
  assert_int_equal(f.got[599], (uint8_t)599);
}

/* FPGAs that do not keep the rules. */
static void test_breaches(void **unused)
{
  const struct weft_board_outputs idle = { .oe_n = true, .rd_n = true, .wr_n = true };
  struct weft_board_outputs out[2];
  static const enum weft_ftdi_breach expected[] = { WEFT_FTDI_BOTH_DRIVE, WEFT_FTDI_NO_TURN,
                                                    WEFT_FTDI_NO_TURN, WEFT_FTDI_EARLY_READ,
                                                    WEFT_FTDI_NO_DATA };
  (void)unused;
  for (unsigned i = 0; i < 5; i++) {
    struct weft_ft232h c;
    struct weft_board_inputs pins = { .rxf_n = true, .txe_n = true };
    out[0] = out[1] = idle;
    weft_ft232h_reset(&c);
    c.active = true;
    switch (i) {
    case 0:
      out[1].oe_n = false;
      out[1].drive = true;
      break;
    case 1:
      out[0].oe_n = false;
      out[1].drive = true;
      break;
    case 2:
      out[0].drive = true;
      out[1].oe_n = false;
      break;
    case 3:
      out[1].oe_n = false;
      out[1].rd_n = false;
      break;
    default:
      out[1].wr_n = false;
      break;
    }
    weft_ft232h_edge(&c, &pins, &out[0]);
    assert_int_equal(c.breach, WEFT_FTDI_FINE);
    weft_ft232h_edge(&c, &pins, &out[1]);
    assert_int_equal(c.breach, expected[i]);
    weft_ft232h_edge(&c, &pins, &idle);
    assert_int_equal(c.breach, expected[i]); /* the first stays */
  }
}

/* ---- FT231X ---------------------------------------------------------------------------------------------------- */

/* Two chips, one's transmitter at the other's receiver. */
static void uart_line(struct weft_ft231x *from, struct weft_ft231x *to, unsigned clocks)
{
  struct weft_board_inputs pins = { .rxd = true };
  struct weft_board_outputs quiet = { .txd = true }, out = { .txd = true };
  for (unsigned i = 0; i < clocks; i++) {
    weft_ft231x_edge(from, &quiet);
    weft_ft231x_drive(from, &pins);
    out.txd = pins.rxd;
    weft_ft231x_edge(to, &out);
  }
}

static void test_uart_bytes(void **unused)
{
  static const uint16_t values[][2] = {
    { 0, 0 }, { 1, 0 }, { 2, 0 }, { 0xc003, 0 }, { 0x4004, 1 }, { 26, 0 }
  };
  (void)unused;
  for (size_t v = 0; v < sizeof values / sizeof *values; v++) {
    struct weft_ft231x a, b;
    weft_ft231x_reset(&a);
    weft_ft231x_reset(&b);
    assert_true(weft_ft231x_baud(&a, values[v][0], values[v][1]));
    assert_true(weft_ft231x_baud(&b, values[v][0], values[v][1]));
    for (unsigned i = 0; i < 256; i++)
      weft_ftdi_fifo_push(&a.down, (uint8_t)(i * 37));
    uart_line(&a, &b, 256 * 10 * a.bit / 8 + 100);
    assert_int_equal(b.up.count, 256);
    for (unsigned i = 0; i < 256; i++)
      assert_int_equal(weft_ftdi_fifo_pop(&b.up), (uint8_t)(i * 37));
    assert_int_equal(b.framing + b.overrun, 0);
  }
}

static void test_uart_rates(void **unused)
{
  struct weft_ft231x c;
  (void)unused;
  weft_ft231x_reset(&c);
  assert_true(weft_ft231x_baud(&c, 0, 0));
  assert_int_equal(c.bit, 20 * 8); /* 3 Mbaud */
  assert_true(weft_ft231x_baud(&c, 1, 0));
  assert_int_equal(c.bit, 30 * 8); /* 2 Mbaud */
  assert_true(weft_ft231x_baud(&c, 26, 0));
  assert_int_equal(c.bit, 520 * 8); /* 115385 baud */
  assert_true(weft_ft231x_baud(&c, 0x4002, 0));
  assert_int_equal(c.bit, 50 * 8); /* 2.5: 1.2 Mbaud */
  assert_true(weft_ft231x_baud(&c, 0xc003, 1));
  assert_int_equal(c.bit, 20 * (3 * 8 + 7));
  assert_false(weft_ft231x_baud(&c, 0x4000, 0)); /* below 2 there are but 0 and 1 */
  assert_false(weft_ft231x_baud(&c, 0x8001, 0));
}

/* Two that do not agree on their rate do not understand each other. */
static void test_uart_wrong_rate(void **unused)
{
  struct weft_ft231x a, b;
  unsigned same = 0;
  (void)unused;
  weft_ft231x_reset(&a);
  weft_ft231x_reset(&b);
  weft_ft231x_baud(&a, 0, 0);
  weft_ft231x_baud(&b, 1, 0);
  for (unsigned i = 0; i < 100; i++)
    weft_ftdi_fifo_push(&a.down, (uint8_t)(i * 91 + 3));
  uart_line(&a, &b, 30000);
  for (unsigned i = 0; b.up.count; i++)
    same += weft_ftdi_fifo_pop(&b.up) == (uint8_t)(i * 91 + 3);
  assert_true(same < 50);
  assert_true(b.framing > 0);
}

static void test_uart_overrun_and_spike(void **unused)
{
  struct weft_ft231x a, b;
  struct weft_board_outputs out = { .txd = false };
  (void)unused;
  weft_ft231x_reset(&a);
  weft_ft231x_reset(&b);
  weft_ft231x_baud(&a, 0, 0);
  weft_ft231x_baud(&b, 0, 0);
  for (unsigned i = 0; i < 600; i++)
    weft_ftdi_fifo_push(&a.down, 1);
  uart_line(&a, &b, 600 * 200 + 100);
  assert_int_equal(b.up.count, 512);
  assert_int_equal(b.overrun, 88);
  weft_ft231x_reset(&b);
  weft_ft231x_baud(&b, 0, 0);
  weft_ft231x_edge(&b, &out); /* low for one clock: no start bit */
  out.txd = true;
  for (unsigned i = 0; i < 1000; i++)
    weft_ft231x_edge(&b, &out);
  assert_int_equal(b.up.count + b.framing, 0);
}

int main(void)
{
  const struct CMUnitTest tests[] = {
    cmocka_unit_test(test_fifo_both_ways),
    cmocka_unit_test(test_a_full_fifo_takes_nothing),
    cmocka_unit_test(test_stuck_and_inactive),
    cmocka_unit_test(test_a_packet_ends),
    cmocka_unit_test(test_breaches),
    cmocka_unit_test(test_uart_bytes),
    cmocka_unit_test(test_uart_rates),
    cmocka_unit_test(test_uart_wrong_rate),
    cmocka_unit_test(test_uart_overrun_and_spike),
  };
  return cmocka_run_group_tests_name("vboard.chip", tests, NULL, NULL);
}
