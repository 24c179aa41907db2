/* SPDX-License-Identifier: Apache-2.0 */
/* The table of transitions: every request in every state, and which of them cannot be, on this machine, with the
 * reason. */
#include "episodes.h"

const char *const weft_transition_requests[WEFT_REQUESTS] = {
  [WEFT_LOCAL_READ] = "local read",     [WEFT_LOCAL_WRITE] = "local write",
  [WEFT_LOCAL_ATOMIC] = "local atomic", [WEFT_REMOTE_READ] = "remote read",
  [WEFT_REMOTE_WRITE] = "remote write", [WEFT_REMOTE_ATOMIC] = "remote atomic",
};

const char *const weft_transition_states[WEFT_STATES] = {
  [WEFT_HIT_OWN] = "hit own",
  [WEFT_HIT_ONE] = "hit one",
  [WEFT_HIT_MANY] = "hit many",
  [WEFT_HIT_OWN_OTHERS] = "hit own+others",
  [WEFT_AMONG_OWN] = "hit own, among",
  [WEFT_AMONG_ONE] = "hit one, among",
  [WEFT_AMONG_MANY] = "hit many, among",
  [WEFT_AMONG_OWN_OTHERS] = "hit own+others, among",
  [WEFT_AMONG_CLEAR] = "hit clear, among",
  [WEFT_MISS] = "miss",
  [WEFT_MISS_FREE] = "miss free",
  [WEFT_MISS_FULL_ONE] = "miss full, one line",
  [WEFT_MISS_FULL_MANY] = "miss full, many lines",
  [WEFT_STRAY] = "stray",
  [WEFT_FORGOTTEN] = "forgotten",
};

const char *const weft_transition_about[WEFT_STATES] = {
  [WEFT_HIT_OWN] = "the requester is the line's only sharer",
  [WEFT_HIT_ONE] = "another node is the only sharer",
  [WEFT_HIT_MANY] = "several other nodes are sharers",
  [WEFT_HIT_OWN_OTHERS] = "the requester and other nodes are sharers",
  [WEFT_AMONG_OWN] = "the same, in an entry that tracks other lines too",
  [WEFT_AMONG_ONE] = "the same, in an entry that tracks other lines too",
  [WEFT_AMONG_MANY] = "the same, in an entry that tracks other lines too",
  [WEFT_AMONG_OWN_OTHERS] = "the same, in an entry that tracks other lines too",
  [WEFT_AMONG_CLEAR] = "the entry tracks other lines, and not this one",
  [WEFT_MISS] = "no entry, and none is made",
  [WEFT_MISS_FREE] = "no entry; one is made in a free way",
  [WEFT_MISS_FULL_ONE] = "no entry; one is made where an entry with one line was",
  [WEFT_MISS_FULL_MANY] = "no entry; one is made where an entry with several lines was",
  [WEFT_STRAY] = "a hit or an eviction of what has no sharers, or others",
  [WEFT_FORGOTTEN] = "a miss, although there are sharers",
};

static bool is_local(unsigned request)
{
  return request <= WEFT_LOCAL_ATOMIC;
}

/* Of the line's sharers. */
static const char *why_not_sharers(const struct weft_episode_shape *s, unsigned request, unsigned state)
{
  unsigned others =
    s->nodes - (is_local(request) ? 1U : 2U); /* that can be sharers and are not the requester */
  if (is_local(request) && (state == WEFT_HIT_OWN || state == WEFT_HIT_OWN_OTHERS))
    return "a home is never its own sharer";
  if (s->nodes < 2)
    return "there is no other node";
  if (state == WEFT_HIT_MANY && others < 2)
    return "there are too few nodes for two others";
  if ((state == WEFT_HIT_ONE || state == WEFT_HIT_OWN_OTHERS) && others < 1)
    return "there is no third node";
  return NULL;
}

static const char *why_not_miss(const struct weft_episode_shape *s, bool overflows, unsigned request,
                                unsigned state)
{
  bool makes = request == WEFT_REMOTE_READ || request == WEFT_REMOTE_WRITE;
  if (!is_local(request) && s->nodes < 2)
    return "there is no other node";
  if (makes != (state != WEFT_MISS))
    return makes ? "such a request always makes an entry" : "such a request never makes an entry";
  if ((state == WEFT_MISS_FULL_ONE || state == WEFT_MISS_FULL_MANY) && !overflows)
    return "no set is ever full";
  if (state == WEFT_MISS_FULL_MANY && (s->block || s->entry_lines == 1))
    return "an entry has one sharer field";
  return NULL;
}

const char *weft_transition_why_not(const struct weft_episode_shape *s, bool overflows, unsigned request,
                                    unsigned state)
{
  if (!s->tracked)
    return "the protocol has no directory";
  if (state == WEFT_STRAY)
    return "an entry has the sharers that it was given";
  if (state == WEFT_FORGOTTEN)
    return "sharers have an entry";
  if (state >= WEFT_MISS)
    return why_not_miss(s, overflows, request, state);
  if (state < WEFT_AMONG_OWN)
    return why_not_sharers(s, request, state);
  if (s->block || s->entry_lines == 1)
    return "an entry has one sharer field";
  if (state == WEFT_AMONG_CLEAR)
    return s->nodes < 2 ? "there is no other node" : NULL;
  return why_not_sharers(s, request, state - WEFT_AMONG_OWN + WEFT_HIT_OWN);
}

/* Of leases: what a home asks its timestamp storage unit for, and what that finds. */
static bool time_at(const struct weft_episodes *e, size_t index, struct weft_transition *t)
{
  static const char *const requests[] = { [WEFT_TIME_READ] = "read",
                                          [WEFT_TIME_WRITE] = "write",
                                          [WEFT_TIME_PEEK] = "read without a lease" };
  static const char *const states[] = { [WEFT_TIME_KNOWN] = "known",
                                        [WEFT_TIME_ENTERS] = "enters",
                                        [WEFT_TIME_EVICTS] = "evicts" };
  static const char *const about[] = { [WEFT_TIME_KNOWN] = "the block's times are there",
                                       [WEFT_TIME_ENTERS] = "they were not, and enter",
                                       [WEFT_TIME_EVICTS] = "they enter where another block's were" };
  unsigned request = (unsigned)(index / WEFT_TIME_STATES), state = (unsigned)(index % WEFT_TIME_STATES);
  if (request >= WEFT_TIME_REQUESTS)
    return false;
  bool full = state == WEFT_TIME_EVICTS && !e->layout.overflows;
  *t = (struct weft_transition){ .request = requests[request],
                                 .state = states[state],
                                 .about = about[state],
                                 .why_not = full ? "no set is ever full" : NULL,
                                 .count = weft_coverage_times(e->coverage, request, state) };
  return true;
}

bool weft_episodes_transition_at(const struct weft_episodes *e, size_t index, struct weft_transition *t)
{
  if (e->shape.leases)
    return time_at(e, index, t);
  unsigned request = (unsigned)(index / WEFT_STATES), state = (unsigned)(index % WEFT_STATES);
  if (request >= WEFT_REQUESTS)
    return false;
  *t = (struct weft_transition){
    .request = weft_transition_requests[request],
    .state = weft_transition_states[state],
    .about = weft_transition_about[state],
    .why_not = weft_transition_why_not(&e->shape, e->layout.overflows, request, state),
    .count = weft_coverage_count(e->coverage, request, state),
  };
  return true;
}
