/* SPDX-License-Identifier: Apache-2.0 */
/* How a kernel gets storage: outputs, forwarded inputs, aliases, temporaries. A request that agrees
 * with the plan is served here without lock or allocation; the host serves the others.
 */
#include "base/alloc.h"
#include "kernel/handles_internal.h"

int TF_NumOutputs(TF_OpKernelContext *ctx)
{
    return ctx->step->n_outputs;
}

TF_DataType TF_ExpectedOutputDataType(TF_OpKernelContext *ctx, int i)
{
    return i >= 0 && i < ctx->step->n_outputs ? ctx->slots[ctx->step->outputs[i]].dtype
                                              : (TF_DataType)0;
}

static inline bool same_dims(const oribi_slot *slot, const int64_t *dims, int rank)
{
    if (slot->rank != rank) {
        return false;
    }
    const int64_t *planned = slot->dims;
    for (ptrdiff_t i = rank; --i >= 0;) {
        if (planned[i] != dims[i]) {
            return false;
        }
    }
    return true;
}

/* The slot of output index, not set yet in this run; else NULL with status set. */
static oribi_slot *output_slot(const TF_OpKernelContext *ctx, int index, TF_Status *status)
{
    const oribi_step_io *step = ctx->step;
    if ((unsigned)index >= (unsigned)step->n_outputs) {
        oribi_fail(status, TF_INTERNAL, "output index %d of node '%s' is out of range; it has %d",
                   index, step->kernel->node->name, (int)step->n_outputs);
        return NULL;
    }
    oribi_slot *slot = &ctx->slots[step->outputs[index]];
    if (slot->stamp == ctx->stamp) {
        oribi_fail(status, TF_INTERNAL, "output %d of node '%s' is allocated a second time", index,
                   step->kernel->node->name);
        return NULL;
    }
    return slot;
}

static bool check_rank(const TF_OpKernelContext *ctx, const char *what, int index, int rank,
                       int max_rank, TF_Status *status)
{
    return (rank >= 0 && rank <= max_rank) ||
           oribi_fail(status, TF_INVALID_ARGUMENT,
                      "%s %d of node '%s' has rank %d, but may have at most %d axes", what, index,
                      ctx->step->kernel->node->name, rank, max_rank);
}

static bool check_dims(const TF_OpKernelContext *ctx, const char *what, int index,
                       TF_DataType dtype, const int64_t *dims, int rank, TF_Status *status)
{
    size_t bytes = 0;
    if ((rank > 0 && dims == NULL) ||
        !oribi_size_of_dims(dims, rank, oribi_dtype_bytes(dtype), &bytes)) {
        return oribi_fail(status, TF_INVALID_ARGUMENT,
                          "%s %d of node '%s': a dimension is negative, or the tensor has more "
                          "bytes than can be addressed",
                          what, index, ctx->step->kernel->node->name);
    }
    return true;
}

static TF_Tensor *allocate_slow(TF_OpKernelContext *ctx, int index, oribi_slot *slot,
                                const int64_t *dims, int rank, const int *candidates,
                                int n_candidates, int *out_forwarded, TF_Status *status)
{
    int forwarded = -1;
    if (!check_rank(ctx, "output", index, rank, oribi_op_max_rank(ctx->step->kernel->node->op),
                    status) ||
        !check_dims(ctx, "output", index, slot->dtype, dims, rank, status) ||
        !ctx->host->allocate_output(ctx, index, dims, rank, candidates, n_candidates, &forwarded,
                                    status)) {
        return NULL;
    }
    if (out_forwarded != NULL) {
        *out_forwarded = forwarded;
    }
    return oribi_context_handle(ctx, slot, status);
}

/* On the running thread, and no handle outlived its step. */
static inline bool may_take_planned(const TF_OpKernelContext *ctx)
{
    return atomic_load_explicit(&((TF_OpKernelContext *)ctx)->planned_thread,
                                memory_order_relaxed) == oribi_thread_self();
}

/* Its handle, for the first time in this run. */
static inline TF_Tensor *set_as_planned(TF_OpKernelContext *ctx, oribi_slot *slot)
{
    slot->stamp = ctx->stamp;
    ctx->n_set++;
    return oribi_handle_take_spare(ctx, slot);
}

