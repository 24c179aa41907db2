/* SPDX-License-Identifier: Apache-2.0 */
#include "stream.h"

/* ---------------------------------------------------------------- recording */

static struct record *append(struct stream *s, enum record_kind kind, unsigned node, unsigned index)
{
  if (s->count == s->capacity) {
    s->capacity = 2 * s->capacity + 64;
    s->records = realloc(s->records, s->capacity * sizeof *s->records);
    assert_non_null(s->records);
  }
  struct record *r = &s->records[s->count++];
  memset(r, 0, sizeof *r);
  r->kind = kind;
  r->node = node;
  r->index = index;
  return r;
}

static void on_l1(void *context, unsigned node, unsigned cu, const struct weft_l1_event *e)
{
  append(context, RECORD_L1, node, cu)->as.l1 = *e;
}

static void on_l2(void *context, unsigned node, unsigned bank, const struct weft_l2_event *e,
                  const struct weft_dir_event *dir)
{
  if (dir->valid)
    append(context, RECORD_DIR, node, bank)->as.dir = *dir;
  append(context, RECORD_L2, node, bank)->as.l2 = *e;
}

static void on_link(void *context, unsigned link, const struct weft_link_event *e)
{
  append(context, RECORD_LINK, link, 0)->as.link = *e;
}

static void on_issued(void *context, unsigned node, unsigned cu, const struct weft_cu_req *r)
{
  append(context, RECORD_ISSUED, node, cu)->as.issued = *r;
}

/* The port shows an answer in the cycle of the L1's event, and the host looks before the events come. */
static void on_answered(void *context, unsigned node, unsigned cu, const struct weft_cu_rsp *r)
{
  struct stream *s = context;
  struct record *answer = append(s, RECORD_ANSWERED, node, cu);
  answer->as.answered = *r;
  if (s->count & 1U) { /* so that both orders are met */
    struct record event = answer[-1];
    answer[-1] = *answer;
    *answer = event;
  }
}

static void random_op(struct machine *m, unsigned i)
{
  uint64_t bits = test_random(&m->random);
  uint64_t offset = (bits >> 12) % (2 * m->banks) * 4096 + (bits >> 28) % 8 * m->line;
  struct weft_cu_req r = { .op = (uint8_t)(bits & 3),
                           .warp = (uint8_t)(bits >> 2 & 1U),
                           .tag = (uint8_t)i,
                           .order = (uint8_t)((bits >> 3) % 5),
                           .scope = (uint8_t)((bits >> 40) % 3),
                           .func = (uint8_t)((bits >> 44) % 10),
                           .wide = (uint8_t)(bits >> 48 & 1U),
                           .attr = (uint8_t)(bits >> 49 & 15U),
                           .address = test_address((unsigned)(bits >> 20) % m->nodes, offset) };
  r.mask[0] = (bits >> 50 | 1 | (bits >> 33 & 1U) << 31) & weft_ones(m->line);
  if (r.op == WEFT_CU_OP_LOAD || r.op == WEFT_CU_OP_STORE)
    r.order &= 1U;
  if (bits >> 59 == 0)
    r.address = test_address(15, 0); /* an error now and then */
  for (unsigned k = 0; k < m->line; k++)
    r.data[k] = (uint8_t)test_random(&m->random);
  machine_issue(m, i % m->nodes, i / m->nodes % m->cus, &r);
}

struct stream *stream_record(const struct weft_config *config, unsigned ops, uint64_t seed)
{
  struct stream *s = calloc(1, sizeof *s);
  assert_non_null(s);
  s->config = *config;
  struct machine *m = machine_new(config, WEFT_PROTOCOL_BASELINE, seed);
  m->watcher = (struct machine_watcher){ s, on_l1, on_l2, on_link, on_issued, on_answered };
  for (unsigned i = 0; i < ops; i++)
    random_op(m, i);
  machine_run(m);
  machine_flush(m);
  s->memory = calloc(m->nodes, sizeof *s->memory);
  assert_non_null(s->memory);
  for (unsigned n = 0; n < m->nodes; n++) {
    s->memory[n] = malloc(config->memory_bytes);
    assert_non_null(s->memory[n]);
    memcpy(s->memory[n], m->memory[n]->data, config->memory_bytes);
  }
  machine_free(m);
  return s;
}

void stream_free(struct stream *s)
{
  for (unsigned n = 0; n < s->config.nodes; n++)
    free(s->memory[n]);
  free(s->memory);
  free(s->records);
  free(s);
}

/* ---------------------------------------------------------------- feeding */

static void feed(struct weft_lockstep *k, const struct record *r, uint64_t cycle, unsigned line)
{
  uint32_t words[512] = { 0 };
  struct weft_bits_out c = { .word = words, .line = line };
  switch (r->kind) {
  case RECORD_L1:
    weft_write_l1_event(&c, &r->as.l1);
    weft_lockstep_l1(k, r->node, r->index, cycle, words);
    break;
  case RECORD_L2:
    weft_write_l2_event(&c, &r->as.l2);
    weft_lockstep_l2(k, r->node, r->index, cycle, words);
    break;
  case RECORD_DIR:
    weft_write_dir_event(&c, &r->as.dir);
    weft_lockstep_dir(k, r->node, r->index, cycle, words);
    break;
  case RECORD_LINK:
    weft_write_link_event(&c, &r->as.link);
    weft_lockstep_link(k, r->node, cycle, words);
    break;
  case RECORD_ISSUED:
    weft_lockstep_issued(k, r->node, r->index, cycle, &r->as.issued);
    break;
  case RECORD_ANSWERED:
    weft_lockstep_answered(k, r->node, r->index, cycle, &r->as.answered);
    break;
  }
}

struct weft_lockstep *stream_feed(const struct stream *s, size_t count, size_t at,
                                  const struct record *change)
{
  struct weft_lockstep *k =
    weft_lockstep_new(&s->config, WEFT_PROTOCOL_BASELINE, false, STREAM_SEED, STREAM_COMMAND);
  assert_non_null(k);
  for (size_t i = 0; i < count; i++)
    feed(k, change && i == at ? change : &s->records[i], i, (unsigned)s->config.line);
  return k;
}
