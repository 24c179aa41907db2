/* SPDX-License-Identifier: Apache-2.0 */
#include "soft_board.h"

#include <stdio.h>
#include <string.h>

static const struct weft_host_identity IDENTITY = { .magic = WEFT_HOST_MAGIC,
                                                    .version = WEFT_HOST_VERSION,
                                                    .abi = 1,
                                                    .nodes = 2,
                                                    .cus = 1,
                                                    .warps = 4,
                                                    .outstanding = 4,
                                                    .line = 32,
                                                    .banks = 1,
                                                    .memory_log2 = 16,
                                                    .window = WEFT_HOST_WINDOW };

static void emit(struct soft_board *b, const uint8_t *bytes, size_t count)
{
  if (b->out_from) {
    memmove(b->out, b->out + b->out_from, b->out_count);
    b->out_from = 0;
  }
  if (b->out_count + count <= SOFT_BYTES) {
    memcpy(b->out + b->out_count, bytes, count);
    b->out_count += count;
  }
}

static void send_frame(struct soft_board *b, uint8_t kind, const uint8_t *payload, size_t length)
{
  uint8_t bytes[WEFT_HOST_FRAME_MAX];
  struct weft_host_header header = { .kind = kind,
                                     .sequence = b->number++,
                                     .ack = b->rx.expected,
                                     .length = (uint16_t)length,
                                     .credit = b->rx.executed };
  size_t count = weft_host_frame_write(&header, payload, bytes);
  if (b->version) { /* a header that is whole, of another version */
    uint16_t check = WEFT_HOST_CHECK_BEGIN;
    bytes[2] = (uint8_t)(b->version << 4 | kind);
    for (unsigned i = 2; i < 10; i++)
      check = weft_host_check_step(check, bytes[i]);
    bytes[10] = (uint8_t)check;
    bytes[11] = (uint8_t)(check >> 8);
  }
  b->told_ack = header.ack;
  b->told_credit = header.credit;
  emit(b, bytes, count);
}

static void answer(struct soft_board *b, const struct weft_host_answer *a)
{
  if (b->answers_count + WEFT_HOST_COMMAND_MAX < SOFT_BYTES)
    b->answers_count += weft_host_answer_write(a, IDENTITY.line, b->answers + b->answers_count);
}

static void execute(struct soft_board *b, const struct weft_host_command *c)
{
  struct weft_host_answer a = { .code = c->code, .address = c->address, .count = c->count };
  if (c->code == WEFT_HOST_WRITE && b->log_count < SOFT_LOG)
    b->log[b->log_count++] = c->value;
  if (c->code == WEFT_HOST_READ)
    memset(a.bytes, 0x5a, 4 * c->count);
  if (c->code == WEFT_HOST_ECHO)
    memcpy(a.bytes, c->bytes, c->count);
  if (c->code == WEFT_HOST_READ || c->code == WEFT_HOST_ECHO)
    answer(b, &a);
}

static void execute_payload(struct soft_board *b)
{
  const struct weft_host_receiver *r = &b->rx.receiver;
  struct weft_host_command c;
  size_t used;
  for (size_t at = 0; at < r->header.length; at += used) {
    if (weft_host_command_read(&c, &IDENTITY, r->payload + at, r->header.length - at, &used))
      break;
    execute(b, &c);
  }
  weft_frame_rx_execute(&b->rx, r->header.length);
}

static void hello(struct soft_board *b)
{
  struct weft_host_answer a = { .code = WEFT_HOST_IDENTITY, .identity = IDENTITY };
  uint8_t payload[WEFT_HOST_COMMAND_MAX];
  a.identity.nonce = b->rx.nonce;
  b->answers_count = 0;
  b->told = (struct weft_host_counts){ 0 };
  send_frame(b, WEFT_HOST_RESET, payload, weft_host_answer_write(&a, IDENTITY.line, payload));
}

