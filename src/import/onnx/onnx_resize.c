/* SPDX-License-Identifier: Apache-2.0 */
/* Resizing of images. TensorFlow's ops where they compute the same elements, else ONNX's own op. */
#include <math.h>

#include "base/alloc.h"
#include "import/onnx/onnx_emit.h"

typedef struct target { /* over n, c, h, w */
    int64_t in[2], out[2];
    bool is_integral; /* both factors are whole numbers: out = in * factor */
} target;

/* Constant floats of a small vector. */
static int32_t known_floats(oribi_onnx_node *n, oribi_value_id value, float *out, int32_t max)
{
    if (n->failed || value < 0 || !oribi_emit_is_constant(n, value) ||
        oribi_emit_dtype(n, value) != TF_FLOAT) {
        return -1;
    }
    TF_Tensor *tensor = oribi_graph_constant_tensor(n->graph, value, n->status);
    if (tensor == NULL) {
        n->failed = true;
        return -1;
    }
    int64_t count = TF_TensorElementCount(tensor);
    for (int64_t i = 0; i < count && i < max; i++) {
        out[i] = ((const float *)TF_TensorData(tensor))[i];
    }
    TF_DeleteTensor(tensor);
    return count > max ? -1 : (int32_t)count;
}

/* Sizes of the output's two spatial axes; false when they are not plain and known. */
static bool find_target(oribi_onnx_node *n, oribi_value_id scales, oribi_value_id sizes, target *t)
{
    float factors[4];
    oribi_dims wanted;
    oribi_value_id x = n->inputs[0];
    t->is_integral = true;
    for (int32_t i = 0; i < 2; i++) {
        t->in[i] = oribi_emit_dim(n, x, i + 2);
    }
    if (n->failed || n->graph->values[x]->shape.rank != 4 || t->in[0] < 1 || t->in[1] < 1) {
        return false;
    }
    if (sizes >= 0) {
        if (!oribi_emit_known_ints(n, sizes, &wanted) || wanted.n != 4 ||
            wanted.at[0] != oribi_emit_dim(n, x, 0) || wanted.at[1] != oribi_emit_dim(n, x, 1)) {
            return false;
        }
        t->out[0] = wanted.at[2];
        t->out[1] = wanted.at[3];
    } else {
        if (known_floats(n, scales, factors, 4) != 4 || factors[0] != 1.0f || factors[1] != 1.0f) {
            return false;
        }
        for (int32_t i = 0; i < 2; i++) {
            double size = floor((double)t->in[i] * (double)factors[i + 2]);
            if (!(size >= 1.0 && size <= (double)INT32_MAX) ||
                size != (double)t->in[i] * (double)factors[i + 2]) {
                return false;
            }
            t->out[i] = (int64_t)size;
        }
    }
    for (int32_t i = 0; i < 2; i++) {
        t->is_integral = t->is_integral && t->out[i] % t->in[i] == 0;
        if (t->out[i] < 1 || t->out[i] > INT32_MAX) {
            return false;
        }
    }
    return true;
}

static bool emit_resize(oribi_onnx_node *n, const char *op, const target *t, bool align_corners,
                        bool half_pixel)
{
    TF_DataType dtype = oribi_emit_dtype(n, n->inputs[0]);
    oribi_value_id size = oribi_emit_vector_as(n, TF_INT32, t->out, 2);
    oribi_value_id y = oribi_emit(n, op, INPUTS(oribi_emit_to_nhwc(n, n->inputs[0]), size),
                                  ATTRS(ATTR_BOOL("align_corners", align_corners),
                                        ATTR_BOOL("half_pixel_centers", half_pixel)));
    return oribi_emit_bind(n, 0, oribi_emit_to_nchw(n, oribi_emit_cast(n, y, dtype)));
}

/* What the operator was before opset 11, for scales that TensorFlow's ops do not take. */
static bool emit_old(oribi_onnx_node *n, oribi_value_id scales)
{
    const int64_t none = 0;
    const float zero = 0;
    const bool is_nearest = oribi_onnx_string_is(n, "mode", "nearest", "nearest");
    oribi_value_id roi =
        oribi_graph_add_constant_copy(n->graph, n->label, TF_FLOAT, &none, 1, &zero, n->status);
    n->failed = n->failed || roi < 0;
    return oribi_emit_bind(
        n, 0,
        oribi_emit(n, "ONNX>Resize", INPUTS(n->inputs[0], roi, scales),
                   ATTRS(ATTR_TYPE("T", oribi_emit_dtype(n, n->inputs[0])),
                         ATTR_TEXT("coordinate_transformation_mode", "asymmetric"),
                         ATTR_TEXT("mode", is_nearest ? "nearest" : "linear"),
                         ATTR_TEXT("nearest_mode", "floor"), ATTR_INT("since_version", n->opset))));
}

