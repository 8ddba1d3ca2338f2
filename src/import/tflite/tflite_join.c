/* SPDX-License-Identifier: Apache-2.0 */
/* Several tensors into one, and one into several. */
#include "import/tflite/tflite.h"

static oribi_value_id *read_values(oribi_tflite_node *n)
{
    oribi_value_id *values =
        oribi_arena_array(&n->tflite->scratch, (size_t)n->n_inputs + 2, sizeof(*values));
    if (values == NULL) {
        (void)oribi_tflite_no_memory(n);
    }
    for (int32_t i = 0; values != NULL && i < n->n_inputs; i++) {
        values[i] = oribi_tflite_input(n, i);
        if (values[i] < 0) {
            oribi_tflite_fail(n, TF_INVALID_ARGUMENT, "input %d is required", (int)i);
            return NULL;
        }
    }
    return values;
}

/* Are the quantised tensors all of one scale and zero point, or not quantised at all? */
static bool one_quant(oribi_tflite_node *n)
{
    for (int32_t i = 0; i < n->n_inputs; i++) {
        if (oribi_tflite_is_int8(n) && n->inputs[i]->scales.count > 0 &&
            !oribi_tflite_same_quant(n, n->inputs[i], n->outputs[0])) {
            return false;
        }
    }
    return true;
}

/* TFLite brings the inputs of a concatenation of uint8, of no other type, to the result's scale. */
static bool rescale(oribi_tflite_node *n, oribi_value_id *values)
{
    for (int32_t i = 0; i < n->n_inputs; i++) {
        oribi_tflite_quant in = {0}, out = {0};
        if (oribi_tflite_same_quant(n, n->inputs[i], n->outputs[0])) {
            continue;
        }
        ORIBI_TRY(oribi_tflite_quant_of(n, n->inputs[i], "an input", &in) &&
                  oribi_tflite_quant_of(n, n->outputs[0], "the output", &out));
        values[i] = oribi_tflite_emit(
            n, "Oribi>QUnary", &values[i], 1,
            ATTRS(ORIBI_TFLITE_QUANT_ATTRS(in, out), ATTR_TEXT("function", "RESCALE")));
        ORIBI_TRY(values[i] >= 0);
    }
    return true;
}

static bool concatenation(oribi_tflite_node *n)
{
    oribi_value_id *values = read_values(n);
    if (values == NULL) {
        return false;
    }
    int64_t activation = oribi_tflite_byte(n, 1, 0);
    const bool is_plain = activation == ORIBI_TFLITE_ACT_NONE;
    if (oribi_tflite_is_quantised(n, 0) && !is_plain) { /* as both references */
        return oribi_tflite_fail(n, TF_UNIMPLEMENTED,
                                 "a fused activation is not supported for quantised tensors");
    }
    if (oribi_tflite_is_int8(n) && !one_quant(n)) { /* as both references */
        return oribi_tflite_fail(n, TF_UNIMPLEMENTED,
                                 "int8 inputs whose scales are not the result's are not supported");
    }
    if (oribi_tflite_is_quantised(n, 0) && oribi_tflite_dtype_in(n, 0) == TF_UINT8) {
        ORIBI_TRY(rescale(n, values));
    }
    values[n->n_inputs] = oribi_tflite_scalar(n, oribi_tflite_int(n, 0, 0));
    oribi_value_id y = n->n_inputs == 1 ? oribi_tflite_emit(n, "Identity", values, 1, NO_ATTRS)
                                        : oribi_tflite_emit(n, "ConcatV2", values, n->n_inputs + 1,
                                                            ATTRS(ATTR_INT("N", n->n_inputs)));
    return oribi_tflite_bind(n, 0, oribi_tflite_activate(n, y, activation));
}

static bool pack(oribi_tflite_node *n)
{
    const oribi_value_id *values = read_values(n);
    if (values == NULL) {
        return false;
    }
    oribi_value_id y = oribi_tflite_emit(
        n, "Pack", values, n->n_inputs,
        ATTRS(ATTR_INT("N", n->n_inputs), ATTR_INT("axis", oribi_tflite_int(n, 1, 0))));
    return oribi_tflite_bind(n, 0, y);
}

