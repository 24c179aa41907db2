/* SPDX-License-Identifier: Apache-2.0 */
#include <inttypes.h>
#include <unistd.h>

#include "tool.h"

void progress_open(struct progress *p)
{
  p->on = isatty(2);
  p->shown = false;
}

void progress_show(void *progress, const struct weft_progress *state)
{
  struct progress *p = progress;
  if (!p->on)
    return;
  if (state->warps)
    fprintf(stderr, "\r\033[K%s: cycle %" PRIu64 ", %" PRIu64 " operations, %u of %u warps done", state->what,
            state->cycle, state->operations, state->finished, state->warps);
  else
    fprintf(stderr, "\r\033[K%s: %.90s", state->what, state->detail);
  fflush(stderr);
  p->shown = true;
}

void progress_bar(struct progress *p, size_t done, size_t all, const char *what, const char *where)
{
  enum { WIDTH = 32 };
  if (!p->on)
    return;
  size_t full = all ? WIDTH * done / all : WIDTH;
  fprintf(stderr, "\r\033[K[%.*s%.*s] %zu of %zu %s %s", (int)full, "################################",
          (int)(WIDTH - full), "................................", done, all, what, where);
  fflush(stderr);
  p->shown = true;
}

void progress_close(struct progress *p)
{
  if (p->shown)
    fputs("\r\033[K", stderr);
  p->shown = false;
}
