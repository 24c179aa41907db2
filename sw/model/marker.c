/* SPDX-License-Identifier: Apache-2.0 */
/* Markers: at the home, MARKs behind all INVs that it owes; at other nodes, their acknowledgement (R6). */
#include "l2_parts.h"

/* Acknowledges `count` nodes to releaser `to`; with `stamp`, also what this node has seen of home `to`. */
static void acknowledge(struct weft_l2 *l, unsigned to, unsigned id, unsigned count, const uint16_t *stamp,
                        struct weft_l2_event *out)
{
  if (to == l->self) {
    weft_release_ack(l, id, count, out);
    return;
  }
  weft_l2_respond(l, out, WEFT_RSP_KIND_ACK, to);
  out->out_rsp.id = (uint8_t)id;
  out->out_rsp.count = (uint8_t)count;
  out->out_rsp.seen = stamp != NULL;
  out->out_rsp.stamp = stamp ? *stamp : 0;
}

/* ---------------------------------------------------------------- at the home */

static const char *refuses_step(const struct weft_l2 *l, unsigned src, unsigned id)
{
  if (weft_forward_full(weft_l2_forward(l)))
    return "l2: a marker step with a full forward queue";
  if (src != l->self)
    return NULL;
  unsigned skipped = l->nodes - 1U - (unsigned)__builtin_popcount(weft_forward_unseen(weft_l2_forward(l)));
  return skipped ? weft_release_refuses_ack(l, id, skipped) : NULL;
}

static void marker_step(struct weft_l2 *l, unsigned src, unsigned id, struct weft_l2_event *out)
{
  struct weft_forward *forward = weft_l2_forward(l);
  uint16_t nodes = weft_forward_unseen(forward);
  unsigned skipped = l->nodes - 1U - (unsigned)__builtin_popcount(nodes);
  if (nodes) {
    struct weft_fwd_item *item = &out->out_fwd;
    out->sent_fwd = 1;
    item->kind = WEFT_FWD_KIND_MARK;
    item->nodes = nodes;
    item->block = item->spread = item->cause = 0;
    item->releaser = (uint8_t)src;
    item->id = (uint8_t)id;
    item->address = (uint64_t)l->self << WEFT_HOME_SHIFT | (uint64_t)l->bank << WEFT_PAGE_SHIFT;
    weft_forward_push(forward, item, NULL);
  }
  if (skipped)
    acknowledge(l, src, id, skipped, NULL, out);
}

const char *weft_marker_refuses_request(const struct weft_l2 *l, unsigned src, unsigned id)
{
  if (l->fetch_used == 0)
    return refuses_step(l, src, id);
  return l->marker_used == weft_ones(l->markers) ? "l2: a marker with all markers in use" : NULL;
}

void weft_marker_request(struct weft_l2 *l, unsigned src, unsigned id, struct weft_l2_event *out)
{
  if (l->fetch_used == 0) {
    marker_step(l, src, id, out);
    return;
  }
  unsigned marker = weft_lowest(~l->marker_used);
  l->marker_used |= weft_bit(marker);
  weft_l2_markers(l)[marker] =
    (struct weft_l2_marker){ .fetches = (uint32_t)l->fetch_used, .src = (uint8_t)src, .id = (uint8_t)id };
  out->allocated = 1;
  out->slot = (uint8_t)marker;
}

int weft_l2_marker_go(const struct weft_l2 *l)
{
  for (uint64_t used = l->marker_used; used; used &= used - 1)
    if (weft_l2_markers(l)[weft_lowest(used)].fetches == 0)
      return (int)weft_lowest(used);
  return -1;
}

const char *weft_marker_refuses_go(const struct weft_l2 *l)
{
  int marker = weft_l2_marker_go(l);
  if (marker < 0)
    return "l2: marker_go with no marker that waits for nothing";
  return refuses_step(l, weft_l2_markers(l)[marker].src, weft_l2_markers(l)[marker].id);
}

void weft_marker_go(struct weft_l2 *l, struct weft_l2_event *out)
{
  int go = weft_l2_marker_go(l);
  if (go < 0)
    return; /* would have been refused */
  unsigned marker = (unsigned)go;
  struct weft_l2_marker *m = &weft_l2_markers(l)[marker];
  out->index = (uint8_t)marker;
  marker_step(l, m->src, m->id, out);
  l->marker_used &= ~weft_bit(marker);
  memset(m, 0, sizeof *m);
}

/* ---------------------------------------------------------------- at the other nodes */

const char *weft_marker_refuses_mark(const struct weft_l2 *l, const struct weft_fwd *f)
{
  if (f->releaser >= l->nodes)
    return "l2: a mark for a releaser that does not exist";
  return f->releaser == l->self ? weft_release_refuses_ack(l, f->id, 1) : NULL;
}

void weft_marker_mark(struct weft_l2 *l, const struct weft_fwd *f, struct weft_l2_event *out)
{
  bool home_releases = f->releaser == f->src;
  acknowledge(l, f->releaser, f->id, 1, home_releases ? &f->stamp : NULL, out);
  if (home_releases)
    return;
  l->half_full = 1;
  l->half_home = f->src;
  l->half_stamp = f->stamp;
}

const char *weft_marker_refuses_seen(const struct weft_l2 *l, const struct weft_fwd *f)
{
  if (!l->half_full)
    return "l2: seen without a mark before it";
  if (f->src != l->half_home || f->stamp != l->half_stamp)
    return "l2: seen is not the second half of the mark before it";
  return NULL;
}

void weft_marker_seen(struct weft_l2 *l, const struct weft_fwd *f, struct weft_l2_event *out)
{
  weft_l2_respond(l, out, WEFT_RSP_KIND_SEEN, f->src);
  out->out_rsp.stamp = f->stamp;
  l->half_full = l->half_home = 0;
  l->half_stamp = 0;
}
