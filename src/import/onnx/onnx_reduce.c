/* SPDX-License-Identifier: Apache-2.0 */
/* Reductions. Axes are an attribute in old opsets and an input since 18 (ReduceSum since 13). */
#include <string.h>

#include "import/onnx/onnx_emit.h"

typedef struct reduction {
    oribi_value_id x, axes;
    bool keep;
} reduction;

/* Axes whose number is not known: none of them means all. What follows them in a vector that ends
 * with all axes is taken then. */
static oribi_value_id given_or_all(oribi_onnx_node *n, oribi_value_id given, int32_t rank)
{
    const oribi_dims all = oribi_emit_exchange(rank, 0, 0);
    oribi_value_id axes = oribi_emit_cast(n, given, TF_INT64);
    oribi_value_id count = oribi_emit_shape_of(n, given, TF_INT64);
    oribi_value_id zero = oribi_emit_vector_as(n, TF_INT64, (const int64_t[]){0}, 1);
    oribi_value_id size =
        oribi_emit3(n, "SelectV2", oribi_emit2(n, "Equal", count, zero),
                    oribi_emit_vector_as(n, TF_INT64, (const int64_t[]){rank}, 1), count);
    axes = oribi_emit3(n, "ConcatV2", axes, oribi_emit_vector_as(n, TF_INT64, all.at, all.n),
                       oribi_emit_int(n, 0));
    return oribi_emit3(n, "Slice", axes, zero, size);
}

static bool read(oribi_onnx_node *n, int64_t input_since, reduction *out)
{
    oribi_dims axes;
    out->x = n->inputs[0];
    out->keep = oribi_onnx_flag(n, "keepdims", true);
    const bool is_noop = oribi_onnx_flag(n, "noop_with_empty_axes", false);
    const int32_t rank = oribi_emit_rank(n, out->x);
    const oribi_value_id given = n->opset >= input_since ? oribi_emit_input(n, 1) : -1;
    const int64_t count = given >= 0 ? oribi_emit_dim(n, given, 0) : 0;
    if (given >= 0 && count != 0 && !oribi_emit_known_ints(n, given, &axes)) { /* computed */
        out->axes = count < 0 && !is_noop && !n->failed ? given_or_all(n, given, rank) : given;
        return !n->failed;
    }
    if (count == 0 && given >= 0) {
        axes.n = 0;
    } else if (!oribi_emit_axes(n, input_since, 1, rank, &axes)) {
        axes.n = 0;
    }
    if (axes.n == 0 && !is_noop) {
        axes = oribi_emit_exchange(rank, 0, 0); /* all of them */
    }
    out->axes = oribi_emit_vector(n, axes.at, axes.n);
    return !n->failed;
}

static oribi_value_id apply_to(oribi_onnx_node *n, const char *op, oribi_value_id x,
                               const reduction *r, bool keep)
{
    return oribi_emit(n, op, INPUTS(x, r->axes), ATTRS(ATTR_BOOL("keep_dims", keep)));
}

static oribi_value_id apply(oribi_onnx_node *n, const char *op, oribi_value_id x,
                            const reduction *r)
{
    return apply_to(n, op, x, r, r->keep);
}

/* Functions of integers go through double. */
static oribi_value_id as_float(oribi_onnx_node *n, oribi_value_id x)
{
    return oribi_emit_is_float(n, x) ? x : oribi_emit_cast(n, x, TF_DOUBLE);
}

static bool bind(oribi_onnx_node *n, const reduction *r, oribi_value_id y)
{
    const TF_DataType dtype = oribi_emit_dtype(n, r->x);
    return oribi_emit_bind(n, 0,
                           oribi_emit_dtype(n, y) == dtype ? y : oribi_emit_cast(n, y, dtype));
}

static bool simple(oribi_onnx_node *n)
{
    reduction r;
    int64_t since = strcmp(n->row->op_type, "ReduceSum") == 0 ? 13 : 18;
    return read(n, since, &r) && bind(n, &r, apply(n, n->row->into, r.x, &r));
}

