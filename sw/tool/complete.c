/* SPDX-License-Identifier: Apache-2.0 */
/* Completion for shells: `weft --complete WORD...` prints what may stand in place of the last word, which may be
 * empty: a candidate per line and, behind a tab, what it is. A line ":file" asks the shell for names of files.
 * A candidate that ends with '=' or ':' wants more behind it. The shells' own scripts (completion/) only call
 * this, so they never fall behind the tool. */
#include <stdlib.h>
#include <string.h>

#include "bench.h"
#include "fault_names.h"
#include "boards.h"
#include "shapes.h"

struct typed {
  const char *word; /* what there is of it */
  size_t length;
  const char *option; /* "--backend=" if it stands before the value in the same word, else "" */
  size_t option_length;
};

static void offer(const struct typed *t, const char *before, const char *name, const char *after,
                  const char *about)
{
  char candidate[128];
  snprintf(candidate, sizeof candidate, "%s%s%s", before, name, after);
  if (!strncmp(candidate, t->word, t->length))
    printf("%.*s%s\t%s\n", (int)t->option_length, t->option, candidate, about ? about : "");
}

/* ---- Values, by the name that help gives them -------------------------------------------------------- */

static void offer_boards(const struct typed *t)
{
  struct weft_board_found *boards = NULL;
  size_t count = 0;
  struct weft *w = weft_new();
  if (w && !weft_boards_find(w, &boards, &count))
    for (size_t i = 0; i < count; i++)
      offer(t, "usb:serial=", boards[i].serial, "", boards[i].product);
  free(boards);
  weft_free(w);
}

static void offer_backends(const struct typed *t)
{
  for (size_t i = 0; weft_backend_at(i); i++) {
    const char *backend = weft_backend_at(i);
    size_t length = strlen(backend);
    char before[64];
    snprintf(before, sizeof before, "%s:", backend);
    if (t->length <= length || strncmp(t->word, before, length + 1) != 0) {
      offer(t, "", before, "", weft_backend_about(backend));
      continue;
    }
    if (!strcmp(backend, "usb"))
      offer_boards(t);
    bool file = !strcmp(backend, "record") || !strcmp(backend, "replay"); /* no shell completes that */
    for (size_t c = 0; !file && strcmp(backend, "usb") != 0 && weft_config_at(c); c++)
      offer(t, before, weft_config_at(c), "", weft_config_about(weft_config_at(c)));
  }
}

static void offer_only_boards(const struct typed *t)
{
  offer(t, "", "usb:", "", weft_backend_about("usb"));
  offer_boards(t);
}

static void offer_configs(const struct typed *t)
{
  for (size_t i = 0; weft_config_at(i); i++)
    offer(t, "", weft_config_at(i), "", weft_config_about(weft_config_at(i)));
}

static void offer_workloads(const struct typed *t)
{
  struct weft_workload_info info;
  for (size_t i = 0; weft_workload_at(i, &info); i++)
    offer(t, "", info.name, "", info.about);
}

static void offer_protocols(const struct typed *t)
{
  for (size_t i = 0; weft_protocol_at(i); i++)
    offer(t, "", weft_protocol_at(i), "", weft_protocol_about(weft_protocol_at(i)));
}

static void offer_listed(const struct typed *t, const char *(*at)(size_t))
{
  for (size_t i = 0; at(i); i++)
    offer(t, "", at(i), "", NULL);
}

static void offer_egresses(const struct typed *t)
{
  offer_listed(t, weft_egress_at);
}

static void offer_placements(const struct typed *t)
{
  offer(t, "", "first-touch", "", "each page on the node that touches it first");
  offer(t, "", "interleaved", "", "page i on node i mod nodes");
  offer(t, "", "replicated", "", "a replica of every page on every node");
  offer(t, "", "fixed", ":", "all pages on one node");
}

static void offer_benches(const struct typed *t)
{
  for (size_t i = 0; bench_at(i); i++)
    offer(t, "", bench_at(i)->name, "", bench_at(i)->about);
}

static void offer_fronts(const struct typed *t)
{
  offer(t, "", "ft245", "", "FT232H, 245 synchronous FIFO");
  offer(t, "", "uart", "", "FT231X, 3 Mbaud");
}

static void offer_kinds(const struct typed *t)
{
  for (size_t i = 0; i < WEFT_VBOARD_KINDS; i++)
    offer(t, "", weft_vboard_fault_names[i].name, "", weft_vboard_fault_names[i].about);
}

static void offer_timings(const struct typed *t)
{
  offer(t, "", "exact", "", "cycles repeat exactly");
  offer(t, "", "free", "", "a board runs on");
}

static void offer_faults(const struct typed *t)
{
  for (unsigned i = 1; weft_fault_name(i); i++)
    offer(t, "", weft_fault_name(i), "", weft_fault_about(i));
}

static void offer_maps(const struct typed *t)
{
  offer_listed(t, weft_litmus_map_at);
}

static void offer_places(const struct typed *t)
{
  offer_listed(t, weft_litmus_place_at);
}

static void offer_oracles(const struct typed *t)
{
  offer_listed(t, weft_litmus_oracle_at);
}

static void offer_parameters(const struct typed *t)
{
  struct weft_parameter_info p;
  struct weft *w = weft_new();
  for (size_t i = 0; w && i < weft_parameter_total(); i++)
    if (!weft_parameter_at(w, i, &p))
      offer(t, "", p.name, "=", p.about);
  weft_free(w);
}

