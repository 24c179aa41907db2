/* SPDX-License-Identifier: Apache-2.0 */
/* Whether a sequentially consistent machine could have ended so: some interleaving of the threads, each in the order of
 * its program, has every load read what it read and leaves the variables as they are. */
#include "atomic.h"
#include "judge.h"

struct walk {
  const struct weft_explore_shape *shape;
  const struct explore_outcome *outcome;
  unsigned at[EXPLORE_THREADS];
  uint32_t variable[EXPLORE_VARIABLES];
};

static uint32_t reg_value(const struct walk *w, int reg)
{
  return reg < 0 ? 0 : w->outcome->reg[reg];
}

/* Does the operation; false: it would have read something else. */
static bool perform(struct walk *w, const struct explore_op *op)
{
  uint32_t *variable = &w->variable[op->variable], old = *variable;
  uint32_t operand = explore_wide(op->value) + reg_value(w, op->plus);
  if (op->kind == WEFT_CU_OP_FENCE)
    return true;
  if (op->kind == WEFT_CU_OP_STORE)
    *variable = operand;
  if (op->kind == WEFT_CU_OP_ATOMIC)
    *variable = (uint32_t)weft_atomic(op->func, false, old, operand, explore_wide(op->compare));
  return op->result < 0 || old == w->outcome->reg[op->result];
}

static bool explains(const struct walk *w)
{
  bool over = true;
  for (unsigned t = 0; t < w->shape->threads; t++) {
    if (w->at[t] == w->shape->count[t])
      continue;
    struct walk next = *w;
    unsigned i = next.at[t]++;
    bool skipped = w->outcome->skipped >> 8 * t & 1U << i;
    over = false;
    if ((skipped || perform(&next, &w->shape->op[t][i])) && explains(&next))
      return true;
  }
  return over && !memcmp(w->variable, w->outcome->variable, sizeof w->variable);
}

const char *weft_explore_judge_sequential(const struct weft_explore_shape *shape,
                                          const struct explore_outcome *outcome)
{
  struct walk w = { .shape = shape, .outcome = outcome };
  return explains(&w) ? NULL : "not sequentially consistent: no interleaving of the threads ends so";
}
