/* SPDX-License-Identifier: Apache-2.0 */
#include "job.h"

#include <inttypes.h>
#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

struct weft_part weft_part_of(uint64_t total, uint64_t parts, uint64_t index)
{
  uint64_t each = total / parts, more = total % parts;
  uint64_t first = index * each + (index < more ? index : more);
  return (struct weft_part){ first, first + each + (index < more) };
}

struct weft_part weft_part_of_node(uint64_t total, const struct weft_machine *m, unsigned node)
{
  return weft_part_of(total, m->nodes, node);
}

struct weft_part weft_part_of_warp(uint64_t total, const struct weft_place *p)
{
  struct weft_part node = weft_part_of(total, p->nodes, p->node);
  struct weft_part part =
    weft_part_of(node.end - node.first, (uint64_t)p->cus * p->warps, p->cu * p->warps + p->warp);
  return (struct weft_part){ node.first + part.first, node.first + part.end };
}

struct weft_deal weft_deal_to(uint64_t total, const struct weft_place *p)
{
  struct weft_part node = weft_part_of(total, p->nodes, p->node);
  return (struct weft_deal){ node.first + (uint64_t)p->warp * p->cus + p->cu, node.end,
                             (uint64_t)p->cus * p->warps };
}

uint64_t weft_job_memory(const struct weft_job *job)
{
  return job->placement == WEFT_REPLICATED ? job->machine.memory : job->machine.memory * job->machine.nodes;
}

uint64_t weft_job_fit(const struct weft_job *job, uint64_t wanted, uint64_t bytes_per_unit)
{
  uint64_t most = weft_job_memory(job) / 2 / bytes_per_unit;
  return wanted < most ? wanted : most ? most : 1;
}

int weft_job_room(struct weft_job *job, uint64_t bytes)
{
  uint64_t memory = weft_job_memory(job);
  if (bytes <= memory)
    return WEFT_OK;
  return weft_fail(job->w, WEFT_NO_ROOM,
                   "%s: a size of %" PRIu64 " takes %" PRIu64 " bytes, %s has %" PRIu64
                   "\nuse a smaller size, or --set memory.bytes=N where the back-end allows it",
                   job->name, job->size, bytes,
                   job->placement == WEFT_REPLICATED ? "for replicas every node" : "this machine", memory);
}

int weft_job_alloc(struct weft_job *job, const char *name, uint64_t count, uint64_t element,
                   weft_address *address)
{
  int code = weft_alloc(job->w, count * element, job->placement, address);
  return code ? code : weft_name(job->w, *address, name, element, count);
}

int weft_job_array(struct weft_job *job, const char *name, const void *bytes, uint64_t count,
                   uint64_t element, weft_address *address)
{
  int code = weft_job_alloc(job, name, count, element, address);
  for (unsigned n = 0; !code && n < job->machine.nodes; n++) {
    struct weft_part part = weft_part_of_node(count, &job->machine, n);
    code = weft_touch(job->w, n, *address + part.first * element, (part.end - part.first) * element);
  }
  return code || !bytes ? code : weft_write(job->w, *address, bytes, count * element);
}

int weft_job_single(struct weft_job *job, const char *name, const void *bytes, uint64_t count,
                    uint64_t element, weft_address *address)
{
  struct weft_job single = *job;
  if (single.placement == WEFT_REPLICATED)
    single.placement = WEFT_FIRST_TOUCH;
  return weft_job_array(&single, name, bytes, count, element, address);
}

int weft_job_launch(struct weft_job *job, weft_kernel kernel, void *arg)
{
  int code = weft_launch(job->w, kernel, arg);
  return code ? code : weft_settle(job->w);
}

/* Up to 8 bytes as a number; longer elements show their first 8. */
static uint64_t number(const uint8_t *bytes, uint64_t element)
{
  uint64_t value = 0;
  memcpy(&value, bytes, element < 8 ? element : 8);
  return value;
}

int weft_job_compare(struct weft_job *job, const char *what, weft_address address, const void *should,
                     uint64_t count, uint64_t element)
{
  uint8_t *is = malloc(count * element + 1);
  if (!is)
    return weft_fail_memory(job->w);
  int code = weft_read(job->w, address, is, count * element);
  uint64_t wrong = 0, first = 0;
  for (uint64_t i = 0; !code && i < count; i++)
    if (memcmp(is + i * element, (const uint8_t *)should + i * element, element) != 0) {
      if (!wrong++)
        first = i;
    }
  if (wrong)
    code = weft_fail(job->w, WEFT_WRONG_RESULT,
                     "%s: %s %" PRIu64 " is 0x%" PRIx64 " and should be 0x%" PRIx64 "; %" PRIu64
                     " of %" PRIu64 " differ from the plain run",
                     job->name, what, first, number(is + first * element, element),
                     number((const uint8_t *)should + first * element, element), wrong, count);
  free(is);
  return code;
}

void weft_job_say(struct weft_job *job, const char *format, ...)
{
  va_list values;
  va_start(values, format);
  vsnprintf(job->result->summary, sizeof job->result->summary, format, values);
  va_end(values);
}

int weft_job_bad_size(struct weft_job *job, uint64_t least, uint64_t most)
{
  return weft_fail(job->w, WEFT_BAD_ARGUMENT, "%s: a size of %" PRIu64 "; use %" PRIu64 " to %" PRIu64,
                   job->name, job->size, least, most);
}
