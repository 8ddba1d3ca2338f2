/* SPDX-License-Identifier: Apache-2.0 */
/* Arithmetic on shapes with unknowns, and the shape functions that several families share. */
#include "ops_core/shape_functions.h"

#include "micro/geometry/geometry_axes.h"
#include "micro/geometry/geometry_walk.h"

#include <inttypes.h>
#include <string.h>

oribi_ops_shape *oribi_ops_set_unknown(oribi_ops_shape *shape)
{
    shape->n = -1;
    return shape;
}

void oribi_ops_set_unknown_dims(oribi_ops_shape *shape, int32_t rank)
{
    shape->n = rank;
    for (int64_t i = 0; i < rank; i++) {
        shape->at[i] = -1;
    }
}

bool oribi_ops_with_rank(oribi_ops_shape *shape, int64_t rank, TF_Status *status)
{
    if (rank > ORIBI_MAX_TENSOR_RANK) {
        return oribi_ops_fail(status, "A shape of rank %" PRId64 " is above the limit of %d", rank,
                              ORIBI_MAX_TENSOR_RANK);
    }
    if (shape->n < 0) {
        oribi_ops_set_unknown_dims(shape, (int32_t)rank);
        return true;
    }
    return shape->n == rank ||
           oribi_ops_fail(status, "Shape must be rank %" PRId64 " but is rank %d", rank,
                          (int)shape->n);
}

bool oribi_ops_at_least(const oribi_ops_shape *shape, int64_t rank, TF_Status *status)
{
    return shape->n < 0 || shape->n >= rank ||
           oribi_ops_fail(status, "Shape must be at least rank %" PRId64 " but is rank %d", rank,
                          (int)shape->n);
}

bool oribi_ops_at_most(const oribi_ops_shape *shape, int64_t rank, TF_Status *status)
{
    return shape->n <= rank ||
           oribi_ops_fail(status, "Shape must be at most rank %" PRId64 " but is rank %d", rank,
                          (int)shape->n);
}

bool oribi_ops_is_full(const oribi_ops_shape *shape)
{
    for (int64_t i = 0; i < shape->n; i++) {
        if (shape->at[i] < 0) {
            return false;
        }
    }
    return shape->n >= 0;
}

bool oribi_ops_merge_dim(int64_t *into, int64_t other, TF_Status *status)
{
    if (*into >= 0 && other >= 0 && *into != other) {
        return oribi_ops_fail(status, "Dimensions must be equal, but are %" PRId64 " and %" PRId64,
                              *into, other);
    }
    *into = *into < 0 ? other : *into;
    return true;
}

bool oribi_ops_merge(oribi_ops_shape *into, const oribi_ops_shape *other, TF_Status *status)
{
    if (other->n < 0) {
        return true;
    }
    if (into->n < 0) {
        *into = *other;
        return true;
    }
    if (into->n != other->n) {
        return oribi_ops_fail(status, "Shapes must be equal rank, but are %d and %d", (int)into->n,
                              (int)other->n);
    }
    for (int64_t i = 0; i < into->n; i++) {
        if (into->at[i] >= 0 && other->at[i] >= 0 && into->at[i] != other->at[i]) {
            return oribi_ops_fail(status,
                                  "Dimension %" PRId64 " in both shapes must be equal, but are "
                                  "%" PRId64 " and %" PRId64,
                                  i, into->at[i], other->at[i]);
        }
        into->at[i] = into->at[i] < 0 ? other->at[i] : into->at[i];
    }
    return true;
}

bool oribi_ops_axis(int64_t axis, int64_t rank, int64_t *out, TF_Status *status)
{
    int32_t at = 0;
    if (!oribi_geometry_axis(axis, (int32_t)rank, &at)) {
        return oribi_ops_fail(status, "Axis %" PRId64 " is out of range [%" PRId64 ", %" PRId64 ")",
                              axis, -rank, rank);
    }
    *out = at;
    return true;
}

