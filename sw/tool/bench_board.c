/* SPDX-License-Identifier: Apache-2.0 */
#include "bench_board.h"

#include <inttypes.h>
#include <string.h>

#define ROWS_MAX (2 * BOARD_KINDS)
#define CLOCK_HZ 60e6
/* Operations of a warp, unless --size says otherwise. A simulated board takes ten times as long for one in exact time. */
#define EACH_FREE 400U
#define EACH_EXACT 24U
#define EACH_REAL 10000U

const char *const board_kind_names[BOARD_KINDS] = { "load", "store", "atomic" };
const char *const board_timings[2] = { "free", "exact" };

static const struct bench_family family = { .any_backend = true, .run = bench_board_run };
const struct bench bench_board = { "board", "bytes and clocks of an operation on the line to a board",
                                   &family, NULL,
                                   0,       false };

struct board_bench {
  struct board_row row[ROWS_MAX];
  size_t rows;
  char config[32];
};

static bool names(const char *list, const char *name)
{
  size_t length = strlen(name);
  for (const char *at = list; at; at = strchr(at, ','), at += at != NULL)
    if (!strncmp(at, name, length) && (!at[length] || at[length] == ','))
      return true;
  return false;
}

static int choose(const struct arguments *a, struct board_bench *b)
{
  for (unsigned t = 0; t < 2; t++)
    for (unsigned k = 0; k < BOARD_KINDS; k++)
      if ((!a->only || names(a->only, board_kind_names[k])) &&
          (!a->timing || !strcmp(a->timing, board_timings[t])))
        b->row[b->rows++] = (struct board_row){ .kind = k, .timing = board_timings[t] };
  if (b->rows)
    return -1;
  return complain(EXIT_USE, "bench board: there are --only load,store,atomic and --timing free or exact");
}

static bool is_free(const struct board_row *row)
{
  return row->timing == board_timings[0];
}

/* Of what the FTDI's lines can carry, a byte in each clock, so much was carried. */
static double wire(const struct board_row *row)
{
  return row->clocks ? (double)row->moved / (double)row->clocks : 0;
}

static double per_second(const struct board_row *row)
{
  double seconds = row->clocks ? (double)row->clocks / CLOCK_HZ : row->seconds;
  return seconds > 0 ? (double)row->operations / seconds : 0;
}

static int measure(const struct arguments *a, struct board_bench *b)
{
  int code = -1;
  struct progress progress;
  progress_open(&progress);
  for (size_t i = 0; i < b->rows && code < 0; i++) {
    struct board_row *row = &b->row[i];
    uint64_t usual = a->backend ? EACH_REAL : is_free(row) ? EACH_FREE : EACH_EXACT;
    progress_bar(&progress, i, b->rows, board_kind_names[row->kind], row->timing);
    code = a->backend ? board_stream(a, a->backend, a->size ? a->size : usual, row, b->config)
                      : board_virtual(a, a->size ? a->size : usual, row);
  }
  progress_close(&progress);
  if (!a->backend)
    snprintf(b->config, sizeof b->config, "%s", a->config ? a->config : "ulx3s");
  return code;
}

static json_t *row_json(const struct board_row *row)
{
  double operations = (double)row->operations;
  json_t *object = json_pack(
    "{s:s, s:s, s:I, s:I, s:I, s:I, s:f, s:f, s:f, s:f}", "kind", board_kind_names[row->kind], "timing",
    row->timing, "operations", (json_int_t)row->operations, "bytes_down", (json_int_t)row->bytes_down,
    "bytes_up", (json_int_t)row->bytes_up, "cycles", (json_int_t)row->cycles, "seconds", row->seconds,
    "bytes_per_operation", (double)(row->bytes_down + row->bytes_up) / operations, "operations_per_second",
    per_second(row), "wall_rate", row->seconds > 0 ? operations / row->seconds : 0);
  if (row->clocks) {
    json_object_set_new(object, "clocks", json_integer((json_int_t)row->clocks));
    json_object_set_new(object, "clocks_per_operation", json_real((double)row->clocks / operations));
    json_object_set_new(object, "of_the_wire", json_real(wire(row)));
  }
  return object;
}

static json_t *to_json(const struct arguments *a, const struct board_bench *b)
{
  json_t *rows = json_array();
  for (size_t i = 0; i < b->rows; i++)
    json_array_append_new(rows, row_json(&b->row[i]));
  return json_pack("{s:s, s:s, s:s, s:o, s:o}", "bench", "board", "backend",
                   a->backend ? a->backend : "virtual", "config", b->config, "rows", rows, "provenance",
                   json_provenance(a, ""));
}

static void print(const struct arguments *a, const struct board_bench *b)
{
  printf("board: operations on the line to %s, %s\n", a->backend ? a->backend : "a virtual board", b->config);
  if (!a->backend)
    printf("FT245 at 60 MHz, a byte per clock, both ways together; rates are those of its clock\n");
  printf("\n%-6s %-7s %11s %8s %8s %8s %9s %12s\n", "time", "kind", "operations", "down/op", "up/op",
         "clk/op", "of wire", "ops/s");
  for (size_t i = 0; i < b->rows; i++) {
    const struct board_row *row = &b->row[i];
    double operations = (double)row->operations;
    printf("%-6s %-7s %11" PRIu64 " %8.1f %8.1f", row->timing, board_kind_names[row->kind], row->operations,
           (double)row->bytes_down / operations, (double)row->bytes_up / operations);
    if (row->clocks)
      printf(" %8.1f %7.1f %%", (double)row->clocks / operations, 100 * wire(row));
    else
      printf(" %8s %9s", "-", "-");
    printf(" %12.0f\n", per_second(row));
  }
}

int bench_board_run(const struct arguments *a, struct output *out)
{
  struct board_bench b = { .rows = 0 };
  int code = choose(a, &b);
  if (code < 0)
    code = measure(a, &b);
  if (code < 0)
    code = output_result(out, to_json(a, &b), a->json);
  if (code >= 0)
    return code;
  print(a, &b);
  return print_done();
}
