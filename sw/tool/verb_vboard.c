/* SPDX-License-Identifier: Apache-2.0 */
#include <ctype.h>
#include <dlfcn.h>
#include <errno.h>
#include <inttypes.h>
#include <stdlib.h>
#include <string.h>
#include <weft/vboard.h>

#include "fault_names.h"
#include "tool.h"
#include "vboard.h"

#define SERIAL_MAX 16
#define SERIAL_LETTERS "ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789"

static int read_front(const struct arguments *a, enum weft_board_front *front)
{
  *front = a->front && !strcmp(a->front, "uart") ? WEFT_BOARD_UART : WEFT_BOARD_FT245;
  if (!a->front || !strcmp(a->front, "uart") || !strcmp(a->front, "ft245"))
    return -1;
  return complain(EXIT_USE, "--front %s: there are ft245 and uart", a->front);
}

static int unknown_fault(const char *word, int length)
{
  char names[256] = "";
  for (unsigned k = 0; k < WEFT_VBOARD_KINDS; k++)
    snprintf(names + strlen(names), sizeof names - strlen(names), "%s%s", k ? ", " : "",
             weft_vboard_fault_names[k].name);
  return complain(EXIT_USE, "--fault %.*s: there are %s", length, word, names);
}

/* KIND or KIND:N */
static int read_fault(const char *word, struct weft_vboard_options *o)
{
  size_t length = strcspn(word, ":");
  const struct weft_vboard_fault_name *found = NULL;
  unsigned k = 0;
  for (; k < WEFT_VBOARD_KINDS && !found; k++)
    if (strlen(weft_vboard_fault_names[k].name) == length &&
        !strncmp(weft_vboard_fault_names[k].name, word, length))
      found = &weft_vboard_fault_names[k];
  if (!found)
    return unknown_fault(word, (int)length);
  o->fault[k - 1].on = true;
  if (!word[length])
    return -1;
  char *end;
  errno = 0;
  uint64_t number = strtoull(word + length + 1, &end, 10);
  if (!isdigit((unsigned char)word[length + 1]) || *end || errno || !number || number > found->most)
    return complain(EXIT_USE,
                    found->most ? "--fault %s: a number from 1 to %" PRIu64 " is needed behind the colon"
                                : "--fault %s: it takes no number",
                    word, found->most);
  o->fault[k - 1].number = number;
  return -1;
}

static int read_options(const struct arguments *a, struct weft_vboard_options *o)
{
  *o = (struct weft_vboard_options){ .serial = a->serial ? a->serial : "VIRTUAL",
                                     .seed = a->seed ? a->seed : 1,
                                     .command = a->rest };
  if (!a->rest || !a->rest[0])
    return complain(EXIT_USE, "which command? weft vboard -- weft selftest -b usb:serial=VIRTUAL");
  size_t length = strlen(o->serial);
  if (!length || length > SERIAL_MAX || strspn(o->serial, SERIAL_LETTERS) != length)
    return complain(EXIT_USE, "--serial %s: up to %d letters and digits are needed", o->serial, SERIAL_MAX);
  int code = read_front(a, &o->front);
  for (unsigned i = 0; code < 0 && i < a->name_count; i++)
    code = read_fault(a->names[i], o);
  if (code < 0 && o->front == WEFT_BOARD_UART && o->fault[WEFT_VBOARD_STUCK].on)
    return complain(EXIT_USE, "--fault stuck: a UART has no TXE#; use --front ft245");
  return code;
}

static int find_parts(const struct arguments *a, struct weft_vboard_options *o, char *board, char *usb,
                      size_t size)
{
  struct progress progress;
  struct weft *w = weft_new();
  if (!w)
    return complain(EXIT_LACKS, "out of memory");
  progress_open(&progress);
  struct weft_options options = { .progress = progress_show, .progress_arg = &progress };
  int code = weft_vboard_find_usb(w, usb, size);
  if (!code)
    code = weft_vboard_find_board(w, a->config ? a->config : "ulx3s", &options, board, size, &o->hash);
  progress_close(&progress);
  int result = code ? complain_library(w, code) : -1;
  weft_free(w);
  return result;
}

