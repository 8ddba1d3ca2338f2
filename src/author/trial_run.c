/* SPDX-License-Identifier: Apache-2.0 */
/* One computation under watch: every block of memory that the kernel gets lies between guards and
 * holds a pattern, inputs are copies that are compared afterwards, requests can be refused.
 * Not here: what the results mean (trial_case.c).
 */
#include <malloc.h>
#include <stdio.h>
#include <string.h>

#include "base/alloc.h"
#include "kernel/resource.h"
#include "author/trial.h"
#include "tensor/storage.h"

enum {
    GUARD_BYTES = 256,
    MAX_BLOCKS = 256,
    MOST_BYTES = 1 << 28 /* of one run: a kernel that wants more is refused, as by a small host */
};

typedef struct block {
    uint8_t *all; /* guard, data, guard */
    size_t bytes; /* of the data */
    const char *what;
    int index;
    oribi_buffer *buffer;
} block;

typedef struct watch {
    TF_OpKernelContext ctx; /* first: the host gets a context and finds this */
    oribi_step_io step;
    const oribi_trial *trial;
    const oribi_trial_setting *setting;
    oribi_trial_outcome *out;
    int32_t *ids;
    block blocks[MAX_BLOCKS];
    int n_blocks;
    size_t bytes;
    TF_Resource *variables[ORIBI_TRIAL_MAX_INPUTS];
    bool taken[ORIBI_TRIAL_MAX_INPUTS];
    uint8_t *input_data[ORIBI_TRIAL_MAX_INPUTS];
} watch;

static void keep_until_the_end(void *data, size_t bytes, void *arg)
{
    (void)data;
    (void)bytes;
    (void)arg;
}

/* Data of a new guarded block, or NULL; *out_buffer has one reference, which the watch holds. */
static uint8_t *new_block(watch *w, size_t bytes, const char *what, int index,
                          oribi_buffer **out_buffer)
{
    if (w->n_blocks == MAX_BLOCKS || bytes > MOST_BYTES - w->bytes) {
        return NULL;
    }
    w->bytes += bytes;
    block *b = &w->blocks[w->n_blocks];
    b->all = oribi_alloc_aligned(bytes + 2 * GUARD_BYTES, ORIBI_TENSOR_ALIGNMENT);
    b->buffer =
        b->all ? oribi_buffer_wrap(b->all + GUARD_BYTES, bytes, keep_until_the_end, NULL) : NULL;
    if (!b->buffer) {
        oribi_free(b->all);
        return NULL;
    }
    memset(b->all, w->setting->pattern ^ 0xff, bytes + 2 * GUARD_BYTES);
    memset(b->all + GUARD_BYTES, w->setting->pattern, bytes);
    b->bytes = bytes;
    b->what = what;
    b->index = index;
    w->n_blocks++;
    *out_buffer = b->buffer;
    return b->all + GUARD_BYTES;
}

static bool is_refused(watch *w, const char *what, int index, TF_Status *status)
{
    return ++w->out->n_requests == w->setting->fail_at &&
           !oribi_fail(status, TF_RESOURCE_EXHAUSTED, "refused by the test: memory for %s %d", what,
                       index);
}

static bool try_forward(watch *w, oribi_slot *slot, int32_t input, size_t bytes)
{
    const oribi_slot *from = w->ids[input] < 0 ? NULL : &w->ctx.slots[w->ids[input]];
    if (!w->setting->forwards || !from || w->taken[input] || oribi_slot_count_open(from) > 0 ||
        from->dtype != slot->dtype || from->bytes != bytes || bytes == 0 ||
        oribi_dtype_owns(slot->dtype)) {
        return false;
    }
    w->taken[input] = true;
    w->out->n_forwarded++;
    oribi_buffer_retain(from->buffer);
    slot->buffer = from->buffer;
    slot->data = from->data;
    return true;
}

