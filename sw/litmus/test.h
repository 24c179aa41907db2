/* SPDX-License-Identifier: Apache-2.0 */
/* A litmus test as the parser leaves it and the interpreter runs it. Both dialects become the same few instructions:
 * accesses that are weak or relaxed, and fences beside them. */
#ifndef WEFT_LITMUS_TEST_H
#define WEFT_LITMUS_TEST_H

#include <weft/litmus.h>

#include "error.h"

#define LITMUS_THREADS 16
#define LITMUS_LOCATIONS 32
#define LITMUS_REGISTERS 64
#define LITMUS_NAME 64
#define LITMUS_INSTRUCTIONS 512 /* of one thread */
#define LITMUS_ELEMENTS 16      /* of an array */
#define LITMUS_NODES 1024       /* of a condition */

enum litmus_dialect { LITMUS_RISCV, LITMUS_PTX };

/* ---- Instructions ------------------------------------------------------------------------------------ */

enum litmus_operand_kind { LITMUS_NO_OPERAND, LITMUS_VALUE, LITMUS_REGISTER, LITMUS_ADDRESS };
struct litmus_operand {
  enum litmus_operand_kind kind;
  int64_t value;  /* LITMUS_VALUE; LITMUS_ADDRESS: an offset to it */
  unsigned index; /* of the register, or of the location whose address it is */
};

enum litmus_op {
  LITMUS_LOAD,        /* to = [a + offset] */
  LITMUS_STORE,       /* [a + offset] = b */
  LITMUS_RMW,         /* to = [a + offset], [a + offset] = func(it, b), c: what CAS compares with */
  LITMUS_RESERVE,     /* a load that a LITMUS_CONDITIONAL looks back to */
  LITMUS_CONDITIONAL, /* [a + offset] = b if it is as the reservation saw it; to = 0 if it was */
  LITMUS_FENCE,
  LITMUS_COMPUTE, /* to = a alu b */
  LITMUS_BRANCH,  /* to `target` if a alu b */
  LITMUS_BARRIER, /* a, b: which; c: how many must come, none: all that can */
};
enum litmus_alu {
  LITMUS_ADD,
  LITMUS_SUB,
  LITMUS_MUL,
  LITMUS_DIV,
  LITMUS_AND,
  LITMUS_OR,
  LITMUS_XOR,
  LITMUS_SLL,
  LITMUS_SRL,
  LITMUS_SRA,
  LITMUS_EQ,
  LITMUS_NE,
  LITMUS_LT,
  LITMUS_GE,
  LITMUS_LE,
  LITMUS_GT,
  LITMUS_LTU,
  LITMUS_GEU,
  LITMUS_LEU,
  LITMUS_GTU,
};
/* A fence of no order only waits for the thread's loads. LITMUS_SC is a release, then an acquire. */
enum litmus_fence { LITMUS_WAIT, LITMUS_ACQUIRE, LITMUS_RELEASE, LITMUS_ACQ_REL, LITMUS_SC };

struct litmus_instruction {
  enum litmus_op op;
  unsigned line; /* of the file */
  int to;        /* register, or -1 */
  struct litmus_operand a, b, c;
  int64_t offset;
  uint8_t bytes; /* access */
  bool sign;     /* a load's value is extended by its sign */
  bool plain;    /* the map decides whether it is weak or relaxed */
  uint8_t order; /* WEFT_WEAK or WEFT_RELAXED */
  uint8_t scope;
  uint8_t func; /* enum weft_function, litmus_alu or litmus_fence */
  bool word;    /* LITMUS_COMPUTE: of 32 bits, extended by the sign */
  bool arrives; /* LITMUS_BARRIER: does not wait */
  unsigned target;
};

struct litmus_label {
  char name[LITMUS_NAME];
  unsigned line, at;
  bool defined;
};

struct litmus_thread {
  bool placed;
  unsigned cta, gpu; /* as the file says */
  bool released;     /* while it is read: an access with .rl was there */
  struct litmus_instruction *code;
  unsigned count, room;
  struct litmus_label *label;
  unsigned labels, label_room;
  char reg[LITMUS_REGISTERS][LITMUS_NAME];
  struct litmus_operand start[LITMUS_REGISTERS]; /* value or address */
  unsigned regs;
};

