/* SPDX-License-Identifier: Apache-2.0 */
/* A whole fabric made of the model's units, without time: in each step, one of all the events that could
 * happen now happens, drawn at random. So messages of different classes, nodes and banks overtake one another
 * as they like, and keep their order where the protocol promises it. */
#ifndef WEFT_TEST_MACHINE_H
#define WEFT_TEST_MACHINE_H

#include "l1.h"
#include "l2.h"
#include "link.h"
#include "memory.h"
#include "units.h"

struct queue {
  size_t head, count, capacity, stride;
  uint8_t *slots;
};

struct machine;

/* What a machine tells as it goes; each may be NULL. Events are complete: inputs, effects, valid and seq. */
struct machine_watcher {
  void *context;
  void (*l1)(void *context, unsigned node, unsigned cu, const struct weft_l1_event *e);
  void (*l2)(void *context, unsigned node, unsigned bank, const struct weft_l2_event *e,
             const struct weft_dir_event *dir);
  void (*link)(void *context, unsigned link, const struct weft_link_event *e);
  void (*issued)(void *context, unsigned node, unsigned cu, const struct weft_cu_req *r);
  void (*answered)(void *context, unsigned node, unsigned cu, const struct weft_cu_rsp *r);
};

struct machine {
  struct weft_config config;
  unsigned nodes, cus, banks, line;
  uint64_t random;
  struct weft_l1 **l1;
  struct weft_l2 **l2;
  struct weft_memory **memory;
  struct queue *request, *forward, *response; /* [(src * nodes + dst) * banks + bank] */
  struct queue *to_l2, *to_l1;                /* [(node * cus + cu) * banks + bank] */
  struct queue *from_memory;                  /* [node * banks + bank] */
  struct queue *ops;                          /* [node * cus + cu]: what the host wants done */
  uint16_t *seq_l1, *seq_l2, *seq_dir, *seq_link;
  struct machine_watcher watcher;
  uint64_t issued, answered, steps;
};

struct machine *machine_new(const struct weft_config *config, uint8_t protocol, uint64_t seed);
void machine_free(struct machine *m);

/* The host's side: operations of one CU are offered in this order. */
void machine_issue(struct machine *m, unsigned node, unsigned cu, const struct weft_cu_req *r);
/* One event somewhere; false if none is possible. */
bool machine_step(struct machine *m);
/* Steps until nothing is possible any more, then expects that nothing waits. */
void machine_run(struct machine *m);
/* Writes all dirty lines back, as a run's end does. */
void machine_flush(struct machine *m);

#endif