static bool allocate_output(TF_OpKernelContext *ctx, int index, const int64_t *dims, int rank,
                            const int *candidates, int n_candidates, int *out_forwarded,
                            TF_Status *status)
{
    watch *w = (watch *)ctx;
    oribi_slot *slot = &ctx->slots[ctx->step->outputs[index]];
    size_t bytes = 0;
    bool ok = false;
    *out_forwarded = -1;
    if (!oribi_size_of_dims(dims, rank, oribi_dtype_bytes(slot->dtype), &bytes)) {
        return oribi_fail_memory(status);
    }
    oribi_mutex_lock(&ctx->lock);
    if (!is_refused(w, "output", index, status)) {
        oribi_buffer_release(slot->buffer);
        slot->buffer = NULL;
        for (int i = 0; i < n_candidates && *out_forwarded < 0; i++) {
            *out_forwarded = try_forward(w, slot, candidates[i], bytes) ? candidates[i] : -1;
        }
        if (*out_forwarded < 0) {
            slot->data = new_block(w, bytes, "output", index, &slot->buffer);
            if (slot->data) {
                oribi_buffer_retain(slot->buffer);
            }
        }
        ok = slot->data && oribi_slot_set_dims(slot, dims, rank);
        if (ok && oribi_dtype_owns(slot->dtype)) {
            memset(slot->data, 0, bytes);
        }
        slot->bytes = bytes;
        slot->storage = ORIBI_STORAGE_HEAP;
        slot->stamp = ok ? ctx->stamp : slot->stamp;
        ok = ok || oribi_fail_memory(status);
    }
    oribi_mutex_unlock(&ctx->lock);
    return ok;
}

static bool set_output(TF_OpKernelContext *ctx, int index, const TF_Tensor *tensor,
                       TF_Status *status)
{
    oribi_slot *slot = &ctx->slots[ctx->step->outputs[index]];
    const oribi_slot *from = oribi_context_slot_of(ctx, tensor);
    oribi_buffer *buffer = from ? from->buffer : tensor->buffer;
    if (!buffer || !oribi_slot_set_dims(slot, tensor->dims, tensor->rank)) {
        return oribi_fail(status, TF_INVALID_ARGUMENT, "output %d is set to a tensor without bytes",
                          index);
    }
    oribi_buffer_retain(buffer);
    oribi_buffer_release(slot->buffer);
    slot->buffer = buffer;
    slot->data = tensor->data;
    slot->bytes = tensor->bytes;
    slot->storage = ORIBI_STORAGE_HEAP;
    slot->stamp = ctx->stamp;
    return true;
}

static TF_Tensor *allocate_temp(TF_OpKernelContext *ctx, TF_DataType dtype, const int64_t *dims,
                                int rank, bool on_host, TF_Status *status)
{
    (void)on_host;
    watch *w = (watch *)ctx;
    size_t bytes = 0;
    oribi_buffer *buffer = NULL;
    TF_Tensor *tensor = NULL;
    uint8_t *data = NULL;
    if (!oribi_size_of_dims(dims, rank, oribi_dtype_bytes(dtype), &bytes)) {
        oribi_fail_memory(status);
        return NULL;
    }
    oribi_mutex_lock(&ctx->lock);
    if (!is_refused(w, "temporary", w->n_blocks, status)) {
        data = new_block(w, bytes, "temporary", w->n_blocks, &buffer);
        tensor = data ? oribi_tensor_handle(dtype, dims, rank) : NULL;
        if (!tensor) {
            oribi_fail_memory(status);
        }
    }
    oribi_mutex_unlock(&ctx->lock);
    if (tensor) {
        if (oribi_dtype_owns(dtype)) {
            memset(data, 0, bytes);
        }
        oribi_buffer_retain(buffer);
        tensor->buffer = buffer;
        tensor->data = data;
        tensor->bytes = bytes;
    }
    return tensor;
}

static void release(TF_OpKernelContext *ctx)
{
    (void)ctx; /* a handle that came late: the process ends soon */
}

static const oribi_context_host host = {allocate_output, set_output, allocate_temp,
                                        release,         NULL,       NULL};

static int64_t count_of(const TF_Tensor *tensor)
{
    return TF_TensorElementCount(tensor);
}

