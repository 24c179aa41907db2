/* SPDX-License-Identifier: Apache-2.0 */
/* Time of the Verilated fabric: out of reset, and one cycle after the other. */
#include <string.h>

#include "timed.h"
#include "verilated_parts.h"

#define WORDS 64             /* of the largest struct on a CU port: 128-byte lines */
#define SNAPSHOT_EVERY 4096U /* cycles: under lock-step, counters must count on while a snapshot is taken */

static void tick(struct weft_backend *b)
{
  weft_shim_settle(b->shim);
  weft_shim_edge(b->shim, true);
}

bool weft_rtl_flag(struct weft_backend *b, uint32_t mask)
{
  return (weft_shim_read(b->shim, WEFT_REGISTER(status.flags)) & mask) != 0;
}

void weft_rtl_events(struct weft_backend *b)
{
  weft_shim_events(b->shim, b->lockstep || b->observer ? b : NULL);
}

void weft_rtl_set_leases(struct weft_backend *b, const struct weft_lease_settings *leases)
{
  weft_shim_write(b->shim, WEFT_REGISTER(control.leases), weft_leases_register(leases));
}

int weft_rtl_bring_up(struct weft_backend *b, struct weft_backend_error *e)
{
  struct weft_register_value registers[WEFT_RESET_REGISTERS];
  weft_shim_reset(b->shim, true);
  for (int i = 0; i < 4; i++)
    tick(b);
  weft_shim_reset(b->shim, false);
  tick(b);
  weft_reset_registers(&b->options, registers);
  for (size_t i = 0; i < WEFT_RESET_REGISTERS; i++)
    weft_shim_write(b->shim, registers[i].address, registers[i].value);
  for (unsigned i = 0; i < WEFT_RESET_CYCLES; i++)
    tick(b);
  weft_shim_write(b->shim, WEFT_REGISTER(control.fabric_reset), 0);
  for (unsigned i = 0; i < WEFT_WALK_LIMIT; i++) {
    if (weft_rtl_flag(b, WEFT_REGISTERS__STATUS__FLAGS__READY_bm)) {
      b->now = 0;
      b->walk = weft_rtl_time(b);
      weft_shim_wave_begin(b->shim);
      weft_rtl_events(b);
      return WEFT_BACKEND_OK;
    }
    tick(b);
  }
  return weft_rtl_fails(e, WEFT_BACKEND_FAILED, "the fabric does not come out of reset");
}

static void set_hold(struct weft_backend *b)
{
  uint64_t hold = 0;
  for (unsigned n = 0; n < b->options.config.nodes; n++)
    hold |= (uint64_t)weft_timed_hold(b->options.seed, b->options.jitter, n, b->now) << (4 * n);
  weft_shim_hold(b->shim, hold);
}

static void offer(struct weft_backend *b, unsigned port)
{
  const struct weft_port_op *op = weft_ports_show(b->ports, port, b->now);
  if (!op || b->offered[port])
    return;
  uint32_t words[WORDS] = { 0 };
  struct weft_bits_out c = { .word = words, .line = (unsigned)b->options.config.line };
  weft_write_cu_req(&c, &op->req);
  weft_shim_offer(b->shim, port, words);
  b->offered[port] = true;
}

static void take_answer(struct weft_backend *b, unsigned port)
{
  uint32_t words[WORDS];
  weft_shim_answer(b->shim, port, words);
  struct weft_port_done *d = &b->done[b->done_count++];
  struct weft_bits c = { .word = words, .line = (unsigned)b->options.config.line };
  unsigned cus = (unsigned)b->options.config.cus;
  memset(&d->rsp, 0, sizeof d->rsp);
  weft_read_cu_rsp(&c, &d->rsp);
  d->cycle = b->now;
  d->node = (uint8_t)(port / cus);
  d->cu = (uint8_t)(port % cus);
  weft_patience_answered(&b->patience, b->now);
  if (b->lockstep)
    weft_lockstep_answered(b->lockstep, d->node, d->cu, b->now, &d->rsp);
}

static void take_op(struct weft_backend *b, unsigned port)
{
  const struct weft_port_op *op = weft_ports_show(b->ports, port, b->now);
  if (b->lockstep)
    weft_lockstep_issued(b->lockstep, op->node, op->cu, b->now, &op->req);
  if (b->observer && b->observer->taken)
    b->observer->taken(b->observer->context, op->node, op->cu, b->now, op->issue, &op->req);
  weft_ports_take(b->ports, port);
  b->offered[port] = false;
}

/* One cycle: offer, see what is taken and answered, then the edge. */
void weft_rtl_cycle(struct weft_backend *b)
{
  if (b->lockstep && b->now % SNAPSHOT_EVERY == SNAPSHOT_EVERY / 4)
    weft_shim_write(b->shim, WEFT_REGISTER(control.snapshot), 1);
  if (b->options.jitter)
    set_hold(b);
  weft_rtl_noise(b);
  for (unsigned p = 0; p < b->port_count; p++)
    offer(b, p);
  weft_shim_settle(b->shim);
  uint64_t taken[2] = { 0 };
  for (unsigned g = 0; g * 64 < b->port_count; g++) {
    uint64_t ready = weft_shim_ready(b->shim, g);
    for (uint64_t left = weft_shim_answered(b->shim, g); left; left &= left - 1)
      take_answer(b, g * 64 + (unsigned)__builtin_ctzll(left));
    for (unsigned p = g * 64; p < b->port_count && p < g * 64 + 64; p++)
      if (b->offered[p] && (ready >> (p % 64) & 1U)) {
        take_op(b, p);
        taken[g] |= UINT64_C(1) << (p % 64);
      }
  }
  weft_shim_edge(b->shim, true);
  for (unsigned g = 0; g < 2; g++)
    for (uint64_t left = taken[g]; left; left &= left - 1)
      weft_shim_withdraw(b->shim, g * 64 + (unsigned)__builtin_ctzll(left));
  b->now++;
}
