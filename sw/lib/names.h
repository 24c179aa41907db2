/* SPDX-License-Identifier: Apache-2.0 */
/* From what users type to the numbers of the generated tables. Each fails with a list of what there is. */
#ifndef WEFT_NAMES_H
#define WEFT_NAMES_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

struct weft;
struct weft_config;
int weft_protocol_find(struct weft *w, const char *name, uint8_t *number); /* NULL: baseline */
/* Whether RTL of this configuration has the protocol; if not, fails with what it has. */
int weft_protocol_fits_built(struct weft *w, const struct weft_config *config, uint8_t number);
bool weft_protocol_built(const struct weft_config *config, size_t number);
int weft_egress_find(struct weft *w, const char *name, uint8_t *number); /* NULL: plain */
int weft_timing_check(struct weft *w, const char *name);
int weft_fault_find(struct weft *w, const char *name, uint8_t *number); /* NULL: none */

#endif
