/* SPDX-License-Identifier: Apache-2.0 */
#include "rebase.h"

#include "weft_formats.h"

static bool over(const struct weft_rebase *r, const struct weft_rebase_input *in)
{
  switch ((enum weft_rebase_phase)r->phase) {
  case WEFT_REBASE_RUN:
    return in->wants;
  case WEFT_REBASE_STOP:
    return r->wait == 0 && (!in->flying || r->fault == WEFT_FAULT_LEASE_REBASE_KEEPS_ANSWERS);
  case WEFT_REBASE_BANKS:
    return in->banks;
  case WEFT_REBASE_DRAIN:
    return !in->answers || r->fault == WEFT_FAULT_LEASE_REBASE_KEEPS_ANSWERS;
  default:
    return in->l1s;
  }
}

static uint8_t behind(const struct weft_rebase *r)
{
  static const uint8_t l1_first[] = { [WEFT_REBASE_RUN] = WEFT_REBASE_STOP,
                                      [WEFT_REBASE_STOP] = WEFT_REBASE_L1S,
                                      [WEFT_REBASE_L1S] = WEFT_REBASE_BANKS,
                                      [WEFT_REBASE_BANKS] = WEFT_REBASE_DRAIN,
                                      [WEFT_REBASE_DRAIN] = WEFT_REBASE_RUN };
  if (r->fault == WEFT_FAULT_LEASE_REBASE_L1_FIRST)
    return l1_first[r->phase];
  return r->phase == WEFT_REBASE_L1S ? WEFT_REBASE_RUN : (uint8_t)(r->phase + 1U);
}

bool weft_rebase_step(struct weft_rebase *r, const struct weft_rebase_input *in)
{
  bool changes = over(r, in);
  if (r->wait)
    r->wait--;
  if (!changes)
    return false;
  r->phase = behind(r);
  if (r->phase == WEFT_REBASE_STOP)
    r->wait = r->settle;
  return true;
}
