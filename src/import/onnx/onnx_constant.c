/* SPDX-License-Identifier: Apache-2.0 */
/* Constants, fills, ranges, and operators that pass a value on. */
#include <inttypes.h>
#include <string.h>

#include "base/alloc.h"
#include "import/onnx/onnx_emit.h"

static oribi_value_id copy_of(oribi_onnx_node *n, TF_DataType dtype, int32_t rank, int64_t count,
                              const void *data)
{
    if (n->failed) {
        return -1;
    }
    oribi_value_id id =
        oribi_graph_add_constant_copy(n->graph, n->label, dtype, &count, rank, data, n->status);
    n->failed = id < 0;
    return id;
}

static oribi_value_id strings(oribi_onnx_node *n, const oribi_string *texts, int32_t count,
                              int32_t rank)
{
    int64_t dims = count;
    TF_Tensor *tensor =
        TF_AllocateTensor(TF_STRING, &dims, rank, (size_t)count * oribi_dtype_bytes(TF_STRING));
    if (tensor == NULL) {
        (void)oribi_onnx_no_memory(n);
        return -1;
    }
    TF_TString *data = TF_TensorData(tensor);
    for (int32_t i = 0; i < count; i++) {
        TF_StringInit(&data[i]);
        TF_StringCopy(&data[i], texts[i].data, texts[i].length);
    }
    oribi_value_id id = oribi_graph_add_constant_tensor(n->graph, n->label, tensor, n->status);
    TF_DeleteTensor(tensor);
    n->failed = id < 0;
    return id;
}

static bool constant(oribi_onnx_node *n)
{
    oribi_onnx_attr attr;
    oribi_value_id value = -1;
    int64_t integer = 0, *integers = NULL;
    float real = 0, *reals = NULL;
    oribi_string text, *texts = NULL;
    int32_t count = 0;
    if (oribi_onnx_find_attr(n, "value", &attr)) {
        value = oribi_onnx_read_tensor(n, &attr);
    } else if (oribi_onnx_find_attr(n, "value_float", &attr)) {
        value = oribi_onnx_read_float(n, &attr, &real) ? copy_of(n, TF_FLOAT, 0, 1, &real) : -1;
    } else if (oribi_onnx_find_attr(n, "value_floats", &attr)) {
        value = oribi_onnx_read_floats(n, &attr, &reals, &count)
                    ? copy_of(n, TF_FLOAT, 1, count, reals)
                    : -1;
    } else if (oribi_onnx_find_attr(n, "value_int", &attr)) {
        value = oribi_onnx_read_int(n, &attr, &integer) ? copy_of(n, TF_INT64, 0, 1, &integer) : -1;
    } else if (oribi_onnx_find_attr(n, "value_ints", &attr)) {
        value = oribi_onnx_read_ints(n, &attr, &integers, &count)
                    ? copy_of(n, TF_INT64, 1, count, integers)
                    : -1;
    } else if (oribi_onnx_find_attr(n, "value_string", &attr)) {
        value = oribi_onnx_read_string(n, &attr, &text) ? strings(n, &text, 1, 0) : -1;
    } else if (oribi_onnx_find_attr(n, "value_strings", &attr)) {
        value =
            oribi_onnx_read_strings(n, &attr, &texts, &count) ? strings(n, texts, count, 1) : -1;
    } else {
        return oribi_onnx_fail(n, TF_UNIMPLEMENTED, "the constant is sparse or has no value");
    }
    return oribi_emit_bind(n, 0, value);
}

/* The fill value: one element, float 0 by default. */
static bool fill_value(oribi_onnx_node *n, oribi_constant_view *out, oribi_source **out_source)
{
    static const float zero = 0.0f;
    oribi_onnx_attr attr;
    oribi_wire tensor;
    *out = (oribi_constant_view){.dtype = TF_FLOAT, .data = &zero};
    *out_source = NULL;
    if (!oribi_onnx_find_attr(n, "value", &attr)) {
        return !n->failed;
    }
    if (!oribi_onnx_read_tensor_body(n, &attr, &tensor)) {
        return false;
    }
    if (!oribi_onnx_tensor_element(n->onnx, &tensor, out, out_source, n->status)) {
        n->failed = true;
        oribi_status_prefix(n->status, "%s: ", n->origin);
    }
    return !n->failed;
}

/* With a known shape the result is a splat: one element, all strides 0. */
static bool constant_of_shape(oribi_onnx_node *n)
{
    static const oribi_dims splat = {0};
    oribi_dims dims = {0};
    size_t bytes = 0;
    oribi_constant_view view;
    oribi_source *source = NULL;
    if (!fill_value(n, &view, &source)) {
        return false;
    }
    bool is_known = oribi_emit_known_ints(n, n->inputs[0], &dims);
    if (n->failed ||
        (is_known && !oribi_size_of_dims(dims.at, dims.n, oribi_dtype_bytes(view.dtype), &bytes))) {
        return oribi_onnx_fail(n, TF_INVALID_ARGUMENT, "the shape is negative or too large");
    }
    view.rank = is_known ? dims.n : 0;
    view.dims = dims.at;
    view.strides = splat.at;
    oribi_source_retain(source);
    oribi_value_id value = oribi_graph_add_constant(n->graph, n->label, &view, source, n->status);
    n->failed = value < 0;
    return oribi_emit_bind(n, 0, is_known ? value : oribi_emit2(n, "Fill", n->inputs[0], value));
}

