/* SPDX-License-Identifier: Apache-2.0 */
/* The files that keep points. A file's name is a hash of all that its result depends on: this program, the machine, the
 * workload and its input; the whole text stands in the file and is compared, so that a hash that meets another's costs
 * time and nothing else. */
#include <errno.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>

#include "bench.h"

#define DEFAULT_CACHE "build/bench/cache"

/* FNV-1a, twice with different beginnings: 128 bits. */
struct digest {
  uint64_t half[2];
};

static void digest_add(struct digest *d, const void *bytes, size_t count)
{
  for (size_t i = 0; i < count; i++)
    for (int h = 0; h < 2; h++)
      d->half[h] = (d->half[h] ^ ((const uint8_t *)bytes)[i]) * UINT64_C(0x100000001b3);
}

static const struct digest digest_start = { { UINT64_C(0xcbf29ce484222325), UINT64_C(0x6c62272e07bb0142) } };

/* Any other program computes anew: a model that has changed has other results. */
static bool digest_program(struct digest *d)
{
  char bytes[65536];
  size_t count;
  FILE *program = fopen("/proc/self/exe", "rb");
  if (!program)
    return false;
  do {
    count = fread(bytes, 1, sizeof bytes, program);
    digest_add(d, bytes, count);
  } while (count == sizeof bytes);
  bool whole = !ferror(program);
  fclose(program);
  return whole;
}

static char *key_of(const struct bench_point *p, const struct arguments *a, const struct digest *program,
                    const char *hash)
{
  char *text = NULL;
  size_t size;
  FILE *out = open_memstream(&text, &size);
  if (!out)
    return NULL;
  fprintf(out, "weft %s program %016llx%016llx config %s %s protocol %s seed %llu workload %s",
          weft_version(), (unsigned long long)program->half[0], (unsigned long long)program->half[1],
          bench_config_of(p), hash, p->variant->protocol, (unsigned long long)(a->seed ? a->seed : 1),
          p->work->workload);
  fprintf(out, " size %llu iterations %llu graph %s", (unsigned long long)p->work->size,
          (unsigned long long)p->work->iterations, p->work->graph ? p->work->graph : "-");
  fprintf(out,
          " eager %d launches %d dispatch %llu store %llu stride %llu steady %llu egress %s backend %s set",
          p->work->eager, p->family->launches, (unsigned long long)p->family->dispatch,
          (unsigned long long)p->work->store, (unsigned long long)p->work->stride,
          (unsigned long long)(p->family->steady ? p->family->steady(p) : 0),
          p->variant->egress ? p->variant->egress : "plain", a->backend ? a->backend : "model");
  const char *set[BENCH_ALL_SETS];
  bench_sets_of(p, a, set);
  for (unsigned i = 0; set[i]; i++)
    fprintf(out, " %s", set[i]);
  if (!fclose(out))
    return text;
  free(text);
  return NULL;
}

static char *path_of(const char *folder, const char *key)
{
  struct digest d = digest_start;
  digest_add(&d, key, strlen(key));
  size_t size = strlen(folder) + 48;
  char *path = malloc(size);
  if (path)
    snprintf(path, size, "%s/%016llx%016llx.json", folder, (unsigned long long)d.half[0],
             (unsigned long long)d.half[1]);
  return path;
}

/* Makes a folder and those above it. */
static int make_folder(const char *path)
{
  char part[1024];
  if (strlen(path) >= sizeof part)
    return complain(EXIT_USE, "--cache: a name of %zu characters; use a shorter one", strlen(path));
  for (size_t i = 1; i <= strlen(path); i++) {
    if (path[i] != '/' && path[i])
      continue;
    memcpy(part, path, i);
    part[i] = 0;
    if (mkdir(part, 0777) && errno != EEXIST)
      return complain(EXIT_LACKS, "cannot make the folder %s: %s\nname another with --cache", part,
                      strerror(errno));
  }
  return -1;
}

void bench_cache_load(struct bench_point *p)
{
  json_t *kept = json_load_file(p->path, 0, NULL);
  const char *key = json_string_value(json_object_get(kept, "key"));
  if (key && !strcmp(key, p->key) && json_is_object(json_object_get(kept, "counters")))
    p->result = kept;
  else
    json_decref(kept); /* cut short, or another's: computed anew */
}

static int open_point(struct bench_run *r, struct bench_point *p, const struct digest *program,
                      const char *folder, bool trusted)
{
  struct weft *w = weft_new();
  if (!w)
    return complain(EXIT_LACKS, "out of memory");
  int failed = weft_config_load(w, bench_config_of(p));
  int code = failed ? complain_library(w, failed) : -1;
  if (code < 0) {
    p->key = key_of(p, r->arguments, program, weft_config_hash(w));
    p->path = p->key ? path_of(folder, p->key) : NULL;
    if (!p->path)
      code = complain(EXIT_LACKS, "out of memory");
    else if (trusted)
      bench_cache_load(p);
    r->cached += p->result != NULL;
  }
  weft_free(w);
  return code;
}

int bench_cache_open(struct bench_run *r)
{
  const char *folder = r->arguments->cache ? r->arguments->cache : DEFAULT_CACHE;
  struct digest program = digest_start;
  bool trusted = digest_program(&program) && !r->arguments->fresh;
  int code = make_folder(folder);
  for (size_t i = 0; code < 0 && i < r->points; i++)
    code = open_point(r, &r->point[i], &program, folder, trusted);
  return code;
}

void bench_cache_free(struct bench_run *r)
{
  for (size_t i = 0; i < r->points; i++) {
    free(r->point[i].key);
    free(r->point[i].path);
    json_decref(r->point[i].result);
  }
  free(r->point);
}
