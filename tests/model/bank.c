/* SPDX-License-Identifier: Apache-2.0 */
#include "bank.h"

void bank_rebuild(struct bank *b, uint8_t protocol)
{
  free(b->l2);
  b->l2 = malloc(weft_l2_size(&b->config, protocol));
  assert_non_null(b->l2);
  weft_l2_reset(b->l2, &b->config, protocol, SELF, 0);
}

int bank_setup(void **state)
{
  struct bank *b = calloc(1, sizeof *b);
  assert_non_null(b);
  b->config = test_config("tiny");
  b->config.nodes = 3;
  bank_rebuild(b, WEFT_PROTOCOL_BASELINE);
  *state = b;
  return 0;
}

int bank_teardown(void **state)
{
  struct bank *b = *state;
  free(b->l2);
  free(b);
  return 0;
}

void bank_step(struct bank *b, const struct weft_l2_event *in)
{
  memset(&b->out, 0xee, sizeof b->out); /* whatever the step does not fill must not be looked at */
  const char *error = weft_l2_step(b->l2, in, &b->out, &b->dir);
  if (error)
    fail_msg("%s", error);
}

void bank_refuses(struct bank *b, const struct weft_l2_event *in)
{
  struct weft_l2 *before = malloc(b->l2->size);
  assert_non_null(before);
  memcpy(before, b->l2, b->l2->size);
  assert_non_null(weft_l2_step(b->l2, in, &b->out, &b->dir));
  assert_memory_equal(before, b->l2, b->l2->size);
  free(before);
}

struct weft_l2_event bank_cu(uint8_t kind, unsigned cu, unsigned id, uint64_t address)
{
  struct weft_l2_event e = {
    .kind = WEFT_L2_EVENT_KIND_CU,
    .scope = WEFT_SCOPE_SYS,
    .req = { .kind = kind, .src = SELF, .cu = (uint8_t)cu, .id = (uint8_t)id, .address = address }
  };
  return e;
}

struct weft_l2_event bank_request(uint8_t kind, unsigned src, unsigned id, uint64_t address)
{
  struct weft_l2_event e = {
    .kind = WEFT_L2_EVENT_KIND_REQUEST,
    .req = { .kind = kind, .src = (uint8_t)src, .dst = SELF, .cu = 1, .id = (uint8_t)id, .address = address }
  };
  return e;
}

struct weft_l2_event bank_forward(uint8_t kind, unsigned src, uint64_t address)
{
  struct weft_l2_event e = { .kind =
                               kind == WEFT_FWD_KIND_INV ? WEFT_L2_EVENT_KIND_INV : WEFT_L2_EVENT_KIND_MARK,
                             .fwd = { .kind = kind, .src = (uint8_t)src, .dst = SELF, .address = address } };
  return e;
}

struct weft_l2_event bank_response(uint8_t kind, unsigned src, unsigned id)
{
  struct weft_l2_event e = { .kind = WEFT_L2_EVENT_KIND_RESPONSE,
                             .rsp = { .kind = kind, .src = (uint8_t)src, .dst = SELF, .id = (uint8_t)id } };
  return e;
}

struct weft_l2_event bank_event(uint8_t kind)
{
  return (struct weft_l2_event){ .kind = kind };
}

void bank_do_cu(struct bank *b, uint8_t kind, unsigned cu, unsigned id, uint64_t address)
{
  struct weft_l2_event e = bank_cu(kind, cu, id, address);
  bank_step(b, &e);
}

void bank_do_request(struct bank *b, uint8_t kind, unsigned src, unsigned id, uint64_t address)
{
  struct weft_l2_event e = bank_request(kind, src, id, address);
  bank_step(b, &e);
}

void bank_do(struct bank *b, uint8_t kind)
{
  struct weft_l2_event e = bank_event(kind);
  bank_step(b, &e);
}

void bank_do_memory(struct bank *b, unsigned index, uint8_t byte)
{
  struct weft_l2_event e = bank_event(WEFT_L2_EVENT_KIND_MEMORY);
  e.index = (uint8_t)index;
  memset(e.rsp.data, byte, b->config.line);
  bank_step(b, &e);
}

void bank_bring_local(struct bank *b, uint64_t offset, uint8_t byte)
{
  bank_do_cu(b, WEFT_REQ_KIND_READ, 0, 0, test_address(SELF, offset));
  assert_true(b->out.allocated && b->out.sent_mem);
  bank_do_memory(b, b->out.slot, byte);
  bank_do(b, WEFT_L2_EVENT_KIND_REPLAY);
}

void bank_bring_remote(struct bank *b, unsigned home, uint64_t offset, uint8_t byte)
{
  bank_do_cu(b, WEFT_REQ_KIND_READ, 0, 0, test_address(home, offset));
  assert_true(b->out.allocated && b->out.sent_req);
  struct weft_l2_event e = bank_response(WEFT_RSP_KIND_LINE, home, b->out.slot);
  memset(e.rsp.data, byte, b->config.line);
  bank_step(b, &e);
  assert_true(b->out.installed);
  bank_do(b, WEFT_L2_EVENT_KIND_ANSWER);
}

void bank_expect_sent(const struct bank *b, const char *names)
{
  assert_int_equal(b->out.sent_req, strstr(names, "req") != NULL);
  assert_int_equal(b->out.sent_rsp, strstr(names, "rsp") != NULL);
  assert_int_equal(b->out.sent_l1, strstr(names, "l1") != NULL);
  assert_int_equal(b->out.sent_mem, strstr(names, "mem") != NULL);
  assert_int_equal(b->out.sent_fwd, strstr(names, "fwd") != NULL);
}
