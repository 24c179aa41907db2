/* SPDX-License-Identifier: Apache-2.0 */
/* The machine's parts put together, and taken apart again. */
#include <dlfcn.h>
#include <errno.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/eventfd.h>
#include <unistd.h>

#include "machine.h"

int machine_fails(struct machine *m, int code, const char *what, const char *why)
{
  snprintf(m->result->message, sizeof m->result->message, "%s: %s", what, why);
  return code;
}

bool machine_is_to(const struct machine *m, enum weft_vboard_fault_kind kind)
{
  return m->options->fault[kind].on;
}

/* Whether programs can be shown the device at all. Not in this process, whose own calls it would take over. */
static int check_preload(struct machine *m)
{
  pid_t trial = fork();
  if (!trial)
    _exit(!dlopen(PRELOAD, RTLD_LAZY));
  if (trial > 0 && !command_wait(trial))
    return 0;
  return machine_fails(m, 4, PRELOAD, "is not there: install the package umockdev");
}

static int load(struct machine *m)
{
  const char *path = m->options->board;
  m->object = dlopen(path, RTLD_NOW | RTLD_LOCAL);
  if (!m->object)
    return machine_fails(m, 3, "cannot load the board", dlerror());
  m->ops = dlsym(m->object, WEFT_BOARD_SYMBOL);
  if (!m->ops || m->ops->abi != WEFT_BOARD_ABI)
    return machine_fails(m, 3, path, "is no board of this version; build it again: make board-CONFIG");
  if (strcmp(m->ops->hash, m->options->hash) != 0)
    return machine_fails(m, 3, path, "it was built from other sources; build it again: make board-CONFIG");
  m->board = m->ops->make(m->options->front);
  if (!m->board)
    return machine_fails(m, 4, path, "not enough memory");
  device_open(&m->usb.device, m->ops, machine_is_to(m, WEFT_VBOARD_MUTE) ? NULL : m->board, m->options);
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
  if (!usbfs_fits(g_get_tmp_dir()))
    return machine_fails(m, 4, g_get_tmp_dir(),
                         "too long a name for what is made there\nset TMPDIR to a shorter one");
  g_log_set_default_handler(say, NULL);
  m->testbed = umockdev_testbed_new();
  if (!usbfs_plug(&m->usb, m->testbed, 2, r->message, sizeof r->message))
    return 4;
  if (machine_is_to(m, WEFT_VBOARD_BUSY) && !usbfs_occupy(&m->usb, r->message, sizeof r->message))
    return 4;
  m->has_twin = machine_is_to(m, WEFT_VBOARD_TWIN);
  if (m->has_twin && !usbfs_plug(&m->twin, m->testbed, 3, r->message, sizeof r->message))
    return 4;
  if (machine_is_to(m, WEFT_VBOARD_PERMISSION) && !usbfs_forbid(&m->usb))
    return machine_fails(m, 4, "cannot take the node's permissions away", strerror(errno));
  return 0;
}

static int start(struct machine *m)
{
  m->event = eventfd(0, EFD_CLOEXEC);
  if (m->event < 0)
    return machine_fails(m, 4, "eventfd", strerror(errno));
  int error = pthread_create(&m->thread, NULL, board_time, m);
  if (error)
    return machine_fails(m, 4, "cannot start a thread", strerror(error));
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
  command_catch_signals(&m);
  int code = check_preload(&m);
  if (!code)
    code = load(&m);
  if (!code)
    code = plug(&m);
  if (!code)
    code = start(&m);
  if (!code) {
    code = command_run(&m);
    stop(&m);
    account(&m);
  }
  clear_away(&m);
  command_give_signals_back(&m);
  return code ? code : judge(&m);
}