bool oribi_ops_reduce_axes(const oribi_ops_shape *shape, const oribi_wide_dims *axes,
                           bool keeps_dims, oribi_ops_shape *out, TF_Status *status)
{
    oribi_geometry_axes reduced;
    int32_t at = 0;
    int64_t axis;
    if (oribi_geometry_name_axes(axes->at, axes->n, shape->n, &reduced, &at) ==
        ORIBI_GEOMETRY_NO_AXIS) {
        return oribi_ops_axis(axes->at[at], shape->n, &axis, status); /* which fails */
    }
    out->n = oribi_geometry_reduce(shape->at, shape->n, &reduced, keeps_dims, out->at);
    return true;
}

void oribi_ops_remove_dim(oribi_ops_shape *shape, int64_t at)
{
    memmove(&shape->at[at], &shape->at[at + 1], (size_t)(shape->n - at - 1) * sizeof shape->at[0]);
    shape->n--;
}

bool oribi_ops_insert_dim(oribi_ops_shape *shape, int64_t at, int64_t dim, TF_Status *status)
{
    if (shape->n >= ORIBI_MAX_TENSOR_RANK) {
        return oribi_ops_fail(status, "The rank would grow above the limit of %d",
                              ORIBI_MAX_TENSOR_RANK);
    }
    memmove(&shape->at[at + 1], &shape->at[at], (size_t)(shape->n - at) * sizeof shape->at[0]);
    shape->at[at] = dim;
    shape->n++;
    return true;
}

bool oribi_ops_append(oribi_ops_shape *shape, const int64_t *dims, int64_t count, TF_Status *status)
{
    if (count > ORIBI_MAX_TENSOR_RANK - shape->n) {
        return oribi_ops_fail(status, "The rank would grow above the limit of %d",
                              ORIBI_MAX_TENSOR_RANK);
    }
    for (int64_t i = 0; i < count; i++) {
        shape->at[shape->n++] = dims[i];
    }
    return true;
}

bool oribi_ops_add(int64_t a, int64_t b, int64_t *out, TF_Status *status)
{
    *out = -1;
    if (a < 0 || b < 0) {
        return true;
    }
    return !__builtin_add_overflow(a, b, out) ||
           oribi_ops_fail(status, "Dimension size overflow from adding %" PRId64 " and %" PRId64, a,
                          b);
}

bool oribi_ops_subtract(int64_t a, int64_t b, int64_t *out, TF_Status *status)
{
    *out = -1;
    if (a < 0 || b < 0) {
        return true;
    }
    *out = a - b;
    return a >= b ||
           oribi_ops_fail(status,
                          "Negative dimension size caused by subtracting %" PRId64 " from %" PRId64,
                          b, a);
}

bool oribi_ops_multiply(int64_t a, int64_t b, int64_t *out, TF_Status *status)
{
    *out = a == 0 || b == 0 ? 0 : -1;
    if (a <= 0 || b <= 0) {
        return true;
    }
    return !__builtin_mul_overflow(a, b, out) ||
           oribi_ops_fail(
               status, "Dimension size overflow from multiplying %" PRId64 " and %" PRId64, a, b);
}

bool oribi_ops_divide_evenly(int64_t a, int64_t b, int64_t *out, TF_Status *status)
{
    *out = -1;
    if (b <= 0) {
        return oribi_ops_fail(status, "Divisor must be positive but is %" PRId64, b);
    }
    if (a < 0) {
        return true;
    }
    *out = a / b;
    return a % b == 0 ||
           oribi_ops_fail(status,
                          "Dimension size must be evenly divisible by %" PRId64 " but is %" PRId64,
                          b, a);
}

