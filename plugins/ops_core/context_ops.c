/* SPDX-License-Identifier: Apache-2.0 */
/* Shape functions' inputs, outputs and attributes, over the handles of the C interface. Not here:
 * arithmetic on shapes (shape_functions.c).
 */
#include <inttypes.h>
#include <stdarg.h>
#include <stdio.h>
#include <string.h>

#include "ops_core/shape_functions.h"

bool oribi_ops_fail(TF_Status *status, const char *format, ...)
{
    char text[256];
    va_list args;
    va_start(args, format);
    vsnprintf(text, sizeof text, format, args);
    va_end(args);
    TF_SetStatus(status, TF_INVALID_ARGUMENT, text);
    return false;
}

static bool ok(const TF_Status *status)
{
    return TF_GetCode(status) == TF_OK;
}

static bool read_shape(oribi_ops_ctx *ctx, TF_ShapeHandle *handle, oribi_ops_shape *out,
                       TF_Status *status)
{
    TF_DimensionHandle *dim = TF_NewDimensionHandle();
    const int64_t rank = TF_ShapeInferenceContextRank(ctx, handle);
    bool made = dim != NULL || rank <= 0;
    out->n = rank < 0 ? -1 : 0;
    for (int64_t i = 0; made && i < rank; i++) {
        TF_ShapeInferenceContextDim(ctx, handle, i, dim);
        if (!oribi_wide_dims_add(out, TF_DimensionHandleValue(dim))) {
            TF_DeleteDimensionHandle(dim);
            return oribi_ops_fail(status, "A shape of rank %" PRId64 " is above the limit of %d",
                                  rank, ORIBI_MAX_TENSOR_RANK);
        }
    }
    TF_DeleteDimensionHandle(dim);
    if (!made) {
        TF_SetStatus(status, TF_RESOURCE_EXHAUSTED, "out of memory");
    }
    return made;
}

bool oribi_ops_input(oribi_ops_ctx *ctx, int i, oribi_ops_shape *out, TF_Status *status)
{
    TF_ShapeHandle *handle = TF_NewShapeHandle();
    TF_ShapeInferenceContextGetInput(ctx, i, handle, status);
    bool done = ok(status) && read_shape(ctx, handle, out, status);
    TF_DeleteShapeHandle(handle);
    return done;
}

bool oribi_ops_input_rank(oribi_ops_ctx *ctx, int i, int64_t rank, oribi_ops_shape *out,
                          TF_Status *status)
{
    return oribi_ops_input(ctx, i, out, status) && oribi_ops_with_rank(out, rank, status);
}

bool oribi_ops_output_dims(oribi_ops_ctx *ctx, int i, int64_t rank, const int64_t *dims,
                           TF_Status *status)
{
    TF_ShapeHandle *handle = TF_NewShapeHandle();
    if (rank >= 0) {
        TF_ShapeInferenceContextMakeShapeFromDims(ctx, dims, rank, handle, status);
    }
    if (ok(status)) {
        TF_ShapeInferenceContextSetOutput(ctx, i, handle, status);
    }
    TF_DeleteShapeHandle(handle);
    return ok(status);
}

bool oribi_ops_output(oribi_ops_ctx *ctx, int i, const oribi_ops_shape *shape, TF_Status *status)
{
    return oribi_ops_output_dims(ctx, i, shape->n, shape->at, status);
}

bool oribi_ops_input_as_shape(oribi_ops_ctx *ctx, int i, oribi_ops_shape *out, TF_Status *status)
{
    TF_ShapeHandle *handle = TF_NewShapeHandle();
    TF_ShapeInferenceContextMakeShapeFromInput(ctx, i, handle, status);
    bool done = ok(status) && read_shape(ctx, handle, out, status);
    TF_DeleteShapeHandle(handle);
    return done;
}

int64_t oribi_ops_element(const TF_Tensor *tensor, int64_t k)
{
    const char *data = TF_TensorData(tensor);
    int8_t i8;
    int16_t i16;
    int32_t i32;
    int64_t i64;
    switch (TF_TensorType(tensor)) {
    case TF_INT8:
        memcpy(&i8, data + k, sizeof i8);
        return i8;
    case TF_INT16:
        memcpy(&i16, data + k * (int64_t)sizeof i16, sizeof i16);
        return i16;
    case TF_INT32:
        memcpy(&i32, data + k * (int64_t)sizeof i32, sizeof i32);
        return i32;
    default:
        memcpy(&i64, data + k * (int64_t)sizeof i64, sizeof i64);
        return i64;
    }
}

static bool is_integer(TF_DataType type)
{
    return type == TF_INT8 || type == TF_INT16 || type == TF_INT32 || type == TF_INT64;
}

TF_Tensor *oribi_ops_input_value(oribi_ops_ctx *ctx, int i)
{
    TF_Tensor *tensor = TF_ShapeInferenceContextInputTensor(ctx, i);
    if (tensor != NULL && !is_integer(TF_TensorType(tensor))) {
        TF_DeleteTensor(tensor);
        return NULL;
    }
    return tensor;
}

