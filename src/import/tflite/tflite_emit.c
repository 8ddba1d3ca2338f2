/* SPDX-License-Identifier: Apache-2.0 */
/* Making nodes, small constants, activations. See tflite.h. */
#include "import/tflite/tflite.h"

#include <inttypes.h>
#include <string.h>

#include "op/op_serves.h"
#include "target/target.h"

oribi_node *oribi_tflite_emit_node(oribi_tflite_node *n, const char *op,
                                   const oribi_value_id *inputs, int32_t n_inputs,
                                   const oribi_emit_attr *attrs, int32_t n_attrs, int32_t n_outputs)
{
    const oribi_emit_attr rounding = ATTR_TEXT("rounding", "tflite");
    const oribi_op_def *def = oribi_op_find(op);
    const bool is_rounded = oribi_tflite_rounds_as_tflite(n) && def != NULL &&
                            oribi_op_find_attr(def, rounding.name) != NULL;
    return oribi_emit_make(oribi_tflite_from(n), op, inputs, n_inputs, attrs, n_attrs,
                           is_rounded ? &rounding : NULL, n_outputs);
}

oribi_value_id oribi_tflite_emit(oribi_tflite_node *n, const char *op, const oribi_value_id *inputs,
                                 int32_t n_inputs, const oribi_emit_attr *attrs, int32_t n_attrs)
{
    const oribi_node *node = oribi_tflite_emit_node(n, op, inputs, n_inputs, attrs, n_attrs, 1);
    return node == NULL ? -1 : node->outputs[0];
}

bool oribi_tflite_bind(oribi_tflite_node *n, int32_t index, oribi_value_id value)
{
    value = oribi_tflite_behind_gate(n, value);
    if (n->failed || value < 0 || index >= n->n_outputs) {
        return false;
    }
    oribi_tflite_tensor *tensor = n->outputs[index];
    oribi_value *bound = n->graph->values[value];
    if (tensor == NULL) {
        return true;
    }
    if (tensor->dtype != bound->dtype) {
        return oribi_tflite_fail(
            n, TF_INVALID_ARGUMENT, "output %d is declared as %s, but its operator makes %s",
            (int)index,
            tensor->dtype == 0 ? "an unsupported type" : oribi_dtype_name(tensor->dtype),
            oribi_dtype_name(bound->dtype));
    }
    if (tensor->value != ORIBI_TFLITE_UNMADE) {
        return oribi_tflite_fail(n, TF_INVALID_ARGUMENT, "output %d is given twice", (int)index);
    }
    bool is_new = true; /* not an input that passes through, which nodes made here never are */
    for (int32_t i = 0; bound->producer < n->first_node && i < n->n_inputs; i++) {
        is_new = is_new && (n->inputs[i] == NULL || n->inputs[i]->value != value);
    }
    if (is_new && bound->constant == NULL && tensor->name.length > 0) {
        const char *name = oribi_import_text(&n->tflite->scratch, &tensor->name);
        if (name == NULL || !oribi_graph_rename_value(n->graph, value, name, n->status)) {
            n->failed = true;
            return oribi_ok(n->status) ? oribi_fail_memory(n->status) : false;
        }
    }
    tensor->value = value;
    if (bound->quantisation.n_scales == 0 &&
        !oribi_tflite_quantise(n->graph, tensor, value, n->status)) {
        n->failed = true;
    }
    return !n->failed;
}

/* --- Constants -------------------------------------------------------------------------------- */

static oribi_value_id add_small(oribi_tflite_node *n, TF_DataType dtype, int32_t rank,
                                int64_t count, const void *data)
{
    if (n->failed) {
        return -1;
    }
    oribi_value_id id =
        oribi_graph_add_constant_copy(n->graph, "const", dtype, &count, rank, data, n->status);
    n->failed = id < 0;
    return id;
}

static bool check_narrow(oribi_tflite_node *n, int64_t value)
{
    return (value >= INT32_MIN && value <= INT32_MAX) ||
           oribi_tflite_fail(n, TF_INVALID_ARGUMENT, "%" PRId64 " does not fit in 32 bits", value);
}

oribi_value_id oribi_tflite_vector(oribi_tflite_node *n, const oribi_dims *values)
{
    int32_t *narrow = oribi_arena_array(&n->tflite->scratch, (size_t)values->n + 1, sizeof *narrow);
    if (narrow == NULL) {
        (void)oribi_tflite_no_memory(n);
        return -1;
    }
    for (int32_t i = 0; i < values->n; i++) {
        if (!check_narrow(n, values->at[i])) {
            return -1;
        }
        narrow[i] = (int32_t)values->at[i];
    }
    return add_small(n, TF_INT32, 1, values->n, narrow);
}