TF_Tensor *oribi__allocate_output(TF_OpKernelContext *ctx, int index, int unused,
                                  const int64_t *dims, int num_dims, size_t unused_too,
                                  TF_Status *status)
{
    (void)unused;
    (void)unused_too;
    oribi_status_clear(status);
    oribi_slot *slot = output_slot(ctx, index, status);
    if (slot == NULL) {
        return NULL;
    }
    if (slot->request == ORIBI_REQUEST_ALLOCATE && !ctx->is_slow &&
        same_dims(slot, dims, num_dims)) {
        slot->stamp = ctx->stamp;
        return oribi_context_handle(ctx, slot, status);
    }
    return allocate_slow(ctx, index, slot, dims, num_dims, NULL, 0, NULL, status);
}

TF_Tensor *TF_AllocateOutput(TF_OpKernelContext *context, int index, TF_DataType dtype,
                             const int64_t *dims, int num_dims, size_t len, TF_Status *status)
{
    const oribi_step_io *step = context->step;
    if ((unsigned)index < (unsigned)step->n_outputs && may_take_planned(context) &&
        oribi_status_is_new(status)) {
        oribi_slot *slot = &context->slots[step->outputs[index]];
        if (slot->request == ORIBI_REQUEST_ALLOCATE && same_dims(slot, dims, num_dims) &&
            slot->stamp != context->stamp && slot->spare != NULL) {
            return set_as_planned(context, slot);
        }
    }
    (void)dtype; /* both ignored by contract: the op definition and dims decide */
    (void)len;
    return oribi__allocate_output(context, index, 0, dims, num_dims, 0, status);
}

static bool contains(const int *candidates, int n, int wanted)
{
    for (int i = 0; i < n; i++) {
        if (candidates[i] == wanted) {
            return true;
        }
    }
    return false;
}

static bool candidates_are_inputs(const TF_OpKernelContext *ctx, const int *candidates, int n,
                                  TF_Status *status)
{
    for (int i = 0; i < n; i++) {
        if (candidates[i] < 0 || candidates[i] >= ctx->step->n_inputs) {
            return oribi_fail(
                status, TF_INVALID_ARGUMENT, "node '%s' has no input %d to forward; it has %d",
                ctx->step->kernel->node->name, candidates[i], (int)ctx->step->n_inputs);
        }
    }
    return true;
}

/* Do the conditions of the planned forward hold in this run? */
static inline bool takes_forward(const TF_OpKernelContext *ctx, const oribi_slot *slot,
                                 const int *candidates, int n)
{
    const oribi_step_io *step = ctx->step;
    if (slot->request != ORIBI_REQUEST_FORWARD || !contains(candidates, n, slot->forward_from)) {
        return false;
    }
    const oribi_slot *source = &ctx->slots[step->inputs[slot->forward_from]];
    return oribi_slot_count_open(source) == 0 && source->data == slot->data &&
           atomic_load_explicit(&((TF_OpKernelContext *)ctx)->remote, memory_order_relaxed) ==
               ORIBI_CONTEXT_BIAS;
}

static __attribute__((noinline)) TF_Tensor *forward_slow(TF_OpKernelContext *ctx,
                                                         const int *candidates, int n_candidates,
                                                         int index, const int64_t *dims, int rank,
                                                         int *forwarded, TF_Status *status)
{
    oribi_status_clear(status);
    oribi_slot *slot = output_slot(ctx, index, status);
    if (slot == NULL || !candidates_are_inputs(ctx, candidates, n_candidates, status)) {
        return NULL;
    }
    return allocate_slow(ctx, index, slot, dims, rank, candidates, n_candidates, forwarded, status);
}

