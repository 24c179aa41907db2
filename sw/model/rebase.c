/* SPDX-License-Identifier: Apache-2.0 */
#include "rebase.h"

static bool over(const struct weft_rebase *r, const struct weft_rebase_input *in)
{
  switch ((enum weft_rebase_phase)r->phase) {
  case WEFT_REBASE_RUN:
    return in->wants;
  case WEFT_REBASE_STOP:
    return r->wait == 0 && !in->flying;
  case WEFT_REBASE_BANKS:
    return in->banks;
  case WEFT_REBASE_DRAIN:
    return !in->answers;
  default:
    return in->l1s;
  }
}

bool weft_rebase_step(struct weft_rebase *r, const struct weft_rebase_input *in)
{
  bool changes = over(r, in);
  if (r->wait)
    r->wait--;
  if (!changes)
    return false;
  r->phase = r->phase == WEFT_REBASE_L1S ? WEFT_REBASE_RUN : (uint8_t)(r->phase + 1U);
  if (r->phase == WEFT_REBASE_STOP)
    r->wait = WEFT_REBASE_SETTLE;
  return true;
}
