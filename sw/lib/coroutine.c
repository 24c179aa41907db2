/* SPDX-License-Identifier: Apache-2.0 */
#include "coroutine.h"

#include <string.h>
#include <sys/mman.h>
#include <unistd.h>

/* ---- What the address sanitizer must be told --------------------------------------------------------- */

#if defined(__SANITIZE_ADDRESS__)
#define ADDRESS_SANITIZER 1
#elif defined(__has_feature)
#if __has_feature(address_sanitizer)
#define ADDRESS_SANITIZER 1
#endif
#endif

#ifdef ADDRESS_SANITIZER
#include <sanitizer/asan_interface.h>
#include <sanitizer/common_interface_defs.h>
#define START_SWITCH(save, bottom, bytes) __sanitizer_start_switch_fiber(save, bottom, bytes)
#define FINISH_SWITCH(save, bottom, bytes) __sanitizer_finish_switch_fiber(save, bottom, bytes)
/* An abandoned coroutine leaves its frames' red zones behind. */
#define FORGET_STACK(at, bytes) __asan_unpoison_memory_region(at, bytes)
#else
#define START_SWITCH(save, bottom, bytes) ((void)(save), (void)(bottom), (void)(bytes))
#define FINISH_SWITCH(save, bottom, bytes) ((void)(save), (void)(bottom), (void)(bytes))
#define FORGET_STACK(at, bytes) ((void)(at), (void)(bytes))
#endif

/* ---- The switch -------------------------------------------------------------------------------------- */

#if defined(WEFT_COROUTINE_UCONTEXT)

#elif defined(__x86_64__)
/* void weft_switch(void **save, void *load): keeps what the System V ABI says a callee keeps. */
__asm__(".text\n"
        ".globl weft_switch\n.hidden weft_switch\n.type weft_switch,@function\n.p2align 4\n"
        "weft_switch:\n"
        "  pushq %rbp\n  pushq %rbx\n  pushq %r12\n  pushq %r13\n  pushq %r14\n  pushq %r15\n"
        "  subq $8, %rsp\n  stmxcsr (%rsp)\n  fnstcw 4(%rsp)\n"
        "  movq %rsp, (%rdi)\n  movq %rsi, %rsp\n"
        "  ldmxcsr (%rsp)\n  fldcw 4(%rsp)\n  addq $8, %rsp\n"
        "  popq %r15\n  popq %r14\n  popq %r13\n  popq %r12\n  popq %rbx\n  popq %rbp\n"
        "  ret\n.size weft_switch,.-weft_switch\n"
        /* The first switch to a coroutine returns here; its argument waits in rbx, its function in r12. */
        ".globl weft_switch_enter\n.hidden weft_switch_enter\n.type weft_switch_enter,@function\n"
        "weft_switch_enter:\n"
        "  .cfi_startproc\n  .cfi_undefined rip\n"
        "  movq %rbx, %rdi\n  callq *%r12\n  ud2\n"
        "  .cfi_endproc\n.size weft_switch_enter,.-weft_switch_enter\n");

struct saved {
  uint32_t mxcsr;
  uint16_t control, pad;
  uint64_t r15, r14, r13, r12, rbx, rbp, return_to;
};
#define SAVED_FUNCTION r12
#define SAVED_ARGUMENT rbx
#define SAVED_RETURN return_to
#define SAVED_INITIAL { .mxcsr = 0x1f80, .control = 0x037f }

#elif defined(__aarch64__)
__asm__(".text\n"
        ".globl weft_switch\n.hidden weft_switch\n.type weft_switch,%function\n.p2align 4\n"
        "weft_switch:\n"
        "  sub sp, sp, #160\n"
        "  stp x19, x20, [sp, #0]\n  stp x21, x22, [sp, #16]\n  stp x23, x24, [sp, #32]\n"
        "  stp x25, x26, [sp, #48]\n  stp x27, x28, [sp, #64]\n  stp x29, x30, [sp, #80]\n"
        "  stp d8, d9, [sp, #96]\n  stp d10, d11, [sp, #112]\n  stp d12, d13, [sp, #128]\n"
        "  stp d14, d15, [sp, #144]\n"
        "  mov x9, sp\n  str x9, [x0]\n  mov sp, x1\n"
        "  ldp x19, x20, [sp, #0]\n  ldp x21, x22, [sp, #16]\n  ldp x23, x24, [sp, #32]\n"
        "  ldp x25, x26, [sp, #48]\n  ldp x27, x28, [sp, #64]\n  ldp x29, x30, [sp, #80]\n"
        "  ldp d8, d9, [sp, #96]\n  ldp d10, d11, [sp, #112]\n  ldp d12, d13, [sp, #128]\n"
        "  ldp d14, d15, [sp, #144]\n"
        "  add sp, sp, #160\n  ret\n.size weft_switch,.-weft_switch\n"
        ".globl weft_switch_enter\n.hidden weft_switch_enter\n.type weft_switch_enter,%function\n"
        "weft_switch_enter:\n"
        "  .cfi_startproc\n  .cfi_undefined x30\n"
        "  mov x0, x19\n  blr x20\n  brk #1\n"
        "  .cfi_endproc\n.size weft_switch_enter,.-weft_switch_enter\n");

