/* SPDX-License-Identifier: Apache-2.0 */
/* The back-ends that there are. A new one is a line in this table and a file backend_NAME.c. */
#include <stdio.h>
#include <string.h>

#include "handle.h"
#include "text.h"

static const struct weft_backend_entry entries[] = {
  { "model", "model:CONFIG, the timed model; takes any parameters", &weft_backend_model, NULL, false },
  { "rtl", "rtl:CONFIG, Verilated RTL, with the model in lock-step unless told otherwise", NULL,
    weft_rtl_load, false },
  { "null", "null:CONFIG, flat memory, one cycle per operation; for developing kernels", &weft_backend_null,
    NULL, false },
  { "usb", "usb:[serial=S], a board; `weft list` shows those that are plugged in", &weft_backend_usb, NULL,
    true },
  { "record", "record:FILE,usb:[serial=S], a board, and all that it is told and says goes into a file",
    &weft_backend_usb, NULL, true },
  { "replay", "replay:FILE, what was recorded, without a board", &weft_backend_usb, NULL, true },
};
#define ENTRIES (sizeof entries / sizeof *entries)

const char *weft_backend_at(size_t index)
{
  return index < ENTRIES ? entries[index].name : NULL;
}

static const struct weft_backend_entry *find(const char *name, size_t length)
{
  for (size_t i = 0; i < ENTRIES; i++)
    if (strlen(entries[i].name) == length && !strncmp(entries[i].name, name, length))
      return &entries[i];
  return NULL;
}

const char *weft_backend_about(const char *backend)
{
  const struct weft_backend_entry *entry = find(backend, strlen(backend));
  return entry ? entry->about : NULL;
}

static int unknown(struct weft *w, const char *backend)
{
  struct weft_text text = { 0 };
  for (size_t i = 0; i < ENTRIES; i++)
    weft_text_add(&text, "%s%s:%s", i ? ", " : "", entries[i].name, entries[i].board ? "" : "CONFIG");
  weft_fail(w, WEFT_UNKNOWN_BACKEND, "there is no back-end '%s'; there are %s", backend,
            weft_text_get(&text));
  weft_text_free(&text);
  return w->failure.code;
}

int weft_backend_find(struct weft *w, const char *backend, char *config, size_t config_size,
                      const struct weft_backend_entry **found)
{
  const char *colon = strchr(backend, ':');
  size_t length = colon ? (size_t)(colon - backend) : strlen(backend);
  const struct weft_backend_entry *entry = find(backend, length);
  if (!entry)
    return unknown(w, backend);
  *found = entry;
  config[0] = 0;
  if (entry->board)
    return WEFT_OK;
  if (!colon || !colon[1])
    return weft_fail(w, WEFT_UNKNOWN_BACKEND, "back-end '%s' needs a configuration, such as %s:quad", backend,
                     entry->name);
  if (!weft_named_config_find(colon + 1))
    return weft_config_load(w, colon + 1); /* fails, and says which there are */
  snprintf(config, config_size, "%s", colon + 1);
  return WEFT_OK;
}
