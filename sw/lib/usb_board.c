/* SPDX-License-Identifier: Apache-2.0 */
#include "usb_board.h"

#include <ctype.h>
#include <errno.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "handle.h"
#include "record.h"
#include "usb_device.h"

#define TIMEOUT_MOST_MS 600000U

/* ---- What was asked for ------------------------------------------------------------------------------ */

struct wanted {
  char record[512], replay[512]; /* files, or "" */
  struct weft_usb_settings usb;
};

#define SYNTAX "use usb:[serial=S][,depth=N][,timeout=MS]; `weft list` names the boards"

static bool read_count(const char *text, unsigned most, unsigned *value)
{
  char *end;
  errno = 0;
  unsigned long number = strtoul(text, &end, 10);
  *value = (unsigned)number;
  return isdigit((unsigned char)text[0]) && !*end && !errno && number >= 1 && number <= most;
}

static int read_setting(struct weft *w, const char *text, struct wanted *wanted)
{
  if (!strncmp(text, "serial=", 7) && text[7] && strlen(text + 7) < sizeof wanted->usb.serial) {
    memcpy(wanted->usb.serial, text + 7, strlen(text + 7) + 1);
    return WEFT_OK;
  }
  if (!strncmp(text, "depth=", 6))
    return read_count(text + 6, WEFT_USB_DEPTH_MAX, &wanted->usb.depth)
             ? WEFT_OK
             : weft_fail(w, WEFT_UNKNOWN_BACKEND, "usb:%s: transfers in flight, 1 to %u", text,
                         WEFT_USB_DEPTH_MAX);
  if (!strncmp(text, "timeout=", 8))
    return read_count(text + 8, TIMEOUT_MOST_MS, &wanted->usb.timeout_ms)
             ? WEFT_OK
             : weft_fail(w, WEFT_UNKNOWN_BACKEND, "usb:%s: milliseconds, 1 to %u", text, TIMEOUT_MOST_MS);
  return weft_fail(w, WEFT_UNKNOWN_BACKEND, "usb:%s means nothing\n" SYNTAX, text);
}

static int read_settings(struct weft *w, const char *text, struct wanted *wanted)
{
  while (*text) {
    char one[128];
    size_t length = strcspn(text, ",");
    snprintf(one, sizeof one, "%.*s", (int)length, text);
    if (length >= sizeof one || read_setting(w, one, wanted))
      return length >= sizeof one ? weft_fail(w, WEFT_UNKNOWN_BACKEND, "usb:%s is too long\n" SYNTAX, one)
                                  : w->failure.code;
    text += length + (text[length] == ',');
  }
  return WEFT_OK;
}

static int read_file_name(struct weft *w, const char *text, size_t length, char *name, size_t size)
{
  snprintf(name, size, "%.*s", (int)length, text);
  return length && length < size ? WEFT_OK
                                 : weft_fail(w, WEFT_UNKNOWN_BACKEND,
                                             "a file is needed: record:FILE,usb:serial=S, then replay:FILE");
}

/* "usb", "usb:serial=S", "replay:FILE", "record:FILE,usb:..." */
static int read_backend(struct weft *w, const char *text, struct wanted *wanted)
{
  memset(wanted, 0, sizeof *wanted);
  if (!strncmp(text, "replay:", 7))
    return read_file_name(w, text + 7, strlen(text + 7), wanted->replay, sizeof wanted->replay);
  if (!strncmp(text, "record:", 7)) {
    const char *usb = strstr(text + 7, ",usb");
    if (!usb)
      return weft_fail(w, WEFT_UNKNOWN_BACKEND, "%s: only boards can be recorded: record:FILE,usb:serial=S",
                       text);
    if (read_file_name(w, text + 7, (size_t)(usb - text - 7), wanted->record, sizeof wanted->record))
      return w->failure.code;
    text = usb + 1;
  }
  if (strncmp(text, "usb", 3) != 0 || (text[3] && text[3] != ':'))
    return weft_fail(w, WEFT_UNKNOWN_BACKEND,
                     "'%s' is no board\n" SYNTAX ", `weft vboard -- COMMAND` emulates one", text);
  return text[3] ? read_settings(w, text + 4, wanted) : WEFT_OK;
}

