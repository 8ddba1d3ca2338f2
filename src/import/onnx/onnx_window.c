/* SPDX-License-Identifier: Apache-2.0 */
/* See onnx_window.h. */
#include "import/onnx/onnx_window.h"

#include <inttypes.h>

enum { MAX_SIZE = 1 << 24 }; /* of kernels, strides, dilations and pads: products stay small */

static bool read_list(oribi_onnx_node *n, const char *name, int64_t lowest, int32_t wanted,
                      oribi_dims *out)
{
    oribi_dims given;
    if (!oribi_onnx_dims(n, name, &given)) {
        return !n->failed;
    }
    if (given.n != wanted) {
        return oribi_onnx_fail(n, TF_INVALID_ARGUMENT, "%s has %d elements, expected %d", name,
                               (int)given.n, (int)wanted);
    }
    for (int32_t i = 0; i < given.n; i++) {
        const int64_t value = given.at[i];
        if (value < 0 && value > -MAX_SIZE && lowest == 0) {
            return oribi_onnx_fail(n, TF_UNIMPLEMENTED, "negative %s", name);
        }
        if (value < lowest || value > MAX_SIZE) {
            return oribi_onnx_fail(n, TF_INVALID_ARGUMENT, "%s of %" PRId64 " is not possible",
                                   name, value);
        }
    }
    *out = given;
    return true;
}

/* The window over one axis, with these borders unless `padding` says its own; slid. */
static oribi_geometry_fit slide(const oribi_window *w, int32_t axis, oribi_geometry_padding padding,
                                oribi_geometry_window *out)
{
    *out = (oribi_geometry_window){.in = w->in.at[axis],
                                   .taps = w->kernel.at[axis],
                                   .stride = w->strides.at[axis],
                                   .dilation = w->dilations.at[axis],
                                   .padding = padding,
                                   .ceil = true,
                                   .before = w->before.at[axis],
                                   .after = w->after.at[axis]};
    return oribi_geometry_slide(out);
}

/* SAME, of known sizes: borders that make as many windows as strides. */
static bool pad_same(oribi_onnx_node *n, oribi_window *w, oribi_geometry_padding padding)
{
    oribi_geometry_window one;
    for (int32_t i = 0; i < w->axes; i++) {
        if (w->in.at[i] < 0 && padding == ORIBI_GEOMETRY_SAME_LOWER) {
            return oribi_onnx_want_shapes(n, "auto_pad SAME_LOWER needs known spatial sizes");
        }
        if (w->in.at[i] >= 0 && slide(w, i, padding, &one) == ORIBI_GEOMETRY_FITS) {
            w->before.at[i] = one.before;
            w->after.at[i] = one.after;
        }
    }
    return true;
}

/* Padding at the end that makes the rounded-up output, and no more. */
static bool pad_for_ceil(oribi_onnx_node *n, oribi_window *w)
{
    oribi_geometry_window one;
    for (int32_t i = 0; i < w->axes; i++) {
        if (w->strides.at[i] != 1 && w->in.at[i] < 0) {
            return oribi_onnx_want_shapes(n, "ceil_mode needs known spatial sizes");
        }
        /* Shape inference reports a window that does not fit. */
        if (w->strides.at[i] != 1 &&
            slide(w, i, ORIBI_GEOMETRY_EXPLICIT, &one) == ORIBI_GEOMETRY_FITS) {
            w->after.at[i] = oribi_geometry_needed_after(&one);
        }
    }
    return true;
}

static void classify(oribi_window *w, bool is_auto_same)
{
    w->is_valid = !is_auto_same;
    w->is_same = true;
    for (int32_t i = 0; i < w->axes; i++) {
        oribi_geometry_window same;
        w->is_valid = w->is_valid && w->before.at[i] == 0 && w->after.at[i] == 0;
        if (w->in.at[i] < 0) {
            w->is_same = w->is_same && is_auto_same;
            continue;
        }
        w->is_same = w->is_same && slide(w, i, ORIBI_GEOMETRY_SAME, &same) == ORIBI_GEOMETRY_FITS &&
                     w->before.at[i] == same.before && w->after.at[i] == same.after;
    }
}

