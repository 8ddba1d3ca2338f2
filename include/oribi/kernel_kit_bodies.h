/* SPDX-License-Identifier: Apache-2.0 */
/* The functions of kernel_kit.h, which includes this where they belong. */
#ifndef ORIBI_KERNEL_KIT_BODIES_H_
#define ORIBI_KERNEL_KIT_BODIES_H_

#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "oribi/kernel_kit.h"

#ifdef __cplusplus
extern "C" {
#endif

ORIBI_KIT_FN void *oribi_kit_setup_begin(oribi_kit_setup *setup,
                                         TF_OpKernelConstruction *construction, size_t bytes)
{
    setup->construction = construction;
    setup->status = TF_NewStatus();
    setup->state = calloc(1, bytes == 0 ? 1 : bytes);
    if (setup->state == NULL) {
        TF_SetStatus(setup->status, TF_RESOURCE_EXHAUSTED, "no memory for a kernel's state");
    }
    return setup->state;
}

ORIBI_KIT_FN void *oribi_kit_setup_end(oribi_kit_setup *setup)
{
    if (TF_GetCode(setup->status) != TF_OK) {
        TF_OpKernelConstruction_Failure(setup->construction, setup->status);
    }
    TF_DeleteStatus(setup->status);
    return setup->state;
}

ORIBI_KIT_FN bool oribi_kit_setup_fail(oribi_kit_setup *setup, TF_Code code, const char *format,
                                       ...)
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

ORIBI_KIT_FN void oribi_kit_free(void *state)
{
    free(state);
}

ORIBI_KIT_FN bool oribi_kit_setup_is_ok(const oribi_kit_setup *setup)
{
    return setup->state != NULL && TF_GetCode(setup->status) == TF_OK;
}

ORIBI_KIT_FN void oribi_kit_attr_int(oribi_kit_setup *setup, const char *name, int64_t *out)
{
    if (oribi_kit_setup_is_ok(setup)) {
        TF_OpKernelConstruction_GetAttrInt64(setup->construction, name, out, setup->status);
    }
}

ORIBI_KIT_FN void oribi_kit_attr_float(oribi_kit_setup *setup, const char *name, float *out)
{
    if (oribi_kit_setup_is_ok(setup)) {
        TF_OpKernelConstruction_GetAttrFloat(setup->construction, name, out, setup->status);
    }
}

ORIBI_KIT_FN void oribi_kit_attr_bool(oribi_kit_setup *setup, const char *name, bool *out)
{
    if (oribi_kit_setup_is_ok(setup)) {
        TF_Bool value = *out ? 1 : 0;
        TF_OpKernelConstruction_GetAttrBool(setup->construction, name, &value, setup->status);
        *out = value != 0;
    }
}

ORIBI_KIT_FN void oribi_kit_attr_type(oribi_kit_setup *setup, const char *name, TF_DataType *out)
{
    if (oribi_kit_setup_is_ok(setup)) {
        TF_OpKernelConstruction_GetAttrType(setup->construction, name, out, setup->status);
    }
}

/* How long the list or the text is; false: failed. */
static inline bool oribi_kit_attr_size(oribi_kit_setup *setup, const char *name, int32_t *count,
                                       int32_t *total)
{
    *count = *total = 0;
    if (oribi_kit_setup_is_ok(setup)) {
        TF_OpKernelConstruction_GetAttrSize(setup->construction, name, count, total, setup->status);
    }
    return oribi_kit_setup_is_ok(setup);
}

ORIBI_KIT_FN void oribi_kit_attr_ints(oribi_kit_setup *setup, const char *name, int64_t *out,
                                      int max, int *out_count)
{
    int32_t count, total;
    if (!oribi_kit_attr_size(setup, name, &count, &total)) {
        return;
    }
    if (count < 0 || count > max || (out_count == NULL && count != max)) {
        (void)oribi_kit_setup_fail(setup, TF_INVALID_ARGUMENT,
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

ORIBI_KIT_FN void oribi_kit_attr_string(oribi_kit_setup *setup, const char *name, char *out,
                                        size_t size)
{
    int32_t count, total;
    if (!oribi_kit_attr_size(setup, name, &count, &total)) {
        return;
    }
    if (total < 0 || (size_t)total >= size) {
        (void)oribi_kit_setup_fail(setup, TF_INVALID_ARGUMENT,
                                   "attribute '%s' is not a text of at most %zu bytes", name,
                                   size - 1);
        return;
    }
    TF_OpKernelConstruction_GetAttrString(setup->construction, name, out, (size_t)total,
                                          setup->status);
    out[total] = '\0';
}

ORIBI_KIT_FN bool oribi_kit_is_ok(const oribi_kit_run *run)
{
    return TF_GetCode(run->status) == TF_OK;
}

ORIBI_KIT_FN TF_Tensor *oribi_kit_input(oribi_kit_run *run, int index)
{
    TF_Tensor *tensor = NULL;
    if (run->n_in == ORIBI_KIT_MAX_INPUTS) {
        (void)oribi_kit_fail(run, TF_INTERNAL, "more than %d inputs", ORIBI_KIT_MAX_INPUTS);
        return NULL;
    }
    TF_GetInput(run->context, index, &tensor, run->status);
    if (tensor != NULL) {
        run->in[run->n_in++] = tensor;
    } else if (oribi_kit_is_ok(run)) {
        (void)oribi_kit_fail(run, TF_INVALID_ARGUMENT, "input %d is absent", index);
    }
    return tensor;
}

ORIBI_KIT_FN bool oribi_kit_begin(oribi_kit_run *run, TF_OpKernelContext *context, int n_in)
{
    run->context = context;
    run->status = TF_NewStatus();
    run->n_in = run->n_out = 0;
    memset(run->in, 0, sizeof run->in); /* that compilers see a value, whatever n_in is */
    for (int i = 0; i < n_in; i++) {
        if (oribi_kit_input(run, i) == NULL) {
            return false;
        }
    }
    return true;
}

ORIBI_KIT_FN void oribi_kit_end(oribi_kit_run *run)
{
    if (!oribi_kit_is_ok(run)) {
        TF_OpKernelContext_Failure(run->context, run->status);
    }
    for (int i = 0; i < run->n_in; i++) {
        if (run->in[i] != NULL) {
            TF_DeleteTensor(run->in[i]);
        }
    }
    for (int i = 0; i < run->n_out; i++) {
        TF_DeleteTensor(run->out[i]);
    }
    TF_DeleteStatus(run->status);
}

ORIBI_KIT_FN bool oribi_kit_fail(oribi_kit_run *run, TF_Code code, const char *format, ...)
{
    char text[256];
    va_list args;
    va_start(args, format);
    (void)vsnprintf(text, sizeof text, format, args);
    va_end(args);
    TF_SetStatus(run->status, code, text);
    return false;
}

ORIBI_KIT_FN int oribi_kit_dims(oribi_kit_run *run, const TF_Tensor *tensor, int64_t *out, int max)
{
    const int rank = TF_NumDims(tensor);
    if (rank > max) {
        (void)oribi_kit_fail(run, TF_UNIMPLEMENTED, "rank %d is above the supported %d", rank, max);
        return -1;
    }
    for (int i = 0; i < rank; i++) {
        out[i] = TF_Dim(tensor, i);
    }
    return rank;
}

ORIBI_KIT_FN int64_t oribi_kit_int_at(const void *data, TF_DataType dtype, int64_t i)
{
    switch (dtype) {
    case TF_INT64:
        return ((const volatile int64_t *)data)[i];
    case TF_INT32:
        return ((const volatile int32_t *)data)[i];
    case TF_INT16:
        return ((const volatile int16_t *)data)[i];
    case TF_UINT16:
        return ((const volatile uint16_t *)data)[i];
    case TF_UINT8:
        return ((const volatile uint8_t *)data)[i];
    default:
        return ((const volatile int8_t *)data)[i];
    }
}

ORIBI_KIT_FN bool oribi_kit_read_ints(oribi_kit_run *run, const TF_Tensor *tensor, const char *what,
                                      int64_t *out, int max, int *out_count)
{
    const TF_DataType dtype = TF_TensorType(tensor);
    const int rank = TF_NumDims(tensor);
    if (rank > 1 ||
        (dtype != TF_INT32 && dtype != TF_INT64 && dtype != TF_INT16 && dtype != TF_INT8)) {
        return oribi_kit_fail(run, TF_INVALID_ARGUMENT,
                              "%s must be a scalar or vector of signed integers, not rank %d of "
                              "type %d",
                              what, rank, (int)dtype);
    }
    const int64_t count = rank == 0 ? 1 : TF_Dim(tensor, 0);
    if (count > max) {
        return oribi_kit_fail(run, TF_INVALID_ARGUMENT,
                              "%s has %lld elements; at most %d are supported", what,
                              (long long)count, max);
    }
    const void *data = TF_TensorData(tensor);
    for (int64_t i = 0; i < count; i++) {
        out[i] = oribi_kit_int_at(data, dtype, i);
    }
    *out_count = (int)count;
    return true;
}

/* Keeps a new output; its data, or NULL after failing. */
static inline void *oribi_kit_keep(oribi_kit_run *run, int index, TF_Tensor *tensor)
{
    if (tensor != NULL && oribi_kit_is_ok(run) && run->n_out < ORIBI_KIT_MAX_OUTPUTS) {
        run->out[run->n_out++] = tensor;
        return TF_TensorData(tensor);
    }
    if (oribi_kit_is_ok(run)) {
        (void)(tensor == NULL
                   ? oribi_kit_fail(run, TF_RESOURCE_EXHAUSTED, "no memory for output %d", index)
                   : oribi_kit_fail(run, TF_INTERNAL, "more than %d outputs",
                                    ORIBI_KIT_MAX_OUTPUTS));
    }
    if (tensor != NULL) {
        TF_DeleteTensor(tensor);
    }
    return NULL;
}

ORIBI_KIT_FN void *oribi_kit_output(oribi_kit_run *run, int index, const int64_t *dims, int rank)
{
    const TF_DataType dtype = TF_ExpectedOutputDataType(run->context, index);
    size_t bytes = TF_DataTypeSize(dtype);
    for (int i = 0; i < rank; i++) {
        if (dims[i] < 0 || __builtin_mul_overflow(bytes, (size_t)dims[i], &bytes)) {
            bytes = 0; /* the host checks the dims by itself and refuses them */
        }
    }
    return oribi_kit_keep(
        run, index, TF_AllocateOutput(run->context, index, dtype, dims, rank, bytes, run->status));
}

ORIBI_KIT_FN void oribi_kit_output_done(oribi_kit_run *run)
{
    TF_DeleteTensor(run->out[--run->n_out]);
}

ORIBI_KIT_FN void *oribi_kit_output_in_place(oribi_kit_run *run, const int *candidates,
                                             int n_candidates, const int64_t *dims, int rank)
{
    int forwarded = -1;
    /* A value is handed on only while nobody holds a handle on it; the context keeps the bytes. */
    for (int i = 0; i < n_candidates; i++) {
        TF_DeleteTensor(run->in[candidates[i]]);
        run->in[candidates[i]] = NULL;
    }
    return oribi_kit_keep(run, 0,
                          TF_ForwardInputOrAllocateOutput(run->context, candidates, n_candidates, 0,
                                                          dims, rank, &forwarded, run->status));
}

ORIBI_KIT_FN bool oribi_kit_output_alias(oribi_kit_run *run, int index, const int64_t *dims,
                                         int rank)
{
    TF_SetShape(run->in[index], dims, rank);
    TF_SetOutput(run->context, 0, run->in[index], run->status);
    return oribi_kit_is_ok(run);
}

ORIBI_KIT_FN void *oribi_kit_scratch(oribi_kit_run *run, int64_t bytes, TF_Tensor **out_tensor)
{
    *out_tensor = TF_AllocateTemp(run->context, TF_INT8, &bytes, 1, NULL, run->status);
    if (*out_tensor == NULL && oribi_kit_is_ok(run)) {
        (void)oribi_kit_fail(run, TF_RESOURCE_EXHAUSTED, "no memory for %lld bytes of scratch",
                             (long long)bytes);
    }
    return *out_tensor == NULL ? NULL : TF_TensorData(*out_tensor);
}

#ifndef ORIBI_KIT_LOOK_CYCLES /* what a loop does between two looks; a test may want fewer */
#define ORIBI_KIT_LOOK_CYCLES 1000000
#endif

ORIBI_KIT_FN bool oribi_kit_stops(oribi_kit_run *run, int64_t *patience, int64_t cost)
{
    *patience += 16 + cost; /* cost is below the bytes of a tensor: no sum here overflows */
    if (*patience < ORIBI_KIT_LOOK_CYCLES) {
        return false;
    }
    *patience = 0;
#if ORIBI_KIT_HAS_EXTENSION
    return ORIBI_KIT_IS_THERE(TF_OpKernelContext_IsCancelled) &&
           TF_OpKernelContext_IsCancelled(run->context);
#else
    (void)run;
    return false;
#endif
}

ORIBI_KIT_FN void oribi_kit_parallel(oribi_kit_run *run, int64_t total, int64_t cost, void *object,
                                     oribi_kit_range call)
{
    enum { WORTH_CYCLES = 30000 }; /* about 10 us: waking a worker costs a few */
    const int64_t worth =
        ORIBI_KIT_LOOK_CYCLES < WORTH_CYCLES ? ORIBI_KIT_LOOK_CYCLES : WORTH_CYCLES;
    if (total <= 0) {
        return;
    }
    if (cost < 1) {
        cost = 1;
    }
    bool is_alone = total < worth / cost || (total == 1 && cost < worth);
#if ORIBI_KIT_HAS_EXTENSION
    if (!is_alone && ORIBI_KIT_IS_THERE(TF_ThreadPool_ParallelFor)) {
        const TF_RangeCallable callable = {object, call, NULL};
        TF_ThreadPool_ParallelFor(run->context, total, cost, callable);
        return;
    }
#else
    (void)run;
    (void)is_alone;
#endif
    call(object, 0, total);
}

ORIBI_KIT_FN void oribi_kit_unary(TF_OpKernelContext *context, const void *state,
                                  oribi_kit_range loop, int64_t cost)
{
    oribi_kit_run run;
    if (oribi_kit_begin(&run, context, 1)) {
        static const int candidate = 0;
        int64_t dims[254]; /* the highest rank of a tensor */
        const int64_t count = TF_TensorElementCount(run.in[0]);
        const int rank = oribi_kit_dims(&run, run.in[0], dims, 254);
        oribi_kit_elements work = {TF_TensorData(run.in[0]), NULL, state};
        /* The host refuses the memory of an input of another type. */
        if (rank >= 0) {
            work.y = oribi_kit_output_in_place(&run, &candidate, 1, dims, rank);
        }
        if (work.y != NULL) {
            oribi_kit_parallel(&run, count, cost, &work, loop);
        }
    }
    oribi_kit_end(&run);
}

__attribute__((cold)) static inline void
oribi_kit_register_one(const oribi_kit_kernel *kernel, const TF_DataType *types, TF_Status *status)
{
    TF_KernelBuilder *builder = TF_NewKernelBuilder(kernel->op, kernel->device, kernel->create,
                                                    kernel->compute, kernel->destroy);
    for (int i = 0; i < ORIBI_KIT_MAX_CONSTRAINTS && kernel->types[i].attr != NULL; i++) {
        TF_KernelBuilder_TypeConstraint(builder, kernel->types[i].attr, types[i], status);
        if (TF_GetCode(status) != TF_OK) {
            TF_DeleteKernelBuilder(builder);
            return;
        }
    }
    for (int i = 0; i < ORIBI_KIT_MAX_HOST && kernel->host[i] != NULL; i++) {
        TF_KernelBuilder_HostMemory(builder, kernel->host[i]);
    }
    if (kernel->priority != 0) {
        TF_KernelBuilder_Priority(builder, kernel->priority);
    }
    if (kernel->label != NULL) {
        TF_KernelBuilder_Label(builder, kernel->label);
    }
#if ORIBI_KIT_HAS_EXTENSION
    for (int i = 0; i < 64 && kernel->strided_outputs >> i != 0; i++) {
        if ((kernel->strided_outputs >> i & 1) != 0 &&
            ORIBI_KIT_IS_THERE(TF_KernelBuilder_StridedOutput)) {
            TF_KernelBuilder_StridedOutput(builder, i);
        }
    }
#endif
    TF_RegisterKernelBuilder(kernel->name != NULL ? kernel->name : kernel->op, builder, status);
}

/* Every combination of the types that the constraints from `index` on allow. */
__attribute__((cold)) static inline void oribi_kit_register_types(const oribi_kit_kernel *kernel,
                                                                  int index, TF_DataType *types,
                                                                  TF_Status *status)
{
    if (index == ORIBI_KIT_MAX_CONSTRAINTS || kernel->types[index].attr == NULL) {
        oribi_kit_register_one(kernel, types, status);
        return;
    }
    const uint64_t allowed = kernel->types[index].types;
    for (int type = 0; type < 64 && allowed >> type != 0 && TF_GetCode(status) == TF_OK; type++) {
        if ((allowed >> type & 1) != 0) {
            types[index] = (TF_DataType)type;
            oribi_kit_register_types(kernel, index + 1, types, status);
        }
    }
}

ORIBI_KIT_FN void oribi_kit_register(const oribi_kit_kernel *kernel, TF_Status *status)
{
    TF_DataType types[ORIBI_KIT_MAX_CONSTRAINTS] = {TF_FLOAT}; /* any, until it is chosen */
    oribi_kit_register_types(kernel, 0, types, status);
}

ORIBI_KIT_FN void oribi_kit_register_kernel(const char *op, const char *device,
                                            void *(*create)(TF_OpKernelConstruction *),
                                            void (*compute)(void *, TF_OpKernelContext *),
                                            void (*destroy)(void *))
{
    TF_Status *status = TF_NewStatus();
    TF_RegisterKernelBuilder(op, TF_NewKernelBuilder(op, device, create, compute, destroy), status);
    TF_DeleteStatus(status);
}

/* Calls `add` with each part of a text that ';' divides. */
__attribute__((cold)) static inline void
oribi_kit_each_part(TF_OpDefinitionBuilder *op, const char *text,
                    void (*add)(TF_OpDefinitionBuilder *, const char *))
{
    while (text != NULL && *text != '\0') {
        const char *next = strchr(text, ';');
        char part[256];
        (void)snprintf(part, sizeof part, "%.*s",
                       (int)(next != NULL ? (size_t)(next - text) : strlen(text)), text);
        add(op, part + strspn(part, " "));
        text = next != NULL ? next + 1 : NULL;
    }
}

ORIBI_KIT_FN void oribi_kit_register_op(const char *name, const char *inputs, const char *outputs,
                                        const char *attrs, const char *traits,
                                        void (*shape)(TF_ShapeInferenceContext *, TF_Status *))
{
    TF_Status *status = TF_NewStatus();
    TF_OpDefinitionBuilder *op = TF_NewOpDefinitionBuilder(name);
    oribi_kit_each_part(op, inputs, TF_OpDefinitionBuilderAddInput);
    oribi_kit_each_part(op, outputs, TF_OpDefinitionBuilderAddOutput);
    oribi_kit_each_part(op, attrs, TF_OpDefinitionBuilderAddAttr);
#if ORIBI_KIT_HAS_TRAITS
    if (TF_OpDefinitionBuilderAddTrait != NULL) {
        oribi_kit_each_part(op, traits, TF_OpDefinitionBuilderAddTrait);
    }
#else
    (void)traits;
#endif
    if (shape != NULL) {
        TF_OpDefinitionBuilderSetShapeInferenceFunction(op, shape);
    }
    TF_RegisterOpDefinition(op, status);
    TF_DeleteStatus(status);
}

ORIBI_KIT_FN void oribi_kit_shape_unchanged(TF_ShapeInferenceContext *context, TF_Status *status)
{
    TF_ShapeHandle *shape = TF_NewShapeHandle();
    TF_ShapeInferenceContextGetInput(context, 0, shape, status);
    if (TF_GetCode(status) == TF_OK) {
        TF_ShapeInferenceContextSetOutput(context, 0, shape, status);
    }
    TF_DeleteShapeHandle(shape);
}

#ifdef __cplusplus
} /* extern "C" */
#endif

#endif /* ORIBI_KERNEL_KIT_BODIES_H_ */
