/* SPDX-License-Identifier: Apache-2.0 */
/* The command line: one table of options, from which parsing, help, manual page and completion are made. */
#include <ctype.h>
#include <errno.h>
#include <stddef.h>
#include <stdlib.h>
#include <string.h>

#include "tool.h"

#define TO(member) offsetof(struct arguments, member)
static const struct option options[] = {
  { "--backend", 'b', TEXT, TO(backend), "BACKEND",
    "where to run: model:CONFIG, rtl:CONFIG, null:CONFIG or usb:[serial=S]",
    VERB_MACHINES | VERB_INFO | VERB_BENCH },
  { "--backend", 'b', TEXT, TO(backend), "BOARD",
    "which board: usb:[serial=S]; `weft list` names them (the only one that is there)", VERB_BOARDS },
  { "--protocol", 0, TEXT, TO(protocol), "P", "coherence protocol (baseline); `weft list` names them",
    VERB_MACHINES | VERB_SELFTEST | VERB_INFO | VERB_CONFIG | VERB_EXPLORE },
  { "--egress", 0, TEXT, TO(egress), "E",
    "how stores get to peers' replicas: plain, finepack, bulk, infinite (plain)", VERB_MACHINES },
  { "--placement", 0, TEXT, TO(placement), "HOW",
    "pages: first-touch, interleaved, replicated, or fixed:NODE (first-touch)", VERB_RUNS },
  { "--nodes", 0, NUMBER, TO(nodes), "N", "short for --set nodes=N; explore: at most so many, 2 or 3 (3)",
    VERB_MACHINES | VERB_INFO | VERB_CONFIG | VERB_EXPLORE },
  { "--set", 0, SET, 0, "PARAMETER=VALUE", "change a parameter; may be repeated; `weft config` lists them",
    VERB_MACHINES | VERB_INFO | VERB_CONFIG | VERB_BENCH },
  { "--seed", 0, NUMBER, TO(seed), "N", "of input, program, random delays and faults (1)",
    VERB_MACHINES | VERB_BENCH | VERB_VBOARD },
  { "--size", 0, NUMBER, TO(size), "N",
    "how much of it; what N counts is in `weft list`; bench board: operations of a warp",
    VERB_RUNS | VERB_BENCH },
  { "--iterations", 0, NUMBER, TO(iterations), "N", "of a workload that iterates", VERB_RUNS },
  { "--eager", 0, FLAG, TO(eager), NULL,
    "pagerank: store a vertex's share as soon as it is known, not in a phase of its own", VERB_RUNS },
  { "--launches", 0, FLAG, TO(launches), NULL,
    "a kernel per step, as GPU programs have it, not one kernel with barriers", VERB_RUNS },
  { "--dispatch", 0, NUMBER, TO(dispatch), "N",
    "cycles from the beginning of one warp of a node to the next one's (0: all at once)", VERB_RUNS },
  { "--store", 0, NUMBER, TO(store), "N", "goodput: bytes of a store (8)", VERB_RUNS },
  { "--stride", 0, NUMBER, TO(stride), "N", "goodput: bytes from one store to the next (128)", VERB_RUNS },
  { "--graph", 0, TEXT, TO(graph), "FILE",
    "pagerank, sssp, als, bfs: Matrix Market, or uniform:VERTICES,PERCENT (R-MAT)", VERB_RUNS },
  { "--pattern", 0, TEXT, TO(pattern), "FILE", "spatter: a Spatter JSON file; else a built-in set",
    VERB_RUNS },
  { "--file", 0, TEXT, TO(file), "FILE", "trace: lines of `node cu op scope address size [value [compare]]`",
    VERB_RUNS },
  { "--timing", 0, TEXT, TO(timing), "T",
    "exact, or free, which lets a board run on (exact; bench board: both)", VERB_MACHINES | VERB_BENCH },
  { "--no-lockstep", 0, FLAG, TO(no_lockstep), NULL, "rtl: do not run the model beside it", VERB_MACHINES },
  { "--wave", 0, TEXT, TO(wave), "FILE",
    "rtl: write an FST wave file, and views for GTKWave and Surfer beside it", VERB_RUN },
  { "--wave-from", 0, NUMBER, TO(wave_from), "CYCLE", "with --wave: the first cycle (0)", VERB_RUN },
  { "--wave-to", 0, NUMBER, TO(wave_to), "CYCLE", "with --wave: the last cycle (the run's)", VERB_RUN },
  { "--trace-out", 0, TEXT, TO(trace_out), "FILE",
    "write every operation, in the format that `run trace` reads", VERB_RUN },
  { "--sample", 0, NUMBER, TO(sample), "N", "counters every N cycles, as samples[] of the JSON", VERB_RUN },
  { "--latency", 0, FLAG, TO(latency), NULL,
    "how long operations, units and messages take, as latency{} of the JSON", VERB_RUN },
  { "--address", 0, TEXT, TO(address), "A", "ARRAY[INDEX] of the workload, or a physical address",
    VERB_EXPLAIN },
  { "--from", 0, NUMBER, TO(from), "CYCLE", "show what happens from here on (0)", VERB_EXPLAIN },
  { "--until", 0, NUMBER, TO(until), "CYCLE", "and up to here (the end)", VERB_EXPLAIN },
  { "--limit", 0, NUMBER, TO(limit), "N",
    "explain: so many happenings at most (1000); explore: states per placement (10000000)",
    VERB_EXPLAIN | VERB_EXPLORE },
  { "--link", 0, NUMBER, TO(link), "N",
    "only one link: N is node N's to the switch, nodes + N the switch's to node N (all)", VERB_CAPTURE },
  { "--slots", 0, NUMBER, TO(slots), "N", "messages of one class between two nodes, 1 or 2 (1)",
    VERB_EXPLORE },
  { "--drops", 0, NUMBER, TO(drops), "N", "copies that caches replace out of the blue, per run (1)",
    VERB_EXPLORE },
  { "--tight", 0, FLAG, TO(tight), NULL, "caches of one line per L1 and two per L2, instead of --drops",
    VERB_EXPLORE },
  { "--leases", 0, TEXT, TO(leases), "R,W", "halcone: ticks of a read's and of a write's lease (3,2)",
    VERB_EXPLORE },
  { "--rebase", 0, NUMBER, TO(rebase), "N",
    "halcone: times of four bits that overflow after N steps of a home, 1 to 3", VERB_EXPLORE },
  { "--stop", 0, FLAG, TO(stop), NULL, "leave a shape at its first violation or deadlock", VERB_EXPLORE },
  { "--no-reduction", 0, FLAG, TO(no_reduction), NULL, "also all orders of steps that commute",
    VERB_EXPLORE },
  { "--jobs", 'j', NUMBER, TO(jobs), "N", "placements, or runs, at a time (as many as the machine has cores)",
    VERB_EXPLORE | VERB_BENCH },
  { "--count", 0, NUMBER, TO(count), "N", "so many episodes (5000); top: rounds", VERB_EPISODES | VERB_TOP },
  { "--shrink", 0, FLAG, TO(shrink), NULL, "after a failure: look for fewer episodes that still fail",
    VERB_EPISODES },
  { "--keep", 0, TEXT, TO(keep), "NUMBERS",
    "only these episodes load and store, the others only synchronise: 3,17,204", VERB_EPISODES },
  { "--fault", 0, TEXT, TO(fault), "FAULT",
    "build a known fault in, by name or number (`weft list --faults`)",
    VERB_MACHINES | VERB_SELFTEST | VERB_EXPLORE },
  { "--jitter", 0, NUMBER, TO(jitter), "N",
    "model, rtl: hold streams back at random, per mille of cycles (0; litmus, episodes: 300)",
    VERB_MACHINES },
  { "--noise", 0, NUMBER, TO(noise), "N",
    "rtl: every link's wire errs at random, per million of cycles: bits turned, beats lost or late",
    VERB_MACHINES },
  { "--cut", 0, TEXT, TO(cut), "CUT", "rtl: a link's wire carries nothing for a while: LINK@CYCLE+COUNT",
    VERB_MACHINES },
  { "--patience", 0, NUMBER, TO(patience), "N", "cycles without progress after which a run ends (100000)",
    VERB_MACHINES },
  { "--runs", 0, NUMBER, TO(runs), "N", "how often each test is run (1000)", VERB_LITMUS },
  { "--map", 0, TEXT, TO(map), "MAP",
    "what plain RISC-V accesses are: relaxed or weak (relaxed; halcone-causal: weak)", VERB_LITMUS },
  { "--place", 0, TEXT, TO(place), "WHERE",
    "of threads: file, mixed, random, spread, one-gpu or one-cta (file)", VERB_LITMUS },
  { "--expected", 0, TEXT, TO(expected), "FILE", "a table of results, lines of `file,0` or `file,1`",
    VERB_LITMUS },
  { "--oracle", 0, TEXT, TO(oracle), "ORACLE",
    "who else judges: sc (every interleaving of the threads), none, auto: sc on halcone-causal (auto)",
    VERB_LITMUS },
  { "--only", 0, TEXT, TO(only), "NAMES", "some of its workloads: ATAX,PR", VERB_BENCH },
  { "--fresh", 0, FLAG, TO(fresh), NULL, "compute everything anew, also what is kept", VERB_BENCH },
  { "--shard", 0, TEXT, TO(shard), "I/N", "only part I of N of the runs, for a cluster's jobs", VERB_BENCH },
  { "--cache", 0, TEXT, TO(cache), "FOLDER", "where runs are kept (build/bench/cache)", VERB_BENCH },
  { "--front", 0, TEXT, TO(front), "FRONT", "the chip at the board's pins: ft245 or uart (ft245)",
    VERB_VBOARD },
  { "--serial", 0, TEXT, TO(serial), "NAME", "the device's serial number (VIRTUAL)", VERB_VBOARD },
  { "--config", 0, TEXT, TO(config), "CONFIG", "what the board is made of (ulx3s)",
    VERB_VBOARD | VERB_BENCH },
  { "--fault", 0, LIST, 0, "KIND[:N]", "a fault of board or wire; may be repeated", VERB_VBOARD },
  { "--quick", 0, FLAG, TO(quick), NULL, "less of everything: seconds", VERB_SELFTEST },
  { "--flash", 0, FLAG, TO(flash), NULL, "into the flash, so that it stays when power goes", VERB_PROGRAM },
  { "--storage", 0, FLAG, TO(storage), NULL, "what the protocol's tracker costs in bits", VERB_CONFIG },
  { "--faults", 0, FLAG, TO(faults), NULL, "also the faults that RTL can be told to have", VERB_LIST },
  { "--output", 'o', TEXT, TO(output), "FILE",
    "write the JSON (capture: the packets; vboard: its figures) there; the file appears whole or not at all",
    VERB_ALL },
  { "--json", 0, FLAG, TO(json), NULL, "one JSON object on standard output, nothing else",
    VERB_ALL & ~VERB_VBOARD },
  { "--help", 'h', FLAG, TO(help), NULL, "this text", VERB_ALL },
};
#define OPTIONS (sizeof options / sizeof *options)

