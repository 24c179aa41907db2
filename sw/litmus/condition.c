/* SPDX-License-Identifier: Apache-2.0 */
/* Conditions on final states: read, and asked. */
#include <stdlib.h>

#include "parse.h"

#define DEPTH 64

/* ---- Reading ----------------------------------------------------------------------------------------- */

static bool new_node(struct litmus_lexer *l, struct weft_litmus *t, enum litmus_node_kind kind, int first,
                     int second, int *node)
{
  if (!t->node)
    t->node = calloc(LITMUS_NODES, sizeof *t->node);
  if (!t->node)
    return weft_litmus_fail_memory(l);
  if (t->nodes == LITMUS_NODES)
    return litmus_fail(l, "a condition of more than %d parts", LITMUS_NODES);
  *node = t->nodes++;
  t->node[*node] = (struct litmus_node){ .kind = kind, .first = first, .second = second };
  return true;
}

static bool observe(struct litmus_lexer *l, struct weft_litmus *t, int thread, unsigned index,
                    unsigned element, unsigned *which)
{
  for (unsigned i = 0; i < t->observed_count; i++) {
    const struct litmus_observed *o = &t->observed[i];
    if (o->thread == thread && o->index == index && o->element == element) {
      *which = i;
      return true;
    }
  }
  if (!weft_litmus_grow((void **)&t->observed, &t->observed_room, t->observed_count, sizeof *t->observed))
    return weft_litmus_fail_memory(l);
  *which = t->observed_count++;
  t->observed[*which] = (struct litmus_observed){ thread, index, element };
  return true;
}

/* x, [x], *x, x[1] */
static bool read_place(struct litmus_lexer *l, struct weft_litmus *t, unsigned *index, int64_t *element)
{
  bool bracket = weft_litmus_take(l, "[");
  *element = 0;
  weft_litmus_take(l, "*");
  if (!weft_litmus_location(l, t, index) || (bracket && !weft_litmus_expect(l, "]")))
    return false;
  if (!bracket && weft_litmus_take(l, "[") &&
      (!weft_litmus_integer(l, element) || !weft_litmus_expect(l, "]")))
    return false;
  if (*element < 0 || *element >= t->location[*index].count)
    return litmus_fail(l, "%s has %u elements", t->location[*index].name, t->location[*index].count);
  return !l->code;
}

static bool read_observed(struct litmus_lexer *l, struct weft_litmus *t, unsigned *which)
{
  unsigned thread, index;
  int64_t element;
  if (weft_litmus_at_register(l, &thread))
    return weft_litmus_next(l) && weft_litmus_expect(l, ":") && weft_litmus_register(l, t, thread, &index) &&
           observe(l, t, (int)thread, index, 0, which);
  return read_place(l, t, &index, &element) && observe(l, t, -1, index, (unsigned)element, which);
}

/* In herd's dialects a location on the right is its address; in PTX, which has no such values, what it holds. */
static bool read_side(struct litmus_lexer *l, struct weft_litmus *t, bool right, struct litmus_side *side)
{
  unsigned thread;
  int64_t element;
  struct litmus_operand *c = &side->constant;
  *side = (struct litmus_side){ .constant = { .kind = LITMUS_VALUE } };
  bool reg = weft_litmus_at_register(l, &thread);
  if (!reg && (l->kind == LITMUS_NUMBER || weft_litmus_is(l, "-") || weft_litmus_is(l, "+")))
    return weft_litmus_integer(l, &c->value);
  if (reg || !((right && t->dialect == LITMUS_RISCV) || weft_litmus_is(l, "&"))) {
    side->observed = true;
    return read_observed(l, t, &side->index);
  }
  weft_litmus_take(l, "&");
  if (!read_place(l, t, &c->index, &element))
    return false;
  c->kind = LITMUS_ADDRESS;
  c->value = litmus_pointer(c->index, (uint64_t)element * weft_litmus_element_bytes(t, c->index));
  return true;
}

static bool read_compare(struct litmus_lexer *l, struct weft_litmus *t, int *node)
{
  static const struct {
    const char *sign;
    enum litmus_alu compare;
  } signs[] = { { "=", LITMUS_EQ }, { "==", LITMUS_EQ }, { "!=", LITMUS_NE }, { "<", LITMUS_LT },
                { ">", LITMUS_GT }, { "<=", LITMUS_LE }, { ">=", LITMUS_GE } };
  struct litmus_side left, right;
  size_t i = 0;
  if (!read_side(l, t, false, &left))
    return false;
  while (i < sizeof signs / sizeof *signs && !weft_litmus_is(l, signs[i].sign))
    i++;
  if (i == sizeof signs / sizeof *signs)
    return litmus_fail(l, "a comparison such as '=' is needed, not %s", weft_litmus_shown(l));
  if (!weft_litmus_next(l) || !read_side(l, t, true, &right) || !new_node(l, t, LITMUS_COMPARE, 0, 0, node))
    return false;
  t->node[*node].compare = signs[i].compare;
  t->node[*node].left = left;
  t->node[*node].right = right;
  return true;
}

