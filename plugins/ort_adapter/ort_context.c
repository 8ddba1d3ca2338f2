/* SPDX-License-Identifier: Apache-2.0 */
/* What a library may ask while a kernel computes: inputs, outputs, memory, loops over the host's
 * threads. Values are made when they are asked for and go when the call ends.
 */
#include <stdlib.h>
#include <string.h>

#include "ort_adapter.h"
#include "tensorflow/c/thread_pool.h"

struct ort_scratch {
    struct ort_scratch *next;
    max_align_t memory[];
};

/* Whoever asks may do so on several threads. */
static void lock(ort_kernel_context *context)
{
    while (__atomic_test_and_set(&context->is_locked, __ATOMIC_ACQUIRE)) {
    }
}

static void unlock(ort_kernel_context *context)
{
    __atomic_clear(&context->is_locked, __ATOMIC_RELEASE);
}

ort_status *oribi_ort_context_open(ort_kernel_context *context, const ort_kernel *kernel,
                                   TF_OpKernelContext *tf)
{
    const size_t n = kernel->info->n_inputs + kernel->info->n_outputs;
    ort_value *values = calloc(n + 1, sizeof *values);
    *context = (ort_kernel_context){.tf = tf, .kernel = kernel, .inputs = values};
    if (!values) {
        return oribi_ort_fail_memory();
    }
    context->outputs = values + kernel->info->n_inputs;
    return NULL;
}

void oribi_ort_context_close(ort_kernel_context *context)
{
    const ort_kernel_info *info = context->kernel->info;
    for (size_t i = 0; context->inputs && i < info->n_inputs + info->n_outputs; i++) {
        oribi_ort_value_clear(&context->inputs[i]);
    }
    free(context->inputs);
    while (context->scratch) {
        ort_scratch *next = context->scratch->next;
        free(context->scratch);
        context->scratch = next;
    }
}

ort_status *oribi_ort_KernelContext_GetInputCount(const ort_kernel_context *context, size_t *out)
{
    *out = context->kernel->info->n_inputs;
    return NULL;
}

ort_status *oribi_ort_KernelContext_GetOutputCount(const ort_kernel_context *context, size_t *out)
{
    *out = context->kernel->info->n_outputs;
    return NULL;
}

static ort_status *open_input(const ort_kernel_context *context, size_t index)
{
    TF_Tensor *tensor = NULL;
    TF_Status *status = TF_NewStatus();
    if (!status) {
        return oribi_ort_fail_memory();
    }
    TF_GetInput(context->tf, context->kernel->info->inputs[index].flat, &tensor, status);
    ort_status *failed = oribi_ort_from_status(status);
    TF_DeleteStatus(status);
    if (!failed && !oribi_ort_value_take(&context->inputs[index], tensor)) {
        failed = oribi_ort_fail(ORT_INVALID_ARGUMENT, "input %zu has too many dimensions", index);
    }
    return failed;
}

/* An absent input is no error: there is no value. */
ort_status *oribi_ort_KernelContext_GetInput(const ort_kernel_context *context, size_t index,
                                             const ort_value **out)
{
    ort_kernel_context *own = (ort_kernel_context *)(uintptr_t)context;
    const ort_kernel_info *info = context->kernel->info;
    ort_status *failed = NULL;
    *out = NULL;
    if (index >= info->n_inputs) {
        return oribi_ort_fail(ORT_INVALID_ARGUMENT, "input %zu of %zu", index, info->n_inputs);
    }
    if (info->inputs[index].flat < 0) {
        return NULL;
    }
    lock(own);
    if (!context->inputs[index].tensor) {
        failed = open_input(context, index);
    }
    unlock(own);
    *out = failed ? NULL : &context->inputs[index];
    return failed;
}