TF_Tensor *TF_ForwardInputOrAllocateOutput(TF_OpKernelContext *context,
                                           const int *candidate_input_indices,
                                           int num_candidate_input_indices, int output_index,
                                           const int64_t *output_dims, int output_num_dims,
                                           int *forwarded_input, TF_Status *status)
{
    if ((unsigned)output_index < (unsigned)context->step->n_outputs && may_take_planned(context) &&
        oribi_status_is_new(status)) {
        oribi_slot *slot = &context->slots[context->step->outputs[output_index]];
        const bool is_forward =
            takes_forward(context, slot, candidate_input_indices, num_candidate_input_indices);
        const bool is_allocation = slot->request == ORIBI_REQUEST_ALLOCATE && slot->is_settled;
        if ((is_forward || is_allocation) && slot->spare != NULL && slot->stamp != context->stamp &&
            same_dims(slot, output_dims, output_num_dims)) {
            if (forwarded_input != NULL) {
                *forwarded_input = is_forward ? slot->forward_from : -1;
            }
            return set_as_planned(context, slot);
        }
    }
    return forward_slow(context, candidate_input_indices, num_candidate_input_indices, output_index,
                        output_dims, output_num_dims, forwarded_input, status);
}

void TF_SetOutput(TF_OpKernelContext *ctx, int i, const TF_Tensor *tensor, TF_Status *status)
{
    oribi_status_clear(status);
    if (i < 0 || i >= ctx->step->n_outputs) {
        oribi_fail(status, TF_OUT_OF_RANGE,
                   "output index %d of node '%s' is out of range; it has %d", i,
                   ctx->step->kernel->node->name, (int)ctx->step->n_outputs);
        return;
    }
    oribi_slot *slot = &ctx->slots[ctx->step->outputs[i]];
    if (slot->request == ORIBI_REQUEST_VIEW && !ctx->is_slow && tensor->owner == ctx &&
        tensor->data == slot->data && tensor->dtype == slot->dtype &&
        same_dims(slot, tensor->dims, tensor->rank)) {
        slot->stamp = ctx->stamp;
        return;
    }
    if (tensor->dtype != slot->dtype) {
        oribi_fail(status, TF_INTERNAL,
                   "Output %d of type %s does not match declared output type %s for node '%s'", i,
                   oribi_dtype_name(tensor->dtype), oribi_dtype_name(slot->dtype),
                   ctx->step->kernel->node->name);
        TF_OpKernelContext_Failure(ctx, status); /* found after compute by TensorFlow: it fails */
        return;
    }
    if (!check_rank(ctx, "output", i, tensor->rank, oribi_op_max_rank(ctx->step->kernel->node->op),
                    status)) {
        return;
    }
    if (!oribi_context_retire(ctx, slot)) {
        oribi_fail_memory(status);
        return;
    }
    (void)ctx->host->set_output(ctx, i, tensor, status);
}

TF_Tensor *TF_GetMutableOutput(TF_OpKernelContext *ctx, int i, TF_Status *status)
{
    oribi_status_clear(status);
    if (i < 0 || i >= ctx->step->n_outputs) {
        oribi_fail(status, TF_OUT_OF_RANGE,
                   "output index %d of node '%s' is out of range; it has %d", i,
                   ctx->step->kernel->node->name, (int)ctx->step->n_outputs);
        return NULL;
    }
    oribi_slot *slot = &ctx->slots[ctx->step->outputs[i]];
    if (slot->stamp != ctx->stamp) {
        oribi_fail(status, TF_FAILED_PRECONDITION, "output %d of node '%s' is not allocated yet", i,
                   ctx->step->kernel->node->name);
        return NULL;
    }
    return oribi_context_handle(ctx, slot, status);
}

int64_t TF_OutputRowStride(TF_OpKernelContext *ctx, int i)
{
    if (i < 0 || i >= ctx->step->n_outputs) {
        return 0;
    }
    const oribi_slot *slot = &ctx->slots[ctx->step->outputs[i]];
    if (slot->row_stride != 0) {
        return slot->row_stride;
    }
    return slot->stamp == ctx->stamp && slot->rank > 0 ? slot->dims[slot->rank - 1] : 1;
}

/* The next planned temporary, when the request fits it; only the running thread has them. Every
 * request of that thread is counted, so that the host knows its ordinal. */
