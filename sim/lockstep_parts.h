/* SPDX-License-Identifier: Apache-2.0 */
/* What the checker's own files share. */
#ifndef WEFT_LOCKSTEP_PARTS_H
#define WEFT_LOCKSTEP_PARTS_H

#include "counters.h"
#include "depacketizer.h"
#include "dma.h"
#include "egress.h"
#include "l1.h"
#include "l2.h"
#include "link.h"
#include "lockstep.h"
#include "lockstep_compare.h"
#include "memory.h"

/* Messages on their way, oldest first; grows as it must. */
struct weft_ring {
  uint32_t head, count, capacity, stride;
  uint8_t *slots;
};

#define WEFT_LINK_KINDS 8U
#define WEFT_LINK_SIZES 64U /* costs are multiples of 4 and below 256 */

struct weft_lockstep {
  struct weft_config config;
  uint8_t protocol;
  uint64_t seed;
  char *command;
  unsigned nodes, cus, banks, line;

  struct weft_l1 **l1;                /* [node * cus + cu] */
  struct weft_l2 **l2;                /* [node * banks + bank] */
  struct weft_memory **memory;        /* [node] */
  struct weft_egress **egress;        /* [node]; NULL: FinePack is not built in */
  struct weft_depacketizer **ingress; /* likewise */
  struct weft_dma **dma;              /* [node]; NULL: there are no copy engines */
  uint64_t *counters;                 /* [node * per_node + number] */
  size_t per_node;

  /* What was sent and has not arrived. */
  struct weft_ring *request, *forward, *response; /* [(src * nodes + dst) * banks + bank] */
  struct weft_ring *to_egress;                    /* [node * banks + bank]: FinePack */
  struct weft_ring *to_ingress;                   /* [(src * nodes + dst) * banks], banks 0: FinePack */
  struct weft_ring *to_l2, *to_l1;                /* [(node * cus + cu) * banks + bank] */
  struct weft_ring *from_memory;                  /* [node * banks + bank] */
  struct weft_ring *issued;                       /* [node * cus + cu]: by the host, not yet seen by the L1 */
  struct weft_ring *described;        /* [node]: descriptors of copies, none of whose loads was seen */
  struct weft_ring *promised, *given; /* answers of the model, answers at the port: one waits for the other */

  uint16_t *on_link;          /* messages that a link has still to show: weft_lockstep_on_link() */
  struct weft_dir_event *dir; /* [node * banks + bank]; valid: waits for its bank's event */
  uint32_t *seq_l1, *seq_l2, *seq_dir, *seq_link, *seq_egress,
    *seq_ingress;              /* the next sequence number; SEQ_FREE before the first */
  uint32_t *l1_eras, *l2_eras; /* how often each has started again */
  uint32_t rebased;            /* of the rebase under way, banks and L1s that have; 0: there is none */

  struct weft_l1_event rtl_l1, model_l1; /* scratch: too large to clear for each event */
  struct weft_l2_event rtl_l2, model_l2;

  bool failed;
  char report[1800];
};

#define WEFT_SEQ_FREE UINT32_MAX

/* Where in the machine a difference is, and in which event. */
struct weft_place {
  const char *unit; /* as the faults name them */
  unsigned node;
  const char *part; /* "cu" or "bank", and its number */
  unsigned index;
  uint64_t cycle;
  const char *event;
};

/* ---------------------------------------------------------------- lockstep_report.c */
void weft_lockstep_differ(struct weft_lockstep *k, const struct weft_place *place,
                          const struct weft_difference *d);
/* A difference that is not one of two values. */
void weft_lockstep_wrong(struct weft_lockstep *k, const struct weft_place *place, const char *text);
struct weft_place weft_place_cu(const char *unit, unsigned node, unsigned cu, uint64_t cycle,
                                const char *event);
struct weft_place weft_place_bank(const char *unit, unsigned node, unsigned bank, uint64_t cycle,
                                  const char *event);

/* ---------------------------------------------------------------- lockstep.c */
/* Every unit numbers its events: none may be lost between the port and the checker. */
bool weft_lockstep_in_sequence(struct weft_lockstep *k, uint32_t *next, uint64_t seq,
                               const struct weft_place *place);

/* ---------------------------------------------------------------- lockstep_edges.c */
bool weft_lockstep_edges_new(struct weft_lockstep *k, bool finepack);
void weft_lockstep_edges_free(struct weft_lockstep *k);

