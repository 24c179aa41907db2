/* SPDX-License-Identifier: Apache-2.0 */
/* A handle's life: new, open, reset, settle, close, free. */
#include <dlfcn.h>
#include <errno.h>
#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "handle.h"
#include "timed.h"
#include "names.h"
#include "watch.h"
#include "weft_protocols.h"

struct weft *weft_new(void)
{
  struct weft *w = calloc(1, sizeof *w);
  if (w && weft_config_load(w, "quad")) {
    free(w);
    return NULL;
  }
  return w;
}

void weft_close(struct weft *w)
{
  weft_watch_end(w);
  if (w->backend)
    w->ops->close(w->backend);
  weft_board_close(w->board);
  w->board = NULL;
  w->backend = NULL;
  w->ops = NULL;
  if (w->shared_object)
    dlclose(w->shared_object);
  w->shared_object = NULL;
  weft_pages_close(w);
  weft_replicas_close(w);
  weft_counters_close(w);
  memset(&w->hooks, 0, sizeof w->hooks);
}

void weft_free(struct weft *w)
{
  if (!w)
    return;
  weft_close(w);
  free(w->failure.report);
  free(w);
}

/* The parameters: the named configuration and what differs, checked. */
static int configure(struct weft *w, const char *config, const struct weft_options *options)
{
  if (options->keep_config) {
    if (strcmp(config, w->config_name) != 0)
      return weft_fail(w, WEFT_BAD_ARGUMENT, "the handle is configured as '%s', the back-end asks for '%s'",
                       w->config_name, config);
  } else if (weft_config_load(w, config)) {
    return w->failure.code;
  }
  for (const char *const *set = options->set; set && *set; set++)
    if (weft_config_set(w, *set))
      return w->failure.code;
  return weft_config_check(w);
}

/* A number and what must stand behind it. */
static bool read_part(const char **at, char behind, uint64_t *value)
{
  char *end;
  errno = 0;
  *value = strtoull(*at, &end, 10);
  bool right = **at >= '0' && **at <= '9' && !errno && *end == behind;
  *at = end + 1;
  return right;
}

/* LINK@CYCLE+COUNT */
static int read_cut(struct weft *w, const char *text, struct weft_backend_options *b)
{
  const char *at = text;
  uint64_t link = 0, from = 0, count = 0;
  if (!read_part(&at, '@', &link) || !read_part(&at, '+', &from) || !read_part(&at, 0, &count) || !count)
    return weft_fail(w, WEFT_BAD_ARGUMENT,
                     "a cut of '%s': link, first cycle and number of cycles are needed, as 0@1000+500", text);
  if (link >= 2 * w->config.nodes)
    return weft_fail(w, WEFT_BAD_ARGUMENT,
                     "a cut of link %" PRIu64 ": there are 0 to %" PRIu64
                     ", first those from the nodes to the switch",
                     link, 2 * w->config.nodes - 1);
  b->cut_link = (unsigned)link;
  b->cut_from = from;
  b->cut_cycles = count;
  return WEFT_OK;
}

/* The names that were asked for, looked at before a board is touched. */
static int check_names(struct weft *w, const struct weft_options *options)
{
  uint8_t number;
  return weft_protocol_find(w, options->protocol, &number) || weft_egress_find(w, options->egress, &number) ||
             weft_timing_check(w, options->timing) || weft_fault_find(w, options->fault, &number)
           ? w->failure.code
           : WEFT_OK;
}

/* Everything that was asked for, looked at before anything is loaded or built. */
static int check_options(struct weft *w, const struct weft_options *options, struct weft_backend_options *b)
{
  *b = (struct weft_backend_options){
    .config_name = w->config_name,
    .config = w->config,
    .lockstep = !options->no_lockstep,
    .seed = options->seed ? options->seed : 1,
    .jitter = options->jitter,
    .noise = options->noise,
    .patience = options->patience ? options->patience : WEFT_PATIENCE_DEFAULT,
    .wave = options->wave,
    .wave_view = options->wave ? options->wave_view : NULL,
    .wave_commands = options->wave ? options->wave_commands : NULL,
    .wave_from = options->wave_from,
    .wave_to = options->wave_to,
    .command = options->command ? options->command : "",
    .free_time = options->timing && !strcmp(options->timing, "free"),
    .board = w->board,
  };
  if (weft_protocol_find(w, options->protocol, &b->protocol) ||
      weft_egress_find(w, options->egress, &w->egress) || weft_timing_check(w, options->timing) ||
      weft_fault_find(w, options->fault, &b->fault))
    return w->failure.code;
  if (b->jitter > 1000)
    return weft_fail(w, WEFT_BAD_ARGUMENT, "a jitter of %u per mille; use 0 to 1000", b->jitter);
  if (b->noise > 1000000)
    return weft_fail(w, WEFT_BAD_ARGUMENT, "a noise of %u per million; use 0 to 1000000", b->noise);
  if (options->cut && read_cut(w, options->cut, b))
    return w->failure.code;
  w->protocol = b->protocol;
  w->patience = b->patience;
  w->stack = options->stack ? options->stack : WEFT_STACK_DEFAULT;
  w->hooks.progress = options->progress;
  w->hooks.progress_arg = options->progress_arg;
  return WEFT_OK;
}

