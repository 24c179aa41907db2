/* SPDX-License-Identifier: Apache-2.0 */
/* Wave files: which signals a viewer should show first, and whether a file is whole. */
#include <errno.h>
#include <stdio.h>
#include <string.h>

#include "verilated_parts.h"

#define FABRIC "TOP.sim_top.u_fabric"

/* ---------------------------------------------------------------- the list of signals */

enum { BIT = 0, LINE = -1 }; /* widths beside numbers: a plain bit; the bits of a line's data */

struct signal {
  const char *name; /* below the place of its stream; NULL ends the list */
  int bits;
};

enum place { AT_CU, AT_BANK, AT_NODE };

/* A stream: handshake, then the fields of its message that tell most. */
struct stream {
  const char *title;
  enum place place;
  struct signal signal[12];
};

static const struct stream streams[] = {
  { "CU to L1",
    AT_CU,
    { { "cu_valid_i", BIT },
      { "cu_ready_o", BIT },
      { "cu_req_i.op", 2 },
      { "cu_req_i.warp", 4 },
      { "cu_req_i.tag", 8 },
      { "cu_req_i.order", 3 },
      { "cu_req_i.scope", 2 },
      { "cu_req_i.address", 40 } } },
  { "L1 to CU",
    AT_CU,
    { { "cu_valid_o", BIT }, { "cu_rsp_o.warp", 4 }, { "cu_rsp_o.tag", 8 }, { "cu_rsp_o.data", LINE } } },
  { "L1 to L2",
    AT_CU,
    { { "req_valid_o", BIT },
      { "req_ready_i", BIT },
      { "req_o.kind", 3 },
      { "req_o.id", 6 },
      { "req_o.address", 40 } } },
  { "L2 to L1",
    AT_CU,
    { { "rsp_valid_i", BIT },
      { "rsp_ready_o", BIT },
      { "rsp_i.kind", 3 },
      { "rsp_i.id", 6 },
      { "rsp_i.install", BIT } } },
  { "L2 and home: what it did",
    AT_BANK,
    { { "u_l2.event_o.valid", BIT },
      { "u_l2.event_o.kind", 4 },
      { "u_l2.event_o.req.src", 4 },
      { "u_l2.event_o.req.kind", 3 },
      { "u_l2.event_o.req.address", 40 },
      { "u_l2.event_o.hit", BIT },
      { "u_l2.event_o.allocated", BIT },
      { "u_l2.event_o.installed", BIT } } },
  { "directory",
    AT_BANK,
    { { "u_l2.dir_event_o.valid", BIT },
      { "u_l2.dir_event_o.op", 2 },
      { "u_l2.dir_event_o.requester", 4 },
      { "u_l2.dir_event_o.address", 40 },
      { "u_l2.dir_event_o.hit", BIT },
      { "u_l2.dir_event_o.evicted", BIT },
      { "u_l2.dir_event_o.sharers", 15 },
      { "u_l2.dir_event_o.inv_sharers", 15 } } },
  { "memory",
    AT_BANK,
    { { "mem_req_valid", BIT },
      { "mem_req_ready", BIT },
      { "mem_req.write", BIT },
      { "mem_req.address", 40 },
      { "mem_rsp_valid", BIT },
      { "mem_rsp.id", 5 } } },
  { "link out: requests",
    AT_NODE,
    { { "out_req_valid", BIT },
      { "out_req_ready", BIT },
      { "out_req.kind", 3 },
      { "out_req.dst", 4 },
      { "out_req.address", 40 } } },
  { "link out: forwards",
    AT_NODE,
    { { "out_fwd_valid", BIT },
      { "out_fwd_ready", BIT },
      { "out_fwd.kind", 1 },
      { "out_fwd.dst", 4 },
      { "out_fwd.address", 40 } } },
  { "link out: responses",
    AT_NODE,
    { { "out_rsp_valid", BIT },
      { "out_rsp_ready", BIT },
      { "out_rsp.kind", 3 },
      { "out_rsp.dst", 4 },
      { "out_rsp.id", 6 } } },
  { "link in: requests",
    AT_NODE,
    { { "in_req_valid", BIT },
      { "in_req_ready", BIT },
      { "in_req.kind", 3 },
      { "in_req.src", 4 },
      { "in_req.address", 40 } } },
  { "link in: forwards",
    AT_NODE,
    { { "in_fwd_valid", BIT },
      { "in_fwd_ready", BIT },
      { "in_fwd.kind", 1 },
      { "in_fwd.src", 4 },
      { "in_fwd.address", 40 } } },
  { "link in: responses",
    AT_NODE,
    { { "in_rsp_valid", BIT },
      { "in_rsp_ready", BIT },
      { "in_rsp.kind", 3 },
      { "in_rsp.src", 4 },
      { "in_rsp.id", 6 } } },
};
#define STREAMS (sizeof streams / sizeof *streams)

