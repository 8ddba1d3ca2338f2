/* SPDX-License-Identifier: Apache-2.0 */
/* One call of a kernel under watch: guarded copies of its inputs, guarded outputs and temporaries
 * (guard.h), and the same again on memory that held something else. For sessions that check
 * (check.c) and for the replay of a recorded call (src/author/replay.c), which find the same.
 * Not here: random inputs, threads, refused memory: `oribi plugin test` (src/author).
 */
#ifndef ORIBI_CHECK_CHECKED_CALL_H_
#define ORIBI_CHECK_CHECKED_CALL_H_

#include "kernel/runner.h"

/* inputs   NULL: absent. outputs[i] is NULL before, and a new tensor, the caller's, after success.
 * outer    context of the session whose step it is, or NULL; pool: used without it.
 * Errors   the kernel's own; INTERNAL with "check: WORD: .." for what was found, where WORD is one
 *          of docs/reference/checked-runs.md.
 */
bool oribi_checked_call(const oribi_kernel *kernel, TF_OpKernelContext *outer,
                        struct oribi_pool *pool, TF_Tensor *const *inputs, TF_Tensor **outputs,
                        TF_Status *status);
/* The first byte in which b differs from a, of the same type and shape; b's bytes: nowhere. */
size_t oribi_check_difference(const TF_Tensor *a, const TF_Tensor *b);

#endif
