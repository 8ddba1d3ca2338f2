/* SPDX-License-Identifier: Apache-2.0 */
/* A kernel of the contract around one of a library. */
#include <stdio.h>
#include <stdlib.h>

#include "ort_adapter.h"

static void fail_creation(TF_OpKernelConstruction *ctx, const ort_group *group, ort_status *failed)
{
    TF_Status *status = TF_NewStatus();
    if (status) {
        oribi_ort_to_status(failed, group->name, status);
        TF_OpKernelConstruction_Failure(ctx, status);
    }
    TF_DeleteStatus(status);
}

void *oribi_ort_kernel_create(void *data, TF_OpKernelConstruction *ctx)
{
    const ort_group *group = data;
    ort_kernel *kernel = calloc(1, sizeof *kernel);
    ort_status *failed =
        kernel ? oribi_ort_info_make(ctx, group, &kernel->info) : oribi_ort_fail_memory();
    if (!failed) {
        kernel->op = kernel->info->op;
        failed = oribi_ort_call_create(kernel->op, kernel->info, &kernel->theirs);
        kernel->info->ctx = NULL;
    }
    if (failed) {
        fail_creation(ctx, group, failed);
        if (kernel) {
            oribi_ort_ReleaseKernelInfo(kernel->info);
        }
        free(kernel);
        return NULL;
    }
    return kernel;
}

void oribi_ort_kernel_compute(void *data, void *kernel, TF_OpKernelContext *ctx)
{
    const ort_group *group = data;
    const ort_kernel *own = kernel;
    ort_kernel_context context;
    ort_status *failed = oribi_ort_context_open(&context, own, ctx);
    if (!failed) {
        failed = oribi_ort_call_compute(own->op, own->theirs, &context);
    }
    oribi_ort_context_close(&context);
    if (failed) {
        TF_Status *status = TF_NewStatus();
        if (status) {
            oribi_ort_to_status(failed, group->name, status);
            TF_OpKernelContext_Failure(ctx, status);
        }
        TF_DeleteStatus(status);
    }
}

void oribi_ort_kernel_destroy(void *data, void *kernel)
{
    ort_kernel *own = kernel;
    (void)data;
    if (own) {
        if (own->op->destroy) {
            own->op->destroy(own->theirs);
        }
        oribi_ort_ReleaseKernelInfo(own->info);
        free(own);
    }
}
