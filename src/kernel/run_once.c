/* SPDX-License-Identifier: Apache-2.0 */
/* One computation outside a session, for constant folding and tests. Every request is served from
 * the heap; nothing is forwarded. Not here: planned runs (src/session).
 */
#include <string.h>

#include "base/alloc.h"
#include "kernel/context.h"
#include "tensor/patience.h"

typedef struct once {
    TF_OpKernelContext ctx; /* first: the host gets a context and finds this */
    oribi_step_io step;
    int32_t *ids;
    TF_Tensor **inputs; /* own handles: a kernel may keep one of its own on them */
    int32_t n_slots;
    atomic_int stop;
} once;

static void once_free(TF_OpKernelContext *ctx)
{
    once *self = (once *)ctx;
    for (int32_t i = 0; i < self->step.n_inputs && self->inputs != NULL; i++) {
        TF_DeleteTensor(self->inputs[i]);
    }
    for (int32_t i = 0; i < self->n_slots; i++) {
        oribi_buffer_release(ctx->slots[i].buffer);
        oribi_free(ctx->slots[i].dims_heap);
    }
    oribi_context_destroy(ctx);
    oribi_free(ctx->slots);
    oribi_free(self->ids);
    oribi_free(self->inputs);
    oribi_free(self);
}

/* Takes the reference on buffer. */
static bool give_storage(oribi_slot *slot, oribi_buffer *buffer, void *data, size_t bytes,
                         const int64_t *dims, int rank, TF_OpKernelContext *ctx, TF_Status *status)
{
    if (!oribi_slot_set_dims(slot, dims, rank)) {
        oribi_buffer_release(buffer);
        return oribi_fail_memory(status);
    }
    oribi_buffer_release(slot->buffer);
    slot->buffer = buffer;
    slot->data = bytes > 0 || data != NULL ? data : oribi_context_empty_data();
    slot->bytes = bytes;
    slot->storage = ORIBI_STORAGE_HEAP;
    slot->stamp = ctx->stamp;
    return true;
}

static bool once_allocate_output(TF_OpKernelContext *ctx, int index, const int64_t *dims, int rank,
                                 const int *candidates, int n_candidates, int *out_forwarded,
                                 TF_Status *status)
{
    (void)candidates;
    (void)n_candidates;
    *out_forwarded = -1;
    oribi_slot *slot = &ctx->slots[ctx->step->outputs[index]];
    size_t bytes = 0;
    if (!oribi_size_of_dims(dims, rank, oribi_dtype_bytes(slot->dtype), &bytes)) {
        return oribi_fail_memory(status);
    }
    oribi_buffer *buffer = oribi_buffer_new(bytes);
    if (buffer == NULL) {
        return oribi_fail_memory(status);
    }
    if (slot->dtype == TF_STRING) {
        memset(buffer->data, 0, bytes);
        buffer->has_strings = true;
    }
    return give_storage(slot, buffer, buffer->data, bytes, dims, rank, ctx, status);
}

static bool once_set_output(TF_OpKernelContext *ctx, int index, const TF_Tensor *tensor,
                            TF_Status *status)
{
    oribi_slot *slot = &ctx->slots[ctx->step->outputs[index]];
    const oribi_slot *from = oribi_context_slot_of(ctx, tensor);
    oribi_buffer *buffer = from != NULL ? from->buffer : tensor->buffer;
    if (buffer == NULL) {
        return oribi_fail(status, TF_INVALID_ARGUMENT,
                          "output %d of node '%s': the tensor has no storage", index,
                          ctx->step->kernel->node->name);
    }
    oribi_buffer_retain(buffer);
    return give_storage(slot, buffer, tensor->data, tensor->bytes, tensor->dims, tensor->rank, ctx,
                        status);
}

static TF_Tensor *once_allocate_temp(TF_OpKernelContext *ctx, TF_DataType dtype,
                                     const int64_t *dims, int rank, bool on_host, TF_Status *status)
{
    (void)on_host;
    (void)ctx;
    size_t bytes = 0;
    TF_Tensor *tensor = NULL;
    if (oribi_size_of_dims(dims, rank, oribi_dtype_bytes(dtype), &bytes)) {
        tensor = TF_AllocateTensor(dtype, dims, rank, bytes);
    }
    if (tensor == NULL) {
        oribi_fail_memory(status);
    }
    return tensor;
}

static const oribi_context_host once_host = {once_allocate_output, once_set_output,
                                             once_allocate_temp, once_free, NULL};

