/* SPDX-License-Identifier: Apache-2.0 */
/* What a kernel asks about its inputs while it computes. Outputs: context_outputs.c. */
#include <string.h>

#include "kernel/handles_internal.h"

int TF_NumInputs(TF_OpKernelContext *ctx)
{
    return ctx->step->n_inputs;
}

static void fail_index(const TF_OpKernelContext *ctx, const char *what, int i, int n,
                       TF_Status *status)
{
    oribi_fail(status, TF_OUT_OF_RANGE, "%s index %d of node '%s' is out of range; it has %d", what,
               i, ctx->step->kernel->node->name, n);
}

static void fail_unset(const TF_OpKernelContext *ctx, int i, TF_Status *status)
{
    oribi_fail(status, TF_FAILED_PRECONDITION,
               "input %d of node '%s' has no value: it is not initialised, or the kernel promised "
               "with TF_OpKernelConstruction_ReleaseConstant not to read it",
               i, ctx->step->kernel->node->name);
}

/* All of TF_GetInput; kept out of the fast path, which then needs no stack. */
static __attribute__((noinline)) void get_input_slow(TF_OpKernelContext *ctx, int i,
                                                     TF_Tensor **tensor, TF_Status *status)
{
    const oribi_step_io *step = ctx->step;
    oribi_status_clear(status);
    if (i < 0 || i >= step->n_inputs) {
        fail_index(ctx, "input", i, step->n_inputs, status);
        return;
    }
    if (step->inputs[i] < 0) {
        *tensor = NULL;
        return;
    }
    oribi_slot *slot = &ctx->slots[step->inputs[i]];
    if (slot->data == NULL) {
        fail_unset(ctx, i, status);
        return;
    }
    TF_Tensor *handle = oribi_context_handle(ctx, slot, status);
    if (handle != NULL) {
        *tensor = handle;
    }
}

void TF_GetInput(TF_OpKernelContext *ctx, int i, TF_Tensor **tensor, TF_Status *status)
{
    const oribi_step_io *step = ctx->step;
    if ((unsigned)i < (unsigned)step->n_inputs && oribi_context_is_running_thread(ctx)) {
        const ptrdiff_t at = step->inputs[i];
        if (at >= 0 && oribi_status_is_new(status)) {
            oribi_slot *slot = &ctx->slots[at];
            if (slot->spare != NULL && slot->data != NULL) {
                *tensor = oribi_handle_take_spare(ctx, slot);
                return;
            }
        }
    }
    get_input_slow(ctx, i, tensor, status);
}

static void find_range(const oribi_node_view *node, const oribi_arg_def *args, int32_t n_args,
                       const int32_t *arg_start, const char *kind, const char *name,
                       TF_InputRange_Args *out)
{
    out->start = -1;
    out->stop = -1;
    for (int32_t k = 0; name != NULL && k < n_args; k++) {
        if (strcmp(args[k].name, name) == 0) {
            out->start = arg_start[k];
            out->stop = arg_start[k + 1];
            TF_SetStatus(out->status, TF_OK, "");
            return;
        }
    }
    oribi_fail(out->status, TF_INVALID_ARGUMENT, "Unknown %s name: '%s' of node '%s'", kind,
               name != NULL ? name : "", node->name);
}

void TF_InputRange(TF_OpKernelContext *ctx, const char *name, TF_InputRange_Args *args)
{
    const oribi_node_view *node = ctx->step->kernel->node;
    find_range(node, node->op != NULL ? node->op->inputs : NULL,
               node->op != NULL ? node->op->n_inputs : 0, node->signature->input_arg_start, "input",
               name, args);
}

void TF_OutputRange(TF_OpKernelContext *ctx, const char *name, TF_InputRange_Args *args)
{
    const oribi_node_view *node = ctx->step->kernel->node;
    find_range(node, node->op != NULL ? node->op->outputs : NULL,
               node->op != NULL ? node->op->n_outputs : 0, node->signature->output_arg_start,
               "output", name, args);
}

TF_DataType TF_InputDatatype(TF_OpKernelContext *ctx, int index)
{
    const oribi_signature *signature = ctx->step->kernel->node->signature;
    return index >= 0 && index < signature->n_inputs ? signature->input_types[index]
                                                     : (TF_DataType)0;
}

bool TF_IsHostMemoryInput(TF_OpKernelContext *ctx, int i, TF_Status *status)
{
    oribi_status_clear(status);
    if (i < 0 || i >= ctx->step->n_inputs) {
        fail_index(ctx, "input", i, ctx->step->n_inputs, status);
        return false;
    }
    return ctx->step->inputs[i] < 0 || ctx->slots[ctx->step->inputs[i]].device == 0;
}

bool TF_IsHostMemoryOutput(TF_OpKernelContext *ctx, int i, TF_Status *status)
{
    oribi_status_clear(status);
    if (i < 0 || i >= ctx->step->n_outputs) {
        fail_index(ctx, "output", i, ctx->step->n_outputs, status);
        return false;
    }
    return ctx->slots[ctx->step->outputs[i]].device == 0;
}

TF_StringView TF_GetOpKernelRequestedInput(TF_OpKernelContext *ctx, size_t index)
{
    const oribi_node_view *node = ctx->step->kernel->node;
    const char *name = "";
    if (node->input_names != NULL && index < (size_t)node->signature->n_inputs &&
        node->input_names[index] != NULL) {
        name = node->input_names[index];
    }
    return (TF_StringView){name, strlen(name)};
}
