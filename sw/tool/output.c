/* SPDX-License-Identifier: Apache-2.0 */
/* Files are written under another name and renamed when they are complete: whatever goes wrong, what was
 * there before stays as it was. */
#include <errno.h>
#include <fcntl.h>
#include <signal.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#include "tool.h"

static int cannot_write(const char *path, int error)
{
  return complain(EXIT_LACKS, "cannot write %s: %s\n%s", path, strerror(error),
                  error == ENOSPC   ? "make room on the disk, or name a file elsewhere"
                  : error == EACCES ? "name a file where you may write"
                                    : "name another file");
}

/* ---------------------------------------------------------------- interrupted */

#define UNFINISHED_MAX 8

/* Names of the files that are not complete; written by the tool, read by the handler of a signal. */
static char *volatile unfinished[UNFINISHED_MAX];

static void replace(char *from, char *to)
{
  for (int i = 0; i < UNFINISHED_MAX; i++)
    if (unfinished[i] == from) {
      unfinished[i] = to;
      return;
    }
}

/* Nothing but calls that a handler may make; then the process ends by the same signal. */
static void clear_away(int number)
{
  for (int i = 0; i < UNFINISHED_MAX; i++)
    if (unfinished[i])
      unlink(unfinished[i]);
  raise(number);
}

void output_catch_signals(void)
{
  static const int signals[] = { SIGINT, SIGTERM, SIGHUP, SIGPIPE };
  for (size_t i = 0; i < sizeof signals / sizeof *signals; i++) {
    struct sigaction old, mine = { .sa_handler = clear_away, .sa_flags = (int)SA_RESETHAND };
    /* What is ignored (nohup, a shell's background) stays ignored. */
    if (!sigaction(signals[i], NULL, &old) && old.sa_handler == SIG_DFL)
      sigaction(signals[i], &mine, NULL);
  }
}

/* ---------------------------------------------------------------- files */

static bool is_special(const char *path)
{
  struct stat status;
  return !stat(path, &status) && !S_ISREG(status.st_mode);
}

/* The permissions that a file made by open() would have. */
static void usual_permissions(int file)
{
  mode_t mask = umask(0);
  umask(mask);
  if (fchmod(file, 0666 & ~mask))
    return; /* a file system without permissions */
}

int output_open(struct output *o, const char *path)
{
  memset(o, 0, sizeof *o);
  if (!path)
    return -1;
  o->path = path;
  int file;
  if (is_special(path)) {
    file = open(path, O_WRONLY | O_CLOEXEC);
  } else {
    size_t size = strlen(path) + 8;
    o->temporary = malloc(size);
    if (!o->temporary)
      return complain(EXIT_LACKS, "out of memory");
    snprintf(o->temporary, size, "%s.XXXXXX", path);
    file = mkstemp(o->temporary);
  }
  if (file < 0) {
    int error = errno;
    free(o->temporary);
    o->temporary = NULL;
    return cannot_write(path, error);
  }
  if (o->temporary) {
    replace(NULL, o->temporary);
    usual_permissions(file);
  }
  o->file = fdopen(file, "w");
  if (o->file)
    return -1;
  close(file);
  output_discard(o);
  return complain(EXIT_LACKS, "out of memory");
}

const char *output_name(const struct output *o)
{
  return o->temporary ? o->temporary : o->path;
}

void output_discard(struct output *o)
{
  if (o->file)
    fclose(o->file);
  if (o->temporary) {
    unlink(o->temporary);
    replace(o->temporary, NULL);
    free(o->temporary);
  }
  memset(o, 0, sizeof *o);
}

int output_close(struct output *o)
{
  if (!o->file)
    return -1;
  bool bad = fflush(o->file) || ferror(o->file);
  int error = errno;
  if (fclose(o->file) && !bad) {
    bad = true;
    error = errno;
  }
  o->file = NULL;
  if (!bad && o->temporary && rename(o->temporary, o->path)) {
    bad = true;
    error = errno;
  }
  const char *path = o->path;
  if (!bad && o->temporary) {
    replace(o->temporary, NULL);
    free(o->temporary);
    o->temporary = NULL;
  }
  output_discard(o);
  return bad ? cannot_write(path, error) : -1;
}

#define JSON_FORM (JSON_INDENT(2) | JSON_REAL_PRECISION(9))

int output_result(struct output *o, json_t *object, bool print)
{
  if (!object)
    return complain(EXIT_LACKS, "out of memory");
  int code = output_json(o, object);
  if (code < 0 && print)
    code = print_json(object);
  json_decref(object);
  return code;
}

int output_json(struct output *o, const json_t *object)
{
  if (!o->file)
    return -1;
  errno = 0;
  if (json_dumpf(object, o->file, JSON_FORM) || fputc('\n', o->file) == EOF) {
    int error = errno ? errno : EIO;
    const char *path = o->path;
    output_discard(o);
    return cannot_write(path, error);
  }
  return output_close(o);
}

int print_done(void)
{
  if (!fflush(stdout) && !ferror(stdout))
    return EXIT_DONE;
  return complain(EXIT_LACKS, "cannot write standard output: %s", strerror(errno));
}

int print_json(const json_t *object)
{
  if (json_dumpf(object, stdout, JSON_FORM) || fputc('\n', stdout) == EOF)
    return complain(EXIT_LACKS, "cannot write standard output: %s", strerror(errno));
  return print_done();
}
