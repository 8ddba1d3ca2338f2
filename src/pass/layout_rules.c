/* SPDX-License-Identifier: Apache-2.0 */
/* Which ops let a transpose through, and the rules for elementwise ones. Ops with axes in their
 * arguments are in layout_axes.c, reshapes in layout_reshape.c.
 */
#include "pass/layout_internal.h"

#include <string.h>

/* A constant of at most the form's rank, read in the base's order. */
static oribi_value_id permuted_constant(oribi_layout *layout, oribi_value_id value,
                                        const oribi_layout_form *form)
{
    const oribi_constant_view *view = oribi_pass_constant(layout->graph, value);
    oribi_dims dims, strides, old;
    if (view->rank > form->perm.n || view->dtype == TF_STRING ||
        !oribi_pass_view_strides(view, &old)) {
        return -1;
    }
    int32_t missing = form->perm.n - view->rank;
    for (int32_t i = 0; i < form->perm.n; i++) {
        dims.at[form->perm.at[i]] = i < missing ? 1 : view->dims[i - missing];
        strides.at[form->perm.at[i]] = i < missing ? 0 : old.at[i - missing];
    }
    int32_t skip = 0; /* leading ones say nothing; per-channel vectors become vectors */
    while (skip < missing && dims.at[skip] == 1) {
        skip++;
    }
    return oribi_pass_add_view(layout->graph, layout->graph->values[value]->name, value,
                               dims.at + skip, strides.at + skip, form->perm.n - skip,
                               layout->status);
}

/* value as it is, or with its dims put in another order where that moves only ones. */
static oribi_value_id free_operand(oribi_layout *layout, oribi_value_id value,
                                   const oribi_layout_form *form, bool broadcast,
                                   const oribi_node *like)
{
    const oribi_layout_form *own = oribi_layout_moved(layout, value);
    oribi_value_id from = own != NULL ? own->base : value;
    const oribi_shape *shape = &layout->graph->values[value]->shape;
    oribi_dims dims = {.n = form->perm.n};
    int32_t missing = form->perm.n - shape->rank, n_unknown = 0;
    if (shape->rank < 0 || missing < 0 || (missing > 0 && !broadcast)) {
        return -1;
    }
    if (own != NULL && !oribi_layout_is_free(&layout->graph->values[from]->shape, &own->perm)) {
        return -1;
    }
    int8_t last = -1;
    for (int32_t i = 0; i < form->perm.n; i++) {
        const int64_t dim = i < missing ? 1 : shape->dims[i - missing];
        dims.at[form->perm.at[i]] = dim;
        n_unknown += dim < 0 ? 1 : 0;
        if (dim != 1) {
            if (form->perm.at[i] < last) {
                return -1;
            }
            last = form->perm.at[i];
        }
    }
    if (n_unknown > 1) {
        return -1;
    }
    return oribi_layout_reshape(layout, from, &dims, like);
}

oribi_value_id oribi_layout_operand(oribi_layout *layout, oribi_value_id value,
                                    const oribi_layout_form *form, bool broadcast,
                                    const oribi_node *like)
{
    if (value < 0) {
        return value;
    }
    const oribi_layout_form *own = oribi_layout_moved(layout, value);
    if (own != NULL && oribi_layout_same_perm(&own->perm, &form->perm)) {
        return own->base;
    }
    const oribi_value *v = layout->graph->values[value];
    if (v->constant != NULL && (broadcast || v->shape.rank == form->perm.n)) {
        return broadcast && v->shape.rank == 0 ? value : permuted_constant(layout, value, form);
    }
    if (own == NULL && broadcast && v->shape.rank == 0) {
        return value;
    }
    return free_operand(layout, value, form, broadcast, like);
}

/* The first moved input of the given rank decides. */
static bool leading_form(const oribi_layout *layout, const oribi_node *node, int32_t rank,
                         oribi_layout_form *out)
{
    for (int32_t i = 0; i < node->n_inputs; i++) {
        const oribi_layout_form *form = oribi_layout_moved(layout, node->inputs[i]);
        if (form != NULL && form->perm.n == rank && !oribi_layout_is_identity(form)) {
            *out = *form;
            return true;
        }
    }
    return false;
}