static void copy_elements(const TF_Tensor *from, uint8_t *to)
{
    if (from->dtype != TF_STRING) {
        memcpy(to, from->data, from->bytes);
        return;
    }
    TF_TString *strings = (TF_TString *)(void *)to;
    for (int64_t i = 0; i < count_of(from); i++) {
        TF_TString_Init(&strings[i]);
        TF_TString_Copy(&strings[i], TF_TString_GetDataPointer((TF_TString *)from->data + i),
                        TF_TString_GetSize((TF_TString *)from->data + i));
    }
}

static bool same_shape(const TF_Tensor *a, const TF_Tensor *b)
{
    return a->dtype == b->dtype && a->rank == b->rank &&
           (a->rank == 0 || memcmp(a->dims, b->dims, (size_t)a->rank * sizeof(int64_t)) == 0);
}

/* With aliases an input of the same type and shape as an earlier one is that one. */
static int32_t source_of(const watch *w, int32_t i)
{
    for (int32_t k = 0; w->setting->aliases && k < i; k++) {
        if (same_shape(w->trial->inputs[k], w->trial->inputs[i]) && !w->trial->variables[i]) {
            return k;
        }
    }
    return i;
}

/* A fresh variable behind the handle of a resource input. */
static bool bind_variable(watch *w, int32_t i, uint8_t *handle)
{
    char name[32];
    TF_Tensor *tensor = NULL;
    snprintf(name, sizeof(name), "trial_%d", (int)i);
    w->variables[i] = oribi_variable_create(&w->ctx, name, w->trial->variables[i], w->out->status);
    tensor =
        w->variables[i] ? TF_ResourceHandleTensor(&w->ctx, w->variables[i], w->out->status) : NULL;
    if (tensor) {
        memcpy(handle, tensor->data, w->trial->inputs[i]->bytes);
    }
    TF_DeleteTensor(tensor);
    return tensor != NULL;
}

static bool bind_inputs(watch *w)
{
    for (int32_t i = 0; i < w->step.n_inputs; i++) {
        const TF_Tensor *tensor = w->trial->inputs[i];
        const int32_t source = source_of(w, i);
        oribi_slot *slot = &w->ctx.slots[i];
        slot->dtype = tensor->dtype;
        slot->bytes = tensor->bytes;
        slot->dims = tensor->dims;
        slot->rank = tensor->rank;
        slot->storage = ORIBI_STORAGE_CALLER;
        slot->forward_from = -1;
        if (source != i) {
            slot->data = w->ctx.slots[source].data;
            slot->buffer = w->ctx.slots[source].buffer;
        } else {
            slot->data = new_block(w, tensor->bytes, "input", i, &slot->buffer);
            if (!slot->data) {
                return false;
            }
            copy_elements(tensor, slot->data);
            if (w->trial->variables[i] && !bind_variable(w, i, slot->data)) {
                return false;
            }
        }
        oribi_buffer_retain(slot->buffer);
        w->input_data[i] = slot->data;
    }
    return true;
}

/* Strings with their lengths; handles are numbers of the run and say nothing. */
static void append_elements(oribi_text *text, TF_DataType dtype, const void *data, size_t bytes)
{
    if (!oribi_dtype_owns(dtype) && dtype != TF_RESOURCE) {
        oribi_text_append_n(text, data, bytes);
    }
    for (size_t i = 0; dtype == TF_STRING && i < bytes / sizeof(TF_TString); i++) {
        const TF_TString *string = (const TF_TString *)data + i;
        oribi_text_printf(text, "%zu:", TF_TString_GetSize(string));
        oribi_text_append_n(text, TF_TString_GetDataPointer(string), TF_TString_GetSize(string));
    }
}

