/* SPDX-License-Identifier: Apache-2.0 */
/* Seeing inside a run. The back-end shows every event of every unit (sw/model/observer.h); from here they go to those who
 * make something of them: latencies, the history of one line, samples of the counters. */
#ifndef WEFT_WATCH_H
#define WEFT_WATCH_H

#include "directory.h"
#include "dma.h"
#include "handle.h"
#include "observer.h"

#define WEFT_WARPS_MAX 16U
#define WEFT_TABLE_MAX 64U /* entries of any table that an id in a message points at */

/* Who answered an operation. */
enum weft_level {
  WEFT_LEVEL_L1,
  WEFT_LEVEL_L2,     /* the own L2, which has a copy of a remote line */
  WEFT_LEVEL_HOME,   /* the own node is the home, and has the line in its L2 */
  WEFT_LEVEL_MEMORY, /* the own node is the home, and fetched it from memory */
  WEFT_LEVEL_REMOTE, /* another node is the home */
  WEFT_LEVEL_REMOTE_MEMORY,
  WEFT_LEVELS
};
extern const char *const weft_level_names[WEFT_LEVELS];

/* An operation between its port and its answer. */
struct weft_flight {
  uint64_t issue;
  uint64_t address;
  uint8_t op, order, scope, wide;
  uint8_t first, bytes; /* load, store: the first byte of the line that it is about, and how many */
};

/* An entry of a unit's table, as its events let one know it: the line, since when, and who answers. */
struct weft_entry {
  uint64_t line, since;
  uint8_t level;
};

struct weft_track_l1 {
  struct weft_flight flight[WEFT_WARPS_MAX][WEFT_OUTSTANDING_MAX];
  struct weft_flight copies[WEFT_DMA_SLOTS_MAX]; /* of the copy engine */
  struct weft_entry miss[WEFT_TABLE_MAX];
  uint8_t fill; /* the miss whose waiters are being answered */
};

struct weft_track_l2 {
  struct weft_entry miss[WEFT_TABLE_MAX], fetch[WEFT_TABLE_MAX], release[WEFT_TABLE_MAX],
    marker[WEFT_TABLE_MAX];
};

/* The INVs that the step just seen owes. */
struct weft_track_owed {
  unsigned lines;                       /* that they are about; 0: there are none */
  uint16_t nodes[WEFT_ENTRY_LINES_MAX]; /* who gets one, by line */
};

/* What the events of several units say together. Updated before anybody else looks at an event. */
struct weft_track {
  unsigned nodes, cus, banks, line;
  bool leases;           /* a WRITE is answered too, and has a miss */
  unsigned entry_lines;  /* of a directory entry */
  uint64_t memory_lines; /* of a node */
  uint16_t *sharers;     /* by home and line, as the directory's last step on the line left them */
  struct weft_track_owed owed;
  struct weft_track_l1 *l1; /* [node * cus + cu] */
  struct weft_track_l2 *l2; /* [node * banks + bank] */
};

/* The first byte of a mask, and how many to its last. */
void weft_mask_span(const uint64_t mask[2], uint8_t *first, uint8_t *bytes);

bool weft_track_open(struct weft_track *t, const struct weft_config *config, unsigned protocol);
void weft_track_close(struct weft_track *t);
void weft_track_taken(struct weft_track *t, unsigned port, uint64_t issue, const struct weft_cu_req *r);
void weft_track_l1(struct weft_track *t, unsigned port, uint64_t cycle, const struct weft_l1_event *in,
                   const struct weft_l1_event *out);
void weft_track_l2(struct weft_track *t, unsigned node, unsigned bank, uint64_t cycle,
                   const struct weft_l2_event *in, const struct weft_l2_event *out,
                   const struct weft_dir_event *dir);
/* The operation that an L1's event answers, and who answered it. */
const struct weft_flight *weft_track_answered(const struct weft_track *t, unsigned port,
                                              const struct weft_l1_event *in, const struct weft_l1_event *out,
                                              enum weft_level *level);

/* latency.c */
struct weft_latencies;
struct weft_latencies *weft_latencies_new(const struct weft_config *config, bool packed);
void weft_latencies_free(struct weft_latencies *l);
void weft_latencies_taken(struct weft_latencies *l, uint64_t cycle, uint64_t issue);
void weft_latencies_l1(struct weft_latencies *l, const struct weft_track *t, unsigned port, uint64_t cycle,
                       const struct weft_l1_event *in, const struct weft_l1_event *out);
void weft_latencies_l2(struct weft_latencies *l, const struct weft_track *t, unsigned node, unsigned bank,
                       uint64_t cycle, const struct weft_l2_event *in, const struct weft_l2_event *out);
void weft_latencies_link(struct weft_latencies *l, unsigned link, uint64_t cycle,
                         const struct weft_link_event *e);

