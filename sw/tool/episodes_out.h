/* SPDX-License-Identifier: Apache-2.0 */
/* What `weft episodes` tells, to programs and to people. */
#ifndef WEFT_EPISODES_OUT_H
#define WEFT_EPISODES_OUT_H

#include <weft/episodes.h>

#include "tool.h"

struct episodes_result {
  struct weft_episodes *episodes;
  struct weft_machine machine;
  struct weft_statistics statistics;
  struct weft_episodes_shrunk shrunk; /* runs 0: nobody asked */
  uint64_t seed, jitter;
  int code;
};

struct episodes_coverage {
  size_t covered, reachable; /* transitions */
};
struct episodes_coverage episodes_coverage(const struct weft_episodes *e);
json_t *episodes_json(struct weft *w, const struct arguments *a, const struct episodes_result *r);
void episodes_print(const struct arguments *a, const struct episodes_result *r);
/* The command that shows it again, with what it takes after shrinking; free() it. */
char *episodes_again(const struct arguments *a, const struct episodes_result *r);

#endif
