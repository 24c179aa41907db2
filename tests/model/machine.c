/* SPDX-License-Identifier: Apache-2.0 */
#include "machine.h"

#include "packetizer.h"
#include "replacement.h"

/* ---------------------------------------------------------------- queues */

static struct queue *queues(size_t count, size_t stride)
{
  struct queue *q = calloc(count, sizeof *q);
  assert_non_null(q);
  for (size_t i = 0; i < count; i++)
    q[i].stride = stride;
  return q;
}

static void queues_free(struct queue *q, size_t count)
{
  for (size_t i = 0; i < count; i++)
    free(q[i].slots);
  free(q);
}

static void push(struct queue *q, const void *message)
{
  if (q->head + q->count == q->capacity) {
    if (q->head)
      memmove(q->slots, q->slots + q->head * q->stride, q->count * q->stride);
    q->head = 0;
    q->capacity = 2 * q->count + 8;
    q->slots = realloc(q->slots, q->capacity * q->stride);
    assert_non_null(q->slots);
  }
  memcpy(q->slots + (q->head + q->count++) * q->stride, message, q->stride);
}

static const void *front(const struct queue *q)
{
  return q->count ? q->slots + q->head * q->stride : NULL;
}

static void pop(struct queue *q)
{
  q->head++;
  q->count--;
}

/* ---------------------------------------------------------------- life */

static void *array(size_t count, size_t size)
{
  void *a = calloc(count, size);
  assert_non_null(a);
  return a;
}

struct machine *machine_new(const struct weft_config *config, uint8_t protocol, uint64_t seed)
{
  struct machine *m = array(1, sizeof *m);
  m->config = *config;
  m->nodes = (unsigned)config->nodes;
  m->cus = (unsigned)config->cus;
  m->banks = (unsigned)config->l2_banks;
  m->line = (unsigned)config->line;
  m->random = seed * UINT64_C(0x9e3779b97f4a7c15) + 1;
  size_t ports = (size_t)m->nodes * m->cus, homes = (size_t)m->nodes * m->banks, pairs = homes * m->nodes;
  m->l1 = array(ports, sizeof *m->l1);
  m->l2 = array(homes, sizeof *m->l2);
  m->memory = array(m->nodes, sizeof *m->memory);
  for (unsigned i = 0; i < ports; i++) {
    m->l1[i] = array(1, weft_l1_size(config));
    weft_l1_reset(m->l1[i], config, protocol, i % m->cus);
  }
  for (unsigned i = 0; i < homes; i++) {
    m->l2[i] = array(1, weft_l2_size(config, protocol));
    weft_l2_reset(m->l2[i], config, protocol, i / m->banks, i % m->banks);
  }
  for (unsigned n = 0; n < m->nodes; n++) {
    m->memory[n] = array(1, weft_memory_size(config));
    weft_memory_reset(m->memory[n], config, n, true);
  }
  m->request = queues(pairs, sizeof(struct weft_req));
  m->forward = queues(pairs, sizeof(struct weft_fwd));
  m->response = queues(pairs, sizeof(struct weft_rsp));
  m->to_l2 = queues(ports * m->banks, sizeof(struct weft_l1_req));
  m->to_l1 = queues(ports * m->banks, sizeof(struct weft_l1_rsp));
  m->from_memory = queues(homes, sizeof(struct weft_mem_rsp));
  m->ops = queues(ports, sizeof(struct weft_cu_req));
  m->seq_l1 = array(ports, sizeof *m->seq_l1);
  m->seq_l2 = array(homes, sizeof *m->seq_l2);
  m->seq_dir = array(homes, sizeof *m->seq_dir);
  m->seq_link = array(2 * (size_t)m->nodes, sizeof *m->seq_link);
  return m;
}

