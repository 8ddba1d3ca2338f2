/* SPDX-License-Identifier: Apache-2.0 */
/* One call of an op's shape function, from flat input shapes to flat output shapes. */
#include <inttypes.h>

#include "base/text.h"
#include "op/shape_internal.h"

/* From the scratch into the arena; out is touched only when all of it worked. */
static bool copy_outputs(oribi_shape *shapes, int32_t count, oribi_arena *arena, oribi_shape *out,
                         TF_Status *status)
{
    for (int32_t i = 0; i < count; i++) {
        if (!oribi_shape_copy(arena, shapes[i].dims, shapes[i].rank, &shapes[i])) {
            return oribi_fail_memory(status);
        }
    }
    for (int32_t i = 0; i < count; i++) {
        out[i] = shapes[i];
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

bool oribi_op_infer_shapes(const oribi_op_def *op, const char *node_name, const oribi_attrs *attrs,
                           const oribi_signature *signature, const oribi_shape *input_shapes,
                           TF_Tensor *const *constants, const oribi_shape *constant_shapes,
                           oribi_arena *arena, oribi_shape *out_shapes, TF_Status *status)
{
    TF_ShapeInferenceContext ctx = {.op = op,
                                    .node = node_name,
                                    .attrs = attrs,
                                    .signature = signature,
                                    .inputs = input_shapes,
                                    .constants = constants,
                                    .constant_shapes = constant_shapes};
    int32_t n_outputs = signature->n_outputs;
    oribi_arena_init(&ctx.scratch);
    ctx.outputs = oribi_arena_array(&ctx.scratch, (size_t)n_outputs + 1, sizeof *ctx.outputs);
    bool ok = ctx.outputs != NULL || oribi_fail_memory(status);
    for (int32_t i = 0; ok && i < n_outputs; i++) {
        ctx.outputs[i] = oribi_shape_unknown();
    }
    ok =
        ok && call(&ctx, status) && copy_outputs(ctx.outputs, n_outputs, arena, out_shapes, status);
    oribi_arena_destroy(&ctx.scratch);
    return ok;
}
