/* SPDX-License-Identifier: Apache-2.0 */
/* Boards, for people and as JSON. */
#include <inttypes.h>
#include <stdlib.h>
#include <string.h>

#include "boards.h"

static const char *state_of(const struct weft_board_found *b)
{
  static const char *const names[] = { [WEFT_BOARD_STATE_FREE] = "free",
                                       [WEFT_BOARD_STATE_BUSY] = "busy",
                                       [WEFT_BOARD_STATE_DENIED] = "no permission" };
  return names[b->state];
}

json_t *boards_json(const struct weft_board_found *boards, size_t count)
{
  json_t *array = json_array();
  for (size_t i = 0; i < count; i++)
    json_array_append_new(array, json_pack("{s:s, s:s, s:s, s:s, s:i, s:i, s:s}", "serial", boards[i].serial,
                                           "product", boards[i].product, "chip", boards[i].chip, "front",
                                           boards[i].front, "bus", (int)boards[i].bus, "device",
                                           (int)boards[i].port, "state", state_of(&boards[i])));
  return array;
}

void boards_print(const struct weft_board_found *boards, size_t count)
{
  printf("\nboards (-b usb:serial=SERIAL)\n");
  if (!count)
    printf("  none is plugged in; `weft vboard -- COMMAND` emulates one\n");
  for (size_t i = 0; i < count; i++)
    printf("  %-10s %s, %s%s%s; bus %u device %u: %s\n", boards[i].serial[0] ? boards[i].serial : "-",
           boards[i].chip, boards[i].front, boards[i].product[0] ? ", " : "", boards[i].product,
           boards[i].bus, boards[i].port, state_of(&boards[i]));
}

bool boards_fits(const struct weft_board_identity *i)
{
  return i->config[0] && i->abi == i->own_abi && i->frames == i->own_frames;
}

json_t *identity_json(const struct arguments *a, const struct weft_board_identity *i)
{
  return json_pack(
    "{s:b, s:s, s:s, s:s, s:i, s:i, s:i, s:i, s:i, s:i, s:i, s:i, s:i, s:i, s:i, s:i, s:I, s:i, s:b, s:o}",
    "ok", boards_fits(i), "board", i->board, "config", i->config, "hash", i->hash, "abi", (int)i->abi,
    "library_abi", (int)i->own_abi, "frames", (int)i->frames, "library_frames", (int)i->own_frames,
    "clock_hz", (int)i->clock, "nodes", (int)i->nodes, "memories", (int)i->memories, "cus", (int)i->cus,
    "warps", (int)i->warps, "outstanding", (int)i->outstanding, "line", (int)i->line, "window",
    (int)i->window, "memory", (json_int_t)i->memory, "counters", (int)i->counters, "faults", i->faults,
    "provenance", json_provenance(a, i->hash));
}

void identity_print(const struct weft_board_identity *i)
{
  printf("%s: %s%s\n", i->board, i->config[0] ? i->config : "a bitstream that this library does not know",
         boards_fits(i) ? "" : ", which does not fit this library");
  printf("  %u nodes x %u CUs x %u warps, %u operations in flight per warp\n", i->nodes - i->memories, i->cus,
         i->warps, i->outstanding);
  printf("  lines of %u bytes, %" PRIu64 " bytes of memory per node, %u counters per node\n", i->line,
         i->memory, i->counters);
  if (i->clock)
    printf("  fabric's clock %u.%06u MHz\n", i->clock / 1000000, i->clock % 1000000);
  else
    printf("  a simulated clock\n");
  printf("  ABI %u (library: %u), frames %u (library: %u), hash %s\n", i->abi, i->own_abi, i->frames,
         i->own_frames, i->hash);
}