static bool upsample(oribi_onnx_node *n)
{
    target t;
    bool is_nearest = oribi_onnx_string_is(n, "mode", "nearest", "nearest");
    oribi_value_id scales = oribi_emit_input(n, 1);
    if (n->opset < 9) {
        oribi_onnx_attr attr;
        float *values = NULL;
        int32_t count = 0;
        if (!oribi_onnx_find_attr(n, "scales", &attr) ||
            !oribi_onnx_read_floats(n, &attr, &values, &count)) {
            return oribi_onnx_fail(n, TF_INVALID_ARGUMENT, "scales is required");
        }
        int64_t dims = count;
        scales = oribi_graph_add_constant_copy(n->graph, n->label, TF_FLOAT, &dims, 1, values,
                                               n->status);
        n->failed = scales < 0;
    }
    if (n->failed || !find_target(n, scales, -1, &t) ||
        !(is_nearest || oribi_emit_is_float(n, n->inputs[0]))) {
        return !n->failed && emit_old(n, scales);
    }
    return emit_resize(n, is_nearest ? "ResizeNearestNeighbor" : "ResizeBilinear", &t, false,
                       false);
}

static bool resize(oribi_onnx_node *n)
{
    target t;
    bool is_old = n->opset < 11; /* asymmetric, floor */
    oribi_value_id scales = oribi_emit_input(n, is_old ? 1 : 2);
    oribi_value_id sizes = is_old ? -1 : oribi_emit_input(n, 3);
    if (scales >= 0 && oribi_emit_dim(n, scales, 0) == 0) {
        scales = -1;
    }
    const char *kind = "coordinate_transformation_mode";
    const char *usual = is_old ? "asymmetric" : "half_pixel";
    bool is_plain = !oribi_onnx_has_attr(n, "axes") && !oribi_onnx_flag(n, "antialias", false) &&
                    oribi_onnx_string_is(n, "keep_aspect_ratio_policy", "stretch", "stretch") &&
                    (scales >= 0 || sizes >= 0) && find_target(n, scales, sizes, &t);
    bool half = oribi_onnx_string_is(n, kind, usual, "half_pixel");
    bool asymmetric = oribi_onnx_string_is(n, kind, usual, "asymmetric");
    bool corners = oribi_onnx_string_is(n, kind, usual, "align_corners");
    if (n->failed) {
        return false;
    }
    if (is_plain && oribi_onnx_string_is(n, "mode", "nearest", "nearest")) {
        bool floors =
            is_old || oribi_onnx_string_is(n, "nearest_mode", "round_prefer_floor", "floor");
        bool rounds =
            !oribi_onnx_string_is(n, "nearest_mode", "round_prefer_floor", "ceil") && !floors;
        /* Whole factors: each element is repeated, whichever way centres are counted. */
        if ((asymmetric && floors) || (t.is_integral && half && rounds)) {
            return emit_resize(n, "ResizeNearestNeighbor", &t, false, false);
        }
    } else if (is_plain && oribi_onnx_string_is(n, "mode", "nearest", "linear") &&
               oribi_emit_is_float(n, n->inputs[0]) &&
               !oribi_onnx_flag(n, "exclude_outside", false)) {
        if (half || asymmetric || corners) {
            return emit_resize(n, "ResizeBilinear", &t, corners, half);
        }
    }
    return is_old ? emit_old(n, scales) : oribi_onnx_translate_custom(n);
}

/* clang-format off */
const oribi_onnx_row oribi_onnx_resize_rows[] = {
    {"Resize", 10, 10, resize, 2, 2, "ResizeNearestNeighbor, ResizeBilinear; ONNX>Resize"},
    {"Resize", 11, 28, resize, 1, 4, "ResizeNearestNeighbor, ResizeBilinear; ONNX>Resize"},
    {"Upsample", 7, 8, upsample, 1, 1, "ResizeNearestNeighbor, ResizeBilinear; ONNX>Resize"},
    {"Upsample", 9, 9, upsample, 2, 2, "ResizeNearestNeighbor, ResizeBilinear; ONNX>Resize"},
    {NULL, 0, 0, NULL, 0, 0, NULL}};
/* clang-format on */
