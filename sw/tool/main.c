/* SPDX-License-Identifier: Apache-2.0 */
/* weft: runs workloads on the fabric, and tells what there is. */
#include <string.h>

#include "tool.h"

static const struct verb *const verbs[] = { &verb_run, &verb_list, &verb_info, &verb_config, NULL };

static int overview(void)
{
  printf("weft %s: a coherence fabric for multi-GPU machines\n\n", weft_version());
  for (size_t i = 0; verbs[i]; i++)
    printf("  weft %-8s %s\n", verbs[i]->name, verbs[i]->about);
  printf("\n`weft VERB --help` teaches each of them. To begin with:\n\n"
         "  weft run vecadd -b null:quad        a kernel on flat memory: ends at once\n"
         "  weft run pagerank -b rtl:quad       four nodes of RTL, in lock-step with the model\n"
         "  weft run mix -b rtl:tiny --protocol none   no coherence: wrong answers, exit code 1\n\n"
         "Exit codes: 0 done and correct; 1 ran, but the result is wrong or a check failed; 2 wrong use;\n"
         "3 the back-end or device failed; 4 this computer lacks something (file, permission, disk).\n");
  return print_done();
}

int main(int argc, char **argv)
{
  struct arguments a;
  if (argc < 2 || !strcmp(argv[1], "--help") || !strcmp(argv[1], "-h") || !strcmp(argv[1], "help")) {
    int code = overview();
    return argc < 2 && !code ? EXIT_USE : code;
  }
  if (!strcmp(argv[1], "--version")) {
    printf("weft %s\n", weft_version());
    return print_done();
  }
  int code = arguments_parse(&a, argc, argv, verbs);
  if (code < 0 && a.help) {
    arguments_help(a.verb);
    code = print_done();
  }
  if (code < 0)
    code = a.verb->run(&a);
  arguments_free(&a);
  return code;
}
