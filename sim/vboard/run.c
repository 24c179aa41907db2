/* SPDX-License-Identifier: Apache-2.0 */
/* A command in a machine with one board more. Three threads: this one waits for the command, umockdev's takes ioctls, a third
 * one is the board's time. */
#include <dlfcn.h>
#include <errno.h>
#include <fcntl.h>
#include <linux/capability.h>
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

#define PRELOAD "libumockdev-preload.so.0"
#define SLICE 128U /* clocks between two looks at what the host wants */
/* So many clocks without a byte, and with time standing: the board waits for the host. It then gets a small part of this
 * machine's time only, but never none: what it does without a sign of it, as filling memory, ends all the same. */
#define QUIET_CLOCKS 8192U
#define QUIET_FACTOR 8U

#define REST_LEAST 1000000U /* nanoseconds */

struct machine {
  const struct weft_vboard_options *options;
  struct weft_vboard_result *result;
  void *object; /* libweft-board.so */
  const struct weft_board_ops *ops;
  struct weft_sim_board *board;
  UMockdevTestbed *testbed;
  struct usbfs usb, twin;
  pthread_t thread;
  bool started, stop, has_twin;
  int event;                        /* the device was unplugged */
  struct sigaction before[3], pipe; /* what signals did before */
  sigset_t mask;
};

static int fails(struct machine *m, int code, const char *what, const char *why)
{
  snprintf(m->result->message, sizeof m->result->message, "%s: %s", what, why);
  return code;
}

