/* SPDX-License-Identifier: Apache-2.0 */
#include <inttypes.h>
#include <stdlib.h>
#include <string.h>

#include "episodes_out.h"

struct episodes_coverage episodes_coverage(const struct weft_episodes *e)
{
  struct episodes_coverage c = { 0, 0 };
  struct weft_transition t;
  for (size_t i = 0; weft_episodes_transition_at(e, i, &t); i++) {
    c.reachable += !t.why_not;
    c.covered += !t.why_not && t.count;
  }
  return c;
}

static json_t *place_json(const struct weft_episode_place *p)
{
  if (p->episode == WEFT_NO_EPISODE)
    return json_null();
  return json_pack("{s:I, s:i, s:i, s:i}", "episode", (json_int_t)p->episode, "node", (int)p->node, "cu",
                   (int)p->cu, "warp", (int)p->warp);
}

static json_t *hex_json(uint64_t value)
{
  char text[24];
  snprintf(text, sizeof text, "0x%" PRIx64, value);
  return json_string(text);
}

static json_t *failure_json(const struct weft_episode_failure *f)
{
  json_t *object = json_pack("{s:s, s:s}", "kind", f->kind, "text", f->text);
  json_t *readers = json_array();
  for (unsigned i = 0; i < f->readers_count; i++)
    json_array_append_new(readers, place_json(&f->readers[i]));
  if (object && f->bytes) {
    json_object_set_new(object, "at", place_json(&f->at));
    json_object_set_new(object, "issued", json_integer((json_int_t)f->issued));
    json_object_set_new(object, "cycle", json_integer((json_int_t)f->cycle));
    json_object_set_new(object, "address", hex_json(f->physical));
    json_object_set_new(object, "bytes", json_integer(f->bytes));
    json_object_set_new(object, "seen", hex_json(f->seen));
    json_object_set_new(object, "expected", hex_json(f->expected));
    json_object_set_new(object, "last_writer", place_json(&f->writer));
    json_object_set_new(object, "seen_of", place_json(&f->stale));
    json_object_set_new(object, "last_readers", json_incref(readers));
  }
  json_decref(readers);
  return object;
}

static json_t *failures_json(const struct weft_episodes *e)
{
  json_t *array = json_array();
  struct weft_episode_failure f;
  for (size_t i = 0; weft_episodes_failure_at(e, i, &f); i++)
    json_array_append_new(array, failure_json(&f));
  return array;
}

static json_t *coverage_json(const struct weft_episodes *e)
{
  struct episodes_coverage c = episodes_coverage(e);
  json_t *table = json_array();
  struct weft_transition t;
  for (size_t i = 0; weft_episodes_transition_at(e, i, &t); i++)
    json_array_append_new(table, json_pack("{s:s, s:s, s:s, s:I, s:b, s:s?}", "request", t.request, "state",
                                           t.state, "about", t.about, "count", (json_int_t)t.count,
                                           "reachable", !t.why_not, "why_not", t.why_not));
  return json_pack("{s:I, s:I, s:b, s:o}", "covered", (json_int_t)c.covered, "reachable",
                   (json_int_t)c.reachable, "complete", c.covered == c.reachable, "table", table);
}

/* Without the options that shrinking answers. */
static void add_words(char *text, const char *command)
{
  for (const char *at = command; *at;) {
    size_t length = strcspn(at, " ");
    bool own = !strncmp(at, "--count", 7) || !strncmp(at, "--keep", 6);
    bool flag = length == strlen("--shrink") && !strncmp(at, "--shrink", length);
    bool value = own && !memchr(at, '=', length);
    if (!own && !flag)
      snprintf(text + strlen(text), length + 2, "%s%.*s", *text ? " " : "", (int)length, at);
    at += length + strspn(at + length, " ");
    if (value) {
      at += strcspn(at, " ");
      at += strspn(at, " ");
    }
  }
}

char *episodes_again(const struct arguments *a, const struct episodes_result *r)
{
  const struct weft_episodes_shrunk *s = &r->shrunk;
  size_t room = 2 * strlen(a->command) + 64 + s->kept * 21;
  char *text = calloc(1, room);
  if (!text)
    return NULL;
  if (!s->runs) {
    snprintf(text, room, "%s", a->command);
    return text;
  }
  add_words(text, a->command);
  size_t used = strlen(text);
  used += (size_t)snprintf(text + used, room - used, " --count %" PRIu64 " --keep ", s->count);
  for (size_t i = 0; i < s->kept; i++)
    used += (size_t)snprintf(text + used, room - used, "%s%" PRIu64, i ? "," : "", s->keep[i]);
  return text;
}

static json_t *shrunk_json(const struct episodes_result *r)
{
  json_t *keep = json_array();
  char *program = weft_episodes_program(r->episodes);
  for (size_t i = 0; i < r->shrunk.kept; i++)
    json_array_append_new(keep, json_integer((json_int_t)r->shrunk.keep[i]));
  json_t *object = json_pack("{s:I, s:o, s:I, s:s?}", "count", (json_int_t)r->shrunk.count, "keep", keep,
                             "runs", (json_int_t)r->shrunk.runs, "program", program);
  free(program);
  return object;
}

json_t *episodes_json(struct weft *w, const struct arguments *a, const struct episodes_result *r)
{
  const struct weft_machine *m = &r->machine;
  struct weft_episodes_totals t;
  char *again = episodes_again(a, r);
  weft_episodes_totals(r->episodes, &t);
  json_t *object = json_pack(
    "{s:s, s:s, s:s, s:i, s:I, s:I, s:I, s:I, s:I, s:I, s:I, s:b, s:o, s:I, s:o, s:s?, s:f, s:o}", "backend",
    a->backend, "config", m->config, "protocol", m->protocol, "nodes", (int)m->nodes, "seed",
    (json_int_t)r->seed, "jitter", (json_int_t)r->jitter, "episodes", (json_int_t)t.episodes, "planned",
    (json_int_t)t.planned, "operations", (json_int_t)r->statistics.operations, "checks", (json_int_t)t.checks,
    "cycles", (json_int_t)r->statistics.cycles, "lockstep", m->lockstep && r->code != WEFT_MISMATCH,
    "failures", failures_json(r->episodes), "failures_total", (json_int_t)t.failures, "coverage",
    coverage_json(r->episodes), "again", again, "wall_seconds", r->statistics.wall_seconds, "provenance",
    json_provenance(a, m->hash));
  free(again);
  if (object && r->code)
    json_object_set_new(object, "error",
                        json_pack("{s:s, s:s}", "code", weft_code_name(r->code), "message", weft_message(w)));
  if (object && r->shrunk.runs)
    json_object_set_new(object, "shrunk", shrunk_json(r));
  return object;
}
