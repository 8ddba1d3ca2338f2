/* SPDX-License-Identifier: Apache-2.0 */
/* What a shape function learns about the node beyond shapes: types, argument ranges, and the values
 * of constant inputs, whole or partly known.
 */
#include <inttypes.h>
#include <string.h>

#include "op/shape_internal.h"

int64_t TF_ShapeInferenceContextNumOutputs(TF_ShapeInferenceContext *ctx)
{
    return ctx->signature->n_outputs;
}

TF_DataType TF_ShapeInferenceContextInputType(TF_ShapeInferenceContext *ctx, int i)
{
    if (i < 0 || i >= ctx->signature->n_inputs) {
        return (TF_DataType)0;
    }
    return ctx->signature->input_types[i];
}

static void find_range(const TF_ShapeInferenceContext *ctx, bool is_input, const char *name,
                       int *start, int *stop, TF_Status *status)
{
    const oribi_op_def *op = ctx->op;
    const oribi_arg_def *args = is_input ? op->inputs : op->outputs;
    const int32_t *starts =
        is_input ? ctx->signature->input_arg_start : ctx->signature->output_arg_start;
    int32_t count = is_input ? op->n_inputs : op->n_outputs;
    for (int32_t i = 0; i < count; i++) {
        if (strcmp(args[i].name, name) == 0) {
            *start = starts[i];
            *stop = starts[i + 1];
            TF_SetStatus(status, TF_OK, "");
            return;
        }
    }
    oribi_fail(status, TF_INVALID_ARGUMENT, "Op %s has no %s named '%s'", op->name,
               is_input ? "input" : "output", name);
}

void TF_ShapeInferenceContextInputRange(TF_ShapeInferenceContext *ctx, const char *name, int *start,
                                        int *stop, TF_Status *status)
{
    find_range(ctx, true, name, start, stop, status);
}

void TF_ShapeInferenceContextOutputRange(TF_ShapeInferenceContext *ctx, const char *name,
                                         int *start, int *stop, TF_Status *status)
{
    find_range(ctx, false, name, start, stop, status);
}

static TF_Tensor *constant_of(const TF_ShapeInferenceContext *ctx, int i)
{
    if (ctx->constants == NULL || i < 0 || i >= ctx->signature->n_inputs) {
        return NULL;
    }
    return ctx->constants[i];
}

TF_Tensor *TF_ShapeInferenceContextInputTensor(TF_ShapeInferenceContext *ctx, int i)
{
    TF_Tensor *tensor = constant_of(ctx, i);
    return tensor != NULL ? oribi_tensor_share(tensor) : NULL;
}

static bool check_input(const TF_ShapeInferenceContext *ctx, int i, TF_Status *status)
{
    return (i >= 0 && i < ctx->signature->n_inputs) ||
           oribi_fail(status, TF_INVALID_ARGUMENT, "input index out of range: %d of %" PRId32, i,
                      ctx->signature->n_inputs);
}

static bool read_integer(const TF_Tensor *tensor, int64_t i, int64_t *out)
{
    const char *data = TF_TensorData(tensor);
    int32_t narrow;
    switch (TF_TensorType(tensor)) {
    case TF_INT32:
        memcpy(&narrow, data + (size_t)i * sizeof narrow, sizeof narrow);
        *out = narrow;
        return true;
    case TF_INT64:
        memcpy(out, data + (size_t)i * sizeof *out, sizeof *out);
        return true;
    default:
        return false;
    }
}

static bool fail_integer(TF_Status *status, int i)
{
    return oribi_fail(status, TF_INVALID_ARGUMENT,
                      "Input %d must be int32 or int64 to be read as a shape", i);
}

static bool shape_from_tensor(TF_ShapeInferenceContext *ctx, int i, const TF_Tensor *tensor,
                              oribi_shape *out, TF_Status *status)
{
    int64_t value, count = TF_TensorElementCount(tensor);
    oribi_shape shape;
    if (TF_NumDims(tensor) == 0) { /* a scalar -1 says: any shape */
        if (!read_integer(tensor, 0, &value)) {
            return fail_integer(status, i);
        }
        if (value != -1) {
            return oribi_fail(status, TF_INVALID_ARGUMENT,
                              "Shape must be rank 1 but is rank 0; a scalar may only be -1, not "
                              "%" PRId64,
                              value);
        }
        *out = oribi_shape_unknown(ctx);
        return true;
    }
    if (TF_NumDims(tensor) != 1) {
        return oribi_fail(status, TF_INVALID_ARGUMENT, "Shape must be rank 1 but is rank %d",
                          TF_NumDims(tensor));
    }
    if (count > ORIBI_MAX_TENSOR_RANK) {
        return oribi_fail(status, TF_INVALID_ARGUMENT,
                          "Input %d gives a shape of rank %" PRId64 "; at most %d is possible", i,
                          count, ORIBI_MAX_TENSOR_RANK);
    }
    ORIBI_TRY(oribi_shape_new(ctx, count, &shape, status));
    for (int64_t k = 0; k < count; k++) {
        if (!read_integer(tensor, k, &value)) {
            return fail_integer(status, i);
        }
        if (value < -1) {
            return oribi_fail(status, TF_INVALID_ARGUMENT,
                              "Invalid value in tensor used for shape: %" PRId64, value);
        }
        shape.dims[k] = value < 0 ? shape.dims[k] : value;
    }
    *out = shape;
    return true;
}

