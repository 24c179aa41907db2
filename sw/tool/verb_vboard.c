/* SPDX-License-Identifier: Apache-2.0 */
#include <dlfcn.h>
#include <inttypes.h>
#include <stdlib.h>
#include <string.h>
#include <weft/vboard.h>

#include "tool.h"
#include "vboard.h"

static int read_front(const struct arguments *a, enum weft_board_front *front)
{
  *front = a->front && !strcmp(a->front, "uart") ? WEFT_BOARD_UART : WEFT_BOARD_FT245;
  if (!a->front || !strcmp(a->front, "uart") || !strcmp(a->front, "ft245"))
    return -1;
  return complain(EXIT_USE, "--front %s: there are ft245 and uart", a->front);
}

static int read_options(const struct arguments *a, struct weft_vboard_options *o)
{
  *o = (struct weft_vboard_options){ .serial = a->serial ? a->serial : "VIRTUAL",
                                     .seed = a->seed ? a->seed : 1,
                                     .command = a->rest };
  if (!a->rest || !a->rest[0])
    return complain(EXIT_USE, "which command? weft vboard -- weft selftest -b usb:serial=VIRTUAL");
  return read_front(a, &o->front);
}

static int find_parts(const struct arguments *a, char *board, char *usb, size_t size)
{
  struct progress progress;
  struct weft *w = weft_new();
  if (!w)
    return complain(EXIT_LACKS, "out of memory");
  progress_open(&progress);
  struct weft_options options = { .progress = progress_show, .progress_arg = &progress };
  int code = weft_vboard_find_usb(w, usb, size);
  if (!code)
    code = weft_vboard_find_board(w, a->config ? a->config : "ulx3s", &options, board, size);
  progress_close(&progress);
  int result = code ? complain_library(w, code) : -1;
  weft_free(w);
  return result;
}

static json_t *figures_json(const struct arguments *a, const struct weft_vboard_result *r)
{
  const struct weft_board_figures *f = &r->figures;
  return json_pack("{s:i, s:I, s:I, s:I, s:I, s:I, s:I, s:I, s:I, s:I, s:o}", "status", r->status, "clocks",
                   (json_int_t)f->clocks, "first_clock", (json_int_t)f->first, "last_clock",
                   (json_int_t)f->last, "bytes_down", (json_int_t)f->bytes_down, "bytes_up",
                   (json_int_t)f->bytes_up, "held_clocks", (json_int_t)f->held, "transfers_in",
                   (json_int_t)r->transfers_in, "transfers_out", (json_int_t)r->transfers_out,
                   "transfers_control", (json_int_t)r->transfers_control, "provenance",
                   json_provenance(a, ""));
}

static int run_with(const struct arguments *a, struct weft_vboard_options *o, const char *usb,
                    struct output *out)
{
  struct weft_vboard_result result;
  void *object = dlopen(usb, RTLD_NOW | RTLD_LOCAL);
  if (!object)
    return complain(EXIT_LACKS, "cannot load what emulates USB: %s\ninstall the package libumockdev-dev",
                    dlerror());
  weft_vboard_run_function *function;
  *(void **)&function = dlsym(object, WEFT_VBOARD_SYMBOL);
  int code = function ? function(o, &result) : -1;
  if (!function)
    return complain(EXIT_BACKEND, "%s is of another version; build it again: make build", usb);
  if (code)
    return complain(code, "%s", result.message);
  if (a->output && output_json(out, figures_json(a, &result)) >= 0)
    return EXIT_LACKS;
  return result.status;
}

static int run(const struct arguments *a)
{
  struct weft_vboard_options options;
  struct output out;
  char board[4096], usb[4096];
  int code = read_options(a, &options);
  if (code < 0)
    code = find_parts(a, board, usb, sizeof board);
  options.board = board;
  if (code < 0)
    code = output_open(&out, a->output);
  if (code >= 0)
    return code;
  return run_with(a, &options, usb, &out);
}

const struct verb verb_vboard = {
  .name = "vboard",
  .synopsis = "[options] -- COMMAND ...",
  .about = "run a command in a machine that has a board on USB",
  .teaches =
    "Runs a command that finds a board on USB where there is none: the FTDI's descriptors, requests and packets are\n"
    "emulated, and behind its pins is the same board top that is synthesised, Verilated. The command's exit code is that\n"
    "of this one. To begin with: weft vboard -- weft selftest -b usb:serial=VIRTUAL",
  .takes_rest = true,
  .bit = VERB_VBOARD,
  .run = run,
};
