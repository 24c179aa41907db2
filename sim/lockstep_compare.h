/* SPDX-License-Identifier: Apache-2.0 */
/* Comparing what the RTL says with what the model says, field by field: only the fields that have a meaning
 * for the kind of message (docs/events.md). Every function returns true at the first difference and says
 * where it is. */
#ifndef WEFT_LOCKSTEP_COMPARE_H
#define WEFT_LOCKSTEP_COMPARE_H

#include <stdbool.h>
#include <stdint.h>

#include "weft_formats.h"

struct weft_difference {
  char field[48];
  uint64_t rtl, model;
};

/* `name` is the message's name inside the event, "" for the event itself. */
bool weft_differs(struct weft_difference *d, const char *name, const char *field, uint64_t rtl,
                  uint64_t model);
bool weft_differs_data(struct weft_difference *d, const char *name, const uint8_t *rtl, const uint8_t *model,
                       unsigned bytes);

bool weft_differs_cu_req(struct weft_difference *d, const struct weft_cu_req *rtl,
                         const struct weft_cu_req *model, unsigned line);
bool weft_differs_cu_rsp(struct weft_difference *d, const char *name, const struct weft_cu_rsp *rtl,
                         const struct weft_cu_rsp *model, unsigned line);
bool weft_differs_l1_req(struct weft_difference *d, const char *name, const struct weft_l1_req *rtl,
                         const struct weft_l1_req *model, unsigned line);
bool weft_differs_l1_rsp(struct weft_difference *d, const char *name, const struct weft_l1_rsp *rtl,
                         const struct weft_l1_rsp *model, unsigned line);
bool weft_differs_req(struct weft_difference *d, const char *name, const struct weft_req *rtl,
                      const struct weft_req *model, unsigned line);
bool weft_differs_fwd(struct weft_difference *d, const char *name, const struct weft_fwd *rtl,
                      const struct weft_fwd *model);
bool weft_differs_rsp(struct weft_difference *d, const char *name, const struct weft_rsp *rtl,
                      const struct weft_rsp *model, unsigned line);
bool weft_differs_mem_req(struct weft_difference *d, const char *name, const struct weft_mem_req *rtl,
                          const struct weft_mem_req *model, unsigned line);
bool weft_differs_fwd_item(struct weft_difference *d, const char *name, const struct weft_fwd_item *rtl,
                           const struct weft_fwd_item *model);

/* The effects of whole events. */
bool weft_differs_l1(struct weft_difference *d, const struct weft_l1_event *rtl,
                     const struct weft_l1_event *model, unsigned line);
bool weft_differs_l2(struct weft_difference *d, const struct weft_l2_event *rtl,
                     const struct weft_l2_event *model, unsigned line);
bool weft_differs_dir(struct weft_difference *d, const struct weft_dir_event *rtl,
                      const struct weft_dir_event *model);

#endif
