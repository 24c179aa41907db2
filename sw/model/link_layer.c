/* SPDX-License-Identifier: Apache-2.0 */
#include "link_layer.h"

/* ---------------------------------------------------------------- receiver */

void weft_receiver_reset(struct weft_receiver *r, unsigned longest)
{
  memset(r, 0, sizeof *r);
  r->longest = (uint16_t)longest;
}

/* One Nak until the expected frame arrives: further ones would only make the sender begin anew. */
static void ask(struct weft_receiver *r)
{
  if (r->asked)
    return;
  r->asked = true;
  r->naks = (r->naks + 1U) & WEFT_LINK_NAK_MASK;
  r->count.naks++;
}

static void broken(struct weft_receiver *r)
{
  r->want = 0;
  r->count.broken++;
  ask(r);
}

static void ended(struct weft_receiver *r, weft_receiver_sink *accept, void *context)
{
  unsigned words = r->want, sequence = r->frame[0] & WEFT_SEQUENCE_MASK;
  if (weft_frame_crc(r->frame, words - 1U) != r->frame[words - 1U]) {
    broken(r);
    return;
  }
  r->want = 0;
  if (sequence == r->next) {
    r->next = (r->next + 1U) & WEFT_SEQUENCE_MASK;
    r->asked = false;
    r->count.accepted++;
    accept(context, r->frame, words);
  } else if (((r->next - sequence) & WEFT_SEQUENCE_MASK) <= WEFT_LINK_WINDOW) {
    r->count.duplicates++; /* every record acknowledges it again */
  } else {
    r->count.gaps++;
    ask(r);
  }
}

static void begin(struct weft_receiver *r, uint32_t token)
{
  unsigned words, sequence;
  if (!weft_frame_read_token(token, &words, &sequence) || words > r->longest) {
    broken(r);
    return;
  }
  r->want = (uint16_t)words;
  r->have = 1;
  r->frame[0] = token;
}

void weft_receiver_beat(struct weft_receiver *r, const uint32_t *word, uint32_t starts, unsigned words,
                        weft_receiver_sink *accept, void *context)
{
  starts &= (uint32_t)weft_ones(words);
  bool twice = (starts & (starts - 1U)) != 0;
  for (unsigned i = 0; i < words; i++) {
    if (starts >> i & 1U) {
      r->count.cut += r->want != 0; /* what was lost of it shows in the numbers that follow */
      r->want = 0;
      if (twice)
        break;
      begin(r, word[i]);
    } else if (r->want) {
      r->frame[r->have++] = word[i];
      if (r->have == r->want)
        ended(r, accept, context);
    }
  }
  if (twice)
    broken(r);
}

/* ---------------------------------------------------------------- sender */

static uint32_t *buffer(const struct weft_sender *s)
{
  return weft_at(s, sizeof *s);
}

size_t weft_sender_size(const struct weft_sender_settings *settings)
{
  return sizeof(struct weft_sender) + (size_t)settings->words * sizeof(uint32_t);
}

void weft_sender_reset(struct weft_sender *s, const struct weft_sender_settings *settings)
{
  memset(s, 0, weft_sender_size(settings));
  s->size = (uint32_t)weft_sender_size(settings);
  s->settings = *settings;
}

bool weft_sender_may_send(const struct weft_sender *s, unsigned words)
{
  return !s->down && weft_sender_outstanding(s) < WEFT_LINK_WINDOW && s->used + words <= s->settings.words;
}

unsigned weft_sender_send(struct weft_sender *s, uint32_t *frame, unsigned count)
{
  unsigned words = weft_frame_close(frame, count, s->next);
  for (unsigned i = 0; i < words; i++)
    buffer(s)[(s->head + s->used + i) % s->settings.words] = frame[i];
  s->used += words;
  s->next = (s->next + 1U) & WEFT_SEQUENCE_MASK;
  s->count.sent++;
  return words;
}

/* Words of the kept frame whose token stands so many words behind the head. */
static unsigned kept_words(const struct weft_sender *s, uint32_t at)
{
  return buffer(s)[(s->head + at) % s->settings.words] >> 17 & 0x7ffU;
}

static enum weft_sender_action again(struct weft_sender *s)
{
  s->timer = 0;
  if (++s->replays < WEFT_LINK_TRIES) {
    s->count.replays++;
    return WEFT_SENDER_REPLAY;
  }
  if (s->retrains == s->settings.retrains) {
    s->down = true;
    return WEFT_SENDER_DOWN;
  }
  s->replays = 0;
  s->retrains++;
  s->count.retrains++;
  return WEFT_SENDER_RETRAIN;
}

static void purge(struct weft_sender *s, unsigned frames)
{
  for (; frames; frames--) {
    unsigned words = kept_words(s, 0);
    s->head = (s->head + words) % s->settings.words;
    s->used -= words;
    s->oldest = (s->oldest + 1U) & WEFT_SEQUENCE_MASK;
  }
  s->timer = s->replays = s->retrains = 0;
}

enum weft_sender_action weft_sender_record(struct weft_sender *s, unsigned ack, unsigned naks)
{
  unsigned frames = (ack + 1U - s->oldest) & WEFT_SEQUENCE_MASK;
  unsigned asked = (naks - s->naks) & WEFT_LINK_NAK_MASK;
  if (s->down || frames > weft_sender_outstanding(s))
    return WEFT_SENDER_NOTHING;
  if (frames)
    purge(s, frames);
  if (asked == 0 ||
      asked > WEFT_LINK_NAK_MASK / 2U) /* more than half around: an old record that comes late */
    return WEFT_SENDER_NOTHING;
  s->naks = (uint8_t)naks;
  return weft_sender_outstanding(s) ? again(s) : WEFT_SENDER_NOTHING;
}

enum weft_sender_action weft_sender_tick(struct weft_sender *s)
{
  if (s->down || weft_sender_outstanding(s) == 0 || ++s->timer < s->settings.timeout)
    return WEFT_SENDER_NOTHING;
  s->count.timeouts++;
  return again(s);
}

unsigned weft_sender_replay(const struct weft_sender *s, uint32_t *at, uint32_t *frame)
{
  if (*at >= s->used)
    return 0;
  unsigned words = kept_words(s, *at);
  for (unsigned i = 0; i < words; i++)
    frame[i] = buffer(s)[(s->head + *at + i) % s->settings.words];
  *at += words;
  return words;
}
