/* SPDX-License-Identifier: Apache-2.0 */
/* From what users type to the numbers of the generated tables. Each fails with a list of what there is. */
#ifndef WEFT_NAMES_H
#define WEFT_NAMES_H

#include <stdint.h>

struct weft;
int weft_protocol_find(struct weft *w, const char *name, uint8_t *number); /* NULL: baseline */
int weft_egress_check(struct weft *w, const char *name);
int weft_timing_check(struct weft *w, const char *name);
int weft_fault_find(struct weft *w, const char *name, uint8_t *number); /* NULL: none */

#endif
