/* SPDX-License-Identifier: Apache-2.0 */
#include "memory.h"

#include "messages.h"

size_t weft_memory_size(const struct weft_config *c)
{
  return sizeof(struct weft_memory) + c->memory_bytes;
}

void weft_memory_reset(struct weft_memory *m, const struct weft_config *c, unsigned node, bool fresh)
{
  if (!fresh)
    memset(m, 0, weft_memory_size(c));
  m->bytes = c->memory_bytes;
  m->node = node;
  m->line = (uint32_t)c->line;
}

const char *weft_memory_step(struct weft_memory *m, const struct weft_mem_req *in, struct weft_mem_rsp *out)
{
  uint64_t offset = weft_offset_of(in->address);
  if (weft_home_of(in->address) != m->node)
    return "memory: the address belongs to another node";
  if (offset >= m->bytes || (offset & (m->line - 1U)))
    return "memory: the address is not a line of this memory";
  if (in->write) {
    weft_copy_line(m->data + offset, in->data, m->line);
    if (m->fault == WEFT_FAULT_MEMORY_LOSES_BYTE)
      m->data[offset] = 0;
  } else {
    out->id = in->id;
    weft_copy_line(out->data, m->data + offset, m->line);
  }
  return NULL;
}

bool weft_memory_host(struct weft_memory *m, uint64_t offset, void *bytes, size_t count, bool write)
{
  if (offset > m->bytes || count > m->bytes - offset)
    return false;
  if (write)
    memcpy(m->data + offset, bytes, count);
  else
    memcpy(bytes, m->data + offset, count);
  return true;
}
