/* SPDX-License-Identifier: Apache-2.0 */
#include <inttypes.h>
#include <string.h>
#include <weft/board.h>

#include "bench_board.h"

#define NODES_MAX 16
#define PAGE 4096
#define KEPT 16 /* loads whose bytes may still come */

struct stream {
  enum board_kind kind;
  uint64_t each;
  weft_address page[NODES_MAX];
};

/* Every warp has a line of its own, in its own node's memory: what limits it is the line to the board. */
static weft_address own_line(const struct stream *s, const struct weft_place *p)
{
  return s->page[p->node] + (uint64_t)(p->cu * p->warps + p->warp) * p->line;
}

static void kernel(struct weft_warp *t, void *arg)
{
  const struct stream *s = arg;
  weft_address line = own_line(s, weft_where(t));
  uint32_t value[KEPT];
  for (uint64_t i = 0; i < s->each; i++) {
    uint32_t now = (uint32_t)i + 1;
    if (s->kind == BOARD_LOAD)
      weft_load_async(t, line, &value[i % KEPT], sizeof *value, WEFT_WEAK, WEFT_SYS);
    else if (s->kind == BOARD_STORE)
      weft_store(t, line, &now, sizeof now, WEFT_WEAK, WEFT_SYS);
    else
      weft_rmw_async(t, WEFT_ADD, line, sizeof now, 1, 0, NULL, WEFT_SYS);
  }
  weft_wait_all(t);
}

/* What the last one left: the number of a warp's operations, or nothing by loads. */
static int check(struct weft *w, const struct stream *s, const struct weft_machine *m)
{
  uint32_t expected = s->kind == BOARD_LOAD ? 0 : (uint32_t)s->each, value;
  for (unsigned node = 0; node < m->nodes; node++)
    for (unsigned i = 0; i < m->cus * m->warps; i++) {
      int code = weft_read(w, s->page[node] + (uint64_t)i * m->line, &value, sizeof value);
      if (code)
        return complain_library(w, code);
      if (value != expected)
        return complain(EXIT_WRONG,
                        "%s: a warp of node %u left %" PRIu32 " where %" PRIu32 " is right\n"
                        "`weft selftest` tells more",
                        board_kind_names[s->kind], node, value, expected);
    }
  return -1;
}

static int measure(struct weft *w, struct stream *s, const struct weft_machine *m, struct board_row *row)
{
  struct weft_board_traffic before, after;
  struct weft_statistics statistics;
  int code = 0;
  for (unsigned node = 0; node < m->nodes && node < NODES_MAX && !code; node++)
    code = weft_alloc(w, PAGE, (int)node, &s->page[node]);
  if (!code)
    code = weft_board_traffic_read(w, &before);
  if (!code)
    code = weft_launch(w, kernel, s);
  if (!code)
    code = weft_board_traffic_read(w, &after);
  if (!code)
    code = weft_statistics_read(w, &statistics);
  if (!code)
    code = weft_settle(w);
  if (code)
    return complain_library(w, code);
  row->operations = statistics.operations;
  row->cycles = statistics.cycles;
  row->seconds = statistics.wall_seconds;
  row->bytes_down = after.sent - before.sent;
  row->bytes_up = after.received - before.received;
  return check(w, s, m);
}

int board_stream(const struct arguments *a, const char *backend, uint64_t each, struct board_row *row,
                 char config[32])
{
  struct stream s = { .kind = row->kind, .each = each };
  struct weft_options options = { .timing = row->timing, .set = a->set, .seed = a->seed };
  struct weft_machine machine;
  struct weft *w = weft_new();
  if (!w)
    return complain(EXIT_LACKS, "out of memory");
  int code = weft_open(w, backend, &options);
  int result = code ? complain_library(w, code) : -1;
  if (!code) {
    weft_describe(w, &machine);
    snprintf(config, 32, "%s", machine.config);
    result = measure(w, &s, &machine, row);
  }
  weft_free(w);
  return result;
}
