/* SPDX-License-Identifier: Apache-2.0 */
/* What --help prints. */
#include "tool.h"

const char help_title[] = "a coherence fabric for multi-GPU machines";
const char help_examples[] =
  "  weft run vecadd -b null:quad        a kernel on flat memory: ends at once\n"
  "  weft run pagerank -b rtl:quad       four nodes of RTL, in lock-step with the model\n"
  "  weft run mix -b rtl:tiny --protocol none   no coherence: wrong answers, exit code 1\n";
const char help_exit_codes[] =
  "Exit codes: 0 done and correct; 1 ran, but the result is wrong or a check failed; 2 wrong use;\n"
  "3 the back-end or device failed; 4 this computer lacks something (file, permission, disk).\n";

void help_overview(const struct verb *const *verbs)
{
  printf("weft %s: %s\n\n", weft_version(), help_title);
  for (size_t i = 0; verbs[i]; i++)
    printf("  weft %-8s %s\n", verbs[i]->name, verbs[i]->about);
  printf("\n`weft VERB --help` teaches each of them. To begin with:\n\n%s\n%s", help_examples,
         help_exit_codes);
}

void help_verb(const struct verb *verb)
{
  const struct option *o;
  printf("weft %s %s\n\n%s\n\n", verb->name, verb->synopsis, verb->teaches);
  for (size_t i = 0; (o = arguments_option_at(i)); i++) {
    char left[64];
    if (!(o->verbs & verb->bit))
      continue;
    snprintf(left, sizeof left, "%s%c%s%s%s%s", o->letter ? "-" : "", o->letter ? o->letter : ' ',
             o->letter ? ", " : "   ", o->name, o->value ? " " : "", o->value ? o->value : "");
    printf("  %-28s  %s\n", left, o->about);
  }
}