static bool asked(const struct machine *m, enum weft_vboard_fault_kind kind)
{
  return m->options->fault[kind].on;
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

static void *board_time(void *context)
{
  struct machine *m = context;
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

/* ---- The command ----------------------------------------------------------------------------------------------- */

/* What may be opened by its owner alone is nobody's who has given up root's way past permissions. */
static void give_up_override(void)
{
  prctl(PR_CAPBSET_DROP, CAP_DAC_OVERRIDE, 0, 0, 0);
  prctl(PR_CAPBSET_DROP, CAP_DAC_READ_SEARCH, 0, 0, 0);
}

/* Whoever ends this process ends the command; this one then clears away, and ends as the command did. */
static volatile sig_atomic_t child, ended_by;

static void pass_on(int number)
{
  ended_by = number;
  if (child > 0)
    kill((pid_t)child, number);
}

static const int passed_on[] = { SIGINT, SIGTERM, SIGHUP };
#define PASSED_ON (sizeof passed_on / sizeof *passed_on)

static void catch_signals(struct machine *m)
{
  struct sigaction pass = { .sa_handler = pass_on }, ignore = { .sa_handler = SIG_IGN };
  child = ended_by = 0;
  for (size_t i = 0; i < PASSED_ON; i++) {
    sigaction(passed_on[i], NULL, &m->before[i]);
    if (m->before[i].sa_handler != SIG_IGN) /* as with nohup */
      sigaction(passed_on[i], &pass, NULL);
  }
  sigaction(SIGPIPE, &ignore, &m->pipe); /* umockdev answers programs that may have ended meanwhile */
}

static void block_signals(struct machine *m)
{
  sigset_t set;
  sigemptyset(&set);
  for (size_t i = 0; i < PASSED_ON; i++)
    sigaddset(&set, passed_on[i]);
  sigprocmask(SIG_BLOCK, &set, &m->mask);
}

static void give_signals_back(const struct machine *m)
{
  for (size_t i = 0; i < PASSED_ON; i++)
    sigaction(passed_on[i], &m->before[i], NULL);
  sigaction(SIGPIPE, &m->pipe, NULL);
}

/* The command in place of this process; errors go through a pipe that a successful start closes. */
static _Noreturn void become(const struct machine *m, pid_t parent, int complain)
{
  prctl(PR_SET_PDEATHSIG, SIGTERM);
  prctl(PR_SET_TIMERSLACK, 1);
  for (size_t i = 0; i < PASSED_ON; i++)
    signal(passed_on[i], m->before[i].sa_handler == SIG_IGN ? SIG_IGN : SIG_DFL);
  signal(SIGPIPE, m->pipe.sa_handler == SIG_IGN ? SIG_IGN : SIG_DFL);
  signal(SIGXFSZ, SIG_DFL);
  if (asked(m, WEFT_VBOARD_PERMISSION))
    give_up_override();
  sigprocmask(SIG_SETMASK, &m->mask, NULL);
  setenv("LD_PRELOAD", PRELOAD, 1);
  if (getppid() == parent)
    execvp(m->options->command[0], m->options->command);
  int error = errno;
  _exit(write(complain, &error, sizeof error) == sizeof error ? 127 : 126);
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
  int ended = (int)syscall(SYS_pidfd_open, command, 0);
  struct pollfd on[2] = { { .fd = ended, .events = POLLIN }, { .fd = m->event, .events = POLLIN } };
  while (ended >= 0) {
    uint64_t count;
    int ready = poll(on, 2, -1);
    if (ready < 0 && errno == EINTR)
      continue;
    if (ready < 0 || on[0].revents)
      break;
    if (read(m->event, &count, sizeof count) == sizeof count)
      usbfs_remove(&m->usb);
  }
  if (ended >= 0)
    close(ended);
  m->result->status = wait_for(command);
  child = 0;
}

static int run_command(struct machine *m)
{
  int ends[2], error = 0;
  if (ended_by) {
    m->result->status = 128 + ended_by;
    return 0;
  }
  if (pipe2(ends, O_CLOEXEC))
    return fails(m, 4, "cannot make a pipe", strerror(errno));
  block_signals(m); /* until whoever gets them knows what to do */
  pid_t self = getpid(), command = fork();
  if (!command)
    become(m, self, ends[1]);
  child = command > 0 ? command : 0;
  if (child && ended_by) /* another thread may have got it meanwhile */
    kill(command, ended_by);
  sigprocmask(SIG_SETMASK, &m->mask, NULL);
  close(ends[1]);
  bool complained = command > 0 && read(ends[0], &error, sizeof error) == sizeof error;
  close(ends[0]);
  if (command < 0)
    return fails(m, 4, "cannot start a process", strerror(errno));
  if (!complained) {
    watch(m, command);
    return 0;
  }
  wait_for(command);
  return fails(m, 2, m->options->command[0], strerror(error));
}

/* ---- All of it ------------------------------------------------------------------------------------------------- */

/* Whether programs can be shown the device at all. Not in this process, whose own calls it would take over. */
static int check_preload(struct machine *m)
{
  pid_t trial = fork();
  if (!trial)
    _exit(!dlopen(PRELOAD, RTLD_LAZY));
  if (trial > 0 && !wait_for(trial))
    return 0;
  return fails(m, 4, PRELOAD, "is not there: install the package umockdev");
}

static int load(struct machine *m)
{
  const char *path = m->options->board;
  m->object = dlopen(path, RTLD_NOW | RTLD_LOCAL);
  if (!m->object)
    return fails(m, 3, "cannot load the board", dlerror());
  m->ops = dlsym(m->object, WEFT_BOARD_SYMBOL);
  if (!m->ops || m->ops->abi != WEFT_BOARD_ABI)
    return fails(m, 3, path, "is no board of this version; build it again: make board-CONFIG");
  m->board = m->ops->make(m->options->front);
  if (!m->board)
    return fails(m, 4, path, "not enough memory");
  device_open(&m->usb.device, m->ops, asked(m, WEFT_VBOARD_MUTE) ? NULL : m->board, m->options);
  device_open(&m->twin.device, m->ops, NULL, m->options);
  return 0;
}

/* umockdev complains of programs that end without closing the device, which is theirs to do. */
static void say(const gchar *domain, GLogLevelFlags level, const gchar *message, gpointer context)
{
  if (!strstr(message, "IoctlClient"))
    g_log_default_handler(domain, level, message, context);
}

static int plug(struct machine *m)
{
  struct weft_vboard_result *r = m->result;
  g_log_set_default_handler(say, NULL);
  m->testbed = umockdev_testbed_new();
  if (!usbfs_plug(&m->usb, m->testbed, 2, r->message, sizeof r->message))
    return 4;
  m->usb.busy = asked(m, WEFT_VBOARD_BUSY);
  m->has_twin = asked(m, WEFT_VBOARD_TWIN);
  if (m->has_twin && !usbfs_plug(&m->twin, m->testbed, 3, r->message, sizeof r->message))
    return 4;
  if (asked(m, WEFT_VBOARD_PERMISSION) && !usbfs_forbid(&m->usb))
    return fails(m, 4, "cannot take the node's permissions away", strerror(errno));
  return 0;
}

static int start(struct machine *m)
{
  m->event = eventfd(0, EFD_CLOEXEC);
  if (m->event < 0)
    return fails(m, 4, "eventfd", strerror(errno));
  int error = pthread_create(&m->thread, NULL, board_time, m);
  if (error)
    return fails(m, 4, "cannot start a thread", strerror(error));
  m->started = true;
  return 0;
}

static void stop(struct machine *m)
{
  if (!m->started)
    return;
  pthread_mutex_lock(&m->usb.lock);
  m->stop = true;
  pthread_cond_signal(&m->usb.wake);
  pthread_mutex_unlock(&m->usb.lock);
  pthread_join(m->thread, NULL);
}

static void account(struct machine *m)
{
  struct weft_vboard_result *r = m->result;
  const struct device *d = &m->usb.device;
  r->transfers_in = d->transfers_in;
  r->transfers_out = d->transfers_out;
  r->transfers_control = d->transfers_control;
  for (unsigned k = 0; k < WEFT_VBOARD_KINDS; k++)
    r->injected[k] = d->faults.kind[k].injected;
  m->ops->figures(m->board, &r->figures);
}

static void clear_away(struct machine *m)
{
  usbfs_free(&m->usb);
  usbfs_free(&m->twin);
  if (m->testbed)
    g_object_unref(m->testbed);
  if (m->event > 0)
    close(m->event);
  if (m->board)
    m->ops->free(m->board);
  if (m->object)
    dlclose(m->object);
}

/* The FPGA has done what the chip's data sheet forbids: a fault of the board's, whatever the command thinks of it. */
static int judge(struct machine *m)
{
  if (!m->result->figures.breach)
    return 0;
  snprintf(m->result->message, sizeof m->result->message,
           "the board breaks rule %u of the FTDI's pins (sim/board/ftdi_chip.h)", m->result->figures.breach);
  return 3;
}

__attribute__((visibility("default"))) int weft_vboard_run(const struct weft_vboard_options *options,
                                                           struct weft_vboard_result *result)
{
  struct machine m = { .options = options, .result = result };
  memset(result, 0, sizeof *result);
  catch_signals(&m);
  int code = check_preload(&m);
  if (!code)
    code = load(&m);
  if (!code)
    code = plug(&m);
  if (!code)
    code = start(&m);
  if (!code) {
    code = run_command(&m);
    stop(&m);
    account(&m);
  }
  clear_away(&m);
  give_signals_back(&m);
  return code ? code : judge(&m);
}
