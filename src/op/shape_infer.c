/* SPDX-License-Identifier: Apache-2.0 */
/* One call of an op's shape function, from flat input shapes to flat output shapes. */
#include <inttypes.h>

#include "base/text.h"
#include "op/shape_internal.h"

/* From the scratch into the arena; out is touched only when all of it worked. */
static bool copy_outputs(const TF_ShapeInferenceContext *ctx, oribi_arena *arena, oribi_shape *out,
                         oribi_handle_data *out_handles, TF_Status *status)
{
    oribi_shape *shapes = ctx->outputs;
    oribi_handle_data *handles = ctx->output_handles;
    int32_t count = ctx->signature->n_outputs;
    for (int32_t i = 0; i < count; i++) {
        if (!oribi_shape_take_out(arena, &shapes[i], &shapes[i]) ||
            !oribi_handle_data_copy(arena, &handles[i], &handles[i])) {
            return oribi_fail_memory(status);
        }
    }
    for (int32_t i = 0; i < count; i++) {
        out[i] = shapes[i];
        if (out_handles != NULL) {
            out_handles[i] = handles[i];
        }
    }
    return true;
}

/* "node 'x' (op Conv2D) with input shapes [1,?,3], ?: message" */
static void explain(const TF_ShapeInferenceContext *ctx, TF_Status *status)
{
    oribi_text shapes = {0};
    for (int32_t i = 0; i < ctx->signature->n_inputs; i++) {
        oribi_text_append(&shapes, i > 0 ? ", " : "");
        oribi_shape_print(&ctx->inputs[i], &shapes);
    }
    oribi_status_prefix(status, "node '%s' (op %s) with input shapes %s: ", ctx->node,
                        ctx->op->name, shapes.length > 0 ? oribi_text_string(&shapes) : "(none)");
    oribi_text_destroy(&shapes);
}

static bool call(TF_ShapeInferenceContext *ctx, TF_Status *status)
{
    const oribi_op_def *op = ctx->op;
    TF_Status *own = TF_NewStatus(); /* the contract: a fresh one for each call */
    if (own == NULL) {
        return oribi_fail_memory(status);
    }
    if (op->shape_fn != NULL) {
        op->shape_fn(ctx, own);
    } else if (op->shape_fn_data != NULL) {
        op->shape_fn_data(op->shape_data, ctx, own);
    }
    bool ok = oribi_ok(own);
    if (!ok) {
        explain(ctx, own);
        oribi_status_copy(status, own);
    }
    TF_DeleteStatus(own);
    return ok;
}

static bool check_ranks(const TF_ShapeInferenceContext *ctx, TF_Status *status)
{
    const int32_t max = oribi_op_max_rank(ctx->op);
    for (int32_t i = 0; i < ctx->signature->n_outputs; i++) {
        if (ctx->outputs[i].rank > max) {
            oribi_fail(status, TF_INVALID_ARGUMENT,
                       "output %d has rank %d, and outputs of this op have at most %d axes", (int)i,
                       (int)ctx->outputs[i].rank, (int)max);
            explain(ctx, status);
            return false;
        }
    }
    return true;
}

/* What is known behind the handle of one input, which the shape function may refine. */
static bool begin_handle(TF_ShapeInferenceContext *ctx, const oribi_handle_data *from,
                         oribi_handle_data *out)
{
    *out = *from;
    if (from->count == 0) {
        return true;
    }
    out->parts = oribi_arena_array(&ctx->scratch, (size_t)from->count, sizeof *out->parts);
    for (int32_t k = 0; out->parts != NULL && k < from->count; k++) {
        out->parts[k].dtype = from->parts[k].dtype;
        if (!oribi_shape_take_in(ctx, &from->parts[k].shape, &out->parts[k].shape)) {
            return false;
        }
    }
    return out->parts != NULL;
}

/* Inputs of this call's own, and outputs unknown. */
static bool begin(TF_ShapeInferenceContext *ctx, const oribi_shape *inputs,
                  const oribi_handle_data *input_handles, TF_Status *status)
{
    int32_t n_inputs = ctx->signature->n_inputs, n_outputs = ctx->signature->n_outputs;
    size_t n_all = (size_t)n_inputs + (size_t)n_outputs + 1;
    oribi_arena_init(&ctx->scratch);
    ctx->inputs = oribi_arena_array(&ctx->scratch, n_all, sizeof *ctx->inputs);
    ctx->input_handles = oribi_arena_array(&ctx->scratch, n_all, sizeof *ctx->input_handles);
    bool ok = ctx->inputs != NULL && ctx->input_handles != NULL;
    ctx->outputs = ok ? ctx->inputs + n_inputs : NULL;
    ctx->output_handles = ok ? ctx->input_handles + n_inputs : NULL;
    for (int32_t i = 0; ok && i < n_inputs; i++) {
        ok =
            oribi_shape_take_in(ctx, &inputs[i], &ctx->inputs[i]) &&
            (input_handles == NULL || begin_handle(ctx, &input_handles[i], &ctx->input_handles[i]));
    }
    for (int32_t i = 0; ok && i < n_outputs; i++) {
        ctx->outputs[i] = oribi_shape_unset();
    }
    return ok || oribi_fail_memory(status);
}

bool oribi_op_infer_handles(const oribi_op_def *op, const char *node_name, const oribi_attrs *attrs,
                            const oribi_signature *signature, const oribi_shape *input_shapes,
                            const oribi_handle_data *input_handles, TF_Tensor *const *constants,
                            const oribi_shape *constant_shapes, oribi_arena *arena,
                            oribi_shape *out_shapes, oribi_handle_data *out_handles,
                            TF_Status *status)
{
    TF_ShapeInferenceContext ctx = {.op = op,
                                    .node = node_name,
                                    .attrs = attrs,
                                    .signature = signature,
                                    .constants = constants,
                                    .constant_shapes = constant_shapes};
    bool ok = begin(&ctx, input_shapes, input_handles, status) && call(&ctx, status) &&
              check_ranks(&ctx, status) &&
              copy_outputs(&ctx, arena, out_shapes, out_handles, status);
    oribi_arena_destroy(&ctx.scratch);
    return ok;
}

bool oribi_op_infer_shapes(const oribi_op_def *op, const char *node_name, const oribi_attrs *attrs,
                           const oribi_signature *signature, const oribi_shape *input_shapes,
                           TF_Tensor *const *constants, const oribi_shape *constant_shapes,
                           oribi_arena *arena, oribi_shape *out_shapes, TF_Status *status)
{
    return oribi_op_infer_handles(op, node_name, attrs, signature, input_shapes, NULL, constants,
                                  constant_shapes, arena, out_shapes, NULL, status);
}
