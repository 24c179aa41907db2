/* SPDX-License-Identifier: Apache-2.0 */
/* Frames between host and board: whatever the bytes, the receiver goes on, takes for a frame only what is one, and what a
 * reader accepts, its writer writes so that it reads the same again. The first byte chooses the size of a line and who reads:
 * the host, or the board; bit 7: what follows is a payload, so that messages are reached without a CRC. */
#include <stdlib.h>
#include <string.h>

#include "frame_rx.h"
#include "host_message.h"

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size);

static const struct weft_host_identity BOARD = {
  .nodes = 4, .memories = 1, .cus = 2, .warps = 4, .outstanding = 4, .memory_log2 = 16
};

static void must(bool good)
{
  if (!good)
    abort();
}

static void answers(const uint8_t *in, size_t left, unsigned line)
{
  static struct weft_host_answer first, second;
  uint8_t again[WEFT_HOST_COMMAND_MAX];
  for (size_t used; left && (used = weft_host_answer_read(&first, line, in, left)) != 0;
       in += used, left -= used) {
    must(used <= left && weft_host_answer_write(&first, line, again) == used);
    must(memcmp(in, again, used) == 0);
    must(weft_host_answer_read(&second, line, again, used) == used);
    must(memcmp(&first, &second, sizeof first) == 0);
  }
}

/* A masked store that is one run is written as a run, and one with bytes beside its mask as it stands: the same store. */
static bool same(const struct weft_host_command *a, struct weft_host_command *b, unsigned line)
{
  for (unsigned i = 0; i < line; i++)
    if (!(a->req.mask[i / 64] >> (i % 64) & 1U) && a->req.op == WEFT_CU_OP_STORE)
      b->req.data[i] = a->req.data[i];
  return memcmp(a, b, sizeof *a) == 0;
}

static void commands(const uint8_t *in, size_t left, unsigned line)
{
  static struct weft_host_command first, second;
  struct weft_host_identity board = BOARD;
  uint8_t again[WEFT_HOST_COMMAND_MAX];
  board.line = (uint8_t)line;
  for (size_t used, bytes; left; in += used, left -= used) {
    if (weft_host_command_read(&first, &board, in, left, &used))
      return;
    must(used <= left);
    bytes = weft_host_command_write(&first, line, again);
    must(bytes && bytes <= used);
    must(weft_host_command_read(&second, &board, again, bytes, &used) == WEFT_HOST_FINE && used == bytes);
    must(same(&first, &second, line));
    must(weft_host_command_read(&second, &board, in, left, &used) == WEFT_HOST_FINE);
  }
}

/* What was received as a frame is one: written anew it has the bytes that came last. */
static void whole(const struct weft_host_receiver *r, const uint8_t *end, size_t before)
{
  static uint8_t again[WEFT_HOST_FRAME_MAX];
  size_t bytes = weft_host_frame_write(&r->header, r->payload, again);
  must(bytes <= before && memcmp(end - bytes, again, bytes) == 0);
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
  static struct weft_frame_rx board;
  static struct weft_host_receiver host;
  if (size == 0)
    return 0;
  unsigned line = 32U << data[0] % 3U;
  bool reads_board = data[0] & 0x40U;
  if (data[0] & 0x80U) {
    reads_board ? commands(data + 1, size - 1, line) : answers(data + 1, size - 1, line);
    return 0;
  }
  weft_frame_rx_reset(&board);
  weft_host_receiver_reset(&host);
  for (size_t i = 1; i < size; i++) {
    if (weft_host_receive(&host, data[i]) == WEFT_HOST_FRAME) {
      whole(&host, data + i + 1, i);
      answers(host.payload, host.header.length, line);
    }
    struct weft_frame_rx before = board;
    enum weft_frame_rx_result result = weft_frame_rx_step(&board, data[i]);
    if (result == WEFT_FRAME_RX_TAKEN) {
      must(board.receiver.header.sequence == before.expected);
      must((uint16_t)(board.taken - board.executed) <= WEFT_HOST_WINDOW);
      commands(board.receiver.payload, board.receiver.header.length, line);
      if (reads_board)
        weft_frame_rx_execute(&board, board.receiver.header.length);
    }
    must(board.expected == before.expected || result != WEFT_FRAME_RX_NOTHING);
  }
  return 0;
}