int weft_board_serial(struct weft *w, const char *backend, char *serial, size_t size)
{
  struct wanted wanted;
  int result = read_backend(w, backend, &wanted);
  if (!result)
    snprintf(serial, size, "%s", wanted.usb.serial);
  return result;
}

/* ---- Opening ----------------------------------------------------------------------------------------- */

static int open_line(struct weft_board *b, const struct wanted *wanted, struct weft_backend_error *e)
{
  if (wanted->replay[0])
    return weft_replay_open(&b->line, wanted->replay, e);
  int result = weft_usb_open(&b->line, &wanted->usb, e);
  if (result || !wanted->record[0])
    return result;
  result = weft_record_open(&b->line, wanted->record, e);
  if (result)
    b->line.close(b->line.context);
  return result;
}

int weft_board_open(struct weft *w, const char *backend, bool reset_fabric, struct weft_board **board)
{
  struct wanted wanted;
  struct weft_backend_error e = { "" };
  *board = NULL;
  if (read_backend(w, backend, &wanted))
    return w->failure.code;
  struct weft_board *b = calloc(1, sizeof *b);
  if (!b)
    return weft_fail_memory(w);
  int result = open_line(b, &wanted, &e);
  if (result) {
    free(b);
    return weft_backend_fail(w, result, &e);
  }
  b->session = weft_session_new(&b->line, wanted.usb.timeout_ms);
  if (!b->session) {
    weft_board_close(b);
    return weft_fail_memory(w);
  }
  result = weft_session_open(b->session, reset_fabric, &e);
  if (result) {
    weft_board_close(b);
    return weft_backend_fail(w, result, &e);
  }
  *board = b;
  return WEFT_OK;
}

void weft_board_close(struct weft_board *b)
{
  if (!b)
    return;
  weft_session_free(b->session);
  b->line.close(b->line.context);
  free(b);
}

/* ---- Which configuration ----------------------------------------------------------------------------- */

static void write_hash(const uint8_t hash[32], char text[65])
{
  for (unsigned i = 0; i < 32; i++)
    snprintf(text + 2 * (size_t)i, 3, "%02x", hash[i]);
}

static const struct weft_named_config *find_hash(const char *hash)
{
  for (size_t i = 0; i < weft_named_config_count; i++)
    if (!strcmp(weft_named_configs[i].hash, hash))
      return &weft_named_configs[i];
  return NULL;
}

/* The configuration that a board most likely has, though of other sources: by its shape. */
static const struct weft_named_config *find_shape(const struct weft_host_identity *i)
{
  for (size_t k = 0; k < weft_named_config_count; k++) {
    const struct weft_config *c = &weft_named_configs[k].value;
    if (c->nodes == i->nodes && c->cus == i->cus && c->warps == i->warps && c->line == i->line &&
        c->memory_bytes == UINT64_C(1) << i->memory_log2)
      return &weft_named_configs[k];
  }
  return weft_named_config_find("ulx3s");
}

int weft_board_config(struct weft *w, const struct weft_board *board, const struct weft_named_config **config)
{
  const struct weft_host_identity *i = &board->session->identity;
  char hash[65];
  write_hash(i->hash, hash);
  if (i->version != WEFT_HOST_VERSION || i->abi != WEFT_CONFIG_ABI)
    return weft_fail(w, WEFT_BACKEND_OTHER,
                     "%s: the board's bitstream has ABI %u and frames %u, this library %u and %u\n"
                     "load one of this version: weft program FILE",
                     board->line.name, i->abi, i->version, WEFT_CONFIG_ABI, WEFT_HOST_VERSION);
  *config = find_hash(hash);
  if (*config)
    return WEFT_OK;
  const struct weft_named_config *likely = find_shape(i);
  return weft_fail(
    w, WEFT_BACKEND_OTHER,
    "%s: the board's bitstream was built from other sources:\nits hash is %.16s, this library's for %s "
    "%.16s\nbuild it again (make fpga), then: weft program FILE",
    board->line.name, hash, likely->name, likely->hash);
}

