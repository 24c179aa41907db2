/* SPDX-License-Identifier: Apache-2.0 */
/* fig5: the worked example of HALCONE (Figure 5, sections 3.2.3 and 3.2.4). Two CUs take turns at the blocks X and Y; every time stamp
 * must be the paper's: once with both CUs in one GPU, and once, on a machine fresh from reset, with one in each of two.
 *
 * A launch holds all of it, because its beginning and its end would drop the copies. Turns are taken on the host's side:
 * what passed through memory would have stamps too, and move the clocks. */
#include <inttypes.h>
#include <string.h>

#include "job.h"

#define STEPS 6u
#define BLOCK_BYTES 128u /* from X to Y: the longest line, so that they never share one */
#define BLOCKS 2u
#define WRITE_LEASE 5u
#define WAIT_INSTRUCTIONS 16u
#define WAITS_MOST 65536u /* then the other CU's operation is lost, and the back-end may find out */

enum { X, Y };
static const char *const block_names[] = { "X", "Y" };
static const unsigned read_lease[] = { 10, 7 };
static const uint32_t old_value[] = { 10, 20 };

/* The operations in the order of their turns, and what they come to. Of the last one that depends on where CU1 is. */
struct row {
  unsigned cu, block;
  bool write;
  struct weft_step_state paper;
};
static const struct row rows[STEPS] = {
  { 0, X, false, { .value = 10, .wts = 0, .rts = 10, .cts = 0, .l2_cts = 0, .level = "memory" } },
  { 1, Y, false, { .value = 20, .wts = 0, .rts = 7, .cts = 0, .l2_cts = 0, .level = "memory" } },
  { 0, Y, true, { .value = 21, .wts = 8, .rts = 12, .cts = 8, .l2_cts = 8, .level = "memory" } },
  { 1, X, true, { .value = 11, .wts = 11, .rts = 15, .cts = 11, .l2_cts = 11, .level = "memory" } },
  { 0, X, false, { .value = 10, .wts = 0, .rts = 10, .cts = 8, .l2_cts = 8, .level = "L1" } },
  { 1, Y, false, { .value = 21, .wts = 8, .rts = 12, .cts = 11, .l2_cts = 11, .level = "L2" } },
};

struct example {
  struct weft *w;
  weft_address block[2];
  struct {
    unsigned node, unit;
  } cu[2];
  unsigned turn;
  uint32_t value[STEPS]; /* read, or written */
  struct weft_answer answer[STEPS];
  unsigned answers;
  int code; /* of what the kernel asked of the library */
};

/* ---- On the machine ---------------------------------------------------------------------------------- */

/* A release of scope cta is a matter of the CU alone: it passes the time and touches no lease. */
static bool turn_comes(struct weft_warp *t, const struct example *e, unsigned step)
{
  for (unsigned waits = 0; e->turn != step; waits++) {
    if (e->code || waits == WAITS_MOST)
      return false;
    weft_compute(t, WAIT_INSTRUCTIONS);
    weft_fence(t, WEFT_RELEASE, WEFT_CTA);
  }
  return true;
}

static void operate(struct weft_warp *t, struct example *e, unsigned step)
{
  const struct row *row = &rows[step];
  e->code = weft_set_leases(e->w, read_lease[row->block], WRITE_LEASE);
  if (row->write) {
    e->value[step] = (uint32_t)row->paper.value;
    weft_store32(t, e->block[row->block], e->value[step]);
    weft_fence(t, WEFT_RELEASE, WEFT_CTA); /* until it is answered */
  } else {
    e->value[step] = weft_load32(t, e->block[row->block]);
  }
  e->turn = step + 1;
}

static void kernel(struct weft_warp *t, void *arg)
{
  struct example *e = arg;
  const struct weft_place *p = weft_where(t);
  for (unsigned step = 0; step < STEPS; step++) {
    unsigned cu = rows[step].cu;
    if (p->node != e->cu[cu].node || p->cu != e->cu[cu].unit || p->warp)
      continue;
    if (!turn_comes(t, e, step))
      return;
    operate(t, e, step);
  }
}

/* ---- What came of it --------------------------------------------------------------------------------- */

static void keep(void *arg, const struct weft_answer *answer)
{
  struct example *e = arg;
  if (strcmp(answer->op, "fence") != 0 && e->answers < STEPS)
    e->answer[e->answers++] = *answer;
}

static struct weft_step_state papers(unsigned step, bool inter, bool causal)
{
  struct weft_step_state s = rows[step].paper;
  if (step == 4 && !inter)
    s.l2_cts = 11; /* CU1's store has moved the clock that they share */
  if (step == 5 && inter) {
    s.rts = causal ? 18 : 19; /* 11, which CU1's clock says, or 12, where the last lease ends, and 7 */
    s.level = "memory";
  }
  return s;
}

/* The home's L2 counts as memory: it is where the blocks live. */
static const char *level_of(const char *level)
{
  return !strcmp(level, "l1") ? "L1" : !strcmp(level, "l2") ? "L2" : "memory";
}

static void report(struct weft_job *job, const struct example *e, bool inter)
{
  bool causal = !strcmp(job->machine.protocol, "halcone-causal");
  for (unsigned i = 0; i < e->answers; i++) {
    const struct weft_answer *a = &e->answer[i];
    struct weft_step *s = &job->result->step[job->result->step_count++];
    *s = (struct weft_step){
      .placement = inter ? "inter" : "intra",
      .cu = rows[i].cu,
      .node = a->node,
      .unit = a->cu,
      .op = strcmp(a->op, "store") != 0 ? "read" : "write",
      .block = block_names[rows[i].block],
      .is = { .value = e->value[i],
              .wts = a->wts,
              .rts = a->rts,
              .cts = a->l1_clock,
              .l2_cts = a->l2_clock,
              .level = level_of(a->level) },
      .paper = papers(i, inter, causal),
    };
  }
}