const struct option *arguments_option_at(size_t index)
{
  return index < OPTIONS ? &options[index] : NULL;
}

/* ---- Parsing ----------------------------------------------------------------------------------------- */

static int parse_number(const char *name, const char *text, uint64_t *value)
{
  char *end;
  errno = 0;
  *value = strtoull(text, &end, 0);
  if (!isdigit((unsigned char)text[0]) || *end || errno)
    return complain(EXIT_USE, "%s %s: a whole number is needed, such as %s 4", name, text, name);
  bool zero = !strcmp(name, "--jitter") || !strcmp(name, "--noise") || !strcmp(name, "--from") ||
              !strcmp(name, "--drops") || !strcmp(name, "--wave-from") || !strcmp(name, "--link") ||
              !strcmp(name, "--dispatch");
  if (!*value && !zero)
    return complain(EXIT_USE, "%s 0: use at least 1", name);
  return -1;
}

static int add_set(struct arguments *a, const char *assignment)
{
  if (a->sets == SETS_MAX)
    return complain(EXIT_USE, "more than %d times --set", SETS_MAX);
  a->set[a->sets++] = assignment;
  return -1;
}

static int assign(struct arguments *a, const struct option *o, const char *value)
{
  char *member = (char *)a + o->offset;
  switch (o->kind) {
  case FLAG:
    *(bool *)(void *)member = true;
    return -1;
  case NUMBER:
    return parse_number(o->name, value, (uint64_t *)(void *)member);
  case SET:
    return add_set(a, value);
  case LIST:
    a->names[a->name_count++] = value;
    return -1;
  default:
    *(const char **)(void *)member = value;
    return -1;
  }
}

