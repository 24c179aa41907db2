/* SPDX-License-Identifier: Apache-2.0 */
/* Releases of system scope: a marker to every home, and the acknowledgements of all nodes for each of them
 * (R6). */
#include "l2_parts.h"

const char *weft_release_refuses_fence(const struct weft_l2 *l, uint8_t scope)
{
  if (scope == WEFT_SCOPE_SYS && l->nodes > 1 && l->release_used == weft_ones(l->releases))
    return "l2: a fence with all releases in use";
  return NULL;
}

/* The homes that a release has to reach: all of them, but for a fault, which has its own at least. */
static uint16_t homes_of(const struct weft_l2 *l)
{
  return l->fault == WEFT_FAULT_RELEASE_SKIPS_HOMES ? (uint16_t)(l->fault_homes | 1U << l->self)
                                                    : (uint16_t)weft_ones(l->nodes);
}

void weft_release_fence(struct weft_l2 *l, const struct weft_req *r, uint8_t scope, struct weft_l2_event *out)
{
  uint16_t homes = homes_of(l);
  if (scope != WEFT_SCOPE_SYS || l->nodes == 1) {
    weft_l2_to_l1(out, WEFT_RSP_KIND_FENCE, r->cu, r->id);
    return;
  }
  unsigned release = weft_lowest(~l->release_used);
  l->release_used |= weft_bit(release);
  l->release_sending |= weft_bit(release);
  weft_l2_releases(l)[release] =
    (struct weft_l2_release){ .cu = r->cu,
                              .id = r->id,
                              .remaining = (uint16_t)(__builtin_popcount(homes) * (l->nodes - 1)),
                              .homes = homes };
  l->fault_homes = 0;
  out->allocated = 1;
  out->slot = (uint8_t)release;
}

const char *weft_release_refuses_ack(const struct weft_l2 *l, unsigned release, unsigned count)
{
  if (release >= l->releases || !(l->release_used & weft_bit(release)))
    return "l2: an acknowledgement for a release that is not in use";
  if (weft_l2_releases(l)[release].remaining < count)
    return "l2: more acknowledgements than the release awaits";
  return NULL;
}

void weft_release_ack(struct weft_l2 *l, unsigned release, unsigned count, struct weft_l2_event *out)
{
  struct weft_l2_release *r = &weft_l2_releases(l)[release];
  r->remaining = (uint16_t)(r->remaining - count);
  if (l->fault == WEFT_FAULT_RELEASE_COUNTS_TWICE && r->remaining)
    r->remaining--;
  if (r->remaining)
    return;
  weft_l2_to_l1(out, WEFT_RSP_KIND_FENCE, r->cu, r->id);
  l->release_used &= ~weft_bit(release);
  memset(r, 0, sizeof *r);
}

int weft_l2_marker_send(const struct weft_l2 *l)
{
  return l->release_sending ? (int)weft_lowest(l->release_sending) : -1;
}

const char *weft_release_refuses_send(const struct weft_l2 *l)
{
  int release = weft_l2_marker_send(l);
  if (weft_writeback_waits(l))
    return NULL;
  if (release < 0)
    return "l2: marker_send with no release that has a home left";
  if (weft_lowest(weft_l2_releases(l)[release].homes) == l->self)
    return weft_marker_refuses_request(l, l->self, (unsigned)release);
  return NULL;
}

/* What a marker has to follow goes before it. */
void weft_release_send(struct weft_l2 *l, struct weft_l2_event *out)
{
  if (weft_writeback_waits(l)) {
    weft_writeback_send(l, out);
    return;
  }
  unsigned release = weft_lowest(l->release_sending);
  struct weft_l2_release *r = &weft_l2_releases(l)[release];
  unsigned home = weft_lowest(r->homes);
  r->homes &= (uint16_t)(r->homes - 1U);
  if (r->homes == 0)
    l->release_sending &= ~weft_bit(release);
  out->index = (uint8_t)release;
  if (home == l->self) {
    weft_marker_request(l, l->self, release, out);
    return;
  }
  struct weft_req *m = &out->out_req;
  out->sent_req = 1;
  m->kind = WEFT_REQ_KIND_MARKER;
  m->src = (uint8_t)l->self;
  m->dst = (uint8_t)home;
  m->cu = 0;
  m->id = (uint8_t)release;
  m->address = (uint64_t)home << WEFT_HOME_SHIFT | (uint64_t)l->bank << WEFT_PAGE_SHIFT;
}
