/* SPDX-License-Identifier: Apache-2.0 */
/* The operations that wait for their CU's port, in the order that backend.h lays down. Every back-end that has
 * ports uses this, so that none differs in which operation comes first. */
#ifndef WEFT_PORTS_H
#define WEFT_PORTS_H

#include "backend.h"

struct weft_ports;

struct weft_ports *weft_ports_new(unsigned nodes, unsigned cus); /* NULL: out of memory */
void weft_ports_free(struct weft_ports *p);
void weft_ports_clear(struct weft_ports *p);

/* False: out of memory. */
bool weft_ports_push(struct weft_ports *p, const struct weft_port_op *op);

/* The operation that port (node * cus + cu) shows in cycle `now`, or NULL. Once shown it stays until taken. */
const struct weft_port_op *weft_ports_show(struct weft_ports *p, unsigned port, uint64_t now);
void weft_ports_take(struct weft_ports *p, unsigned port);

/* Operations that no port has taken yet. */
size_t weft_ports_waiting(const struct weft_ports *p);
/* The first cycle in which this port has something to show; UINT64_MAX if nothing waits for it. */
uint64_t weft_ports_when(const struct weft_ports *p, unsigned port);
/* The first cycle in which some port has something to show; UINT64_MAX if none waits. */
uint64_t weft_ports_next(const struct weft_ports *p);

/* Whether a run has come to a standstill: operations wait and nothing is answered. */
struct weft_patience {
  uint64_t cycles;      /* without an answer that are too many */
  uint64_t outstanding; /* submitted and not answered */
  uint64_t since;       /* cycle of the last answer, or of the first operation after an idle time */
};
static inline void weft_patience_answered(struct weft_patience *w, uint64_t now)
{
  w->outstanding--;
  w->since = now;
}
/* Before time moves on from `now`: WEFT_BACKEND_STUCK, with its text, if it is over. */
int weft_patience_check(struct weft_patience *w, const struct weft_ports *p, uint64_t now,
                        struct weft_backend_error *e);

#endif