void machine_free(struct machine *m)
{
  size_t ports = (size_t)m->nodes * m->cus, homes = (size_t)m->nodes * m->banks, pairs = homes * m->nodes;
  for (size_t i = 0; i < ports; i++)
    free(m->l1[i]);
  for (size_t i = 0; i < homes; i++)
    free(m->l2[i]);
  for (unsigned n = 0; n < m->nodes; n++)
    free(m->memory[n]);
  queues_free(m->request, pairs);
  queues_free(m->forward, pairs);
  queues_free(m->response, pairs);
  queues_free(m->to_l2, ports * m->banks);
  queues_free(m->to_l1, ports * m->banks);
  queues_free(m->from_memory, homes);
  queues_free(m->ops, ports);
  free(m->l1);
  free(m->l2);
  free(m->memory);
  free(m->seq_l1);
  free(m->seq_l2);
  free(m->seq_dir);
  free(m->seq_link);
  free(m);
}

/* ---------------------------------------------------------------- sending */

static size_t pair(const struct machine *m, unsigned src, unsigned dst, unsigned bank)
{
  return ((size_t)src * m->nodes + dst) * m->banks + bank;
}

static size_t wire(const struct machine *m, unsigned node, unsigned cu, unsigned bank)
{
  return ((size_t)node * m->cus + cu) * m->banks + bank;
}

static unsigned bank_of(const struct machine *m, uint64_t address)
{
  return (unsigned)(address >> 12) & (m->banks - 1);
}

static void show_link(struct machine *m, unsigned link, unsigned class, unsigned kind, unsigned src,
                      unsigned dst, unsigned bytes)
{
  struct weft_link_event e = { .valid = 1,
                               .seq = m->seq_link[link]++,
                               .class = (uint8_t)class,
                               .kind = (uint8_t)kind,
                               .src = (uint8_t)src,
                               .dst = (uint8_t)dst,
                               .bytes = (uint8_t)bytes };
  if (m->watcher.link)
    m->watcher.link(m->watcher.context, link, &e);
}

static void cross(struct machine *m, unsigned class, unsigned kind, unsigned src, unsigned dst,
                  unsigned bytes)
{
  show_link(m, src, class, kind, src, dst, bytes);
  show_link(m, m->nodes + dst, class, kind, src, dst, bytes);
}

/* A WRITE leaves its node as one for each run of bytes. */
static void leave(struct machine *m, unsigned node, unsigned bank, const struct weft_req *r)
{
  struct weft_req run = *r;
  uint32_t from = 0;
  bool is_write = r->kind == WEFT_REQ_KIND_WRITE;
  while (!is_write || weft_next_plain(r, m->line, &from, &run)) {
    run.wide = is_write ? 0 : r->wide;
    push(&m->request[pair(m, node, r->dst, bank)], &run);
    cross(m, WEFT_LINK_REQUEST, r->kind, node, r->dst, weft_link_cost_req(&run));
    if (!is_write)
      return;
  }
}

static void send_l2(struct machine *m, unsigned node, unsigned bank, const struct weft_l2_event *e)
{
  struct weft_fwd f;
  struct weft_mem_rsp answer = { 0 };
  if (e->sent_req)
    leave(m, node, bank, &e->out_req);
  if (e->sent_rsp) {
    push(&m->response[pair(m, node, e->out_rsp.dst, bank)], &e->out_rsp);
    cross(m, WEFT_LINK_RESPONSE, e->out_rsp.kind, node, e->out_rsp.dst,
          weft_link_cost_rsp(&e->out_rsp, m->line));
  }
  while (weft_l2_pop_forward(m->l2[node * m->banks + bank], &f)) {
    push(&m->forward[pair(m, node, f.dst, bank)], &f);
    cross(m, WEFT_LINK_FORWARD, f.kind, node, f.dst, weft_link_cost_fwd(&f));
  }
  if (e->sent_l1)
    push(&m->to_l1[wire(m, node, e->out_l1.cu, bank)], &e->out_l1);
  if (e->sent_mem) {
    assert_null(weft_memory_step(m->memory[node], &e->out_mem, &answer));
    if (!e->out_mem.write)
      push(&m->from_memory[node * m->banks + bank], &answer);
  }
}

/* ---------------------------------------------------------------- L1 events */

static unsigned draw(struct machine *m, unsigned below)
{
  return (unsigned)((test_random(&m->random) >> 33) % below);
}