static void append_output(watch *w, const oribi_slot *slot, oribi_trial_output *output)
{
    oribi_text *bytes = &w->out->bytes;
    size_t wanted = 0;
    output->dtype = slot->dtype;
    output->rank = slot->rank;
    for (int32_t k = 0; k < slot->rank && k < ORIBI_INLINE_RANK; k++) {
        output->dims[k] = slot->dims[k];
    }
    output->begin = bytes->length;
    if (oribi_size_of_dims(slot->dims, slot->rank, oribi_dtype_bytes(slot->dtype), &wanted) &&
        wanted > slot->bytes) {
        oribi_text_printf(&w->out->damage, "an output has %zu bytes and a shape of %zu; ",
                          slot->bytes, wanted);
        wanted = slot->bytes;
    }
    append_elements(bytes, slot->dtype, slot->data, wanted);
    output->bytes = bytes->length - output->begin;
}

static void collect_variables(watch *w)
{
    for (int32_t i = 0; i < w->step.n_inputs; i++) {
        TF_Tensor *value = w->variables[i] ? oribi_variable_share(w->variables[i]) : NULL;
        if (value) {
            oribi_text_printf(&w->out->variables, "%d,", (int)value->rank);
            oribi_text_append_n(&w->out->variables, (const char *)value->dims,
                                (size_t)value->rank * sizeof(*value->dims));
            append_elements(&w->out->variables, value->dtype, value->data, value->bytes);
        }
        TF_DeleteTensor(value);
    }
}

static void collect(watch *w)
{
    w->out->n_outputs = w->step.n_outputs;
    for (int32_t i = 0; i < w->step.n_outputs && w->out->is_ok; i++) {
        const oribi_slot *slot = &w->ctx.slots[w->step.outputs[i]];
        if (slot->stamp != w->ctx.stamp) {
            w->out->is_silent = true;
            w->out->is_ok = oribi_fail(w->out->status, TF_INTERNAL,
                                       "output %d was not set, but there was no error", i);
            break;
        }
        append_output(w, slot, &w->out->outputs[i]);
    }
}

static bool is_filled(const uint8_t *at, size_t bytes, uint8_t with)
{
    for (size_t i = 0; i < bytes; i++) {
        if (at[i] != with) {
            return false;
        }
    }
    return true;
}

static void check_blocks(watch *w)
{
    const uint8_t guard = w->setting->pattern ^ 0xff;
    for (int i = 0; i < w->n_blocks; i++) {
        const block *b = &w->blocks[i];
        if (!is_filled(b->all, GUARD_BYTES, guard)) {
            oribi_text_printf(&w->out->damage, "wrote before the start of %s %d; ", b->what,
                              b->index);
        }
        if (!is_filled(b->all + GUARD_BYTES + b->bytes, GUARD_BYTES, guard)) {
            oribi_text_printf(&w->out->damage, "wrote past the end of %s %d; ", b->what, b->index);
        }
    }
    for (int32_t i = 0; i < w->step.n_inputs; i++) {
        const TF_Tensor *tensor = w->trial->inputs[source_of(w, i)];
        if (!w->taken[i] && !oribi_dtype_owns(tensor->dtype) && tensor->dtype != TF_RESOURCE &&
            memcmp(w->input_data[i], tensor->data, tensor->bytes) != 0) {
            oribi_text_printf(&w->out->modified, "input %d; ", i);
        }
    }
}

/* Memory stays when a handle is open that may still read it: the process ends soon anyway. */
static void finish(watch *w, bool has_left)
{
    for (int32_t i = 0; i < w->step.n_inputs + w->step.n_outputs && w->ctx.slots; i++) {
        oribi_slot *slot = &w->ctx.slots[i];
        const bool is_own = i >= w->step.n_inputs || source_of(w, i) == i;
        if (slot->data && is_own && slot->buffer &&
            slot->buffer->deallocator == keep_until_the_end) {
            oribi_elements_free(slot->dtype, slot->data, slot->bytes);
        }
        oribi_buffer_release(slot->buffer);
    }
    for (int32_t i = 0; i < w->step.n_inputs; i++) {
        TF_DeleteResource(w->variables[i]);
    }
    if (!has_left) {
        return;
    }
    for (int i = 0; i < w->n_blocks; i++) {
        const bool is_kept = atomic_load(&w->blocks[i].buffer->references) > 1;
        oribi_buffer_release(w->blocks[i].buffer);
        if (!is_kept) {
            oribi_free(w->blocks[i].all);
        }
    }
    oribi_resources_destroy(w->ctx.resources);
    oribi_slots_clear(w->ctx.slots, w->step.n_inputs + w->step.n_outputs);
    oribi_free(w->ctx.slots);
    oribi_context_destroy(&w->ctx);
    oribi_free(w->ids);
    oribi_free(w);
}

