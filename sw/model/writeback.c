/* SPDX-License-Identifier: Apache-2.0 */
/* Copies of remote lines that are written back (protocol none-wb: HALCONE's SM-WB-NC, its section 4.1).
 *
 * What a copy's home does not know yet is marked byte by byte: nobody keeps copies coherent, and a line that is written
 * back whole would bring old neighbours home. It leaves as one WRITE of these bytes.
 *
 * A step sends one request at most, and neither an answer nor memory's line may wait for one to leave: homes would stop for
 * requests that stop for homes. So a victim's bytes are held, as is an atomic behind its line's bytes, and marker_send sends
 * what is held before anything else. A victim that comes while something is held is taken from the clean ways of its set,
 * of which there is always one: the store that would make the last of them dirty goes home instead. */
#include "l2_parts.h"
#include "messages.h"

bool weft_writeback_dirty(const struct weft_l2 *l, uint64_t set, unsigned way)
{
  uint64_t tag = weft_lines_tags(weft_l2_lines(l), set)[way];
  return weft_l2_writes_back(l) && (tag & WEFT_TAG_DIRTY) && weft_home_of(tag) != l->self;
}

int weft_writeback_clean_way(const struct weft_l2 *l, uint64_t set, int excluded)
{
  struct weft_lines *lines = weft_l2_lines(l);
  const uint8_t *ages = weft_lines_ages(lines, set);
  int oldest = WEFT_NO_WAY;
  for (int way = 0; way < (int)lines->ways; way++)
    if (way != excluded && !weft_writeback_dirty(l, set, (unsigned)way) &&
        (oldest == WEFT_NO_WAY || ages[way] > ages[oldest]))
      oldest = way;
  return oldest;
}

/* The dirty bytes of a copy as a WRITE; the copy is clean then. */
static void take_bytes(struct weft_l2 *l, uint64_t set, unsigned way, struct weft_req *m)
{
  struct weft_lines *lines = weft_l2_lines(l);
  uint64_t *tag = &weft_lines_tags(lines, set)[way], *dirty = weft_l2_dirty(l, set, way);
  *tag &= ~WEFT_TAG_DIRTY;
  m->kind = WEFT_REQ_KIND_WRITE;
  m->src = (uint8_t)l->self;
  m->dst = (uint8_t)weft_home_of(*tag);
  m->cu = m->id = m->func = m->wide = m->era = 0;
  m->cts = 0;
  m->address = *tag & ~WEFT_TAG_VALID;
  memcpy(m->mask, dirty, sizeof m->mask);
  weft_clear_line(m->data, l->line);
  weft_merge(m->data, weft_lines_data(lines, set, way), dirty, l->line);
  memset(dirty, 0, sizeof m->mask);
}

/* ---------------------------------------------------------------- stores and atomics */

/* The copy in this way may be dirty: another one of the set stays clean. */
static bool may_keep(const struct weft_l2 *l, uint64_t set, unsigned way)
{
  return weft_writeback_clean_way(l, set, (int)way) != WEFT_NO_WAY;
}

/* A strong store of scope sys goes home: whoever waits for it may wait without a release behind it. */
static bool goes_home(const struct weft_l2_event *in)
{
  return in->order != WEFT_ORDER_WEAK && in->scope == WEFT_SCOPE_SYS;
}

/* A store of a whole line that is not there needs nothing from its home. The way for it, or WEFT_NO_WAY. */
static int way_for_store(const struct weft_l2 *l, const struct weft_l2_event *in, uint64_t line)
{
  if (goes_home(in) || !weft_mask_full(in->req.mask, l->line))
    return WEFT_NO_WAY;
  int way = weft_l2_place(l, line);
  return may_keep(l, weft_l2_set_of(l, line), (unsigned)way) ? way : WEFT_NO_WAY;
}

static bool store_hits(struct weft_l2 *l, const struct weft_l2_event *in, uint64_t set, unsigned way)
{
  uint64_t *tag = &weft_lines_tags(weft_l2_lines(l), set)[way], *dirty = weft_l2_dirty(l, set, way);
  bool keeps = !goes_home(in) && may_keep(l, set, way);
  for (unsigned i = 0; i < 2; i++)
    dirty[i] = keeps ? dirty[i] | in->req.mask[i] : dirty[i] & ~in->req.mask[i];
  *tag = (*tag & ~WEFT_TAG_DIRTY) | (dirty[0] | dirty[1] ? WEFT_TAG_DIRTY : 0);
  return keeps;
}