/* Performs an event if it is possible now. */
static bool try_l1(struct machine *m, unsigned node, unsigned cu, struct weft_l1_event *e)
{
  unsigned index = node * m->cus + cu;
  struct weft_cu_req order_and_scope = e->cu;
  if (weft_l1_refuses(m->l1[index], e))
    return false;
  assert_null(weft_l1_step(m->l1[index], e, e));
  e->cu = order_and_scope; /* fence_done leaves its fence there */
  e->valid = 1;
  e->seq = m->seq_l1[index]++;
  if (m->watcher.l1)
    m->watcher.l1(m->watcher.context, node, cu, e);
  if (e->sent)
    push(&m->to_l2[wire(m, node, cu, bank_of(m, e->out.address))], &e->out);
  if (e->answered) {
    m->answered++;
    if (m->watcher.answered)
      m->watcher.answered(m->watcher.context, node, cu, &e->done);
  }
  return true;
}

static bool l1_op(struct machine *m, unsigned node, unsigned cu)
{
  struct queue *q = &m->ops[node * m->cus + cu];
  const struct weft_cu_req *r = front(q);
  if (!r)
    return false;
  struct weft_l1_event e = { .kind = WEFT_L1_EVENT_KIND_OP, .cu = *r };
  if (weft_l1_refuses(m->l1[node * m->cus + cu], &e))
    return false;
  pop(q); /* before the event: its answer may make the host issue more */
  if (m->watcher.issued)
    m->watcher.issued(m->watcher.context, node, cu, &e.cu);
  return try_l1(m, node, cu, &e);
}

static bool step_l1(struct machine *m, unsigned node, unsigned cu)
{
  struct weft_l1_event e = { .kind = (uint8_t)draw(m, 5),
                             .warp = (uint8_t)draw(m, (unsigned)m->config.warps) };
  if (e.kind == WEFT_L1_EVENT_KIND_OP)
    return l1_op(m, node, cu);
  if (e.kind != WEFT_L1_EVENT_KIND_RESPONSE)
    return try_l1(m, node, cu, &e);
  struct queue *q = &m->to_l1[wire(m, node, cu, draw(m, m->banks))];
  const struct weft_l1_rsp *r = front(q);
  if (!r)
    return false;
  e.rsp = *r;
  if (!try_l1(m, node, cu, &e))
    return false;
  pop(q);
  return true;
}

/* ---------------------------------------------------------------- L2 events */

static bool try_l2(struct machine *m, unsigned node, unsigned bank, struct weft_l2_event *in)
{
  unsigned index = node * m->banks + bank;
  struct weft_dir_event dir = { 0 };
  if (weft_l2_refuses(m->l2[index], in))
    return false;
  struct weft_l2_event out = *in;
  assert_null(weft_l2_step(m->l2[index], in, &out, &dir));
  if (in->kind == WEFT_L2_EVENT_KIND_FLUSH)
    out.way = in->way;
  out.valid = 1;
  out.seq = m->seq_l2[index]++;
  if (dir.valid)
    dir.seq = m->seq_dir[index]++;
  if (m->watcher.l2)
    m->watcher.l2(m->watcher.context, node, bank, &out, &dir);
  send_l2(m, node, bank, &out);
  return true;
}

static bool l2_cu(struct machine *m, unsigned node, unsigned bank)
{
  struct queue *q = &m->to_l2[wire(m, node, draw(m, m->cus), bank)];
  const struct weft_l1_req *r = front(q);
  if (!r)
    return false;
  struct weft_l2_event e = { .kind = WEFT_L2_EVENT_KIND_CU, .order = r->order, .scope = r->scope };
  e.req = (struct weft_req){ .kind = r->kind,
                             .src = (uint8_t)node,
                             .dst = (uint8_t)(r->address >> 36),
                             .cu = r->cu,
                             .id = r->id,
                             .func = r->func,
                             .wide = r->wide,
                             .address = r->address,
                             .mask = { r->mask[0], r->mask[1] } };
  memcpy(e.req.data, r->data, m->line);
  if (!try_l2(m, node, bank, &e))
    return false;
  pop(q);
  return true;
}

