/* SPDX-License-Identifier: Apache-2.0 */
/* Points are independent, so each gets a process of its own, as many at a time as the machine has cores. What a process
 * has computed is in its file: whoever interrupts us loses the points under way and no others. */
#include <errno.h>
#include <signal.h>
#include <stdlib.h>
#include <string.h>
#include <sys/prctl.h>
#include <sys/wait.h>
#include <unistd.h>

#include "bench.h"

/* I of N: the points I, I + N, I + 2 N ... are ours; without --shard all of them. */
struct shard {
  unsigned long index, of;
};

static int parse_shard(const char *text, struct shard *s)
{
  char *end = NULL;
  *s = (struct shard){ 1, 1 };
  if (!text)
    return -1;
  s->index = strtoul(text, &end, 10);
  bool good = end != text && *end == '/';
  if (good) {
    const char *second = end + 1;
    s->of = strtoul(second, &end, 10);
    good = end != second && !*end && *text != '-' && *second != '-';
  }
  if (!good || s->index < 1 || s->index > s->of)
    return complain(EXIT_USE, "--shard %s: use I/N, part I of N, such as --shard 2/8", text);
  return -1;
}

static int begin(struct bench_point *p, const struct arguments *a)
{
  fflush(NULL);
  pid_t parent = getpid(), child = fork();
  if (child < 0)
    return complain(EXIT_LACKS, "cannot start a process: %s\nuse a smaller --jobs", strerror(errno));
  if (child) {
    p->pid = child;
    return -1;
  }
  prctl(PR_SET_PDEATHSIG, SIGTERM); /* nobody waits for it any more */
  if (getppid() != parent)
    _exit(EXIT_BACKEND);
  _exit(bench_point_run(p, a));
}

/* Waits for one of them; its exit code, or -1 if it did what it should. */
static int finish(struct bench_run *r)
{
  int status;
  pid_t child = wait(&status);
  for (size_t i = 0; i < r->points; i++) {
    struct bench_point *p = &r->point[i];
    if (p->pid != child)
      continue;
    p->pid = 0;
    if (WIFEXITED(status) && WEXITSTATUS(status) != EXIT_DONE)
      return complain(WEXITSTATUS(status), "bench %s: %s on %s went wrong, as said above", r->bench->name,
                      p->work->label, p->variant->label);
    bench_cache_load(p);
    if (!p->result)
      return complain(EXIT_BACKEND, "bench %s: %s on %s ended without a result (status %d)", r->bench->name,
                      p->work->label, p->variant->label, status);
    r->computed++;
  }
  return -1;
}

static unsigned jobs_of(const struct arguments *a)
{
  long cores = sysconf(_SC_NPROCESSORS_ONLN);
  return a->jobs ? (unsigned)a->jobs : cores > 0 ? (unsigned)cores : 1;
}

static bool ours(const struct bench_run *r, const struct shard *s, size_t i)
{
  return !r->point[i].result && i % s->of == s->index - 1;
}

int bench_compute(struct bench_run *r)
{
  struct shard shard;
  struct progress progress;
  size_t next = 0, missing = 0;
  unsigned running = 0, jobs = jobs_of(r->arguments);
  int code = parse_shard(r->arguments->shard, &shard);
  for (size_t i = 0; i < r->points; i++)
    missing += ours(r, &shard, i);
  progress_open(&progress);
  while (running || (code < 0 && next < r->points)) {
    if (code < 0 && running < jobs && next < r->points) {
      if (!ours(r, &shard, next++))
        continue;
      code = begin(&r->point[next - 1], r->arguments);
      running += code < 0;
      progress_bar(&progress, r->computed, missing, r->point[next - 1].work->label,
                   r->point[next - 1].variant->label);
      continue;
    }
    int failed = finish(r);
    running--;
    code = code < 0 ? failed : code;
    progress_bar(&progress, r->computed, missing, "", "");
  }
  progress_close(&progress);
  return code;
}
