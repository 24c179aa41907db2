/* SPDX-License-Identifier: Apache-2.0 */
/* FTDI's packets, and what chips are told. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <string.h>

#include <cmocka.h>

#include "usb_ftdi.h"

static void status_bytes_are_taken_by_packet_size(void **state)
{
  static const size_t sizes[] = { 64, 512 };
  uint8_t in[4096], out[4096];
  (void)state;
  for (unsigned s = 0; s < 2; s++)
    for (size_t count = 0; count <= 3 * sizes[s] + 5; count++) {
      bool overrun = false;
      size_t should = 0;
      for (size_t i = 0; i < count; i++)
        in[i] = i % sizes[s] == 0 ? 0x01 : i % sizes[s] == 1 ? 0x60 : (uint8_t)(should++ * 13);
      assert_int_equal(weft_ftdi_deframe(in, count, sizes[s], out, &overrun), should);
      assert_false(overrun);
      for (size_t i = 0; i < should; i++)
        assert_int_equal(out[i], (uint8_t)(i * 13));
    }
}

static void nothing_yet(void **state)
{
  static const uint8_t in[] = { 0x01, 0x60 };
  uint8_t out[2];
  bool overrun = false;
  (void)state;
  assert_int_equal(weft_ftdi_deframe(in, 2, 512, out, &overrun), 0);
  assert_int_equal(weft_ftdi_deframe(in, 1, 512, out, &overrun), 0);
  assert_int_equal(weft_ftdi_deframe(in, 0, 512, out, &overrun), 0); /* a zero-length packet */
  assert_false(overrun);
}

static void a_lost_byte_is_told(void **state)
{
  uint8_t in[70] = { 0 }, out[70];
  bool overrun = false;
  (void)state;
  in[65] = WEFT_FTDI_OVERRUN;
  assert_int_equal(weft_ftdi_deframe(in, 70, 64, out, &overrun), 66);
  assert_true(overrun);
}

/* Bit mode reset and its settings before anybody listens, the FIFO's mode only then. */
static void the_fifo_is_entered_last(void **state)
{
  const struct weft_ftdi_chip *chip = weft_ftdi_chip_find(0x0403, 0x6014);
  (void)state;
  assert_non_null(chip);
  assert_string_equal(chip->front, "ft245");
  for (size_t i = 0; i < chip->before_count; i++)
    assert_true(chip->before[i].request != WEFT_FTDI_BIT_MODE || chip->before[i].value == 0);
  assert_int_equal(chip->after_count, 1);
  assert_int_equal(chip->after[0].request, WEFT_FTDI_BIT_MODE);
  assert_int_equal(chip->after[0].value >> 8, 0x40);
  assert_int_equal(chip->end[0].value, 0);
}

static void chips_are_told_apart(void **state)
{
  (void)state;
  assert_string_equal(weft_ftdi_chip_find(0x0403, 0x6015)->front, "uart");
  assert_null(weft_ftdi_chip_find(0x0403, 0x6001));
  assert_null(weft_ftdi_chip_find(0x1209, 0x6014));
  assert_null(weft_ftdi_chip_at(2));
}

int main(void)
{
  const struct CMUnitTest tests[] = {
    cmocka_unit_test(status_bytes_are_taken_by_packet_size),
    cmocka_unit_test(nothing_yet),
    cmocka_unit_test(a_lost_byte_is_told),
    cmocka_unit_test(the_fifo_is_entered_last),
    cmocka_unit_test(chips_are_told_apart),
  };
  return cmocka_run_group_tests_name("ftdi", tests, NULL, NULL);
}
