/* SPDX-License-Identifier: Apache-2.0 */
/* The lock-step checker: the model of every unit, fed by the events of the RTL in the RTL's own order.
 *
 * Each event is decoded, its inputs are held against what the sender's model has sent (or what the host has
 * issued), the unit's model is stepped with them, and every effect is compared. The first difference is kept
 * as a report; from then on all feeding is ignored.
 *
 * Order of calls inside one cycle: a directory's event before its bank's; otherwise free. `bits` are the
 * packed structs as DPI hands them over, least significant word first. */
#ifndef WEFT_LOCKSTEP_H
#define WEFT_LOCKSTEP_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "weft_configs.h"
#include "weft_formats.h"

#ifdef __cplusplus
extern "C" {
#endif

struct weft_lockstep;

/* `command` is the one that repeats the run, for the report; it is copied. NULL: out of memory. */
struct weft_lockstep *weft_lockstep_new(const struct weft_config *config, uint8_t protocol, bool finepack,
                                        uint64_t seed, const char *command);
void weft_lockstep_free(struct weft_lockstep *lockstep);

/* What the RTL's event ports say. Links: first from each node to the switch, then from the switch to each. */
void weft_lockstep_l1(struct weft_lockstep *lockstep, unsigned node, unsigned cu, uint64_t cycle,
                      const uint32_t *bits);
void weft_lockstep_l2(struct weft_lockstep *lockstep, unsigned node, unsigned bank, uint64_t cycle,
                      const uint32_t *bits);
void weft_lockstep_dir(struct weft_lockstep *lockstep, unsigned node, unsigned bank, uint64_t cycle,
                       const uint32_t *bits);
void weft_lockstep_egress(struct weft_lockstep *lockstep, unsigned node, uint64_t cycle,
                          const uint32_t *bits);
void weft_lockstep_ingress(struct weft_lockstep *lockstep, unsigned node, uint64_t cycle,
                           const uint32_t *bits);
void weft_lockstep_link(struct weft_lockstep *lockstep, unsigned link, uint64_t cycle, const uint32_t *bits);

/* What the host sees: an operation was taken by its port, an answer came out, memory was written. */
void weft_lockstep_issued(struct weft_lockstep *lockstep, unsigned node, unsigned cu, uint64_t cycle,
                          const struct weft_cu_req *request);
void weft_lockstep_answered(struct weft_lockstep *lockstep, unsigned node, unsigned cu, uint64_t cycle,
                            const struct weft_cu_rsp *answer);
void weft_lockstep_memory(struct weft_lockstep *lockstep, uint64_t address, const void *bytes, size_t count);
/* The leases that homes give from now on. */
void weft_lockstep_leases(struct weft_lockstep *lockstep, const struct weft_lease_settings *leases);

/* The first difference, or NULL. */
const char *weft_lockstep_report(const struct weft_lockstep *lockstep);

/* The end of a run, when the RTL says that it is idle and flushed: nothing may be on its way in the model
 * either. Returns as weft_lockstep_report. */
const char *weft_lockstep_finish(struct weft_lockstep *lockstep, uint64_t cycle);

/* What memory and counters must hold then: the bytes of a node, the values node by node in the order of the
 * generated table (those that count cycles are 0). */
const uint8_t *weft_lockstep_node_memory(const struct weft_lockstep *lockstep, unsigned node);
const uint64_t *weft_lockstep_counters(const struct weft_lockstep *lockstep);

/* Reports for the two, if they do not: `rtl` and `model` are a line each, `index` is a place among all
 * counters. Both return WEFT_BACKEND_MISMATCH. */
int weft_lockstep_memory_differs(struct weft_lockstep *lockstep, uint64_t address, const uint8_t *rtl,
                                 const uint8_t *model, uint64_t cycle, char *text, size_t size);
int weft_lockstep_counter_differs(struct weft_lockstep *lockstep, size_t index, uint64_t rtl, uint64_t cycle,
                                  char *text, size_t size);

/* What waits for what, for the report of a run that is stuck; always terminated. */
void weft_lockstep_waits(const struct weft_lockstep *lockstep, char *text, size_t size);

#ifdef __cplusplus
}
#endif
#endif
