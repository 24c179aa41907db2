/* SPDX-License-Identifier: Apache-2.0 */
#include "pages.h"

#include <assert.h>
#include <inttypes.h>
#include <stdlib.h>
#include <string.h>

#include "handle.h"

/* Where allocations begin: far enough from 0 that a null pointer plus an index is found out. */
#define FIRST_ADDRESS (UINT64_C(1) << 20)

static unsigned log2_of(uint64_t value)
{
  unsigned n = 0;
  while (value >>= 1)
    n++;
  return n;
}

/* Makes room for one more element; returns false when memory is out. */
static bool grow(void **array, size_t *room, size_t need, size_t element)
{
  if (need <= *room)
    return true;
  size_t wanted = *room ? *room : 64;
  while (wanted < need)
    wanted *= 2;
  void *bigger = realloc(*array, wanted * element);
  if (!bigger)
    return false;
  *array = bigger;
  *room = wanted;
  return true;
}

int weft_pages_open(struct weft *w)
{
  struct weft_pages *p = &w->pages;
  memset(p, 0, sizeof *p);
  /* With memories on the switch all pages lie there. */
  p->nodes = (unsigned)(w->config.memories ? w->config.memories : w->config.nodes);
  p->first = (unsigned)w->config.nodes - p->nodes;
  p->shift = log2_of(w->config.page);
  p->memory = w->config.memory_bytes;
  uint64_t page = w->config.page;
  p->banks = (unsigned)w->config.l2_banks;
  p->in_bank = page < WEFT_BANK_BYTES ? (unsigned)(WEFT_BANK_BYTES / page) : 1;
  p->base = (FIRST_ADDRESS + page - 1) >> p->shift;
  /* The top of every node's memory belongs to the barrier. */
  uint64_t kept = weft_barrier_kept(&w->config) >> p->shift;
  uint64_t frames = p->memory >> p->shift;
  if (frames <= kept)
    return weft_fail(w, WEFT_BAD_PARAMETER,
                     "page=%" PRIu64 " leaves no page of memory.bytes=%" PRIu64
                     " for programs; use a smaller page",
                     page, p->memory);
  for (unsigned n = 0; n < p->nodes; n++)
    p->frames[p->first + n].end = frames - kept;
  return WEFT_OK;
}

void weft_pages_close(struct weft *w)
{
  struct weft_pages *p = &w->pages;
  for (unsigned n = 0; n < WEFT_NODES_MAX; n++)
    free(p->frames[n].freed);
  free(p->page);
  free(p->replica);
  free(p->allocation);
  memset(p, 0, sizeof *p);
}

static bool node_has_room(const struct weft_frames *f)
{
  return f->freed_count || f->next < f->end;
}

/* New frames go to a node's banks by turns, as pages of WEFT_BANK_BYTES or more do by themselves: of smaller ones a
 * bank would get several in a row, and a program that walks through memory would keep one bank busy at a time. */
static uint64_t next_frame(const struct weft_pages *p, struct weft_frames *f)
{
  uint64_t number = f->next++, in_bank = p->in_bank, group = in_bank * p->banks, place = number % group;
  if (in_bank < 2 || number - place + group > f->end)
    return number;
  return number - place + place % p->banks * in_bank + place / p->banks;
}

static uint64_t take_frame(const struct weft_pages *p, struct weft_frames *f)
{
  return f->freed_count ? f->freed[--f->freed_count] : next_frame(p, f);
}

static uint64_t frames_left(const struct weft_pages *p, unsigned node)
{
  const struct weft_frames *f = &p->frames[p->first + node % p->nodes];
  return f->end - f->next + f->freed_count;
}

/* Pages that are allocated and wait for their first touch have a frame owed to them somewhere. */
static uint64_t unplaced(const struct weft_pages *p)
{
  uint64_t n = 0;
  for (size_t i = 0; i < p->count; i++)
    n += p->page[i].state == WEFT_PAGE_UNPLACED;
  return n;
}

/* Places on `node`, or on the next one with room; with memories on the switch, on that node's share of them. There is
 * room: weft_alloc() saw to it. */
static void place(struct weft_pages *p, struct weft_page *page, unsigned node)
{
  unsigned home = p->first + node % p->nodes;
  while (!node_has_room(&p->frames[home]))
    home = p->first + (++node) % p->nodes;
  page->physical = ((uint64_t)home << WEFT_NODE_SHIFT) | (take_frame(p, &p->frames[home]) << p->shift);
  page->state = WEFT_PAGE_PLACED;
}

/* Every node needs room for all of it, and what is owed to untouched pages must still be there. */
static int check_replicas(struct weft *w, uint64_t bytes, uint64_t pages)
{
  const struct weft_pages *p = &w->pages;
  uint64_t all = 0, least = UINT64_MAX, owed = unplaced(p);
  for (unsigned n = 0; n < p->nodes; n++) {
    uint64_t left = frames_left(p, n);
    all += left;
    least = left < least ? left : least;
  }
  uint64_t each = (all > owed ? all - owed : 0) / p->nodes;
  least = each < least ? each : least;
  if (pages <= least)
    return WEFT_OK;
  return weft_fail(w, WEFT_NO_ROOM,
                   "%" PRIu64 " bytes in every node's memory do not fit: %" PRIu64 " bytes are left in each\n"
                   "use a smaller size, another placement, or --set memory.bytes=N",
                   bytes, least << p->shift);
}