oribi_value_id oribi_tflite_scalar(oribi_tflite_node *n, int64_t value)
{
    const int32_t narrow = (int32_t)value;
    return check_narrow(n, value) ? add_small(n, TF_INT32, 0, 1, &narrow) : -1;
}

oribi_value_id oribi_tflite_ints(oribi_tflite_node *n, const int32_t *values, int64_t count)
{
    return add_small(n, TF_INT32, 1, count, values);
}

oribi_value_id oribi_tflite_zeros(oribi_tflite_node *n, TF_DataType dtype, int64_t count)
{
    static const int64_t zero = 0, stride = 0;
    const oribi_constant_view view = {dtype, 1, &count, &stride, &zero};
    const oribi_value_id id =
        n->failed ? -1 : oribi_graph_add_constant(n->graph, "bias", &view, NULL, n->status);
    n->failed = id < 0;
    return id;
}

oribi_value_id oribi_tflite_scalar_like(oribi_tflite_node *n, oribi_value_id like, float value)
{
    if (n->failed || like < 0) {
        return -1;
    }
    TF_DataType dtype = n->graph->values[like]->dtype;
    const bool is_integer = value > -9.0e18f && value < 9.0e18f; /* NaN is none either */
    int64_t integer = is_integer ? (int64_t)value : 0;
    if (dtype != TF_FLOAT && !is_integer) {
        oribi_tflite_fail(n, TF_INVALID_ARGUMENT, "%g is not an integer of 64 bits", (double)value);
        return -1;
    }
    switch ((int)dtype) {
    case TF_FLOAT:
        return add_small(n, dtype, 0, 1, &value);
    case TF_INT8:
    case TF_UINT8:
    case TF_INT16:
    case TF_INT32:
    case TF_INT64: /* little endian: the low bytes */
        return add_small(n, dtype, 0, 1, &integer);
    default:
        oribi_tflite_fail(n, TF_UNIMPLEMENTED, "not supported for elements of type %s",
                          oribi_dtype_name(dtype));
        return -1;
    }
}

oribi_value_id oribi_tflite_reshape(oribi_tflite_node *n, oribi_value_id x, const oribi_dims *dims)
{
    oribi_value_id shape = oribi_tflite_vector(n, dims);
    return oribi_tflite_emit(n, "Reshape", INPUTS(x, shape), NO_ATTRS);
}

oribi_value_id oribi_tflite_transpose(oribi_tflite_node *n, oribi_value_id x,
                                      const oribi_dims *perm)
{
    if (n->failed || x < 0) {
        return -1;
    }
    const oribi_value *value = n->graph->values[x];
    if (value->constant != NULL && value->shape.rank == perm->n) {
        oribi_value_id id =
            oribi_graph_add_constant_transposed(n->graph, value->name, x, perm, n->status);
        n->failed = id < 0;
        return id;
    }
    oribi_value_id order = oribi_tflite_vector(n, perm);
    return oribi_tflite_emit(n, "Transpose", INPUTS(x, order), NO_ATTRS);
}

/* --- Activations ------------------------------------------------------------------------------ */

const char *oribi_tflite_activation_name(oribi_tflite_node *n, int64_t activation)
{
    switch (activation) {
    case ORIBI_TFLITE_ACT_NONE:
        return "NONE";
    case ORIBI_TFLITE_ACT_RELU:
        return "RELU";
    case ORIBI_TFLITE_ACT_RELU_N1_TO_1:
        return "RELU_N1_TO_1";
    case ORIBI_TFLITE_ACT_RELU6:
        return "RELU6";
    default:
        oribi_tflite_fail(n, TF_UNIMPLEMENTED, "fused activation %" PRId64 " is not supported",
                          activation);
        return NULL;
    }
}

oribi_value_id oribi_tflite_activate(oribi_tflite_node *n, oribi_value_id x, int64_t activation)
{
    oribi_value_id low, high;
    switch (activation) {
    case ORIBI_TFLITE_ACT_NONE:
        return x;
    case ORIBI_TFLITE_ACT_RELU:
        return oribi_tflite_emit(n, "Relu", INPUTS(x), NO_ATTRS);
    case ORIBI_TFLITE_ACT_RELU6:
        return oribi_tflite_emit(n, "Relu6", INPUTS(x), NO_ATTRS);
    case ORIBI_TFLITE_ACT_TANH:
        return oribi_tflite_emit(n, "Tanh", INPUTS(x), NO_ATTRS);
    case ORIBI_TFLITE_ACT_RELU_N1_TO_1:
        low = oribi_tflite_scalar_like(n, x, -1.0f);
        high = oribi_tflite_scalar_like(n, x, 1.0f);
        x = oribi_tflite_emit(n, "Maximum", INPUTS(x, low), NO_ATTRS);
        return oribi_tflite_emit(n, "Minimum", INPUTS(x, high), NO_ATTRS);
    default:
        oribi_tflite_fail(n, TF_UNIMPLEMENTED, "fused activation %" PRId64 " is not supported",
                          activation);
        return -1;
    }
}

