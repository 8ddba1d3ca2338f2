/* SPDX-License-Identifier: Apache-2.0 */
/* Runs one row of the cpu plugin's kernel list on tensors of the test: a node made by hand, inputs
 * that may be constants stored in any order, an output that may be written with gaps between rows.
 * No graph, no session. Random values come from a seed that the test names.
 */
#ifndef ORIBI_TESTS_CPU_KERNEL_HARNESS_H_
#define ORIBI_TESTS_CPU_KERNEL_HARNESS_H_

#include <math.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include <cmocka.h>

#include "built_in.h"
#include "cpu/base/families.h"
#include "device/pool.h"
#include "kernel/context.h"
#include "tensor/status.h"

enum { HARNESS_INPUTS = 8 };

typedef struct harness_input {
    TF_Tensor *tensor; /* what compute sees */
    bool is_constant, is_released;
    void *memory;
    char *stored; /* constants only: the same values in another order, unaligned */
    int64_t stored_bytes, told_bytes; /* up to where creation said that it had read */
    int64_t strides[ORIBI_INLINE_RANK];
} harness_input;

typedef struct harness {
    oribi_arena arena;
    oribi_attrs attrs;
    oribi_signature signature;
    oribi_node_view view;
    oribi_shape shapes[HARNESS_INPUTS];
    TF_DataType types[HARNESS_INPUTS], output_type;
    harness_input inputs[HARNESS_INPUTS];
    int64_t gap; /* floats between output rows */
    bool spoils; /* what creation says that it has read, so that a second look shows */
    oribi_pool *pool;
} harness;

static uint32_t harness_random_state = 1;

static inline float harness_random(void) /* in [-1, 1) */
{
    harness_random_state = harness_random_state * 1664525u + 1013904223u;
    return (float)(int32_t)harness_random_state / 2147483648.0f;
}

static bool harness_constant(void *arg, int32_t input, oribi_constant_view *out)
{
    const harness *self = arg;
    const harness_input *from = &self->inputs[input];
    if (!from->is_constant) {
        return false;
    }
    *out = (oribi_constant_view){.dtype = from->tensor->dtype,
                                 .rank = from->tensor->rank,
                                 .dims = from->tensor->dims,
                                 .strides = from->strides,
                                 .data = from->stored};
    return true;
}

static void harness_release(void *arg, int32_t input)
{
    harness *self = arg;
    self->inputs[input].is_released = true;
}

static void harness_constant_read(void *arg, int32_t input, const void *from, size_t bytes)
{
    harness *self = arg;
    harness_input *constant = &self->inputs[input];
    const int64_t begin = (const char *)from - constant->stored;
    const int64_t end = begin + (int64_t)bytes;
    assert_true(constant->is_constant && begin >= 0 && end <= constant->stored_bytes);
    assert_true(!self->spoils || (begin <= constant->told_bytes && end > constant->told_bytes));
    if (self->spoils) {
        memset(constant->stored + begin, 0xff, bytes);
    }
    constant->told_bytes = end;
}

static inline void harness_begin(harness *self)
{
    *self = (harness){.output_type = TF_FLOAT};
    self->view.constant_input = harness_constant;
    self->view.release_constant = harness_release;
    self->view.constant_read = harness_constant_read;
    self->view.arg = self;
    assert_true(oribi_attrs_set_type(&self->attrs, &self->arena, "T", TF_FLOAT));
}

static inline void harness_end(harness *self)
{
    for (int32_t i = 0; i < self->signature.n_inputs; i++) {
        TF_DeleteTensor(self->inputs[i].tensor);
        free(self->inputs[i].memory);
    }
    oribi_arena_destroy(&self->arena);
}

static inline TF_Tensor *harness_tensor(TF_DataType type, const int64_t *dims, int rank)
{
    size_t count = 1;
    for (int i = 0; i < rank; i++) {
        count *= (size_t)dims[i];
    }
    TF_Tensor *tensor = TF_AllocateTensor(type, dims, rank, count * TF_DataTypeSize(type));
    assert_non_null(tensor);
    return tensor;
}

static inline TF_Tensor *harness_random_tensor(const int64_t *dims, int rank)
{
    TF_Tensor *tensor = harness_tensor(TF_FLOAT, dims, rank);
    float *values = TF_TensorData(tensor);
    for (int64_t i = 0; i < TF_TensorElementCount(tensor); i++) {
        values[i] = harness_random();
    }
    return tensor;
}

/* Takes the tensor. */
static inline void harness_add(harness *self, TF_Tensor *tensor)
{
    const int32_t i = self->signature.n_inputs++;
    assert_true(i < HARNESS_INPUTS);
    self->inputs[i].tensor = tensor;
    self->types[i] = tensor->dtype;
    self->shapes[i] = (oribi_shape){tensor->rank, tensor->dims};
}