/* ---------------------------------------------------------------- lockstep_dma.c */
bool weft_lockstep_dmas_new(struct weft_lockstep *k);
void weft_lockstep_dmas_free(struct weft_lockstep *k);
bool weft_lockstep_dmas_idle(const struct weft_lockstep *k);
/* An operation of this CU's L1 is the engine's. */
static inline bool weft_lockstep_dma_has(const struct weft_lockstep *k, unsigned cu, unsigned tag)
{
  return k->dma && !cu && (tag & WEFT_DMA_TAG);
}

/* The host issued this, or got this answer; false: it is not the engine's. */
bool weft_lockstep_dma_issued(struct weft_lockstep *k, unsigned node, unsigned cu, uint64_t cycle,
                              const struct weft_cu_req *request);
bool weft_lockstep_dma_answered(struct weft_lockstep *k, unsigned node, unsigned cu, uint64_t cycle,
                                const struct weft_cu_rsp *answer);
/* An L1 met an operation of the engine's; false: the engine's model has another, or none. It answered one. */
bool weft_lockstep_dma_op(struct weft_lockstep *k, unsigned node, unsigned cu, const struct weft_cu_req *r,
                          uint64_t cycle);
void weft_lockstep_dma_back(struct weft_lockstep *k, unsigned node, unsigned cu,
                            const struct weft_cu_rsp *answer, uint64_t cycle);

/* ---------------------------------------------------------------- lockstep_rebase.c */
bool weft_lockstep_rebases_new(struct weft_lockstep *k);
void weft_lockstep_rebases_free(struct weft_lockstep *k);
/* An event in the order of a rebase; false: it comes too early or too late, and it was reported. */
bool weft_lockstep_rebase_l2(struct weft_lockstep *k, const struct weft_l2_event *e, unsigned index,
                             const struct weft_place *place);
bool weft_lockstep_rebase_l1(struct weft_lockstep *k, const struct weft_l1_event *e, unsigned index,
                             const struct weft_place *place);

/* ---------------------------------------------------------------- lockstep_network.c */
bool weft_lockstep_network_new(struct weft_lockstep *k);
void weft_lockstep_network_free(struct weft_lockstep *k);

/* A new slot at the end; NULL: out of memory. */
void *weft_ring_push(struct weft_ring *ring);
static inline void *weft_ring_head(const struct weft_ring *r)
{
  return r->count ? r->slots + (size_t)r->head * r->stride : NULL;
}
static inline void weft_ring_pop(struct weft_ring *r)
{
  r->head = (r->head + 1U) & (r->capacity - 1U);
  r->count--;
}

/* What a unit's model has sent, into the rings. */
void weft_lockstep_sent_by_l1(struct weft_lockstep *k, unsigned node, unsigned cu,
                              const struct weft_l1_event *e, uint64_t cycle);
void weft_lockstep_sent_by_l2(struct weft_lockstep *k, unsigned node, unsigned bank,
                              const struct weft_l2_event *e, uint64_t cycle);

/* The same of a message of class request that leaves its node, and of one that an ingress hands to a bank. */
void weft_lockstep_leaves(struct weft_lockstep *k, unsigned node, const struct weft_req *message);
void weft_lockstep_handed(struct weft_lockstep *k, unsigned node, const struct weft_req *message);
/* What came into an egress or ingress against what was sent to it. */
bool weft_lockstep_into_egress(struct weft_lockstep *k, unsigned node, const struct weft_req *message,
                               bool taken, uint64_t cycle);
bool weft_lockstep_into_ingress(struct weft_lockstep *k, unsigned node, const struct weft_req *message,
                                uint64_t cycle);

/* The input of a unit's event against what was sent to it. False: they differ, and it was reported. */
bool weft_lockstep_into_l1(struct weft_lockstep *k, unsigned node, unsigned cu, const struct weft_l1_event *e,
                           uint64_t cycle);
bool weft_lockstep_into_l2(struct weft_lockstep *k, unsigned node, unsigned bank,
                           const struct weft_l2_event *e, uint64_t cycle);

/* How many messages of this kind link `link` has still to show; `peer` is the other node: the destination of
 * what a node sends, the source of what comes to it. */
static inline uint16_t *weft_lockstep_on_link(const struct weft_lockstep *k, unsigned link, unsigned class,
                                              unsigned peer, unsigned kind, unsigned bytes)
{
  size_t at = ((size_t)link * WEFT_LINK_CLASSES + class) * WEFT_NODES_MAX + peer;
  return &k->on_link[(at * WEFT_LINK_KINDS + kind) * WEFT_LINK_SIZES + bytes / 4U];
}

/* The first thing that is still on its way, or false. */
bool weft_lockstep_on_its_way(const struct weft_lockstep *k, char *text, size_t size);

#endif
