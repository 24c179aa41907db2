/* SPDX-License-Identifier: Apache-2.0 */
/* The faults by name: for the tool, which tells users, and for sim/vboard, which has them. */
#ifndef WEFT_VBOARD_FAULT_NAMES_H
#define WEFT_VBOARD_FAULT_NAMES_H

#include "vboard.h"

struct weft_vboard_fault_name {
  const char *name;
  uint64_t number; /* unless another one is said; 0: takes none */
  uint64_t most;
  const char *about;
};

static const struct weft_vboard_fault_name weft_vboard_fault_names[WEFT_VBOARD_KINDS] = {
  [WEFT_VBOARD_UNPLUG] = { "unplug", 4096, UINT32_MAX, "the device is pulled out after N bytes" },
  [WEFT_VBOARD_STALL] = { "stall", 50, UINT32_MAX, "one bulk transfer in N stalls" },
  [WEFT_VBOARD_SHORT] = { "short", 4, UINT32_MAX, "one packet in N carries less to the host than there is" },
  [WEFT_VBOARD_LOSE] = { "lose", 4096, UINT32_MAX, "one byte in N is lost, either way" },
  [WEFT_VBOARD_FLIP] = { "flip", 4096, UINT32_MAX, "a bit of one byte in N is turned" },
  [WEFT_VBOARD_INSERT] = { "insert", 4096, UINT32_MAX, "behind one byte in N comes one that nobody sent" },
  [WEFT_VBOARD_STUCK] = { "stuck", 256, UINT32_MAX, "TXE# stays high after N bytes from the board" },
  [WEFT_VBOARD_MUTE] = { "mute", 0, 0, "nothing is behind the chip: it takes all and answers nothing" },
  [WEFT_VBOARD_HANG] = { "hang", 20, UINT32_MAX, "after N transfers none ends any more" },
  [WEFT_VBOARD_VERSION] = { "version", 1, 4,
                            "the board says another 1 hash, 2 ABI, 3 version of frames, 4 magic" },
  [WEFT_VBOARD_BUSY] = { "busy", 0, 0, "another program has the device" },
  [WEFT_VBOARD_PERMISSION] = { "permission", 0, 0, "the device's node may not be opened" },
  [WEFT_VBOARD_TWIN] = { "twin", 0, 0, "a second device has the same serial number" },
};

#endif
