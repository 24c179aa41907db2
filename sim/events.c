/* SPDX-License-Identifier: Apache-2.0 */
#include "events.h"

void weft_event_read_l1(struct weft_l1_event *e, const uint32_t *bits, unsigned line)
{
  e->kind = (uint8_t)weft_get_l1_event_kind(bits, line);
  e->warp = (uint8_t)weft_get_l1_event_warp(bits, line);
  e->hit = (uint8_t)weft_get_l1_event_hit(bits, line);
  e->expired = (uint8_t)weft_get_l1_event_expired(bits, line);
  e->clock = (uint16_t)weft_get_l1_event_clock(bits, line);
  e->way = (uint8_t)weft_get_l1_event_way(bits, line);
  e->miss = (uint8_t)weft_get_l1_event_miss(bits, line);
  e->allocated = (uint8_t)weft_get_l1_event_allocated(bits, line);
  e->joined = (uint8_t)weft_get_l1_event_joined(bits, line);
  e->closed = (uint8_t)weft_get_l1_event_closed(bits, line);
  e->installed = (uint8_t)weft_get_l1_event_installed(bits, line);
  e->sent = (uint8_t)weft_get_l1_event_sent(bits, line);
  e->answered = (uint8_t)weft_get_l1_event_answered(bits, line);
  if (e->kind == WEFT_L1_EVENT_KIND_OP)
    weft_get_l1_event_cu(bits, line, &e->cu);
  if (e->kind == WEFT_L1_EVENT_KIND_RESPONSE)
    weft_get_l1_event_rsp(bits, line, &e->rsp);
  if (e->sent)
    weft_get_l1_event_out(bits, line, &e->out);
  if (e->answered)
    weft_get_l1_event_done(bits, line, &e->done);
}

static void read_l2_inputs(struct weft_l2_event *e, const uint32_t *bits, unsigned line)
{
  e->kind = (uint8_t)weft_get_l2_event_kind(bits, line);
  e->index = (uint8_t)weft_get_l2_event_index(bits, line);
  switch (e->kind) {
  case WEFT_L2_EVENT_KIND_CU:
    e->order = (uint8_t)weft_get_l2_event_order(bits, line);
    e->scope = (uint8_t)weft_get_l2_event_scope(bits, line);
    weft_get_l2_event_req(bits, line, &e->req);
    break;
  case WEFT_L2_EVENT_KIND_REQUEST:
  case WEFT_L2_EVENT_KIND_REPLAY:
  case WEFT_L2_EVENT_KIND_FLUSH:
    weft_get_l2_event_req(bits, line, &e->req);
    break;
  case WEFT_L2_EVENT_KIND_INV:
  case WEFT_L2_EVENT_KIND_MARK:
  case WEFT_L2_EVENT_KIND_SEEN:
    weft_get_l2_event_fwd(bits, line, &e->fwd);
    break;
  case WEFT_L2_EVENT_KIND_RESPONSE:
  case WEFT_L2_EVENT_KIND_MEMORY:
    weft_get_l2_event_rsp(bits, line, &e->rsp);
    break;
  default:
    break;
  }
}

static void read_l2_effects(struct weft_l2_event *e, const uint32_t *bits, unsigned line)
{
  e->hit = (uint8_t)weft_get_l2_event_hit(bits, line);
  e->expired = (uint8_t)weft_get_l2_event_expired(bits, line);
  e->clock = (uint16_t)weft_get_l2_event_clock(bits, line);
  e->way = (uint8_t)weft_get_l2_event_way(bits, line);
  e->victim_dirty = (uint8_t)weft_get_l2_event_victim_dirty(bits, line);
  e->slot = (uint8_t)weft_get_l2_event_slot(bits, line);
  e->allocated = (uint8_t)weft_get_l2_event_allocated(bits, line);
  e->joined = (uint8_t)weft_get_l2_event_joined(bits, line);
  e->closed = (uint8_t)weft_get_l2_event_closed(bits, line);
  e->installed = (uint8_t)weft_get_l2_event_installed(bits, line);
  if ((e->sent_req = (uint8_t)weft_get_l2_event_sent_req(bits, line)))
    weft_get_l2_event_out_req(bits, line, &e->out_req);
  if ((e->sent_rsp = (uint8_t)weft_get_l2_event_sent_rsp(bits, line)))
    weft_get_l2_event_out_rsp(bits, line, &e->out_rsp);
  if ((e->sent_l1 = (uint8_t)weft_get_l2_event_sent_l1(bits, line)))
    weft_get_l2_event_out_l1(bits, line, &e->out_l1);
  if ((e->sent_mem = (uint8_t)weft_get_l2_event_sent_mem(bits, line)))
    weft_get_l2_event_out_mem(bits, line, &e->out_mem);
  if ((e->sent_fwd = (uint8_t)weft_get_l2_event_sent_fwd(bits, line)))
    weft_get_l2_event_out_fwd(bits, line, &e->out_fwd);
}

void weft_event_read_l2(struct weft_l2_event *e, const uint32_t *bits, unsigned line)
{
  read_l2_inputs(e, bits, line);
  read_l2_effects(e, bits, line);
}

void weft_event_read_link(struct weft_link_event *e, const uint32_t *bits, unsigned line)
{
  e->seq = (uint16_t)weft_get_link_event_seq(bits, line);
  e->class = (uint8_t)weft_get_link_event_class(bits, line);
  e->kind = (uint8_t)weft_get_link_event_kind(bits, line);
  e->src = (uint8_t)weft_get_link_event_src(bits, line);
  e->dst = (uint8_t)weft_get_link_event_dst(bits, line);
  e->bytes = (uint8_t)weft_get_link_event_bytes(bits, line);
}

void weft_event_read_link_message(struct weft_link_event *e, const uint32_t *bits, unsigned line)
{
  if (e->class == WEFT_MSG_CLASS_REQUEST)
    weft_get_link_event_req(bits, line, &e->req);
  else if (e->class == WEFT_MSG_CLASS_FORWARD)
    weft_get_link_event_fwd(bits, line, &e->fwd);
  else
    weft_get_link_event_rsp(bits, line, &e->rsp);
}
