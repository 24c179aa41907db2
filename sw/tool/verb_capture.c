/* SPDX-License-Identifier: Apache-2.0 */
#include <inttypes.h>
#include <stdlib.h>
#include <string.h>

#include "tool.h"

#define HEAD_VERSION 1U
#define HEAD_BYTES 8U /* before each packet in the file, for the dissector: docs/capture.md */
#define NAME_BYTES 32U

struct link_sum {
  uint64_t packets, bytes;
};

struct capture {
  FILE *file;
  unsigned nodes, sub_header, line;
  uint64_t only; /* a link's number, or NOT_SAID */
  uint64_t packets, bytes;
  uint64_t formless, first_formless; /* messages that could not be written; cycle and link of the first */
  unsigned formless_link;
  struct link_sum *link; /* of all links, also those that were not asked for */
};

static bool wanted(const struct capture *c, unsigned link)
{
  return c->only == NOT_SAID || c->only == link;
}

static void link_name(const struct capture *c, unsigned link, char name[NAME_BYTES])
{
  if (link < c->nodes)
    snprintf(name, NAME_BYTES, "node%u -> switch", link);
  else
    snprintf(name, NAME_BYTES, "switch -> node%u", link - c->nodes);
}

static void take_packet(void *capture, const struct weft_packet *p)
{
  struct capture *c = capture;
  if (!p->count) {
    if (!c->formless++) {
      c->first_formless = p->cycle;
      c->formless_link = p->link;
    }
    return;
  }
  c->link[p->link].packets++;
  c->link[p->link].bytes += p->count;
  if (!wanted(c, p->link))
    return;
  bool down = p->link >= c->nodes;
  const uint8_t head[HEAD_BYTES] = { HEAD_VERSION,
                                     (uint8_t)p->link,
                                     down,
                                     (uint8_t)(down ? p->link - c->nodes : p->link),
                                     (uint8_t)c->sub_header,
                                     0,
                                     (uint8_t)(c->line >> 8),
                                     (uint8_t)c->line };
  pcapng_packet(c->file, p->link, p->cycle, head, HEAD_BYTES, p->bytes, (uint32_t)p->count);
  c->packets++;
  c->bytes += p->count;
}

/* The file's head: what was captured on what, and every link as an interface, whether asked for or not, so that a link
 * has the same number in every file. */
static int begin(struct capture *c, struct session *s, const struct arguments *a, struct output *out)
{
  struct weft_machine m;
  uint64_t sub_header, rate;
  char text[64], name[NAME_BYTES];
  weft_describe(s->w, &m);
  if (weft_config_get(s->w, "egress.sub_header", &sub_header) || weft_config_get(s->w, "link.bytes", &rate))
    return complain(EXIT_BACKEND, "%s", weft_message(s->w));
  *c = (struct capture){
    .file = out->file, .nodes = m.nodes, .sub_header = (unsigned)sub_header, .line = m.line, .only = a->link
  };
  if (a->link != NOT_SAID && a->link >= 2U * m.nodes)
    return complain(EXIT_USE,
                    "--link %" PRIu64 ": there are links 0 to %u, first each node's to the switch, then back",
                    a->link, 2 * m.nodes - 1);
  c->link = calloc((size_t)2 * m.nodes, sizeof *c->link);
  if (!c->link)
    return complain(EXIT_LACKS, "out of memory");
  snprintf(text, sizeof text, "weft %s", weft_version());
  pcapng_begin(c->file, a->backend, text);
  snprintf(text, sizeof text, "%" PRIu64 " bytes per cycle; a cycle is shown as 1 ns", rate);
  for (unsigned i = 0; i < 2 * m.nodes; i++) {
    link_name(c, i, name);
    pcapng_interface(c->file, name, text, rate * 8U * 1000000000U);
  }
  return -1;
}

/* ---- What it was ------------------------------------------------------------------------------------- */

static uint64_t counter(struct weft *w, unsigned node, const char *name)
{
  char whole[64];
  uint64_t value = 0;
  snprintf(whole, sizeof whole, "node%u.%s", node, name);
  return weft_counter_get(w, whole, &value) ? 0 : value;
}

static uint64_t metered(struct weft *w, const struct capture *c, unsigned link)
{
  if (link >= c->nodes)
    return counter(w, link - c->nodes, "switch.bytes");
  return counter(w, link, "link.bytes_request") + counter(w, link, "link.bytes_forward") +
         counter(w, link, "link.bytes_response");
}

/* The packets must be all that the fabric's own counters have metered. */
static int check(struct weft *w, const struct capture *c)
{
  char name[NAME_BYTES];
  if (c->formless) {
    link_name(c, c->formless_link, name);
    return complain(EXIT_WRONG,
                    "%" PRIu64 " messages have no form on the wire and are not in the file\n"
                    "the first of them in cycle %" PRIu64 ", %s",
                    c->formless, c->first_formless, name);
  }
  for (unsigned i = 0; i < 2 * c->nodes; i++) {
    uint64_t bytes = metered(w, c, i);
    link_name(c, i, name);
    if (bytes != c->link[i].bytes)
      return complain(EXIT_WRONG,
                      "%s: packets of %" PRIu64 " bytes, but the fabric has counted %" PRIu64 " there", name,
                      c->link[i].bytes, bytes);
  }
  return EXIT_DONE;
}