/* GTKWave's save file has flags before what they are for: a bit, a hexadecimal number, a group's beginning and end
 * (node 0's are open). Surfer's command file has a command a line. */
struct view {
  FILE *file;
  bool surfer;
  unsigned line; /* bytes */
};

static void show_group(const struct view *v, const char *title, bool begins, bool open)
{
  if (!v->surfer)
    fprintf(v->file, "%s\n-%s\n", begins ? (open ? "@800200" : "@c00200") : (open ? "@1000200" : "@1401200"),
            title);
  else if (begins)
    fprintf(v->file, "divider_add %s\n", title);
}

static void show_signal(const struct view *v, const char *place, const struct signal *s)
{
  int bits = s->bits == LINE ? (int)(8 * v->line) : s->bits;
  if (v->surfer)
    fprintf(v->file, "variable_add %s.%s\n", place, s->name);
  else if (bits == BIT)
    fprintf(v->file, "@28\n%s.%s\n", place, s->name);
  else
    fprintf(v->file, "@22\n%s.%s[%d:0]\n", place, s->name, bits - 1);
}

static void show_stream(const struct view *v, const struct stream *s, unsigned node, unsigned index)
{
  static const char *const formats[] = { "node %u cu %u: %s", "node %u bank %u: %s" };
  char place[160], title[96];
  if (s->place == AT_NODE)
    snprintf(title, sizeof title, "node %u: %s", node, s->title);
  else
    snprintf(title, sizeof title, formats[s->place], node, index, s->title);
  if (s->place == AT_CU)
    snprintf(place, sizeof place, FABRIC ".gen_node[%u].u_node.gen_l1[%u].u_l1", node, index);
  else if (s->place == AT_BANK)
    snprintf(place, sizeof place, FABRIC ".gen_node[%u].u_node.gen_bank[%u]", node, index);
  else
    snprintf(place, sizeof place, FABRIC ".gen_node[%u]", node);
  show_group(v, title, true, node == 0);
  for (const struct signal *signal = s->signal; signal->name; signal++)
    show_signal(v, place, signal);
  show_group(v, title, false, node == 0);
}

static void show_all(const struct view *v, const struct weft_config *c)
{
  static const struct signal clock = { "clk_i", BIT };
  if (!v->surfer)
    fprintf(v->file, "[*] Weft: cycle c is the time from 10 c on\n[timestart] 0\n");
  show_signal(v, FABRIC, &clock);
  for (unsigned n = 0; n < c->nodes; n++)
    for (size_t i = 0; i < STREAMS; i++) {
      unsigned count = streams[i].place == AT_CU     ? (unsigned)c->cus
                       : streams[i].place == AT_BANK ? (unsigned)c->l2_banks
                                                     : 1U;
      for (unsigned k = 0; k < count; k++)
        show_stream(v, &streams[i], n, k);
    }
}

static int write_view(const char *path, bool surfer, const struct weft_config *config,
                      struct weft_backend_error *e)
{
  if (!path)
    return WEFT_BACKEND_OK;
  struct view v = { fopen(path, "w"), surfer, (unsigned)config->line };
  bool good = v.file != NULL;
  if (good) {
    show_all(&v, config);
    good = !ferror(v.file);
    good = !fclose(v.file) && good;
  }
  if (good)
    return WEFT_BACKEND_OK;
  snprintf(e->text, sizeof e->text,
           "cannot write the wave's view %s: %s\nmake room, or name a wave file elsewhere", path,
           strerror(errno));
  return WEFT_BACKEND_LACKS;
}

int weft_wave_view(const struct weft_backend_options *options, struct weft_backend_error *e)
{
  int result = write_view(options->wave_view, false, &options->config, e);
  return result ? result : write_view(options->wave_commands, true, &options->config, e);
}

/* ---------------------------------------------------------------- is it whole? */

/* Verilator's writer stops writing at the first error and says nothing; what it writes last is the header, at the
 * beginning. So a whole file has a header, and blocks that end where the file ends. */
#define BLOCK_HEAD 9L /* kind, then its length without the kind, most significant byte first */

bool weft_wave_whole(const char *path)
{
  FILE *file = fopen(path, "rb");
  if (!file)
    return false;
  long at = 0, end = fseek(file, 0, SEEK_END) ? -1 : ftell(file);
  unsigned char head[BLOCK_HEAD];
  while (at >= 0 && at < end) {
    if (fseek(file, at, SEEK_SET) || fread(head, 1, sizeof head, file) != sizeof head)
      break;
    uint64_t length = 0;
    for (unsigned i = 1; i < BLOCK_HEAD; i++)
      length = length << 8 | head[i];
    if (length < BLOCK_HEAD - 1 || length > (uint64_t)(end - at))
      break;
    at += 1 + (long)length;
  }
  fclose(file);
  return end > 0 && at == end;
}
