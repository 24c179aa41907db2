/* SPDX-License-Identifier: Apache-2.0 */
/* A node's copy engine. It copies whole lines between addresses, those of several descriptors by turns, with loads and
 * stores of its own that go into an L1 between those of the L1's compute unit.
 *
 * A descriptor is a store with WEFT_DMA_ATTRIBUTE: address is the first line that is read, mask the bytes of every line
 * that are written, data bytes 0-7 the first line that is written, bytes 8-9 the number of lines (0: 65,536). It is
 * answered when the last line's store has been, with an error if any line met one. */
#ifndef WEFT_DMA_H
#define WEFT_DMA_H

#include "layout.h"
#include "weft_formats.h"

#define WEFT_DMA_ATTRIBUTE 1U
#define WEFT_DMA_JOBS 8U
#define WEFT_DMA_SLOTS_MAX 16U
#define WEFT_DMA_TAG 0x80U /* what an L1 answers with this tag is the engine's; the rest is the slot */

enum weft_dma_state {
  WEFT_DMA_EMPTY,
  WEFT_DMA_LOADING,
  WEFT_DMA_LOADED,
  WEFT_DMA_STORING,
  WEFT_DMA_DONE,
};

struct weft_dma_job {
  uint64_t from, to, mask[2]; /* of the next line */
  uint16_t left;              /* lines without a slot yet */
  uint8_t used, loads;        /* it is there; some line has no slot yet */
  uint8_t error, warp, tag, pad;
};

/* One line on its way. */
struct weft_dma_slot {
  uint64_t to;
  uint8_t state, error;
  uint8_t job;
  uint8_t last; /* of its descriptor, which is then answered */
  uint8_t pad[4];
  uint8_t data[128];
};

struct weft_dma {
  uint32_t size; /* of the whole block */
  uint32_t line, slots;
  uint32_t turn;                /* the descriptor that loads next, if it can, else those behind it */
  uint32_t next, store, oldest; /* slots: the next to load, the next to store, the next to free */
  uint32_t used;
  struct weft_dma_job job[WEFT_DMA_JOBS];
  struct weft_dma_slot slot[]; /* in turn, so they are stored and freed in the order of their loads */
};

size_t weft_dma_size(const struct weft_config *config); /* 0: there is no engine */
void weft_dma_reset(struct weft_dma *dma, const struct weft_config *config);

/* What the data of a descriptor say: the first line that is written, and the number of lines. */
static inline void weft_dma_put(uint8_t *data, uint64_t to, uint16_t lines)
{
  memcpy(data, &to, sizeof to);
  memcpy(data + sizeof to, &lines, sizeof lines);
}

static inline void weft_dma_get(const uint8_t *data, uint64_t *to, uint16_t *lines)
{
  memcpy(to, data, sizeof *to);
  memcpy(lines, data + sizeof *to, sizeof *lines);
}

static inline bool weft_dma_is_job(const struct weft_cu_req *r)
{
  return r->op == WEFT_CU_OP_STORE && (r->attr & WEFT_DMA_ATTRIBUTE);
}

/* The entry that a descriptor gets in this cycle, the one that loads next; -1: none. */
int weft_dma_room(const struct weft_dma *dma);
int weft_dma_turn(const struct weft_dma *dma);
/* The next load of an entry, which has its number in attr; the store that the L1 gets next. False: there is none now. */
bool weft_dma_load(const struct weft_dma *dma, int entry, struct weft_cu_req *out);
bool weft_dma_store(const struct weft_dma *dma, struct weft_cu_req *out);
/* What it shows to the L1: stores first, since they free slots. */
static inline bool weft_dma_offer(const struct weft_dma *dma, struct weft_cu_req *out)
{
  return weft_dma_store(dma, out) || weft_dma_load(dma, weft_dma_turn(dma), out);
}

/* What it answers to the compute unit in this cycle, if nothing else is answered there; false: nothing. */
bool weft_dma_answer(const struct weft_dma *dma, struct weft_cu_rsp *out);
/* Nothing is under way. */
bool weft_dma_idle(const struct weft_dma *dma);

/* What happens to it in one cycle. */
struct weft_dma_input {
  const struct weft_cu_req *job;  /* a descriptor comes; NULL: none */
  const struct weft_cu_req *sent; /* the L1 takes this store or load; NULL: nothing */
  const struct weft_cu_rsp *back; /* the L1 answers; NULL: nothing */
  uint32_t entry;                 /* that the descriptor gets */
  bool told;                      /* the compute unit gets what it answers */
};
/* Returns NULL, or why that cannot happen; then nothing has changed. */
const char *weft_dma_step(struct weft_dma *dma, const struct weft_dma_input *in);

#endif