static TF_Tensor *planned_temp(TF_OpKernelContext *ctx, TF_DataType dtype, const int64_t *dims,
                               int rank, size_t bytes, bool on_host, TF_Status *status)
{
    const oribi_step_io *step = ctx->step;
    if (!oribi_context_is_running_thread(ctx)) {
        return NULL;
    }
    const int32_t index = step->first_temp + ctx->n_temps++;
    if (ctx->is_slow || on_host || rank > ORIBI_INLINE_RANK || oribi_dtype_owns(dtype) ||
        index >= step->first_temp + step->n_temps || bytes > ctx->slots[index].capacity) {
        return NULL;
    }
    oribi_slot *slot = &ctx->slots[index];
    slot->bytes = bytes;
    slot->dtype = dtype;
    slot->stamp = ctx->stamp;
    (void)oribi_slot_set_dims(slot, dims, rank);
    return oribi_context_handle(ctx, slot, status);
}

TF_Tensor *TF_AllocateTemp(TF_OpKernelContext *context, TF_DataType dtype, const int64_t *dims,
                           int num_dims, TF_AllocatorAttributes *alloc_attrs, TF_Status *status)
{
    size_t bytes = 0;
    oribi_status_clear(status);
    if (alloc_attrs != NULL && alloc_attrs->struct_size == 0) {
        oribi_fail(status, TF_INVALID_ARGUMENT,
                   "TF_AllocateTemp in node '%s': struct_size of the allocator attributes is 0; "
                   "set it to TF_ALLOCATOR_ATTRIBUTES_STRUCT_SIZE",
                   context->step->kernel->node->name);
        return NULL;
    }
    if (oribi_dtype_bytes(dtype) == 0) {
        oribi_fail(status, TF_INVALID_ARGUMENT,
                   "TF_AllocateTemp in node '%s': there is no data type %d",
                   context->step->kernel->node->name, (int)dtype);
        return NULL;
    }
    if (!check_rank(context, "temporary", context->n_temps, num_dims, ORIBI_MAX_TENSOR_RANK,
                    status) ||
        !check_dims(context, "temporary", context->n_temps, dtype, dims, num_dims, status) ||
        !oribi_size_of_dims(dims, num_dims, oribi_dtype_bytes(dtype), &bytes)) {
        return NULL;
    }
    const bool on_host = context->step->device != 0 &&
                         ((alloc_attrs != NULL && alloc_attrs->on_host) || oribi_dtype_owns(dtype));
    TF_Tensor *tensor = planned_temp(context, dtype, dims, num_dims, bytes, on_host, status);
    return tensor != NULL
               ? tensor
               : context->host->allocate_temp(context, dtype, dims, num_dims, on_host, status);
}

TF_Tensor *TF_AllocateLasting(TF_OpKernelContext *ctx, TF_DataType dtype, const int64_t *dims,
                              int num_dims, TF_Status *status)
{
    enum { LEAST = 256 }; /* for the handles on it */
    size_t bytes = 0;
    oribi_status_clear(status);
    if (oribi_dtype_bytes(dtype) == 0 || num_dims < 0 || num_dims > ORIBI_MAX_TENSOR_RANK ||
        !oribi_size_of_dims(dims, num_dims, oribi_dtype_bytes(dtype), &bytes)) {
        oribi_fail(status, TF_INVALID_ARGUMENT,
                   "TF_AllocateLasting in node '%s': there is no such tensor (type %d, rank %d)",
                   ctx->step->kernel->node->name, (int)dtype, num_dims);
        return NULL;
    }
    const size_t room = bytes < LEAST ? LEAST : bytes;
    oribi_buffer *buffer = ctx->host->allocate_lasting != NULL
                               ? ctx->host->allocate_lasting(ctx, room, status)
                               : oribi_buffer_new(room);
    TF_Tensor *tensor = buffer != NULL ? oribi_tensor_handle(dtype, dims, num_dims) : NULL;
    if (tensor == NULL) {
        (void)(oribi_ok(status) && oribi_fail_memory(status));
        oribi_buffer_release(buffer);
        return NULL;
    }
    oribi_buffer_begin_elements(buffer, dtype);
    tensor->buffer = buffer;
    tensor->data = buffer->data;
    tensor->bytes = bytes;
    return tensor;
}
