/* SPDX-License-Identifier: Apache-2.0 */
/* What the files of the tool share. Of the library they use the public headers alone. */
#ifndef WEFT_TOOL_H
#define WEFT_TOOL_H

#include <jansson.h>
#include <stdbool.h>
#include <stdint.h>
#include <stdio.h>
#include <weft/litmus.h>
#include <weft/workload.h>

enum { EXIT_DONE = 0, EXIT_WRONG = 1, EXIT_USE = 2, EXIT_BACKEND = 3, EXIT_LACKS = 4 };

#define SETS_MAX 64

/* What was typed. A NULL or 0 member was not. */
struct arguments {
  const struct verb *verb;
  const char *name;   /* the word behind the verb: a workload, a configuration */
  const char **names; /* all of them, for a verb that takes many; owned */
  unsigned name_count;
  char **rest; /* what stands behind `--`, NULL at the end; NULL: there was none */
  const char *backend, *protocol, *egress, *cut, *placement, *timing;
  const char *graph, *pattern, *file, *wave, *trace_out, *output, *fault, *address, *map, *expected, *place,
    *oracle, *leases, *keep, *only, *shard, *cache, *front, *serial, *config;
  uint64_t nodes, seed, size, sample, jitter, noise, patience, iterations, wave_from, wave_to, from, until,
    limit, runs, count, jobs, slots, drops, link, store, stride, rebase, dispatch;
  const char *set[SETS_MAX + 2]; /* NULL at the end; room for --nodes */
  unsigned sets;
  bool json, no_lockstep, storage, faults, latency, shrink, tight, no_reduction, stop, fresh, eager, launches,
    quick, flash, help;
  char *command; /* all of it, quoted for a shell */
};

struct verb {
  const char *name;
  const char *synopsis; /* behind the verb */
  const char *about;    /* one line */
  const char *teaches;  /* paragraphs for --help */
  bool takes_name, takes_names, takes_rest;
  unsigned bit; /* of the options' tables */
  int (*run)(const struct arguments *a);
};

extern const struct verb verb_run, verb_explain, verb_capture, verb_litmus, verb_episodes, verb_explore,
  verb_bench, verb_list, verb_info, verb_config, verb_probe, verb_selftest, verb_reset, verb_top,
  verb_program, verb_vboard;
enum {
  VERB_RUN = 1,
  VERB_LIST = 2,
  VERB_INFO = 4,
  VERB_CONFIG = 8,
  VERB_EXPLAIN = 16,
  VERB_LITMUS = 32,
  VERB_EPISODES = 64,
  VERB_EXPLORE = 128,
  VERB_BENCH = 256,
  VERB_CAPTURE = 512,
  VERB_VBOARD = 1024,
  VERB_PROBE = 2048,
  VERB_SELFTEST = 4096,
  VERB_RESET = 8192,
  VERB_TOP = 16384,
  VERB_PROGRAM = 32768,
  VERB_ALL = 65535
};
#define VERB_RUNS (VERB_RUN | VERB_EXPLAIN | VERB_CAPTURE | VERB_TOP) /* those that run a workload */
#define VERB_BOARDS (VERB_PROBE | VERB_SELFTEST | VERB_RESET | VERB_PROGRAM)
#define VERB_MACHINES (VERB_RUNS | VERB_LITMUS | VERB_EPISODES) /* those that run anything on a machine */
#define NOT_SAID UINT64_MAX                                     /* of a number whose 0 means something */

/* arguments.c: an exit code, or -1 to go on */
int arguments_parse(struct arguments *a, int argc, char **argv, const struct verb *const *verbs);
void arguments_free(struct arguments *a);

/* A row of the table of options. What stands behind an option is named in capitals; completion knows some of
 * these names (complete.c). */
enum option_kind { TEXT, NUMBER, FLAG, SET, LIST };
struct option {
  const char *name;
  char letter; /* 0: none */
  enum option_kind kind;
  size_t offset;     /* in struct arguments */
  const char *value; /* "FILE"; NULL: none */
  const char *about;
  unsigned verbs;
};
const struct option *arguments_option_at(size_t index); /* NULL past the last */

/* help.c, manual.c: the same tables as text for a terminal and as a manual page */
extern const char help_title[], help_examples[], help_exit_codes[];
void help_overview(const struct verb *const *verbs);
void help_verb(const struct verb *verb);
void manual_page(const struct verb *const *verbs);

/* complete.c: what may stand where the last of the words stands; for shells */
void complete(const struct verb *const *verbs, int words, char **word);

/* complain.c: an error of at most three lines on standard error; returns the exit code */
int complain(int exit_code, const char *format, ...) WEFT_PRINTF(2, 3);
int complain_library(const struct weft *w, int code);

