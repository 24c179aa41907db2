/* SPDX-License-Identifier: Apache-2.0 */
/* Matrix Market files: whatever the bytes, the parser returns; a graph that it accepts can be built. */
#include <stdlib.h>

#include "graph.h"

#define SMALL 4096u /* vertices of a graph that is built, too */

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size);

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
  struct weft *w = weft_new();
  struct weft_edges edges;
  struct weft_graph graph;
  if (!weft_mtx_parse(w, "fuzz", (const char *)data, size, &edges) && edges.vertices <= SMALL) {
    if (!weft_graph_build(w, &edges, 1, &graph)) {
      if (graph.first[graph.vertices] != graph.edges)
        abort();
      weft_graph_free(&graph);
    }
  }
  weft_edges_free(&edges);
  weft_free(w);
  return 0;
}
