/* SPDX-License-Identifier: Apache-2.0 */
/* Loading a bitstream: openFPGALoader does it, for whom we look at what it is given. */
#include <errno.h>
#include <stdlib.h>
#include <string.h>
#include <sys/wait.h>
#include <unistd.h>

#include "boards.h"

#define LOADER "openFPGALoader"
#define ABSENT 127

/* Thousands of LUTs behind a word; 0 if there is no number with this letter. */
static unsigned long thousands(const char *text, const char *word, char letter)
{
  const char *at = strstr(text, word);
  char *end = NULL;
  unsigned long number = at ? strtoul(at + strlen(word), &end, 10) : 0;
  return number && *end == letter ? number : 0;
}

/* A board that says its chip, as the factory has it ("ULX3S FPGA 85K v3.0.8"), takes no bitstream of another
 * ("LFE5U-85F-6CABGA381"). */
static int check_chip(const struct arguments *a, const struct weft_board_found *board, const char *part)
{
  unsigned long has = thousands(board->product, "FPGA ", 'K'), wants = thousands(part, "LFE5U-", 'F');
  if (!has || !wants || has == wants)
    return -1;
  return complain(
    EXIT_BACKEND,
    "%s is for an %s, and %s is a board with an LFE5U-%luF (%s)\nfpga/boards.toml has the boards "
    "that bitstreams are made for; this one is as it was",
    a->name, part, board->serial, has, board->product);
}

/* A board that cannot be opened, by us or by the loader: the library says why as it does to every verb. One that is free is not
 * opened here: whatever bitstream it has, it is to get another. */
static int check_free(struct weft *w, const struct weft_board_found *board)
{
  struct weft_board_identity identity;
  char backend[sizeof board->serial + 16];
  if (board->state == WEFT_BOARD_STATE_FREE)
    return -1;
  snprintf(backend, sizeof backend, "usb:serial=%s", board->serial);
  int code = weft_board_identify(w, backend, false, &identity);
  return code == WEFT_NO_PERMISSION || code == WEFT_BOARD_BUSY ? complain_library(w, code) : -1;
}

/* The board whose FTDI has the FPGA's JTAG pins: a ULX3S's own port. NULL: there is not one such, and it said so. */
static const struct weft_board_found *choose(const char *wanted, const struct weft_board_found *boards,
                                             size_t count)
{
  const struct weft_board_found *chosen = NULL;
  size_t fits = 0;
  for (size_t i = 0; i < count; i++) {
    if (strcmp(boards[i].front, "uart") != 0 || (wanted[0] && strcmp(boards[i].serial, wanted) != 0))
      continue;
    chosen = &boards[i];
    fits++;
  }
  if (fits == 1)
    return chosen;
  if (fits)
    complain(EXIT_BACKEND,
             "%zu boards fit; `weft list` shows them\nname one: weft program FILE -b usb:serial=S", fits);
  else
    complain(EXIT_BACKEND,
             "there is no board to program%s%s; `weft list` shows them\nplug it in by its own USB "
             "socket (US1), which has the FPGA's JTAG pins",
             wanted[0] ? " with serial number " : "", wanted);
  return NULL;
}

static int prepare(struct weft *w, const struct arguments *a, const char *part, char *serial, size_t size)
{
  struct weft_board_found *boards = NULL;
  size_t count = 0;
  char wanted[128] = "";
  int found = a->backend ? weft_board_serial(w, a->backend, wanted, sizeof wanted) : WEFT_OK;
  if (!found)
    found = weft_boards_find(w, &boards, &count);
  int code = found ? complain_library(w, found) : EXIT_BACKEND;
  const struct weft_board_found *chosen = found ? NULL : choose(wanted, boards, count);
  if (chosen)
    code = check_chip(a, chosen, part);
  if (chosen && code < 0)
    code = check_free(w, chosen);
  if (chosen && code < 0)
    snprintf(serial, size, "%s", chosen->serial);
  free(boards);
  return code;
}

static int load(const struct arguments *a, char *serial)
{
  const char *words[8] = { LOADER, "--board", "ulx3s", "--ftdi-serial", serial };
  unsigned count = 5;
  if (a->flash)
    words[count++] = "--write-flash";
  words[count++] = a->name;
  fflush(NULL);
  pid_t child = fork();
  if (child < 0)
    return complain(EXIT_LACKS, "cannot start " LOADER ": %s\nend other programs, then run this again",
                    strerror(errno));
  if (!child) {
    dup2(STDERR_FILENO, STDOUT_FILENO); /* what it says is no result of ours */
    execvp(LOADER, (char **)(uintptr_t)words);
    _exit(ABSENT);
  }
  int status;
  while (waitpid(child, &status, 0) < 0 && errno == EINTR)
    ;
  if (WIFEXITED(status) && WEXITSTATUS(status) == ABSENT)
    return complain(EXIT_LACKS, LOADER " is not installed\ninstall the package openfpgaloader");
  if (!WIFEXITED(status) || WEXITSTATUS(status))
    return complain(EXIT_BACKEND,
                    LOADER " failed: the board does not have the new bitstream\nsee what it said above");
  return -1;
}

static int report(const struct arguments *a, const char *serial, const char *part, struct output *out)
{
  json_t *object = json_pack("{s:b, s:s, s:s, s:s, s:b, s:o}", "ok", true, "board", serial, "file", a->name,
                             "part", part, "flash", a->flash, "provenance", json_provenance(a, ""));
  int code = output_result(out, object, a->json);
  if (code >= 0)
    return code;
  printf("%s has %s (%s); `weft probe` asks it\n", serial, a->name, part);
  return print_done();
}

static int run(const struct arguments *a)
{
  char part[64], serial[64] = "";
  struct output out;
  if (!a->name)
    return complain(EXIT_USE, "program what? name a bitstream: weft program weft-ulx3s.bit");
  int code = bitstream_check(a->name, part, sizeof part);
  if (code >= 0)
    return code;
  struct weft *w = weft_new();
  if (!w)
    return complain(EXIT_LACKS, "out of memory");
  code = prepare(w, a, part, serial, sizeof serial);
  weft_free(w);
  if (code >= 0)
    return code;
  code = output_open(&out, a->output);
  if (code < 0)
    code = load(a, serial);
  if (code < 0)
    code = report(a, serial, part, &out);
  output_discard(&out);
  return code;
}

const struct verb verb_program = {
  .name = "program",
  .synopsis = "FILE [-b usb:serial=S] [options]",
  .about = "load a bitstream into a board's FPGA",
  .teaches =
    "Loads a bitstream (`make fpga` builds one) into the FPGA of a ULX3S, by openFPGALoader, which must be installed. The file\n"
    "is looked at first: one that is cut short, or for another chip than the board says it has, is refused, and the\n"
    "board stays as it was. It lasts until power goes; with --flash it is there after that too.\n"
    "\n"
    "  weft program build/fpga/weft-ulx3s.bit\n"
    "  weft program build/fpga/weft-ulx3s.bit --flash -b usb:serial=D00039",
  .takes_name = true,
  .bit = VERB_PROGRAM,
  .run = run,
};