static bool has_one_shape(const oribi_tflite_node *n)
{
    const oribi_flat_vector *first = &n->inputs[0]->shape;
    for (int32_t i = 1; i < n->n_inputs; i++) {
        const oribi_flat_vector *shape = &n->inputs[i]->shape;
        bool is_equal = shape->count == first->count;
        for (uint32_t k = 0; is_equal && k < first->count; k++) {
            is_equal = oribi_flat_int32_at(shape, k) == oribi_flat_int32_at(first, k);
        }
        ORIBI_TRY(is_equal);
    }
    return true;
}

static bool add_n(oribi_tflite_node *n)
{
    const oribi_value_id *values = read_values(n);
    if (values == NULL) {
        return false;
    }
    if (oribi_tflite_is_quantised(n, 0)) {
        return oribi_tflite_q_add_n(n, values);
    }
    if (!has_one_shape(n)) { /* as both references */
        return oribi_tflite_fail(n, TF_INVALID_ARGUMENT, "adds tensors of different shapes");
    }
    /* One after the other, which is the order of the references; compiled C has sums of two. */
    oribi_value_id y = values[0];
    for (int32_t i = 1; y >= 0 && i < n->n_inputs; i++) {
        y = oribi_tflite_emit(n, "AddV2", INPUTS(y, values[i]), NO_ATTRS);
    }
    if (n->n_inputs == 1) {
        y = oribi_tflite_emit(n, "Identity", values, 1, NO_ATTRS);
    }
    return oribi_tflite_bind(n, 0, y);
}

static bool bind_all(oribi_tflite_node *n, const oribi_node *node)
{
    for (int32_t i = 0; node != NULL && i < n->n_outputs; i++) {
        ORIBI_TRY(oribi_tflite_bind(n, i, node->outputs[i]));
    }
    return node != NULL;
}

static bool unpack(oribi_tflite_node *n)
{
    return bind_all(n, oribi_tflite_emit_node(n, "Unpack", INPUTS(oribi_tflite_input(n, 0)),
                                              ATTRS(ATTR_INT("num", n->n_outputs),
                                                    ATTR_INT("axis", oribi_tflite_int(n, 1, 0))),
                                              n->n_outputs));
}

/* The axis may be a vector of one element here; TensorFlow wants a scalar. */
static oribi_value_id read_axis(oribi_tflite_node *n, int32_t input)
{
    int64_t axis = 0;
    const oribi_value_id given = oribi_tflite_input(n, input);
    if (n->failed || oribi_tflite_rank(n, given) != 1) {
        return given;
    }
    if (!oribi_graph_constant_exactly(n->graph, given, &axis, 1)) {
        oribi_tflite_fail(n, TF_UNIMPLEMENTED, "the axis must be constant");
        return -1;
    }
    return oribi_tflite_scalar(n, axis);
}

static bool split(oribi_tflite_node *n)
{
    oribi_value_id axis = read_axis(n, 0), x = oribi_tflite_input(n, 1);
    return bind_all(n, oribi_tflite_emit_node(n, "Split", INPUTS(axis, x),
                                              ATTRS(ATTR_INT("num_split", n->n_outputs)),
                                              n->n_outputs));
}

static bool split_v(oribi_tflite_node *n)
{
    oribi_value_id x = oribi_tflite_input(n, 0), sizes = oribi_tflite_input(n, 1);
    oribi_value_id axis = read_axis(n, 2);
    return bind_all(n, oribi_tflite_emit_node(n, "SplitV", INPUTS(x, sizes, axis),
                                              ATTRS(ATTR_INT("num_split", n->n_outputs)),
                                              n->n_outputs));
}

static bool top_k(oribi_tflite_node *n)
{
    oribi_value_id x = oribi_tflite_input(n, 0), k = oribi_tflite_input(n, 1);
    return bind_all(n, oribi_tflite_emit_node(n, "TopKV2", INPUTS(x, k), NO_ATTRS, 2));
}

const oribi_tflite_row oribi_tflite_join_rows[] = {
    /* operator, options, inputs at least and at most, outputs */
    {2, 10, 1, -1, 1, concatenation, NULL}, {83, 59, 1, -1, 1, pack, NULL},
    {106, 82, 1, -1, 1, add_n, NULL},       {88, 64, 1, 1, -1, unpack, NULL},
    {49, 35, 2, 2, -1, split, NULL},        {102, 79, 3, 3, -1, split_v, NULL},
    {48, 0, 2, 2, 2, top_k, NULL},          {0, 0, 0, 0, 0, NULL, NULL},
};
