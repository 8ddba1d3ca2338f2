/* SPDX-License-Identifier: Apache-2.0 */
/* A kernel that computes outside the plan of a session: for constant folding, tests, and kernels
 * that call other ops (kernel_op.c). Not here: planned runs (src/session).
 *
 * Storage of outputs and temporaries is tensors: of the outer context where there is one, whose
 * plan then has room for them after the first run, else of the heap.
 */
#ifndef ORIBI_KERNEL_RUNNER_H_
#define ORIBI_KERNEL_RUNNER_H_

#include "kernel/context.h"

typedef struct oribi_runner { /* one computation at a time */
    TF_OpKernelContext ctx;   /* first: the host gets a context and finds this */
    oribi_step_io step;
    int32_t *ids;
    TF_Tensor **inputs;  /* own handles: a kernel may keep one of its own on them */
    TF_Tensor **outputs; /* what the slots show; of the caller where is_given */
    bool *is_given;
    struct oribi_replaced *replaced; /* what an output was before the kernel set it anew */
    TF_OpKernelContext *outer;       /* while it runs; or NULL */
    struct oribi_runner *next;       /* of idle ones */
    /* Where outputs and temporaries (output -1) come from; NULL: as above. Any thread. */
    TF_Tensor *(*allocate)(void *arg, TF_DataType dtype, const int64_t *dims, int rank, int output,
                           TF_Status *status);
    void *allocate_arg;
} oribi_runner;

/* The kernel must outlive it. */
oribi_runner *oribi_runner_create(const oribi_kernel *kernel, TF_Status *status);
void oribi_runner_destroy(oribi_runner *runner); /* NULL ok */

/* Computes on the calling thread. inputs[i] NULL: absent. outputs[i], where it is not NULL, is
 * written in place and must have the output's type and shape; else it becomes a new tensor, the
 * caller's. outer (may be NULL) is the context of the kernel that asks: its pool, patience and
 * resources; else the pool is `pool`. *runner becomes NULL when the kernel kept a handle, with
 * which the runner then goes. On failure the outputs that were NULL still are. */
bool oribi_runner_run(oribi_runner **runner, TF_OpKernelContext *outer, struct oribi_pool *pool,
                      TF_Tensor *const *inputs, TF_Tensor **outputs, TF_Status *status);

#endif
