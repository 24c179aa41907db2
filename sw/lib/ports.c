/* SPDX-License-Identifier: Apache-2.0 */
#include "ports.h"

#include <stdlib.h>
#include <string.h>

struct entry {
  uint64_t order; /* of submission */
  struct weft_port_op op;
};

/* One port: a heap of what waits, and what is shown now (kept outside the heap). */
struct port {
  struct entry *heap;
  size_t count, room;
  struct entry shown;
  bool showing;
};

struct weft_ports {
  unsigned ports, cus;
  uint64_t submitted;
  size_t waiting;
  struct port port[];
};

struct weft_ports *weft_ports_new(unsigned nodes, unsigned cus)
{
  unsigned ports = nodes * cus;
  struct weft_ports *p = calloc(1, sizeof *p + ports * sizeof p->port[0]);
  if (!p)
    return NULL;
  p->ports = ports;
  p->cus = cus;
  return p;
}

void weft_ports_free(struct weft_ports *p)
{
  if (!p)
    return;
  for (unsigned i = 0; i < p->ports; i++)
    free(p->port[i].heap);
  free(p);
}

void weft_ports_clear(struct weft_ports *p)
{
  for (unsigned i = 0; i < p->ports; i++) {
    p->port[i].count = 0;
    p->port[i].showing = false;
  }
  p->waiting = 0;
}

static bool before(const struct entry *a, const struct entry *b)
{
  if (a->op.issue != b->op.issue)
    return a->op.issue < b->op.issue;
  if (a->op.req.warp != b->op.req.warp)
    return a->op.req.warp < b->op.req.warp;
  return a->order < b->order;
}

static void swap(struct entry *a, struct entry *b)
{
  struct entry t = *a;
  *a = *b;
  *b = t;
}

static void sift_down(struct port *q)
{
  for (size_t i = 0;;) {
    size_t left = 2 * i + 1, right = left + 1, least = i;
    if (left < q->count && before(&q->heap[left], &q->heap[least]))
      least = left;
    if (right < q->count && before(&q->heap[right], &q->heap[least]))
      least = right;
    if (least == i)
      return;
    swap(&q->heap[i], &q->heap[least]);
    i = least;
  }
}

bool weft_ports_push(struct weft_ports *p, const struct weft_port_op *op)
{
  struct port *q = &p->port[op->node * p->cus + op->cu];
  if (q->count == q->room) {
    size_t room = q->room ? 2 * q->room : 16;
    struct entry *heap = realloc(q->heap, room * sizeof *heap);
    if (!heap)
      return false;
    q->heap = heap;
    q->room = room;
  }
  size_t i = q->count++;
  q->heap[i].order = p->submitted++;
  q->heap[i].op = *op;
  for (; i > 0 && before(&q->heap[i], &q->heap[(i - 1) / 2]); i = (i - 1) / 2)
    swap(&q->heap[i], &q->heap[(i - 1) / 2]);
  p->waiting++;
  return true;
}

const struct weft_port_op *weft_ports_show(struct weft_ports *p, unsigned port, uint64_t now)
{
  struct port *q = &p->port[port];
  if (!q->showing) {
    if (q->count == 0 || q->heap[0].op.issue > now)
      return NULL;
    q->shown = q->heap[0];
    q->showing = true;
    q->heap[0] = q->heap[--q->count];
    sift_down(q);
  }
  return &q->shown.op;
}

void weft_ports_take(struct weft_ports *p, unsigned port)
{
  p->port[port].showing = false;
  p->waiting--;
}

size_t weft_ports_waiting(const struct weft_ports *p)
{
  return p->waiting;
}

uint64_t weft_ports_when(const struct weft_ports *p, unsigned port)
{
  const struct port *q = &p->port[port];
  if (q->showing)
    return 0;
  return q->count ? q->heap[0].op.issue : UINT64_MAX;
}

uint64_t weft_ports_next(const struct weft_ports *p)
{
  uint64_t next = UINT64_MAX;
  for (unsigned i = 0; i < p->ports; i++) {
    uint64_t when = weft_ports_when(p, i);
    if (when < next)
      next = when;
  }
  return next;
}