/* Makes input i a constant whose axes are stored in this order, one float off alignment. */
static inline void harness_make_constant(harness *self, int i, const int *order)
{
    harness_input *input = &self->inputs[i];
    const TF_Tensor *tensor = input->tensor;
    const int64_t count = TF_TensorElementCount(tensor);
    const float *values = TF_TensorData(tensor);
    int64_t stride = (int64_t)sizeof(float);
    free(input->memory);
    input->is_constant = true;
    input->stored_bytes = count * (int64_t)sizeof(float);
    input->told_bytes = 0;
    input->memory = calloc((size_t)count + 1, sizeof(float));
    assert_non_null(input->memory);
    input->stored = (char *)input->memory + 1;
    for (int axis = tensor->rank - 1; axis >= 0; axis--) {
        input->strides[order[axis]] = stride;
        stride *= tensor->dims[order[axis]];
    }
    for (int64_t element = 0; element < count; element++) {
        int64_t rest = element, offset = 0;
        for (int axis = tensor->rank - 1; axis >= 0; axis--) {
            offset += rest % tensor->dims[axis] * input->strides[axis];
            rest /= tensor->dims[axis];
        }
        memcpy(input->stored + offset, &values[element], sizeof(float));
    }
}

/* --- a run context that leaves gaps between the rows of its output --- */
typedef struct harness_run {
    TF_OpKernelContext context; /* first */
    oribi_slot slots[HARNESS_INPUTS + 1];
    int32_t ids[HARNESS_INPUTS + 1];
    atomic_int stop;
    float *memory;
    size_t rows;
    int64_t gap;
} harness_run;

static const float harness_guard = -12345.5f;

static bool harness_allocate_output(TF_OpKernelContext *context, int index, const int64_t *dims,
                                    int rank, const int *candidates, int n_candidates,
                                    int *out_forwarded, TF_Status *status)
{
    harness_run *run = (harness_run *)context;
    oribi_slot *slot = &run->slots[context->step->outputs[index]];
    (void)candidates;
    (void)n_candidates;
    (void)status;
    *out_forwarded = -1;
    assert_true(oribi_slot_set_dims(slot, dims, rank));
    const int64_t row = rank > 0 ? dims[rank - 1] : 1;
    run->rows = 1;
    for (int i = 0; i < rank - 1; i++) {
        run->rows *= (size_t)dims[i];
    }
    const size_t floats = run->rows * (size_t)(row + run->gap) + 1;
    run->memory = aligned_alloc(64, (floats * sizeof(float) + 63) / 64 * 64);
    assert_non_null(run->memory);
    for (size_t i = 0; i < floats; i++) {
        run->memory[i] = harness_guard;
    }
    slot->data = run->memory;
    slot->bytes = run->rows * (size_t)row * sizeof(float);
    slot->row_stride = run->gap > 0 ? row + run->gap : 0;
    slot->storage = ORIBI_STORAGE_ARENA;
    slot->stamp = context->stamp;
    return true;
}

static bool harness_set_output(TF_OpKernelContext *context, int index, const TF_Tensor *tensor,
                               TF_Status *status)
{
    (void)context;
    (void)tensor;
    return oribi_fail(status, TF_UNIMPLEMENTED, "output %d is set, not written", index);
}

static TF_Tensor *harness_allocate_temp(TF_OpKernelContext *context, TF_DataType dtype,
                                        const int64_t *dims, int rank, bool on_host,
                                        TF_Status *status)
{
    (void)on_host;
    (void)context;
    (void)status;
    return harness_tensor(dtype, dims, rank);
}

static void harness_detached(TF_OpKernelContext *context)
{
    (void)context;
}

/* The output without its gaps, which must be untouched. */
static inline TF_Tensor *harness_collect(const harness_run *run, const oribi_slot *slot)
{
    TF_Tensor *out = harness_tensor(TF_FLOAT, slot->dims, slot->rank);
    float *values = TF_TensorData(out);
    const int64_t row = slot->rank > 0 ? slot->dims[slot->rank - 1] : 1;
    for (size_t i = 0; i < run->rows; i++) {
        const float *from = run->memory + i * (size_t)(row + run->gap);
        memcpy(values + i * (size_t)row, from, (size_t)row * sizeof(float));
        for (int64_t j = 0; j < run->gap; j++) {
            assert_true(from[row + j] == harness_guard);
        }
    }
    assert_true(run->memory[run->rows * (size_t)(row + run->gap)] == harness_guard);
    return out;
}

