/* SPDX-License-Identifier: Apache-2.0 */
/* Reductions. */
#include "import/tflite/tflite.h"

static bool reduce(oribi_tflite_node *n)
{
    oribi_value_id x = oribi_tflite_input(n, 0), axes = oribi_tflite_input(n, 1);
    oribi_value_id y =
        oribi_tflite_emit(n, n->row->into, INPUTS(x, axes),
                          ATTRS(ATTR_BOOL("keep_dims", oribi_tflite_byte(n, 0, 0) != 0)));
    return oribi_tflite_bind(n, 0, y);
}

static bool mean(oribi_tflite_node *n)
{
    return oribi_tflite_is_quantised(n, 0) ? oribi_tflite_q_reduce(n, "Oribi>QMean") : reduce(n);
}

/* Of truth values: the largest and the sum are whether any is true, the others whether all are. */
static bool reduce_bools(oribi_tflite_node *n)
{
    const bool is_any = n->code->builtin == 74 || n->code->builtin == 82;
    oribi_value_id y = oribi_tflite_emit(
        n, is_any ? "Any" : "All", INPUTS(oribi_tflite_input(n, 0), oribi_tflite_input(n, 1)),
        ATTRS(ATTR_BOOL("keep_dims", oribi_tflite_byte(n, 0, 0) != 0)));
    return oribi_tflite_bind(n, 0, y);
}

static bool sum(oribi_tflite_node *n)
{
    if (oribi_tflite_dtype_in(n, 0) == TF_BOOL) {
        return reduce_bools(n);
    }
    return oribi_tflite_is_quantised(n, 0) ? oribi_tflite_q_reduce(n, "Oribi>QSum") : reduce(n);
}

static bool product(oribi_tflite_node *n)
{
    if (oribi_tflite_is_quantised(n, 0)) {
        return oribi_tflite_q_reduce(n, "Oribi>QProd");
    }
    return oribi_tflite_dtype_in(n, 0) == TF_BOOL ? reduce_bools(n) : reduce(n);
}

/* The largest quantised element is the largest number when the scales agree. */
static bool extreme(oribi_tflite_node *n)
{
    if (oribi_tflite_is_quantised(n, 0) &&
        !oribi_tflite_same_quant(n, n->inputs[0], n->outputs[0])) {
        return oribi_tflite_fail(n, TF_UNIMPLEMENTED,
                                 "the input and output with different scales are not supported");
    }
    return oribi_tflite_dtype_in(n, 0) == TF_BOOL ? reduce_bools(n) : reduce(n);
}

/* The axis may be a vector of one element here; TensorFlow wants a scalar. */
static bool arg_extreme(oribi_tflite_node *n)
{
    int64_t axis = 0;
    oribi_value_id x = oribi_tflite_input(n, 0), given = oribi_tflite_input(n, 1);
    if (n->failed || !oribi_graph_constant_exactly(n->graph, given, &axis, 1)) {
        return oribi_tflite_fail(n, TF_UNIMPLEMENTED, "the axis must be constant");
    }
    oribi_value_id scalar = oribi_tflite_scalar(n, axis);
    oribi_value_id y = oribi_tflite_emit(n, n->row->into, INPUTS(x, scalar),
                                         ATTRS(ATTR_TYPE("output_type", n->outputs[0]->dtype)));
    return oribi_tflite_bind(n, 0, y);
}

static bool cumsum(oribi_tflite_node *n)
{
    oribi_value_id x = oribi_tflite_input(n, 0), axis = oribi_tflite_input(n, 1);
    const bool exclusive = oribi_tflite_byte(n, 0, 0) != 0;
    const bool reverse = oribi_tflite_byte(n, 1, 0) != 0;
    if (oribi_tflite_is_quantised(n, 0)) {
        return oribi_tflite_bind(n, 0, oribi_tflite_q_cumsum(n, x, axis, exclusive, reverse));
    }
    oribi_value_id y =
        oribi_tflite_emit(n, "Cumsum", INPUTS(x, axis),
                          ATTRS(ATTR_BOOL("exclusive", exclusive), ATTR_BOOL("reverse", reverse)));
    return oribi_tflite_bind(n, 0, y);
}

const oribi_tflite_row oribi_tflite_reduce_rows[] = {
    /* operator, options, inputs at least and at most, outputs */
    {40, 27, 2, 2, 1, mean, "Mean"},
    {74, 27, 2, 2, 1, sum, "Sum"},
    {81, 27, 2, 2, 1, product, "Prod"},
    {82, 27, 2, 2, 1, extreme, "Max"},
    {89, 27, 2, 2, 1, extreme, "Min"},
    {91, 27, 2, 2, 1, reduce, "Any"},
    {140, 27, 2, 2, 1, reduce, "All"},
    {56, 0, 2, 2, 1, arg_extreme, "ArgMax"},
    {79, 0, 2, 2, 1, arg_extreme, "ArgMin"},
    {128, 102, 2, 2, 1, cumsum, NULL},
    {0, 0, 0, 0, 0, NULL, NULL},
};
