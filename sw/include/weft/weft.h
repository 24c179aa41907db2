/* SPDX-License-Identifier: Apache-2.0 */
/* libweft: run programs on a coherence fabric, be it a model, Verilated RTL or a board.
 *
 * This header is the manual. A whole program:
 *
 *   static void kernel(struct weft_warp *t, void *arg)
 *   {
 *     weft_address counter = *(weft_address *)arg;
 *     weft_rmw(t, WEFT_ADD, counter, 8, 1, 0, WEFT_RELAXED, WEFT_SYS);
 *     weft_barrier(t);
 *   }
 *
 *   struct weft *w = weft_new();
 *   weft_address a;
 *   uint64_t sum;
 *   if (weft_open(w, "model:quad", NULL) || weft_alloc(w, 8, WEFT_INTERLEAVED, &a) ||
 *       weft_launch(w, kernel, &a) || weft_read(w, a, &sum, 8))
 *     fprintf(stderr, "%s\n", weft_message(w));
 *   weft_free(w);
 *
 * Rules that hold everywhere:
 * - Functions that can fail return a code of enum weft_code, 0 for success; weft_message() then says what is
 *   wrong with which value and what to do about it, in at most three lines.
 * - The library has no global state, prints nothing and never ends the process. Threads may each use their
 *   own handle at the same time; one handle is used by one thread at a time.
 * - Strings returned by the library live as long as the handle is open, unless said otherwise.
 * - Structures given to the library may be zeroed: zero is every member's default. */
