/* SPDX-License-Identifier: Apache-2.0 */
/* One computation of a kernel outside a session: slots that show tensors, nothing forwarded. */
#include "kernel/runner.h"

#include <string.h>

#include "base/alloc.h"
#include "base/text.h"
#include "tensor/patience.h"

typedef struct oribi_replaced { /* handles may still be open on it */
    TF_Tensor *tensor;
    struct oribi_replaced *next;
} oribi_replaced;

static int32_t n_inputs_of(const oribi_runner *self)
{
    return self->step.n_inputs;
}

/* Lets go of the tensors of a computation; nothing is allocated or freed but handles. */
static void let_go(oribi_runner *self)
{
    for (int32_t i = 0; i < n_inputs_of(self); i++) {
        TF_DeleteTensor(self->inputs[i]);
        self->inputs[i] = NULL;
    }
    for (int32_t i = 0; i < self->step.n_outputs; i++) {
        TF_DeleteTensor(self->outputs[i]);
        self->outputs[i] = NULL;
    }
    while (self->replaced != NULL) {
        oribi_replaced *next = self->replaced->next;
        TF_DeleteTensor(self->replaced->tensor);
        oribi_free(self->replaced);
        self->replaced = next;
    }
}

static void runner_free(TF_OpKernelContext *ctx)
{
    oribi_runner *self = (oribi_runner *)ctx;
    if (self->inputs != NULL && self->outputs != NULL) {
        let_go(self);
    }
    oribi_slots_clear(ctx->slots, n_inputs_of(self) + self->step.n_outputs);
    oribi_free(ctx->slots);
    oribi_context_destroy(ctx);
    oribi_free(self->ids);
    oribi_free(self->inputs);
    oribi_free(self->outputs);
    oribi_free(self->is_given);
    oribi_free(self);
}

/* --- Storage --------------------------------------------------------------------------------- */