static bool elementwise_rule(oribi_layout *layout, oribi_node *node)
{
    enum { MAX_INPUTS = 16 };
    oribi_value_id inputs[MAX_INPUTS];
    oribi_layout_form form;
    int32_t rank = layout->graph->values[node->outputs[0]]->shape.rank;
    if (node->n_inputs > MAX_INPUTS || node->n_outputs != 1 ||
        !leading_form(layout, node, rank, &form)) {
        return false;
    }
    for (int32_t i = 0; i < node->n_inputs; i++) {
        inputs[i] = oribi_layout_operand(layout, node->inputs[i], &form, true, node);
        if (inputs[i] < 0 && node->inputs[i] >= 0) {
            return false;
        }
    }
    oribi_node *copy = oribi_layout_clone(layout, node, inputs);
    ORIBI_TRY(copy != NULL);
    oribi_layout_set(layout, node->outputs[0], copy->outputs[0], &form.perm);
    return true;
}

/* BiasAdd and batch normalization: input 0 is data, the rest are vectors along its channels. */
static bool channels_rule(oribi_layout *layout, oribi_node *node)
{
    const oribi_layout_form *form = oribi_layout_moved(layout, node->inputs[0]);
    oribi_value_id inputs[8];
    if (form == NULL || form->perm.n < 3 || node->n_inputs > 8 ||
        oribi_pass_attr_bool(node, "is_training", false)) {
        return false;
    }
    bool nchw = oribi_pass_attr_is(node, "data_format", "NCHW", "NHWC");
    int32_t axis = form->perm.at[nchw ? 1 : form->perm.n - 1];
    if (axis != form->perm.n - 1 && axis != 1) {
        return false;
    }
    for (int32_t i = 1; i < node->n_outputs; i++) {
        if (layout->graph->values[node->outputs[i]]->n_uses > 0) {
            return false;
        }
    }
    inputs[0] = form->base;
    for (int32_t i = 1; i < node->n_inputs; i++) {
        inputs[i] = oribi_layout_value(layout, node->inputs[i], node);
    }
    oribi_layout_form keep = *form;
    /* The copy's shapes are inferred as it is made: it must read the new format by then. */
    oribi_arena *arena = &layout->graph->arena;
    if (!oribi_attrs_set_string(&node->attrs, arena, "data_format",
                                axis == keep.perm.n - 1 ? "NHWC" : "NCHW")) {
        return oribi_fail_memory(layout->status);
    }
    oribi_node *copy = oribi_layout_clone(layout, node, inputs);
    if (!oribi_attrs_set_string(&node->attrs, arena, "data_format", nchw ? "NCHW" : "NHWC")) {
        return oribi_fail_memory(layout->status);
    }
    ORIBI_TRY(copy != NULL);
    oribi_layout_set(layout, node->outputs[0], copy->outputs[0], &keep.perm);
    return true;
}

/* Only input 0 is data, whose elements are computed one by one; scales of an axis follow it. */
static bool first_input_rule(oribi_layout *layout, oribi_node *node)
{
    enum { MAX_INPUTS = 4 };
    const oribi_layout_form *form = oribi_layout_moved(layout, node->inputs[0]);
    oribi_value_id inputs[MAX_INPUTS];
    if (form == NULL || node->n_inputs > MAX_INPUTS || node->n_outputs != 1) {
        return false;
    }
    const oribi_layout_form keep = *form;
    int64_t axis = oribi_pass_attr_int(node, "axis", 0);
    axis += axis < 0 ? keep.perm.n : 0;
    for (int32_t i = 1; i < node->n_inputs; i++) {
        const oribi_shape *shape = &layout->graph->values[node->inputs[i]]->shape;
        const bool is_one = shape->rank == 0 || (shape->rank == 1 && shape->dims[0] == 1);
        const bool is_axis =
            shape->rank == 1 && axis >= 0 && axis < keep.perm.n && shape->dims[0] >= 0 &&
            layout->graph->values[node->inputs[0]]->shape.dims[axis] == shape->dims[0];
        if (!is_one && !is_axis) {
            return false;
        }
        inputs[i] = oribi_layout_value(layout, node->inputs[i], node);
    }
    inputs[0] = keep.base;
    const bool has_axis = node->n_inputs > 1;
    /* The copy's shapes are inferred as it is made: it must read the new axis by then. */
    oribi_arena *arena = &layout->graph->arena;
    if (has_axis && !oribi_attrs_set_int(&node->attrs, arena, "axis",
                                         axis < keep.perm.n ? keep.perm.at[axis] : 0)) {
        return oribi_fail_memory(layout->status);
    }
    oribi_node *copy = oribi_layout_clone(layout, node, inputs);
    if (has_axis && !oribi_attrs_set_int(&node->attrs, arena, "axis", axis)) {
        return oribi_fail_memory(layout->status);
    }
    ORIBI_TRY(copy != NULL);
    oribi_layout_set(layout, node->outputs[0], copy->outputs[0], &keep.perm);
    return true;
}

