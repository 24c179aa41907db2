/* SPDX-License-Identifier: Apache-2.0 */
/* weft: runs workloads on the fabric, and tells what there is. */
#include <signal.h>
#include <string.h>

#include "tool.h"

static const struct verb *const verbs[] = {
  &verb_run,     &verb_explain, &verb_capture, &verb_litmus, &verb_episodes, &verb_explore, &verb_bench,
  &verb_list,    &verb_info,    &verb_config,  &verb_probe,  &verb_selftest, &verb_reset,   &verb_top,
  &verb_program, &verb_vboard,  NULL
};

int main(int argc, char **argv)
{
  struct arguments a;
  /* A file that may not grow is a write that fails, and is told and cleared away like any other. */
  signal(SIGXFSZ, SIG_IGN);
  output_catch_signals();
  if (argc < 2 || !strcmp(argv[1], "--help") || !strcmp(argv[1], "-h") || !strcmp(argv[1], "help")) {
    help_overview(verbs);
    int code = print_done();
    return argc < 2 && !code ? EXIT_USE : code;
  }
  if (!strcmp(argv[1], "--version")) {
    printf("weft %s\n", weft_version());
    return print_done();
  }
  if (!strcmp(argv[1], "--man")) {
    manual_page(verbs);
    return print_done();
  }
  if (!strcmp(argv[1], "--complete")) {
    complete(verbs, argc - 2, argv + 2);
    return print_done();
  }
  int code = arguments_parse(&a, argc, argv, verbs);
  if (code < 0 && a.help) {
    help_verb(a.verb);
    code = print_done();
  }
  if (code < 0)
    code = a.verb->run(&a);
  arguments_free(&a);
  return code;
}