#ifndef WEFT_WEFT_H
#define WEFT_WEFT_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#ifdef __cplusplus
extern "C" {
#endif

#if defined(__GNUC__)
#define WEFT_API __attribute__((visibility("default")))
#define WEFT_PRINTF(text, first) __attribute__((format(printf, text, first)))
#else
#define WEFT_API
#define WEFT_PRINTF(text, first)
#endif

WEFT_API const char *weft_version(void); /* of the library that is linked */

struct weft;      /* a handle: one machine on one back-end */
struct weft_warp; /* the warp that a kernel runs in; valid inside the kernel only */

/* ---- Errors ------------------------------------------------------------------------------------------ */

/* Numbers are never reused. The tens tell the class, which is also the exit code of the tool. */
enum weft_code {
  WEFT_OK = 0,
  /* class 1: it ran, but the result is wrong or a check failed */
  WEFT_WRONG_RESULT = 1, /* the fabric's answer differs from the plain run's */
  WEFT_MISMATCH = 2,     /* lock-step: RTL and model differ */
  WEFT_STUCK = 3,        /* no progress for options.patience cycles; weft_report() says what waits for what */
  /* class 2: wrong use */
  WEFT_BAD_ARGUMENT = 10,
  WEFT_BAD_STATE = 11, /* a call that is not allowed now, such as weft_launch() before weft_open() */
  WEFT_UNKNOWN_BACKEND = 12,
  WEFT_UNKNOWN_CONFIG = 13,
  WEFT_UNKNOWN_PARAMETER = 14,
  WEFT_BAD_PARAMETER = 15, /* a parameter's value is outside its range, or does not fit the others */
  WEFT_UNKNOWN_PROTOCOL = 16,
  WEFT_UNKNOWN_EGRESS = 17,
  WEFT_UNKNOWN_WORKLOAD = 18,
  WEFT_UNKNOWN_FAULT = 19,
  WEFT_BAD_ADDRESS = 20,  /* not allocated, or outside memory */
  WEFT_ACROSS_LINE = 21,  /* an access that crosses a cache line */
  WEFT_BAD_SIZE = 22,     /* an access of no bytes, or of more than a line */
  WEFT_MISALIGNED = 23,   /* an atomic whose address is not a multiple of its width */
  WEFT_BAD_FILE = 24,     /* a malformed input file; the message names the line */
  WEFT_NO_ROOM = 25,      /* the machine's memory is full */
  WEFT_NOT_BUILT_IN = 26, /* the back-end was built with another value, or cannot do this at all */
  WEFT_UNKNOWN_COUNTER = 27,
  WEFT_UNKNOWN_TIMING = 28,
  /* class 3: the back-end or device failed */
  WEFT_BACKEND_BROKE = 40,
  WEFT_BACKEND_OTHER = 41,   /* a shared object of another version or configuration */
  WEFT_BUILD_BROKE = 42,     /* building the back-end on first use failed */
  WEFT_LINK_DOWN = 43,       /* a link was given up; the message names it */
  WEFT_BOARD_ABSENT = 44,    /* no board is plugged in, or none with that serial number */
  WEFT_BOARD_AMBIGUOUS = 45, /* more than one board fits */
  WEFT_BOARD_BUSY = 46,      /* another program has it */
  WEFT_BOARD_GONE = 47,      /* unplugged while in use, or its USB chip fails */
  WEFT_BOARD_SILENT = 48,    /* it does not answer */
  WEFT_BAD_RECORD = 49,      /* of a board: cut short, damaged, or of another run */
  /* class 4: this computer lacks something */
  WEFT_NO_FILE = 60,
  WEFT_NO_DISK = 61, /* writing failed */
  WEFT_NO_MEMORY = 62,
  WEFT_NOT_BUILT = 63, /* the back-end is not built, and cannot be built from here */
  WEFT_NO_PERMISSION = 64,
};

WEFT_API const char *weft_code_name(int code); /* "WEFT_STUCK" */
WEFT_API int weft_code_class(int code);        /* 0 to 4, as above */
/* Why the last call with this handle failed; "" if it did not. Lives until the next failure. */
WEFT_API const char *weft_message(const struct weft *w);
/* After WEFT_STUCK: every operation in flight and what it waits for, one line each. Else "". */
WEFT_API const char *weft_report(const struct weft *w);

/* ---- What there is ----------------------------------------------------------------------------------- */

/* Names by number, from 0; NULL past the last. They live as long as the process. */
WEFT_API const char *weft_backend_at(size_t index);
WEFT_API const char *weft_config_at(size_t index);
WEFT_API const char *weft_protocol_at(size_t index);
WEFT_API const char *weft_egress_at(size_t index);
WEFT_API const char *weft_config_about(const char *config);     /* one line; NULL if there is no such */
WEFT_API const char *weft_backend_about(const char *backend);   /* likewise */
WEFT_API const char *weft_protocol_about(const char *protocol); /* likewise */
/* Faults that RTL can be told to have. Number 1 is the first; NULL past the last. */
WEFT_API const char *weft_fault_name(unsigned number);
WEFT_API const char *weft_fault_about(unsigned number);

/* ---- A handle and its configuration ------------------------------------------------------------------ */

WEFT_API struct weft *weft_new(void); /* NULL: out of memory. Closed and configured as "quad" */
WEFT_API void weft_free(struct weft *w);

struct weft_parameter_info {
  const char *name; /* "l2.ways" */
  const char *about;
  uint64_t min, max;
  bool power_of_two;
  uint64_t value; /* in this handle's configuration */
};
/* Starts over from a named configuration. Only while the handle is closed, as weft_config_set(). */
WEFT_API int weft_config_load(struct weft *w, const char *name);
WEFT_API int weft_config_set(struct weft *w, const char *assignment); /* "l2.ways=8" */
WEFT_API int weft_config_get(struct weft *w, const char *parameter, uint64_t *value);
WEFT_API int weft_config_check(struct weft *w); /* do the parameters fit one another? */
WEFT_API const char *weft_config_name(const struct weft *w);
WEFT_API const char *weft_config_hash(const struct weft *w); /* of the named one: 64 hex digits */
WEFT_API size_t weft_parameter_total(void);
WEFT_API int weft_parameter_at(struct weft *w, size_t index, struct weft_parameter_info *info);

/* What the coherence tracker of one node costs. Paper: as the papers count (48-bit addresses, whole tag, no
 * replacement state). Built: what the RTL keeps for this protocol alone. RAM: what it has in this configuration,
 * whose entries have room for every protocol that is built in. */
struct weft_storage {
  const char *tracker; /* "directory", "tsu"; NULL: the protocol has none */
  uint64_t entries;
  uint64_t entry_lines; /* that an entry tracks */
  uint64_t entry_bits, total_bytes;
  uint64_t built_entry_bits, built_total_bytes; /* 0: not built, model only */
  uint64_t ram_entry_bits, ram_total_bytes;     /* 0: not built in here, or one node */
  uint64_t built_set_bits; /* that a set has beside its entries; a tsu's high-water mark */
};
WEFT_API int weft_storage_of(struct weft *w, const char *protocol, struct weft_storage *storage);

/* ---- Opening ----------------------------------------------------------------------------------------- */

struct weft_progress {
  const char *what;         /* "building rtl:quad", "running" */
  const char *detail;       /* a line of the build's output, or "" */
  uint64_t cycle;           /* running: the machine's time, */
  uint64_t operations;      /* operations answered so far, */
  unsigned finished, warps; /* warps that ended, of all */
};

struct weft_options {
  const char *protocol;   /* "baseline" */
  const char *egress;     /* "plain"; also finepack, bulk, infinite: how stores get to peers' replicas */
  const char *timing;     /* "exact"; "free" lets a board run on. Simulators are always exact */
  const char *const *set; /* parameters that differ, "l2.ways=8", ended by a NULL; applied in order */
  bool keep_config;       /* start from what weft_config_load() and _set() made of the handle */
  bool no_lockstep;       /* rtl: do not run the model beside it */
  const char *fault;      /* rtl: a fault's name or number */
  uint64_t seed;          /* 0: 1 */
  uint32_t jitter;        /* model, rtl: per mille of cycles in which a stream is held back at random */
  uint32_t
    noise; /* rtl: per million of cycles in which each link's wire errs: a bit turned, a beat lost or late */
  const char *cut;       /* rtl: "LINK@CYCLE+COUNT", that link's wire carries nothing; nodes' links first */
  uint64_t patience;     /* cycles without progress after which a run ends; 0: 100000 */
  const char *wave;      /* rtl: write an FST wave file; cycle c is at time 10 c */
  uint64_t wave_from;    /* rtl: its first cycle, */
  uint64_t wave_to;      /* and its last; 0: to the end */
  const char *wave_view; /* rtl: with it, a save file for GTKWave that shows the main streams, */
  const char *wave_commands; /* and a command file for Surfer that does */
  const char *command;       /* the command that repeats this run, for messages; may be NULL */
  size_t stack;              /* bytes of one warp's stack; 0: 128 KiB */
  /* Called now and then during long waits, from inside the call that waits. */
  void (*progress)(void *arg, const struct weft_progress *progress);
  void *progress_arg;
};

/* Opens a back-end, "NAME:ARGUMENT":
 *   null:CONFIG   flat memory, every operation takes one cycle; for developing kernels
 *   model:CONFIG  the timed model; takes any parameters
 *   rtl:CONFIG    Verilated RTL, by default with the model in lock-step; takes the parameters that were
 *                 built in, and any that only the host looks at (page, compute.*, fewer warps and
 *                 outstanding). Looked for in $WEFT_RTL_PATH, beside the program, beside the library, in the
 *                 source tree's build/rtl, and where the `weft` on the PATH is installed; one that was not
 *                 built yet is built first, if the source tree is there
 *   usb:[serial=S][,depth=N][,timeout=MS]
 *                 a board on the USB: the only one, or the one with that serial number; its configuration is
 *                 the bitstream's. depth: transfers in flight in each direction (4); timeout: silence after
 *                 which it is given up (10000 ms)
 *   record:FILE,usb:...   the same, and all bytes between host and board go into a file;
 *   replay:FILE           serves them back, without a board, to whoever does the same again
 * options may be NULL. The machine starts at cycle 0 with all memory zero. */
WEFT_API int weft_open(struct weft *w, const char *backend, const struct weft_options *options);
WEFT_API void weft_close(struct weft *w); /* allocations and counters are gone; weft_open() may follow */
WEFT_API int weft_reset(struct weft *w);  /* cycle 0, memory and counters zero, allocations kept */
WEFT_API int weft_clear(struct weft *w);  /* the same, and allocations are gone: as after weft_open() */

struct weft_machine {
  const char *backend;  /* "rtl" */
  const char *config;   /* "quad" */
  const char *protocol; /* "baseline" */
  const char *hash;     /* of the configuration and its sources, 64 hex digits */
  unsigned abi;         /* of the table between library and back-end */
  bool lockstep;        /* the model is being compared */
  bool any_parameters;  /* takes any parameters, not only those built in */
  unsigned nodes, cus, warps;
  unsigned memories;    /* on the switch, where all pages lie then; 0: every node has its own */
  unsigned outstanding; /* operations in flight per warp */
  unsigned line, page;  /* bytes */
  uint64_t memory;      /* bytes per node */
};
WEFT_API int weft_describe(struct weft *w, struct weft_machine *machine);
/* Whether the open back-end has this protocol: simulators have all, rtl those that were built in. */
WEFT_API bool weft_protocol_runs(const struct weft *w, const char *protocol);

/* The leases, in ticks, that homes give for reads and for writes from now on, until weft_reset(): lease.read and lease.write,
 * which are registers. For protocols with leases; also for a kernel, between its operations. */
WEFT_API int weft_set_leases(struct weft *w, uint64_t read, uint64_t write);

/* ---- Memory ------------------------------------------------------------------------------------------ */

/* Programs use addresses of their own; the library's page table maps them to the fabric's 40-bit physical
 * ones: the home node in bits 39 to 36, the offset in its memory below. */
typedef uint64_t weft_address;
/* A physical address as a program's address: passes the page table by. */
#define WEFT_PHYSICAL(physical) ((weft_address)(physical) | (UINT64_C(1) << 62))

/* Placement of an allocation: a node's number, or */
enum {
  WEFT_FIRST_TOUCH = -1, /* each page on the node that weft_touch() names first */
  WEFT_INTERLEAVED = -2, /* page i on node i mod nodes, or memory i mod memories */
  WEFT_REPLICATED = -3,  /* a replica in every node's memory, see below */
};

/* Replicated memory: a warp loads from its own node's replica. It stores to that one and to every peer's, as the
 * egress says: plain and finepack store to each, one operation after the other; bulk and infinite store to their own, and
 * at the next weft_barrier() or the end of the launch every line that was written is copied to the peers, by the
 * copy engine of its node or else its warps (whole lines, unless several nodes wrote to one), before anybody goes on. Of
 * infinite's copies neither cycles nor counters are told. The host writes all replicas; it reads one, and compares: where they differ the result is
 * wrong. There are no atomics on replicated memory. */

/* Page-aligned; zero, unless weft_dealloc() gave the pages back before. A full node overflows to the next
 * ones, except with a node's number and with replicas. */
WEFT_API int weft_alloc(struct weft *w, uint64_t bytes, int placement, weft_address *address);
WEFT_API int weft_dealloc(struct weft *w, weft_address address);
/* First touch, decided before the run so that it is the same on every back-end: declare, in program order,
 * which node's part of the program touches which bytes. The first to touch a page gets it; placed pages stay
 * where they are. A first-touch page that is used without a touch is placed as if interleaved. */
WEFT_API int weft_touch(struct weft *w, unsigned node, weft_address address, uint64_t bytes);
/* Of replicated memory: node 0's. */
WEFT_API int weft_translate(struct weft *w, weft_address address, uint64_t *physical);

/* The host's way to memory: takes no time, is not counted. Writing is allowed before the first launch only,
 * as caches do not see it. Reading after a launch settles the machine first. Any length. */
WEFT_API int weft_write(struct weft *w, weft_address address, const void *bytes, uint64_t count);
WEFT_API int weft_read(struct weft *w, weft_address address, void *bytes, uint64_t count);
/* Ends a run: waits for all traffic and writes dirty lines back; lock-step compares memory and counters. */
WEFT_API int weft_settle(struct weft *w);

/* ---- Kernels ----------------------------------------------------------------------------------------- */

/* A kernel is plain C that runs once per warp, as a coroutine: warps take turns whenever one waits, never at
 * the same time. It talks to other warps through the fabric's memory alone; `arg` is for reading, and for
 * results that nobody else reads. An access that is wrong (unknown address, across a line) ends the launch
 * with its code. Time passes by operations, one cycle to issue each, and by weft_compute(). */
typedef void (*weft_kernel)(struct weft_warp *t, void *arg);

/* Runs the kernel on every warp of the machine, to its end. Costs `compute.launch` cycles; begins with an
 * acquire and ends with a release of scope sys on every CU, so one launch sees what the last one wrote. After
 * a failure the machine must be reset. */
WEFT_API int weft_launch(struct weft *w, weft_kernel kernel, void *arg);

enum weft_memory_order { WEFT_WEAK, WEFT_RELAXED, WEFT_ACQUIRE, WEFT_RELEASE, WEFT_ACQ_REL };
enum weft_memory_scope { WEFT_CTA, WEFT_GPU, WEFT_SYS }; /* one CU, one node, all nodes */
enum weft_function {
  WEFT_ADD,
  WEFT_EXCH,
  WEFT_CAS,
  WEFT_MIN,
  WEFT_MAX,
  WEFT_MINU,
  WEFT_MAXU,
  WEFT_AND,
  WEFT_OR,
  WEFT_XOR
};

struct weft_place {
  unsigned node, cu, warp;    /* which one this is */
  unsigned nodes, cus, warps; /* of how many */
  unsigned index, count;      /* this warp's number among all warps of the machine, node by node */
  unsigned line;              /* bytes */
};
WEFT_API const struct weft_place *weft_where(const struct weft_warp *t);
WEFT_API uint64_t weft_cycle(const struct weft_warp *t); /* the warp's time */

/* A token stands for an operation in flight; each is waited for once, or by weft_wait_all(). */
typedef uint32_t weft_token;

/* 1 byte to a line, inside one line. Weak loads may hit the L1; others pass it by. A load of order acquire is
 * followed by the fence, a store of order release preceded by it. The blocking forms return when the value is
 * there; the bytes that an asynchronous load goes to must live until its wait. Stores are always
 * asynchronous: the bytes are taken at the call, and a warp sees its own stores. */
WEFT_API void weft_load(struct weft_warp *t, weft_address a, void *to, size_t bytes,
                        enum weft_memory_order order, enum weft_memory_scope scope);
WEFT_API weft_token weft_load_async(struct weft_warp *t, weft_address a, void *to, size_t bytes,
                                    enum weft_memory_order order, enum weft_memory_scope scope);
WEFT_API void weft_store(struct weft_warp *t, weft_address a, const void *from, size_t bytes,
                         enum weft_memory_order order, enum weft_memory_scope scope);
/* Stores those bytes of `line` (a whole line, at its address) whose bit in mask is set: byte 0 is bit 0 of
 * mask[0], byte 64 bit 0 of mask[1]. */
WEFT_API void weft_store_masked(struct weft_warp *t, weft_address line_address, const void *line,
                                const uint64_t mask[2], enum weft_memory_order order,
                                enum weft_memory_scope scope);

/* At the home of the address, 4 or 8 bytes, aligned. Returns the old value. `compare` is for WEFT_CAS alone;
 * MIN and MAX are signed. */
WEFT_API uint64_t weft_rmw(struct weft_warp *t, enum weft_function function, weft_address a, size_t bytes,
                           uint64_t operand, uint64_t compare, enum weft_memory_order order,
                           enum weft_memory_scope scope);
/* Relaxed; *old may be NULL, else it is written by the wait. */
WEFT_API weft_token weft_rmw_async(struct weft_warp *t, enum weft_function function, weft_address a,
                                   size_t bytes, uint64_t operand, uint64_t compare, uint64_t *old,
                                   enum weft_memory_scope scope);
WEFT_API void weft_wait(struct weft_warp *t, weft_token token);
WEFT_API void weft_wait_all(struct weft_warp *t); /* for loads and atomics; for stores there are fences */
/* Order acquire, release or acq_rel. */
WEFT_API void weft_fence(struct weft_warp *t, enum weft_memory_order order, enum weft_memory_scope scope);
/* The warp is busy with so many instructions of its 32 lanes, each for `compute.interval` cycles. */
WEFT_API void weft_compute(struct weft_warp *t, uint64_t instructions);

/* Weak accesses of any length, a line at a time, as many in flight as the warp may have. The asynchronous load is waited
 * for by weft_wait_all(). */
WEFT_API void weft_load_span(struct weft_warp *t, weft_address a, void *to, size_t bytes);
WEFT_API void weft_load_span_async(struct weft_warp *t, weft_address a, void *to, size_t bytes);
WEFT_API void weft_store_span(struct weft_warp *t, weft_address a, const void *from, size_t bytes);

/* Made of the fabric's own atomics, so they end under every protocol. The barrier is for all warps of the
 * machine: what any of them wrote before it, all of them read after it. */
WEFT_API void weft_barrier(struct weft_warp *t);
/* From then on weft_barrier() is no barrier of atomics but the end of a kernel and the launch of the next, which goes on behind
 * it: what a GPU program has that launches a kernel per step. Between launches; not with egress bulk or infinite. */
WEFT_API int weft_barrier_launches(struct weft *w, bool on);
/* A barrier behind which a warp reads what was written before it within the scope: by its own CU (WEFT_CTA), its node, all. Where
 * barriers are launches this is the scope of the next kernel's acquire, which GPU programs choose by kernel; of a CU's warps
 * the widest counts. Else it is weft_barrier(), which is enough for any. */
WEFT_API void weft_barrier_scoped(struct weft_warp *t, enum weft_memory_scope scope);
/* From then on the warps of a node begin a kernel one after the other, so many cycles apart and CU by turns, as a GPU's dispatcher
 * hands out work-groups. 0, as in a new handle: all at once. Between launches; at most 1000. */
WEFT_API int weft_dispatch(struct weft *w, uint64_t cycles);
enum weft_condition { WEFT_EQUAL, WEFT_NOT_EQUAL, WEFT_AT_LEAST }; /* unsigned */
/* Spins, ever more slowly, until the 4 or 8 bytes at `a` meet the condition; then acquires at the scope.
 * Returns what it saw. A machine in which everybody only waits like this is found to be stuck. */
WEFT_API uint64_t weft_await(struct weft_warp *t, weft_address a, size_t bytes, enum weft_condition condition,
                             uint64_t value, enum weft_memory_scope scope);
/* A lock is 4 bytes, 0 when free. */
WEFT_API void weft_lock(struct weft_warp *t, weft_address a, enum weft_memory_scope scope);
WEFT_API void weft_unlock(struct weft_warp *t, weft_address a, enum weft_memory_scope scope);

static inline uint32_t weft_load32(struct weft_warp *t, weft_address a)
{
  uint32_t value;
  weft_load(t, a, &value, sizeof value, WEFT_WEAK, WEFT_CTA);
  return value;
}

static inline uint64_t weft_load64(struct weft_warp *t, weft_address a)
{
  uint64_t value;
  weft_load(t, a, &value, sizeof value, WEFT_WEAK, WEFT_CTA);
  return value;
}

static inline void weft_store32(struct weft_warp *t, weft_address a, uint32_t value)
{
  weft_store(t, a, &value, sizeof value, WEFT_WEAK, WEFT_CTA);
}

static inline void weft_store64(struct weft_warp *t, weft_address a, uint64_t value)
{
  weft_store(t, a, &value, sizeof value, WEFT_WEAK, WEFT_CTA);
}

/* ---- What happened ----------------------------------------------------------------------------------- */

struct weft_statistics {
  uint64_t cycles;     /* from reset to the end of the last launch (egress infinite: without the copies) */
  uint64_t operations; /* answered */
  uint64_t bytes;      /* that loads, stores and atomics moved */
  double wall_seconds; /* spent inside the back-end while kernels ran */
  uint64_t launches;   /* kernels, each of `compute.launch` cycles before its first instruction */
};
WEFT_API int weft_statistics_read(struct weft *w, struct weft_statistics *statistics);

/* 64-bit counters, one atomic snapshot. Those of each node ("node0.directory.evictions"), then their sums
 * ("total.directory.evictions"; the CUs of all nodes together are "total.l1.hits"). */
WEFT_API size_t weft_counter_total(struct weft *w);
WEFT_API const char *weft_counter_name(struct weft *w, size_t index); /* lives while the handle is open */
WEFT_API int weft_counters_read(struct weft *w, uint64_t *values, size_t count);
WEFT_API int weft_counter_get(struct weft *w, const char *name, uint64_t *value);

/* Calls `sample` during launches with the values that the counters have at the beginning of every cycle that is a
 * multiple of `every`, and at the end of a launch. Equal on model and rtl. (null: at the answers that follow.) */
typedef void (*weft_sample_function)(void *arg, uint64_t cycle, const uint64_t *values, size_t count);
WEFT_API int weft_sample(struct weft *w, uint64_t every, weft_sample_function sample, void *arg);

/* ---- Seeing inside ----------------------------------------------------------------------------------- */

/* How long things take, in cycles. What is measured is asked for before the first launch; it costs time while it runs,
 * and is equal on model and rtl. */
struct weft_latency {
  uint64_t count, sum, min, max;
  uint64_t p50, p90, p99; /* exact below 64 cycles, else within 3 % */
  uint64_t octave[65];    /* how many took 0; 1; 2 to 3; 4 to 7; ... cycles */
};
WEFT_API int weft_latency_start(struct weft *w);
WEFT_API size_t weft_latency_total(void);
WEFT_API const char *weft_latency_name(size_t index);  /* "operation.load.remote"; NULL past the last */
WEFT_API const char *weft_latency_about(size_t index); /* in words */
WEFT_API int weft_latency_read(struct weft *w, size_t index, struct weft_latency *latency);

/* Cold misses: the first miss of a line in the L2 of a node. Asked for before the first launch. remote: of total.l2.misses,
 * lines of other nodes; own: of total.home.fetches, lines of its own memory, whoever asked. */
struct weft_cold_misses {
  uint64_t remote, own;
};
WEFT_API int weft_cold_start(struct weft *w);
WEFT_API int weft_cold_read(struct weft *w, struct weft_cold_misses *misses);

/* Stores to peers' replicas, and what was of use. Asked for before the first launch. */
struct weft_replica_use {
  uint64_t stores; /* to a peer's replica; of bulk's copies: lines */
  uint64_t pushed; /* their bytes */
  uint64_t useful; /* of those, the ones that a load of the peer read before they were overwritten */
};
WEFT_API int weft_replica_start(struct weft *w);
WEFT_API int weft_replica_read(struct weft *w, struct weft_replica_use *use);

/* An operation that was answered, by whom, and the time stamps of leases (0 under other protocols). */
struct weft_answer {
  uint64_t cycle;
  unsigned node, cu, warp;
  const char *op;    /* "load", "store", "atomic", "fence" */
  const char *level; /* "l1", "l2", "home", "memory", "remote", "remote_memory" as latencies have it */
  uint64_t physical; /* address; fence: 0 */
  uint64_t wts, rts; /* of the line as this L1 got it: written when, to be read until when */
  uint64_t l1_clock, l2_clock; /* of the CU's L1, and of the line's bank in the CU's L2, after it */
};
/* Calls `answer` for every operation; of each CU in the order of its answers. Asked for before the first launch; NULL ends
 * it. Equal on model and rtl. */
typedef void (*weft_answer_function)(void *arg, const struct weft_answer *answer);
WEFT_API int weft_answers(struct weft *w, weft_answer_function answer, void *arg);

/* A name for an allocation of `count` elements, for people. */
WEFT_API int weft_name(struct weft *w, weft_address address, const char *name, uint64_t element,
                       uint64_t count);
struct weft_array {
  const char *name;
  weft_address address;
  uint64_t element, count;
};
WEFT_API bool weft_array_at(struct weft *w, size_t index, struct weft_array *array); /* false past the last */
/* "rank[17]", or a number: a physical address. bytes: of the element, 4 for a number. */
WEFT_API int weft_locate(struct weft *w, const char *text, uint64_t *physical, uint64_t *bytes);

/* The history of one address: everything that happens to its line, wherever in the machine. Asked for before the first
 * launch, with an address as for weft_locate(), which the launch finds. */
struct weft_explain_options {
  uint64_t from, until; /* cycles; until 0: to the end */
  uint64_t limit;       /* keep so many at most, the first ones; 0: 1000 */
};
WEFT_API int weft_explain(struct weft *w, const char *address, const struct weft_explain_options *options);

struct weft_happening {
  uint64_t cycle;
  unsigned node;
  int cu, warp;     /* -1: none */
  const char *unit; /* "l1", "l2", "home", "directory" */
  const char *what; /* one word for programs: "load-hit"; docs/seeing-inside.md lists them */
  bool word;        /* an operation on the very bytes that were asked for */
  char text[120];   /* for people */
};
struct weft_history_summary {
  uint64_t physical, line;                 /* the address, and that of its line */
  unsigned home;                           /* node */
  uint64_t loads, stores, atomics;         /* of the line */
  uint64_t word_reads, word_writes;        /* of the bytes that were asked for; an atomic is both */
  uint32_t readers, writers;               /* sets of nodes */
  uint64_t copies;                         /* installed in the L2s of other nodes */
  uint64_t invalidations, invalidated;     /* INVs sent; those that found a copy */
  uint64_t inv_cycles_min, inv_cycles_max; /* from the home's step to the copy's end; 0: there was none */
  uint64_t fetches, evictions;          /* from memory into the home's L2; out of any L2 for want of room */
  uint64_t first, last;                 /* cycles */
  uint64_t happenings, in_window, kept; /* all; between from and until; of those, the ones to be had */
};
/* WEFT_BAD_ADDRESS: the address never occurred; the message says which did. */
WEFT_API int weft_history_read(struct weft *w, struct weft_history_summary *summary);
WEFT_API bool weft_history_at(struct weft *w, size_t index, struct weft_happening *happening);

/* Ends the wave file before weft_close() does, and tells whether it is whole: WEFT_NO_DISK if it is not. */
WEFT_API int weft_wave_end(struct weft *w);

/* One packet as a link carried it. Links: number n is node n's to the switch, number nodes + n the switch's to node n. */
struct weft_packet {
  uint64_t cycle; /* in which it is put on the wire; of a FinePack packet, its last piece */
  unsigned link;
  const uint8_t *bytes; /* in the order of the wire: token, TLP, LCRC (docs/wire.md) */
  size_t count;         /* 0: the wire has no form for this message, such as a write with holes */
};
/* Calls `packet` for every packet of every link, in the order of cycles and then of links; equal on model and rtl where
 * their cycles are. Those of the latest cycle are held back until time has moved on: NULL hands them out and ends it. */
typedef void (*weft_packet_function)(void *arg, const struct weft_packet *packet);
WEFT_API int weft_capture(struct weft *w, weft_packet_function packet, void *arg);

/* One operation as a CU's port saw it. */
struct weft_operation {
  uint64_t issue; /* cycle */
  unsigned node, cu, warp;
  const char *op;     /* "load", "store", "atomic", "fence" */
  const char *detail; /* an atomic's function, else "" */
  const char *order, *scope;
  uint64_t physical;    /* address */
  unsigned bytes;       /* fence: 0 */
  const uint8_t *value; /* store: its bytes. atomic: operand, then the compare value of cas. Else NULL */
};
/* Calls `trace` for every operation, of each CU in the order of its port. NULL ends it. */
typedef void (*weft_trace_function)(void *arg, const struct weft_operation *operation);
WEFT_API int weft_trace(struct weft *w, weft_trace_function trace, void *arg);

#ifdef __cplusplus
}
#endif
#endif