/* ---- Locations, conditions --------------------------------------------------------------------------- */

struct litmus_location {
  char name[LITMUS_NAME];
  unsigned bytes; /* of an element; 0: not said */
  bool is_unsigned;
  unsigned count; /* of elements */
  struct litmus_operand start[LITMUS_ELEMENTS];
};

/* What a state is made of: a register at the thread's end, or a location at the end of all. */
struct litmus_observed {
  int thread; /* -1: a location */
  unsigned index, element;
};

enum litmus_node_kind {
  LITMUS_CONST,
  LITMUS_NOT,
  LITMUS_BOTH,
  LITMUS_EITHER,
  LITMUS_IMPLIES,
  LITMUS_COMPARE
};
struct litmus_side {
  bool observed; /* value: index of the test's observed[] */
  struct litmus_operand constant;
  unsigned index;
};
struct litmus_node {
  enum litmus_node_kind kind;
  int first, second; /* nodes; LITMUS_CONST: the first is 0 or 1 */
  enum litmus_alu compare;
  struct litmus_side left, right;
};

enum litmus_quantifier { LITMUS_EXISTS, LITMUS_NOT_EXISTS, LITMUS_FORALL };

/* ---- The test ---------------------------------------------------------------------------------------- */

struct litmus_states {
  int64_t *value; /* [state * observed + which] */
  struct weft_litmus_state *state;
  size_t count, room;
};

struct weft_litmus {
  enum litmus_dialect dialect;
  char *name;
  char reason[160]; /* why it cannot be expressed; "" */
  struct litmus_location location[LITMUS_LOCATIONS];
  unsigned locations;
  struct litmus_thread *thread;
  unsigned threads;
  bool placed; /* all threads are */
  bool barriers;
  unsigned width; /* bytes of a location whose type is not said */
  struct litmus_observed *observed;
  unsigned observed_count, observed_room;
  struct litmus_node *node;
  int nodes;
  int filter; /* node, or -1 */
  int condition;
  enum litmus_quantifier quantifier;
  /* Of the last run: */
  struct litmus_states states;
  char note[160];
};

struct weft_intern;

/* An address as a state has it: which location, and how far into it, whatever the run placed it. */
#define LITMUS_POINTER (INT64_C(1) << 62)
static inline int64_t litmus_pointer(unsigned location, uint64_t offset)
{
  return LITMUS_POINTER | (int64_t)location << 16 | (int64_t)offset;
}

/* ---- test.c ------------------------------------------------------------------------------------------ */

/* Cannot be expressed: the first reason stays. */
void weft_litmus_skip(struct weft_litmus *t, unsigned line, const char *format, ...) WEFT_PRINTF(3, 4);
int weft_litmus_location_find(const struct weft_litmus *t, const char *name); /* -1: none */
int weft_litmus_location_add(struct weft_litmus *t, const char *name);   /* finds or makes; -1: too many */
int weft_litmus_register_add(struct litmus_thread *t, const char *name); /* likewise */
/* An element of `size` bytes more; false when memory is out. */
bool weft_litmus_grow(void **array, unsigned *room, unsigned count, size_t size);
struct litmus_instruction *weft_litmus_emit(struct litmus_thread *t, enum litmus_op op, unsigned line);
unsigned weft_litmus_element_bytes(const struct weft_litmus *t, unsigned location);
unsigned weft_litmus_location_bytes(const struct weft_litmus *t, unsigned location);

/* ---- condition.c ------------------------------------------------------------------------------------- */

bool weft_litmus_meets(const struct weft_litmus *t, int node, const int64_t *values);

/* ---- states.c ---------------------------------------------------------------------------------------- */

void weft_litmus_states_clear(struct litmus_states *s);
bool weft_litmus_states_count(struct weft_litmus *t, const int64_t *values);
/* Marks those that the oracle has not, and counts them; before they are finished. */
size_t weft_litmus_states_compare(struct weft_litmus *t, const struct weft_intern *ends);
/* Texts, order and which of them meet the condition. */
bool weft_litmus_states_finish(struct weft_litmus *t);
char *weft_litmus_state_text(const struct weft_litmus *t,
                             const int64_t *values); /* NULL: memory, or nothing */

#endif