static json_t *injected_json(const struct weft_vboard_result *r)
{
  json_t *object = json_object();
  for (unsigned k = 0; k < WEFT_VBOARD_KINDS; k++)
    if (r->injected[k])
      json_object_set_new(object, weft_vboard_fault_names[k].name, json_integer((json_int_t)r->injected[k]));
  return object;
}

static json_t *figures_json(const struct arguments *a, const struct weft_vboard_result *r)
{
  const struct weft_board_figures *f = &r->figures;
  return json_pack("{s:i, s:I, s:I, s:I, s:I, s:I, s:I, s:I, s:I, s:I, s:I, s:o, s:o}", "status", r->status,
                   "clocks", (json_int_t)f->clocks, "first_clock", (json_int_t)f->first, "last_clock",
                   (json_int_t)f->last, "bytes_down", (json_int_t)f->bytes_down, "bytes_up",
                   (json_int_t)f->bytes_up, "busy_clocks", (json_int_t)f->busy, "held_clocks",
                   (json_int_t)f->held, "transfers_in", (json_int_t)r->transfers_in, "transfers_out",
                   (json_int_t)r->transfers_out, "transfers_control", (json_int_t)r->transfers_control,
                   "injected", injected_json(r), "provenance", json_provenance(a, ""));
}

static int run_with(const struct arguments *a, struct weft_vboard_options *o, const char *usb,
                    struct output *out)
{
  struct weft_vboard_result result;
  weft_vboard_run_function *function;
  void *object = dlopen(usb, RTLD_NOW | RTLD_LOCAL);
  if (!object)
    return complain(EXIT_LACKS, "cannot load what emulates USB: %s\ninstall the package libumockdev0",
                    dlerror());
  *(void **)&function = dlsym(object, WEFT_VBOARD_SYMBOL);
  if (!function)
    return complain(EXIT_BACKEND, "%s is of another version; build it again: make build", usb);
  int code = function(o, &result);
  if (code)
    return complain(code, "%s", result.message);
  code = output_result(out, figures_json(a, &result), false);
  return code < 0 ? result.status : code;
}

static int run(const struct arguments *a)
{
  struct weft_vboard_options options;
  struct output out;
  char board[4096], usb[4096];
  int code = read_options(a, &options);
  if (code < 0)
    code = find_parts(a, &options, board, usb, sizeof board);
  options.board = board;
  if (code < 0)
    code = output_open(&out, a->output);
  if (code >= 0)
    return code;
  code = run_with(a, &options, usb, &out);
  output_discard(&out);
  return code;
}

const struct verb verb_vboard = {
  .name = "vboard",
  .synopsis = "[options] -- COMMAND ...",
  .about = "run a command in a machine that has a board on USB",
  .teaches =
    "Runs a command that finds a board on USB where there is none: the FTDI's descriptors, requests and packets are\n"
    "emulated, and behind its pins is the board top that is synthesised, Verilated. The command's exit code is that of\n"
    "this one, and nothing is left behind. Needs umockdev.\n"
    "\n"
    "  weft vboard -- weft selftest -b usb:serial=VIRTUAL\n"
    "  weft vboard --front uart -- weft probe\n"
    "  weft vboard --fault lose:5000 --output figures.json -- weft run mix -b usb:\n"
    "\n"
    "Faults: lose:N flip:N insert:N (one byte in N), short:N (one packet in N), stall:N (one transfer in N), unplug:N and\n"
    "stuck:N (TXE#; after N bytes), hang:N (after N transfers), mute, version:N (another 1 hash, 2 ABI, 3 frames, 4 magic),\n"
    "busy, permission, twin.",
  .takes_rest = true,
  .bit = VERB_VBOARD,
  .run = run,
};