/* Output 0, or NULL with status set. The caller deletes it. */
static inline TF_Tensor *harness_compute(harness *self, const oribi_cpu_kernel *row,
                                         TF_Status *status)
{
    static const oribi_context_host host = {harness_allocate_output,
                                            harness_set_output,
                                            harness_allocate_temp,
                                            harness_detached,
                                            NULL,
                                            NULL};
    const int32_t n = self->signature.n_inputs;
    const oribi_kernel_def def = {.op_name = row->op_name,
                                  .device_type = "CPU",
                                  .kernel_name = row->op_name,
                                  .provider = "built-in",
                                  .priority = row->priority,
                                  .strided_outputs = row->strided_outputs,
                                  .create = row->create,
                                  .compute = row->compute,
                                  .destroy = row->destroy};
    harness_run run = {.gap = (row->strided_outputs & 1) != 0 ? self->gap : 0};
    oribi_kernel kernel = {0};
    TF_Tensor *out = NULL;
    self->signature.n_outputs = 1;
    self->signature.input_types = self->types;
    self->signature.output_types = &self->output_type;
    self->view.name = "node";
    self->view.op = oribi_op_find(row->op_name);
    if (self->view.op == NULL) { /* the first call */
        oribi_ops_core_init();
        self->view.op = oribi_op_find(row->op_name);
    }
    assert_non_null(self->view.op);
    self->view.attrs = &self->attrs;
    self->view.signature = &self->signature;
    self->view.input_shapes = self->shapes;
    for (int32_t i = 0; i < n; i++) {
        self->inputs[i].is_released = false; /* by the kernel of an earlier call */
    }
    if (!oribi_kernel_create(&def, &self->view, &kernel, status)) {
        return NULL;
    }
    for (int32_t i = 0; i <= n; i++) {
        run.ids[i] = i;
        run.slots[i].forward_from = -1;
        run.slots[i].dtype = i < n ? self->types[i] : self->output_type;
    }
    assert_true(oribi_context_init(&run.context, &host, NULL, status));
    for (int32_t i = 0; i < n; i++) {
        TF_Tensor *tensor = self->inputs[i].tensor;
        oribi_slot *slot = &run.slots[i];
        slot->data = self->inputs[i].is_released ? NULL : tensor->data;
        slot->bytes = tensor->bytes;
        slot->storage = ORIBI_STORAGE_CALLER;
        assert_true(oribi_slot_set_dims(slot, tensor->dims, tensor->rank));
    }
    const oribi_step_io step = {.kernel = &kernel,
                                .inputs = run.ids,
                                .outputs = run.ids + n,
                                .n_inputs = n,
                                .n_outputs = 1,
                                .compute = row->compute,
                                .state = kernel.state,
                                .first_temp = n + 1};
    run.context.pool = self->pool;
    run.context.slots = run.slots;
    run.context.stamp = 1;
    run.context.stop = &run.stop;
    for (int32_t i = 0; i < n; i++) {
        run.slots[i].stamp = 1;
    }
    oribi_context_enter(&run.context);
    if (oribi_context_compute(&run.context, &step, status)) {
        out = harness_collect(&run, &run.slots[n]);
    }
    assert_true(oribi_context_leave(&run.context));
    oribi_slots_clear(run.slots, HARNESS_INPUTS + 1);
    oribi_context_destroy(&run.context);
    oribi_kernel_destroy(&kernel);
    free(run.memory);
    return out;
}

/* The reference row of an op, over all families. */
static inline const oribi_cpu_kernel *harness_reference(const char *op)
{
    for (const oribi_cpu_family *family = oribi_cpu_families; family->name != NULL; family++) {
        for (const oribi_cpu_kernel *row = family->kernels; row->op_name != NULL; row++) {
            if (row->priority == ORIBI_CPU_REFERENCE && strcmp(row->op_name, op) == 0) {
                return row;
            }
        }
    }
    fail_msg("%s has no reference row", op);
    return NULL;
}

/* Calls each for every row of the op that this processor runs, the reference apart; returns how
 * many there were. */
static inline int harness_each_variant(const char *op,
                                       void (*each)(void *arg, const oribi_cpu_kernel *row),
                                       void *arg)
{
    int count = 0;
    for (const oribi_cpu_family *family = oribi_cpu_families; family->name != NULL; family++) {
        for (const oribi_cpu_kernel *row = family->kernels; row->op_name != NULL; row++) {
            if (row->priority != ORIBI_CPU_REFERENCE && strcmp(row->op_name, op) == 0 &&
                oribi_cpu_has(row->isa)) {
                each(arg, row);
                count++;
            }
        }
    }
    return count;
}

/* Same shape, and values within `tolerance` of 1 + |expected|. */
static inline void harness_assert_close(const TF_Tensor *actual, const TF_Tensor *expected,
                                        double tolerance, const char *what)
{
    const float *a = TF_TensorData(actual), *b = TF_TensorData(expected);
    assert_int_equal(actual->rank, expected->rank);
    for (int i = 0; i < expected->rank; i++) {
        assert_int_equal(actual->dims[i], expected->dims[i]);
    }
    for (int64_t i = 0; i < TF_TensorElementCount(expected); i++) {
        const double difference = fabs((double)a[i] - (double)b[i]);
        if (!(difference <= tolerance * (1.0 + fabs((double)b[i])))) {
            fail_msg("%s: value %lld is %g, not %g", what, (long long)i, (double)a[i],
                     (double)b[i]);
        }
    }
}

#endif