static TF_Tensor *new_tensor(oribi_runner *self, TF_DataType dtype, const int64_t *dims, int rank,
                             int output, bool on_host, TF_Status *status)
{
    if (self->allocate != NULL) {
        return self->allocate(self->allocate_arg, dtype, dims, rank, output, status);
    }
    if (self->outer != NULL) {
        TF_AllocatorAttributes where = {TF_ALLOCATOR_ATTRIBUTES_STRUCT_SIZE, on_host};
        return TF_AllocateTemp(self->outer, dtype, dims, rank, &where, status);
    }
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

/* The output's slot shows the tensor, which has the output's type. */
static bool show(oribi_runner *self, int index, const TF_Tensor *tensor, const int64_t *dims,
                 int rank, TF_Status *status)
{
    oribi_slot *slot = &self->ctx.slots[self->step.outputs[index]];
    ORIBI_TRY(oribi_slot_set_dims(slot, dims, rank) || oribi_fail_memory(status));
    slot->data = tensor->data != NULL ? tensor->data : oribi_context_empty_data();
    slot->bytes = tensor->bytes;
    slot->storage = ORIBI_STORAGE_CALLER;
    slot->stamp = self->ctx.stamp;
    return true;
}

/* Has the caller's tensor the shape that the kernel wants? */
static bool check_given(const oribi_runner *self, int index, const int64_t *dims, int rank,
                        TF_Status *status)
{
    const TF_Tensor *given = self->outputs[index];
    const oribi_shape has = {given->rank, given->dims}, is = {rank, (int64_t *)dims};
    const bool fits = oribi_shape_equal(&has, &is);
    if (!fits) {
        oribi_text wanted = {0}, found = {0};
        oribi_shape_print(&is, &wanted);
        oribi_shape_print(&has, &found);
        oribi_fail(status, TF_INVALID_ARGUMENT,
                   "output %d of node '%s' has shape %s, but the tensor for it %s", index,
                   self->step.kernel->node->name, oribi_text_string(&wanted),
                   oribi_text_string(&found));
        oribi_text_destroy(&wanted);
        oribi_text_destroy(&found);
    }
    return fits;
}

static bool allocate_output(TF_OpKernelContext *ctx, int index, const int64_t *dims, int rank,
                            const int *candidates, int n_candidates, int *out_forwarded,
                            TF_Status *status)
{
    oribi_runner *self = (oribi_runner *)ctx;
    (void)candidates;
    (void)n_candidates;
    *out_forwarded = -1;
    if (self->is_given[index]) {
        return check_given(self, index, dims, rank, status) &&
               show(self, index, self->outputs[index], dims, rank, status);
    }
    const TF_DataType dtype = ctx->slots[self->step.outputs[index]].dtype;
    self->outputs[index] = new_tensor(self, dtype, dims, rank, index, false, status);
    return self->outputs[index] != NULL &&
           show(self, index, self->outputs[index], dims, rank, status);
}

/* What a handle of the kernel stands on: one of ours, or the handle itself. */
static const TF_Tensor *origin_of(const oribi_runner *self, const TF_Tensor *tensor)
{
    const oribi_slot *slot = oribi_context_slot_of(&self->ctx, tensor);
    if (slot == NULL) {
        return tensor;
    }
    const ptrdiff_t at = slot - self->ctx.slots;
    return at < n_inputs_of(self) ? self->inputs[at] : self->outputs[at - n_inputs_of(self)];
}

static bool replace_output(oribi_runner *self, int index, const TF_Tensor *tensor,
                           TF_Status *status)
{
    oribi_replaced *old = NULL;
    if (self->outputs[index] != NULL) {
        old = oribi_claim_zero(1, sizeof *old, status);
        ORIBI_TRY(old != NULL);
    }
    TF_Tensor *made = oribi_tensor_share(origin_of(self, tensor));
    if (made == NULL) {
        oribi_free(old);
        return oribi_fail_memory(status);
    }
    TF_SetShape(made, tensor->dims, tensor->rank);
    made->dtype = tensor->dtype; /* a view may have another type of as many bytes */
    if (old != NULL) {
        *old = (oribi_replaced){self->outputs[index], self->replaced};
        self->replaced = old;
    }
    self->outputs[index] = made;
    return show(self, index, made, tensor->dims, tensor->rank, status);
}

static bool set_output(TF_OpKernelContext *ctx, int index, const TF_Tensor *tensor,
                       TF_Status *status)
{
    oribi_runner *self = (oribi_runner *)ctx;
    if (!self->is_given[index]) {
        return replace_output(self, index, tensor, status);
    }
    TF_Tensor *given = self->outputs[index];
    ORIBI_TRY(check_given(self, index, tensor->dims, tensor->rank, status));
    size_t bytes = 0;
    (void)oribi_size_of_dims(given->dims, given->rank, oribi_dtype_bytes(given->dtype), &bytes);
    if (given->data != tensor->data && bytes > 0) {
        memmove(given->data, tensor->data, bytes);
    }
    return show(self, index, given, given->dims, given->rank, status);
}

static TF_Tensor *allocate_temp(TF_OpKernelContext *ctx, TF_DataType dtype, const int64_t *dims,
                                int rank, bool on_host, TF_Status *status)
{
    return new_tensor((oribi_runner *)ctx, dtype, dims, rank, -1, on_host, status);
}

/* What folding computes is not worth more; that of another kernel's run counts there. */
static oribi_buffer *allocate_lasting(TF_OpKernelContext *ctx, size_t bytes, TF_Status *status)
{
    enum { MOST = 64 << 20 };
    TF_OpKernelContext *outer = ((oribi_runner *)ctx)->outer;
    if (outer != NULL && outer->host->allocate_lasting != NULL) {
        return outer->host->allocate_lasting(outer, bytes, status);
    }
    return outer != NULL || bytes <= MOST ? oribi_buffer_new(bytes) : NULL;
}

static const oribi_context_host runner_host = {allocate_output, set_output, allocate_temp,
                                               runner_free,     NULL,       allocate_lasting};

/* --- Life and computation -------------------------------------------------------------------- */

oribi_runner *oribi_runner_create(const oribi_kernel *kernel, TF_Status *status)
{
    const oribi_signature *signature = kernel->node->signature;
    oribi_runner *self = oribi_alloc_zero(1, sizeof *self);
    if (self == NULL || !oribi_context_init(&self->ctx, &runner_host, NULL, status)) {
        oribi_free(self);
        oribi_fail_memory(status);
        return NULL;
    }
    const int32_t n_inputs = signature->n_inputs, n_outputs = signature->n_outputs;
    const size_t n_slots = (size_t)n_inputs + (size_t)n_outputs;
    self->ctx.is_never_late = true; /* whoever asked waits for the kernel */
    self->step = (oribi_step_io){.compute = kernel->def->compute,
                                 .state = kernel->state,
                                 .kernel = (oribi_kernel *)kernel,
                                 .n_inputs = n_inputs,
                                 .n_outputs = n_outputs};
    self->ctx.slots = oribi_alloc_zero(n_slots + 1, sizeof *self->ctx.slots);
    self->ids = oribi_alloc_zero(n_slots + 1, sizeof *self->ids);
    self->inputs = oribi_alloc_zero((size_t)n_inputs + 1, sizeof(TF_Tensor *));
    self->outputs = oribi_alloc_zero((size_t)n_outputs + 1, sizeof(TF_Tensor *));
    self->is_given = oribi_alloc_zero((size_t)n_outputs + 1, sizeof *self->is_given);
    if (self->ctx.slots == NULL || self->ids == NULL || self->inputs == NULL ||
        self->outputs == NULL || self->is_given == NULL) {
        runner_free(&self->ctx);
        oribi_fail_memory(status);
        return NULL;
    }
    self->step.inputs = self->ids;
    self->step.outputs = self->ids + n_inputs;
    for (int32_t i = 0; i < n_outputs; i++) {
        self->ids[n_inputs + i] = n_inputs + i;
        self->ctx.slots[n_inputs + i].dtype = signature->output_types[i];
        self->ctx.slots[n_inputs + i].forward_from = -1;
    }
    return self;
}

void oribi_runner_destroy(oribi_runner *runner)
{
    if (runner != NULL) {
        runner_free(&runner->ctx);
    }
}

/* The pool and patience of whoever asks. */
static void join(oribi_runner *self, TF_OpKernelContext *outer, struct oribi_pool *pool)
{
    TF_OpKernelContext *ctx = &self->ctx;
    const oribi_patience *patience = oribi_patience_now();
    self->outer = outer;
    atomic_store_explicit(self->ctx.stop, 0, memory_order_relaxed);
    if (outer != NULL) {
        ctx->pool = outer->pool;
        ctx->called_off = outer->called_off != NULL ? outer->called_off : outer->stop;
        ctx->deadline_ns = outer->deadline_ns;
        ctx->resources = outer->resources;
        ctx->step_id = outer->step_id;
        ctx->graph_version = outer->graph_version;
    } else {
        ctx->pool = pool;
        ctx->called_off = patience != NULL ? patience->stop : NULL;
        ctx->deadline_ns = patience != NULL ? patience->deadline_ns : 0;
    }
}

static bool bind(oribi_runner *self, TF_Tensor *const *inputs, TF_Tensor *const *outputs,
                 TF_Status *status)
{
    for (int32_t i = 0; i < n_inputs_of(self); i++) {
        self->ids[i] = inputs[i] != NULL ? i : -1;
        self->inputs[i] = inputs[i] != NULL ? oribi_tensor_share(inputs[i]) : NULL;
        const TF_Tensor *tensor = self->inputs[i];
        if (tensor == NULL) {
            ORIBI_TRY(inputs[i] == NULL || oribi_fail_memory(status));
            continue;
        }
        oribi_slot *slot = &self->ctx.slots[i];
        slot->dtype = tensor->dtype;
        slot->data = tensor->data;
        slot->bytes = tensor->bytes;
        slot->dims = tensor->dims; /* of the handle, which lives as long */
        slot->rank = tensor->rank;
        slot->storage = ORIBI_STORAGE_CALLER;
    }
    for (int32_t i = 0; i < self->step.n_outputs; i++) {
        self->is_given[i] = outputs[i] != NULL;
        self->outputs[i] = outputs[i] != NULL ? oribi_tensor_share(outputs[i]) : NULL;
        ORIBI_TRY(outputs[i] == NULL || self->outputs[i] != NULL || oribi_fail_memory(status));
    }
    return true;
}

static bool check_outputs(const oribi_runner *self, TF_Status *status)
{
    for (int32_t i = 0; i < self->step.n_outputs; i++) {
        if (self->ctx.slots[self->step.outputs[i]].stamp != self->ctx.stamp) {
            return oribi_fail(status, TF_INTERNAL, "Missing %d-th output from node '%s'", (int)i,
                              self->step.kernel->node->name);
        }
    }
    return true;
}

/* A handle that the kernel kept goes on showing an output: that stays here as well. */
static void hand_over(oribi_runner *self, TF_Tensor **outputs)
{
    const int32_t n_slots = n_inputs_of(self) + self->step.n_outputs;
    const bool is_kept = oribi_context_has_open(&self->ctx, n_slots);
    for (int32_t i = 0; i < self->step.n_outputs; i++) {
        if (!self->is_given[i]) {
            outputs[i] = self->outputs[i];
            self->outputs[i] = is_kept ? oribi_tensor_share(outputs[i]) : NULL;
        }
    }
}

bool oribi_runner_run(oribi_runner **runner, TF_OpKernelContext *outer, struct oribi_pool *pool,
                      TF_Tensor *const *inputs, TF_Tensor **outputs, TF_Status *status)
{
    oribi_runner *self = *runner;
    join(self, outer, pool);
    oribi_context_enter(&self->ctx);
    self->ctx.step = &self->step;
    const bool ok = bind(self, inputs, outputs, status) &&
                    oribi_context_compute(&self->ctx, &self->step, status) &&
                    check_outputs(self, status);
    if (ok) {
        hand_over(self, outputs);
    }
    self->outer = NULL;
    if (oribi_context_leave(&self->ctx)) {
        let_go(self);
    } else {
        *runner = NULL;
    }
    return ok;
}

bool oribi_kernel_run_once(const oribi_kernel *kernel, TF_Tensor *const *inputs,
                           TF_Tensor **out_outputs, struct oribi_pool *pool, TF_Status *status)
{
    oribi_runner *runner = oribi_runner_create(kernel, status);
    TF_Tensor **made =
        oribi_alloc_zero((size_t)kernel->node->signature->n_outputs + 1, sizeof(TF_Tensor *));
    const bool ok = runner != NULL && (made != NULL || oribi_fail_memory(status)) &&
                    oribi_runner_run(&runner, NULL, pool, inputs, made, status);
    for (int32_t i = 0; ok && i < kernel->node->signature->n_outputs; i++) {
        out_outputs[i] = made[i];
    }
    oribi_free(made);
    oribi_runner_destroy(runner);
    return ok;
}