/* ---- For whoever asks -------------------------------------------------------------------------------- */

static void describe(const struct weft_board *b, struct weft_board_identity *out)
{
  const struct weft_host_identity *i = &b->session->identity;
  const struct weft_named_config *config;
  memset(out, 0, sizeof *out);
  snprintf(out->board, sizeof out->board, "%s", b->line.name);
  write_hash(i->hash, out->hash);
  config = find_hash(out->hash);
  snprintf(out->config, sizeof out->config, "%s", config ? config->name : "");
  out->frames = i->version;
  out->abi = i->abi;
  out->own_frames = WEFT_HOST_VERSION;
  out->own_abi = WEFT_CONFIG_ABI;
  out->clock = i->clock;
  out->nodes = i->nodes;
  out->memories = i->memories;
  out->cus = i->cus;
  out->warps = i->warps;
  out->outstanding = i->outstanding;
  out->line = i->line;
  out->banks = i->banks;
  out->counters = i->counters;
  out->memory = UINT64_C(1) << i->memory_log2;
  out->window = i->window;
  out->faults = i->faults;
}

int weft_board_identify(struct weft *w, const char *backend, bool reset, struct weft_board_identity *identity)
{
  struct weft_board *b;
  if (w->backend)
    return weft_fail(w, WEFT_BAD_STATE, "the handle is open already; call weft_close() first");
  int code = weft_board_open(w, backend, reset, &b);
  if (code || !b)
    return code;
  describe(b, identity);
  weft_board_close(b);
  return WEFT_OK;
}

int weft_boards_find(struct weft *w, struct weft_board_found **boards, size_t *count)
{
  struct weft_backend_error e = { "" };
  return weft_backend_fail(w, weft_usb_list(boards, count, &e), &e);
}

static int need_board(struct weft *w)
{
  return w->board ? WEFT_OK : weft_fail(w, WEFT_BAD_STATE, "no board is open; open usb:serial=S first");
}

static int echo_part(struct weft *w, const uint8_t *bytes, size_t at, size_t count)
{
  struct weft_session *s = w->board->session;
  struct weft_host_command c = { .code = WEFT_HOST_ECHO, .count = (uint32_t)count };
  struct weft_host_answer a;
  struct weft_backend_error e = { "" };
  memcpy(c.bytes, bytes + at, count);
  int result = weft_session_put(s, &c, &e);
  if (!result)
    result = weft_session_expect(s, WEFT_HOST_ECHO, &a, &e);
  if (result)
    return weft_backend_fail(w, result, &e);
  for (size_t i = 0; i < count; i++)
    if (a.count != count || a.bytes[i] != bytes[at + i])
      return weft_fail(w, WEFT_WRONG_RESULT, "byte %zu was sent as 0x%02x and came back as 0x%02x", at + i,
                       bytes[at + i], a.bytes[i]);
  return WEFT_OK;
}

int weft_board_echo(struct weft *w, const void *bytes, size_t count)
{
  int code = need_board(w);
  for (size_t at = 0; at < count && !code; at += WEFT_HOST_ECHO_MAX)
    code = echo_part(w, bytes, at, count - at < WEFT_HOST_ECHO_MAX ? count - at : WEFT_HOST_ECHO_MAX);
  return code;
}

int weft_board_traffic_read(struct weft *w, struct weft_board_traffic *traffic)
{
  if (need_board(w))
    return w->failure.code;
  *traffic = w->board->session->traffic;
  return WEFT_OK;
}
