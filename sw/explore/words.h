/* SPDX-License-Identifier: Apache-2.0 */
/* Steps in words, a line each. Without a log nothing is done. */
#ifndef WEFT_EXPLORE_WORDS_H
#define WEFT_EXPLORE_WORDS_H

#include "machine.h"

void weft_explore_log_l1(struct explore_context *c, const struct explore_node *n, unsigned cu,
                         const struct weft_l1_event *in, const struct weft_l1_event *out);
void weft_explore_log_l2(struct explore_context *c, const struct explore_node *n,
                         const struct weft_l2_event *in, const struct weft_l2_event *out,
                         const struct weft_dir_event *dir);
void weft_explore_log_forward(struct explore_context *c, const struct explore_node *n,
                              const struct weft_fwd *f);
void weft_explore_log_answer(struct explore_context *c, unsigned thread, unsigned op, uint32_t value);
void weft_explore_log_skip(struct explore_context *c, unsigned thread, unsigned op);
void weft_explore_log_drop(struct explore_context *c, const struct explore_node *n, int cu, uint64_t tag);

/* A value as it was written in the shape, or in hexadecimal if it is none of them. */
const char *weft_explore_value(uint32_t value, char text[16]);
void weft_explore_log_forgets(struct explore_context *c, const struct explore_node *n, uint64_t address);

#endif
