/* SPDX-License-Identifier: Apache-2.0 */
/* Dimensions: made, merged, and their arithmetic with unknowns. An operand that settles the result
 * alone (0 of a product, say) does so beside an unknown one.
 */
#include <inttypes.h>

#include "op/shape_internal.h"

bool oribi_dims_merge(int64_t a, int64_t b, int64_t *out)
{
    *out = a < 0 && b >= 0 ? b : a;
    return a < 0 || b < 0 || a == b;
}

void TF_ShapeInferenceContextMakeDim(TF_ShapeInferenceContext *ctx, int64_t value,
                                     TF_DimensionHandle *result)
{
    if (result != NULL) {
        result->value = value < 0 ? oribi_new_unknown(ctx) : value;
    }
}

void TF_ShapeInferenceContextUnknownDim(TF_ShapeInferenceContext *ctx, TF_DimensionHandle *result)
{
    TF_ShapeInferenceContextMakeDim(ctx, -1, result);
}

void TF_ShapeInferenceContextMergeDim(TF_ShapeInferenceContext *ctx, TF_DimensionHandle *first,
                                      TF_DimensionHandle *second, TF_DimensionHandle *result,
                                      TF_Status *status)
{
    int64_t a = oribi_dim_of(first), b = oribi_dim_of(second), merged;
    if (!oribi_dim_begin(ctx, result, status)) {
        return;
    }
    if (!oribi_dims_merge(a, b, &merged)) {
        oribi_fail(status, TF_INVALID_ARGUMENT,
                   "Dimensions must be equal, but are %" PRId64 " and %" PRId64, a, b);
        return;
    }
    result->value = merged;
}

void TF_ShapeInferenceContextWithValue(TF_ShapeInferenceContext *ctx, TF_DimensionHandle *dim,
                                       int64_t value, TF_DimensionHandle *result, TF_Status *status)
{
    int64_t found = oribi_dim_of(dim);
    if (!oribi_dim_begin(ctx, result, status)) {
        return;
    }
    if (found >= 0 && found != value) {
        oribi_fail(status, TF_INVALID_ARGUMENT, "Dimension must be %" PRId64 " but is %" PRId64,
                   value, found);
        return;
    }
    result->value = value;
}

void TF_ShapeInferenceContextAddDims(TF_ShapeInferenceContext *ctx, TF_DimensionHandle *first,
                                     TF_DimensionHandle *second, TF_DimensionHandle *result,
                                     TF_Status *status)
{
    int64_t a = oribi_dim_of(first), b = oribi_dim_of(second), sum;
    if (!oribi_dim_begin(ctx, result, status) || a < 0 || b < 0) {
        return;
    }
    if (__builtin_add_overflow(a, b, &sum)) {
        oribi_fail(status, TF_INVALID_ARGUMENT,
                   "Dimension size overflow from adding %" PRId64 " and %" PRId64, a, b);
        return;
    }
    result->value = sum;
}

void TF_ShapeInferenceContextSubtractDims(TF_ShapeInferenceContext *ctx, TF_DimensionHandle *first,
                                          TF_DimensionHandle *second, TF_DimensionHandle *result,
                                          TF_Status *status)
{
    int64_t a = oribi_dim_of(first), b = oribi_dim_of(second);
    if (!oribi_dim_begin(ctx, result, status) || a < 0 || b < 0) {
        return;
    }
    if (a < b) {
        oribi_fail(status, TF_INVALID_ARGUMENT,
                   "Negative dimension size caused by subtracting %" PRId64 " from %" PRId64, b, a);
        return;
    }
    result->value = a - b;
}

void TF_ShapeInferenceContextMultiplyDims(TF_ShapeInferenceContext *ctx, TF_DimensionHandle *first,
                                          TF_DimensionHandle *second, TF_DimensionHandle *result,
                                          TF_Status *status)
{
    int64_t a = oribi_dim_of(first), b = oribi_dim_of(second), product;
    if (!oribi_dim_begin(ctx, result, status)) {
        return;
    }
    if (a == 0 || b == 0) {
        result->value = 0;
    } else if (a >= 0 && b >= 0) {
        if (__builtin_mul_overflow(a, b, &product)) {
            oribi_fail(status, TF_INVALID_ARGUMENT,
                       "Dimension size overflow from multiplying %" PRId64 " and %" PRId64, a, b);
            return;
        }
        result->value = product;
    }
}

void TF_ShapeInferenceContextDivideDim(TF_ShapeInferenceContext *ctx, TF_DimensionHandle *dividend,
                                       int64_t divisor, bool evenly_divisible,
                                       TF_DimensionHandle *result, TF_Status *status)
{
    int64_t value = oribi_dim_of(dividend);
    if (!oribi_dim_begin(ctx, result, status)) {
        return;
    }
    if (divisor <= 0) {
        oribi_fail(status, TF_INVALID_ARGUMENT, "Divisor must be positive but is %" PRId64,
                   divisor);
    } else if (value >= 0 && evenly_divisible && value % divisor != 0) {
        oribi_fail(status, TF_INVALID_ARGUMENT,
                   "Dimension size must be evenly divisible by %" PRId64 " but is %" PRId64,
                   divisor, value);
    } else if (value >= 0) {
        result->value = value / divisor;
    }
}

void TF_ShapeInferenceContextMinDims(TF_ShapeInferenceContext *ctx, TF_DimensionHandle *first,
                                     TF_DimensionHandle *second, TF_DimensionHandle *result,
                                     TF_Status *status)
{
    int64_t a = oribi_dim_of(first), b = oribi_dim_of(second);
    if (!oribi_dim_begin(ctx, result, status)) {
        return;
    }
    if (a == 0 || b == 0) {
        result->value = 0;
    } else if (a >= 0 && b >= 0) {
        result->value = a < b ? a : b;
    }
}

void TF_ShapeInferenceContextMaxDims(TF_ShapeInferenceContext *ctx, TF_DimensionHandle *first,
                                     TF_DimensionHandle *second, TF_DimensionHandle *result,
                                     TF_Status *status)
{
    int64_t a = oribi_dim_of(first), b = oribi_dim_of(second);
    if (oribi_dim_begin(ctx, result, status) && a >= 0 && b >= 0) {
        result->value = a > b ? a : b;
    }
}
