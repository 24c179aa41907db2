/* SPDX-License-Identifier: Apache-2.0 */
/* What each event adds to the counters of its node. Numbers and names are generated (weft_counters.h). */
#ifndef WEFT_COUNTERS_H
#define WEFT_COUNTERS_H

#include "layout.h"
#include "weft_counters.h"

static inline uint64_t *weft_counters_of_cu(uint64_t *node_values, unsigned cu)
{
  return node_values + weft_cu_counter(cu, 0);
}

/* Each adds what one step did: its inputs and its effects. */
void weft_count_l1(uint64_t *cu_values, const struct weft_l1_event *in, const struct weft_l1_event *out);
void weft_count_l2(uint64_t *node_values, const struct weft_l2_event *in, const struct weft_l2_event *out,
                   const struct weft_dir_event *dir, unsigned self, unsigned nodes);
void weft_count_egress(uint64_t *node_values, const struct weft_egress_count *count);
void weft_count_ingress(uint64_t *node_values, const struct weft_ingress_count *count);
/* A message put on the node's sending link, on the switch's link towards the node. */
void weft_count_link(uint64_t *node_values, unsigned class, unsigned bytes);
void weft_count_switch(uint64_t *node_values, unsigned bytes);

#endif
