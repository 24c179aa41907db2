/* SPDX-License-Identifier: Apache-2.0 */
/* Traces of operations: the file's lines, and what can be known beforehand about their results.
 *
 * A line is `node cu op scope address size [value [compare]]`; blank lines and what follows a '#' are passed
 * over.
 *   op      load or store, weak unless .relaxed, .acquire (load) or .release (store) follows;
 *           add exch cas min max minu maxu and or xor, relaxed unless .acquire, .release or .acq_rel follows;
 *           fence, acq_rel unless .acquire or .release follows: neither address nor size
 *   scope   cta, gpu or sys
 *   value   load: must be seen. store, atomic: the operand (store: made from the line's number if left out);
 *           a number of any length up to the size, decimal (8 bytes) or 0x. compare is for cas
 * The lines of one CU are performed in their order by its first warp; those of different CUs race. */
#ifndef WEFT_TRACE_H
#define WEFT_TRACE_H

#include "job.h"

enum weft_trace_kind { WEFT_TRACE_LOAD, WEFT_TRACE_STORE, WEFT_TRACE_ATOMIC, WEFT_TRACE_FENCE };

struct weft_trace_op {
  uint8_t kind, func, order, scope;
  uint8_t node, cu, bytes;
  bool has_value;
  unsigned line;    /* of the file */
  uint64_t address; /* as in the file */
  uint64_t mapped;  /* as the program uses it */
  size_t data;      /* in the pool: value, then (atomic) compare at + 8; load: the value to be seen */
  size_t result;    /* in the pool: what a load or atomic gave */
  size_t known;     /* in the pool: what it must give, a byte and a flag for each byte; 0: nothing known */
};

struct weft_trace_file {
  struct weft_trace_op *op;
  size_t count, room;
  uint8_t *pool; /* bytes that operations refer to; 0 is never given out */
  size_t pool_used, pool_room;
};

/* What a line may say depends on the machine; its zero means "any": then only the form is checked. */
struct weft_trace_limits {
  unsigned nodes, cus, line;
  uint64_t memory;
  bool physical; /* addresses are the fabric's */
};

int weft_trace_parse(struct weft *w, const char *name, const char *text, size_t bytes,
                     const struct weft_trace_limits *limits, struct weft_trace_file *file);
void weft_trace_free(struct weft_trace_file *file);
/* Room for `bytes` zeroed bytes in the pool; 0 when memory is out. */
size_t weft_trace_room(struct weft_trace_file *file, size_t bytes);

/* trace_check.c: what is known of memory. */
struct weft_trace_map;
/* Fills in `known` of every operation. */
int weft_trace_foresee(struct weft *w, struct weft_trace_file *file, unsigned line,
                       struct weft_trace_map **map);
/* After the run: results of operations, then memory. WEFT_WRONG_RESULT names the line. */
int weft_trace_check(struct weft_job *job, const struct weft_trace_file *file,
                     const struct weft_trace_map *map);
void weft_trace_map_free(struct weft_trace_map *map);

#endif