static bool equal(const struct weft_step_state *a, const struct weft_step_state *b)
{
  return a->value == b->value && a->wts == b->wts && a->rts == b->rts && a->cts == b->cts &&
         a->l2_cts == b->l2_cts && !strcmp(a->level, b->level);
}

static int compare(struct weft_job *job)
{
  const struct weft_workload_result *r = job->result;
  const struct weft_step *first = NULL;
  unsigned wrong = 0;
  for (size_t i = 0; i < r->step_count; i++)
    if (!equal(&r->step[i].is, &r->step[i].paper)) {
      first = wrong++ ? first : &r->step[i];
    }
  if (!wrong)
    return WEFT_OK;
  const struct weft_step_state *is = &first->is, *paper = &first->paper;
  return weft_fail(job->w, WEFT_WRONG_RESULT,
                   "fig5: %s-GPU, CU%u %ss %s: %" PRIu64 " at (%" PRIu64 ",%" PRIu64 "), clocks %" PRIu64
                   " and %" PRIu64 ", from %s\nthe paper has %" PRIu64 " at (%" PRIu64 ",%" PRIu64
                   "), clocks %" PRIu64 " and %" PRIu64 ", from %s; %u of %zu steps differ",
                   first->placement, first->cu, first->op, first->block, is->value, is->wts, is->rts, is->cts,
                   is->l2_cts, is->level, paper->value, paper->wts, paper->rts, paper->cts, paper->l2_cts,
                   paper->level, wrong, r->step_count);
}

/* ---- The two placements ------------------------------------------------------------------------------ */

/* X and Y are at node 0, or in its memory on the switch. CU1 is never there, so that its L2 is a cache for them. */
static void place_cus(struct example *e, const struct weft_machine *m, bool inter)
{
  e->cu[1].node = m->nodes - 1;
  e->cu[1].unit = inter ? 0 : 1;
  e->cu[0].node = m->nodes - 1 - inter;
  e->cu[0].unit = 0;
}

static int run_placed(struct weft_job *job, const weft_address block[2], bool inter)
{
  struct example e = { .w = job->w, .block = { block[X], block[Y] } };
  place_cus(&e, &job->machine, inter);
  int code = inter ? weft_reset(job->w) : WEFT_OK;
  for (unsigned b = 0; !code && b < BLOCKS; b++)
    code = weft_write(job->w, block[b], &old_value[b], sizeof old_value[b]);
  if (!code)
    code = weft_answers(job->w, keep, &e);
  if (!code)
    code = weft_job_launch(job, kernel, &e);
  report(job, &e, inter);
  if (!code)
    code = e.code;
  if (!code && (e.turn != STEPS || e.answers != STEPS))
    code = weft_fail(job->w, WEFT_WRONG_RESULT, "fig5: %u of %u steps were answered", e.answers, STEPS);
  for (unsigned b = 0; !code && b < BLOCKS; b++) {
    const uint32_t should = old_value[b] + 1;
    code = weft_job_compare(job, block_names[b], block[b], &should, 1, sizeof should);
  }
  return code;
}

static int check(struct weft_job *job)
{
  const struct weft_machine *m = &job->machine;
  uint64_t bits = 0;
  if (strncmp(m->protocol, "halcone-", 8) != 0)
    return weft_fail(job->w, WEFT_BAD_ARGUMENT,
                     "fig5 is about leases, and protocol %s has none; use halcone-weak or halcone-causal",
                     m->protocol);
  if (m->nodes < 2 || m->cus < 2)
    return weft_fail(
      job->w, WEFT_BAD_ARGUMENT,
      "fig5 needs two nodes with two CUs each, this machine has %u with %u; use model:quad or rtl:tiny",
      m->nodes, m->cus);
  if (job->size)
    return weft_fail(job->w, WEFT_BAD_ARGUMENT, "fig5 has one size; leave --size out");
  if (job->options->place)
    return weft_fail(job->w, WEFT_BAD_ARGUMENT, "fig5 places its blocks itself; leave --placement out");
  int code = weft_config_get(job->w, "lease.bits", &bits);
  if (!code && bits < 6)
    code = weft_fail(job->w, WEFT_BAD_ARGUMENT,
                     "fig5 counts further than lease.bits=%" PRIu64
                     " without starting time again; use 6 bits or more",
                     bits);
  return code;
}

static int run(struct weft_job *job)
{
  weft_address blocks;
  int code = check(job);
  if (!code)
    code = weft_alloc(job->w, (uint64_t)BLOCKS * BLOCK_BYTES, 0, &blocks);
  if (!code)
    code = weft_name(job->w, blocks, "XY", BLOCK_BYTES, BLOCKS);
  if (code)
    return code;
  const weft_address block[] = { blocks, blocks + BLOCK_BYTES };
  weft_job_say(job, "read leases X 10, Y 7, write lease 5");
  code = run_placed(job, block, false);
  if (!code)
    code = run_placed(job, block, true);
  return code ? code : compare(job);
}

const struct weft_workload weft_workload_fig5 = {
  { "fig5", "", "HALCONE's worked example, time stamp by time stamp, beside the paper's", "" }, run
};
