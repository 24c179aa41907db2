/* SPDX-License-Identifier: Apache-2.0 */
#include "lockstep_compare.h"

#include <stdio.h>
#include <string.h>

#include "messages.h"

bool weft_differs(struct weft_difference *d, const char *name, const char *field, uint64_t rtl,
                  uint64_t model)
{
  snprintf(d->field, sizeof d->field, "%s%s%s", name, *name ? "." : "", field);
  d->rtl = rtl;
  d->model = model;
  return true;
}

/* For the functions below, all of whose messages are called rtl and model. */
#define CHECK(field) \
  do { \
    if (rtl->field != model->field) \
      return weft_differs(d, name, #field, rtl->field, model->field); \
  } while (0)

bool weft_differs_data(struct weft_difference *d, const char *name, const uint8_t *rtl, const uint8_t *model,
                       unsigned bytes)
{
  if (memcmp(rtl, model, bytes) == 0)
    return false;
  unsigned at = 0;
  while (rtl[at] == model[at])
    at++;
  char field[16];
  snprintf(field, sizeof field, "data[%u]", at);
  return weft_differs(d, name, field, rtl[at], model[at]);
}

static bool differs_mask(struct weft_difference *d, const char *name, const uint64_t *rtl,
                         const uint64_t *model)
{
  for (unsigned i = 0; i < 2; i++)
    if (rtl[i] != model[i])
      return weft_differs(d, name, i ? "mask[127:64]" : "mask[63:0]", rtl[i], model[i]);
  return false;
}

/* The bytes that a mask enables; the others mean nothing, and no wire carries them. */
static bool differs_bytes(struct weft_difference *d, const char *name, const uint64_t *mask,
                          const uint8_t *rtl, const uint8_t *model, unsigned line)
{
  char field[24];
  if (memcmp(rtl, model, line) == 0)
    return false;
  for (unsigned i = 0; i < line; i++)
    if ((mask[i / 64] >> i % 64 & 1U) && rtl[i] != model[i]) {
      snprintf(field, sizeof field, "data[%u]", i);
      return weft_differs(d, name, field, rtl[i], model[i]);
    }
  return false;
}

#define ATOMIC_BYTES 16U /* operand and compare value */
#define PACKET_BYTES 2U  /* the payload's length */

/* ---------------------------------------------------------------- CU port */

bool weft_differs_cu_req(struct weft_difference *d, const struct weft_cu_req *rtl,
                         const struct weft_cu_req *model, unsigned line)
{
  const char *name = "cu";
  CHECK(warp);
  CHECK(tag);
  CHECK(op);
  CHECK(func);
  CHECK(wide);
  CHECK(order);
  CHECK(scope);
  CHECK(attr);
  CHECK(address);
  return differs_mask(d, name, rtl->mask, model->mask) ||
         weft_differs_data(d, name, rtl->data, model->data, line);
}

bool weft_differs_cu_rsp(struct weft_difference *d, const char *name, const struct weft_cu_rsp *rtl,
                         const struct weft_cu_rsp *model, unsigned line)
{
  CHECK(warp);
  CHECK(tag);
  CHECK(error);
  return weft_differs_data(d, name, rtl->data, model->data, line);
}

/* ---------------------------------------------------------------- between L1 and L2 */

bool weft_differs_l1_req(struct weft_difference *d, const char *name, const struct weft_l1_req *rtl,
                         const struct weft_l1_req *model, unsigned line)
{
  CHECK(kind);
  CHECK(cu);
  CHECK(address);
  CHECK(cts);
  if (model->cts)
    CHECK(era);
  if (model->kind == WEFT_REQ_KIND_READ)
    CHECK(wide);
  if (model->kind == WEFT_REQ_KIND_WRITE || model->kind == WEFT_REQ_KIND_FENCE) {
    CHECK(order);
    CHECK(scope);
  }
  if (model->kind == WEFT_REQ_KIND_WRITE)
    return differs_mask(d, name, rtl->mask, model->mask) ||
           weft_differs_data(d, name, rtl->data, model->data, line);
  CHECK(id);
  if (model->kind == WEFT_REQ_KIND_ATOMIC) {
    CHECK(func);
    CHECK(wide);
    return weft_differs_data(d, name, rtl->data, model->data, ATOMIC_BYTES);
  }
  return false;
}

bool weft_differs_l1_rsp(struct weft_difference *d, const char *name, const struct weft_l1_rsp *rtl,
                         const struct weft_l1_rsp *model, unsigned line)
{
  CHECK(kind);
  CHECK(bank);
  CHECK(cu);
  CHECK(id);
  if (model->kind == WEFT_RSP_KIND_FENCE)
    return false;
  if (model->kind == WEFT_RSP_KIND_LINE)
    CHECK(install);
  CHECK(wts);
  CHECK(rts);
  return weft_differs_data(d, name, rtl->data, model->data, line);
}

/* ---------------------------------------------------------------- between nodes */

bool weft_differs_req(struct weft_difference *d, const char *name, const struct weft_req *rtl,
                      const struct weft_req *model, unsigned line)
{
  CHECK(kind);
  CHECK(src);
  CHECK(dst);
  CHECK(address);
  CHECK(cts);
  if (model->cts)
    CHECK(era);
  if (model->kind == WEFT_REQ_KIND_READ) {
    CHECK(id);
    CHECK(wide);
    CHECK(func);
    return weft_req_renews(model) && differs_mask(d, name, rtl->mask, model->mask);
  }
  if (model->kind == WEFT_REQ_KIND_WRITE) {
    CHECK(id);
    CHECK(func);
    CHECK(wide);
    return differs_mask(d, name, rtl->mask, model->mask) ||
           differs_bytes(d, name, model->mask, rtl->data, model->data, line);
  }
  CHECK(id);
  if (model->kind == WEFT_REQ_KIND_CHUNK)
    return differs_mask(d, name, rtl->mask, model->mask) ||
           differs_bytes(d, name, model->mask, rtl->data, model->data, line);
  if (model->kind == WEFT_REQ_KIND_PACKET) {
    CHECK(wide);
    return weft_differs_data(d, name, rtl->data, model->data, PACKET_BYTES);
  }
  if (model->kind == WEFT_REQ_KIND_ATOMIC) {
    CHECK(cu);
    CHECK(func);
    CHECK(wide);
    unsigned bytes = model->wide ? 8 : 4; /* what goes over a wire */
    return weft_differs_data(d, name, rtl->data, model->data, bytes) ||
           (model->func == WEFT_FUNC_CAS &&
            weft_differs_data(d, name, rtl->data + 8, model->data + 8, bytes));
  }
  return false;
}

bool weft_differs_fwd(struct weft_difference *d, const char *name, const struct weft_fwd *rtl,
                      const struct weft_fwd *model)
{
  CHECK(kind);
  CHECK(src);
  CHECK(dst);
  CHECK(stamp);
  if (model->kind == WEFT_FWD_KIND_INV) {
    CHECK(cause);
    CHECK(address);
    CHECK(block);
  } else {
    CHECK(releaser);
    CHECK(id);
  }
  return false;
}

bool weft_differs_rsp(struct weft_difference *d, const char *name, const struct weft_rsp *rtl,
                      const struct weft_rsp *model, unsigned line)
{
  CHECK(kind);
  CHECK(src);
  CHECK(dst);
  CHECK(bank);
  if (model->kind == WEFT_RSP_KIND_SEEN) {
    CHECK(stamp);
    return false;
  }
  CHECK(id);
  if (model->kind == WEFT_RSP_KIND_ACK) {
    CHECK(count);
    CHECK(seen);
    if (model->seen)
      CHECK(stamp);
    return false;
  }
  CHECK(wts);
  CHECK(rts);
  if (model->kind != WEFT_RSP_KIND_LINE) {
    CHECK(cu);
    CHECK(wide);
  }
  if (model->kind == WEFT_RSP_KIND_WROTE) {
    CHECK(stamp);
    return false;
  }
  return weft_differs_data(d, name, rtl->data, model->data, line);
}

bool weft_differs_mem_req(struct weft_difference *d, const char *name, const struct weft_mem_req *rtl,
                          const struct weft_mem_req *model, unsigned line)
{
  CHECK(write);
  CHECK(address);
  if (model->write)
    return weft_differs_data(d, name, rtl->data, model->data, line);
  CHECK(id);
  return false;
}

bool weft_differs_fwd_item(struct weft_difference *d, const char *name, const struct weft_fwd_item *rtl,
                           const struct weft_fwd_item *model)
{
  CHECK(kind);
  CHECK(nodes);
  if (model->kind == WEFT_FWD_KIND_INV) {
    CHECK(cause);
    CHECK(address);
    CHECK(block);
    CHECK(spread);
  } else {
    CHECK(releaser);
    CHECK(id);
  }
  return false;
}

/* ---------------------------------------------------------------- events */

bool weft_differs_l1(struct weft_difference *d, const struct weft_l1_event *rtl,
                     const struct weft_l1_event *model, unsigned line)
{
  const char *name = "";
  CHECK(hit);
  CHECK(expired);
  CHECK(clock);
  CHECK(allocated);
  CHECK(joined);
  CHECK(closed);
  CHECK(installed);
  CHECK(sent);
  CHECK(answered);
  if (model->hit || model->installed)
    CHECK(way);
  if (model->allocated || model->joined)
    CHECK(miss);
  if (model->sent && weft_differs_l1_req(d, "out", &rtl->out, &model->out, line))
    return true;
  return model->answered && weft_differs_cu_rsp(d, "done", &rtl->done, &model->done, line);
}

static bool differs_l2_bits(struct weft_difference *d, const struct weft_l2_event *rtl,
                            const struct weft_l2_event *model)
{
  const char *name = "";
  CHECK(hit);
  CHECK(expired);
  CHECK(clock);
  CHECK(allocated);
  CHECK(joined);
  CHECK(closed);
  CHECK(installed);
  CHECK(victim_dirty);
  CHECK(sent_req);
  CHECK(sent_rsp);
  CHECK(sent_l1);
  CHECK(sent_mem);
  CHECK(sent_fwd);
  CHECK(index);
  if (model->installed || (model->hit && model->kind != WEFT_L2_EVENT_KIND_FLUSH))
    CHECK(way);
  if (model->allocated || model->joined)
    CHECK(slot);
  return false;
}

bool weft_differs_l2(struct weft_difference *d, const struct weft_l2_event *rtl,
                     const struct weft_l2_event *model, unsigned line)
{
  if (differs_l2_bits(d, rtl, model))
    return true;
  if (model->kind == WEFT_L2_EVENT_KIND_REPLAY && weft_differs_req(d, "req", &rtl->req, &model->req, line))
    return true;
  if (model->sent_req && weft_differs_req(d, "out_req", &rtl->out_req, &model->out_req, line))
    return true;
  if (model->sent_rsp && weft_differs_rsp(d, "out_rsp", &rtl->out_rsp, &model->out_rsp, line))
    return true;
  if (model->sent_l1 && weft_differs_l1_rsp(d, "out_l1", &rtl->out_l1, &model->out_l1, line))
    return true;
  if (model->sent_mem && weft_differs_mem_req(d, "out_mem", &rtl->out_mem, &model->out_mem, line))
    return true;
  return model->sent_fwd && weft_differs_fwd_item(d, "out_fwd", &rtl->out_fwd, &model->out_fwd);
}

static bool differs_tsu(struct weft_difference *d, const struct weft_tsu_event *rtl,
                        const struct weft_tsu_event *model)
{
  const char *name = "tsu";
  CHECK(op);
  CHECK(causal);
  CHECK(cts);
  CHECK(address);
  CHECK(hit);
  CHECK(allocated);
  CHECK(evicted);
  CHECK(reentered);
  CHECK(way);
  CHECK(wts);
  CHECK(rts);
  CHECK(memts);
  CHECK(hwm);
  return false;
}

bool weft_differs_dir(struct weft_difference *d, const struct weft_dir_event *rtl,
                      const struct weft_dir_event *model)
{
  const char *name = "";
  if (rtl->tsu.valid != model->tsu.valid)
    return weft_differs(d, "tsu", "valid", rtl->tsu.valid, model->tsu.valid);
  if (model->tsu.valid)
    return differs_tsu(d, &rtl->tsu, &model->tsu);
  CHECK(op);
  CHECK(local);
  CHECK(requester);
  CHECK(address);
  CHECK(hit);
  CHECK(allocated);
  CHECK(evicted);
  if (model->hit || model->allocated)
    CHECK(way);
  if (model->evicted) {
    CHECK(evicted_address);
    CHECK(lines);
  }
  CHECK(inv_sharers);
  CHECK(invs);
  if (model->inv_sharers)
    CHECK(cause);
  CHECK(sharers);
  return false;
}
