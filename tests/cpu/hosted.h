/* SPDX-License-Identifier: Apache-2.0 */
/* Runs a row as a session might: inputs may be taken over, outputs may have a row stride, loops run
 * on a pool. Include after harness.h.
 */
#ifndef ORIBI_TESTS_CPU_HOSTED_H_
#define ORIBI_TESTS_CPU_HOSTED_H_

#include "device/pool.h"
#include "harness.h"
#include "kernel/context.h"

enum { HOSTED_GAP = 5 }; /* elements between the rows of a strided output */

typedef struct hosted {
    TF_OpKernelContext ctx; /* first */
    oribi_slot slots[2 * HARNESS_MOST];
    oribi_step_io step;
    int32_t ids[2 * HARNESS_MOST];
    bool may_forward, is_strided;
    int n_forwarded;
    atomic_int stop;
    char *memory[HARNESS_MOST]; /* of outputs */
} hosted;

static inline bool hosted_allocate(TF_OpKernelContext *ctx, int index, const int64_t *dims,
                                   int rank, const int *candidates, int n_candidates,
                                   int *out_forwarded, TF_Status *status)
{
    hosted *self = (hosted *)ctx;
    oribi_slot *slot = &ctx->slots[ctx->step->outputs[index]];
    int64_t count = 1, rows = 1;
    (void)status;
    *out_forwarded = -1;
    assert_true(oribi_slot_set_dims(slot, dims, rank));
    for (int i = 0; i < rank; i++) {
        count *= dims[i];
        rows *= i + 1 < rank ? dims[i] : 1;
    }
    slot->bytes = (size_t)count * TF_DataTypeSize(slot->dtype);
    slot->stamp = ctx->stamp;
    slot->storage = ORIBI_STORAGE_ARENA;
    for (int i = 0; self->may_forward && i < n_candidates; i++) {
        oribi_slot *source = &ctx->slots[ctx->step->inputs[candidates[i]]];
        if (oribi_slot_count_open(source) == 0 && source->dtype == slot->dtype &&
            source->bytes == slot->bytes) {
            slot->data = source->data;
            *out_forwarded = candidates[i];
            self->n_forwarded++;
            return true;
        }
    }
    size_t width = TF_DataTypeSize(slot->dtype);
    if (self->is_strided && index == 0 && rank > 0) {
        slot->row_stride = dims[rank - 1] + HOSTED_GAP;
    }
    size_t total = (size_t)(rows * (rank > 0 ? dims[rank - 1] + HOSTED_GAP : 1)) * width;
    self->memory[index] = oribi_alloc_zero(total + 64, 1);
    assert_non_null(self->memory[index]);
    memset(self->memory[index], 0x5a, total);
    slot->data = self->memory[index];
    return true;
}

static inline bool hosted_set(TF_OpKernelContext *ctx, int index, const TF_Tensor *tensor,
                              TF_Status *status)
{
    oribi_slot *slot = &ctx->slots[ctx->step->outputs[index]];
    (void)status;
    assert_true(oribi_slot_set_dims(slot, tensor->dims, tensor->rank));
    slot->data = tensor->data;
    slot->bytes = tensor->bytes;
    slot->stamp = ctx->stamp;
    return true;
}

static inline TF_Tensor *hosted_temp(TF_OpKernelContext *ctx, TF_DataType dtype,
                                     const int64_t *dims, int rank, bool on_host, TF_Status *status)
{
    (void)ctx;
    (void)on_host;
    (void)status;
    return harness_tensor(dtype, dims, rank);
}

static inline void hosted_release(TF_OpKernelContext *ctx)
{
    (void)ctx;
}

/* Output 0 lands densely in `out` (of want's size); inputs are copied first when they may be
 * overwritten. Returns how many outputs took over an input, -1 after a failure. */
