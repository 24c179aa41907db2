/* SPDX-License-Identifier: Apache-2.0 */
/* The fabric's registers (rtl/config/weft.rdl) as back-ends that have them use them: RTL and boards. */
#ifndef WEFT_LIB_REGISTERS_H
#define WEFT_LIB_REGISTERS_H

#include <stddef.h>
#include <string.h>

#include "backend.h"
#include "layout.h"
#include "weft_counters.h"
#include "weft_registers.h"

#define WEFT_REGISTER(field) ((uint32_t)offsetof(weft_registers_t, field))

/* control.egress */
static inline uint32_t weft_egress_register(const struct weft_backend_options *o)
{
  const struct weft_config *c = &o->config;
  uint32_t payload_log2 = weft_log2(c->egress_payload);
  return (uint32_t)o->finepack | (uint32_t)c->egress_prefix << 1 | (uint32_t)c->egress_sub_header << 4 |
         payload_log2 << 8 | (uint32_t)c->egress_timeout << 16;
}

/* control.leases */
static inline uint32_t weft_leases_register(const struct weft_lease_settings *leases)
{
  return leases->read | (uint32_t)leases->write << 16;
}

/* What is written while the fabric is in reset, in this order; then it stays there for so many cycles. */
struct weft_register_value {
  uint32_t address, value;
};
#define WEFT_RESET_REGISTERS 5
#define WEFT_RESET_CYCLES 4U
#define WEFT_WALK_LIMIT 1000000U /* cycles until it is out of reset */

static inline void weft_reset_registers(const struct weft_backend_options *o,
                                        struct weft_register_value out[WEFT_RESET_REGISTERS])
{
  const struct weft_lease_settings leases = { .read = (uint16_t)o->config.lease_read,
                                              .write = (uint16_t)o->config.lease_write };
  const struct weft_register_value values[WEFT_RESET_REGISTERS] = {
    { WEFT_REGISTER(control.fabric_reset), 1 },
    { WEFT_REGISTER(control.protocol), o->protocol },
    { WEFT_REGISTER(control.egress), weft_egress_register(o) },
    { WEFT_REGISTER(control.leases), weft_leases_register(&leases) },
    { WEFT_REGISTER(control.fault), o->fault },
  };
  memcpy(out, values, sizeof values);
}

/* Counter `index` of all nodes'. */
static inline uint32_t weft_counter_register(size_t index, size_t per_node)
{
  return (uint32_t)(WEFT_COUNTERS_ADDRESS + index / per_node * WEFT_COUNTERS_STRIDE + 8 * (index % per_node));
}

/* The end of a run: a register that is 1 until a flag stands, which is looked at every so many cycles. Whoever settles does so by these
 * steps, and so in the same cycles. */
struct weft_settle_step {
  uint32_t held; /* 0: none */
  uint32_t flag;
  const char *otherwise; /* what is wrong if it never stands */
};
#define WEFT_SETTLE_LIMIT 10000000U /* cycles */
#define WEFT_SETTLE_EVERY 16U
#define WEFT_SETTLE_STEPS 3

static const struct weft_settle_step weft_settle_steps[WEFT_SETTLE_STEPS] = {
  { WEFT_REGISTER(control.drain), WEFT_REGISTERS__STATUS__FLAGS__IDLE_bm,
    "the fabric does not come to rest" },
  { WEFT_REGISTER(control.flush), WEFT_REGISTERS__STATUS__FLAGS__FLUSH_DONE_bm,
    "dirty lines are not written back" },
  { 0, WEFT_REGISTERS__STATUS__FLAGS__IDLE_bm, "memory does not come to rest" },
};

#endif