static watch *begin(const oribi_trial *trial, const oribi_kernel *kernel,
                    const oribi_trial_setting *setting, oribi_trial_outcome *out)
{
    const oribi_signature *s = &trial->signature;
    const int32_t n = s->n_inputs + s->n_outputs;
    watch *w = oribi_alloc_zero(1, sizeof(*w));
    if (!w || !oribi_context_init(&w->ctx, &host, NULL, out->status)) {
        oribi_free(w);
        return NULL;
    }
    w->trial = trial;
    w->setting = setting;
    w->out = out;
    w->ctx.pool = setting->pool;
    w->ctx.is_never_late = true;
    w->ctx.resources = oribi_resources_create(out->status);
    w->ctx.slots = oribi_alloc_zero((size_t)n + 1, sizeof(*w->ctx.slots));
    w->ids = oribi_alloc_zero((size_t)n + 1, sizeof(*w->ids));
    out->outputs = oribi_alloc_zero((size_t)s->n_outputs + 1, sizeof(*out->outputs));
    w->step = (oribi_step_io){.compute = kernel->def->compute,
                              .state = kernel->state,
                              .kernel = (oribi_kernel *)kernel,
                              .inputs = w->ids,
                              .n_inputs = s->n_inputs,
                              .n_outputs = s->n_outputs};
    if (!w->ctx.slots || !w->ids || !out->outputs || !w->ctx.resources) {
        w->step.n_inputs = w->step.n_outputs = 0;
        finish(w, true);
        return NULL;
    }
    w->step.outputs = w->ids + s->n_inputs;
    for (int32_t i = 0; i < n; i++) {
        w->ids[i] = i;
    }
    for (int32_t i = 0; i < s->n_outputs; i++) {
        w->ctx.slots[s->n_inputs + i].dtype = s->output_types[i];
        w->ctx.slots[s->n_inputs + i].forward_from = -1;
    }
    w->ctx.step = &w->step;
    return w;
}

bool oribi__trial_run(const oribi_trial *trial, const oribi_kernel *kernel,
                      const oribi_trial_setting *setting, oribi_trial_outcome *out)
{
    *out = (oribi_trial_outcome){.status = TF_NewStatus()};
    watch *w = out->status ? begin(trial, kernel, setting, out) : NULL;
    if (!w) {
        return false;
    }
    oribi_context_enter(&w->ctx);
    bool is_bound = bind_inputs(w);
#ifdef M_PERTURB
    mallopt(M_PERTURB, setting->pattern); /* the kernel's own heap blocks too */
#endif
    if (is_bound) {
        out->is_ok = oribi_context_compute(&w->ctx, &w->step, out->status);
        collect(w);
        collect_variables(w);
        check_blocks(w);
    }
    (void)oribi_context_has_open(&w->ctx, w->step.n_inputs + w->step.n_outputs);
    out->n_open = w->ctx.owner.open;
    finish(w, oribi_context_leave(&w->ctx));
#ifdef M_PERTURB
    mallopt(M_PERTURB, 0);
#endif
    return is_bound && !out->bytes.failed && !out->variables.failed;
}

void oribi__trial_outcome_clear(oribi_trial_outcome *outcome)
{
    oribi_text_destroy(&outcome->bytes);
    oribi_text_destroy(&outcome->damage);
    oribi_text_destroy(&outcome->modified);
    oribi_text_destroy(&outcome->variables);
    oribi_free(outcome->outputs);
    TF_DeleteStatus(outcome->status);
    *outcome = (oribi_trial_outcome){0};
}
