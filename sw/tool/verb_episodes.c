/* SPDX-License-Identifier: Apache-2.0 */
#include <ctype.h>
#include <errno.h>
#include <inttypes.h>
#include <stdlib.h>
#include <string.h>
#include <weft/episodes.h>

#include "episodes_out.h"

#define JITTER_DEFAULT 300u

/* ---- --keep 3,17,204 --------------------------------------------------------------------------------- */

static int by_size(const void *a, const void *b)
{
  const uint64_t *one = a, *other = b;
  return (*one > *other) - (*one < *other);
}

static int parse_keep(const char *text, struct weft_episodes_options *o)
{
  if (!text)
    return -1;
  size_t room = 1;
  for (const char *c = text; *c; c++)
    room += *c == ',';
  uint64_t *keep = calloc(room, sizeof *keep);
  if (!keep)
    return complain(EXIT_LACKS, "out of memory");
  o->keep = keep;
  for (const char *at = text;; at++) {
    char *end;
    errno = 0;
    uint64_t number = strtoull(at, &end, 10);
    if (o->kept == room || !isdigit((unsigned char)*at) || errno || (*end && *end != ','))
      return complain(EXIT_USE,
                      "--keep %s: numbers of episodes with commas between are needed: --keep 3,17,204", text);
    keep[o->kept++] = number;
    at = end;
    if (!*at)
      break;
  }
  qsort(keep, o->kept, sizeof *keep, by_size);
  return -1;
}

/* ---- A run ------------------------------------------------------------------------------------------- */

static int report(struct session *s, const struct arguments *a, struct episodes_result *r, struct output *out)
{
  if (r->code)
    complain_library(s->w, r->code);
  weft_describe(s->w, &r->machine);
  weft_statistics_read(s->w, &r->statistics);
  int code = output_result(out, episodes_json(s->w, a, r), a->json);
  if (code < 0) {
    episodes_print(a, r);
    code = print_done();
  }
  return code ? code : weft_code_class(r->code);
}

static int run_open(struct session *s, const struct arguments *a, const struct weft_episodes_options *o,
                    struct output *out)
{
  struct episodes_result r = { .seed = a->seed ? a->seed : 1, .jitter = a->jitter };
  int code = weft_episodes_new(s->w, r.seed, &r.episodes);
  if (code)
    return complain_library(s->w, code);
  r.code = weft_episodes_run(r.episodes, o);
  if (weft_code_class(r.code) == 1 && a->shrink) {
    code = weft_episodes_shrink(r.episodes, o, 0, &r.shrunk);
    r.code = code ? code : r.code;
  }
  progress_close(&s->progress);
  code = weft_code_class(r.code) > 1 ? complain_library(s->w, r.code) : report(s, a, &r, out);
  free(r.shrunk.keep);
  weft_episodes_free(r.episodes);
  return code;
}

static int run(const struct arguments *typed)
{
  struct session s = { .w = weft_new() };
  struct output out = { 0 };
  struct arguments a = *typed;
  struct weft_episodes_options o = { .count = a.count };
  if (a.jitter == NOT_SAID)
    a.jitter = JITTER_DEFAULT;
  progress_open(&s.progress);
  int code = s.w ? parse_keep(a.keep, &o) : complain(EXIT_LACKS, "out of memory");
  if (code < 0 && !a.backend)
    code = complain(EXIT_USE, "episodes on what? name a back-end: weft episodes -b model:tiny");
  if (code < 0)
    code = output_open(&out, a.output);
  if (code < 0)
    code = session_open(&s, &a, NULL);
  if (code < 0)
    code = run_open(&s, &a, &o, &out);
  session_end(&s);
  output_discard(&out);
  free((uint64_t *)(uintptr_t)o.keep);
  return code;
}

const struct verb verb_episodes = {
  .name = "episodes",
  .synopsis = "-b BACKEND [options]",
  .about = "try to make a protocol go wrong, and count what its directories did",
  .teaches =
    "Runs a random program without data races that is made to break a coherence protocol: every warp goes through\n"
    "episodes of atomics, an acquire, loads and stores, a release and an atomic, with scopes cta, gpu and sys. A table\n"
    "of last writers says what each load must return. Small machines with small caches and random delays find most:\n"
    "model:tiny and rtl:tiny, and --nodes 4 or --set for other shapes. Exit code 1 and `failures[]` say what went\n"
    "wrong, a deadlock included. The table of transitions shows what the directories were made to do, and what cannot\n"
    "be (-) on this machine; one that is possible and missing is no failure, and is named.\n"
    "\n"
    "  weft episodes -b model:tiny --protocol baseline --count 5000\n"
    "  weft episodes -b model:tiny --nodes 4 --seed 7 --json\n"
    "  weft episodes -b model:tiny --protocol none --shrink    (no coherence: exit code 1)\n"
    "  weft episodes -b rtl:tiny --no-lockstep --fault l2_inv_keeps_fill --count 20000",
  .bit = VERB_EPISODES,
  .run = run,
};
