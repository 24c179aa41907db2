/* SPDX-License-Identifier: Apache-2.0 */
/* `probe` and `reset`: the first things to ask of a board. */
#include "boards.h"

static int show(const struct arguments *a, const struct weft_board_identity *identity, bool reset)
{
  struct output out;
  int code = output_open(&out, a->output);
  if (code < 0)
    code = output_result(&out, identity_json(a, identity), a->json);
  output_discard(&out);
  if (code < 0 && reset)
    printf("%s is reset\n", identity->board);
  else if (code < 0)
    identity_print(identity);
  if (code < 0)
    code = print_done();
  if (code || reset || boards_fits(identity))
    return code;
  return complain(EXIT_BACKEND,
                  "the board's bitstream does not fit this library; `make fpga` builds one that does, `weft "
                  "program` loads it");
}

static int ask(const struct arguments *a, bool reset)
{
  struct weft_board_identity identity;
  struct weft *w = weft_new();
  if (!w)
    return complain(EXIT_LACKS, "out of memory");
  int code = weft_board_identify(w, a->backend ? a->backend : "usb:", reset, &identity);
  code = code ? complain_library(w, code) : show(a, &identity, reset);
  weft_free(w);
  return code;
}

static int probe(const struct arguments *a)
{
  return ask(a, false);
}

static int reset(const struct arguments *a)
{
  return ask(a, true);
}

const struct verb verb_probe = {
  .name = "probe",
  .synopsis = "[-b usb:serial=S] [options]",
  .about = "ask a board what it is",
  .teaches =
    "Opens a board, whatever bitstream it has, and shows what it says of itself: configuration, hash, ABI, clock,\n"
    "shape. Exit code 3 if this version of Weft cannot work with it. Without -b: the only board that is there.\n"
    "\n"
    "  weft probe\n"
    "  weft probe -b usb:serial=D00039 --json",
  .bit = VERB_PROBE,
  .run = probe,
};

const struct verb verb_reset = {
  .name = "reset",
  .synopsis = "[-b usb:serial=S] [options]",
  .about = "reset a board, without loading its bitstream again",
  .teaches =
    "Ends whatever a board was in the middle of, and resets bridge and fabric. Its memory keeps what it holds.\n"
    "\n"
    "  weft reset -b usb:serial=D00039",
  .bit = VERB_RESET,
  .run = reset,
};
