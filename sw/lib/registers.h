/* SPDX-License-Identifier: Apache-2.0 */
/* The fabric's registers (rtl/config/weft.rdl) as back-ends that have them use them: RTL and boards. */
#ifndef WEFT_LIB_REGISTERS_H
#define WEFT_LIB_REGISTERS_H

#include <stddef.h>

#include "backend.h"
#include "layout.h"
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

#endif