static once *once_create(const oribi_kernel *kernel, struct oribi_pool *pool, TF_Status *status)
{
    const oribi_signature *signature = kernel->node->signature;
    once *self = oribi_alloc_zero(1, sizeof *self);
    if (self == NULL || !oribi_context_init(&self->ctx, &once_host, status)) {
        oribi_free(self);
        oribi_fail_memory(status);
        return NULL;
    }
    const int32_t n_inputs = signature->n_inputs;
    const int32_t n_slots = n_inputs + signature->n_outputs;
    self->ctx.pool = pool;
    self->ctx.stop = &self->stop;
    const oribi_patience *patience = oribi_patience_now();
    if (patience != NULL) {
        self->ctx.deadline_ns = patience->deadline_ns;
        self->ctx.called_off = patience->stop;
    }
    self->ctx.slots = oribi_alloc_zero((size_t)n_slots + 1, sizeof *self->ctx.slots);
    self->ids = oribi_alloc_zero((size_t)n_slots + 1, sizeof *self->ids);
    self->inputs = oribi_alloc_zero((size_t)n_inputs + 1, sizeof(TF_Tensor *));
    if (self->ctx.slots == NULL || self->ids == NULL || self->inputs == NULL) {
        once_free(&self->ctx);
        oribi_fail_memory(status);
        return NULL;
    }
    self->n_slots = n_slots;
    for (int32_t i = 0; i < n_slots; i++) {
        self->ids[i] = i;
    }
    for (int32_t i = 0; i < signature->n_outputs; i++) {
        self->ctx.slots[n_inputs + i].dtype = signature->output_types[i];
        self->ctx.slots[n_inputs + i].forward_from = -1;
    }
    self->step = (oribi_step_io){.compute = kernel->def->compute,
                                 .state = kernel->state,
                                 .kernel = (oribi_kernel *)kernel,
                                 .inputs = self->ids,
                                 .outputs = self->ids + n_inputs,
                                 .n_inputs = n_inputs,
                                 .n_outputs = signature->n_outputs};
    return self;
}

static bool bind_inputs(once *self, TF_Tensor *const *inputs, TF_Status *status)
{
    self->ctx.step = &self->step;
    for (int32_t i = 0; i < self->step.n_inputs; i++) {
        if (inputs[i] == NULL) {
            self->ids[i] = -1;
            continue;
        }
        self->inputs[i] = oribi_tensor_share(inputs[i]);
        if (self->inputs[i] == NULL) {
            return oribi_fail_memory(status);
        }
        const TF_Tensor *tensor = self->inputs[i];
        oribi_slot *slot = &self->ctx.slots[i];
        slot->dtype = tensor->dtype;
        slot->buffer = tensor->buffer;
        if (slot->buffer != NULL) {
            oribi_buffer_retain(slot->buffer);
        }
        slot->data = tensor->data;
        slot->bytes = tensor->bytes;
        slot->dims = tensor->dims; /* of the handle, which lives as long */
        slot->rank = tensor->rank;
        slot->storage = ORIBI_STORAGE_CALLER;
    }
    return true;
}

static bool collect_outputs(once *self, TF_Tensor **out_outputs, TF_Status *status)
{
    const oribi_node_view *node = self->step.kernel->node;
    for (int32_t i = 0; i < self->step.n_outputs; i++) {
        const oribi_slot *slot = &self->ctx.slots[self->step.outputs[i]];
        if (slot->stamp != self->ctx.stamp) {
            return oribi_fail(status, TF_INTERNAL, "Missing %d-th output from node '%s'", (int)i,
                              node->name);
        }
        TF_Tensor *tensor = oribi_tensor_handle(slot->dtype, slot->dims, slot->rank);
        if (tensor == NULL) {
            return oribi_fail_memory(status);
        }
        oribi_buffer_retain(slot->buffer);
        tensor->buffer = slot->buffer;
        tensor->data = slot->data;
        tensor->bytes = slot->bytes;
        out_outputs[i] = tensor;
    }
    return true;
}

bool oribi_kernel_run_once(const oribi_kernel *kernel, TF_Tensor *const *inputs,
                           TF_Tensor **out_outputs, struct oribi_pool *pool, TF_Status *status)
{
    const int32_t n_outputs = kernel->node->signature->n_outputs;
    TF_Tensor **made = NULL;
    bool ok = false;
    once *self = once_create(kernel, pool, status);
    if (self == NULL) {
        return false;
    }
    oribi_context_enter(&self->ctx);
    made = oribi_alloc_zero((size_t)n_outputs + 1, sizeof(TF_Tensor *));
    if (made == NULL) {
        oribi_fail_memory(status);
    } else {
        ok = bind_inputs(self, inputs, status) &&
             oribi_context_compute(&self->ctx, &self->step, status) &&
             collect_outputs(self, made, status);
    }
    for (int32_t i = 0; i < n_outputs && made != NULL; i++) {
        if (ok) {
            out_outputs[i] = made[i];
        } else {
            TF_DeleteTensor(made[i]);
        }
    }
    oribi_free(made);
    if (oribi_context_leave(&self->ctx)) {
        once_free(&self->ctx);
    }
    return ok;
}