/* What would be passed over in silence. */
static int check_ability(struct weft *w, const struct weft_backend_entry *entry,
                         struct weft_backend_options *b)
{
  bool rtl = !entry->ops;
  bool hardware = rtl || entry->board;
  bool model = entry->ops == &weft_backend_model;
  if (!rtl && !model && b->fault && !(entry->board && w->config.faults))
    return weft_fail(w, WEFT_NOT_BUILT_IN, "%s: has no faults built in; use rtl:%s", entry->name,
                     w->config_name);
  if (hardware && b->fault && weft_fault_table[b->fault - 1].model)
    return weft_fail(w, WEFT_NOT_BUILT_IN, "rtl: has no fault %s; use model:%s", weft_fault_name(b->fault),
                     w->config_name);
  if (model && !weft_timed_has_fault(b->fault))
    return weft_fail(w, WEFT_NOT_BUILT_IN, "model: has no fault %s; use rtl:%s", weft_fault_name(b->fault),
                     w->config_name);
  b->finepack = w->egress == WEFT_EGRESS_FINEPACK;
  if (b->finepack && !w->config.egress_finepack)
    return weft_fail(w, WEFT_NOT_BUILT_IN,
                     "egress finepack: %s has no remote write queue built in\n"
                     "use finepack4, or model:%s with egress.finepack=1",
                     w->config_name, w->config_name);
  if (b->finepack && weft_protocol_rows[w->protocol].tracker == WEFT_TRACKER_TSU)
    return weft_fail(w, WEFT_NOT_BUILT_IN,
                     "egress finepack: under leases every store is answered, and a queued one is not\n"
                     "use --egress plain, or a protocol without leases");
  if (b->finepack && !hardware && !model)
    return weft_fail(w, WEFT_NOT_BUILT_IN, "%s: has no links, so no packets; use model:%s", entry->name,
                     w->config_name);
  if (!rtl && (b->noise || b->cut_cycles))
    return weft_fail(w, WEFT_NOT_BUILT_IN, "%s: has no wires, so no bad ones; use rtl:%s", entry->name,
                     w->config_name);
  if (!rtl && b->wave)
    return weft_fail(w, WEFT_NOT_BUILT_IN, "%s: has no signals, so no waves; use rtl:%s", entry->name,
                     w->config_name);
  return WEFT_OK;
}

static int open_backend(struct weft *w, const struct weft_backend_entry *entry,
                        const struct weft_options *options, struct weft_backend_options *b)
{
  struct weft_backend_error e = { "" };
  w->ops = entry->ops;
  if (!entry->ops || entry->board) {
    /* What was built decides; the host's own parameters are not its business. */
    const struct weft_named_config *named = weft_named_config_find(w->config_name);
    if (named->model)
      return weft_fail(w, WEFT_NOT_BUILT_IN, "%s is a machine for the model alone (%s); use model:%s",
                       w->config_name, named->doc, w->config_name);
    if (named->refused)
      return weft_fail(w, WEFT_NOT_BUILT_IN, "no hardware can be made of %s: %s\nuse model:%s",
                       w->config_name, named->refused, w->config_name);
    b->config = named->value;
    b->config.egress_sub_header = w->config.egress_sub_header; /* registers choose these */
    b->config.egress_payload = w->config.egress_payload;
    b->config.egress_prefix = w->config.egress_prefix;
    b->config.egress_timeout = w->config.egress_timeout;
    b->config.lease_read = w->config.lease_read;
    b->config.lease_write = w->config.lease_write;
    if (weft_config_fits_built(w, &b->config) || weft_protocol_fits_built(w, &b->config, b->protocol) ||
        (entry->load && entry->load(w, w->config_name, options, &w->ops, &w->shared_object)))
      return w->failure.code;
  }
  int result = w->ops->open(&w->backend, b, &e);
  if (result) {
    w->backend = NULL;
    return weft_backend_fail(w, result, &e);
  }
  result = w->ops->info(w->backend, &w->info);
  return result ? weft_backend_fail(w, result, &e) : WEFT_OK;
}

