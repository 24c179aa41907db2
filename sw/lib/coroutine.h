/* SPDX-License-Identifier: Apache-2.0 */
/* Stackful coroutines. A pool holds stacks, each with an unmapped page below it, so that an overflow ends in
 * a fault and not in another warp's stack. All calls come from one thread. */
#ifndef WEFT_COROUTINE_H
#define WEFT_COROUTINE_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#if !defined(WEFT_COROUTINE_UCONTEXT) && !defined(__x86_64__) && !defined(__aarch64__)
#define WEFT_COROUTINE_UCONTEXT 1
#endif
#ifdef WEFT_COROUTINE_UCONTEXT
#include <ucontext.h>
#endif

struct weft_coroutine {
  void (*entry)(void *arg);
  void *arg;
  uint8_t *stack; /* lowest byte */
  size_t stack_bytes;
  bool finished;
#ifdef WEFT_COROUTINE_UCONTEXT
  ucontext_t here, caller;
#else
  void *here, *caller; /* stack pointers of whoever does not run */
#endif
  /* What the sanitizers must be told at each switch. */
  void *fake_here, *fake_caller;
  const void *caller_stack;
  size_t caller_bytes;
};

struct weft_stacks {
  uint8_t *memory;
  size_t count, each; /* stacks, bytes from one to the next */
};

bool weft_stacks_open(struct weft_stacks *s, size_t count, size_t bytes); /* false: out of memory */
void weft_stacks_close(struct weft_stacks *s);

/* Prepares a coroutine on stack number `index` of the pool; the first resume calls entry(arg). */
void weft_coroutine_start(struct weft_coroutine *c, struct weft_stacks *s, size_t index,
                          void (*entry)(void *), void *arg);
/* Runs until it yields or its entry returns (then `finished`). Not from inside a coroutine. */
void weft_coroutine_resume(struct weft_coroutine *c);
/* Back to whoever resumed. From inside the coroutine only. */
void weft_coroutine_yield(struct weft_coroutine *c);

#endif
