/* SPDX-License-Identifier: Apache-2.0 */
/* What makes a link lose nothing: sequence numbers, acknowledgements, replay. PCIe's rules, as docs/units/link.md says them.
 *
 * The sender keeps every frame until it is acknowledged, and sends all that are not once more when the receiver asks for it or
 * nothing was heard for too long. The receiver takes frames from beats of words, and believes those whose CRC is right and whose
 * number is the next one. Neither knows of time: who uses them says when a cycle passes. */
#ifndef WEFT_LINK_LAYER_H
#define WEFT_LINK_LAYER_H

#include "frame.h"

#define WEFT_LINK_WINDOW 2048U /* unacknowledged frames; a number further back than that is a new one */
#define WEFT_LINK_TRIES 4U     /* the replay without progress that comes with a retraining */
#define WEFT_LINK_NAK_MASK 15U /* Naks are counted in four bits */

/* ---------------------------------------------------------------- receiver */

struct weft_receiver {
  uint16_t next;       /* the number expected */
  uint16_t longest;    /* words of a frame that can come */
  uint16_t have, want; /* words of the frame under way; want 0: none is */
  uint8_t naks;        /* mod 16 */
  bool asked;          /* a Nak was sent and the expected frame has not come since */
  struct weft_receiver_counts {
    uint64_t accepted, duplicates;
    uint64_t broken; /* bad token, bad LCRC, a beat with two starts */
    uint64_t gaps;   /* a frame further ahead than the next one */
    uint64_t cut;    /* begun and not ended before the next start */
    uint64_t naks;
  } count;
  uint32_t frame[WEFT_FRAME_WORDS_MAX];
};

typedef void weft_receiver_sink(void *context, const uint32_t *frame, unsigned words);

void weft_receiver_reset(struct weft_receiver *r, unsigned longest);
/* One beat: `words` of them, bit i of `starts` set if word i begins a frame. Calls `accept` for each frame that is new
 * and in order. A beat has at most one start. */
void weft_receiver_beat(struct weft_receiver *r, const uint32_t *word, uint32_t starts, unsigned words,
                        weft_receiver_sink *accept, void *context);

/* What is acknowledged: all up to this number. */
static inline unsigned weft_receiver_ack(const struct weft_receiver *r)
{
  return (r->next - 1U) & WEFT_SEQUENCE_MASK;
}

/* ---------------------------------------------------------------- sender */

struct weft_sender_settings {
  uint32_t words;    /* of the replay buffer */
  uint32_t timeout;  /* cycles without progress until a replay */
  uint32_t retrains; /* without progress, until the link is given up */
};

enum weft_sender_action {
  WEFT_SENDER_NOTHING,
  WEFT_SENDER_REPLAY,  /* all unacknowledged frames */
  WEFT_SENDER_RETRAIN, /* train the link, then replay */
  WEFT_SENDER_DOWN     /* the link is given up */
};

struct weft_sender {
  uint32_t size; /* of the whole block */
  struct weft_sender_settings settings;
  uint16_t next, oldest; /* numbers: of the next frame, and of the oldest that is not acknowledged */
  uint8_t naks;          /* the last count of Naks that was heard */
  bool down;
  uint32_t head, used;               /* words of the replay buffer */
  uint32_t timer, replays, retrains; /* since the last progress */
  struct weft_sender_counts {
    uint64_t sent, replays, timeouts, retrains;
  } count;
};

size_t weft_sender_size(const struct weft_sender_settings *settings);
void weft_sender_reset(struct weft_sender *s, const struct weft_sender_settings *settings);

/* A new frame of so many words may be sent: the window and the replay buffer have room. */
bool weft_sender_may_send(const struct weft_sender *s, unsigned words);
/* Numbers, closes and keeps the frame whose `count` words of packet stand at frame + 1; returns its words. */
unsigned weft_sender_send(struct weft_sender *s, uint32_t *frame, unsigned count);

/* A record of the side channel arrived. One that cannot be (an acknowledgement of what was not sent) is not heard. */
enum weft_sender_action weft_sender_record(struct weft_sender *s, unsigned ack, unsigned naks);
/* A cycle passes in which the sender neither replays nor trains. */
enum weft_sender_action weft_sender_tick(struct weft_sender *s);

/* Frames that are not acknowledged. */
static inline unsigned weft_sender_outstanding(const struct weft_sender *s)
{
  return (s->next - (unsigned)s->oldest) & WEFT_SEQUENCE_MASK;
}

/* Copies the unacknowledged frames, oldest first: *at is 0 for the first call. Returns the frame's words, 0 at the end. */
unsigned weft_sender_replay(const struct weft_sender *s, uint32_t *at, uint32_t *frame);

#endif
