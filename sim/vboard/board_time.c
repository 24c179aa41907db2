/* SPDX-License-Identifier: Apache-2.0 */
/* The board's clock, and what moves between it and the host. */
#include <sys/eventfd.h>
#include <time.h>

#include "machine.h"

#define SLICE 128U /* clocks between two looks at what the host wants */
/* So many clocks without a byte, and with time standing: the board waits for the host. It then gets a small part of this
 * machine's time only, but never none: what it does without a sign of it, as filling memory, ends all the same. */
#define QUIET_CLOCKS 8192U
#define QUIET_FACTOR 8U
#define REST_LEAST 1000000U /* nanoseconds */

static uint64_t nanoseconds(void)
{
  struct timespec now;
  clock_gettime(CLOCK_MONOTONIC, &now);
  return (uint64_t)now.tv_sec * 1000000000U + (uint64_t)now.tv_nsec;
}

/* Waits, with the lock, until something is submitted, or so long. */
static void rest(struct usbfs *u, uint64_t duration)
{
  struct timespec until;
  clock_gettime(CLOCK_REALTIME, &until);
  uint64_t end = (uint64_t)until.tv_nsec + (duration > REST_LEAST ? duration : REST_LEAST);
  until.tv_sec += (time_t)(end / 1000000000U);
  until.tv_nsec = (long)(end % 1000000000U);
  pthread_cond_timedwait(&u->wake, &u->lock, &until);
}

/* With the lock: what the host wants, and what became of it. */
static void serve(struct machine *m)
{
  struct device *d = &m->usb.device;
  bool was_there = !d->gone;
  device_serve(d, SLICE);
  usbfs_level(&m->usb);
  if (was_there && d->gone)
    eventfd_write(m->event, 1);
}

static void serve_twin(struct machine *m)
{
  if (!m->has_twin)
    return;
  pthread_mutex_lock(&m->twin.lock);
  device_serve(&m->twin.device, SLICE);
  usbfs_level(&m->twin);
  pthread_mutex_unlock(&m->twin.lock);
}

void *board_time(void *machine)
{
  struct machine *m = machine;
  struct usbfs *u = &m->usb;
  uint64_t quiet = 0, took = 0;
  pthread_mutex_lock(&u->lock);
  while (!m->stop) {
    serve(m);
    if (quiet > QUIET_CLOCKS && !device_waits(&u->device))
      rest(u, QUIET_FACTOR * took);
    pthread_mutex_unlock(&u->lock);
    serve_twin(m);
    uint64_t begin = nanoseconds();
    uint64_t moved = m->ops->step(m->board, SLICE);
    took = nanoseconds() - begin;
    quiet = moved || m->ops->runs(m->board) ? 0 : quiet + SLICE;
    pthread_mutex_lock(&u->lock);
  }
  pthread_mutex_unlock(&u->lock);
  return NULL;
}
