/* SPDX-License-Identifier: Apache-2.0 */
/* rtl: finds and loads the shared object of one configuration, and makes sure that it is the right one. */
#include <dlfcn.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "handle.h"

#define OBJECT "libweft-rtl.so"

static bool readable(const char *path)
{
  return !access(path, R_OK);
}

/* FOLDER/BUILD/libweft-rtl.so for each folder of a list separated by colons. */
static bool find_in(const char *folders, const char *build, char *path, size_t size)
{
  for (const char *next; folders && *folders; folders = next) {
    const char *colon = strchr(folders, ':');
    size_t length = colon ? (size_t)(colon - folders) : strlen(folders);
    next = colon ? colon + 1 : NULL;
    int used = snprintf(path, size, "%.*s/%s/" OBJECT, (int)length, folders, build);
    if (used > 0 && (size_t)used < size && readable(path))
      return true;
  }
  return false;
}

/* $WEFT_RTL_PATH; beside the program, as built and as installed; the working folder's build/rtl. */
bool weft_rtl_find(const char *build, char *path, size_t size)
{
  char folder[3072], list[7168];
  if (find_in(getenv("WEFT_RTL_PATH"), build, path, size))
    return true;
  if (weft_program_folder(folder, sizeof folder)) {
    snprintf(list, sizeof list, "%s/rtl:%s/../lib/weft/rtl", folder, folder);
    if (find_in(list, build, path, size))
      return true;
  }
  if (weft_source_tree(folder, sizeof folder)) {
    snprintf(list, sizeof list, "%s/build/rtl", folder);
    if (find_in(list, build, path, size))
      return true;
  }
  return find_in("build/rtl", build, path, size);
}

static int check(struct weft *w, const char *path, const char *config, const char *build,
                 const struct weft_backend_ops *ops)
{
  const struct weft_named_config *named = weft_named_config_find(config);
  if (ops->abi != WEFT_BACKEND_ABI)
    return weft_fail(w, WEFT_BACKEND_OTHER, "%s has ABI %u, this library has %u\nbuild it again: make rtl-%s",
                     path, ops->abi, WEFT_BACKEND_ABI, build);
  if (!ops->config_name || strcmp(ops->config_name, config) != 0)
    return weft_fail(w, WEFT_BACKEND_OTHER,
                     "%s is configuration '%s', '%s' was asked for\nbuild it again: make rtl-%s", path,
                     ops->config_name ? ops->config_name : "(none)", config, build);
  if (!ops->hash || strcmp(ops->hash, named->hash) != 0)
    return weft_fail(w, WEFT_BACKEND_OTHER,
                     "%s was built from other sources:\nits hash is %.16s, this library's %.16s\n"
                     "build both again: make build/weft rtl-%s",
                     path, ops->hash ? ops->hash : "(none)", named->hash, build);
  return WEFT_OK;
}

int weft_rtl_load(struct weft *w, const char *config, const struct weft_options *options,
                  const struct weft_backend_ops **ops, void **shared_object)
{
  char path[4096], build[48];
  /* Waves are a build of their own: they make it slower. */
  snprintf(build, sizeof build, "%s%s", config, options->wave ? "-wave" : "");
  if (!weft_rtl_find(build, path, sizeof path) && weft_rtl_build(w, build, options, path, sizeof path))
    return w->failure.code;
  /* The path may come from the user's environment: it is the user's to choose. */
  void *object = dlopen(path, RTLD_NOW | RTLD_LOCAL); /* NOLINT(clang-analyzer-optin.taint.GenericTaint) */
  if (!object)
    return weft_fail(w, WEFT_BACKEND_OTHER, "cannot load %s: %s\nbuild it again: make rtl-%s", path,
                     dlerror(), build);
  const struct weft_backend_ops *entry = dlsym(object, WEFT_BACKEND_SYMBOL);
  int code = entry ? check(w, path, config, build, entry)
                   : weft_fail(w, WEFT_BACKEND_OTHER,
                               "%s is no Weft back-end: it has no " WEFT_BACKEND_SYMBOL
                               "\nbuild it again: make rtl-%s",
                               path, build);
  if (code) {
    dlclose(object);
    return code;
  }
  *ops = entry;
  *shared_object = object;
  return WEFT_OK;
}