bool oribi_window_read(oribi_onnx_node *n, oribi_value_id x, const oribi_dims *kernel, bool ceil,
                       oribi_window *out)
{
    oribi_window w = {.axes = oribi_emit_rank(n, x) - 2};
    oribi_dims pads;
    if (n->failed || w.axes < 1 || w.axes > ORIBI_WINDOW_MAX_AXES) {
        return oribi_onnx_fail(n, w.axes < 1 ? TF_INVALID_ARGUMENT : TF_UNIMPLEMENTED,
                               "an input with %d dimensions is not supported", (int)w.axes + 2);
    }
    (void)oribi_dims_fill(&pads, 2 * w.axes, 0); /* ORIBI_WINDOW_MAX_AXES of them fit twice */
    (void)oribi_dims_fill(&w.kernel, w.axes, -1);
    (void)oribi_dims_fill(&w.strides, w.axes, 1);
    w.before = w.after = w.in = w.dilations = w.strides;
    if (kernel != NULL && kernel->n == w.axes) {
        w.kernel = *kernel;
    }
    for (int32_t i = 0; i < w.axes; i++) {
        w.in.at[i] = oribi_emit_dim(n, x, i + 2);
    }
    if (!read_list(n, "kernel_shape", 1, w.axes, &w.kernel) ||
        !read_list(n, "strides", 1, w.axes, &w.strides) ||
        !read_list(n, "dilations", 1, w.axes, &w.dilations) ||
        !read_list(n, "pads", 0, w.axes * 2, &pads)) {
        return false;
    }
    for (int32_t i = 0; i < w.axes; i++) {
        if (w.kernel.at[i] < 1 || w.kernel.at[i] > MAX_SIZE || w.in.at[i] > INT32_MAX) {
            return oribi_onnx_fail(n, TF_INVALID_ARGUMENT,
                                   "a kernel of %" PRId64 " does not fit into %" PRId64,
                                   w.kernel.at[i], w.in.at[i]);
        }
    }
    (void)oribi_dims_set(&w.before, pads.at, w.axes);
    (void)oribi_dims_set(&w.after, pads.at + w.axes, w.axes);
    bool is_upper = oribi_onnx_string_is(n, "auto_pad", "NOTSET", "SAME_UPPER");
    bool is_lower = oribi_onnx_string_is(n, "auto_pad", "NOTSET", "SAME_LOWER");
    bool is_valid = oribi_onnx_string_is(n, "auto_pad", "NOTSET", "VALID");
    if (is_upper || is_lower || is_valid) {
        (void)oribi_dims_fill(&w.before, w.axes, 0);
        (void)oribi_dims_fill(&w.after, w.axes, 0);
    }
    if ((is_upper || is_lower) &&
        !pad_same(n, &w, is_lower ? ORIBI_GEOMETRY_SAME_LOWER : ORIBI_GEOMETRY_SAME)) {
        return false;
    }
    if (ceil && !is_upper && !is_lower && !pad_for_ceil(n, &w)) {
        return false;
    }
    classify(&w, is_upper);
    *out = w;
    return !n->failed;
}

bool oribi_window_lacks_sizes(oribi_onnx_node *n, oribi_value_id x)
{
    const bool asks = oribi_onnx_string_is(n, "auto_pad", "NOTSET", "SAME_LOWER") ||
                      oribi_onnx_flag(n, "ceil_mode", false) ||
                      (oribi_onnx_flag(n, "count_include_pad", false) &&
                       oribi_onnx_string_is(n, "auto_pad", "NOTSET", "SAME_UPPER"));
    const oribi_shape *shape = n->failed || x < 0 ? NULL : &n->graph->values[x]->shape;
    bool lacks = shape != NULL && shape->rank < 0;
    for (int32_t i = 2; shape != NULL && i < shape->rank; i++) {
        lacks = lacks || (asks && shape->dims[i] < 0);
    }
    return lacks;
}

void oribi_window_describe(const oribi_window *w, bool has_ksize, bool has_dilations,
                           oribi_window_attrs *out)
{
    *out = (oribi_window_attrs){.strides = {4, {1, w->strides.at[0], w->strides.at[1], 1}},
                                .dilations = {4, {1, w->dilations.at[0], w->dilations.at[1], 1}},
                                .paddings = {8,
                                             {0, 0, w->before.at[0], w->after.at[0],
                                              w->before.at[1], w->after.at[1], 0, 0}},
                                .ksize = {4, {1, w->kernel.at[0], w->kernel.at[1], 1}}};
    const char *padding = w->is_valid ? "VALID" : w->is_same ? "SAME" : "EXPLICIT";
    out->list[out->count++] = (oribi_emit_attr)ATTR_INTS("strides", out->strides.at, 4);
    out->list[out->count++] = (oribi_emit_attr)ATTR_TEXT("padding", padding);
    if (!w->is_valid && !w->is_same) {
        out->list[out->count++] =
            (oribi_emit_attr)ATTR_INTS("explicit_paddings", out->paddings.at, 8);
    }
    if (has_ksize) {
        out->list[out->count++] = (oribi_emit_attr)ATTR_INTS("ksize", out->ksize.at, 4);
    }
    if (has_dilations) {
        out->list[out->count++] = (oribi_emit_attr)ATTR_INTS("dilations", out->dilations.at, 4);
    }
}

oribi_value_id oribi_window_widen(oribi_onnx_node *n, oribi_value_id x, oribi_window *w)
{
    w->axes = 2;
    w->kernel = (oribi_dims){2, {1, w->kernel.at[0]}};
    w->strides = (oribi_dims){2, {1, w->strides.at[0]}};
    w->dilations = (oribi_dims){2, {1, w->dilations.at[0]}};
    w->before = (oribi_dims){2, {0, w->before.at[0]}};
    w->after = (oribi_dims){2, {0, w->after.at[0]}};
    w->in = (oribi_dims){2, {1, w->in.at[0]}};
    return oribi_emit2(n, "ExpandDims", x, oribi_emit_int(n, 2));
}

oribi_value_id oribi_window_narrow(oribi_onnx_node *n, oribi_value_id y)
{
    return oribi_emit(n, "Squeeze", INPUTS(y), ATTRS(ATTR_INTS("squeeze_dims", (int64_t[]){2}, 1)));
}