/* Truth values, since opset 20: false is below true. */
static bool extreme(oribi_onnx_node *n)
{
    reduction r;
    if (oribi_emit_dtype(n, n->inputs[0]) != TF_BOOL) {
        return simple(n);
    }
    ORIBI_TRY(read(n, 18, &r));
    oribi_value_id y = apply(n, n->row->into, oribi_emit_cast(n, r.x, TF_UINT8), &r);
    return oribi_emit_bind(n, 0, oribi_emit_cast(n, y, TF_BOOL));
}

static bool l1(oribi_onnx_node *n)
{
    reduction r;
    ORIBI_TRY(read(n, 18, &r));
    const TF_DataType dtype = oribi_emit_dtype(n, r.x);
    const bool is_unsigned =
        dtype == TF_UINT8 || dtype == TF_UINT16 || dtype == TF_UINT32 || dtype == TF_UINT64;
    return bind(n, &r, apply(n, "Sum", is_unsigned ? r.x : oribi_emit1(n, "Abs", r.x), &r));
}

static bool l2(oribi_onnx_node *n)
{
    reduction r;
    ORIBI_TRY(read(n, 18, &r));
    const oribi_value_id x = as_float(n, r.x);
    return bind(n, &r, oribi_emit1(n, "Sqrt", apply(n, "Sum", oribi_emit1(n, "Square", x), &r)));
}

static bool sum_square(oribi_onnx_node *n)
{
    reduction r;
    ORIBI_TRY(read(n, 18, &r));
    const oribi_value_id square = oribi_emit_is_float(n, r.x) ? oribi_emit1(n, "Square", r.x)
                                                              : oribi_emit2(n, "Mul", r.x, r.x);
    return bind(n, &r, apply(n, "Sum", square, &r));
}

static bool log_sum(oribi_onnx_node *n)
{
    reduction r;
    return read(n, 18, &r) &&
           bind(n, &r, oribi_emit1(n, "Log", apply(n, "Sum", as_float(n, r.x), &r)));
}

/* max + log(sum(exp(x - max))), with an infinite maximum taken as 0 there. */
static bool log_sum_exp(oribi_onnx_node *n)
{
    reduction r;
    ORIBI_TRY(read(n, 18, &r));
    const oribi_value_id x = as_float(n, r.x);
    oribi_value_id top = apply_to(n, "Max", x, &r, true);
    oribi_value_id safe = oribi_emit3(n, "SelectV2", oribi_emit1(n, "IsFinite", top), top,
                                      oribi_emit_scalar_like(n, x, 0));
    oribi_value_id sum = apply(n, "Sum", oribi_emit1(n, "Exp", oribi_emit2(n, "Sub", x, safe)), &r);
    oribi_value_id base = safe;
    if (!r.keep) {
        base = oribi_emit2(n, "Reshape", safe, oribi_emit_shape_of(n, sum, TF_INT32));
    }
    return bind(n, &r, oribi_emit2(n, "AddV2", oribi_emit1(n, "Log", sum), base));
}

/* clang-format off */
const oribi_onnx_row oribi_onnx_reduce_rows[] = {
    {"ReduceL1", 1, 28, l1, 1, 2, "Abs, Sum"},
    {"ReduceL2", 1, 28, l2, 1, 2, "Square, Sum, Sqrt"},
    {"ReduceLogSum", 1, 28, log_sum, 1, 2, "Sum, Log"},
    {"ReduceLogSumExp", 1, 28, log_sum_exp, 1, 2, "Max, Sub, Exp, Sum, Log, AddV2"},
    {"ReduceMax", 1, 28, extreme, 1, 2, "Max"},
    {"ReduceMean", 1, 28, simple, 1, 2, "Mean"},
    {"ReduceMin", 1, 28, extreme, 1, 2, "Min"},
    {"ReduceProd", 1, 28, simple, 1, 2, "Prod"},
    {"ReduceSum", 1, 28, simple, 1, 2, "Sum"},
    {"ReduceSumSquare", 1, 28, sum_square, 1, 2, "Square, Sum"},
    {NULL, 0, 0, NULL, 0, 0, NULL}};
/* clang-format on */