/* --- Translations that need nothing more ------------------------------------------------------ */

bool oribi_tflite_translate_copy(oribi_tflite_node *n)
{
    oribi_value_id *inputs =
        oribi_arena_array(&n->tflite->scratch, (size_t)n->n_inputs + 1, sizeof *inputs);
    ORIBI_TRY(inputs != NULL || oribi_tflite_no_memory(n));
    for (int32_t i = 0; i < n->n_inputs; i++) {
        inputs[i] = oribi_tflite_input(n, i);
    }
    oribi_value_id y = oribi_tflite_emit(n, n->row->into, inputs, n->n_inputs, NO_ATTRS);
    return oribi_tflite_bind(n, 0, y);
}

bool oribi_tflite_translate_plain(oribi_tflite_node *n)
{
    for (int32_t i = 0; i < n->n_inputs; i++) {
        const oribi_tflite_tensor *tensor = n->inputs[i];
        if (tensor != NULL && tensor->scales.count > 0 && tensor->dtype != TF_FLOAT) {
            return oribi_tflite_fail(n, TF_UNIMPLEMENTED, "not supported for quantised tensors");
        }
    }
    return oribi_tflite_translate_copy(n);
}

const oribi_op_def *oribi_tflite_custom_op(const oribi_tflite_node *n, oribi_text *out_served)
{
    static const oribi_string domain = {"tflite", 6};
    const oribi_op_def *op =
        oribi_op_serving(&domain, &n->code->custom, n->code->version, out_served);
    return op != NULL || oribi_text_string(out_served)[0] != '\0' ? op : oribi_op_find(n->op);
}

/* A plugin that wants the options declares `custom_options: string`, and of the version
 * `since_version: int`. */
bool oribi_tflite_translate_custom(oribi_tflite_node *n, const oribi_op_def *op)
{
    oribi_flat_vector options = {0};
    int32_t n_states = oribi_target_kernel_states(op->name);
    n_states = n_states > 0 && n->n_inputs == op->n_inputs - n_states ? n_states : 0;
    oribi_value_id *inputs = oribi_arena_array(
        &n->tflite->scratch, (size_t)n->n_inputs + (size_t)n_states + 1, sizeof(*inputs));
    if (inputs == NULL ||
        !oribi_flat_read_vector(&n->table, 5, 1, "custom options", &options, n->status)) {
        n->failed = true;
        return inputs == NULL ? oribi_fail_memory(n->status) : false;
    }
    for (int32_t i = 0; i < n->n_inputs; i++) {
        inputs[i] = oribi_tflite_input(n, i);
        if (inputs[i] < 0) {
            return oribi_tflite_fail(n, TF_UNIMPLEMENTED,
                                     "a custom operator must not have absent inputs");
        }
    }
    for (int32_t i = n->n_inputs; i < n->n_inputs + n_states; i++) {
        inputs[i] = oribi_target_state_value(n->graph, op, n->label, inputs, i, n->status);
        if (inputs[i] < 0) {
            n->failed = true;
            return false;
        }
    }
    oribi_node *node =
        oribi_graph_add_node(n->graph, op->name, n->label, inputs, n->n_inputs + n_states,
                             n->n_outputs + n_states, n->status);
    if (node == NULL) {
        n->failed = true;
        return false;
    }
    node->origin = n->origin;
    if (oribi_op_find_attr(op, "custom_options") != NULL) {
        const oribi_string bytes = {
            options.file == NULL ? "" : (const char *)options.file->data + options.at,
            options.count};
        const oribi_attr attr = {
            .name = "custom_options", .kind = TF_ATTR_STRING, .count = 1, .u.s = &bytes};
        if (!oribi_tflite_spend(n->tflite, options.count, n->status) ||
            !oribi_attrs_set(&node->attrs, &n->graph->arena, &attr)) {
            n->failed = true;
            return oribi_ok(n->status) ? oribi_fail_memory(n->status) : false;
        }
    }
    if (oribi_op_find_attr(op, "since_version") != NULL &&
        !oribi_attrs_set_int(&node->attrs, &n->graph->arena, "since_version", n->code->version)) {
        return oribi_tflite_no_memory(n);
    }
    ORIBI_TRY(oribi_emit_resolve(oribi_tflite_from(n), node));
    for (int32_t i = 0; i < n->n_outputs; i++) {
        ORIBI_TRY(oribi_tflite_bind(n, i, node->outputs[i]));
    }
    return true;
}