static bool l2_message(struct machine *m, unsigned node, unsigned bank, uint8_t kind)
{
  struct queue *queues_of[] = { [WEFT_L2_EVENT_KIND_REQUEST] = m->request,
                                [WEFT_L2_EVENT_KIND_INV] = m->forward,
                                [WEFT_L2_EVENT_KIND_MARK] = m->forward,
                                [WEFT_L2_EVENT_KIND_RESPONSE] = m->response };
  struct queue *q = &queues_of[kind][pair(m, draw(m, m->nodes), node, bank)];
  struct weft_l2_event e = { .kind = kind };
  if (!front(q))
    return false;
  if (kind == WEFT_L2_EVENT_KIND_REQUEST)
    memcpy(&e.req, front(q), sizeof e.req);
  else if (kind == WEFT_L2_EVENT_KIND_RESPONSE)
    memcpy(&e.rsp, front(q), sizeof e.rsp);
  else
    memcpy(&e.fwd, front(q), sizeof e.fwd);
  if (!try_l2(m, node, bank, &e))
    return false;
  pop(q);
  while (m->l2[node * m->banks + bank]->block_next) { /* the other lines of its block likewise */
    e.index++;
    assert_true(try_l2(m, node, bank, &e));
  }
  if (m->l2[node * m->banks + bank]->half_full) { /* its second half comes before the next forward */
    e.kind = WEFT_L2_EVENT_KIND_SEEN;
    assert_true(try_l2(m, node, bank, &e));
  }
  return true;
}

static bool l2_memory(struct machine *m, unsigned node, unsigned bank)
{
  struct queue *q = &m->from_memory[node * m->banks + bank];
  const struct weft_mem_rsp *r = front(q);
  if (!r)
    return false;
  struct weft_l2_event e = { .kind = WEFT_L2_EVENT_KIND_MEMORY, .index = r->id };
  memcpy(e.rsp.data, r->data, m->line);
  if (!try_l2(m, node, bank, &e))
    return false;
  pop(q);
  return true;
}

static bool step_l2(struct machine *m, unsigned node, unsigned bank)
{
  struct weft_l2_event e = { .kind = (uint8_t)draw(m, WEFT_L2_EVENT_KIND_FLUSH) };
  switch (e.kind) {
  case WEFT_L2_EVENT_KIND_CU:
    return l2_cu(m, node, bank);
  case WEFT_L2_EVENT_KIND_MEMORY:
    return l2_memory(m, node, bank);
  case WEFT_L2_EVENT_KIND_REQUEST:
  case WEFT_L2_EVENT_KIND_INV:
  case WEFT_L2_EVENT_KIND_MARK:
  case WEFT_L2_EVENT_KIND_RESPONSE:
    return l2_message(m, node, bank, e.kind);
  case WEFT_L2_EVENT_KIND_SEEN:
    return false; /* follows its mark */
  default:
    return try_l2(m, node, bank, &e);
  }
}

/* ---------------------------------------------------------------- running */

void machine_issue(struct machine *m, unsigned node, unsigned cu, const struct weft_cu_req *r)
{
  push(&m->ops[node * m->cus + cu], r);
  m->issued++;
}

bool machine_step(struct machine *m)
{
  unsigned units = m->nodes * (m->cus + m->banks);
  for (unsigned tries = 0; tries < 400 * units; tries++) {
    unsigned unit = draw(m, units), node = unit / (m->cus + m->banks), part = unit % (m->cus + m->banks);
    if (part < m->cus ? step_l1(m, node, part) : step_l2(m, node, part - m->cus)) {
      m->steps++;
      return true;
    }
  }
  return false;
}

void machine_run(struct machine *m)
{
  while (machine_step(m))
    ;
  for (unsigned i = 0; i < m->nodes * m->cus; i++)
    assert_true(weft_l1_idle(m->l1[i]));
  for (unsigned i = 0; i < m->nodes * m->banks; i++)
    assert_true(weft_l2_idle(m->l2[i]));
  assert_int_equal(m->answered, m->issued);
}

void machine_flush(struct machine *m)
{
  for (unsigned i = 0; i < m->nodes * m->banks; i++)
    for (unsigned set = 0; set < m->config.l2_sets; set++)
      for (unsigned way = 0; way < m->config.l2_ways; way++) {
        struct weft_l2_event e = { .kind = WEFT_L2_EVENT_KIND_FLUSH, .way = (uint8_t)way };
        e.req.address = set;
        assert_true(try_l2(m, i / m->banks, i % m->banks, &e));
      }
}