static void offer_shapes(const struct typed *t)
{
  for (size_t i = 0; weft_explore_shape_name(i); i++)
    offer(t, "", weft_explore_shape_name(i), "", weft_explore_shape_about(i));
}

static void offer_files(const struct typed *t)
{
  (void)t;
  puts(":file");
}

static const struct {
  const char *value; /* as the tables call it */
  void (*offer)(const struct typed *t);
} values[] = {
  { "BACKEND", offer_backends }, { "BOARD", offer_only_boards },  { "CONFIG", offer_configs },
  { "[CONFIG]", offer_configs }, { "WORKLOAD", offer_workloads }, { "P", offer_protocols },
  { "E", offer_egresses },       { "HOW", offer_placements },     { "T", offer_timings },
  { "FAULT", offer_faults },     { "FILE", offer_files },         { "FILE|DIR...", offer_files },
  { "MAP", offer_maps },         { "WHERE", offer_places },       { "PARAMETER=VALUE", offer_parameters },
  { "BENCH", offer_benches },    { "[SHAPE...]", offer_shapes },  { "ORACLE", offer_oracles },
  { "FRONT", offer_fronts },     { "KIND[:N]", offer_kinds },
};

/* The value named by the first `length` characters; nothing to offer for one that is not known, such as N. */
static void offer_value(const struct typed *t, const char *name, size_t length)
{
  for (size_t i = 0; i < sizeof values / sizeof *values; i++)
    if (strlen(values[i].value) == length && !strncmp(values[i].value, name, length))
      values[i].offer(t);
}

/* ---- Words ------------------------------------------------------------------------------------------- */

static void offer_options(const struct typed *t, const struct verb *verb)
{
  const struct option *o;
  for (size_t i = 0; (o = arguments_option_at(i)); i++)
    if (o->verbs & verb->bit)
      offer(t, "", o->name, "", o->about);
}

/* The option that a word begins with, up to its '='. */
static const struct option *option_of(const char *word, const struct verb *verb)
{
  const struct option *o;
  size_t length = strcspn(word, "=");
  for (size_t i = 0; (o = arguments_option_at(i)); i++) {
    bool named = strlen(o->name) == length && !strncmp(o->name, word, length);
    bool letter = o->letter && word[0] == '-' && word[1] == o->letter && !word[2];
    if ((o->verbs & verb->bit) && (named || letter))
      return o;
  }
  return NULL;
}

static bool wants_value(const char *word, const struct verb *verb)
{
  const struct option *o = word[0] == '-' && !strchr(word, '=') ? option_of(word, verb) : NULL;
  return o && o->value;
}

/* Is the word behind the verb, which is no option, there already? */
static bool has_name(const struct verb *verb, int words, char **word)
{
  for (int i = 1; i < words; i++) {
    if (wants_value(word[i], verb))
      i++;
    else if (word[i][0] != '-')
      return true;
  }
  return false;
}

static void complete_verb(const struct typed *t, const struct verb *const *verbs)
{
  for (size_t i = 0; verbs[i]; i++)
    offer(t, "", verbs[i]->name, "", verbs[i]->about);
  if (t->word[0] == '-') {
    offer(t, "", "--help", "", "what there is");
    offer(t, "", "--version", "", "of this tool");
    offer(t, "", "--man", "", "the manual page, for man -l -");
  }
}

/* --backend=mo */
static void complete_joined(const struct typed *t, const struct verb *verb)
{
  const struct option *o = option_of(t->word, verb);
  size_t length = strcspn(t->word, "=") + 1;
  struct typed value = { t->word + length, t->length - length, t->word, length };
  if (o && o->value)
    offer_value(&value, o->value, strlen(o->value));
}

/* word[0] is the verb, word[words] what is being typed. */
static void complete_argument(const struct typed *t, const struct verb *verb, int words, char **word)
{
  const char *before = word[words - 1];
  if (words > 1 && wants_value(before, verb)) {
    const char *value = option_of(before, verb)->value;
    offer_value(t, value, strlen(value));
  } else if (!strncmp(t->word, "--", 2) && strchr(t->word, '=')) {
    complete_joined(t, verb);
  } else if (t->word[0] != '-' && (verb->takes_names || (verb->takes_name && !has_name(verb, words, word)))) {
    offer_value(t, verb->synopsis, strcspn(verb->synopsis, " "));
  } else if (t->word[0] == '-' || !t->length) {
    offer_options(t, verb);
  }
}

/* Behind a verb's `--` stands another command, which may be one of ours. */
static bool complete_rest(const struct verb *const *verbs, const struct verb *verb, int words, char **word)
{
  int at = 1;
  while (at < words - 1 && strcmp(word[at], "--") != 0)
    at++;
  if (!verb->takes_rest || at >= words - 1)
    return false;
  const char *command = word[at + 1], *slash = strrchr(command, '/');
  if (at + 2 < words && !strcmp(slash ? slash + 1 : command, "weft"))
    complete(verbs, words - at - 2, word + at + 2);
  return true;
}

void complete(const struct verb *const *verbs, int words, char **word)
{
  if (!words)
    return;
  struct typed t = { word[words - 1], strlen(word[words - 1]), "", 0 };
  if (words == 1) {
    complete_verb(&t, verbs);
    return;
  }
  for (const struct verb *const *v = verbs; *v; v++)
    if (!strcmp(word[0], (*v)->name) && !complete_rest(verbs, *v, words, word))
      complete_argument(&t, *v, words - 1, word);
}
