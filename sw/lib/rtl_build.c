/* SPDX-License-Identifier: Apache-2.0 */
/* Builds the shared object of a configuration on first use, where the source tree is at hand. */
#include <errno.h>
#include <fcntl.h>
#include <spawn.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/wait.h>
#include <unistd.h>

#include "handle.h"

extern char **environ;

static bool is_source_tree(const char *folder)
{
  char path[4096];
  snprintf(path, sizeof path, "%s/rtl/config/configs.toml", folder);
  if (access(path, R_OK))
    return false;
  snprintf(path, sizeof path, "%s/Makefile", folder);
  return !access(path, R_OK);
}

/* Upwards from a folder, in place. */
static bool climb(char *folder)
{
  for (;;) {
    if (is_source_tree(folder))
      return true;
    char *slash = strrchr(folder, '/');
    if (!slash || slash == folder)
      return false;
    *slash = 0;
  }
}

bool weft_source_tree(char *path, size_t size)
{
  return (weft_program_folder(path, size) && climb(path)) || (getcwd(path, size) && climb(path));
}

static void tell(const struct weft_options *options, const char *what, const char *line)
{
  struct weft_progress p = { .what = what, .detail = line };
  if (options->progress)
    options->progress(options->progress_arg, &p);
}

/* Reads what make writes: every line to the progress hook, the last one kept for the message. */
static void follow(int from, const struct weft_options *options, const char *what, char *last, size_t size)
{
  char line[512];
  FILE *in = fdopen(from, "r");
  if (!in) {
    close(from);
    return;
  }
  while (fgets(line, sizeof line, in)) {
    char *end = strpbrk(line, "\r\n");
    if (end)
      *end = 0;
    if (!line[0])
      continue;
    snprintf(last, size, "%s", line);
    tell(options, what, line);
  }
  fclose(in);
}

/* The environment without what a make above us says to the makes below it. Shares the strings. */
static char **own_environment(void)
{
  size_t count = 0, kept = 0;
  while (environ[count])
    count++;
  char **copy = calloc(count + 1, sizeof *copy);
  for (size_t i = 0; copy && i < count; i++)
    if (strncmp(environ[i], "MAKE", 4) != 0 && strncmp(environ[i], "MFLAGS=", 7) != 0)
      copy[kept++] = environ[i];
  return copy;
}

static int spawn_make(const char *tree, const char *target, int output, pid_t *child)
{
  char *const argv[] = {
    "make", "--no-print-directory", "-C", (char *)(uintptr_t)tree, (char *)(uintptr_t)target, NULL
  };
  posix_spawn_file_actions_t actions;
  char **environment = own_environment();
  int error = environment ? posix_spawn_file_actions_init(&actions) : ENOMEM;
  if (error) {
    free(environment);
    return error;
  }
  error = posix_spawn_file_actions_adddup2(&actions, output, 1);
  if (!error)
    error = posix_spawn_file_actions_adddup2(&actions, output, 2);
  if (!error)
    error = posix_spawnp(child, "make", &actions, NULL, argv, environment);
  posix_spawn_file_actions_destroy(&actions);
  free(environment);
  return error;
}

static int run_make(struct weft *w, const char *tree, const struct weft_built *b, const char *build,
                    const struct weft_options *options)
{
  char target[64], what[64], last[512] = "";
  int ends[2], status = 0;
  pid_t child;
  snprintf(target, sizeof target, "%s-%s", b->kind, build);
  snprintf(what, sizeof what, "building %s:%s", b->kind, build);
  tell(options, what, "for the first time; this takes a minute or two");
  if (pipe2(ends, O_CLOEXEC))
    return weft_fail_errno(w, WEFT_BUILD_BROKE, errno, "cannot start make %s", target);
  int error = spawn_make(tree, target, ends[1], &child);
  close(ends[1]);
  if (error) {
    close(ends[0]);
    return weft_fail_errno(w, WEFT_NOT_BUILT, error, "%s:%s is not built, and make cannot be started",
                           b->kind, build);
  }
  follow(ends[0], options, what, last, sizeof last);
  while (waitpid(child, &status, 0) < 0 && errno == EINTR)
    ;
  if (!WIFEXITED(status) || WEXITSTATUS(status))
    return weft_fail(w, WEFT_BUILD_BROKE, "building %s:%s failed: %s\nsee it with: make -C %s %s", b->kind,
                     build, last, tree, target);
  return WEFT_OK;
}

int weft_built_make(struct weft *w, const struct weft_built *b, const char *build,
                    const struct weft_options *options, char *path, size_t path_size)
{
  char tree[3072];
  if (!weft_source_tree(tree, sizeof tree))
    return weft_fail(w, WEFT_NOT_BUILT,
                     "%s:%s is not built, and the source tree to build it from is not here\n"
                     "where that is: make %s-%s, then make install; or set %s to the folder that\n"
                     "holds %s/%s%s",
                     b->kind, build, b->kind, build, b->variable, build, b->object, b->instead);
  if (run_make(w, tree, b, build, options))
    return w->failure.code;
  if (!weft_built_find(b, build, path, path_size))
    return weft_fail(w, WEFT_BUILD_BROKE, "make %s-%s ended well, but %s/%s is not there", b->kind, build,
                     build, b->object);
  return WEFT_OK;
}
