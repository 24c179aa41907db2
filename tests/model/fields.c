/* SPDX-License-Identifier: Apache-2.0 */
#include "fields.h"

static bool always(const struct record *r)
{
  (void)r;
  return true;
}

/* Conditions on L1 events. */
#define L1_CONDITION(name, expression) \
  static bool name(const struct record *r) \
  { \
    const struct weft_l1_event *e = &r->as.l1; \
    (void)e; \
    return expression; \
  }
L1_CONDITION(l1_op, e->kind == WEFT_L1_EVENT_KIND_OP)
L1_CONDITION(l1_warp, e->kind == WEFT_L1_EVENT_KIND_FENCE_SEND || e->kind == WEFT_L1_EVENT_KIND_FENCE_DONE)
L1_CONDITION(l1_rsp, e->kind == WEFT_L1_EVENT_KIND_RESPONSE)
L1_CONDITION(l1_rsp_line, l1_rsp(r) && e->rsp.kind == WEFT_RSP_KIND_LINE)
L1_CONDITION(l1_rsp_data, l1_rsp(r) && e->rsp.kind != WEFT_RSP_KIND_FENCE)
L1_CONDITION(l1_way, e->hit || e->installed)
L1_CONDITION(l1_miss, e->allocated || e->joined)
L1_CONDITION(l1_sent, e->sent)
L1_CONDITION(l1_sent_write, e->sent && e->out.kind == WEFT_REQ_KIND_WRITE)
L1_CONDITION(l1_sent_id, e->sent && e->out.kind != WEFT_REQ_KIND_WRITE)
L1_CONDITION(l1_sent_atomic, e->sent && e->out.kind == WEFT_REQ_KIND_ATOMIC)
L1_CONDITION(l1_sent_order, l1_sent_write(r) || (e->sent && e->out.kind == WEFT_REQ_KIND_FENCE))
L1_CONDITION(l1_sent_data, l1_sent_write(r) || l1_sent_atomic(r))
L1_CONDITION(l1_answered, e->answered)

/* Conditions on L2 events. */
#define L2_CONDITION(name, expression) \
  static bool name(const struct record *r) \
  { \
    const struct weft_l2_event *e = &r->as.l2; \
    (void)e; \
    return expression; \
  }
#define L2(name) WEFT_L2_EVENT_KIND_##name
#define REQ(name) WEFT_REQ_KIND_##name
L2_CONDITION(l2_index, e->kind == L2(MEMORY) || e->kind == L2(REPLAY) || e->kind == L2(ANSWER) ||
                         e->kind == L2(MARKER_SEND) || e->kind == L2(MARKER_GO))
L2_CONDITION(l2_cu, e->kind == L2(CU))
L2_CONDITION(l2_req, e->kind == L2(CU) || e->kind == L2(REQUEST) || e->kind == L2(REPLAY))
L2_CONDITION(l2_req_remote, e->kind == L2(REQUEST) || e->kind == L2(REPLAY))
L2_CONDITION(l2_req_id, l2_req(r) && e->req.kind != REQ(WRITE))
L2_CONDITION(l2_req_cu, l2_cu(r) || (l2_req(r) && e->req.kind == REQ(ATOMIC)))
L2_CONDITION(l2_req_atomic, l2_req(r) && e->req.kind == REQ(ATOMIC))
L2_CONDITION(l2_req_write, l2_req(r) && e->req.kind == REQ(WRITE))
L2_CONDITION(l2_order, l2_cu(r) && (e->req.kind == REQ(FENCE) || e->req.kind == REQ(WRITE)))
L2_CONDITION(l2_req_wide, l2_req_atomic(r) || (l2_req_write(r) && e->kind == L2(REQUEST)))
/* Of a store that comes from a node only the enabled bytes mean something. */
L2_CONDITION(l2_req_first, l2_req_atomic(r) || (l2_req_write(r) && (l2_cu(r) || (e->req.mask[0] & 1U))))
L2_CONDITION(l2_req_last, l2_req_write(r) && (l2_cu(r) || (e->req.mask[0] >> 31 & 1U)))
L2_CONDITION(l2_fwd, e->kind == L2(INV) || e->kind == L2(MARK))
L2_CONDITION(l2_fwd_seen, l2_fwd(r) || e->kind == L2(SEEN))
L2_CONDITION(l2_inv, e->kind == L2(INV))
L2_CONDITION(l2_mark, e->kind == L2(MARK))
L2_CONDITION(l2_rsp, e->kind == L2(RESPONSE))
L2_CONDITION(l2_rsp_id, l2_rsp(r) && e->rsp.kind != WEFT_RSP_KIND_SEEN)
L2_CONDITION(l2_rsp_atomic, l2_rsp(r) && e->rsp.kind == WEFT_RSP_KIND_ATOMIC)
L2_CONDITION(l2_rsp_ack, l2_rsp(r) && e->rsp.kind == WEFT_RSP_KIND_ACK)
L2_CONDITION(l2_rsp_stamp, l2_rsp(r) && (e->rsp.kind == WEFT_RSP_KIND_SEEN || (l2_rsp_ack(r) && e->rsp.seen)))
L2_CONDITION(l2_rsp_data,
             e->kind == L2(MEMORY) || (l2_rsp(r) && (l2_rsp_atomic(r) || e->rsp.kind == WEFT_RSP_KIND_LINE)))
