/* SPDX-License-Identifier: Apache-2.0 */
#include "ports.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#define BLOCK 16u

/* Operations do not move once they are copied in: what is sorted are these keys. */
struct key {
  uint64_t issue;
  uint64_t rank; /* warp, then order of submission */
  struct entry *entry;
};

struct entry {
  struct weft_port_op op;
  struct entry *next; /* that is free too */
};

struct block {
  struct block *next;
  struct entry entry[BLOCK];
};

/* One port: a heap of what waits, and what is shown now (kept outside the heap). */
struct port {
  struct key *heap;
  size_t count, room;
  struct entry *shown, *unused;
  struct block *blocks;
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
  for (unsigned i = 0; i < p->ports; i++) {
    free(p->port[i].heap);
    for (struct block *b = p->port[i].blocks, *next; b; b = next) {
      next = b->next;
      free(b);
    }
  }
  free(p);
}

static void give_back(struct port *q, struct entry *e)
{
  e->next = q->unused;
  q->unused = e;
}

void weft_ports_clear(struct weft_ports *p)
{
  for (unsigned i = 0; i < p->ports; i++) {
    struct port *q = &p->port[i];
    while (q->count)
      give_back(q, q->heap[--q->count].entry);
    if (q->shown)
      give_back(q, q->shown);
    q->shown = NULL;
  }
  p->waiting = 0;
}

static bool before(const struct key *a, const struct key *b)
{
  return a->issue != b->issue ? a->issue < b->issue : a->rank < b->rank;
}

static void swap(struct key *a, struct key *b)
{
  struct key t = *a;
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

/* Room for one operation more, in the heap and for itself. */
static bool make_room(struct port *q)
{
  if (q->count == q->room) {
    size_t room = q->room ? 2 * q->room : BLOCK;
    struct key *heap = realloc(q->heap, room * sizeof *heap);
    if (!heap)
      return false;
    q->heap = heap;
    q->room = room;
  }
  if (!q->unused) {
    struct block *b = malloc(sizeof *b);
    if (!b)
      return false;
    b->next = q->blocks;
    q->blocks = b;
    for (unsigned i = 0; i < BLOCK; i++)
      give_back(q, &b->entry[i]);
  }
  return true;
}

bool weft_ports_push(struct weft_ports *p, const struct weft_port_op *op)
{
  struct port *q = &p->port[op->node * p->cus + op->cu];
  if (!make_room(q))
    return false;
  struct entry *e = q->unused;
  q->unused = e->next;
  e->op = *op;
  size_t i = q->count++;
  q->heap[i] = (struct key){ op->issue, (uint64_t)op->req.warp << 56 | p->submitted++, e };
  for (; i > 0 && before(&q->heap[i], &q->heap[(i - 1) / 2]); i = (i - 1) / 2)
    swap(&q->heap[i], &q->heap[(i - 1) / 2]);
  p->waiting++;
  return true;
}

const struct weft_port_op *weft_ports_show(struct weft_ports *p, unsigned port, uint64_t now)
{
  struct port *q = &p->port[port];
  if (!q->shown) {
    if (q->count == 0 || q->heap[0].issue > now)
      return NULL;
    q->shown = q->heap[0].entry;
    q->heap[0] = q->heap[--q->count];
    sift_down(q);
  }
  return &q->shown->op;
}

void weft_ports_take(struct weft_ports *p, unsigned port)
{
  struct port *q = &p->port[port];
  give_back(q, q->shown); /* what was shown can be read until the next one is pushed */
  q->shown = NULL;
  p->waiting--;
}

size_t weft_ports_waiting(const struct weft_ports *p)
{
  return p->waiting;
}

uint64_t weft_ports_when(const struct weft_ports *p, unsigned port)
{
  const struct port *q = &p->port[port];
  if (q->shown)
    return 0;
  return q->count ? q->heap[0].issue : UINT64_MAX;
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

int weft_patience_check(struct weft_patience *w, const struct weft_ports *p, uint64_t now,
                        struct weft_backend_error *e)
{
  if (w->outstanding == weft_ports_waiting(p)) {
    uint64_t due = weft_ports_next(p);
    if (due > w->since)
      w->since = due; /* nothing is under way and nothing was due before: that is no waiting */
  }
  if (now <= w->since + w->cycles)
    return WEFT_BACKEND_OK;
  snprintf(e->text, sizeof e->text, "no operation was answered for %llu cycles",
           (unsigned long long)w->cycles);
  return WEFT_BACKEND_STUCK;
}
