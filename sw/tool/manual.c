/* SPDX-License-Identifier: Apache-2.0 */
/* The manual page, weft(1), in the man macros. Made from the tables that --help is made from, so the two cannot
 * disagree: `weft --man | man -l -`. */
#include <string.h>

#include "tool.h"

/* ---- Text to roff ------------------------------------------------------------------------------------ */

static void put_char(char c)
{
  switch (c) {
  case '\\':
    fputs("\\e", stdout);
    break;
  case '-':
    fputs("\\-", stdout);
    break;
  case '^':
    fputs("\\(ha", stdout);
    break;
  case '~':
    fputs("\\(ti", stdout);
    break;
  default:
    putchar(c);
  }
}

/* One line of text; what stands between backticks is bold. */
static void put_line(const char *text, size_t length)
{
  bool bold = false;
  if (length && (text[0] == '.' || text[0] == '\''))
    fputs("\\&", stdout);
  for (size_t i = 0; i < length; i++) {
    if (text[i] != '`') {
      put_char(text[i]);
      continue;
    }
    bold = !bold;
    fputs(bold ? "\\fB" : "\\fR", stdout);
  }
  putchar('\n');
}

static void put_text(const char *text)
{
  put_line(text, strlen(text));
}

/* Paragraphs of a table: lines that begin with two blanks are examples and stay as they are. */
static void put_paragraphs(const char *text)
{
  bool example = false;
  for (const char *next; *text; text = next) {
    size_t length = strcspn(text, "\n");
    next = text + length + (text[length] == '\n');
    bool indented = length > 2 && !strncmp(text, "  ", 2);
    if (indented != example && length) {
      puts(indented ? ".PP\n.RS 2\n.nf" : ".fi\n.RE\n.PP");
      example = indented;
    }
    if (length)
      put_line(text + (indented ? 2 : 0), length - (indented ? 2 : 0));
    else if (*next && strncmp(next, "  ", 2) != 0 && !example)
      puts(".PP");
  }
  if (example)
    puts(".fi\n.RE");
}

/* ---- Parts of the page ------------------------------------------------------------------------------- */

static void put_entry(const char *name, const char *about)
{
  printf(".TP\n\\fB");
  put_text(name);
  printf("\\fR");
  put_text(about);
}

static void put_option(const struct option *o)
{
  puts(".TP");
  if (o->letter)
    printf("\\fB\\-%c\\fR, ", o->letter);
  printf("\\fB");
  for (const char *c = o->name; *c; c++)
    put_char(*c);
  printf("\\fR");
  if (o->value)
    printf(" \\fI%s\\fR", o->value);
  putchar('\n');
  put_text(o->about);
}

static void put_verb(const struct verb *verb)
{
  const struct option *o;
  printf(".SS weft ");
  put_text(verb->name);
  printf("\\fBweft %s\\fR ", verb->name);
  put_text(verb->synopsis);
  puts(".PP");
  put_paragraphs(verb->teaches);
  for (size_t i = 0; (o = arguments_option_at(i)); i++)
    if (o->verbs & verb->bit)
      put_option(o);
}

static void put_names(const char *title, const char *(*at)(size_t), const char *(*about)(const char *))
{
  printf(".SH %s\n", title);
  for (size_t i = 0; at(i); i++)
    put_entry(at(i), about(at(i)));
}

static void put_workloads(void)
{
  struct weft_workload_info info;
  puts(".SH WORKLOADS");
  for (size_t i = 0; weft_workload_at(i, &info); i++) {
    put_entry(info.name, info.about);
    if (*info.size)
      printf("(\\fB\\-\\-size\\fR counts %s%s%s)\n", info.size, *info.aliases ? "; also called " : "",
             info.aliases);
  }
}

static void put_surroundings(void)
{
  puts(
    ".SH ENVIRONMENT\n.TP\n.B WEFT_RTL_PATH\n"
    "Folders, separated by colons, that hold \\fICONFIG\\fR/libweft\\-rtl.so for the back\\-end rtl:. They\n"
    "come before all others, which are: rtl and ../lib/weft/rtl beside the program, weft/rtl beside\n"
    "libweft.so, build/rtl of a source tree, and ../lib/weft/rtl beside the \\fBweft\\fR on the PATH.");
  puts(".SH FILES\nUnder the prefix of the installation:\n"
       ".TP\n.I include/weft/weft.h\nThe library's header, which is its manual.\n"
       ".TP\n.I lib/weft/rtl/\nThe Verilated fabrics, a folder per configuration.\n"
       ".TP\n.I share/weft/examples/\nA program of one's own on the fabric, and its Makefile.\n"
       ".TP\n.I share/weft/wireshark/weft.lua\nThe dissector for captures: "
       "\\fBwireshark \\-X lua_script:\\fR\\fIPREFIX\\fR\\fB/share/weft/wireshark/weft.lua\\fR\n"
       "\\fIFILE\\fR, or copied into Wireshark's folder of personal Lua plugins.\n"
       ".TP\n.I share/doc/weft/\nThe documentation.");
  puts(".SH SEE ALSO\n.BR pkg\\-config (1):\n.B pkg\\-config \\-\\-cflags \\-\\-libs weft");
}

void manual_page(const struct verb *const *verbs)
{
  printf(".TH WEFT 1 \"\" \"Weft %s\" \"User Commands\"\n.SH NAME\nweft \\- %s\n.SH SYNOPSIS\n",
         weft_version(), help_title);
  for (size_t i = 0; verbs[i]; i++) {
    printf("%s\\fBweft %s\\fR ", i ? ".br\n" : "", verbs[i]->name);
    put_text(verbs[i]->synopsis);
  }
  puts(".br\n\\fBweft \\-\\-help\\fR | \\fB\\-\\-version\\fR | \\fB\\-\\-man\\fR");
  puts(
    ".SH DESCRIPTION\nRuns programs on a coherence fabric for multi\\-GPU machines: on a timed model in C, or on the\n"
    "Verilated RTL with the model in lock\\-step beside it. To begin with:");
  put_paragraphs(help_examples);
  puts(".SH COMMANDS");
  for (size_t i = 0; verbs[i]; i++)
    put_verb(verbs[i]);
  put_names("BACK\\-ENDS", weft_backend_at, weft_backend_about);
  put_names("CONFIGURATIONS", weft_config_at, weft_config_about);
  put_names("PROTOCOLS", weft_protocol_at, weft_protocol_about);
  put_workloads();
  puts(".SH EXIT STATUS");
  put_paragraphs(help_exit_codes);
  put_surroundings();
}
