/* SPDX-License-Identifier: Apache-2.0 */
/* What a handle is made of. Only files of sw/lib include this. */
#ifndef WEFT_HANDLE_H
#define WEFT_HANDLE_H

#include <weft/weft.h>

#include "backend.h"
#include "usb_board.h"
#include "error.h"
#include "pages.h"
#include "replicas.h"

#define WEFT_PATIENCE_DEFAULT 100000u
#define WEFT_STACK_DEFAULT (128u << 10)
#define WEFT_OUTSTANDING_MAX 16u

/* A counter as users see it: the sum of the back-end's values parts[first .. first + count). */
struct weft_counter_view {
  char *name;
  uint32_t first, count;
};

struct weft_counter_set {
  size_t raw;   /* values that the back-end gives */
  size_t count; /* names that users see */
  struct weft_counter_view *counter;
  uint32_t *parts;
};

struct weft_hooks {
  void (*progress)(void *arg, const struct weft_progress *progress);
  void *progress_arg;
  weft_trace_function trace;
  void *trace_arg;
  weft_sample_function sample;
  void *sample_arg;
  uint64_t sample_every, sample_next;
};

struct weft {
  struct weft_failure failure; /* first member: error.h reaches it without knowing the rest */

  char config_name[32];
  struct weft_config config;

  /* While open: */
  const struct weft_backend_ops *ops;
  struct weft_backend *backend;
  void *shared_object;      /* what dlopen() gave, or NULL */
  struct weft_board *board; /* NULL: the back-end is no board */
  struct weft_backend_info info;
  uint8_t protocol;
  uint8_t egress; /* enum weft_egress */
  uint64_t patience;
  size_t stack;
  struct weft_pages pages;
  struct weft_replicas replicas;
  struct weft_counter_set counters;
  struct weft_hooks hooks;
  struct weft_watch *watch; /* NULL: nobody looks inside */
  struct weft_statistics statistics;
  uint64_t barriers;     /* generations that the barrier's variables have seen since reset */
  bool launched;         /* since reset */
  bool settled;          /* since the last launch */
  bool barrier_launches; /* weft_barrier() is the end of a kernel and the launch of the next */
  uint64_t dispatch;     /* cycles from the beginning of one warp of a node to the next one's */
  bool broken;           /* a launch failed: only weft_reset() helps */
};

/* Turns a result of the back-end's table into a public code, with the back-end's own text. */
int weft_backend_fail(struct weft *w, int result, const struct weft_backend_error *e);
int weft_need_open(struct weft *w);

/* backends.c: a kind of back-end, and where its table comes from */
struct weft_backend_entry {
  const char *name;
  const char *about;
  const struct weft_backend_ops
    *ops; /* NULL: load() gets it from a shared object built for one configuration */
  int (*load)(struct weft *w, const char *config, const struct weft_options *options,
              const struct weft_backend_ops **ops, void **shared_object);
  bool board; /* what stands behind the colon says which; its configuration is the board's */
};
/* Splits "NAME:CONFIG" and finds both; of a board there is no CONFIG, and it becomes "". */
int weft_backend_find(struct weft *w, const char *backend, char *config, size_t config_size,
                      const struct weft_backend_entry **found);
/* backend_rtl.c, rtl_build.c, rtl_find.c */
int weft_rtl_load(struct weft *w, const char *config, const struct weft_options *options,
                  const struct weft_backend_ops **ops, void **shared_object);
/* What is Verilated for one configuration (CONFIG, or CONFIG-wave): a fabric, or a whole board. */
struct weft_built {
  const char *kind;     /* its folder below build/, and what `make KIND-CONFIG` makes */
  const char *object;   /* the shared object's file name */
  const char *variable; /* of the environment, with folders to look in first */
  const char *instead;  /* what helps where there is none, or "" */
};
extern const struct weft_built weft_built_rtl, weft_built_board;
int weft_built_make(struct weft *w, const struct weft_built *b, const char *build,
                    const struct weft_options *options, char *path, size_t path_size);
bool weft_built_find(const struct weft_built *b, const char *build, char *path, size_t size);
bool weft_source_tree(char *path, size_t size);
bool weft_program_folder(char *path, size_t size);

extern const struct weft_backend_ops weft_backend_null;
extern const struct weft_backend_ops weft_backend_model;
extern const struct weft_backend_ops weft_backend_usb;

/* config.c */
const struct weft_named_config *weft_named_config_find(const char *name);
/* What stands before the name of what was built, in messages. */
static inline const char *weft_built_kind(const struct weft *w)
{
  return w->board ? "the board's " : "rtl:";
}
int weft_config_fits_built(struct weft *w, const struct weft_config *built);

/* arrays.c: a number as a physical address */
int weft_locate_physical(struct weft *w, const char *text, uint64_t *physical);

/* counters.c */
int weft_counters_open(struct weft *w);
void weft_counters_close(struct weft *w);
/* The values under their names from the back-end's own. */
void weft_counters_sum(const struct weft *w, const uint64_t *raw, uint64_t *values);

/* launch.c: the first physical address of the barrier's variables at a node */
uint64_t weft_barrier_base(const struct weft *w, unsigned node);
/* Bytes at the top of every memory that belong to it: whole pages. */
uint64_t weft_barrier_kept(const struct weft_config *c);
#define WEFT_BARRIER_BYTES 384u /* three lines of the largest size */

#endif