L2_CONDITION(l2_way, e->installed || (e->hit && e->kind != L2(FLUSH)))
L2_CONDITION(l2_slot, e->allocated || e->joined)
L2_CONDITION(l2_out_req, e->sent_req)
L2_CONDITION(l2_out_req_id, e->sent_req && e->out_req.kind != REQ(WRITE))
L2_CONDITION(l2_out_req_atomic, e->sent_req && e->out_req.kind == REQ(ATOMIC))
L2_CONDITION(l2_out_req_write, e->sent_req && e->out_req.kind == REQ(WRITE))
L2_CONDITION(l2_out_req_wide, l2_out_req_atomic(r) || l2_out_req_write(r))
L2_CONDITION(l2_out_req_first, l2_out_req_atomic(r) || (l2_out_req_write(r) && (e->out_req.mask[0] & 1U)))
L2_CONDITION(l2_out_req_last, l2_out_req_write(r) && (e->out_req.mask[0] >> 31 & 1U))
L2_CONDITION(l2_out_rsp, e->sent_rsp)
L2_CONDITION(l2_out_rsp_id, e->sent_rsp && e->out_rsp.kind != WEFT_RSP_KIND_SEEN)
L2_CONDITION(l2_out_rsp_atomic, e->sent_rsp && e->out_rsp.kind == WEFT_RSP_KIND_ATOMIC)
L2_CONDITION(l2_out_rsp_ack, e->sent_rsp && e->out_rsp.kind == WEFT_RSP_KIND_ACK)
L2_CONDITION(l2_out_rsp_stamp,
             e->sent_rsp && (e->out_rsp.kind == WEFT_RSP_KIND_SEEN || (l2_out_rsp_ack(r) && e->out_rsp.seen)))
L2_CONDITION(l2_out_rsp_data, l2_out_rsp_atomic(r) || (e->sent_rsp && e->out_rsp.kind == WEFT_RSP_KIND_LINE))
L2_CONDITION(l2_out_l1, e->sent_l1)
L2_CONDITION(l2_out_l1_line, e->sent_l1 && e->out_l1.kind == WEFT_RSP_KIND_LINE)
L2_CONDITION(l2_out_l1_data, e->sent_l1 && e->out_l1.kind != WEFT_RSP_KIND_FENCE)
L2_CONDITION(l2_out_mem, e->sent_mem)
L2_CONDITION(l2_out_mem_read, e->sent_mem && !e->out_mem.write)
L2_CONDITION(l2_out_mem_write, e->sent_mem && e->out_mem.write)
L2_CONDITION(l2_out_fwd, e->sent_fwd)
L2_CONDITION(l2_out_inv, e->sent_fwd && e->out_fwd.kind == WEFT_FWD_KIND_INV)
L2_CONDITION(l2_out_mark, e->sent_fwd && e->out_fwd.kind == WEFT_FWD_KIND_MARK)

