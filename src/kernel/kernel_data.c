/* SPDX-License-Identifier: Apache-2.0 */
/* Kernels whose functions take a pointer of their author's (TF_NewKernelBuilderWithData): plain
 * functions over them, so that registry, session and executor know one kind of kernel.
 */
#include <string.h>

#include "base/alloc.h"
#include "kernel/construction_internal.h"
#include "kernel/registry_internal.h"

typedef struct data_kernel { /* the state of the plain functions */
    const TF_KernelFunctions *functions;
    void *kernel;
} data_kernel;

static void *create(TF_OpKernelConstruction *ctx)
{
    const TF_KernelFunctions *functions = &ctx->def->functions;
    data_kernel *made = oribi_claim_zero(1, sizeof *made, ctx->failure);
    if (made == NULL) {
        return NULL;
    }
    made->functions = functions;
    made->kernel = functions->create != NULL ? functions->create(functions->data, ctx) : NULL;
    return made;
}

static void compute(void *state, TF_OpKernelContext *ctx)
{
    const data_kernel *self = state;
    self->functions->compute(self->functions->data, self->kernel, ctx);
}

static void compute_async(void *state, TF_OpKernelContext *ctx, TF_AsyncOpKernelDoneCallback *done)
{
    const data_kernel *self = state;
    self->functions->compute_async(self->functions->data, self->kernel, ctx, done);
}

static void destroy(void *state)
{
    data_kernel *self = state;
    if (self != NULL && self->functions->destroy != NULL) {
        self->functions->destroy(self->functions->data, self->kernel);
    }
    oribi_free(self);
}

void oribi_kernel_data_delete(const TF_KernelFunctions *functions)
{
    if (functions == NULL) {
        return;
    }
    if (functions->delete_data != NULL) {
        functions->delete_data(functions->data);
    }
}

TF_KernelBuilder *TF_NewKernelBuilderWithData(const char *op_name, const char *device_name,
                                              const TF_KernelFunctions *functions)
{
    TF_KernelBuilder *builder = oribi_kernel_builder_new(op_name, device_name);
    if (builder == NULL) {
        return NULL;
    }
    oribi_kernel_def *def = &builder->def;
    if (functions == NULL || functions->struct_size < TF_KERNEL_FUNCTIONS_STRUCT_SIZE) {
        builder->mistake = "TF_KernelFunctions is missing, or its struct_size is not "
                           "TF_KERNEL_FUNCTIONS_STRUCT_SIZE";
        return builder;
    }
    memcpy(&def->functions, functions, TF_KERNEL_FUNCTIONS_STRUCT_SIZE);
    if ((functions->compute != NULL) == (functions->compute_async != NULL)) {
        builder->mistake = "TF_KernelFunctions needs either compute or compute_async";
    }
    def->create = create;
    def->compute = functions->compute != NULL ? compute : NULL;
    def->compute_async = functions->compute_async != NULL ? compute_async : NULL;
    def->destroy = destroy;
    return builder;
}
