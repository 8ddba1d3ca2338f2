/* SPDX-License-Identifier: Apache-2.0 */
/* See onnx_window.h. */
#include "import/onnx_window.h"

#include <inttypes.h>
#include <string.h>

enum { MAX_SIZE = 1 << 24 }; /* of kernels, strides, dilations and pads: products stay small */

static bool read_list(oribi_onnx_node *n, const char *name, int64_t lowest, int32_t wanted,
                      int64_t *out)
{
    int64_t values[2 * ORIBI_WINDOW_MAX_AXES];
    int32_t count = oribi_onnx_ints(n, name, values, 2 * ORIBI_WINDOW_MAX_AXES);
    if (count < 0) {
        return !n->failed;
    }
    if (count != wanted) {
        return oribi_onnx_fail(n, TF_INVALID_ARGUMENT, "%s has %d elements, expected %d", name,
                               (int)count, (int)wanted);
    }
    for (int32_t i = 0; i < count; i++) {
        if (values[i] < 0 && values[i] > -MAX_SIZE && lowest == 0) {
            return oribi_onnx_fail(n, TF_UNIMPLEMENTED, "negative %s", name);
        }
        if (values[i] < lowest || values[i] > MAX_SIZE) {
            return oribi_onnx_fail(n, TF_INVALID_ARGUMENT, "%s of %" PRId64, name, values[i]);
        }
        out[i] = values[i];
    }
    return true;
}

static int64_t extent(const oribi_window *w, int32_t axis)
{
    return (w->kernel[axis] - 1) * w->dilations[axis] + 1;
}

/* SAME: the output is ceil(in / stride); lower puts the odd element first. */
static bool pad_same(oribi_onnx_node *n, oribi_window *w, bool is_lower)
{
    for (int32_t i = 0; i < w->axes; i++) {
        if (w->in[i] < 0) {
            if (is_lower) {
                return oribi_onnx_fail(n, TF_UNIMPLEMENTED,
                                       "auto_pad SAME_LOWER needs known spatial sizes");
            }
            continue;
        }
        int64_t out = (w->in[i] + w->strides[i] - 1) / w->strides[i];
        int64_t total = (out - 1) * w->strides[i] + extent(w, i) - w->in[i];
        total = total < 0 ? 0 : total;
        w->before[i] = is_lower ? total - total / 2 : total / 2;
        w->after[i] = total - w->before[i];
    }
    return true;
}

/* Padding at the end that makes the rounded-up output; windows that would start beyond the input
 * and its leading padding are dropped. */
static bool pad_for_ceil(oribi_onnx_node *n, oribi_window *w)
{
    for (int32_t i = 0; i < w->axes; i++) {
        if (w->strides[i] == 1) {
            continue;
        }
        if (w->in[i] < 0) {
            return oribi_onnx_fail(n, TF_UNIMPLEMENTED, "ceil_mode needs known spatial sizes");
        }
        int64_t room = w->in[i] + w->before[i] + w->after[i] - extent(w, i);
        if (room < 0) {
            continue; /* shape inference reports it */
        }
        int64_t out = (room + w->strides[i] - 1) / w->strides[i] + 1;
        if ((out - 1) * w->strides[i] >= w->in[i] + w->before[i]) {
            out--;
        }
        w->after[i] = (out - 1) * w->strides[i] + extent(w, i) - w->in[i] - w->before[i];
        w->after[i] = w->after[i] < 0 ? 0 : w->after[i];
    }
    return true;
}

static void classify(oribi_window *w, bool is_auto_same)
{
    w->is_valid = !is_auto_same;
    w->is_same = true;
    for (int32_t i = 0; i < w->axes; i++) {
        int64_t total = 0;
        w->is_valid = w->is_valid && w->before[i] == 0 && w->after[i] == 0;
        if (w->in[i] < 0) {
            w->is_same = w->is_same && is_auto_same;
            continue;
        }
        total = ((w->in[i] + w->strides[i] - 1) / w->strides[i] - 1) * w->strides[i] +
                extent(w, i) - w->in[i];
        total = total < 0 ? 0 : total;
        w->is_same = w->is_same && w->before[i] == total / 2 && w->after[i] == total - total / 2;
    }
}

