/* SPDX-License-Identifier: Apache-2.0 */
#include <stdlib.h>
#include <string.h>

#include "boards.h"

static const char *workload_at(size_t index)
{
  struct weft_workload_info info;
  return weft_workload_at(index, &info) ? info.name : NULL;
}

static const char *fault_at(size_t index)
{
  return weft_fault_name((unsigned)index + 1);
}

static void print_workloads(void)
{
  struct weft_workload_info info;
  printf("\nworkloads (weft run WORKLOAD)\n");
  for (size_t i = 0; weft_workload_at(i, &info); i++)
    printf("  %-10s %-14s %s%s%s\n", info.name, info.aliases, info.about,
           *info.size ? "; --size counts " : "", info.size);
}

static void print_names(const char *title, const char *(*at)(size_t), const char *(*about)(const char *))
{
  printf("%s\n", title);
  for (size_t i = 0; at(i); i++)
    printf("  %-10s %s\n", at(i), about ? about(at(i)) : "");
}

static void print_faults(void)
{
  printf("\nfaults (rtl: --fault NAME)\n");
  for (unsigned i = 1; weft_fault_name(i); i++)
    printf("  %2u %-28s %s\n", i, weft_fault_name(i), weft_fault_about(i));
}

static int list(const struct arguments *a, const struct weft_board_found *boards, size_t count)
{
  struct output out;
  json_t *object =
    json_pack("{s:o, s:o, s:o, s:o, s:o, s:o, s:o}", "backends", json_names(weft_backend_at), "configs",
              json_names(weft_config_at), "workloads", json_names(workload_at), "protocols",
              json_names(weft_protocol_at), "egresses", json_names(weft_egress_at), "boards",
              boards_json(boards, count), "provenance", json_provenance(a, ""));
  if (!object)
    return complain(EXIT_LACKS, "out of memory");
  if (a->faults)
    json_object_set_new(object, "faults", json_names(fault_at));
  int code = output_open(&out, a->output);
  if (code < 0)
    code = output_result(&out, object, a->json);
  else
    json_decref(object);
  if (code >= 0)
    return code;
  print_names("back-ends (-b)", weft_backend_at, weft_backend_about);
  print_names("\nconfigurations (weft config NAME)", weft_config_at, weft_config_about);
  print_workloads();
  print_names("\nprotocols (--protocol)", weft_protocol_at, weft_protocol_about);
  print_names("\negress (--egress)", weft_egress_at, NULL);
  boards_print(boards, count);
  if (a->faults)
    print_faults();
  return print_done();
}

static int run(const struct arguments *a)
{
  struct weft_board_found *boards = NULL;
  size_t count = 0;
  struct weft *w = weft_new();
  if (!w)
    return complain(EXIT_LACKS, "out of memory");
  int found = weft_boards_find(w, &boards, &count);
  int code = found ? complain_library(w, found) : list(a, boards, count);
  free(boards);
  weft_free(w);
  return code;
}

const struct verb verb_list = {
  .name = "list",
  .synopsis = "[options]",
  .about = "name the back-ends, configurations, workloads, protocols and boards",
  .teaches =
    "Names what there is: back-ends, configurations, workloads with their aliases, protocols, and the boards that are plugged in.\n"
    "Those are told by what the kernel knows of them: one that is at work is not disturbed.",
  .bit = VERB_LIST,
  .run = run,
};