static bool read_implied(struct litmus_lexer *l, struct weft_litmus *t, unsigned depth, int *node);

static bool read_part(struct litmus_lexer *l, struct weft_litmus *t, unsigned depth, int *node)
{
  int inner;
  if (depth > DEPTH)
    return litmus_fail(l, "a condition nested more than %d deep", DEPTH);
  if (weft_litmus_take(l, "~") || weft_litmus_take(l, "not"))
    return read_part(l, t, depth + 1, &inner) && new_node(l, t, LITMUS_NOT, inner, 0, node);
  if (weft_litmus_take(l, "("))
    return read_implied(l, t, depth + 1, node) && weft_litmus_expect(l, ")");
  if (weft_litmus_take(l, "true"))
    return new_node(l, t, LITMUS_CONST, 1, 0, node);
  if (weft_litmus_take(l, "false"))
    return new_node(l, t, LITMUS_CONST, 0, 0, node);
  return read_compare(l, t, node);
}

static bool read_both(struct litmus_lexer *l, struct weft_litmus *t, unsigned depth, int *node)
{
  int second = -1;
  if (!read_part(l, t, depth, node))
    return false;
  while (weft_litmus_take(l, "/\\"))
    if (!read_part(l, t, depth, &second) || !new_node(l, t, LITMUS_BOTH, *node, second, node))
      return false;
  return !l->code;
}

static bool read_either(struct litmus_lexer *l, struct weft_litmus *t, unsigned depth, int *node)
{
  int second = -1;
  if (!read_both(l, t, depth, node))
    return false;
  while (weft_litmus_take(l, "\\/"))
    if (!read_both(l, t, depth, &second) || !new_node(l, t, LITMUS_EITHER, *node, second, node))
      return false;
  return !l->code;
}

static bool read_implied(struct litmus_lexer *l, struct weft_litmus *t, unsigned depth, int *node)
{
  int second = -1;
  if (!read_either(l, t, depth, node))
    return false;
  if (!weft_litmus_take(l, "=>"))
    return !l->code;
  return read_implied(l, t, depth + 1, &second) && new_node(l, t, LITMUS_IMPLIES, *node, second, node);
}

bool weft_litmus_read_condition(struct litmus_lexer *l, struct weft_litmus *t, int *root)
{
  return read_implied(l, t, 0, root);
}

bool weft_litmus_read_locations(struct litmus_lexer *l, struct weft_litmus *t)
{
  unsigned which;
  if (!weft_litmus_expect(l, "["))
    return false;
  while (!weft_litmus_is(l, "]")) {
    if (weft_litmus_take(l, ";"))
      continue;
    if (!read_observed(l, t, &which) || (!weft_litmus_is(l, "]") && !weft_litmus_expect(l, ";")))
      return false;
  }
  return weft_litmus_next(l);
}

/* ---- Asking ------------------------------------------------------------------------------------------ */

/* A 32-bit value that was extended by its sign equals the same bits written without one. */
static bool same(int64_t a, int64_t b)
{
  bool narrow = (a >= INT32_MIN && a <= (int64_t)UINT32_MAX) && (b >= INT32_MIN && b <= (int64_t)UINT32_MAX);
  return a == b || (narrow && (uint32_t)a == (uint32_t)b);
}

static bool compare(enum litmus_alu how, int64_t a, int64_t b)
{
  switch (how) {
  case LITMUS_EQ:
    return same(a, b);
  case LITMUS_NE:
    return !same(a, b);
  case LITMUS_LT:
    return a < b;
  case LITMUS_GT:
    return a > b;
  case LITMUS_LE:
    return a <= b;
  default:
    return a >= b;
  }
}

bool weft_litmus_meets(const struct weft_litmus *t, int node, const int64_t *values)
{
  const struct litmus_node *n = &t->node[node];
  switch (n->kind) {
  case LITMUS_CONST:
    return n->first;
  case LITMUS_NOT:
    return !weft_litmus_meets(t, n->first, values);
  case LITMUS_BOTH:
    return weft_litmus_meets(t, n->first, values) && weft_litmus_meets(t, n->second, values);
  case LITMUS_EITHER:
    return weft_litmus_meets(t, n->first, values) || weft_litmus_meets(t, n->second, values);
  case LITMUS_IMPLIES:
    return !weft_litmus_meets(t, n->first, values) || weft_litmus_meets(t, n->second, values);
  default:
    return compare(n->compare, n->left.observed ? values[n->left.index] : n->left.constant.value,
                   n->right.observed ? values[n->right.index] : n->right.constant.value);
  }
}