bool oribi_window_read(oribi_onnx_node *n, oribi_value_id x, const int64_t *kernel, bool ceil,
                       oribi_window *out)
{
    oribi_window w = {.axes = oribi_emit_rank(n, x) - 2};
    int64_t pads[2 * ORIBI_WINDOW_MAX_AXES] = {0};
    if (n->failed || w.axes < 1 || w.axes > ORIBI_WINDOW_MAX_AXES) {
        return oribi_onnx_fail(n, w.axes < 1 ? TF_INVALID_ARGUMENT : TF_UNIMPLEMENTED,
                               "an input with %d dimensions", (int)w.axes + 2);
    }
    for (int32_t i = 0; i < w.axes; i++) {
        w.kernel[i] = kernel != NULL ? kernel[i] : -1;
        w.strides[i] = w.dilations[i] = 1;
        w.in[i] = oribi_emit_dim(n, x, i + 2);
    }
    if (!read_list(n, "kernel_shape", 1, w.axes, w.kernel) ||
        !read_list(n, "strides", 1, w.axes, w.strides) ||
        !read_list(n, "dilations", 1, w.axes, w.dilations) ||
        !read_list(n, "pads", 0, w.axes * 2, pads)) {
        return false;
    }
    for (int32_t i = 0; i < w.axes; i++) {
        if (w.kernel[i] < 1 || w.kernel[i] > MAX_SIZE || w.in[i] > INT32_MAX) {
            return oribi_onnx_fail(n, TF_INVALID_ARGUMENT, "a kernel of %" PRId64 " over %" PRId64,
                                   w.kernel[i], w.in[i]);
        }
    }
    memcpy(w.before, pads, (size_t)w.axes * sizeof(pads[0]));
    memcpy(w.after, pads + w.axes, (size_t)w.axes * sizeof(pads[0]));
    bool is_upper = oribi_onnx_string_is(n, "auto_pad", "NOTSET", "SAME_UPPER");
    bool is_lower = oribi_onnx_string_is(n, "auto_pad", "NOTSET", "SAME_LOWER");
    bool is_valid = oribi_onnx_string_is(n, "auto_pad", "NOTSET", "VALID");
    if (is_upper || is_lower || is_valid) {
        memset(w.before, 0, sizeof(w.before));
        memset(w.after, 0, sizeof(w.after));
    }
    if ((is_upper || is_lower) && !pad_same(n, &w, is_lower)) {
        return false;
    }
    if (ceil && !is_upper && !is_lower && !pad_for_ceil(n, &w)) {
        return false;
    }
    classify(&w, is_upper);
    *out = w;
    return !n->failed;
}

void oribi_window_describe(const oribi_window *w, bool has_ksize, bool has_dilations,
                           oribi_window_attrs *out)
{
    *out = (oribi_window_attrs){
        .strides = {1, w->strides[0], w->strides[1], 1},
        .dilations = {1, w->dilations[0], w->dilations[1], 1},
        .paddings = {0, 0, w->before[0], w->after[0], w->before[1], w->after[1], 0, 0},
        .ksize = {1, w->kernel[0], w->kernel[1], 1}};
    const char *padding = w->is_valid ? "VALID" : w->is_same ? "SAME" : "EXPLICIT";
    out->list[out->count++] = (oribi_emit_attr)ATTR_INTS("strides", out->strides, 4);
    out->list[out->count++] = (oribi_emit_attr)ATTR_TEXT("padding", padding);
    if (!w->is_valid && !w->is_same) {
        out->list[out->count++] = (oribi_emit_attr)ATTR_INTS("explicit_paddings", out->paddings, 8);
    }
    if (has_ksize) {
        out->list[out->count++] = (oribi_emit_attr)ATTR_INTS("ksize", out->ksize, 4);
    }
    if (has_dilations) {
        out->list[out->count++] = (oribi_emit_attr)ATTR_INTS("dilations", out->dilations, 4);
    }
}

oribi_value_id oribi_window_widen(oribi_onnx_node *n, oribi_value_id x, oribi_window *w)
{
    if (w != NULL) {
        w->kernel[1] = w->kernel[0];
        w->strides[1] = w->strides[0];
        w->dilations[1] = w->dilations[0];
        w->before[1] = w->before[0];
        w->after[1] = w->after[0];
        w->in[1] = w->in[0];
        w->kernel[0] = w->strides[0] = w->dilations[0] = w->in[0] = 1;
        w->before[0] = w->after[0] = 0;
        w->axes = 2;
    }
    return oribi_emit2(n, "ExpandDims", x, oribi_emit_int(n, 2));
}

oribi_value_id oribi_window_narrow(oribi_onnx_node *n, oribi_value_id y)
{
    return oribi_emit(n, "Squeeze", INPUTS(y), ATTRS(ATTR_INTS("squeeze_dims", (int64_t[]){2}, 1)));
}