bool oribi_ops_input_ints(oribi_ops_ctx *ctx, int i, int64_t *out, int64_t max, int64_t *out_count,
                          TF_Status *status)
{
    TF_Tensor *tensor = oribi_ops_input_value(ctx, i);
    *out_count = -1;
    if (tensor == NULL) {
        return true;
    }
    int64_t count = TF_TensorElementCount(tensor);
    bool fits = count <= max;
    for (int64_t k = 0; fits && k < count; k++) {
        out[k] = oribi_ops_element(tensor, k);
    }
    TF_DeleteTensor(tensor);
    if (!fits) {
        return oribi_ops_fail(
            status, "Input %d has %" PRId64 " values, at most %" PRId64 " are possible here", i,
            count, max);
    }
    *out_count = count;
    return true;
}

bool oribi_ops_input_list(oribi_ops_ctx *ctx, int i, oribi_wide_dims *out, TF_Status *status)
{
    int64_t count;
    const bool done = oribi_ops_input_ints(ctx, i, out->at, ORIBI_MAX_TENSOR_RANK, &count, status);
    out->n = done ? (int32_t)count : -1;
    return done;
}

bool oribi_ops_input_pairs(oribi_ops_ctx *ctx, int i, oribi_wide_dims *first,
                           oribi_wide_dims *second, TF_Status *status)
{
    TF_Tensor *tensor = oribi_ops_input_value(ctx, i);
    const int64_t count = tensor != NULL ? TF_TensorElementCount(tensor) : 0;
    bool fits = count % 2 == 0;
    first->n = second->n = tensor != NULL ? 0 : -1;
    for (int64_t k = 0; fits && k < count; k += 2) {
        fits = oribi_wide_dims_add(first, oribi_ops_element(tensor, k)) &&
               oribi_wide_dims_add(second, oribi_ops_element(tensor, k + 1));
    }
    TF_DeleteTensor(tensor);
    return fits || oribi_ops_fail(status,
                                  "Input %d has %" PRId64 " values; pairs for ranks up to %d "
                                  "are possible here",
                                  i, count, ORIBI_MAX_TENSOR_RANK);
}

bool oribi_ops_input_int(oribi_ops_ctx *ctx, int i, int64_t *out, bool *out_known,
                         TF_Status *status)
{
    int64_t count;
    if (!oribi_ops_input_ints(ctx, i, out, 1, &count, status)) {
        return false;
    }
    *out_known = count == 1;
    return true;
}

bool oribi_ops_attr_int(oribi_ops_ctx *ctx, const char *name, int64_t *out, TF_Status *status)
{
    TF_ShapeInferenceContext_GetAttrInt64(ctx, name, out, status);
    return ok(status);
}

bool oribi_ops_attr_bool(oribi_ops_ctx *ctx, const char *name, bool *out, TF_Status *status)
{
    TF_Bool value = 0;
    TF_ShapeInferenceContext_GetAttrBool(ctx, name, &value, status);
    *out = value != 0;
    return ok(status);
}

bool oribi_ops_attr_ints(oribi_ops_ctx *ctx, const char *name, int64_t *out, int max,
                         int *out_count, TF_Status *status)
{
    int32_t count = 0, total;
    TF_ShapeInferenceContext_GetAttrSize(ctx, name, &count, &total, status);
    if (!ok(status)) {
        return false;
    }
    if (count > max) {
        return oribi_ops_fail(status, "Attr '%s' has %" PRId32 " values, at most %d are possible",
                              name, count, max);
    }
    *out_count = count;
    TF_ShapeInferenceContext_GetAttrInt64List(ctx, name, out, max, status);
    return ok(status);
}

bool oribi_ops_attr_list(oribi_ops_ctx *ctx, const char *name, oribi_wide_dims *out,
                         TF_Status *status)
{
    int count = 0;
    out->n = 0;
    if (!oribi_ops_attr_ints(ctx, name, out->at, ORIBI_MAX_TENSOR_RANK, &count, status)) {
        return false;
    }
    out->n = count;
    return true;
}

bool oribi_ops_attr_string(oribi_ops_ctx *ctx, const char *name, char out[ORIBI_OPS_STRING],
                           TF_Status *status)
{
    int32_t count, length = 0;
    TF_ShapeInferenceContext_GetAttrSize(ctx, name, &count, &length, status);
    if (!ok(status)) {
        return false;
    }
    if (length < 0 || length >= ORIBI_OPS_STRING) {
        return oribi_ops_fail(status, "Attr '%s' is too long", name);
    }
    memset(out, 0, ORIBI_OPS_STRING);
    TF_ShapeInferenceContext_GetAttrString(ctx, name, out, ORIBI_OPS_STRING - 1, status);
    return ok(status);
}
