/* SPDX-License-Identifier: Apache-2.0 */
#include "link.h"

#include "messages.h"
#include "tlp.h"

#define COST_REQUEST 24U    /* around a request, and all of a message without data */
#define COST_COMPLETION 20U /* around a response with data */
#define COST_PACKET 20U     /* before a FinePack packet's payload */
#define COST_PREFIX 4U      /* a vendor prefix before the header: FinePack's, or that of the time stamps */
#define COST_CRC 4U         /* behind it */

/* ---------------------------------------------------------------- bytes */

/* Whole words from the first to the last that has an enabled byte. */
static unsigned span(const uint64_t mask[2])
{
  if ((mask[0] | mask[1]) == 0)
    return 0;
  unsigned first = mask[0] ? weft_lowest(mask[0]) : 64U + weft_lowest(mask[1]);
  unsigned last =
    mask[1] ? 127U - (unsigned)__builtin_clzll(mask[1]) : 63U - (unsigned)__builtin_clzll(mask[0]);
  return 4U * (last / 4U - first / 4U + 1U);
}

unsigned weft_link_cost_req(const struct weft_req *m)
{
  unsigned request = COST_REQUEST + (weft_req_has_time(m) ? COST_PREFIX : 0U);
  if (m->kind == WEFT_REQ_KIND_READ)
    return request + (weft_req_renews(m) ? COST_PREFIX : 0U);
  if (m->kind == WEFT_REQ_KIND_WRITE)
    return request + span(m->mask);
  if (m->kind == WEFT_REQ_KIND_ATOMIC)
    return request + (m->wide ? 8U : 4U) * (m->func == WEFT_FUNC_CAS ? 2U : 1U);
  if (m->kind == WEFT_REQ_KIND_PACKET)
    return COST_PACKET + (m->wide ? COST_PREFIX : 0U);
  if (m->kind == WEFT_REQ_KIND_CHUNK)
    return span(m->mask) + (weft_req_ends_packet(m) ? COST_CRC : 0U);
  return COST_REQUEST;
}

unsigned weft_link_cost_fwd(const struct weft_fwd *m)
{
  (void)m; /* INV and MARK cost the same */
  return COST_REQUEST;
}

unsigned weft_link_cost_rsp(const struct weft_rsp *m, unsigned line)
{
  unsigned completion = COST_COMPLETION + (weft_rsp_has_time(m) ? COST_PREFIX : 0U);
  if (m->kind == WEFT_RSP_KIND_LINE)
    return completion + line;
  if (m->kind == WEFT_RSP_KIND_ATOMIC)
    return completion + (m->wide ? 8U : 4U);
  if (m->kind == WEFT_RSP_KIND_WROTE)
    return completion + (m->wide ? 0U : COST_PREFIX);
  return COST_REQUEST;
}

/* ---------------------------------------------------------------- the wire */

static size_t layout(struct weft_link *l, const struct weft_config *c)
{
  static const size_t bytes[WEFT_LINK_CLASSES] = { sizeof(struct weft_req), sizeof(struct weft_fwd),
                                                   sizeof(struct weft_rsp) };
  size_t at = sizeof *l;
  for (unsigned k = 0; k < WEFT_LINK_CLASSES; k++) {
    l->queue[k].stride = (uint32_t)(sizeof(struct weft_link_slot) + ((bytes[k] + 7U) & ~(size_t)7U));
    l->queue[k].slots_at = weft_layout_take(&at, l->queue[k].stride * c->link_buffer);
  }
  return at;
}

size_t weft_link_size(const struct weft_config *c)
{
  struct weft_link shape;
  return layout(&shape, c);
}

void weft_link_reset(struct weft_link *l, const struct weft_config *c)
{
  memset(l, 0, weft_link_size(c));
  l->size = (uint32_t)layout(l, c);
  l->bytes = (uint32_t)c->link_bytes;
  l->latency = (uint32_t)c->link_latency;
  l->buffer = (uint32_t)c->link_buffer;
  l->line = (uint32_t)c->line;
  for (unsigned k = 0; k < WEFT_LINK_CLASSES; k++)
    l->queue[k].credits = l->buffer;
}

unsigned weft_link_copy(void *to, enum weft_link_class class, const void *from, unsigned line)
{
  if (class == WEFT_LINK_REQUEST) {
    weft_copy_req(to, from, line);
    return weft_link_cost_req(from);
  }
  if (class == WEFT_LINK_FORWARD) {
    memcpy(to, from, sizeof(struct weft_fwd));
    return weft_link_cost_fwd(from);
  }
  weft_copy_rsp(to, from, line);
  return weft_link_cost_rsp(from, line);
}

bool weft_link_may_start_req(const struct weft_link *l, const struct weft_req *m)
{
  uint32_t needed = m->kind == WEFT_REQ_KIND_PACKET ? 1U + weft_tlp_chunks(weft_tlp_payload(m), l->line) : 1U;
  return weft_link_may_start(l, WEFT_LINK_REQUEST) && l->queue[WEFT_LINK_REQUEST].credits >= needed &&
         (m->kind == WEFT_REQ_KIND_CHUNK) == (l->packet != 0);
}

/* Notes a message of a packet, and says when it can be read: all of them with the last. */
static uint64_t in_packet(struct weft_link *l, const struct weft_req *m, uint64_t ready)
{
  const struct weft_link_queue *q = &l->queue[WEFT_LINK_REQUEST];
  if (!weft_req_ends_packet(m)) {
    l->packet++;
    return UINT64_MAX;
  }
  for (uint32_t i = 1; i <= l->packet; i++)
    weft_link_slot(l, q, q->head + q->count - i)->ready = ready;
  l->packet = l->spare = 0;
  return ready;
}

unsigned weft_link_start(struct weft_link *l, enum weft_link_class class, const void *message, uint64_t now)
{
  struct weft_link_queue *q = &l->queue[class];
  struct weft_link_slot *slot = weft_link_slot(l, q, q->head + q->count);
  unsigned cost = weft_link_copy(slot->message, class, message, l->line);
  uint32_t filled = cost < l->spare ? cost : l->spare;
  l->spare -= filled;
  l->owed += cost - filled;
  if (class == WEFT_LINK_REQUEST)
    l->others = 0;
  else if (l->others < WEFT_LINK_OTHERS)
    l->others++;
  uint64_t ready = now + (l->owed + l->bytes - 1U) / l->bytes + l->latency;
  bool packed = class == WEFT_LINK_REQUEST && weft_req_in_packet(message);
  slot->ready = packed ? in_packet(l, message, ready) : ready;
  q->count++;
  q->credits--;
  return cost;
}

uint64_t weft_link_ready(const struct weft_link *l, enum weft_link_class class)
{
  return l->queue[class].count ? weft_link_oldest(l, class)->ready : UINT64_MAX;
}

const void *weft_link_head(const struct weft_link *l, enum weft_link_class class, uint64_t now)
{
  return weft_link_ready(l, class) <= now ? weft_link_oldest(l, class)->message : NULL;
}

void weft_link_take(struct weft_link *l, enum weft_link_class class)
{
  l->queue[class].head = (l->queue[class].head + 1U) & (l->buffer - 1U);
  l->queue[class].count--;
}

void weft_link_credit(struct weft_link *l, enum weft_link_class class)
{
  l->queue[class].credits++;
}