/* A board says itself what it is. */
static int connect(struct weft *w, const char *backend, char *config, size_t size)
{
  const struct weft_named_config *named;
  int code = weft_board_open(w, backend, true, &w->board);
  if (!code && w->board)
    code = weft_board_config(w, w->board, &named);
  if (code || !w->board)
    return code;
  snprintf(config, size, "%s", named->name);
  return WEFT_OK;
}

static void fresh(struct weft *w)
{
  memset(&w->statistics, 0, sizeof w->statistics);
  w->barriers = 0;
  w->launched = w->settled = w->broken = false;
  w->hooks.sample_next = w->hooks.sample_every;
  weft_replicas_restart(w);
}

int weft_open(struct weft *w, const char *backend, const struct weft_options *options)
{
  static const struct weft_options defaults;
  const struct weft_backend_entry *entry;
  struct weft_backend_options b;
  char config[32];
  if (w->backend)
    return weft_fail(w, WEFT_BAD_STATE, "the handle is open already; call weft_close() first");
  if (!options)
    options = &defaults;
  w->failure.message[0] = 0;
  int code = weft_backend_find(w, backend, config, sizeof config, &entry);
  if (!code)
    code = check_names(w, options);
  if (!code && entry->board)
    code = connect(w, backend, config, sizeof config);
  if (!code)
    code = configure(w, config, options);
  if (!code)
    code = check_options(w, options, &b);
  if (!code)
    code = check_ability(w, entry, &b);
  if (!code)
    code = open_backend(w, entry, options, &b);
  if (!code)
    code = weft_pages_open(w);
  if (!code)
    code = weft_counters_open(w);
  if (code)
    weft_close(w);
  else
    fresh(w);
  return code;
}

int weft_reset(struct weft *w)
{
  struct weft_backend_error e = { "" };
  if (weft_need_open(w))
    return w->failure.code;
  int result = w->ops->reset(w->backend, &e);
  if (result)
    return weft_backend_fail(w, result, &e);
  fresh(w);
  return weft_watch_restart(w);
}

int weft_clear(struct weft *w)
{
  int code = weft_reset(w);
  if (code)
    return code;
  weft_pages_close(w);
  return weft_pages_open(w);
}

int weft_settle(struct weft *w)
{
  struct weft_backend_error e = { "" };
  if (weft_need_open(w))
    return w->failure.code;
  if (w->broken)
    return weft_fail(w, WEFT_BAD_STATE, "a launch failed; call weft_reset() first");
  int result = w->ops->settle(w->backend, &e);
  if (result) {
    w->broken = true;
    return weft_backend_fail(w, result, &e);
  }
  w->settled = true;
  return WEFT_OK;
}

int weft_wave_end(struct weft *w)
{
  struct weft_backend_error e = { "" };
  if (weft_need_open(w))
    return w->failure.code;
  int result = w->ops->wave_end ? w->ops->wave_end(w->backend, &e) : WEFT_BACKEND_OK;
  return result == WEFT_BACKEND_LACKS ? weft_fail(w, WEFT_NO_DISK, "%s", e.text)
         : result                     ? weft_backend_fail(w, result, &e)
                                      : WEFT_OK;
}

int weft_describe(struct weft *w, struct weft_machine *machine)
{
  if (weft_need_open(w))
    return w->failure.code;
  const struct weft_config *c = &w->config;
  *machine = (struct weft_machine){
    .backend = w->info.name,
    .config = w->config_name,
    .protocol = weft_protocol_at(w->protocol),
    .hash = w->info.hash,
    .abi = w->ops->abi,
    .lockstep = w->info.lockstep,
    .any_parameters = w->info.runtime_config,
    .nodes = (unsigned)(c->nodes - c->memories),
    .memories = (unsigned)c->memories,
    .cus = (unsigned)c->cus,
    .warps = (unsigned)c->warps,
    .outstanding = (unsigned)c->outstanding,
    .line = (unsigned)c->line,
    .page = (unsigned)c->page,
    .memory = c->memory_bytes,
  };
  return WEFT_OK;
}

int weft_statistics_read(struct weft *w, struct weft_statistics *statistics)
{
  if (weft_need_open(w))
    return w->failure.code;
  *statistics = w->statistics;
  statistics->cycles -= w->replicas.elided.cycle;
  statistics->operations -= w->replicas.elided.operations;
  statistics->bytes -= w->replicas.elided.bytes;
  return WEFT_OK;
}
