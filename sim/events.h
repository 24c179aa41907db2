/* SPDX-License-Identifier: Apache-2.0 */
/* Reading what the RTL's event ports say. `bits` are the packed structs as DPI hands them over, least significant word
 * first. Only what has a meaning for the kind of event is read; the rest is left as it was. */
#ifndef WEFT_EVENTS_H
#define WEFT_EVENTS_H

#include <stdint.h>

#include "weft_formats.h"

void weft_event_read_l1(struct weft_l1_event *e, const uint32_t *bits, unsigned line);
void weft_event_read_l2(struct weft_l2_event *e, const uint32_t *bits, unsigned line);
/* What stands before the message; then the message itself. */
void weft_event_read_link(struct weft_link_event *e, const uint32_t *bits, unsigned line);
void weft_event_read_link_message(struct weft_link_event *e, const uint32_t *bits, unsigned line);

#endif
