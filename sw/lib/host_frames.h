/* SPDX-License-Identifier: Apache-2.0 */
/* The frames of a session, one by one. For host_session.c alone. */
#ifndef WEFT_HOST_FRAMES_H
#define WEFT_HOST_FRAMES_H

#include "host_session.h"

#define WEFT_SESSION_QUIET_MS 100U /* the first pause that is too long; then twice that, and so on */
#define WEFT_SESSION_HELLO_MS 500U /* the same for a hello: a reset is long */

/* Zeros, which end whatever the board was in the middle of, then a reset. */
int weft_session_send_reset(struct weft_session *s, uint8_t flags, struct weft_backend_error *e);
/* There is credit, and room to keep it. */
int weft_session_send_frame(struct weft_session *s, const uint8_t *payload, size_t length,
                            struct weft_backend_error *e);
/* Whatever comes next, or what is to be done when nothing comes. */
int weft_session_receive(struct weft_session *s, struct weft_backend_error *e);

/* Fails now and from now on. */
int weft_session_fail(struct weft_session *s, struct weft_backend_error *e, int result, const char *format,
                      ...) __attribute__((format(printf, 4, 5)));
int weft_session_failed(const struct weft_session *s, struct weft_backend_error *e);

#endif
