/* SPDX-License-Identifier: Apache-2.0 */
/* The memory of one node: bytes by their local offset, all zero at reset. */
#ifndef WEFT_MEMORY_H
#define WEFT_MEMORY_H

#include "layout.h"

struct weft_memory {
  uint64_t bytes;
  uint32_t node, line;
  uint64_t fault; /* enum weft_fault; others' faults mean nothing here */
  uint8_t data[];
};

size_t weft_memory_size(const struct weft_config *config);

/* `fresh`: the block was just allocated by calloc, and its pages need not be touched. */
void weft_memory_reset(struct weft_memory *memory, const struct weft_config *config, unsigned node,
                       bool fresh);

/* Performs a read (then fills `out`) or a write of a line. Returns NULL, or what is wrong with it. */
const char *weft_memory_step(struct weft_memory *memory, const struct weft_mem_req *in,
                             struct weft_mem_rsp *out);

/* The host's way in and out: any bytes, by their local offset. Returns false if they are not all inside. */
bool weft_memory_host(struct weft_memory *memory, uint64_t offset, void *bytes, size_t count, bool write);

#endif
