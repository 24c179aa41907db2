/* SPDX-License-Identifier: Apache-2.0 */
/* Packets as the links carry them. The back-end shows every message that a link starts; here it gets the form that it
 * has on the wire (docs/wire.md), with the sequence number that its link gives it. */
#include <stdlib.h>

#include "frame.h"
#include "watch.h"

enum state { EMPTY, OPEN, WHOLE }; /* OPEN: a FinePack packet whose last chunk has not come */

struct sender {
  uint64_t cycle;
  unsigned sequence;
  enum state state;
  unsigned count; /* words behind the token so far; WHOLE: of the frame, 0 if the wire has no form for it */
  uint32_t words[WEFT_FRAME_WORDS_MAX];
};

struct weft_captor {
  weft_packet_function function;
  void *arg;
  unsigned links, line;
  uint64_t latest; /* the cycle of the frames that are held */
  uint8_t bytes[4U * WEFT_FRAME_WORDS_MAX];
  struct sender sender[];
};

struct weft_captor *weft_captor_new(const struct weft_config *config, weft_packet_function function,
                                    void *arg)
{
  unsigned links = 2U * (unsigned)config->nodes;
  struct weft_captor *c = calloc(1, sizeof *c + links * sizeof c->sender[0]);
  if (!c)
    return NULL;
  c->function = function;
  c->arg = arg;
  c->links = links;
  c->line = (unsigned)config->line;
  return c;
}

void weft_captor_free(struct weft_captor *c)
{
  free(c);
}

void weft_captor_restart(struct weft_captor *c)
{
  c->latest = 0;
  for (unsigned i = 0; i < c->links; i++) {
    c->sender[i].state = EMPTY;
    c->sender[i].sequence = 0;
  }
}

static void hand_out(struct weft_captor *c, unsigned link)
{
  struct sender *s = &c->sender[link];
  for (unsigned i = 0; i < s->count; i++)
    for (unsigned k = 0; k < 4; k++)
      c->bytes[4U * i + k] = (uint8_t)(s->words[i] >> (24U - 8U * k));
  struct weft_packet p = { .cycle = s->cycle, .link = link, .bytes = c->bytes, .count = 4U * s->count };
  s->state = EMPTY;
  c->function(c->arg, &p);
}

/* What became whole in one cycle goes out by the links' numbers: back-ends show it in orders of their own. */
void weft_captor_flush(struct weft_captor *c)
{
  for (unsigned i = 0; i < c->links; i++)
    if (c->sender[i].state == WHOLE)
      hand_out(c, i);
}

static const void *message_of(const struct weft_link_event *e)
{
  return e->class == WEFT_MSG_CLASS_REQUEST   ? (const void *)&e->req
         : e->class == WEFT_MSG_CLASS_FORWARD ? (const void *)&e->fwd
                                              : (const void *)&e->rsp;
}

static void close_frame(struct sender *s, bool formed)
{
  s->count = formed ? weft_frame_close(s->words, s->count, s->sequence) : 0;
  s->sequence = (s->sequence + 1U) & WEFT_SEQUENCE_MASK;
  s->state = WHOLE;
}

/* Words of the message behind those that are there; 0: it has no form, or not here. */
static unsigned append(struct weft_captor *c, struct sender *s, const struct weft_link_event *e)
{
  bool chunk = e->class == WEFT_MSG_CLASS_REQUEST && e->kind == WEFT_REQ_KIND_CHUNK;
  if (chunk != (s->state == OPEN))
    return 0;
  if (!chunk)
    s->count = 0;
  if (s->count + c->line / 4U > WEFT_TLP_WORDS_MAX)
    return 0;
  unsigned words =
    weft_tlp_encode((enum weft_link_class)e->class, message_of(e), c->line, s->words + 1 + s->count);
  s->count += words;
  return words;
}

void weft_captor_link(struct weft_captor *c, unsigned link, uint64_t cycle, const struct weft_link_event *e)
{
  struct sender *s = &c->sender[link];
  if (cycle != c->latest)
    weft_captor_flush(c);
  if (s->state == WHOLE)
    hand_out(c, link);
  c->latest = s->cycle = cycle;
  bool request = e->class == WEFT_MSG_CLASS_REQUEST;
  bool more = (request && e->kind == WEFT_REQ_KIND_PACKET) ||
              (request && e->kind == WEFT_REQ_KIND_CHUNK && !(e->req.id & 1U));
  if (!append(c, s, e))
    close_frame(s, false);
  else if (more)
    s->state = OPEN;
  else
    close_frame(s, true);
}

int weft_capture(struct weft *w, weft_packet_function function, void *arg)
{
  if (weft_need_open(w) || weft_watch_begin(w))
    return w->failure.code;
  struct weft_watch *o = w->watch;
  if (o->captor)
    weft_captor_flush(o->captor);
  weft_captor_free(o->captor);
  o->captor = function ? weft_captor_new(&w->config, function, arg) : NULL;
  weft_watch_update(w);
  return function && !o->captor ? weft_fail_memory(w) : WEFT_OK;
}