static void take(struct soft_board *b, uint8_t byte)
{
  if (b->forgets_numbers && b->rx.receiver.place == WEFT_HOST_AT_CRC && b->rx.receiver.at == 3 &&
      b->rx.receiver.header.kind == WEFT_HOST_DATA)
    b->rx.expected = b->rx.receiver.header.sequence;
  enum weft_frame_rx_result result = weft_frame_rx_step(&b->rx, byte);
  if (b->deaf)
    return;
  if (result == WEFT_FRAME_RX_RESET)
    hello(b);
  else if (result == WEFT_FRAME_RX_TAKEN)
    execute_payload(b);
}

/* As rtl/host/frame_tx.sv: all answers that are there in one frame, or an empty one when there is something new to tell. */
static void speak(struct soft_board *b)
{
  struct weft_host_counts *c = &b->rx.receiver.counts;
  if (memcmp(c, &b->told, sizeof *c) != 0) {
    struct weft_host_answer a = { .code = WEFT_HOST_REPORT, .counts = *c };
    b->told = *c;
    answer(b, &a);
  }
  if (b->deaf || (!b->answers_count && b->told_ack == b->rx.expected && b->told_credit == b->rx.executed))
    return;
  size_t length = 0;
  struct weft_host_answer a;
  for (size_t used; length < b->answers_count; length += used) { /* whole messages */
    used = weft_host_answer_read(&a, IDENTITY.line, b->answers + length, b->answers_count - length);
    if (!used || length + used > WEFT_HOST_PAYLOAD)
      break;
  }
  send_frame(b, WEFT_HOST_DATA, b->answers, length);
  b->answers_count -= length;
  memmove(b->answers, b->answers + length, b->answers_count);
}

/* What becomes of a byte on the wire: up to two of them. */
static size_t wire(struct soft_board *b, uint8_t byte, uint8_t out[2])
{
  out[0] = out[1] = byte;
  if (weft_random_below(&b->random, 1000000) >= b->per_million)
    return 1;
  b->faults++;
  switch (weft_random_below(&b->random, 4)) {
  case 0:
    return 0;
  case 1:
    out[0] ^= (uint8_t)(1U << weft_random_below(&b->random, 8));
    return 1;
  case 2:
    return 2;
  default:
    out[0] = (uint8_t)weft_random_next(&b->random);
    return 2;
  }
}

static int soft_send(void *context, const uint8_t *bytes, size_t count, struct weft_backend_error *e)
{
  struct soft_board *b = context;
  uint8_t out[2];
  if (b->unplugged)
    return weft_line_fails(e, WEFT_BACKEND_GONE, "soft: unplugged");
  for (size_t i = 0; i < count; i++)
    for (size_t k = 0, came = wire(b, bytes[i], out); k < came; k++)
      take(b, out[k]);
  return WEFT_BACKEND_OK;
}

static int soft_receive(void *context, uint8_t *bytes, size_t room, unsigned milliseconds, size_t *count,
                        struct weft_backend_error *e)
{
  struct soft_board *b = context;
  (void)milliseconds;
  *count = 0;
  if (b->unplugged)
    return weft_line_fails(e, WEFT_BACKEND_GONE, "soft: unplugged");
  if (!b->out_count && b->waited++ < b->late)
    return WEFT_BACKEND_OK;
  if (!b->out_count) {
    b->waited = 0;
    speak(b);
  }
  size_t part = 1 + weft_random_below(&b->random, 700);
  while (b->out_count && part-- && *count + 2 <= room) {
    *count += wire(b, b->out[b->out_from++], bytes + *count);
    b->out_count--;
  }
  return WEFT_BACKEND_OK;
}

static void soft_close(void *context)
{
  (void)context;
}

void soft_board_line(struct soft_board *b, uint64_t seed, struct weft_line *line)
{
  memset(b, 0, sizeof *b);
  b->random = weft_random_stream(seed, 0);
  *line = (struct weft_line){ .context = b,
                              .name = "soft:",
                              .nonce = (uint32_t)seed,
                              .send = soft_send,
                              .receive = soft_receive,
                              .close = soft_close };
}
