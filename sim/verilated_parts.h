/* SPDX-License-Identifier: Apache-2.0 */
/* What the files of the Verilated back-end share. */
#ifndef WEFT_VERILATED_PARTS_H
#define WEFT_VERILATED_PARTS_H

#include "lockstep.h"
#include "ports.h"
#include "registers.h"
#include "shim.h"

struct weft_backend {
  const struct weft_backend_ops *ops;
  struct weft_backend_options options;
  struct weft_shim *shim;
  struct weft_lockstep *lockstep;       /* NULL: not compared */
  const struct weft_observer *observer; /* NULL: nobody looks */
  struct weft_dir_event *dir;           /* [node * banks + bank]: for the observer, until its bank's event */
  struct weft_ports *ports;
  unsigned port_count;
  uint64_t now;
  uint64_t
    walk; /* what time.cycles counted before cycle 0, while tags were cleared: it depends on how often one asks */
  struct weft_patience patience;
  bool *offered; /* [port] */
  struct weft_port_done *done;
  size_t done_count, done_given;
  int memory_result; /* of the comparison at the end */
  struct weft_backend_error *memory_error;
};

int weft_rtl_fails(struct weft_backend_error *e, int code, const char *text);
/* The first difference between RTL and model, if there is one. */
int weft_rtl_compared(struct weft_backend *b, struct weft_backend_error *e);

/* verilated_cycle.c */
/* Reset, protocol and fault, then the walks that clear tags and directories. Time starts after them. */
int weft_rtl_bring_up(struct weft_backend *b, struct weft_backend_error *e);
/* Turns the events on if somebody wants them. */
void weft_rtl_events(struct weft_backend *b);
/* Fabric time stands meanwhile. */
void weft_rtl_set_leases(struct weft_backend *b, const struct weft_lease_settings *leases);
bool weft_rtl_flag(struct weft_backend *b, uint32_t mask);
void weft_rtl_cycle(struct weft_backend *b);

/* verilated_settle.c */
/* The counter of cycles as the RTL has it. */
uint64_t weft_rtl_time(struct weft_backend *b);
int weft_rtl_counters(struct weft_backend *b, uint64_t *values, size_t count, struct weft_backend_error *e);
int weft_rtl_memory(struct weft_backend *b, uint64_t address, void *bytes, size_t count, bool write,
                    struct weft_backend_error *e);
int weft_rtl_settle(struct weft_backend *b, struct weft_backend_error *e);

/* noise.c */
/* What happens to the wires in the next cycle. */
void weft_rtl_noise(struct weft_backend *b);
/* Says which link was given up, if one was. */
int weft_rtl_links(struct weft_backend *b, struct weft_backend_error *e);

/* wave.c */
/* A list of the streams worth looking at, for a viewer: GTKWave's, or Surfer's if the name ends in .sucl. */
int weft_wave_view(const struct weft_backend_options *options, struct weft_backend_error *e);
/* Whether a closed FST file is whole. Its writer says nothing when the disk is full. */
bool weft_wave_whole(const char *path);

#endif
