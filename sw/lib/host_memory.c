/* SPDX-License-Identifier: Apache-2.0 */
/* The host's way to memory: translation, and the back door. */
#include <inttypes.h>

#include "handle.h"

/* As weft_pages_translate(), but places a page that nobody touched. */
static int translate_for_host(struct weft *w, unsigned node, uint64_t address, uint64_t *physical)
{
  if (weft_pages_untouched(&w->pages, address))
    weft_pages_place_all(w);
  switch (weft_pages_translate(&w->pages, node, address, physical)) {
  case WEFT_TRANSLATED:
    return WEFT_OK;
  case WEFT_OUTSIDE_MEMORY:
    return weft_fail(w, WEFT_BAD_ADDRESS,
                     "physical address 0x%" PRIx64 " is outside memory: %u nodes of %" PRIu64
                     " bytes, the node's "
                     "number in bits 39 to 36",
                     address & ~WEFT_PHYSICAL_FLAG, w->pages.nodes, w->pages.memory);
  default:
    return weft_fail(w, WEFT_BAD_ADDRESS, "address 0x%" PRIx64 " is not allocated", address);
  }
}

int weft_translate(struct weft *w, weft_address address, uint64_t *physical)
{
  return weft_need_open(w) ? w->failure.code : translate_for_host(w, 0, address, physical);
}

/* Splits at pages, joins those that follow one another in memory: small pages would make many calls. */
static int back_door(struct weft *w, unsigned node, uint64_t address, uint8_t *bytes, uint64_t count,
                     bool write)
{
  struct weft_backend_error e = { "" };
  const uint64_t page = UINT64_C(1) << w->pages.shift;
  while (count) {
    uint64_t physical, next;
    if (translate_for_host(w, node, address, &physical))
      return w->failure.code;
    uint64_t run = page - (address & (page - 1));
    while (run < count) {
      if (translate_for_host(w, node, address + run, &next))
        return w->failure.code;
      if (next != physical + run)
        break;
      run += page;
    }
    if (run > count)
      run = count;
    int result = w->ops->memory(w->backend, physical, bytes, run, write, &e);
    if (result)
      return weft_backend_fail(w, result, &e);
    address += run;
    bytes += run;
    count -= run;
  }
  return WEFT_OK;
}

static unsigned replicas_of(const struct weft *w, uint64_t address)
{
  return weft_pages_replica(&w->pages, address) == WEFT_NO_REPLICA ? 1 : w->pages.nodes;
}

int weft_write(struct weft *w, weft_address address, const void *bytes, uint64_t count)
{
  if (weft_need_open(w))
    return w->failure.code;
  if (w->launched)
    return weft_fail(w, WEFT_BAD_STATE,
                     "the host writes memory before the first launch only: caches do not see it; "
                     "call weft_reset() first, or write from a kernel");
  int code = WEFT_OK;
  for (unsigned n = 0; !code && n < replicas_of(w, address); n++)
    code = back_door(w, n, address, (uint8_t *)(uintptr_t)bytes, count, true);
  return code;
}

/* A replica that differs is a wrong result, whoever reads it. */
static int compare_replica(struct weft *w, unsigned node, uint64_t address, const uint8_t *bytes,
                           uint64_t count)
{
  uint8_t part[4096] = { 0 };
  for (uint64_t at = 0; at < count; at += sizeof part) {
    uint64_t n = count - at < sizeof part ? count - at : sizeof part;
    if (back_door(w, node, address + at, part, n, false))
      return w->failure.code;
    for (uint64_t i = 0; i < n; i++)
      if (part[i] != bytes[at + i])
        return weft_fail(w, WEFT_WRONG_RESULT,
                         "replicas differ: at address 0x%" PRIx64 " node 0 has 0x%02x, node %u has 0x%02x",
                         address + at + i, bytes[at + i], node, part[i]);
  }
  return WEFT_OK;
}

int weft_read(struct weft *w, weft_address address, void *bytes, uint64_t count)
{
  if (weft_need_open(w))
    return w->failure.code;
  if (w->launched && !w->settled && weft_settle(w))
    return w->failure.code;
  int code = back_door(w, 0, address, bytes, count, false);
  for (unsigned n = 1; !code && n < replicas_of(w, address); n++)
    code = compare_replica(w, n, address, bytes, count);
  return code;
}
