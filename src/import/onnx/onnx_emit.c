/* SPDX-License-Identifier: Apache-2.0 */
/* Making nodes, and what is known of their values. Constants are in onnx_emit_constant.c, layout in
 * onnx_emit_layout.c. See onnx_emit.h.
 */
#include "import/onnx/onnx_emit.h"

#include <inttypes.h>
#include <string.h>

#include "micro/geometry/geometry_axes.h"

oribi_node *oribi_emit_node(oribi_onnx_node *n, const char *op, const oribi_value_id *inputs,
                            int32_t n_inputs, const oribi_emit_attr *attrs, int32_t n_attrs,
                            int32_t n_outputs)
{
    return oribi_emit_make(oribi_onnx_from(n), op, inputs, n_inputs, attrs, n_attrs, NULL,
                           n_outputs);
}

oribi_value_id oribi_emit(oribi_onnx_node *n, const char *op, const oribi_value_id *inputs,
                          int32_t n_inputs, const oribi_emit_attr *attrs, int32_t n_attrs)
{
    const oribi_node *node = oribi_emit_node(n, op, inputs, n_inputs, attrs, n_attrs, 1);
    return node == NULL ? -1 : node->outputs[0];
}

oribi_value_id oribi_emit1(oribi_onnx_node *n, const char *op, oribi_value_id x)
{
    return oribi_emit(n, op, INPUTS(x), NO_ATTRS);
}

oribi_value_id oribi_emit2(oribi_onnx_node *n, const char *op, oribi_value_id a, oribi_value_id b)
{
    return oribi_emit(n, op, INPUTS(a, b), NO_ATTRS);
}

oribi_value_id oribi_emit3(oribi_onnx_node *n, const char *op, oribi_value_id a, oribi_value_id b,
                           oribi_value_id c)
{
    return oribi_emit(n, op, INPUTS(a, b, c), NO_ATTRS);
}

bool oribi_emit_wants(const oribi_onnx_node *n, int32_t index)
{
    return index < n->n_outputs && n->outputs[index].length > 0;
}

oribi_value_id *oribi_emit_parts(oribi_onnx_node *n, int32_t count)
{
    oribi_value_id *parts = oribi_arena_array(&n->onnx->scratch, (size_t)count + 1, sizeof *parts);
    for (int32_t i = 0; parts != NULL && i <= count; i++) {
        parts[i] = -1;
    }
    if (parts == NULL) {
        (void)oribi_onnx_no_memory(n);
    }
    return parts;
}

/* --- What is known --------------------------------------------------------------------------- */

oribi_value_id oribi_emit_input(const oribi_onnx_node *n, int32_t index)
{
    return index < n->n_inputs ? n->inputs[index] : -1;
}

TF_DataType oribi_emit_dtype(const oribi_onnx_node *n, oribi_value_id value)
{
    return value < 0 ? (TF_DataType)0 : n->graph->values[value]->dtype;
}

bool oribi_emit_is_float(const oribi_onnx_node *n, oribi_value_id value)
{
    TF_DataType dtype = oribi_emit_dtype(n, value);
    return dtype == TF_FLOAT || dtype == TF_DOUBLE || dtype == TF_HALF || dtype == TF_BFLOAT16;
}

int32_t oribi_emit_rank(oribi_onnx_node *n, oribi_value_id value)
{
    if (n->failed || value < 0) {
        return 0;
    }
    const oribi_value *v = n->graph->values[value];
    if (v->shape.rank < 0) {
        oribi_onnx_want_shapes(n,
                               "the rank of '%s' must be known to translate this operator: give "
                               "the shapes of the model's inputs",
                               v->name);
        return 0;
    }
    if (v->shape.rank > ORIBI_MAX_RANK) {
        oribi_onnx_fail(n, TF_UNIMPLEMENTED, "'%s' has rank %d; at most %d is supported", v->name,
                        (int)v->shape.rank, ORIBI_MAX_RANK);
        return 0;
    }
    return v->shape.rank;
}

bool oribi_emit_dims(oribi_onnx_node *n, oribi_value_id value, oribi_dims *out)
{
    const int32_t rank = oribi_emit_rank(n, value);
    out->n = 0;
    return !n->failed && value >= 0 &&
           oribi_dims_set(out, n->graph->values[value]->shape.dims, rank);
}

int64_t oribi_emit_dim(const oribi_onnx_node *n, oribi_value_id value, int32_t axis)
{
    if (value < 0) {
        return -1;
    }
    const oribi_shape *shape = &n->graph->values[value]->shape;
    return axis >= 0 && axis < shape->rank ? shape->dims[axis] : -1;
}

bool oribi_emit_is_constant(const oribi_onnx_node *n, oribi_value_id value)
{
    return value >= 0 && n->graph->values[value]->constant != NULL;
}

bool oribi_emit_known_ints(oribi_onnx_node *n, oribi_value_id value, oribi_dims *out)
{
    out->n = 0;
    if (!n->failed && oribi_emit_dim(n, value, 0) > ORIBI_MAX_RANK) {
        oribi_onnx_fail(n, TF_UNIMPLEMENTED,
                        "'%s' lists %" PRId64 " sizes or axes; at most %d are supported",
                        n->graph->values[value]->name, oribi_emit_dim(n, value, 0), ORIBI_MAX_RANK);
    }
    return !n->failed && value >= 0 && oribi_graph_known_ints(n->graph, value, out);
}

bool oribi_emit_known_list(oribi_onnx_node *n, oribi_value_id value, int32_t count,
                           const int64_t **out)
{
    int64_t *values = oribi_arena_array(&n->onnx->scratch, (size_t)count + 1, sizeof *values);
    ORIBI_TRY(values != NULL || oribi_onnx_no_memory(n));
    *out = values;
    return !n->failed && oribi_graph_known_exactly(n->graph, value, values, count);
}

int32_t oribi_emit_axis(oribi_onnx_node *n, int64_t axis, int32_t rank)
{
    int32_t at = 0;
    if (!n->failed && !oribi_geometry_axis(axis, rank, &at)) {
        oribi_onnx_fail(n, TF_INVALID_ARGUMENT,
                        "axis %" PRId64 " does not exist in a tensor with %d dimensions", axis,
                        (int)rank);
    }
    return at;
}

bool oribi_emit_axes(oribi_onnx_node *n, int64_t input_since, int32_t input, int32_t rank,
                     oribi_dims *out)
{
    oribi_dims given;
    oribi_geometry_axes has = {{0}};
    bool is_given = false;
    out->n = 0;
    if (n->opset < input_since) {
        is_given = oribi_onnx_dims(n, "axes", &given);
    } else if (oribi_emit_input(n, input) >= 0) {
        is_given = oribi_emit_known_ints(n, n->inputs[input], &given);
        if (!is_given) {
            oribi_onnx_want_shapes(n, "the axes must be constant, or follow from known shapes");
        }
    }
    for (int32_t i = 0; is_given && i < given.n; i++) {
        const int32_t axis = oribi_emit_axis(n, given.at[i], rank);
        if (!oribi_geometry_add_axis(&has, axis) && !n->failed) {
            oribi_onnx_fail(n, TF_INVALID_ARGUMENT, "axis %d is given twice", (int)axis);
        }
    }
    for (int32_t axis = 0; axis < rank; axis++) {
        if (oribi_geometry_has_axis(&has, axis) && !oribi_dims_add(out, axis)) {
            return oribi_onnx_fail(n, TF_INVALID_ARGUMENT, "axis %d does not exist among %d",
                                   (int)axis, (int)rank);
        }
    }
    return is_given && !n->failed;
}