static int check_room(struct weft *w, uint64_t bytes, uint64_t pages, int placement)
{
  const struct weft_pages *p = &w->pages;
  if (placement == WEFT_REPLICATED)
    return check_replicas(w, bytes, pages);
  uint64_t all = 0;
  for (unsigned n = 0; n < p->nodes; n++)
    all += frames_left(p, n);
  uint64_t owed = unplaced(p);
  uint64_t left = all > owed ? all - owed : 0;
  if (placement >= 0 && frames_left(p, (unsigned)placement) < left)
    left = frames_left(p, (unsigned)placement);
  if (pages <= left)
    return WEFT_OK;
  if (placement >= 0)
    return weft_fail(w, WEFT_NO_ROOM,
                     "%" PRIu64 " bytes do not fit node %d's memory, of which %" PRIu64 " bytes are left\n"
                     "use a smaller size, another placement, or --set memory.bytes=N",
                     bytes, placement, left << p->shift);
  return weft_fail(w, WEFT_NO_ROOM,
                   "%" PRIu64 " bytes do not fit the machine's memory, of which %" PRIu64 " bytes are left\n"
                   "use a smaller size, or --set memory.bytes=N where the back-end allows it",
                   bytes, left << p->shift);
}

/* There is room, as for place(). */
static void replicate(struct weft_pages *p, struct weft_page *page)
{
  uint64_t *physical = p->replica + p->replicas * p->nodes;
  for (unsigned n = 0; n < p->nodes; n++)
    physical[n] = ((uint64_t)n << WEFT_NODE_SHIFT) | (take_frame(p, &p->frames[n]) << p->shift);
  page->physical = physical[0];
  page->replica = (uint32_t)++p->replicas;
  page->state = WEFT_PAGE_PLACED;
}

static bool grow_tables(struct weft_pages *p, uint64_t pages, int placement)
{
  /* One page is left unmapped behind each allocation, so that running over its end is found out. */
  return grow((void **)&p->page, &p->room, p->count + pages + 1, sizeof *p->page) &&
         grow((void **)&p->allocation, &p->allocation_room, p->allocations + 1, sizeof *p->allocation) &&
         (placement != WEFT_REPLICATED ||
          grow((void **)&p->replica, &p->replica_room, (p->replicas + pages) * p->nodes, sizeof *p->replica));
}

int weft_alloc(struct weft *w, uint64_t bytes, int placement, weft_address *address)
{
  if (weft_need_open(w))
    return w->failure.code;
  struct weft_pages *p = &w->pages;
  assert(p->nodes > 0); /* weft_open() takes no machine without */
  if (!bytes)
    return weft_fail(w, WEFT_BAD_SIZE, "an allocation of 0 bytes; ask for at least 1");
  unsigned nodes = (unsigned)(w->config.nodes - w->config.memories);
  if (placement >= (int)nodes)
    return weft_fail(w, WEFT_BAD_ARGUMENT, "there is no node %d to place memory on; there are 0 to %u",
                     placement, nodes - 1);
  if (placement == WEFT_REPLICATED && p->first)
    return weft_fail(w, WEFT_BAD_ARGUMENT,
                     "a copy in every node needs memory in the nodes; here it is on the switch (memories=%u)",
                     p->nodes);
  if (placement < WEFT_REPLICATED)
    return weft_fail(w, WEFT_BAD_ARGUMENT, "there is no placement %d", placement);
  uint64_t pages = ((bytes - 1) >> p->shift) + 1;
  if (check_room(w, bytes, pages, placement))
    return w->failure.code;
  if (!grow_tables(p, pages, placement))
    return weft_fail_memory(w);
  struct weft_page *first = p->page + p->count;
  memset(first, 0, (pages + 1) * sizeof *first);
  for (uint64_t i = 0; i < pages; i++) {
    first[i].state = WEFT_PAGE_UNPLACED;
    if (placement == WEFT_REPLICATED)
      replicate(p, &first[i]);
    else if (placement != WEFT_FIRST_TOUCH)
      place(p, &first[i], placement >= 0 ? (unsigned)placement : (unsigned)(i % p->nodes));
  }
  p->allocation[p->allocations++] = (struct weft_allocation){ .first = p->base + p->count, .count = pages };
  *address = (p->base + p->count) << p->shift;
  p->count += pages + 1;
  return WEFT_OK;
}

static int free_frame(struct weft *w, uint64_t physical)
{
  struct weft_pages *p = &w->pages;
  struct weft_frames *f = &p->frames[physical >> WEFT_NODE_SHIFT];
  if (!grow((void **)&f->freed, &f->freed_room, f->freed_count + 1, sizeof *f->freed))
    return weft_fail_memory(w);
  f->freed[f->freed_count++] = (physical & ((UINT64_C(1) << WEFT_NODE_SHIFT) - 1)) >> p->shift;
  return WEFT_OK;
}

