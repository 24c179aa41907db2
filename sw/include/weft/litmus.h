/* SPDX-License-Identifier: Apache-2.0 */
/* Litmus tests: small programs of a few threads with a condition on their final state, in the text format of the
 * herd tools, run many times on the fabric. docs/litmus.md says what is read and what it becomes. */
#ifndef WEFT_LITMUS_H
#define WEFT_LITMUS_H

#include <weft/weft.h>

#ifdef __cplusplus
extern "C" {
#endif

struct weft_litmus; /* one test */

/* Reads a file. WEFT_BAD_FILE: it is no litmus test; the message names the line. A test that is well written but
 * cannot be expressed on the fabric is read, and skipped when it is run. The handle may be closed. */
WEFT_API int weft_litmus_read(struct weft *w, const char *path, struct weft_litmus **test);
/* The same from memory; `name` is for messages. */
WEFT_API int weft_litmus_parse(struct weft *w, const char *name, const char *text, size_t bytes,
                               struct weft_litmus **test);
WEFT_API void weft_litmus_free(struct weft_litmus *test);
WEFT_API const char *weft_litmus_name(const struct weft_litmus *test); /* as its first line has it */
WEFT_API unsigned weft_litmus_threads(const struct weft_litmus *test);

/* What plain RISC-V accesses become. PTX says it itself. */
enum weft_litmus_map { WEFT_LITMUS_RELAXED, WEFT_LITMUS_WEAK };
/* Where threads run. */
enum weft_litmus_place {
  WEFT_LITMUS_BY_FILE, /* as the file's own @cta, gpu says; without it mixed */
  WEFT_LITMUS_MIXED,   /* one of the following, drawn anew for every run */
  WEFT_LITMUS_RANDOM,  /* any warps */
  WEFT_LITMUS_SPREAD,  /* on as many nodes as there are */
  WEFT_LITMUS_ONE_GPU, /* on one node, on as many CUs as it has */
  WEFT_LITMUS_ONE_CTA, /* on one CU */
};
/* Who else judges the final states, beside the file's condition. */
enum weft_litmus_oracle {
  WEFT_LITMUS_ORACLE_AUTO, /* sc with a protocol that promises it (halcone-causal), else none */
  WEFT_LITMUS_ORACLE_NONE,
  WEFT_LITMUS_ORACLE_SC, /* every interleaving of the threads: may a sequentially consistent machine end so? */
};
/* Of this protocol everything is sequentially consistent, as long as a thread waits for each of its operations: so its
 * threads do, and plain accesses may be weak. */
WEFT_API bool weft_litmus_promises_sc(const char *protocol);
/* Names by number, for users; NULL past the last. */
WEFT_API const char *weft_litmus_map_at(size_t index);
WEFT_API const char *weft_litmus_place_at(size_t index);
WEFT_API const char *weft_litmus_oracle_at(size_t index);

struct weft_litmus_options {
  uint64_t runs; /* 0: 1000 */
  uint64_t seed; /* 0: 1 */
  enum weft_litmus_map map;
  enum weft_litmus_place place;
  enum weft_litmus_oracle oracle;
};

enum weft_litmus_verdict {
  WEFT_LITMUS_SEEN, /* exists: some run ended in such a state */
  WEFT_LITMUS_NOT_SEEN,
  WEFT_LITMUS_OK, /* ~exists, forall: every run that ended agrees */
  WEFT_LITMUS_VIOLATED,
  WEFT_LITMUS_SKIPPED,
};
WEFT_API const char *weft_litmus_verdict_name(enum weft_litmus_verdict verdict);

struct weft_litmus_state {
  const char *text; /* "0:x5=1; x=2;" */
  uint64_t count;
  bool meets;   /* the condition */
  bool outside; /* the oracle has no such state */
};
struct weft_litmus_result {
  enum weft_litmus_verdict verdict;
  const char *reason;                     /* why it was skipped, or what else must be said; "" if nothing */
  uint64_t runs, unfinished;              /* all; those cut off, which have no state */
  uint64_t filtered;                      /* those whose state the file's filter does not want */
  const struct weft_litmus_state *states; /* most frequent first; they live as long as the test, */
  size_t state_count;                     /* or until it is run again */
  enum weft_litmus_oracle oracle;         /* none or sc */
  const char *unjudged;                   /* why the oracle says nothing of this test; "" if it does */
  uint64_t allowed;                       /* states that the oracle has; */
  size_t outside;                         /* states that the runs had and it has not */
};

/* Runs the test on an open handle, which is reset: memory, counters and allocations of the caller's are gone. Equal
 * seeds give equal results. */
WEFT_API int weft_litmus_run(struct weft *w, struct weft_litmus *test,
                             const struct weft_litmus_options *options, struct weft_litmus_result *result);

/* What a table of results says of a test: 1, the file's assertion holds in the model that the table is of; 0, it does
 * not. The fabric may show fewer states than a model allows, never more. */
WEFT_API bool weft_litmus_contradicts(enum weft_litmus_verdict verdict, int expected);

#ifdef __cplusplus
}
#endif
#endif
