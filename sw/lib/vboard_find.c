/* SPDX-License-Identifier: Apache-2.0 */
#include <stdio.h>
#include <unistd.h>
#include <weft/vboard.h>

#include "handle.h"

#define OBJECT "libweft-vboard.so"

int weft_vboard_find_board(struct weft *w, const char *config, const struct weft_options *options, char *path,
                           size_t size, const char **hash)
{
  static const struct weft_options defaults;
  const struct weft_named_config *named = weft_named_config_find(config);
  if (!named)
    return weft_config_load(w, config); /* fails, and says which there are */
  if (named->model || named->refused)
    return weft_fail(w, WEFT_NOT_BUILT_IN, "no board can be made of %s: %s\nuse ulx3s or tiny", config,
                     named->model ? "it is a machine for the model alone" : named->refused);
  *hash = named->hash;
  if (weft_built_find(&weft_built_board, config, path, size))
    return WEFT_OK;
  return weft_built_make(w, &weft_built_board, config, options ? options : &defaults, path, size);
}

int weft_vboard_find_usb(struct weft *w, char *path, size_t size)
{
  static const char *const below[] = { "", "/../lib/weft" }; /* as built, as installed */
  char folder[3072];
  for (size_t i = 0; i < sizeof below / sizeof *below; i++) {
    if (!weft_program_folder(folder, sizeof folder))
      break;
    int used = snprintf(path, size, "%s%s/" OBJECT, folder, below[i]);
    if (used > 0 && (size_t)used < size && !access(path, R_OK))
      return WEFT_OK;
  }
  return weft_fail(w, WEFT_NOT_BUILT,
                   OBJECT " is not there: it needs umockdev, which emulates USB devices\n"
                          "install the package libumockdev-dev, then: make build");
}