/* The numbers of replicated pages are not given out again. */
static int free_page(struct weft *w, const struct weft_page *page)
{
  const struct weft_pages *p = &w->pages;
  if (!page->replica)
    return free_frame(w, page->physical);
  for (unsigned n = 0; n < p->nodes; n++)
    if (free_frame(w, p->replica[(page->replica - 1) * (size_t)p->nodes + n]))
      return w->failure.code;
  return WEFT_OK;
}

int weft_dealloc(struct weft *w, weft_address address)
{
  if (weft_need_open(w))
    return w->failure.code;
  struct weft_pages *p = &w->pages;
  for (size_t i = 0; i < p->allocations; i++) {
    struct weft_allocation a = p->allocation[i];
    if (a.first << p->shift != address)
      continue;
    for (uint64_t k = 0; k < a.count; k++) {
      struct weft_page *page = &p->page[a.first - p->base + k];
      if (page->state == WEFT_PAGE_PLACED && free_page(w, page))
        return w->failure.code;
      page->state = WEFT_PAGE_NONE;
    }
    p->allocation[i] = p->allocation[--p->allocations];
    return WEFT_OK;
  }
  return weft_fail(w, WEFT_BAD_ADDRESS, "0x%" PRIx64 " was not returned by weft_alloc()", address);
}

static struct weft_page *find_page(const struct weft_pages *p, uint64_t address)
{
  uint64_t number = address >> p->shift;
  if (number < p->base || number - p->base >= p->count)
    return NULL;
  struct weft_page *page = &p->page[number - p->base];
  return page->state == WEFT_PAGE_NONE ? NULL : page;
}

int weft_touch(struct weft *w, unsigned node, weft_address address, uint64_t bytes)
{
  if (weft_need_open(w))
    return w->failure.code;
  struct weft_pages *p = &w->pages;
  unsigned nodes = (unsigned)(w->config.nodes - w->config.memories);
  if (node >= nodes)
    return weft_fail(w, WEFT_BAD_ARGUMENT, "node %u touches: there are nodes 0 to %u", node, nodes - 1);
  for (uint64_t at = address >> p->shift; bytes && at <= (address + bytes - 1) >> p->shift; at++) {
    struct weft_page *page = find_page(p, at << p->shift);
    if (!page)
      return weft_fail(w, WEFT_BAD_ADDRESS, "touching %" PRIu64 " bytes at 0x%" PRIx64 ": not allocated",
                       bytes, address);
    if (page->state == WEFT_PAGE_UNPLACED)
      place(p, page, node);
  }
  return WEFT_OK;
}

int weft_pages_place_all(struct weft *w)
{
  struct weft_pages *p = &w->pages;
  for (size_t i = 0; i < p->allocations; i++)
    for (uint64_t k = 0; k < p->allocation[i].count; k++) {
      struct weft_page *page = &p->page[p->allocation[i].first - p->base + k];
      if (page->state == WEFT_PAGE_UNPLACED)
        place(p, page, (unsigned)(k % p->nodes));
    }
  return WEFT_OK;
}

uint64_t weft_pages_replica(const struct weft_pages *p, uint64_t address)
{
  const struct weft_page *page = address & WEFT_PHYSICAL_FLAG ? NULL : find_page(p, address);
  if (!page || !page->replica)
    return WEFT_NO_REPLICA;
  return ((uint64_t)(page->replica - 1) << p->shift) | (address & ((UINT64_C(1) << p->shift) - 1));
}

enum weft_translation weft_pages_translate(const struct weft_pages *p, unsigned node, uint64_t address,
                                           uint64_t *physical)
{
  if (address & WEFT_PHYSICAL_FLAG) {
    uint64_t bare = address & ~WEFT_PHYSICAL_FLAG;
    *physical = bare;
    uint64_t offset = bare & ((UINT64_C(1) << WEFT_NODE_SHIFT) - 1);
    return bare >> WEFT_NODE_SHIFT < p->first + p->nodes && offset < p->memory ? WEFT_TRANSLATED
                                                                               : WEFT_OUTSIDE_MEMORY;
  }
  const struct weft_page *page = find_page(p, address);
  if (!page || page->state != WEFT_PAGE_PLACED)
    return WEFT_NOT_ALLOCATED;
  uint64_t base = page->replica ? p->replica[(page->replica - 1) * (size_t)p->nodes + node] : page->physical;
  *physical = base | (address & ((UINT64_C(1) << p->shift) - 1));
  return WEFT_TRANSLATED;
}

bool weft_pages_untouched(const struct weft_pages *p, uint64_t address)
{
  const struct weft_page *page = address & WEFT_PHYSICAL_FLAG ? NULL : find_page(p, address);
  return page && page->state == WEFT_PAGE_UNPLACED;
}
