/* SPDX-License-Identifier: Apache-2.0 */
/* A board's beginning, memory, counters and the end of a run: with the steps of sim/verilated_cycle.c and verilated_settle.c, so with
 * the same cycles. */
#include <string.h>

#include "backend_usb.h"
#include "host_bytes.h"
#include "weft_counters.h"

#define PEEKS_AHEAD 8U /* that are under way at once */

int weft_usb_write(struct weft_backend *b, uint32_t address, uint32_t value, struct weft_backend_error *e)
{
  const struct weft_host_command c = { .code = WEFT_HOST_WRITE, .address = address, .value = value };
  return weft_session_put(b->session, &c, e);
}

static int put(struct weft_backend *b, uint8_t code, struct weft_backend_error *e)
{
  const struct weft_host_command c = { .code = code };
  return weft_session_put(b->session, &c, e);
}

static int until(struct weft_backend *b, uint32_t flag, uint8_t step, uint64_t most, const char *what,
                 struct weft_backend_error *e)
{
  struct weft_host_answer stop;
  uint64_t end = b->now + most;
  while (b->now < end) {
    const struct weft_host_command c = { .code = WEFT_HOST_UNTIL,
                                         .flags = (uint8_t)flag,
                                         .step = step,
                                         .value = (uint32_t)(b->now + WEFT_USB_SLICE) };
    int result = weft_session_put(b->session, &c, e);
    if (!result)
      result = weft_usb_expect(b, WEFT_HOST_RUN, &stop, e);
    if (result)
      return result;
    b->now = stop.cycle;
    if (stop.reason == WEFT_HOST_STOP_FLAG)
      return WEFT_BACKEND_OK;
  }
  return weft_line_fails(e, WEFT_BACKEND_FAILED, "usb: %s", what);
}

static int clear_memory(struct weft_backend *b, struct weft_backend_error *e)
{
  const struct weft_config *c = &b->options.config;
  int result = WEFT_BACKEND_OK;
  for (uint64_t n = 0; n < c->nodes && !result; n++) {
    const struct weft_host_command fill = { .code = WEFT_HOST_FILL,
                                            .address = n << WEFT_HOME_SHIFT,
                                            .count = (uint32_t)(c->memory_bytes / c->line) };
    result = weft_session_put(b->session, &fill, e);
  }
  return result ? result : weft_session_finish(b->session, e);
}

static int read_words(struct weft_backend *b, uint32_t address, size_t words, struct weft_backend_error *e)
{
  const struct weft_host_command c = { .code = WEFT_HOST_READ, .address = address, .count = (uint32_t)words };
  return weft_session_put(b->session, &c, e);
}

static int snapshot(struct weft_backend *b, struct weft_backend_error *e)
{
  struct weft_host_answer a;
  uint32_t flags = WEFT_REGISTERS__STATUS__FLAGS__SNAPSHOT_BUSY_bm;
  int result = weft_usb_write(b, WEFT_REGISTER(control.snapshot), 1, e);
  while (!result && flags & WEFT_REGISTERS__STATUS__FLAGS__SNAPSHOT_BUSY_bm) {
    result = read_words(b, WEFT_REGISTER(status.flags), 1, e);
    if (!result)
      result = weft_usb_expect(b, WEFT_HOST_READ, &a, e);
    flags = result ? 0 : a.bytes[0];
  }
  return result;
}

static int read_walk(struct weft_backend *b, struct weft_backend_error *e)
{
  struct weft_host_answer a;
  int result = snapshot(b, e);
  if (!result)
    result = read_words(b, WEFT_COUNTERS_ADDRESS + 8 * WEFT_COUNTER_TIME_CYCLES, 2, e);
  if (!result)
    result = weft_usb_expect(b, WEFT_HOST_READ, &a, e);
  b->walk = result ? 0 : weft_host_get(a.bytes, 8);
  return result;
}

int weft_usb_bring_up(struct weft_backend *b, struct weft_backend_error *e)
{
  struct weft_register_value registers[WEFT_RESET_REGISTERS];
  struct weft_host_answer stop;
  int result = weft_usb_halt(b, e);
  weft_reset_registers(&b->options, registers);
  for (size_t i = 0; i < WEFT_RESET_REGISTERS && !result; i++)
    result = weft_usb_write(b, registers[i].address, registers[i].value, e);
  if (!result)
    result = weft_usb_run(b, b->now + WEFT_RESET_CYCLES, false, &stop, e);
  if (!result)
    result = weft_usb_write(b, WEFT_REGISTER(control.fabric_reset), 0, e);
  if (!result)
    result = until(b, WEFT_REGISTERS__STATUS__FLAGS__READY_bm, 1, WEFT_WALK_LIMIT,
                   "the fabric does not come out of reset", e);
  if (!result)
    result = put(b, WEFT_HOST_ZERO, e);
  b->now = 0;
  if (!result)
    result = read_walk(b, e);
  return result ? result : clear_memory(b, e);
}

/* ---- Counters ---------------------------------------------------------------------------------------- */

static size_t part_of(size_t at, size_t per_node)
{
  size_t left = per_node - at % per_node;
  return left < WEFT_HOST_WORDS_MAX / 2 ? left : WEFT_HOST_WORDS_MAX / 2;
}