/* history.c */
struct weft_history;
struct weft_history *weft_history_new(const struct weft_config *config, const char *address,
                                      const struct weft_explain_options *options);
void weft_history_restart(struct weft_history *h);
void weft_history_free(struct weft_history *h);
/* Before a launch: finds out which line it is. */
int weft_history_resolve(struct weft *w, struct weft_history *h);
void weft_history_taken(struct weft_history *h, const struct weft_cu_req *r);
void weft_history_l1(struct weft_history *h, const struct weft_track *t, unsigned node, unsigned cu,
                     uint64_t cycle, const struct weft_l1_event *in, const struct weft_l1_event *out);
void weft_history_l2(struct weft_history *h, const struct weft_track *t, unsigned node, unsigned bank,
                     uint64_t cycle, const struct weft_l2_event *in, const struct weft_l2_event *out,
                     const struct weft_dir_event *dir);

/* answers.c */
struct weft_answerer;
struct weft_answerer *weft_answerer_new(const struct weft_config *config, weft_answer_function function,
                                        void *arg);
void weft_answerer_free(struct weft_answerer *a);
void weft_answerer_restart(struct weft_answerer *a);
void weft_answerer_l1(struct weft_answerer *a, const struct weft_track *t, unsigned node, unsigned cu,
                      uint64_t cycle, const struct weft_l1_event *in, const struct weft_l1_event *out);
void weft_answerer_l2(struct weft_answerer *a, unsigned node, unsigned bank, const struct weft_l2_event *out);

/* cold.c */
struct weft_colds;
struct weft_colds *weft_colds_new(const struct weft_config *config);
void weft_colds_free(struct weft_colds *c);
void weft_colds_l2(struct weft_colds *c, unsigned node, const struct weft_l2_event *in,
                   const struct weft_l2_event *out);

/* capture.c */
struct weft_captor;
struct weft_captor *weft_captor_new(const struct weft_config *config, weft_packet_function function,
                                    void *arg);
void weft_captor_free(struct weft_captor *c);
void weft_captor_restart(struct weft_captor *c);
void weft_captor_link(struct weft_captor *c, unsigned link, uint64_t cycle, const struct weft_link_event *e);
/* Hands out what is still held: the packets of the latest cycle. */
void weft_captor_flush(struct weft_captor *c);

/* sample.c */
struct weft_sampler;
struct weft_sampler *weft_sampler_new(const struct weft *w, uint64_t every, weft_sample_function function,
                                      void *arg);
void weft_sampler_free(struct weft_sampler *s);
uint64_t weft_sampler_every(const struct weft_sampler *s);
void weft_sampler_restart(struct weft_sampler *s);
void weft_sampler_l1(struct weft_sampler *s, const struct weft_track *t, unsigned node, unsigned cu,
                     uint64_t cycle, const struct weft_l1_event *in, const struct weft_l1_event *out);
void weft_sampler_l2(struct weft_sampler *s, unsigned node, uint64_t cycle, const struct weft_l2_event *in,
                     const struct weft_l2_event *out, const struct weft_dir_event *dir);
void weft_sampler_link(struct weft_sampler *s, unsigned link, uint64_t cycle,
                       const struct weft_link_event *e);
/* Everything before `cycle` has been counted: hands a sample out. */
void weft_sampler_tick(struct weft *w, struct weft_sampler *s, uint64_t cycle);
/* The end of a launch: one sample more, and what went wrong with any. */
int weft_sampler_finish(struct weft *w, struct weft_sampler *s, uint64_t cycle);

/* watch.c */
typedef void (*weft_directory_function)(void *arg, unsigned node, uint64_t cycle,
                                        const struct weft_dir_event *event);
struct weft_watch {
  struct weft *w;
  struct weft_observer observer;
  struct weft_track track;
  bool tracked;                      /* somebody wants more than one unit's events */
  struct weft_history *history;      /* NULL: not asked for */
  struct weft_latencies *latencies;  /* likewise */
  struct weft_sampler *sampler;      /* likewise */
  weft_directory_function directory; /* likewise */
  void *directory_arg;
  struct weft_colds *colds;       /* likewise */
  struct weft_captor *captor;     /* likewise */
  struct weft_answerer *answerer; /* likewise */
};
/* Makes the handle's watch if there is none, and tells the back-end. Fails where there is nothing inside to see. */
int weft_watch_begin(struct weft *w);
/* Calls the function for every step of a directory; NULL ends it. */
int weft_watch_directory(struct weft *w, weft_directory_function function, void *arg);
/* Tells the back-end again, after what is asked for has changed. */
void weft_watch_update(struct weft *w);
void weft_watch_end(struct weft *w);
/* After weft_reset(): as if nothing had happened yet. */
int weft_watch_restart(struct weft *w);

#endif
