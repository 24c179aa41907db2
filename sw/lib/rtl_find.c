/* SPDX-License-Identifier: Apache-2.0 */
/* Where what was Verilated may lie. */
#include <dlfcn.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "handle.h"

const struct weft_built weft_built_rtl = { "rtl", "libweft-rtl.so", "WEFT_RTL_PATH",
                                           "; or use a model: back-end" };
const struct weft_built weft_built_board = { "board", "libweft-board.so", "WEFT_BOARD_PATH", "" };

/* Cuts the last part off a path. */
static bool parent(char *path)
{
  char *slash = strrchr(path, '/');
  if (!slash || slash == path)
    return false;
  *slash = 0;
  return true;
}

bool weft_program_folder(char *path, size_t size)
{
  ssize_t length = readlink("/proc/self/exe", path, size - 1);
  if (length <= 0)
    return false;
  path[length] = 0;
  return parent(path);
}

/* The folder of a file, without symbolic links. */
static bool real_folder(const char *name, char *path, size_t size)
{
  char *real = realpath(name, NULL);
  bool fits = real && strlen(real) < size;
  if (fits)
    memcpy(path, real, strlen(real) + 1);
  free(real);
  return fits && parent(path);
}

/* Of the file that this code was loaded from: libweft.so, or the program. */
static bool library_folder(char *path, size_t size)
{
  static const char here; /* an object of that file */
  Dl_info info;
  return dladdr(&here, &info) && info.dli_fname && real_folder(info.dli_fname, path, size);
}

/* The length of a list's first part; returns the next one, or NULL. */
static const char *next_part(const char *list, size_t *length)
{
  const char *colon = strchr(list, ':');
  *length = colon ? (size_t)(colon - list) : strlen(list);
  return colon ? colon + 1 : NULL;
}

/* Of the first `weft` on the PATH: a program that was linked with libweft.a may lie anywhere. */
static bool tool_folder(char *path, size_t size)
{
  for (const char *at = getenv("PATH"), *next; at && *at; at = next) {
    size_t length;
    char name[4096];
    next = next_part(at, &length);
    int used = snprintf(name, sizeof name, "%.*s/weft", (int)length, at);
    if (length && used < (int)sizeof name && !access(name, X_OK))
      return real_folder(name, path, size);
  }
  return false;
}

/* FOLDER/BELOW/BUILD/libweft-rtl.so */
static bool is_in(const struct weft_built *b, const char *folder, size_t length, const char *below,
                  const char *build, char *path, size_t size)
{
  int used = snprintf(path, size, "%.*s%s/%s/%s", (int)length, folder, below, build, b->object);
  return used > 0 && (size_t)used < size && !access(path, R_OK);
}

/* For each folder of a list separated by colons. */
static bool is_in_list(const struct weft_built *b, const char *folders, const char *build, char *path,
                       size_t size)
{
  for (const char *next; folders && *folders; folders = next) {
    size_t length;
    next = next_part(folders, &length);
    if (is_in(b, folders, length, "", build, path, size))
      return true;
  }
  return false;
}

/* In this order: what is meant for this very library comes before what merely happens to be there. */
bool weft_built_find(const struct weft_built *b, const char *build, char *path, size_t size)
{
  static const struct {
    bool (*folder)(char *path, size_t size);
    const char *below;
  } places[] = {
    { weft_program_folder, "" },             /* as built */
    { weft_program_folder, "/../lib/weft" }, /* as installed */
    { library_folder, "/weft" },
    { weft_source_tree, "/build" },
    { tool_folder, "/../lib/weft" },
  };
  char folder[3072], below[64];
  if (is_in_list(b, getenv(b->variable), build, path, size))
    return true;
  for (size_t i = 0; i < sizeof places / sizeof *places; i++) {
    snprintf(below, sizeof below, "%s/%s", places[i].below, b->kind);
    if (places[i].folder(folder, sizeof folder) && is_in(b, folder, strlen(folder), below, build, path, size))
      return true;
  }
  snprintf(below, sizeof below, "/%s", b->kind);
  return is_in(b, "build", 5, below, build, path, size);
}