bool oribi_ops_broadcast(const oribi_ops_shape *a, const oribi_ops_shape *b, bool strict,
                         oribi_ops_shape *out, TF_Status *status)
{
    if (a->n < 0 || b->n < 0) {
        oribi_ops_set_unknown(out);
        return true;
    }
    oribi_ops_shape result = {.n = a->n > b->n ? a->n : b->n};
    for (int32_t i = 0; i < result.n; i++) {
        const int32_t from_last = result.n - 1 - i;
        const int64_t x = oribi_geometry_from_last(a->at, a->n, from_last);
        const int64_t y = oribi_geometry_from_last(b->at, b->n, from_last);
        const bool fits = oribi_geometry_broadcast_dim(x, y, &result.at[i]);
        if (!strict && ((x < 0 && y < 0) || ((x < 0 || y < 0) && result.at[i] > 1))) {
            oribi_ops_set_unknown(out); /* a scalar, should they turn out not to fit */
            return true;
        }
        if (!strict && !fits) {
            out->n = 0;
            return true;
        }
        if (!fits) {
            return oribi_ops_fail(
                status, "Dimensions must be equal, but are %" PRId64 " and %" PRId64, x, y);
        }
    }
    *out = result;
    return true;
}

/* Output 0 leads to what input 0 leads to. More than MAX_PARTS values are not told on. */
static void pass_handle(oribi_ops_ctx *ctx, TF_Status *status)
{
    enum { MAX_PARTS = 8 };
    TF_ShapeHandle *shapes[MAX_PARTS];
    TF_DataType dtypes[MAX_PARTS];
    int count = TF_ShapeInferenceContextNumInputHandleShapesAndTypes(ctx, 0), made = 0;
    count = count > MAX_PARTS ? 0 : count;
    while (made < count && TF_GetCode(status) == TF_OK) {
        shapes[made] = TF_NewShapeHandle();
        TF_ShapeInferenceContextInputHandleShapeAndType(ctx, 0, made, shapes[made], &dtypes[made],
                                                        status);
        made++;
    }
    if (count > 0 && TF_GetCode(status) == TF_OK) {
        TF_ShapeInferenceContextSetOutputHandleShapesAndTypes(ctx, 0, shapes, dtypes, count,
                                                              status);
    }
    while (made > 0) {
        TF_DeleteShapeHandle(shapes[--made]);
    }
}

void oribi_ops_shape_unchanged(oribi_ops_ctx *ctx, TF_Status *status)
{
    oribi_ops_shape shape;
    if (oribi_ops_input(ctx, 0, &shape, status) && oribi_ops_output(ctx, 0, &shape, status)) {
        pass_handle(ctx, status);
    }
}

void oribi_ops_shape_scalar(oribi_ops_ctx *ctx, TF_Status *status)
{
    oribi_ops_output_dims(ctx, 0, 0, NULL, status);
}

void oribi_ops_shape_broadcast(oribi_ops_ctx *ctx, TF_Status *status)
{
    oribi_ops_shape a, b, result;
    if (oribi_ops_input(ctx, 0, &a, status) && oribi_ops_input(ctx, 1, &b, status) &&
        oribi_ops_broadcast(&a, &b, true, &result, status)) {
        oribi_ops_output(ctx, 0, &result, status);
    }
}

bool oribi_ops_present(oribi_ops_ctx *ctx, int n, int n_needed, int *out, TF_Status *status)
{
    enum { MOST = 8 };
    TF_Bool present[MOST] = {0};
    int32_t count, total;
    int at = 0, given = (int)TF_ShapeInferenceContextNumInputs(ctx);
    TF_ShapeInferenceContext_GetAttrSize(ctx, "present", &count, &total, status);
    if (TF_GetCode(status) != TF_OK) {
        return false;
    }
    TF_ShapeInferenceContext_GetAttrBoolList(ctx, "present", present, MOST, status);
    bool good = count <= n;
    for (int i = 0; i < n; i++) {
        bool is_there = count == 0 ? i < given : i < count && present[i];
        out[i] = is_there ? at++ : -1;
        good = good && (is_there || i >= n_needed);
    }
    if (at != given || !good) {
        return oribi_ops_fail(status, "'present' does not describe the %d inputs of the op", given);
    }
    return TF_GetCode(status) == TF_OK;
}
