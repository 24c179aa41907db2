/* SPDX-License-Identifier: Apache-2.0 */
/* A command in a machine with one board more. Three threads: this one waits for the command, umockdev's takes ioctls, a third
 * one is the board's time. */
#include <dlfcn.h>
#include <errno.h>
#include <poll.h>
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/eventfd.h>
#include <sys/prctl.h>
#include <sys/syscall.h>
#include <sys/wait.h>
#include <time.h>
#include <unistd.h>

#include "usbfs.h"

#define SLICE 128U /* clocks between two looks at what the host wants */
/* So many clocks without a byte, and with time standing: the board waits for the host. It then gets a small part of this
 * machine's time only, but never none: what it does without a sign of it, as filling memory, ends all the same. */
#define QUIET_CLOCKS 8192U
#define QUIET_FACTOR 8U

struct machine {
  const struct weft_vboard_options *options;
  struct weft_vboard_result *result;
  UMockdevTestbed *testbed;
  struct usbfs usb;
  pthread_t thread;
  bool started, stop;
  int event; /* the device was unplugged: udev's listeners want to know */
};

static int fails(struct machine *m, int code, const char *what, const char *why)
{
  snprintf(m->result->message, sizeof m->result->message, "%s: %s", what, why);
  return code;
}

/* ---- The board's time ------------------------------------------------------------------------------------------ */

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
  uint64_t end = (uint64_t)until.tv_nsec + duration;
  until.tv_sec += (time_t)(end / 1000000000U);
  until.tv_nsec = (long)(end % 1000000000U);
  pthread_cond_timedwait(&u->wake, &u->lock, &until);
}

static void *board_time(void *context)
{
  struct machine *m = context;
  struct usbfs *u = &m->usb;
  struct device *d = &u->device;
  uint64_t quiet = 0, took = 0;
  pthread_mutex_lock(&u->lock);
  while (!m->stop) {
    device_serve(d, SLICE);
    usbfs_level(u);
    if (quiet > QUIET_CLOCKS && !device_waits(d))
      rest(u, QUIET_FACTOR * took);
    pthread_mutex_unlock(&u->lock);
    uint64_t begin = nanoseconds();
    uint64_t moved = d->ops->step(d->board, SLICE);
    took = nanoseconds() - begin;
    quiet = moved || d->ops->runs(d->board) ? 0 : quiet + SLICE;
    pthread_mutex_lock(&u->lock);
  }
  pthread_mutex_unlock(&u->lock);
  return NULL;
}

/* ---- The command ----------------------------------------------------------------------------------------------- */

static _Noreturn void become(const struct machine *m, pid_t parent)
{
  prctl(PR_SET_PDEATHSIG, SIGTERM);
  prctl(PR_SET_TIMERSLACK, 1);
  if (getppid() != parent)
    _exit(127);
  signal(SIGINT, SIG_DFL);
  signal(SIGTERM, SIG_DFL);
  signal(SIGHUP, SIG_DFL);
  setenv("LD_PRELOAD", "libumockdev-preload.so.0", 1);
  execvp(m->options->command[0], m->options->command);
  int error = errno;
  dprintf(2, "weft vboard: cannot run %s: %s\n", m->options->command[0], strerror(error));
  _exit(error == ENOENT ? 127 : 126);
}

static volatile sig_atomic_t child;

static void pass_on(int number)
{
  if (child > 0)
    kill((pid_t)child, number);
}

static int wait_for(pid_t command)
{
  int status;
  while (waitpid(command, &status, 0) < 0)
    if (errno != EINTR)
      return 127;
  return WIFSIGNALED(status) ? 128 + WTERMSIG(status) : WEXITSTATUS(status);
}

static void watch(struct machine *m, pid_t command)
{
  struct sigaction pass = { .sa_handler = pass_on }, old[3];
  static const int signals[] = { SIGINT, SIGTERM, SIGHUP };
  child = command;
  for (size_t i = 0; i < 3; i++)
    sigaction(signals[i], &pass, &old[i]);
  int ended = (int)syscall(SYS_pidfd_open, command, 0);
  struct pollfd on[2] = { { .fd = ended, .events = POLLIN }, { .fd = m->event, .events = POLLIN } };
  while (ended >= 0) {
    uint64_t count;
    if (poll(on, 2, -1) < 0 && errno != EINTR)
      break;
    if (on[1].revents && read(m->event, &count, sizeof count) == sizeof count)
      usbfs_remove(&m->usb);
    if (on[0].revents)
      break;
  }
  if (ended >= 0)
    close(ended);
  m->result->status = wait_for(command);
  child = 0;
  for (size_t i = 0; i < 3; i++)
    sigaction(signals[i], &old[i], NULL);
}

/* ---- All of it ------------------------------------------------------------------------------------------------- */

static int load(struct machine *m, void **object)
{
  const char *path = m->options->board;
  struct device *d = &m->usb.device;
  *object = dlopen(path, RTLD_NOW | RTLD_LOCAL);
  if (!*object)
    return fails(m, 3, "cannot load the board", dlerror());
  const struct weft_board_ops *ops = dlsym(*object, WEFT_BOARD_SYMBOL);
  if (!ops || ops->abi != WEFT_BOARD_ABI)
    return fails(m, 3, path, "is no board of this version; build it again: make board-CONFIG");
  struct weft_board *board = ops->make(m->options->front);
  if (!board)
    return fails(m, 4, path, "not enough memory");
  device_open(d, ops, board, m->options->front, m->options->serial);
  return 0;
}

static int begin(struct machine *m)
{
  struct weft_vboard_result *r = m->result;
  m->testbed = umockdev_testbed_new();
  if (!usbfs_plug(&m->usb, m->testbed, 2, r->message, sizeof r->message))
    return 4;
  m->event = eventfd(0, EFD_CLOEXEC);
  if (m->event < 0)
    return fails(m, 4, "eventfd", strerror(errno));
  int error = pthread_create(&m->thread, NULL, board_time, m);
  if (error)
    return fails(m, 4, "cannot start a thread", strerror(error));
  m->started = true;
  return 0;
}

static int run_command(struct machine *m)
{
  pid_t self = getpid(), command = fork();
  if (command < 0)
    return fails(m, 4, "cannot start a process", strerror(errno));
  if (!command)
    become(m, self);
  watch(m, command);
  return 0;
}

static void end(struct machine *m)
{
  if (m->started) {
    pthread_mutex_lock(&m->usb.lock);
    m->stop = true;
    pthread_cond_signal(&m->usb.wake);
    pthread_mutex_unlock(&m->usb.lock);
    pthread_join(m->thread, NULL);
  }
  if (m->testbed) {
    usbfs_free(&m->usb);
    g_object_unref(m->testbed);
  }
  if (m->event > 0)
    close(m->event);
}

__attribute__((visibility("default"))) int weft_vboard_run(const struct weft_vboard_options *options,
                                                           struct weft_vboard_result *result)
{
  struct machine m = { .options = options, .result = result };
  void *object = NULL;
  memset(result, 0, sizeof *result);
  int code = load(&m, &object);
  if (!code)
    code = begin(&m);
  if (!code)
    code = run_command(&m);
  end(&m);
  const struct device *d = &m.usb.device;
  result->transfers_in = d->transfers_in;
  result->transfers_out = d->transfers_out;
  result->transfers_control = d->transfers_control;
  if (d->board) {
    d->ops->figures(d->board, &result->figures);
    d->ops->free(d->board);
  }
  if (object)
    dlclose(object);
  return code;
}
