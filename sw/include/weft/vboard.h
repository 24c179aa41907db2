/* SPDX-License-Identifier: Apache-2.0 */
/* The parts of a virtual board (docs/vboard.md), for whoever puts them together: the tool's `weft vboard`. */
#ifndef WEFT_VBOARD_PARTS_H
#define WEFT_VBOARD_PARTS_H

#include <weft/weft.h>

#ifdef __cplusplus
extern "C" {
#endif

/* Finds the Verilated board of a configuration, libweft-board.so, which is built first where the source tree is at hand;
 * of the options the progress hook counts. *hash: what it must say it was built from. The handle may be closed. */
WEFT_API int weft_vboard_find_board(struct weft *w, const char *config, const struct weft_options *options,
                                    char *path, size_t size, const char **hash);
/* Finds what shows such a board to programs as a device on USB, libweft-vboard.so. */
WEFT_API int weft_vboard_find_usb(struct weft *w, char *path, size_t size);

#ifdef __cplusplus
}
#endif
#endif
