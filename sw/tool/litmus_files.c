/* SPDX-License-Identifier: Apache-2.0 */
/* Which files a `litmus` command means, and the table of what is expected of them. */
#include <dirent.h>
#include <errno.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>

#include "tool.h"

#define DEPTH 8 /* of folders in folders */

static int out_of_memory(void)
{
  return complain(EXIT_LACKS, "out of memory");
}

/* ---- Finding ----------------------------------------------------------------------------------------- */

/* Takes the path. */
static int add(struct litmus_files *f, char *path)
{
  if (f->count == f->room) {
    size_t room = f->room ? 2 * f->room : 64;
    struct litmus_file *bigger = realloc(f->file, room * sizeof *bigger);
    if (!bigger) {
      free(path);
      return out_of_memory();
    }
    f->file = bigger;
    f->room = room;
  }
  f->file[f->count++] = (struct litmus_file){ .path = path, .expected = -1 };
  return -1;
}

static char *join(const char *folder, const char *name)
{
  size_t length = strlen(folder);
  char *path = malloc(length + strlen(name) + 2);
  if (path)
    sprintf(path, "%s%s%s", folder, length && folder[length - 1] == '/' ? "" : "/", name);
  return path;
}

static bool is_test(const char *name)
{
  size_t length = strlen(name);
  return length > 7 && !strcmp(name + length - 7, ".litmus");
}

static int wanted(const struct dirent *entry)
{
  return entry->d_name[0] != '.';
}

static int add_folder(struct litmus_files *f, const char *folder, unsigned depth)
{
  struct dirent **entry;
  int count = scandir(folder, &entry, wanted, alphasort), code = -1;
  if (count < 0)
    return complain(EXIT_LACKS, "cannot read %s: %s", folder, strerror(errno));
  for (int i = 0; i < count; i++) {
    struct stat status;
    char *path = code < 0 ? join(folder, entry[i]->d_name) : NULL;
    if (code < 0 && !path)
      code = out_of_memory();
    bool known = path && !stat(path, &status);
    if (known && S_ISDIR(status.st_mode) && depth < DEPTH) {
      code = add_folder(f, path, depth + 1);
      free(path);
    } else if (known && S_ISREG(status.st_mode) && is_test(path)) {
      code = add(f, path);
    } else {
      free(path);
    }
    free(entry[i]);
  }
  free(entry);
  return code;
}

int litmus_files_find(struct litmus_files *f, const struct arguments *a)
{
  int code = -1;
  for (unsigned i = 0; code < 0 && i < a->name_count; i++) {
    struct stat status;
    size_t before = f->count;
    if (!stat(a->names[i], &status) && S_ISDIR(status.st_mode)) {
      code = add_folder(f, a->names[i], 0);
      if (code < 0 && f->count == before)
        code = complain(EXIT_USE, "%s: no file in this folder ends with .litmus", a->names[i]);
    } else {
      char *path = strdup(a->names[i]);
      code = path ? add(f, path) : out_of_memory();
    }
  }
  return code;
}

int litmus_files_read(struct litmus_files *f, struct weft *w)
{
  for (size_t i = 0; i < f->count; i++) {
    int code = weft_litmus_read(w, f->file[i].path, &f->file[i].test);
    if (code)
      return complain_library(w, code);
  }
  return -1;
}

void litmus_files_free(struct litmus_files *f)
{
  for (size_t i = 0; i < f->count; i++) {
    weft_litmus_free(f->file[i].test);
    free(f->file[i].path);
  }
  free(f->file);
}

/* ---- The table --------------------------------------------------------------------------------------- */

/* A row says something of every file of that name, whatever folder it lies in. */
static void expect(struct litmus_files *f, const char *name, int result)
{
  for (size_t i = 0; i < f->count; i++) {
    const char *slash = strrchr(f->file[i].path, '/');
    if (!strcmp(slash ? slash + 1 : f->file[i].path, name))
      f->file[i].expected = result;
  }
}

static int bad_row(const char *path, unsigned line, const char *row)
{
  return complain(EXIT_USE,
                  "%s line %u: '%.60s'\na row is a file's name and 1 (its assertion holds) or 0: MP.litmus,1",
                  path, line, row);
}

static int read_row(struct litmus_files *f, const char *path, unsigned line, char *row)
{
  char *comma = strrchr(row, ',');
  for (const char *c = row; *c; c++)
    if ((unsigned char)*c < ' ' && *c != '\t')
      return complain(EXIT_USE, "%s line %u: byte 0x%02x: this is no table of results", path, line,
                      (unsigned)*c);
  if (!*row || !strcmp(row, "file,result") || row[0] == '#')
    return -1;
  if (!comma || comma == row || (strcmp(comma, ",0") != 0 && strcmp(comma, ",1") != 0))
    return bad_row(path, line, row);
  *comma = 0;
  expect(f, row, comma[1] - '0');
  return -1;
}

int litmus_files_expect(struct litmus_files *f, const char *path)
{
  FILE *file = path ? fopen(path, "r") : NULL;
  char *row = NULL;
  size_t room = 0;
  ssize_t length;
  unsigned line = 0;
  int code = -1;
  if (!path)
    return -1;
  if (!file)
    return complain(EXIT_LACKS, "cannot open %s: %s", path, strerror(errno));
  while (code < 0 && (length = getline(&row, &room, file)) >= 0) {
    while (length && (row[length - 1] == '\n' || row[length - 1] == '\r'))
      row[--length] = 0;
    code = strlen(row) < (size_t)length ? bad_row(path, line + 1, row) : read_row(f, path, ++line, row);
  }
  if (code < 0 && ferror(file))
    code = complain(EXIT_LACKS, "cannot read %s", path);
  if (code < 0 && !line)
    code = complain(EXIT_USE, "%s: the table is empty", path);
  free(row);
  fclose(file);
  return code;
}