/* Whether it trains, or may: the op decides then. */
static bool dropout_in_training(oribi_onnx_node *n, oribi_value_id training)
{
    oribi_onnx_attr attr;
    oribi_value_id ratio = oribi_emit_input(n, 1);
    int64_t seed = 0;
    if (oribi_onnx_find_attr(n, "seed", &attr)) {
        (void)oribi_onnx_read_int(n, &attr, &seed);
    }
    ratio = ratio >= 0 ? oribi_emit_reshape(n, ratio, NULL, 0)
                       : oribi_emit_scalar(n, TF_FLOAT, (double)oribi_onnx_float(n, "ratio", 0.5f));
    training = oribi_emit_reshape(n, training, NULL, 0);
    const oribi_node *node = oribi_emit_node(
        n, "ONNX>Dropout", INPUTS(n->inputs[0], ratio, training), ATTRS(ATTR_INT("seed", seed)), 2);
    return node != NULL && oribi_emit_bind(n, 0, node->outputs[0]) &&
           (!oribi_emit_wants(n, 1) || oribi_emit_bind(n, 1, node->outputs[1]));
}

/* Inference: the value passes, and the mask is all true. */
static bool dropout(oribi_onnx_node *n)
{
    double training = 0;
    if (oribi_emit_input(n, 2) >= 0 &&
        (!oribi_emit_known_scalar(n, n->inputs[2], &training) || training != 0)) {
        return dropout_in_training(n, n->inputs[2]);
    }
    if (n->opset < 7 && !oribi_onnx_flag(n, "is_test", false)) {
        return dropout_in_training(n, oribi_emit_scalar(n, TF_BOOL, 1));
    }
    oribi_value_id x = n->inputs[0];
    if (oribi_emit_wants(n, 1)) {
        oribi_value_id yes = oribi_emit_scalar(n, TF_BOOL, 1);
        oribi_value_id mask = oribi_emit2(n, "Fill", oribi_emit_shape_of(n, x, TF_INT32), yes);
        if (!oribi_emit_bind(n, 1, mask)) {
            return false;
        }
    }
    return oribi_emit_bind(n, 0, oribi_emit1(n, "Identity", x));
}

/* A limit on the wrong side of the start gives nothing; TensorFlow's op refuses it. */
static bool range(oribi_onnx_node *n)
{
    oribi_value_id ends[3];
    double step = 0;
    for (int32_t i = 0; i < 3; i++) {
        ends[i] = oribi_emit_reshape(n, n->inputs[i], NULL, 0);
    }
    const bool is_known = oribi_emit_known_scalar(n, ends[2], &step);
    double start = 0, end = 0;
    if (is_known && oribi_emit_known_scalar(n, ends[0], &start) &&
        oribi_emit_known_scalar(n, ends[1], &end) && (step > 0 ? start <= end : start >= end)) {
        return oribi_emit_bind(n, 0, oribi_emit3(n, "Range", ends[0], ends[1], ends[2]));
    }
    oribi_value_id up = is_known && step < 0 ? -1 : oribi_emit2(n, "Maximum", ends[0], ends[1]);
    oribi_value_id down = is_known && step > 0 ? -1 : oribi_emit2(n, "Minimum", ends[0], ends[1]);
    oribi_value_id limit = down < 0 ? up : down;
    if (up >= 0 && down >= 0) {
        oribi_value_id zero = oribi_emit_scalar_like(n, ends[2], 0);
        limit = oribi_emit3(n, "SelectV2", oribi_emit2(n, "Greater", ends[2], zero), up, down);
    }
    return oribi_emit_bind(n, 0, oribi_emit3(n, "Range", ends[0], limit, ends[2]));
}

/* Both may be negative: they count from the end and are clamped. */
static bool shape(oribi_onnx_node *n)
{
    oribi_value_id x = n->inputs[0];
    oribi_value_id all = oribi_emit_shape_of(n, x, TF_INT64);
    if (!oribi_onnx_has_attr(n, "start") && !oribi_onnx_has_attr(n, "end")) {
        return oribi_emit_bind(n, 0, all);
    }
    int64_t rank = oribi_emit_rank(n, x);
    int64_t start = oribi_onnx_int(n, "start", 0), end = oribi_onnx_int(n, "end", rank);
    start = start < 0 ? start + rank : start;
    end = end < 0 ? end + rank : end;
    start = start < 0 ? 0 : start > rank ? rank : start;
    end = end < start ? start : end > rank ? rank : end;
    return oribi_emit_bind(n, 0, oribi_emit_range_of(n, all, start, end));
}

static bool size(oribi_onnx_node *n)
{
    const oribi_shape *shape = &n->graph->values[n->inputs[0]]->shape;
    size_t count = 0;
    if (oribi_shape_is_full(shape) && oribi_size_of_dims(shape->dims, shape->rank, 1, &count)) {
        const int64_t known = (int64_t)count;
        const oribi_value_id value =
            oribi_graph_add_constant_copy(n->graph, n->label, TF_INT64, NULL, 0, &known, n->status);
        n->failed = value < 0;
        return oribi_emit_bind(n, 0, value);
    }
    return oribi_emit_bind(
        n, 0, oribi_emit(n, "Size", INPUTS(n->inputs[0]), ATTRS(ATTR_TYPE("out_type", TF_INT64))));
}

/* clang-format off */
const oribi_onnx_row oribi_onnx_constant_rows[] = {
    {"Constant", 1, 28, constant, 0, 0, "a constant"},
    {"ConstantOfShape", 9, 28, constant_of_shape, 1, 1, "a constant, Fill"},
    {"Dropout", 1, 28, dropout, 1, 3, "Identity, Fill; ONNX>Dropout"},
    {"Range", 11, 28, range, 3, 3, "Range, Maximum, Minimum, Greater, SelectV2"},
    {"Shape", 1, 28, shape, 1, 1, "Shape, StridedSlice"},
    {"Size", 1, 28, size, 1, 1, "Size"},
    {NULL, 0, 0, NULL, 0, 0, NULL}};
/* clang-format on */