static ort_status *open_output(ort_kernel_context *context, size_t index, const int64_t *dims,
                               size_t rank)
{
    TF_Status *status = TF_NewStatus();
    const ort_port *port = &context->kernel->info->outputs[index];
    if (!status) {
        return oribi_ort_fail_memory();
    }
    TF_Tensor *tensor =
        TF_AllocateOutput(context->tf, port->flat, oribi_ort_type_to_tf(port->info->type), dims,
                          (int)rank, 0, status);
    ort_status *failed = oribi_ort_from_status(status);
    TF_DeleteStatus(status);
    if (!failed && !oribi_ort_value_take(&context->outputs[index], tensor)) {
        failed = oribi_ort_fail(ORT_INVALID_ARGUMENT, "output %zu has too many dimensions", index);
    }
    return failed;
}

static bool has_shape(const ort_value *value, const int64_t *dims, size_t rank)
{
    bool same = (size_t)value->shape.n == rank;
    for (size_t i = 0; i < rank && same; i++) {
        same = value->shape.at[i] == dims[i];
    }
    return same;
}

/* Asked for again with the same shape, it is the same value. */
ort_status *oribi_ort_KernelContext_GetOutput(ort_kernel_context *context, size_t index,
                                              const int64_t *dims, size_t rank, ort_value **out)
{
    const ort_kernel_info *info = context->kernel->info;
    ort_status *failed = NULL;
    *out = NULL;
    if (index >= info->n_outputs || rank > ORIBI_MAX_RANK) {
        return oribi_ort_fail(ORT_INVALID_ARGUMENT, "output %zu of %zu, with %zu dimensions", index,
                              info->n_outputs, rank);
    }
    if (info->outputs[index].flat < 0) {
        return NULL;
    }
    lock(context);
    if (!context->outputs[index].tensor) {
        failed = open_output(context, index, dims, rank);
    } else if (!has_shape(&context->outputs[index], dims, rank)) {
        failed = oribi_ort_fail(ORT_INVALID_ARGUMENT,
                                "output %zu is asked for again, with another shape", index);
    }
    unlock(context);
    *out = failed ? NULL : &context->outputs[index];
    return failed;
}

ort_status *oribi_ort_KernelContext_GetLogger(const ort_kernel_context *context,
                                              const ort_logger **out)
{
    *out = (const ort_logger *)context; /* there is one log; a logger is any address */
    return NULL;
}

ort_status *oribi_ort_KernelContext_GetGPUComputeStream(const ort_kernel_context *context,
                                                        void **out)
{
    (void)context;
    *out = NULL;
    return NULL;
}

ort_status *oribi_ort_KernelContext_GetScratchBuffer(const ort_kernel_context *context,
                                                     const ort_memory_info *info, size_t bytes,
                                                     void **out)
{
    ort_kernel_context *own = (ort_kernel_context *)(uintptr_t)context;
    ort_scratch *scratch =
        bytes > SIZE_MAX - sizeof *scratch ? NULL : malloc(sizeof *scratch + bytes);
    (void)info;
    *out = NULL;
    if (!scratch) {
        return oribi_ort_fail_memory();
    }
    lock(own);
    scratch->next = own->scratch;
    own->scratch = scratch;
    unlock(own);
    *out = scratch->memory;
    return NULL;
}

/* --- Loops ------------------------------------------------------------------------------------ */

typedef struct loop {
    void (*fn)(void *user, size_t i);
    void *user;
} loop;

static void run_range(void *object, int64_t begin, int64_t end)
{
    const loop *l = object;
    for (int64_t i = begin; i < end; i++) {
        l->fn(l->user, (size_t)i);
    }
}

/* n_batches is the most blocks that the library wants; 0: any number. */
ort_status *oribi_ort_KernelContext_ParallelFor(const ort_kernel_context *context,
                                                void (*fn)(void *user, size_t i), size_t total,
                                                size_t n_batches, void *user)
{
    loop l = {fn, user};
    const TF_RangeCallable callable = {.object = &l, .call = run_range};
    if (!fn || total > INT64_MAX) {
        return oribi_ort_fail(ORT_INVALID_ARGUMENT, "a loop without a function or of %zu units",
                              total);
    }
    if (total > 0) {
        const size_t block = n_batches == 0 ? 1 : (total - 1) / n_batches + 1;
        TF_ThreadPool_TransformRangeConcurrently(context->tf, (int64_t)block, (int64_t)total,
                                                 callable);
    }
    return NULL;
}
