/* SPDX-License-Identifier: Apache-2.0 */
/* Events as the simulation hands them over: to the lock-step checker, and to whoever wants to see inside. */
#include "events.h"
#include "observer.h"
#include "verilated_parts.h"

void weft_dpi_l1(long long handle, int node, int index, const uint32_t *bits);
void weft_dpi_l2(long long handle, int node, int index, const uint32_t *bits);
void weft_dpi_dir(long long handle, int node, int index, const uint32_t *bits);
void weft_dpi_egress(long long handle, int node, const uint32_t *bits);
void weft_dpi_ingress(long long handle, int node, const uint32_t *bits);
void weft_dpi_link(long long handle, int index, const uint32_t *bits);

static struct weft_backend *of(long long handle)
{
  return (struct weft_backend *)(intptr_t)handle;
}

void weft_dpi_l1(long long handle, int node, int index, const uint32_t *bits)
{
  struct weft_backend *b = of(handle);
  const struct weft_observer *o = b->observer;
  if (b->lockstep)
    weft_lockstep_l1(b->lockstep, (unsigned)node, (unsigned)index, b->now, bits);
  if (!o || !o->l1)
    return;
  struct weft_l1_event e; /* what the kind gives no meaning to is not looked at */
  weft_event_read_l1(&e, bits, (unsigned)b->options.config.line);
  o->l1(o->context, (unsigned)node, (unsigned)index, b->now, &e, &e);
}

/* The bank's event of this step comes next. */
void weft_dpi_dir(long long handle, int node, int index, const uint32_t *bits)
{
  struct weft_backend *b = of(handle);
  if (b->lockstep)
    weft_lockstep_dir(b->lockstep, (unsigned)node, (unsigned)index, b->now, bits);
  if (!b->observer)
    return;
  struct weft_dir_event *e = &b->dir[(unsigned)node * b->options.config.l2_banks + (unsigned)index];
  struct weft_bits c = { .word = bits, .line = (unsigned)b->options.config.line };
  weft_read_dir_event(&c, e);
}

void weft_dpi_l2(long long handle, int node, int index, const uint32_t *bits)
{
  struct weft_backend *b = of(handle);
  const struct weft_observer *o = b->observer;
  if (b->lockstep)
    weft_lockstep_l2(b->lockstep, (unsigned)node, (unsigned)index, b->now, bits);
  if (!o || !o->l2)
    return;
  struct weft_l2_event e;
  struct weft_dir_event *dir = &b->dir[(unsigned)node * b->options.config.l2_banks + (unsigned)index];
  weft_event_read_l2(&e, bits, (unsigned)b->options.config.line);
  if (e.kind != WEFT_L2_EVENT_KIND_FLUSH)
    o->l2(o->context, (unsigned)node, (unsigned)index, b->now, &e, &e, dir);
  dir->valid = 0;
}

void weft_dpi_egress(long long handle, int node, const uint32_t *bits)
{
  struct weft_backend *b = of(handle);
  if (b->lockstep)
    weft_lockstep_egress(b->lockstep, (unsigned)node, b->now, bits);
}

void weft_dpi_ingress(long long handle, int node, const uint32_t *bits)
{
  struct weft_backend *b = of(handle);
  if (b->lockstep)
    weft_lockstep_ingress(b->lockstep, (unsigned)node, b->now, bits);
}

void weft_dpi_link(long long handle, int index, const uint32_t *bits)
{
  struct weft_backend *b = of(handle);
  const struct weft_observer *o = b->observer;
  if (b->lockstep)
    weft_lockstep_link(b->lockstep, (unsigned)index, b->now, bits);
  if (!o || !o->link)
    return;
  struct weft_link_event e;
  weft_event_read_link(&e, bits, (unsigned)b->options.config.line);
  weft_event_read_link_message(&e, bits, (unsigned)b->options.config.line);
  o->link(o->context, (unsigned)index, b->now, &e);
}
