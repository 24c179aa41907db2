/* SPDX-License-Identifier: Apache-2.0 */
/* A kernel of one's own on the fabric, the fullest bin of a histogram: make && ./histogram rtl:tiny */
#include <stdio.h>
#include <weft/weft.h>

enum { SAMPLES = 4096, BINS = 64, WARPS = 1024 /* at most */ };
struct job {
  weft_address samples, bins, best; /* bins: and a counter of tickets. best: one per warp, and the answer */
};

static uint64_t larger(uint64_t a, uint64_t b)
{
  return a > b ? a : b;
}

/* Runs once per warp of the machine. What warps share lies in the fabric's memory, and nowhere else. */
static void kernel(struct weft_warp *t, void *arg)
{
  const struct job *j = arg;
  const struct weft_place *me = weft_where(t);
  for (unsigned i = me->index; i < SAMPLES; i += me->count) {
    uint32_t bin = weft_load32(t, j->samples + i * 4) % BINS;
    weft_rmw_async(t, WEFT_ADD, j->bins + bin * 4, 4, 1, 0, NULL, WEFT_SYS); /* at the bin's home */
  }
  weft_wait_all(t);
  weft_barrier(t);   /* everybody has counted: from here on the bins are plain memory */
  uint64_t best = 0; /* a count, and below it its bin's number */
  for (unsigned b = me->index; b < BINS; b += me->count)
    best = larger(best, (uint64_t)weft_load32(t, j->bins + b * 4) << 32 | b);
  weft_store64(t, j->best + me->index * 8, best);
  weft_fence(t, WEFT_RELEASE, WEFT_SYS); /* all nodes see this store before they see the ticket */
  if (weft_rmw(t, WEFT_ADD, j->bins + BINS * 4, 4, 1, 0, WEFT_RELAXED, WEFT_SYS) + 1 < me->count)
    return;
  weft_fence(t, WEFT_ACQUIRE, WEFT_SYS); /* the last one sees what all others have stored */
  for (unsigned i = 0; i < me->count; i++)
    best = larger(best, weft_load64(t, j->best + i * 8));
  weft_store64(t, j->best + WARPS * 8, best);
}

int main(int argc, char **argv)
{
  struct job j;
  uint32_t samples[SAMPLES], counts[BINS] = { 0 }, random = 1;
  uint64_t best = 0, most = 0;
  for (unsigned i = 0; i < SAMPLES; i++, random = random * 1664525 + 1013904223)
    counts[(samples[i] = random >> 16) % BINS]++;
  for (uint64_t b = 0; b < BINS; b++) /* the same in plain C */
    most = larger(most, (uint64_t)counts[b] << 32 | b);
  struct weft *w = weft_new();
  if (!w || weft_open(w, argc > 1 ? argv[1] : "model:quad", NULL) ||
      weft_alloc(w, sizeof counts + 4, 0, &j.bins) || weft_alloc(w, WARPS * 8 + 8, 0, &j.best) ||
      weft_alloc(w, sizeof samples, WEFT_INTERLEAVED, &j.samples) ||
      weft_write(w, j.samples, samples, sizeof samples) || weft_launch(w, kernel, &j) ||
      weft_read(w, j.best + WARPS * 8, &best, 8))
    fprintf(stderr, "histogram: %s\n", w ? weft_message(w) : "out of memory");
  else
    printf("bin %d is the fullest: %d, %s\n", (int)best, (int)(best >> 32), best == most ? "right" : "wrong");
  weft_free(w);
  return best != most;
}