struct saved {
  uint64_t x19, x20, x21_x29[9], x30, d8_d15[8];
};
#define SAVED_FUNCTION x20
#define SAVED_ARGUMENT x19
#define SAVED_RETURN x30
#define SAVED_INITIAL { 0 }
#endif

#ifndef WEFT_COROUTINE_UCONTEXT
void weft_switch(void **save, void *load);
void weft_switch_enter(void);
#endif

static void switch_in(struct weft_coroutine *c)
{
#ifdef WEFT_COROUTINE_UCONTEXT
  swapcontext(&c->caller, &c->here);
#else
  weft_switch(&c->caller, c->here);
#endif
}

static void switch_out(struct weft_coroutine *c)
{
#ifdef WEFT_COROUTINE_UCONTEXT
  swapcontext(&c->here, &c->caller);
#else
  weft_switch(&c->here, c->caller);
#endif
}

/* ---- Coroutines -------------------------------------------------------------------------------------- */

static void run(struct weft_coroutine *c)
{
  FINISH_SWITCH(NULL, &c->caller_stack, &c->caller_bytes);
  c->entry(c->arg);
  c->finished = true;
  START_SWITCH(NULL, c->caller_stack, c->caller_bytes);
  switch_out(c);
}

#ifdef WEFT_COROUTINE_UCONTEXT
/* makecontext() passes ints only. */
static void run_from_ints(unsigned high, unsigned low)
{
  run((struct weft_coroutine *)((uintptr_t)((uint64_t)high << 32 | low)));
}

static void prepare(struct weft_coroutine *c)
{
  uint64_t self = (uintptr_t)c;
  getcontext(&c->here);
  c->here.uc_stack.ss_sp = c->stack;
  c->here.uc_stack.ss_size = c->stack_bytes;
  c->here.uc_link = NULL;
  makecontext(&c->here, (void (*)(void))run_from_ints, 2, (unsigned)(self >> 32), (unsigned)self);
}
#else
static void prepare(struct weft_coroutine *c)
{
  /* 16 bytes stay free above the saved registers, so that the stack pointer is a multiple of 16 in
   * weft_switch_enter, as the ABIs want it before a call. */
  struct saved saved = SAVED_INITIAL;
  saved.SAVED_FUNCTION = (uintptr_t)run;
  saved.SAVED_ARGUMENT = (uintptr_t)c;
  saved.SAVED_RETURN = (uintptr_t)weft_switch_enter;
  uint8_t *at = c->stack + c->stack_bytes - 16 - sizeof saved;
  memcpy(at, &saved, sizeof saved);
  c->here = at;
}
_Static_assert(sizeof(struct saved) % 16 == 0, "the stack would start misaligned");
#endif

void weft_coroutine_start(struct weft_coroutine *c, struct weft_stacks *s, size_t index,
                          void (*entry)(void *), void *arg)
{
  size_t guard = (size_t)sysconf(_SC_PAGESIZE);
  memset(c, 0, sizeof *c);
  c->entry = entry;
  c->arg = arg;
  c->stack = s->memory + index * s->each + guard;
  c->stack_bytes = s->each - guard;
  FORGET_STACK(c->stack, c->stack_bytes);
  prepare(c);
}

void weft_coroutine_resume(struct weft_coroutine *c)
{
  START_SWITCH(&c->fake_caller, c->stack, c->stack_bytes);
  switch_in(c);
  FINISH_SWITCH(c->fake_caller, NULL, NULL);
}

void weft_coroutine_yield(struct weft_coroutine *c)
{
  START_SWITCH(&c->fake_here, c->caller_stack, c->caller_bytes);
  switch_out(c);
  FINISH_SWITCH(c->fake_here, &c->caller_stack, &c->caller_bytes);
}

bool weft_stacks_open(struct weft_stacks *s, size_t count, size_t bytes)
{
  size_t guard = (size_t)sysconf(_SC_PAGESIZE);
  s->each = (bytes + guard - 1) / guard * guard + guard;
  s->count = count;
  void *memory = mmap(NULL, s->each * count, PROT_READ | PROT_WRITE,
                      MAP_PRIVATE | MAP_ANONYMOUS | MAP_NORESERVE | MAP_STACK, -1, 0);
  s->memory = memory == MAP_FAILED ? NULL : memory;
  for (size_t i = 0; s->memory && i < count; i++)
    if (mprotect(s->memory + i * s->each, guard, PROT_NONE)) {
      weft_stacks_close(s);
      return false;
    }
  return s->memory;
}

void weft_stacks_close(struct weft_stacks *s)
{
  for (size_t i = 0; s->memory && i < s->count; i++)
    FORGET_STACK(s->memory + i * s->each, s->each);
  if (s->memory)
    munmap(s->memory, s->each * s->count);
  s->memory = NULL;
}
