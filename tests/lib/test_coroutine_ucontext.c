/* SPDX-License-Identifier: Apache-2.0 */
/* The same tests of the switch that other processors use. This program's own copy of it takes the library's
 * place. */
#define WEFT_COROUTINE_UCONTEXT 1
#include "coroutine.c"      /* NOLINT(bugprone-suspicious-include) */
#include "test_coroutine.c" /* NOLINT(bugprone-suspicious-include) */
