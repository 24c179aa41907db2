/* SPDX-License-Identifier: Apache-2.0 */
/* A wave file and, beside it, what makes a viewer show the main streams at once: FILE.gtkw for GTKWave, FILE.sucl for
 * Surfer. All three appear, or none. */
#include <inttypes.h>
#include <stdlib.h>
#include <string.h>

#include "tool.h"

/* FILE with another ending in place of .fst. */
static char *beside(const char *path, const char *ending)
{
  size_t length = strlen(path);
  if (length > 4 && !strcmp(path + length - 4, ".fst"))
    length -= 4;
  char *name = malloc(length + strlen(ending) + 1);
  if (name)
    sprintf(name, "%.*s%s", (int)length, path, ending);
  return name;
}

int wave_open(struct wave_out *o, const struct arguments *a)
{
  memset(o, 0, sizeof *o);
  if (!a->wave) {
    if (a->wave_from || a->wave_to)
      return complain(EXIT_USE, "--wave-from and --wave-to are for a wave file: give --wave FILE too");
    return -1;
  }
  if (a->wave_to && a->wave_from > a->wave_to)
    return complain(EXIT_USE,
                    "--wave-from %" PRIu64 " --wave-to %" PRIu64 ": the first cycle is behind the last",
                    a->wave_from, a->wave_to);
  o->view_path = beside(a->wave, ".gtkw");
  o->commands_path = beside(a->wave, ".sucl");
  if (!o->view_path || !o->commands_path)
    return complain(EXIT_LACKS, "out of memory");
  int code = output_open(&o->fst, a->wave);
  if (code < 0)
    code = output_open(&o->view, o->view_path);
  if (code < 0)
    code = output_open(&o->commands, o->commands_path);
  return code;
}

int wave_close(struct wave_out *o, struct weft *w, const struct arguments *a)
{
  struct weft_statistics s;
  if (!a->wave)
    return -1;
  weft_statistics_read(w, &s);
  if (a->wave_from >= s.cycles)
    return complain(EXIT_USE,
                    "--wave-from %" PRIu64 ": the run ended with cycle %" PRIu64 ", so there is no wave",
                    a->wave_from, s.cycles);
  int result = weft_wave_end(w);
  if (result == WEFT_NO_DISK)
    return complain(EXIT_LACKS, "cannot write %s: %s", a->wave, weft_message(w));
  if (result)
    return complain_library(w, result);
  int code = output_close(&o->fst);
  if (code < 0)
    code = output_close(&o->view);
  if (code < 0)
    code = output_close(&o->commands);
  return code;
}

void wave_discard(struct wave_out *o)
{
  output_discard(&o->fst);
  output_discard(&o->view);
  output_discard(&o->commands);
  free(o->view_path);
  free(o->commands_path);
}
