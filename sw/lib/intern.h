/* SPDX-License-Identifier: Apache-2.0 */
/* Blocks of bytes by number: equal blocks have equal numbers, from 0 in the order of their coming. A state is then a
 * few numbers, and comparing numbers compares states exactly. */
#ifndef WEFT_INTERN_H
#define WEFT_INTERN_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

struct weft_intern {
  size_t size;     /* of a block */
  uint32_t count;  /* of blocks */
  uint32_t room;   /* allocated */
  uint32_t places; /* of the table, a power of two */
  unsigned char *block;
  uint32_t *table; /* number + 1; 0: empty */
  bool failed;     /* out of memory; numbers mean nothing any more */
};

void weft_intern_open(struct weft_intern *n, size_t size);
void weft_intern_free(struct weft_intern *n);
/* The number of a block; *fresh (may be NULL) says whether it is new. */
uint32_t weft_intern(struct weft_intern *n, const void *block, bool *fresh);
bool weft_intern_has(const struct weft_intern *n, const void *block);

static inline const void *weft_intern_block(const struct weft_intern *n, uint32_t number)
{
  return n->block + (size_t)number * n->size;
}

uint64_t weft_intern_hash(const void *bytes, size_t size); /* size is a multiple of 4 */

#endif