/* Softmax works on the last axis: fine when that stays last. */
static bool last_axis_rule(oribi_layout *layout, oribi_node *node)
{
    const oribi_layout_form *form = oribi_layout_moved(layout, node->inputs[0]);
    if (form == NULL || form->perm.n < 1 || form->perm.at[form->perm.n - 1] != form->perm.n - 1) {
        return false;
    }
    return elementwise_rule(layout, node);
}

static const char *const elementwise[] = {"Abs",
                                          "Acos",
                                          "Acosh",
                                          "Add",
                                          "AddN",
                                          "AddV2",
                                          "Asin",
                                          "Asinh",
                                          "Atan",
                                          "Atanh",
                                          "Cast",
                                          "Ceil",
                                          "ClipByValue",
                                          "Cos",
                                          "Cosh",
                                          "Div",
                                          "DivNoNan",
                                          "Elu",
                                          "Equal",
                                          "Erf",
                                          "Exp",
                                          "Expm1",
                                          "Floor",
                                          "FloorDiv",
                                          "FloorMod",
                                          "Greater",
                                          "GreaterEqual",
                                          "Identity",
                                          "Inv",
                                          "IsFinite",
                                          "IsInf",
                                          "IsNan",
                                          "LeakyRelu",
                                          "Less",
                                          "LessEqual",
                                          "Log",
                                          "Log1p",
                                          "LogicalAnd",
                                          "LogicalNot",
                                          "LogicalOr",
                                          "Maximum",
                                          "Minimum",
                                          "Mod",
                                          "Mul",
                                          "Neg",
                                          "NotEqual",
                                          "Pow",
                                          "RealDiv",
                                          "Reciprocal",
                                          "Relu",
                                          "Relu6",
                                          "Rint",
                                          "Round",
                                          "Rsqrt",
                                          "SelectV2",
                                          "Selu",
                                          "Sigmoid",
                                          "Sign",
                                          "Sin",
                                          "Sinh",
                                          "Softplus",
                                          "Softsign",
                                          "Sqrt",
                                          "Square",
                                          "SquaredDifference",
                                          "Sub",
                                          "Tan",
                                          "Tanh",
                                          "TruncateDiv",
                                          "Xdivy",
                                          "Xlogy",
                                          "ONNX>Gelu",
                                          "ONNX>HardSigmoid",
                                          "ONNX>HardSwish",
                                          "ONNX>Mish",
                                          "ONNX>PRelu",
                                          "ONNX>QLinearAdd",
                                          "ONNX>QLinearMul",
                                          "ONNX>ThresholdedRelu",
                                          "ONNX>Celu",
                                          "ONNX>Shrink",
                                          NULL};
static const char *const channels[] = {"BiasAdd", "FusedBatchNorm", "FusedBatchNormV2",
                                       "FusedBatchNormV3", NULL};
static const char *const reductions[] = {"Mean", "Sum", "Max",           "Min", "Prod",
                                         "All",  "Any", "EuclideanNorm", NULL};
static const char *const reshapes[] = {"Reshape", "Squeeze", "ExpandDims", NULL};
static const char *const pads[] = {"Pad", "PadV2", "MirrorPad", NULL};
static const char *const last_axis[] = {"Softmax", "LogSoftmax", "ONNX>QLinearSoftmax", NULL};
static const char *const first_inputs[] = {"ONNX>QuantizeLinear", "ONNX>DequantizeLinear",
                                           "ONNX>QLinearTable", NULL};
static const char *const splits[] = {"Split", "SplitV", NULL};

oribi_layout_rule *oribi_layout_find_rule(const oribi_node *node)
{
    static const struct {
        const char *const *names;
        oribi_layout_rule *rule;
    } rules[] = {
        {elementwise, elementwise_rule},       {channels, channels_rule},
        {last_axis, last_axis_rule},           {reductions, oribi_layout_reduce_rule},
        {reshapes, oribi_layout_reshape_rule}, {pads, oribi_layout_pad_rule},
        {splits, oribi_layout_split_rule},     {first_inputs, first_input_rule},
    };
    for (size_t i = 0; i < sizeof rules / sizeof *rules; i++) {
        if (oribi_pass_is_one_of(node, rules[i].names)) {
            return rules[i].rule;
        }
    }
    if (oribi_pass_is(node, "ConcatV2")) {
        return oribi_layout_concat_rule;
    }
    if (oribi_pass_is(node, "Slice")) {
        return oribi_layout_slice_rule;
    }
    if (oribi_pass_is(node, "StridedSlice")) {
        return oribi_layout_strided_slice_rule;
    }
    if (oribi_pass_is(node, "Tile")) {
        return oribi_layout_tile_rule;
    }
    return oribi_pass_is(node, "Shape") ? oribi_layout_shape_rule : NULL;
}
