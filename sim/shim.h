/* SPDX-License-Identifier: Apache-2.0 */
/* The thinnest C view of a Verilated fabric: clocks, ports, nothing that decides anything. */
#ifndef WEFT_SHIM_H
#define WEFT_SHIM_H

#include <stdbool.h>
#include <stdint.h>

#ifdef __cplusplus
extern "C" {
#endif

struct weft_shim;

/* handle goes back with every event (weft_dpi_*). wave is an FST file for the cycles from..to (to 0: to the end), or
 * NULL. NULL: out of memory. */
struct weft_shim *weft_shim_new(void *handle, const char *wave, uint64_t from, uint64_t to);
void weft_shim_free(struct weft_shim *s);
/* False if this build has no tracing compiled in. */
bool weft_shim_can_wave(void);
/* Cycle 0 begins: what was before is not recorded. In the wave, cycle c is the time from 10 c on; the host's clock, which
 * ticks while fabric time stands, is not seen. */
void weft_shim_wave_begin(struct weft_shim *s);
/* Closes the wave file. */
void weft_shim_wave_end(struct weft_shim *s);

void weft_shim_reset(struct weft_shim *s, bool active);
void weft_shim_events(struct weft_shim *s, void *handle); /* NULL: events are not wanted */

/* One cycle: settle() makes the outputs follow the inputs, edge() is the rising edge. fabric: time moves;
 * else only the host's clock ticks. */
void weft_shim_settle(struct weft_shim *s);
void weft_shim_edge(struct weft_shim *s, bool fabric);

/* CU ports, numbered node * cus + cu. words: the packed struct, least significant word first. */
void weft_shim_offer(struct weft_shim *s, unsigned port, const uint32_t *words);
void weft_shim_withdraw(struct weft_shim *s, unsigned port);
uint64_t weft_shim_ready(const struct weft_shim *s, unsigned group);    /* ports 64 * group .. */
uint64_t weft_shim_answered(const struct weft_shim *s, unsigned group); /* likewise */
void weft_shim_answer(const struct weft_shim *s, unsigned port, uint32_t *words);

void weft_shim_hold(struct weft_shim *s, uint64_t bits); /* four per node */
/* What happens to a link's wire in the next cycle: weft_frame_pkg::noise_t. Links from the nodes, then to them. */
void weft_shim_noise(struct weft_shim *s, unsigned link, uint32_t bits);
uint64_t weft_shim_links_down(const struct weft_shim *s);

/* The host's bus and back door; each ticks the host's clock as often as it needs. */
uint32_t weft_shim_read(struct weft_shim *s, uint32_t address);
void weft_shim_write(struct weft_shim *s, uint32_t address, uint32_t value);
/* Calls weft_dpi_memory for the memory of every bank; false: this build cannot (a netlist). */
bool weft_shim_dump(struct weft_shim *s);
void weft_shim_memory(struct weft_shim *s, uint64_t address, uint8_t *line, bool write);

#ifdef __cplusplus
}
#endif
#endif
