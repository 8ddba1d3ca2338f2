/* SPDX-License-Identifier: Apache-2.0 */
/* See run.h. Every compute passes through begin and end, so they do the least they can. */
#include "cpu/run.h"

#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>

void *oribi_cpu_setup_begin(oribi_cpu_setup *setup, TF_OpKernelConstruction *construction,
                            size_t bytes)
{
    setup->construction = construction;
    setup->status = TF_NewStatus();
    setup->state = calloc(1, bytes == 0 ? 1 : bytes);
    if (setup->state == NULL) {
        TF_SetStatus(setup->status, TF_RESOURCE_EXHAUSTED, "no memory for a kernel's state");
    }
    return setup->state;
}

void *oribi_cpu_setup_end(oribi_cpu_setup *setup)
{
    if (TF_GetCode(setup->status) != TF_OK) {
        TF_OpKernelConstruction_Failure(setup->construction, setup->status);
    }
    TF_DeleteStatus(setup->status);
    return setup->state;
}

bool oribi_cpu_setup_fail(oribi_cpu_setup *setup, TF_Code code, const char *format, ...)
{
    char text[256];
    va_list args;
    va_start(args, format);
    (void)vsnprintf(text, sizeof text, format, args);
    va_end(args);
    if (TF_GetCode(setup->status) == TF_OK) { /* the first failure tells most */
        TF_SetStatus(setup->status, code, text);
    }
    return false;
}

void oribi_cpu_free(void *state)
{
    free(state);
}

static bool usable(const oribi_cpu_setup *setup)
{
    return setup->state != NULL && TF_GetCode(setup->status) == TF_OK;
}

void oribi_cpu_attr_int(oribi_cpu_setup *setup, const char *name, int64_t *out)
{
    if (usable(setup)) {
        TF_OpKernelConstruction_GetAttrInt64(setup->construction, name, out, setup->status);
    }
}

void oribi_cpu_attr_float(oribi_cpu_setup *setup, const char *name, float *out)
{
    if (usable(setup)) {
        TF_OpKernelConstruction_GetAttrFloat(setup->construction, name, out, setup->status);
    }
}

void oribi_cpu_attr_bool(oribi_cpu_setup *setup, const char *name, bool *out)
{
    if (usable(setup)) {
        TF_Bool value = 0;
        TF_OpKernelConstruction_GetAttrBool(setup->construction, name, &value, setup->status);
        *out = value != 0;
    }
}

void oribi_cpu_attr_type(oribi_cpu_setup *setup, const char *name, TF_DataType *out)
{
    if (usable(setup)) {
        TF_OpKernelConstruction_GetAttrType(setup->construction, name, out, setup->status);
    }
}

void oribi_cpu_attr_ints(oribi_cpu_setup *setup, const char *name, int64_t *out, int max,
                         int *out_count)
{
    int32_t count = 0, total = 0;
    if (!usable(setup)) {
        return;
    }
    TF_OpKernelConstruction_GetAttrSize(setup->construction, name, &count, &total, setup->status);
    if (TF_GetCode(setup->status) != TF_OK) {
        return;
    }
    if (count < 0 || count > max || (out_count == NULL && count != max)) {
        (void)oribi_cpu_setup_fail(setup, TF_INVALID_ARGUMENT,
                                   "attribute '%s' has %d elements; %s %d are supported", name,
                                   (int)count, out_count == NULL ? "exactly" : "at most", max);
        return;
    }
    if (count > 0) {
        TF_OpKernelConstruction_GetAttrInt64List(setup->construction, name, out, count,
                                                 setup->status);
    }
    if (out_count != NULL) {
        *out_count = count;
    }
}

void oribi_cpu_attr_string(oribi_cpu_setup *setup, const char *name, char *out, size_t size)
{
    int32_t count = 0, total = 0;
    if (!usable(setup)) {
        return;
    }
    TF_OpKernelConstruction_GetAttrSize(setup->construction, name, &count, &total, setup->status);
    if (TF_GetCode(setup->status) != TF_OK) {
        return;
    }
    if (total < 0 || (size_t)total >= size) {
        (void)oribi_cpu_setup_fail(setup, TF_INVALID_ARGUMENT,
                                   "attribute '%s' is not a text of at most %zu bytes", name,
                                   size - 1);
        return;
    }
    TF_OpKernelConstruction_GetAttrString(setup->construction, name, out, (size_t)total,
                                          setup->status);
    out[total] = '\0';
}