static inline int hosted_run(harness *h, const oribi_cpu_kernel *row, bool may_forward,
                             bool is_strided, oribi_pool *pool, TF_Tensor *out)
{
    static const oribi_context_host host = {hosted_allocate, hosted_set, hosted_temp,
                                            hosted_release,  NULL,       NULL};
    oribi_kernel_def def = {.op_name = row->op_name,
                            .device_type = "CPU",
                            .label = "",
                            .kernel_name = row->op_name,
                            .provider = "built-in",
                            .strided_outputs = row->strided_outputs,
                            .create = row->create,
                            .compute = row->compute,
                            .destroy = row->destroy};
    oribi_kernel kernel = {0};
    hosted *self = oribi_alloc_zero(1, sizeof *self);
    TF_Tensor *inputs[HARNESS_MOST] = {NULL};
    int result = -1;
    assert_non_null(self);
    TF_SetStatus(h->status, TF_OK, "");
    assert_true(oribi_kernel_create(&def, &h->view, &kernel, h->status));
    assert_true(oribi_context_init(&self->ctx, &host, NULL, h->status));
    self->may_forward = may_forward;
    self->is_strided = is_strided;
    self->ctx.slots = self->slots;
    self->ctx.stop = &self->stop;
    self->ctx.pool = pool;
    for (int i = 0; i < h->n_inputs + h->n_outputs; i++) {
        self->ids[i] = i;
    }
    self->step = (oribi_step_io){.compute = row->compute,
                                 .state = kernel.state,
                                 .kernel = &kernel,
                                 .inputs = self->ids,
                                 .outputs = self->ids + h->n_inputs,
                                 .n_inputs = h->n_inputs,
                                 .n_outputs = h->n_outputs};
    oribi_context_enter(&self->ctx);
    atomic_store(&self->stop, h->is_stopped ? ORIBI_STOP_CANCELLED : 0);
    for (int i = 0; i < h->n_inputs; i++) {
        const TF_Tensor *from = h->inputs[i];
        inputs[i] = TF_AllocateTensor(from->dtype, from->dims, from->rank, from->bytes);
        assert_non_null(inputs[i]);
        memcpy(inputs[i]->data, from->data, from->bytes);
        oribi_slot *slot = &self->slots[i];
        slot->data = inputs[i]->data;
        slot->bytes = from->bytes;
        slot->dims = inputs[i]->dims;
        slot->rank = from->rank;
        slot->dtype = from->dtype;
        slot->storage = ORIBI_STORAGE_ARENA;
        slot->forward_from = -1;
        slot->stamp = self->ctx.stamp;
    }
    for (int i = 0; i < h->n_outputs; i++) {
        self->slots[h->n_inputs + i].dtype = h->signature.output_types[i];
        self->slots[h->n_inputs + i].forward_from = -1;
    }
    /* What a stopped kernel left is shown, too: the filling where it did not come. */
    if (oribi_context_compute(&self->ctx, &self->step, h->status) ||
        (h->is_stopped && self->slots[h->n_inputs].data != NULL)) {
        const oribi_slot *slot = &self->slots[h->n_inputs];
        size_t width = TF_DataTypeSize(slot->dtype);
        int64_t columns = slot->rank > 0 ? slot->dims[slot->rank - 1] : 1;
        int64_t stride = slot->row_stride != 0 ? slot->row_stride : columns;
        int64_t rows = columns == 0 ? 0 : (int64_t)(slot->bytes / width) / columns;
        assert_int_equal(slot->bytes, out->bytes);
        for (int64_t r = 0; r < rows; r++) {
            memcpy((char *)out->data + (size_t)(r * columns) * width,
                   (char *)slot->data + (size_t)(r * stride) * width, (size_t)columns * width);
            for (size_t k = 0; stride > columns && k < HOSTED_GAP * width; k++) {
                assert_int_equal(
                    ((unsigned char *)slot->data)[(size_t)(r * stride + columns) * width + k],
                    0x5a);
            }
        }
        result = self->n_forwarded;
    }
    h->is_allocated = self->memory[0] != NULL;
    assert_true(oribi_context_leave(&self->ctx));
    oribi_slots_clear(self->slots, 2 * HARNESS_MOST);
    oribi_context_destroy(&self->ctx);
    oribi_kernel_destroy(&kernel);
    for (int i = 0; i < HARNESS_MOST; i++) {
        TF_DeleteTensor(inputs[i]);
        oribi_free(self->memory[i]);
    }
    oribi_free(self);
    return result;
}

#endif