static json_t *links_json(const struct capture *c)
{
  json_t *array = json_array();
  char name[NAME_BYTES];
  for (unsigned i = 0; i < 2 * c->nodes; i++) {
    link_name(c, i, name);
    if (wanted(c, i))
      json_array_append_new(array,
                            json_pack("{s:i, s:s, s:I, s:I}", "link", (int)i, "name", name, "packets",
                                      (json_int_t)c->link[i].packets, "bytes", (json_int_t)c->link[i].bytes));
  }
  return array;
}

static json_t *result_json(struct session *s, const struct arguments *a, const struct capture *c, int ran,
                           int checked)
{
  struct weft_machine m;
  struct weft_statistics t;
  weft_describe(s->w, &m);
  weft_statistics_read(s->w, &t);
  return json_pack("{s:s, s:s, s:s, s:s, s:i, s:I, s:s, s:I, s:I, s:o, s:I, s:b, s:b, s:b, s:o}", "workload",
                   s->info.name, "backend", a->backend, "config", m.config, "protocol", m.protocol, "nodes",
                   (int)m.nodes, "seed", (json_int_t)s->options.seed, "file", a->output, "packets",
                   (json_int_t)c->packets, "bytes", (json_int_t)c->bytes, "links", links_json(c), "cycles",
                   (json_int_t)t.cycles, "verified", ran == WEFT_OK, "lockstep",
                   m.lockstep && ran != WEFT_MISMATCH, "ok", !ran && !checked, "provenance",
                   json_provenance(a, m.hash));
}

static void print_capture(struct session *s, const struct arguments *a, const struct capture *c)
{
  char name[NAME_BYTES];
  printf("%s on %s: %" PRIu64 " packets, %" PRIu64 " bytes, in %s\n\n", s->info.name, a->backend, c->packets,
         c->bytes, a->output);
  printf("  link  %-18s %12s %14s\n", "", "packets", "bytes");
  for (unsigned i = 0; i < 2 * c->nodes; i++) {
    link_name(c, i, name);
    if (wanted(c, i))
      printf("  %4u  %-18s %12" PRIu64 " %14" PRIu64 "\n", i, name, c->link[i].packets, c->link[i].bytes);
  }
}

/* ---- The run ----------------------------------------------------------------------------------------- */

/* A run that went wrong has packets all the same, and whoever looks for the reason wants them. */
static int capture(struct session *s, const struct arguments *a, struct capture *c, struct output *out)
{
  struct weft_workload_result result;
  int code = weft_capture(s->w, take_packet, c);
  if (code)
    return complain_library(s->w, code);
  int ran = session_run(s, &result);
  if (ran)
    complain_library(s->w, ran);
  if (weft_code_class(ran) > 1)
    return weft_code_class(ran);
  weft_capture(s->w, NULL, NULL);
  int checked = ran ? EXIT_DONE : check(s->w, c);
  code = output_close(out);
  if (code >= 0)
    return code;
  if (a->json) {
    json_t *object = result_json(s, a, c, ran, checked);
    code = object ? print_json(object) : complain(EXIT_LACKS, "out of memory");
    json_decref(object);
  } else {
    print_capture(s, a, c);
    code = print_done();
  }
  return code ? code : ran ? weft_code_class(ran) : checked;
}

static int run(const struct arguments *a)
{
  struct session s;
  struct output out = { 0 };
  struct capture c = { 0 };
  int code = session_begin(&s, a);
  if (code < 0 && !a->output)
    code = complain(EXIT_USE, "capture into which file? weft capture %s -b %s -o %s.pcapng", a->name,
                    a->backend, a->name);
  if (code < 0 && a->egress && !strcmp(a->egress, "infinite"))
    code =
      complain(EXIT_USE, "egress infinite is about what would be without packets; capture --egress bulk, "
                         "whose copies they are");
  if (code < 0)
    code = output_open(&out, a->output);
  if (code < 0)
    code = session_open(&s, a, NULL);
  if (code < 0)
    code = begin(&c, &s, a, &out);
  if (code < 0)
    code = capture(&s, a, &c, &out);
  free(c.link);
  output_discard(&out);
  session_end(&s);
  return code;
}

const struct verb verb_capture = {
  .name = "capture",
  .synopsis = "WORKLOAD -b BACKEND -o FILE [options]",
  .about = "run a workload and write the links' packets for Wireshark",
  .teaches =
    "Runs a workload as `weft run` does and writes every packet that the links carried as pcapng: an interface\n"
    "per link and direction, the cycle as the time in nanoseconds, token, TLP and LCRC as they are on the wire.\n"
    "Equal on model: and rtl: where their cycles are. share/weft/wireshark/weft.lua of the installation is a\n"
    "dissector for it; put it into Wireshark's folder of plugins, or name it:\n"
    "\n"
    "  weft capture pagerank -b model:quad -o p.pcapng\n"
    "  weft capture mix -b rtl:tiny --size 500 --link 0 -o m.pcapng --json\n"
    "  wireshark -X lua_script:$PREFIX/share/weft/wireshark/weft.lua p.pcapng\n"
    "  tshark -X lua_script:weft.lua -r p.pcapng -Y 'weft.kind == \"INV\"'",
  .takes_name = true,
  .bit = VERB_CAPTURE,
  .run = run,
};