int weft_usb_counters(struct weft_backend *b, uint64_t *values, size_t count, struct weft_backend_error *e)
{
  size_t per_node = weft_counter_count(&b->options.config), all = per_node * b->options.config.nodes;
  struct weft_host_answer a;
  if (count < all)
    return weft_line_fails(e, WEFT_BACKEND_FAILED, "usb: the table of counters is too short");
  int result = snapshot(b, e);
  for (size_t i = 0; i < all && !result; i += part_of(i, per_node))
    result = read_words(b, weft_counter_register(i, per_node), 2 * part_of(i, per_node), e);
  for (size_t i = 0; i < all && !result; i += part_of(i, per_node)) {
    result = weft_usb_expect(b, WEFT_HOST_READ, &a, e);
    for (size_t k = 0; k < part_of(i, per_node) && !result; k++)
      values[i + k] =
        weft_host_get(a.bytes + 8 * k, 8) - ((i + k) % per_node == WEFT_COUNTER_TIME_CYCLES ? b->walk : 0);
  }
  return result;
}

/* ---- Memory ------------------------------------------------------------------------------------------ */

static int put_peek(struct weft_backend *b, uint64_t address, size_t lines, struct weft_backend_error *e)
{
  const struct weft_host_command c = { .code = WEFT_HOST_PEEK, .address = address, .count = (uint32_t)lines };
  return weft_session_put(b->session, &c, e);
}

static int put_poke(struct weft_backend *b, uint64_t address, const uint8_t *bytes, size_t lines,
                    struct weft_backend_error *e)
{
  struct weft_host_command c;
  c.code = WEFT_HOST_POKE;
  c.address = address;
  c.count = (uint32_t)lines;
  memcpy(c.bytes, bytes, lines * b->options.config.line);
  return weft_session_put(b->session, &c, e);
}

static size_t lines_at_once(const struct weft_backend *b, size_t left)
{
  size_t most = WEFT_HOST_BYTES_MAX / b->options.config.line;
  return left < most ? left : most;
}

static int read_lines(struct weft_backend *b, uint64_t address, uint8_t *bytes, size_t lines,
                      struct weft_backend_error *e)
{
  size_t asked = 0, line = b->options.config.line;
  struct weft_host_answer a;
  int result = WEFT_BACKEND_OK;
  for (size_t got = 0; got < lines && !result;) {
    size_t part = lines_at_once(b, lines - asked);
    if (part && asked - got < PEEKS_AHEAD * lines_at_once(b, SIZE_MAX)) {
      result = put_peek(b, address + asked * line, part, e);
      asked += part;
      continue;
    }
    part = lines_at_once(b, lines - got);
    result = weft_usb_expect(b, WEFT_HOST_PEEK, &a, e);
    if (!result && (a.count != part || a.address != address + got * line))
      result =
        weft_line_fails(e, WEFT_BACKEND_FAILED, "usb: the board read other lines than it was asked for");
    if (!result)
      memcpy(bytes + got * line, a.bytes, part * line);
    got += part;
  }
  return result;
}

static int write_lines(struct weft_backend *b, uint64_t address, const uint8_t *bytes, size_t lines,
                       struct weft_backend_error *e)
{
  int result = WEFT_BACKEND_OK;
  for (size_t at = 0, part; at < lines && !result; at += part) {
    part = lines_at_once(b, lines - at);
    result = put_poke(b, address + at * b->options.config.line, bytes + at * b->options.config.line, part, e);
  }
  return result;
}

/* A part of one line: all of it is read, and written back. */
static int move_part(struct weft_backend *b, uint64_t address, uint8_t *bytes, size_t count, bool write,
                     struct weft_backend_error *e)
{
  uint8_t whole[WEFT_LINE_MAX];
  uint64_t start = address % b->options.config.line;
  int result = read_lines(b, address - start, whole, 1, e);
  if (result)
    return result;
  memcpy(write ? whole + start : bytes, write ? bytes : whole + start, count);
  return write ? put_poke(b, address - start, whole, 1, e) : WEFT_BACKEND_OK;
}

int weft_usb_memory(struct weft_backend *b, uint64_t address, void *bytes, size_t count, bool write,
                    struct weft_backend_error *e)
{
  const struct weft_config *c = &b->options.config;
  uint64_t offset = weft_offset_of(address);
  uint8_t *at = bytes;
  int result = WEFT_BACKEND_OK;
  if (weft_home_of(address) >= c->nodes || offset > c->memory_bytes || count > c->memory_bytes - offset)
    return weft_line_fails(e, WEFT_BACKEND_FAILED, "usb: an address outside memory");
  while (count && !result) {
    uint64_t start = address % c->line, part = c->line - start;
    if (start || count < c->line) {
      part = part < count ? part : count;
      result = move_part(b, address, at, part, write, e);
    } else {
      part = count - count % c->line;
      result = write ? write_lines(b, address, at, part / c->line, e)
                     : read_lines(b, address, at, part / c->line, e);
    }
    at += part;
    address += part;
    count -= part;
  }
  return result;
}

/* ---- The end of a run -------------------------------------------------------------------------------- */

int weft_usb_settle(struct weft_backend *b, struct weft_backend_error *e)
{
  int result = weft_usb_halt(b, e);
  for (size_t i = 0; i < WEFT_SETTLE_STEPS && !result; i++) {
    const struct weft_settle_step *s = &weft_settle_steps[i];
    if (s->held)
      result = weft_usb_write(b, s->held, 1, e);
    if (!result)
      result = until(b, s->flag, WEFT_SETTLE_EVERY, WEFT_SETTLE_LIMIT, s->otherwise, e);
    if (!result && s->held)
      result = weft_usb_write(b, s->held, 0, e);
  }
  return result;
}