static bool dir_way(const struct record *r)
{
  return r->as.dir.hit || r->as.dir.allocated;
}

static bool dir_evicted(const struct record *r)
{
  return r->as.dir.evicted;
}

#define F1(path, means) { RECORD_L1, #path, offsetof(struct record, as.l1.path), means }
#define F2(path, means) { RECORD_L2, #path, offsetof(struct record, as.l2.path), means }
#define FD(path, means) { RECORD_DIR, #path, offsetof(struct record, as.dir.path), means }
#define FL(path) { RECORD_LINK, #path, offsetof(struct record, as.link.path), always }
#define FI(path) { RECORD_ISSUED, #path, offsetof(struct record, as.issued.path), always }
#define FA(path) { RECORD_ANSWERED, #path, offsetof(struct record, as.answered.path), always }

const struct event_field event_fields[] = {
  F1(seq, always),
  F1(kind, always),
  F1(warp, l1_warp),
  F1(cu.warp, l1_op),
  F1(cu.tag, l1_op),
  F1(cu.op, l1_op),
  F1(cu.func, l1_op),
  F1(cu.wide, l1_op),
  F1(cu.order, l1_op),
  F1(cu.scope, l1_op),
  F1(cu.attr, l1_op),
  F1(cu.address, l1_op),
  F1(cu.mask, l1_op),
  F1(cu.data[0], l1_op),
  F1(cu.data[31], l1_op),
  F1(rsp.kind, l1_rsp),
  F1(rsp.bank, l1_rsp),
  F1(rsp.cu, l1_rsp),
  F1(rsp.id, l1_rsp),
  F1(rsp.install, l1_rsp_line),
  F1(rsp.data[0], l1_rsp_data),
  F1(rsp.data[31], l1_rsp_data),
  F1(hit, always),
  F1(way, l1_way),
  F1(miss, l1_miss),
  F1(allocated, always),
  F1(joined, always),
  F1(closed, always),
  F1(installed, always),
  F1(sent, always),
  F1(out.kind, l1_sent),
  F1(out.cu, l1_sent),
  F1(out.id, l1_sent_id),
  F1(out.func, l1_sent_atomic),
  F1(out.wide, l1_sent_atomic),
  F1(out.order, l1_sent_order),
  F1(out.scope, l1_sent_order),
  F1(out.address, l1_sent),
  F1(out.mask, l1_sent_write),
  F1(out.data[0], l1_sent_data),
  F1(out.data[31], l1_sent_write),
  F1(answered, always),
  F1(done.warp, l1_answered),
  F1(done.tag, l1_answered),
  F1(done.error, l1_answered),
  F1(done.data[0], l1_answered),
  F1(done.data[31], l1_answered),

  F2(seq, always),
  F2(kind, always),
  F2(index, l2_index),
  F2(req.kind, l2_req),
  F2(req.src, l2_req_remote),
  F2(req.dst, l2_req_remote),
  F2(req.cu, l2_req_cu),
  F2(req.id, l2_req_id),
  F2(req.func, l2_req_atomic),
  F2(req.wide, l2_req_wide),
  F2(req.address, l2_req),
  F2(req.mask, l2_req_write),
  F2(req.data[0], l2_req_first),
  F2(req.data[31], l2_req_last),
  F2(order, l2_order),
  F2(scope, l2_order),
  F2(fwd.kind, l2_fwd),
  F2(fwd.src, l2_fwd_seen),
  F2(fwd.dst, l2_fwd),
  F2(fwd.cause, l2_inv),
  F2(fwd.releaser, l2_mark),
  F2(fwd.id, l2_mark),
  F2(fwd.stamp, l2_fwd_seen),
  F2(fwd.address, l2_inv),
  F2(rsp.kind, l2_rsp),
  F2(rsp.src, l2_rsp),
  F2(rsp.dst, l2_rsp),
  F2(rsp.bank, l2_rsp),
  F2(rsp.cu, l2_rsp_atomic),
  F2(rsp.id, l2_rsp_id),
  F2(rsp.count, l2_rsp_ack),
  F2(rsp.seen, l2_rsp_ack),
  F2(rsp.stamp, l2_rsp_stamp),
  F2(rsp.wide, l2_rsp_atomic),
  F2(rsp.data[0], l2_rsp_data),
  F2(rsp.data[31], l2_rsp_data),
  F2(hit, always),
  F2(way, l2_way),
  F2(victim_dirty, always),
  F2(slot, l2_slot),
  F2(allocated, always),
  F2(joined, always),
  F2(closed, always),
  F2(installed, always),
  F2(sent_req, always),
  F2(sent_rsp, always),
  F2(sent_l1, always),
  F2(sent_mem, always),
  F2(sent_fwd, always),
  F2(out_req.kind, l2_out_req),
  F2(out_req.src, l2_out_req),
  F2(out_req.dst, l2_out_req),
  F2(out_req.cu, l2_out_req_atomic),
  F2(out_req.id, l2_out_req_id),
  F2(out_req.func, l2_out_req_atomic),
  F2(out_req.wide, l2_out_req_wide),
  F2(out_req.address, l2_out_req),
  F2(out_req.mask, l2_out_req_write),
  F2(out_req.data[0], l2_out_req_first),
  F2(out_req.data[31], l2_out_req_last),
  F2(out_rsp.kind, l2_out_rsp),
  F2(out_rsp.src, l2_out_rsp),
  F2(out_rsp.dst, l2_out_rsp),
  F2(out_rsp.bank, l2_out_rsp),
  F2(out_rsp.cu, l2_out_rsp_atomic),
  F2(out_rsp.id, l2_out_rsp_id),
  F2(out_rsp.count, l2_out_rsp_ack),
  F2(out_rsp.seen, l2_out_rsp_ack),
  F2(out_rsp.stamp, l2_out_rsp_stamp),
  F2(out_rsp.wide, l2_out_rsp_atomic),
  F2(out_rsp.data[0], l2_out_rsp_data),
  F2(out_rsp.data[31], l2_out_rsp_data),
  F2(out_l1.kind, l2_out_l1),
  F2(out_l1.bank, l2_out_l1),
  F2(out_l1.cu, l2_out_l1),
  F2(out_l1.id, l2_out_l1),
  F2(out_l1.install, l2_out_l1_line),
  F2(out_l1.data[0], l2_out_l1_data),
  F2(out_l1.data[31], l2_out_l1_data),
  F2(out_mem.write, l2_out_mem),
  F2(out_mem.id, l2_out_mem_read),
  F2(out_mem.address, l2_out_mem),
  F2(out_mem.data[0], l2_out_mem_write),
  F2(out_mem.data[31], l2_out_mem_write),
  F2(out_fwd.kind, l2_out_fwd),
  F2(out_fwd.nodes, l2_out_fwd),
  F2(out_fwd.cause, l2_out_inv),
  F2(out_fwd.releaser, l2_out_mark),
  F2(out_fwd.id, l2_out_mark),
  F2(out_fwd.address, l2_out_inv),

  FD(seq, always),
  FD(op, always),
  FD(local, always),
  FD(requester, always),
  FD(address, always),
  FD(hit, always),
  FD(way, dir_way),
  FD(allocated, always),
  FD(evicted, always),
  FD(evicted_address, dir_evicted),
  FD(inv_sharers, always),
  FD(sharers, always),

  FL(seq),
  FL(class),
  FL(kind),
  FL(src),
  FL(dst),
  FL(bytes),

  FI(warp),
  FI(tag),
  FI(op),
  FI(func),
  FI(wide),
  FI(order),
  FI(scope),
  FI(attr),
  FI(address),
  FI(mask),
  FI(data[0]),
  FI(data[31]),
  FA(warp),
  FA(tag),
  FA(error),
  FA(data[0]),
  FA(data[31]),
};

const size_t event_field_count = sizeof event_fields / sizeof *event_fields;
