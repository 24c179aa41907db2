/* SPDX-License-Identifier: Apache-2.0 */
/* The command, from its start to its end. */
#include <errno.h>
#include <fcntl.h>
#include <linux/capability.h>
#include <poll.h>
#include <stdlib.h>
#include <string.h>
#include <sys/prctl.h>
#include <sys/syscall.h>
#include <sys/wait.h>
#include <unistd.h>

#include "machine.h"

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

void command_catch_signals(struct machine *m)
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

void command_give_signals_back(const struct machine *m)
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
  if (machine_is_to(m, WEFT_VBOARD_PERMISSION))
    give_up_override();
  sigprocmask(SIG_SETMASK, &m->mask, NULL);
  setenv("LD_PRELOAD", PRELOAD, 1);
  if (getppid() == parent)
    execvp(m->options->command[0], m->options->command);
  int error = errno;
  _exit(write(complain, &error, sizeof error) == sizeof error ? 127 : 126);
}

int command_wait(pid_t command)
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
  m->result->status = command_wait(command);
  child = 0;
}

int command_run(struct machine *m)
{
  int ends[2], error = 0;
  if (ended_by) {
    m->result->status = 128 + ended_by;
    return 0;
  }
  if (pipe2(ends, O_CLOEXEC))
    return machine_fails(m, 4, "cannot make a pipe", strerror(errno));
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
    return machine_fails(m, 4, "cannot start a process", strerror(errno));
  if (!complained) {
    watch(m, command);
    return 0;
  }
  command_wait(command);
  return machine_fails(m, 2, m->options->command[0], strerror(error));
}