static bool is_called(const struct option *o, const char *word, size_t length)
{
  return (strlen(o->name) == length && !strncmp(o->name, word, length)) ||
         (o->letter && length == 2 && word[0] == '-' && word[1] == o->letter);
}

/* The verb's own; else another verb's of that name, to tell the user. */
static const struct option *find(const struct verb *verb, const char *word, size_t length)
{
  const struct option *found = NULL;
  for (size_t i = 0; i < OPTIONS; i++)
    if (is_called(&options[i], word, length) && (!found || options[i].verbs & verb->bit))
      found = &options[i];
  return found;
}

/* One option; *at is its place and becomes that of its value. */
static int parse_option(struct arguments *a, int argc, char **argv, int *at)
{
  const char *word = argv[*at], *equals = strncmp(word, "--", 2) ? NULL : strchr(word, '=');
  size_t length = equals ? (size_t)(equals - word) : strlen(word);
  const struct option *o = find(a->verb, word, length);
  if (!o)
    return complain(EXIT_USE, "there is no option '%.*s'; see `weft %s --help`", (int)length, word,
                    a->verb->name);
  if (!(o->verbs & a->verb->bit))
    return complain(EXIT_USE, "`weft %s` does not take %s; see `weft %s --help`", a->verb->name, o->name,
                    a->verb->name);
  if (o->kind == FLAG && equals)
    return complain(EXIT_USE, "%s takes no value", o->name);
  const char *value = equals ? equals + 1 : NULL;
  if (o->kind != FLAG && !value) {
    if (*at + 1 >= argc)
      return complain(EXIT_USE, "%s needs a value: %s %s", o->name, o->name, o->value);
    value = argv[++*at];
  }
  return assign(a, o, value);
}

