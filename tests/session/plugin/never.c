/* SPDX-License-Identifier: Apache-2.0 */
/* An op whose kernel is asynchronous and never calls done; with WAITS it keeps a thread of the pool
 * as well. Used by tests/cli/late_test.py. */
#include <stddef.h>
#include <unistd.h>

#include "tensorflow/c/kernels.h"
#include "tensorflow/c/ops.h"
#include "tensorflow/c/thread_pool.h"

void TF_InitKernel(void);

static void keep_the_thread(void *object)
{
    (void)object;
    for (;;) {
        pause();
    }
}

static void compute(void *kernel, TF_OpKernelContext *ctx, TF_AsyncOpKernelDoneCallback *done)
{
    const TF_Callable call = {NULL, keep_the_thread, NULL};
    (void)kernel;
    (void)done;
#ifdef WAITS
    TF_ThreadPool_Schedule(ctx, call);
#else
    (void)ctx;
    (void)call;
#endif
}

void TF_InitKernel(void)
{
    TF_Status *status = TF_NewStatus();
    TF_OpDefinitionBuilder *op = TF_NewOpDefinitionBuilder("Never");
    TF_OpDefinitionBuilderAddInput(op, "x: float");
    TF_OpDefinitionBuilderAddOutput(op, "z: float");
    TF_RegisterOpDefinition(op, status);
    TF_RegisterKernelBuilder("Never", TF_NewAsyncKernelBuilder("Never", "CPU", NULL, compute, NULL),
                             status);
    TF_DeleteStatus(status);
}
