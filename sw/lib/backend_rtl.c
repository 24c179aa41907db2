/* SPDX-License-Identifier: Apache-2.0 */
/* rtl: loads the shared object of one configuration, and makes sure that it is the right one. */
#include <dlfcn.h>
#include <stdio.h>
#include <string.h>

#include "handle.h"

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
  if (!weft_built_find(&weft_built_rtl, build, path, sizeof path) &&
      weft_built_make(w, &weft_built_rtl, build, options, path, sizeof path))
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
