/* SPDX-License-Identifier: Apache-2.0 */
/* Whoever wants to see inside: every event of every unit, as it happens. The timed model and the driver of the RTL
 * call the same functions with the same events in the same cycles, so what is made of them is equal on both.
 *
 * `cycle` is the one in which the unit's event port shows the event (docs/events.md): the step was one cycle before,
 * and an answer at a CU's port is in that very cycle. Of one unit they come in order; of several units in one cycle
 * in any order, but a message's sender always before its receiver. `in` holds the inputs, `out` the effects; they may
 * be the same. Flushes at the end of a run take no time on one of the two and are not shown. */
#ifndef WEFT_OBSERVER_H
#define WEFT_OBSERVER_H

#include <stdint.h>

#include "weft_formats.h"

#ifdef __cplusplus
extern "C" {
#endif

/* Functions that are NULL are not called. */
struct weft_observer {
  void *context;
  /* A port has taken an operation that was due in cycle `issue`. */
  void (*taken)(void *context, unsigned node, unsigned cu, uint64_t cycle, uint64_t issue,
                const struct weft_cu_req *request);
  void (*l1)(void *context, unsigned node, unsigned cu, uint64_t cycle, const struct weft_l1_event *in,
             const struct weft_l1_event *out);
  /* dir->valid: the step asked its directory. */
  void (*l2)(void *context, unsigned node, unsigned bank, uint64_t cycle, const struct weft_l2_event *in,
             const struct weft_l2_event *out, const struct weft_dir_event *dir);
  /* Links: first from each node to the switch, then from the switch to each. Of the event's three messages the one of
   * its class is there; of a request without data the bytes are not. */
  void (*link)(void *context, unsigned link, uint64_t cycle, const struct weft_link_event *event);
  /* Time stands at the beginning of a cycle that is a multiple of `every` (0: never), while kernels run. */
  void (*tick)(void *context, uint64_t cycle);
  uint64_t every;
};

#ifdef __cplusplus
}
#endif
#endif