/* output.c: a file that appears whole or not at all */
struct output {
  const char *path;
  char *temporary; /* NULL: the path is no regular file and is written directly */
  FILE *file;
};
int output_open(struct output *o, const char *path); /* path NULL: nothing to do */
/* For a file that somebody else writes: under this name until output_close(). NULL: nothing to do. */
const char *output_name(const struct output *o);
int output_close(struct output *o); /* checks the disk, then renames */
void output_discard(struct output *o);
void output_catch_signals(void); /* once: an interrupted tool leaves no unfinished file behind */
int output_json(struct output *o, const json_t *object);
/* A verb's JSON: into its file, and to standard output if that was asked for. Takes the object, which may be NULL.
 * -1: people want to read something. */
int output_result(struct output *o, json_t *object, bool print);
/* Prints to standard output and finds out whether that worked. */
int print_json(const json_t *object);
int print_done(void);

/* json.c */
json_t *json_counters(struct weft *w, const uint64_t *values, const char *prefix);
json_t *json_provenance(const struct arguments *a, const char *hash);
json_t *json_names(const char *(*at)(size_t index));

/* progress.c: a line on a terminal that is written over; nothing elsewhere */
struct progress {
  bool on, shown;
};
void progress_open(struct progress *p);
void progress_show(void *progress, const struct weft_progress *state);
/* So many of so many are done; `what` and `where` are the last that was begun, or "". */
void progress_bar(struct progress *p, size_t done, size_t all, const char *what, const char *where);
void progress_close(struct progress *p);

/* wave_out.c: a wave file and its views */
struct wave_out {
  struct output fst, view, commands;
  char *view_path, *commands_path;
};
int wave_open(struct wave_out *o, const struct arguments *a); /* without --wave: nothing to do */
int wave_close(struct wave_out *o, struct weft *w,
               const struct arguments *a); /* after the run, before session_end() */
void wave_discard(struct wave_out *o);

/* session.c: a workload, a machine, and the way from one to the other; exit codes, or -1 to go on */
struct session {
  struct weft *w;
  struct weft_workload_info info;
  struct weft_workload_options options;
  struct progress progress;
};
int session_begin(struct session *s, const struct arguments *a);
int session_open(struct session *s, const struct arguments *a,
                 const struct wave_out *wave);                           /* wave may be NULL */
int session_run(struct session *s, struct weft_workload_result *result); /* the library's code */
void session_end(struct session *s);

/* Opens the back-end as the options say. */
int open_machine(struct weft *w, const struct arguments *a, struct progress *progress,
                 const struct wave_out *wave);

/* litmus_files.c: the files of a `litmus` command, and what a table expects of them; exit codes, or -1 to go on */
struct litmus_file {
  char *path;
  struct weft_litmus *test;
  int expected; /* 0 or 1; -1: the table does not say */
};
struct litmus_files {
  struct litmus_file *file;
  size_t count, room;
};
int litmus_files_find(struct litmus_files *f, const struct arguments *a);
int litmus_files_read(struct litmus_files *f, struct weft *w);
int litmus_files_expect(struct litmus_files *f, const char *path); /* path NULL: nothing to do */
void litmus_files_free(struct litmus_files *f);

/* samples.c: counters over time */
struct samples {
  struct weft *w;
  uint64_t every; /* cycles; grows when there are too many samples */
  size_t *index;  /* of the counters that are kept */
  size_t counters;
  uint64_t *cycle; /* [sample] */
  uint64_t *value; /* [sample * counters + counter] */
  size_t count;
};
bool samples_open(struct samples *s, struct weft *w, uint64_t every);
void samples_free(struct samples *s);
void samples_take(void *samples, uint64_t cycle, const uint64_t *values, size_t count);
json_t *samples_json(const struct samples *s);
void samples_print(const struct samples *s);
/* Values as bars of one line's height. */
void print_spark(const uint64_t *values, size_t count);

/* steps.c: fig5, step by step */
json_t *steps_json(const struct weft_workload_result *r);
/* causal: so are the numbers beside ours, by the rule that is not the paper's. */
void steps_print(const struct weft_workload_result *r, bool causal);

/* latencies.c */
json_t *latencies_json(struct weft *w);
void latencies_print(struct weft *w);

/* pcapng.c: packets in the format that Wireshark reads. What the disk thinks of it, output_close() finds out. */
#define PCAPNG_USER0 147 /* the link type: the first of those that are free for private use */
void pcapng_begin(FILE *file, const char *hardware, const char *application);
/* The interfaces' numbers follow from the order of these calls. speed: bits per second; a time's unit is 1 ns. */
void pcapng_interface(FILE *file, const char *name, const char *about, uint64_t speed);
/* A packet's bytes in two parts, one behind the other. */
void pcapng_packet(FILE *file, uint32_t interface, uint64_t nanoseconds, const uint8_t *head,
                   uint32_t head_bytes, const uint8_t *bytes, uint32_t count);

/* trace_out.c: operations in the format that `run trace` reads */
void trace_out(void *file, const struct weft_operation *operation);

/* summary.c: what `run` tells people */
struct run_result {
  struct weft_machine machine;
  struct weft_statistics statistics;
  struct weft_workload_result workload;
  uint64_t *counters;
  bool lockstep;
  int code;
  char message[2304];
};
void summary_print(struct weft *w, const struct arguments *a, const char *workload,
                   const struct run_result *r);

#endif