static int parse_words(struct arguments *a, int argc, char **argv)
{
  for (int i = 2; i < argc; i++) {
    int code = -1;
    if (a->verb->takes_rest && !strcmp(argv[i], "--")) {
      a->rest = argv + i + 1;
      return -1;
    }
    if (argv[i][0] == '-' && argv[i][1])
      code = parse_option(a, argc, argv, &i);
    else if (a->verb->takes_names)
      a->names[a->name_count++] = argv[i];
    else if (!a->verb->takes_name || a->name)
      code = complain(EXIT_USE, "'%s' is one word too many; see `weft %s --help`", argv[i], a->verb->name);
    else
      a->name = argv[i];
    if (code >= 0)
      return code;
  }
  return -1;
}

/* ---- The command, for whoever wants to repeat it ----------------------------------------------------- */

static bool plain(const char *word)
{
  for (const char *c = word; *c; c++)
    if (!isalnum((unsigned char)*c) && !strchr("-_./:=,+@%", *c))
      return false;
  return *word;
}

/* Each character of a word takes at most four. */
static char *quote_all(int argc, char **argv)
{
  size_t size = 8;
  for (int i = 1; i < argc; i++)
    size += 4 * strlen(argv[i]) + 3;
  char *text = malloc(size), *at = text;
  if (!text)
    return NULL;
  at += sprintf(at, "weft");
  for (int i = 1; i < argc; i++) {
    *at++ = ' ';
    if (plain(argv[i])) {
      at += sprintf(at, "%s", argv[i]);
      continue;
    }
    *at++ = '\'';
    for (const char *c = argv[i]; *c; c++)
      at += *c == '\'' ? sprintf(at, "'\\''") : sprintf(at, "%c", *c);
    *at++ = '\'';
  }
  *at = 0;
  return text;
}

/* --nodes N is --set nodes=N, said before the others. */
static bool put_nodes_first(struct arguments *a)
{
  if (!a->nodes)
    return true;
  char *text = malloc(32);
  if (!text)
    return false;
  snprintf(text, 32, "nodes=%llu", (unsigned long long)a->nodes);
  memmove(a->set + 1, a->set, a->sets * sizeof *a->set);
  a->set[0] = text;
  a->sets++;
  return true;
}

int arguments_parse(struct arguments *a, int argc, char **argv, const struct verb *const *verbs)
{
  memset(a, 0, sizeof *a);
  a->jitter = NOT_SAID;
  a->drops = 1;
  a->link = NOT_SAID;
  a->names = calloc((size_t)argc, sizeof *a->names);
  if (!a->names)
    return complain(EXIT_LACKS, "out of memory");
  for (; *verbs; verbs++)
    if (!strcmp(argv[1], (*verbs)->name))
      a->verb = *verbs;
  if (!a->verb)
    return complain(EXIT_USE, "there is no verb '%s'; see `weft --help`", argv[1]);
  int code = parse_words(a, argc, argv);
  if (code >= 0)
    return code;
  a->command = quote_all(argc, argv);
  if (!a->command || !put_nodes_first(a))
    return complain(EXIT_LACKS, "out of memory");
  return -1;
}

void arguments_free(struct arguments *a)
{
  if (a->nodes && a->sets)
    free((char *)(uintptr_t)a->set[0]);
  free(a->names);
  free(a->command);
}