/* Without a value: as many unknown dimensions as the input is long. */
static bool shape_from_length(TF_ShapeInferenceContext *ctx, int i, oribi_shape *out,
                              TF_Status *status)
{
    const oribi_shape *input = &ctx->inputs[i];
    *out = oribi_shape_unknown(ctx);
    if (input->rank > 1) {
        return oribi_fail(status, TF_INVALID_ARGUMENT, "Shape must be rank 1 but is rank %" PRId32,
                          input->rank);
    }
    if (input->rank != 1 || input->dims[0] < 0) {
        return true;
    }
    if (input->dims[0] > ORIBI_MAX_TENSOR_RANK) {
        return oribi_fail(status, TF_INVALID_ARGUMENT,
                          "Input %d gives a shape of rank %" PRId64 "; at most %d is possible", i,
                          input->dims[0], ORIBI_MAX_TENSOR_RANK);
    }
    return oribi_shape_new(ctx, input->dims[0], out, status);
}

static void take_partial(TF_ShapeInferenceContext *ctx, int i, oribi_shape *out, TF_Status *status)
{
    if (!oribi_shape_take_in(ctx, &ctx->constant_shapes[i], out)) {
        oribi_fail_memory(status);
    }
}

static void shape_from_input(TF_ShapeInferenceContext *ctx, int i, oribi_shape *out,
                             TF_Status *status)
{
    const TF_Tensor *tensor = constant_of(ctx, i);
    if (tensor != NULL) {
        (void)shape_from_tensor(ctx, i, tensor, out, status);
    } else if (ctx->constant_shapes != NULL && ctx->constant_shapes[i].rank >= 0) {
        take_partial(ctx, i, out, status);
    } else {
        (void)shape_from_length(ctx, i, out, status);
    }
}

void TF_ShapeInferenceContextMakeShapeFromInput(TF_ShapeInferenceContext *ctx, int i,
                                                TF_ShapeHandle *result, TF_Status *status)
{
    if (oribi_shape_begin(ctx, result, status) && check_input(ctx, i, status)) {
        shape_from_input(ctx, i, &result->shape, status);
    }
}

void TF_ShapeInferenceContextInputTensorAsShape(TF_ShapeInferenceContext *ctx, int i,
                                                TF_ShapeHandle *result, TF_Status *status)
{
    if (!oribi_shape_begin(ctx, result, status) || !check_input(ctx, i, status)) {
        return;
    }
    const TF_Tensor *tensor = constant_of(ctx, i);
    if (tensor != NULL ? TF_NumDims(tensor) == 1 : ctx->inputs[i].rank == 1) {
        shape_from_input(ctx, i, &result->shape, status);
    } else {
        result->shape = oribi_shape_unset();
    }
}

/* An integer of a scalar input; false: not known, or status is set. */
static bool read_scalar(const TF_ShapeInferenceContext *ctx, int i, int64_t *out, TF_Status *status)
{
    const TF_Tensor *tensor = constant_of(ctx, i);
    if (tensor == NULL) {
        return false;
    }
    if (TF_NumDims(tensor) != 0) {
        return oribi_fail(status, TF_INVALID_ARGUMENT, "Input must be scalar but has rank %d",
                          TF_NumDims(tensor));
    }
    return read_integer(tensor, 0, out) || fail_integer(status, i);
}

void TF_ShapeInferenceContextMakeDimFromInputIndex(TF_ShapeInferenceContext *ctx, int i,
                                                   int64_t rank, TF_DimensionHandle *result,
                                                   TF_Status *status)
{
    int64_t value = 0;
    if (!oribi_dim_begin(ctx, result, status) || !check_input(ctx, i, status) ||
        !read_scalar(ctx, i, &value, status) || (value < 0 && rank < 0)) {
        return;
    }
    if (rank >= 0 && (value < -rank || value >= rank)) {
        oribi_fail(status, TF_INVALID_ARGUMENT,
                   "Dimension size, given by scalar input %" PRId64 ", must be in range [-%" PRId64
                   ", %" PRId64 ")",
                   value, rank, rank);
    } else {
        result->value = value < 0 ? value + rank : value;
    }
}

void TF_ShapeInferenceContextMakeDimFromInput(TF_ShapeInferenceContext *ctx, int i,
                                              TF_DimensionHandle *result, TF_Status *status)
{
    int64_t value = 0;
    if (!oribi_dim_begin(ctx, result, status) || !read_scalar(ctx, i, &value, status)) {
        return;
    }
    if (value < 0) {
        oribi_fail(status, TF_INVALID_ARGUMENT,
                   "Dimension size, given by scalar input %d, must be non-negative but is %" PRId64,
                   i, value);
    } else {
        result->value = value;
    }
}
