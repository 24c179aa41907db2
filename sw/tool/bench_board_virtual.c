/* SPDX-License-Identifier: Apache-2.0 */
/* A stream in a virtual board, twice, of which the second is three times as long: their difference is free of what opening and
 * closing take. This program starts itself as a user would: weft vboard -- weft bench board -b usb:. */
#include <errno.h>
#include <inttypes.h>
#include <spawn.h>
#include <stdlib.h>
#include <string.h>
#include <sys/wait.h>
#include <unistd.h>

#include "bench_board.h"

#define SELF "/proc/self/exe"
#define LONGER 3U

extern char **environ;

struct files {
  char folder[256], clocks[300], row[300];
};

static int make_files(struct files *f)
{
  const char *above = getenv("TMPDIR");
  snprintf(f->folder, sizeof f->folder, "%s/weft-bench.XXXXXX", above && *above ? above : "/tmp");
  if (!mkdtemp(f->folder))
    return complain(EXIT_LACKS, "cannot make a folder in %s: %s\nset TMPDIR to one where you may write",
                    above && *above ? above : "/tmp", strerror(errno));
  snprintf(f->clocks, sizeof f->clocks, "%s/clocks.json", f->folder);
  snprintf(f->row, sizeof f->row, "%s/row.json", f->folder);
  return -1;
}

static void remove_files(const struct files *f)
{
  unlink(f->clocks);
  unlink(f->row);
  rmdir(f->folder);
}

static int start(const struct arguments *a, const struct files *f, const struct board_row *row, uint64_t each)
{
  char number[24], self[4096];
  ssize_t length = readlink(SELF, self, sizeof self - 1);
  snprintf(number, sizeof number, "%" PRIu64, each);
  self[length < 0 ? 0 : length] = 0;
  const char *words[] = { self,       "vboard",
                          "--config", a->config ? a->config : "ulx3s",
                          "--output", f->clocks,
                          "--",       self,
                          "bench",    "board",
                          "-b",       "usb:serial=VIRTUAL",
                          "--only",   board_kind_names[row->kind],
                          "--timing", row->timing,
                          "--size",   number,
                          "--output", f->row,
                          "--json",   NULL };
  posix_spawn_file_actions_t actions;
  pid_t child;
  int status;
  posix_spawn_file_actions_init(&actions);
  posix_spawn_file_actions_addopen(&actions, 1, "/dev/null", 1 /* O_WRONLY */, 0);
  int error = posix_spawn(&child, self, &actions, NULL, (char *const *)(uintptr_t)words, environ);
  posix_spawn_file_actions_destroy(&actions);
  if (error)
    return complain(EXIT_LACKS, "cannot start %s: %s", self, strerror(error));
  while (waitpid(child, &status, 0) < 0)
    if (errno != EINTR)
      return complain(EXIT_LACKS, "cannot wait for %s: %s", self, strerror(errno));
  if (WIFSIGNALED(status))
    return complain(EXIT_BACKEND, "weft vboard was ended by signal %d", WTERMSIG(status));
  return WEXITSTATUS(status) ? WEXITSTATUS(status) : -1; /* it has said why */
}

static uint64_t number(const json_t *object, const char *name)
{
  return (uint64_t)json_integer_value(json_object_get(object, name));
}

static int read_files(const struct files *f, struct board_row *row)
{
  json_t *clocks = json_load_file(f->clocks, 0, NULL), *all = json_load_file(f->row, 0, NULL);
  const json_t *one = json_array_get(json_object_get(all, "rows"), 0);
  int code = clocks && one ? -1 : complain(EXIT_BACKEND, "weft vboard left no figures");
  row->clocks = number(clocks, "busy_clocks"); /* without pauses of a host that had other things to do */
  row->moved = number(clocks, "bytes_down") + number(clocks, "bytes_up");
  row->operations = number(one, "operations");
  row->bytes_down = number(one, "bytes_down");
  row->bytes_up = number(one, "bytes_up");
  row->cycles = number(one, "cycles");
  row->seconds = json_number_value(json_object_get(one, "seconds"));
  json_decref(clocks);
  json_decref(all);
  return code;
}

static int once(const struct arguments *a, const struct files *f, uint64_t each, struct board_row *row)
{
  int code = start(a, f, row, each);
  return code < 0 ? read_files(f, row) : code;
}

int board_virtual(const struct arguments *a, uint64_t each, struct board_row *row)
{
  struct files files = { "", "", "" };
  struct board_row brief = *row;
  int code = make_files(&files);
  if (code >= 0)
    return code;
  code = once(a, &files, each, &brief);
  if (code < 0)
    code = once(a, &files, LONGER * each, row);
  remove_files(&files);
  row->clocks -= brief.clocks;
  row->moved -= brief.moved;
  row->operations -= brief.operations;
  row->bytes_down -= brief.bytes_down;
  row->bytes_up -= brief.bytes_up;
  row->cycles -= brief.cycles;
  row->seconds -= brief.seconds;
  return code;
}
