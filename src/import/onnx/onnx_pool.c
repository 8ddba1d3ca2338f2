/* SPDX-License-Identifier: Apache-2.0 */
/* Pools, NCHW to NHWC. A form that TensorFlow's op does not have keeps ONNX's own op. */
#include <inttypes.h>

#include "import/onnx/onnx_window.h"

static bool is_dilated(const oribi_window *w)
{
    for (int32_t i = 0; i < w->axes; i++) {
        if (w->dilations.at[i] != 1) {
            return true;
        }
    }
    return false;
}

static oribi_value_id pool_nhwc(oribi_onnx_node *n, const char *op, oribi_value_id x,
                                const oribi_window *window)
{
    oribi_window_attrs attrs;
    oribi_window_describe(window, true, false, &attrs);
    return oribi_emit(n, op, INPUTS(x), attrs.list, attrs.count);
}

static bool max_pool(oribi_onnx_node *n)
{
    oribi_value_id x = n->inputs[0];
    oribi_window window;
    if (oribi_window_lacks_sizes(n, x)) {
        return oribi_onnx_translate_custom(n);
    }
    ORIBI_TRY(oribi_window_read(n, x, NULL, oribi_onnx_flag(n, "ceil_mode", false), &window));
    if (window.axes == 3 || is_dilated(&window) || oribi_emit_wants(n, 1)) {
        return oribi_onnx_translate_custom(n);
    }
    bool is_one_dimensional = window.axes == 1;
    if (is_one_dimensional) {
        x = oribi_window_widen(n, x, &window);
    }
    oribi_value_id y =
        oribi_emit_to_nchw(n, pool_nhwc(n, "MaxPool", oribi_emit_to_nhwc(n, x), &window));
    return oribi_emit_bind(n, 0, is_one_dimensional ? oribi_window_narrow(n, y) : y);
}

bool oribi_onnx_average_pool(oribi_onnx_node *n, oribi_value_id x, oribi_value_id *out_y)
{
    oribi_window window;
    bool ceil = oribi_onnx_flag(n, "ceil_mode", false);
    bool counts_pad = oribi_onnx_flag(n, "count_include_pad", false);
    ORIBI_TRY(oribi_window_read(n, x, NULL, ceil && !counts_pad, &window));
    bool is_one_dimensional = window.axes == 1;
    *out_y = -1;
    bool fits = window.is_valid || (window.is_same && !counts_pad);
    if (window.axes == 3 || is_dilated(&window) || (ceil && counts_pad)) {
        return true;
    }
    if (is_one_dimensional) {
        x = oribi_window_widen(n, x, &window);
    }
    x = oribi_emit_to_nhwc(n, x);
    if (!fits && counts_pad) { /* zeros that count are zeros like others */
        int64_t dims[] = {4, 2};
        int64_t pads[] = {
            0, 0, window.before.at[0], window.after.at[0], window.before.at[1], window.after.at[1],
            0, 0};
        x = oribi_emit2(n, "Pad", x, oribi_emit_reshape(n, oribi_emit_vector(n, pads, 8), dims, 2));
        window.is_valid = true;
        fits = true;
    }
    const char *op = fits ? "AvgPool" : "Oribi>AvgPool";
    oribi_value_id y = oribi_emit_to_nchw(n, pool_nhwc(n, op, x, &window));
    *out_y = is_one_dimensional ? oribi_window_narrow(n, y) : y;
    return !n->failed;
}

static bool average_pool(oribi_onnx_node *n)
{
    oribi_value_id y;
    if (oribi_window_lacks_sizes(n, n->inputs[0]) ||
        oribi_emit_dtype(n, n->inputs[0]) == TF_DOUBLE) {
        return !n->failed && oribi_onnx_translate_custom(n);
    }
    ORIBI_TRY(oribi_onnx_average_pool(n, n->inputs[0], &y));
    return y < 0 ? oribi_onnx_translate_custom(n) : oribi_emit_bind(n, 0, y);
}

/* Over all spatial axes, which stay with size 1. */
/* A reduction of x over its spatial axes; -1: failed. */
static oribi_value_id over_space(oribi_onnx_node *n, const char *op, oribi_value_id x)
{
    oribi_dims axes = {0};
    int32_t rank = oribi_emit_rank(n, x);
    if (n->failed || rank < 3) {
        (void)oribi_onnx_fail(n, TF_INVALID_ARGUMENT, "an input with %d dimensions", (int)rank);
        return -1;
    }
    for (int32_t i = 0; i < rank - 2; i++) {
        (void)oribi_dims_add(&axes, rank == 4 ? i + 1 : i + 2);
    }
    oribi_value_id y = rank == 4 ? oribi_emit_to_nhwc(n, x) : x;
    y = oribi_emit(n, op, INPUTS(y, oribi_emit_vector(n, axes.at, axes.n)),
                   ATTRS(ATTR_BOOL("keep_dims", true)));
    return rank == 4 ? oribi_emit_to_nchw(n, y) : y;
}

static bool global_pool(oribi_onnx_node *n)
{
    return oribi_emit_bind(n, 0, over_space(n, n->row->into, n->inputs[0]));
}

/* The root of order p of the sum of the magnitudes to the power of p. */
static bool global_lp_pool(oribi_onnx_node *n)
{
    const int64_t p = oribi_onnx_int(n, "p", 2);
    oribi_value_id x = n->inputs[0];
    if (n->failed || p < 1) {
        return oribi_onnx_fail(n, TF_INVALID_ARGUMENT, "p is %" PRId64 ", at least 1 is possible",
                               p);
    }
    if (p == 2) {
        return oribi_emit_bind(n, 0, over_space(n, "EuclideanNorm", x));
    }
    x = oribi_emit1(n, "Abs", x);
    x = p == 1 ? x : oribi_emit2(n, "Pow", x, oribi_emit_scalar_like(n, x, (double)p));
    x = over_space(n, "Sum", x);
    x = p == 1 ? x : oribi_emit2(n, "Pow", x, oribi_emit_scalar_like(n, x, 1.0 / (double)p));
    return oribi_emit_bind(n, 0, x);
}

/* clang-format off */
const oribi_onnx_row oribi_onnx_pool_rows[] = {
    {"AveragePool", 1, 28, average_pool, 1, 1, "AvgPool, Oribi>AvgPool, Pad, Transpose; ONNX>AveragePool"},
    {"GlobalAveragePool", 1, 28, global_pool, 1, 1, "Mean"},
    {"GlobalLpPool", 2, 28, global_lp_pool, 1, 1, "EuclideanNorm, Abs, Pow, Sum"},
    {"GlobalMaxPool", 1, 28, global_pool, 1, 1, "Max"},
    {"LpPool", 2, 28, oribi_onnx_translate_custom, 1, 1, "ONNX>LpPool"},
    {"MaxPool", 1, 28, max_pool, 1, 1, "MaxPool, Transpose; ONNX>MaxPool"},
    {NULL, 0, 0, NULL, 0, 0, NULL}};
/* clang-format on */
