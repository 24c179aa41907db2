/* SPDX-License-Identifier: Apache-2.0 */
/* fig5: what every operation came to, beside the paper's. */
#include <inttypes.h>
#include <string.h>

#include "tool.h"

static json_t *state_json(const struct weft_step_state *s)
{
  return json_pack("{s:I, s:I, s:I, s:I, s:I, s:s}", "wts", (json_int_t)s->wts, "rts", (json_int_t)s->rts,
                   "cts", (json_int_t)s->cts, "l2_cts", (json_int_t)s->l2_cts, "value", (json_int_t)s->value,
                   "level", s->level);
}

json_t *steps_json(const struct weft_workload_result *r)
{
  json_t *steps = json_array();
  for (size_t i = 0; i < r->step_count; i++) {
    const struct weft_step *s = &r->step[i];
    json_t *step = json_pack("{s:s, s:i, s:i, s:i, s:s, s:s}", "placement", s->placement, "cu", (int)s->cu,
                             "node", (int)s->node, "unit", (int)s->unit, "op", s->op, "block", s->block);
    json_t *is = state_json(&s->is);
    json_object_update(step, is);
    json_decref(is);
    json_object_set_new(step, "paper", state_json(&s->paper));
    json_array_append_new(steps, step);
  }
  return steps;
}

/* Of the last column nothing is printed behind the word. */
static void state_print(const struct weft_step_state *s, int level_width)
{
  char stamps[48];
  snprintf(stamps, sizeof stamps, "(%" PRIu64 ",%" PRIu64 ")", s->wts, s->rts);
  printf("%10s %4" PRIu64 " %4" PRIu64 " %6" PRIu64 "  %-*s", stamps, s->cts, s->l2_cts, s->value,
         level_width, s->level);
}

static bool differs(const struct weft_step_state *a, const struct weft_step_state *b)
{
  return a->wts != b->wts || a->rts != b->rts || a->cts != b->cts || a->l2_cts != b->l2_cts ||
         a->value != b->value || strcmp(a->level, b->level) != 0;
}

static void head_print(bool inter, bool causal)
{
  printf("  %-30s%10s%26s| the paper%s\n",
         inter ? "inter-GPU: CUs of two nodes" : "intra-GPU: two CUs of one node", "here", "",
         causal && inter ? "; the last lease: causal" : "");
  printf("  %-30s%10s %4s %4s %6s  %-7s| %10s %4s %4s %6s  %s\n", "", "(wts,rts)", "L1", "L2", "value",
         "from", "(wts,rts)", "L1", "L2", "value", "from");
}

void steps_print(const struct weft_workload_result *r, bool causal)
{
  const char *placement = "";
  for (size_t i = 0; i < r->step_count; i++) {
    const struct weft_step *s = &r->step[i];
    if (strcmp(placement, s->placement) != 0)
      head_print(!strcmp(s->placement, "inter"), causal);
    placement = s->placement;
    printf("  CU%u %-5s %s  node %2u CU %u     ", s->cu, s->op, s->block, s->node, s->unit);
    state_print(&s->is, 7);
    printf("| ");
    state_print(&s->paper, 0);
    puts(differs(&s->is, &s->paper) ? "  DIFFERS" : "");
    if (i + 1 == r->step_count || strcmp(placement, s[1].placement) != 0)
      putchar('\n');
  }
}