bool oribi_cpu_begin(oribi_cpu_run *run, TF_OpKernelContext *context, int n_in)
{
    run->context = context;
    run->status = TF_NewStatus();
    run->n_in = 0;
    for (int i = 0; i < ORIBI_CPU_MAX_OUTPUTS; i++) {
        run->out[i] = NULL;
    }
    for (int i = 0; i < n_in; i++) {
        TF_Tensor *tensor = NULL;
        TF_GetInput(context, i, &tensor, run->status);
        if (tensor == NULL) {
            if (TF_GetCode(run->status) == TF_OK) {
                (void)oribi_cpu_fail(run, TF_INVALID_ARGUMENT, "input %d is absent", i);
            }
            return false;
        }
        run->in[run->n_in++] = tensor;
    }
    return true;
}

void oribi_cpu_end(oribi_cpu_run *run)
{
    if (TF_GetCode(run->status) != TF_OK) {
        TF_OpKernelContext_Failure(run->context, run->status);
    }
    for (int i = 0; i < run->n_in; i++) {
        if (run->in[i] != NULL) {
            TF_DeleteTensor(run->in[i]);
        }
    }
    for (int i = 0; i < ORIBI_CPU_MAX_OUTPUTS; i++) {
        if (run->out[i] != NULL) {
            TF_DeleteTensor(run->out[i]);
        }
    }
    TF_DeleteStatus(run->status);
}

bool oribi_cpu_fail(oribi_cpu_run *run, TF_Code code, const char *format, ...)
{
    char text[256];
    va_list args;
    va_start(args, format);
    (void)vsnprintf(text, sizeof text, format, args);
    va_end(args);
    TF_SetStatus(run->status, code, text);
    return false;
}

static void *data_of(oribi_cpu_run *run, int index, TF_Tensor *tensor)
{
    if (tensor == NULL || TF_GetCode(run->status) != TF_OK) {
        if (TF_GetCode(run->status) == TF_OK) {
            (void)oribi_cpu_fail(run, TF_RESOURCE_EXHAUSTED, "no memory for output %d", index);
        }
        if (tensor != NULL) {
            TF_DeleteTensor(tensor);
        }
        return NULL;
    }
    run->out[index] = tensor;
    return TF_TensorData(tensor);
}

void *oribi_cpu_output(oribi_cpu_run *run, int index, const int64_t *dims, int rank)
{
    TF_DataType dtype = TF_ExpectedOutputDataType(run->context, index);
    size_t bytes = TF_DataTypeSize(dtype);
    for (int i = 0; i < rank; i++) {
        if (dims[i] < 0 || __builtin_mul_overflow(bytes, (size_t)dims[i], &bytes)) {
            bytes = 0; /* the host checks the dims by itself and refuses them */
        }
    }
    return data_of(run, index,
                   TF_AllocateOutput(run->context, index, dtype, dims, rank, bytes, run->status));
}

void *oribi_cpu_output_in_place(oribi_cpu_run *run, const int *candidates, int n_candidates,
                                const int64_t *dims, int rank)
{
    int forwarded = -1;
    /* A value is handed on only while nobody holds a handle on it; the context keeps the bytes. */
    for (int i = 0; i < n_candidates; i++) {
        TF_DeleteTensor(run->in[candidates[i]]);
        run->in[candidates[i]] = NULL;
    }
    return data_of(run, 0,
                   TF_ForwardInputOrAllocateOutput(run->context, candidates, n_candidates, 0, dims,
                                                   rank, &forwarded, run->status));
}

bool oribi_cpu_output_alias(oribi_cpu_run *run, int index, const int64_t *dims, int rank)
{
    TF_SetShape(run->in[index], dims, rank);
    TF_SetOutput(run->context, 0, run->in[index], run->status);
    return TF_GetCode(run->status) == TF_OK;
}

void *oribi_cpu_scratch(oribi_cpu_run *run, int64_t bytes, TF_Tensor **out_tensor)
{
    *out_tensor = TF_AllocateTemp(run->context, TF_INT8, &bytes, 1, NULL, run->status);
    if (*out_tensor == NULL && TF_GetCode(run->status) == TF_OK) {
        (void)oribi_cpu_fail(run, TF_RESOURCE_EXHAUSTED, "no memory for %lld bytes of scratch",
                             (long long)bytes);
    }
    return *out_tensor == NULL ? NULL : TF_TensorData(*out_tensor);
}

void oribi_cpu_parallel(oribi_cpu_run *run, int64_t total, int64_t cost, void *object,
                        void (*call)(void *object, int64_t begin, int64_t end))
{
    enum { WORTH_CYCLES = 30000 }; /* about 10 us: waking a worker costs a few */
    if (total <= 0) {
        return;
    }
    if (total == 1 || total < WORTH_CYCLES / (cost < 1 ? 1 : cost)) {
        call(object, 0, total);
        return;
    }
    TF_RangeCallable callable = {object, call, NULL};
    TF_ThreadPool_ParallelFor(run->context, total, cost < 1 ? 1 : cost, callable);
}