bool weft_writeback_store(struct weft_l2 *l, const struct weft_l2_event *in, uint64_t line,
                          struct weft_l2_event *out)
{
  uint64_t set = weft_l2_set_of(l, line);
  if (out->hit)
    return store_hits(l, in, set, out->way);
  if (way_for_store(l, in, line) == WEFT_NO_WAY)
    return false;
  unsigned way = weft_l2_install(l, line, in->req.data, out);
  weft_lines_tags(weft_l2_lines(l), set)[way] |= WEFT_TAG_DIRTY;
  memcpy(weft_l2_dirty(l, set, way), in->req.mask, sizeof in->req.mask);
  return true;
}

/* The atomic is in out_req; it changes places with the bytes. */
void weft_writeback_atomic(struct weft_l2 *l, uint64_t line, struct weft_l2_event *out)
{
  struct weft_req *held = weft_l2_held(l);
  weft_copy_req(held, &out->out_req, l->line);
  memset(held->mask, 0, sizeof held->mask); /* an atomic has none */
  l->held_full = 1;
  out->victim_dirty = 1;
  take_bytes(l, weft_l2_set_of(l, line), out->way, &out->out_req);
}

/* ---------------------------------------------------------------- what goes home later */

void weft_writeback_victim(struct weft_l2 *l, uint64_t set, unsigned way, struct weft_l2_event *out)
{
  out->victim_dirty = 1;
  l->held_full = 1;
  take_bytes(l, set, way, weft_l2_held(l));
  if (l->fault != WEFT_FAULT_L2_VICTIM_NOT_WRITTEN)
    return;
  out->victim_dirty = l->held_full = 0;
  memset(weft_l2_held(l), 0, sizeof(struct weft_req));
}

/* The next dirty line that the lowest release has to wait for, or the number of all lines. What became dirty behind it
 * is not its business, and what left before its turn was held, and has gone. */
static uint32_t next_dirty(const struct weft_l2 *l)
{
  const struct weft_lines *lines = weft_l2_lines(l);
  uint32_t all = lines->sets * lines->ways, at = all;
  if (l->release_sending)
    at = weft_l2_releases(l)[weft_lowest(l->release_sending)].next;
  while (at < all && !weft_writeback_dirty(l, at / lines->ways, at % lines->ways))
    at++;
  return at;
}

bool weft_writeback_waits(const struct weft_l2 *l)
{
  const struct weft_lines *lines = weft_l2_lines(l);
  return l->held_full || (weft_l2_writes_back(l) && next_dirty(l) < lines->sets * lines->ways);
}

void weft_writeback_send(struct weft_l2 *l, struct weft_l2_event *out)
{
  const struct weft_lines *lines = weft_l2_lines(l);
  out->sent_req = 1;
  if (l->held_full) {
    weft_copy_req(&out->out_req, weft_l2_held(l), l->line);
    l->held_full = 0;
    memset(weft_l2_held(l), 0, sizeof(struct weft_req));
    return;
  }
  uint32_t at = next_dirty(l);
  unsigned release = weft_lowest(l->release_sending);
  weft_l2_releases(l)[release].next = at + 1;
  out->index = (uint8_t)release;
  out->victim_dirty = 1;
  take_bytes(l, at / lines->ways, at % lines->ways, &out->out_req);
}

void weft_writeback_flush(struct weft_l2 *l, uint64_t set, unsigned way, struct weft_l2_event *out)
{
  out->sent_req = 1;
  out->victim_dirty = 1;
  take_bytes(l, set, way, &out->out_req);
}

/* ---------------------------------------------------------------- foresight */

bool weft_l2_will_hold(const struct weft_l2 *l, const struct weft_l2_event *in)
{
  uint64_t line = weft_l2_line_of(l, in->req.address);
  int way = WEFT_NO_WAY;
  if (!weft_l2_writes_back(l))
    return false;
  if (in->kind == WEFT_L2_EVENT_KIND_RESPONSE && in->rsp.kind == WEFT_RSP_KIND_LINE &&
      (l->miss_open & weft_bit(in->rsp.id))) {
    line = weft_l2_misses(l)[in->rsp.id].line;
    way = weft_l2_place(l, line);
  } else if (in->kind == WEFT_L2_EVENT_KIND_MEMORY) {
    line = weft_l2_fetches(l)[in->index].line;
    way = weft_l2_place(l, line);
  } else if (in->kind == WEFT_L2_EVENT_KIND_CU && in->req.kind != WEFT_REQ_KIND_FENCE &&
             weft_home_of(in->req.address) != l->self) {
    int there = weft_l2_find(l, line);
    if (in->req.kind == WEFT_REQ_KIND_ATOMIC)
      way = there;
    else if (in->req.kind == WEFT_REQ_KIND_WRITE && there == WEFT_NO_WAY)
      way = way_for_store(l, in, line);
  }
  return way != WEFT_NO_WAY && weft_writeback_dirty(l, weft_l2_set_of(l, line), (unsigned)way);
}
