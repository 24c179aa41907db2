/* SPDX-License-Identifier: Apache-2.0 */
/* Names of allocations: people ask for ranks[17], not for 0x1000000440. */
#include <ctype.h>
#include <errno.h>
#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "handle.h"
#include "text.h"

int weft_name(struct weft *w, weft_address address, const char *name, uint64_t element, uint64_t count)
{
  if (weft_need_open(w))
    return w->failure.code;
  struct weft_pages *p = &w->pages;
  if (!element || !isalpha((unsigned char)name[0]) || strlen(name) >= sizeof p->allocation->name)
    return weft_fail(w, WEFT_BAD_ARGUMENT,
                     "'%s' of elements of %" PRIu64 " bytes: a name begins with a letter and has at most %zu",
                     name, element, sizeof p->allocation->name - 1);
  for (size_t i = 0; i < p->allocations; i++) {
    struct weft_allocation *a = &p->allocation[i];
    if (a->first << p->shift != address)
      continue;
    snprintf(a->name, sizeof a->name, "%s", name);
    a->element = element;
    a->elements = count;
    return WEFT_OK;
  }
  return weft_fail(w, WEFT_BAD_ADDRESS, "0x%" PRIx64 " was not returned by weft_alloc()", address);
}

bool weft_array_at(struct weft *w, size_t index, struct weft_array *array)
{
  const struct weft_pages *p = &w->pages;
  for (size_t i = 0; i < p->allocations; i++) {
    const struct weft_allocation *a = &p->allocation[i];
    if (!a->name[0] || index--)
      continue;
    *array = (struct weft_array){ a->name, a->first << p->shift, a->element, a->elements };
    return true;
  }
  return false;
}

/* "there are rank[0..1023] and share[0..1023]" */
static int unknown(struct weft *w, const char *text)
{
  struct weft_text list = { 0 };
  struct weft_array a;
  for (size_t i = 0; weft_array_at(w, i, &a); i++)
    weft_text_add(&list, "%s%s[0..%" PRIu64 "]", i ? ", " : "", a.name, a.count - 1);
  int code =
    weft_fail(w, WEFT_BAD_ADDRESS,
              "there is no '%s' in this run; there are: %s\n"
              "or give a physical address: the home node in bits 39 to 36, the offset in its memory below",
              text, weft_text_get(&list)[0] ? weft_text_get(&list) : "no named arrays");
  weft_text_free(&list);
  return code;
}

/* NAME[INDEX] into the length of the name and the index; NAME alone is its first element. */
static bool split(const char *text, size_t *length, uint64_t *index)
{
  *length = strcspn(text, "[");
  *index = 0;
  if (!text[*length])
    return *length != 0;
  char *end;
  const char *number = text + *length + 1;
  errno = 0;
  *index = strtoull(number, &end, 0);
  return isdigit((unsigned char)*number) && !errno && !strcmp(end, "]");
}

int weft_locate_physical(struct weft *w, const char *text, uint64_t *physical)
{
  char *end;
  errno = 0;
  *physical = strtoull(text, &end, 0);
  if (*end || errno)
    return weft_fail(w, WEFT_BAD_ADDRESS,
                     "'%s' is no address; use a number such as 0x1000000040, or ARRAY[INDEX]", text);
  return weft_translate(w, WEFT_PHYSICAL(*physical), physical);
}

int weft_locate(struct weft *w, const char *text, uint64_t *physical, uint64_t *bytes)
{
  struct weft_array a;
  uint64_t index;
  size_t length;
  if (weft_need_open(w))
    return w->failure.code;
  *bytes = 4;
  if (isdigit((unsigned char)text[0]))
    return weft_locate_physical(w, text, physical);
  if (!split(text, &length, &index))
    return weft_fail(w, WEFT_BAD_ADDRESS,
                     "'%s' is no address; use a number such as 0x1000000040, or ARRAY[INDEX]", text);
  for (size_t i = 0; weft_array_at(w, i, &a); i++) {
    if (strlen(a.name) != length || strncmp(a.name, text, length) != 0)
      continue;
    if (index >= a.count)
      return weft_fail(w, WEFT_BAD_ADDRESS, "%s: %s has the elements 0 to %" PRIu64, text, a.name,
                       a.count - 1);
    *bytes = a.element;
    return weft_translate(w, a.address + index * a.element, physical);
  }
  return unknown(w, text);
}
