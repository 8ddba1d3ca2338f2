/* SPDX-License-Identifier: Apache-2.0 */
/* Ops that only move elements, or pick the largest, do so with quantised ones as well. */
#include "pass/qdq_internal.h"

#include <string.h>

static const char *const one_input[] = {
    "Transpose",    "Reshape",     "Squeeze",  "ExpandDims", "Slice",
    "StridedSlice", "Tile",        "GatherV2", "Identity",   "ResizeNearestNeighbor",
    "MirrorPad",    "BroadcastTo", NULL};
static const char *const bijective[] = {"Transpose",  "Reshape",  "Squeeze",
                                        "ExpandDims", "Identity", NULL};

/* The same op on other inputs: attributes of types are told by them. NULL: as oribi_qdq_add. */
static oribi_node *clone(oribi_qdq *q, const oribi_node *node, const oribi_value_id *inputs,
                         int32_t n_inputs)
{
    oribi_attr attrs[24];
    int32_t n = 0;
    for (int32_t i = 0; i < node->attrs.count && n < 24; i++) {
        const oribi_attr *attr = &node->attrs.items[i];
        const bool is_type = strcmp(attr->name, "T") == 0 || strcmp(attr->name, "Tparams") == 0;
        if (!is_type) {
            attrs[n++] = *attr;
        }
    }
    return oribi_qdq_add(q, node->op_name, node, inputs, n_inputs, attrs, n);
}

/* --- Down ------------------------------------------------------------------------------------ */

static int64_t span(const oribi_shape *shape, int32_t first, int32_t last)
{
    int64_t product = 1;
    for (int32_t i = first; i < last; i++) {
        if (shape->dims[i] < 0 || __builtin_mul_overflow(product, shape->dims[i], &product)) {
            return -1;
        }
    }
    return product;
}

/* The axis along which the scales lie behind the mover; -1: they do not lie along axes any more. */
static int64_t moved_axis(const oribi_qdq *q, const oribi_node *mover, int64_t axis, int64_t count)
{
    const oribi_shape *from = &q->graph->values[mover->inputs[0]]->shape;
    const oribi_shape *to = &q->graph->values[mover->outputs[0]]->shape;
    oribi_dims perm;
    axis += axis < 0 ? from->rank : 0;
    if (from->rank < 1 || to->rank < 1 || axis < 0 || axis >= from->rank) {
        return -1;
    }
    if (oribi_pass_is(mover, "Transpose")) {
        if (!oribi_graph_constant_ints(q->graph, mover->inputs[1], &perm)) {
            return -1;
        }
        for (int32_t i = 0; i < perm.n && from->dims[axis] == count; i++) {
            if (perm.at[i] == axis || perm.at[i] + from->rank == axis) {
                return i;
            }
        }
        return -1;
    }
    const int64_t outer = span(from, 0, (int32_t)axis);
    for (int32_t i = 0; i < to->rank && outer >= 0; i++) {
        for (int32_t k = i + 1; span(to, 0, i) == outer && k <= to->rank; k++) {
            if (span(to, i, k) == count) {
                return i;
            }
        }
    }
    return -1;
}

/* -1: not behind this mover. */
static int64_t axis_behind(const oribi_qdq *q, const oribi_node *dequantize,
                           const oribi_node *mover, int32_t input)
{
    static const char *const keep_axes[] = {"Transpose", "Reshape", "Squeeze", "ExpandDims", NULL};
    const oribi_shape *scales = &q->graph->values[dequantize->inputs[1]]->shape;
    if (!oribi_shape_is_full(scales) || scales->rank > 1) {
        return -1;
    }
    if (scales->rank == 0 || scales->dims[0] == 1) {
        return 0;
    }
    return input == 0 && oribi_pass_is_one_of(mover, keep_axes)
               ? moved_axis(q, mover, oribi_pass_attr_int(dequantize, "axis", 1), scales->dims[0])
               : -1;
}

/* Dequantises `moved`, which takes the place of the mover's output. */
static bool dequantise_behind(oribi_qdq *q, const oribi_node *dequantize, int64_t axis,
                              const oribi_node *mover, int32_t output, oribi_value_id moved)
{
    const oribi_value_id inputs[3] = {moved, dequantize->inputs[1], dequantize->inputs[2]};
    const oribi_node *node =
        oribi_qdq_add(q, "ONNX>DequantizeLinear", mover, inputs, 3, &QDQ_INT("axis", axis), 1);
    if (node == NULL) {
        return false;
    }
    oribi_pass_take_over(q->graph, mover->outputs[output], node->outputs[0]);
    return true;
}

/* Zeros become the zero point. */
static bool is_zero(const oribi_qdq *q, oribi_value_id value)
{
    double number;
    return oribi_qdq_numbers(q->graph, value, 1, &number) && number == 0.0;
}

static oribi_node *move_pad(oribi_qdq *q, const oribi_node *mover, const oribi_node *dequantize)
{
    oribi_value_id zero = dequantize->inputs[2];
    const oribi_shape *shape = &q->graph->values[zero]->shape;
    if ((oribi_pass_is(mover, "PadV2") && !is_zero(q, mover->inputs[2])) ||
        q->graph->values[zero]->constant == NULL) {
        return NULL;
    }
    if (shape->rank == 1) {
        const int64_t none[1] = {0};
        zero = oribi_pass_add_reshaped(q->graph, zero, none, 0, q->status);
        if (zero < 0) {
            return NULL;
        }
    }
    const oribi_value_id inputs[3] = {dequantize->inputs[0], mover->inputs[1], zero};
    return oribi_qdq_add(q, "PadV2", mover, inputs, 3, NULL, 0);
}

static oribi_node *move_split(oribi_qdq *q, const oribi_node *mover, const oribi_node *dequantize,
                              int32_t input)
{
    oribi_value_id inputs[3];
    if (mover->n_inputs > 3) {
        return NULL;
    }
    memcpy(inputs, mover->inputs, (size_t)mover->n_inputs * sizeof inputs[0]);
    inputs[input] = dequantize->inputs[0];
    oribi_node *node = oribi_graph_add_node(q->graph, mover->op_name, mover->name, inputs,
                                            mover->n_inputs, mover->n_outputs, q->status);
    if (node == NULL) {
        return NULL;
    }
    node->device = mover->device;
    node->origin = mover->origin;
    for (int32_t i = 0; i < mover->attrs.count; i++) {
        if (strcmp(mover->attrs.items[i].name, "T") != 0 &&
            !oribi_attrs_set(&node->attrs, &q->graph->arena, &mover->attrs.items[i])) {
            oribi_fail_memory(q->status);
            return NULL;
        }
    }
    if (!oribi_graph_resolve(q->graph, node, q->status)) {
        return NULL;
    }
    node->kernel = oribi_pass_select(q->graph, node, q->options, q->status);
    if (node->kernel == NULL) {
        TF_SetStatus(q->status, TF_OK, "");
        oribi_graph_remove_node(q->graph, node);
        return NULL;
    }
    return node;
}

static oribi_node *move_one(oribi_qdq *q, const oribi_node *mover, const oribi_node *dequantize)
{
    oribi_value_id inputs[8];
    if (mover->n_inputs > 8 || mover->n_outputs != 1) {
        return NULL;
    }
    memcpy(inputs, mover->inputs, (size_t)mover->n_inputs * sizeof inputs[0]);
    inputs[0] = dequantize->inputs[0];
    return clone(q, mover, inputs, mover->n_inputs);
}

/* Parts of one quantisation are joined as they are. */
static bool push_through_concat(oribi_qdq *q, oribi_node *mover)
{
    enum { MAX_PARTS = 64 };
    oribi_value_id inputs[MAX_PARTS + 1];
    oribi_qdq_side first = {0}, part;
    const int32_t n = mover->n_inputs - 1;
    if (n < 1 || n > MAX_PARTS) {
        return false;
    }
    for (int32_t i = 0; i < n; i++) {
        if (!oribi_qdq_side_of(q, mover->inputs[i], &part)) {
            return false;
        }
        first = i == 0 ? part : first;
        if (part.dtype != first.dtype || part.scale != first.scale || part.zero != first.zero) {
            return false;
        }
        inputs[i] = part.value;
    }
    inputs[n] = mover->inputs[n];
    const oribi_node *dequantize = oribi_graph_producer(q->graph, mover->inputs[0]);
    oribi_node *moved = clone(q, mover, inputs, n + 1);
    return moved != NULL && dequantise_behind(q, dequantize, 0, mover, 0, moved->outputs[0]);
}

static oribi_node *move(oribi_qdq *q, const oribi_node *mover, const oribi_node *dequantize,
                        int32_t input)
{
    if (oribi_pass_is(mover, "Pad") || oribi_pass_is(mover, "PadV2")) {
        return move_pad(q, mover, dequantize);
    }
    if (oribi_pass_is(mover, "Split") || oribi_pass_is(mover, "SplitV")) {
        return move_split(q, mover, dequantize, input);
    }
    if (oribi_pass_is(mover, "MaxPool")) {
        return oribi_qdq_max_pool(q, mover, dequantize->inputs[0]);
    }
    return oribi_pass_is_one_of(mover, one_input) ? move_one(q, mover, dequantize) : NULL;
}

bool oribi_qdq_push_down(oribi_qdq *q, oribi_node *mover)
{
    const int32_t input = oribi_pass_is(mover, "Split") ? 1 : 0;
    if (mover->n_inputs <= input || mover->n_outputs < 1 || mover->inputs[input] < 0 ||
        oribi_pass_is_foreign(mover)) {
        return false;
    }
    const oribi_node *dequantize = oribi_graph_producer(q->graph, mover->inputs[input]);
    if (!oribi_qdq_is_dequantize(dequantize)) {
        return false;
    }
    if (oribi_pass_is(mover, "ConcatV2")) {
        return push_through_concat(q, mover);
    }
    const int64_t axis = axis_behind(q, dequantize, mover, input);
    const oribi_node *moved = axis < 0 ? NULL : move(q, mover, dequantize, input);
    if (moved == NULL) {
        return false;
    }
    for (int32_t i = 0; i < mover->n_outputs; i++) {
        if (!dequantise_behind(q, dequantize, axis, mover, i, moved->outputs[i])) {
            return false;
        }
    }
    q->n_moved++;
    return true;
}

/* --- Up -------------------------------------------------------------------------------------- */

enum { MAX_CLIPS = 4 };

typedef struct rise { /* mover, clips on its result, quantize */
    oribi_node *mover;
    const oribi_node *clips[MAX_CLIPS]; /* the last one first */
    int32_t n_clips;
} rise;

/* Rectifiers and clips by one number let a mover through. */
static bool find_mover(const oribi_qdq *q, const oribi_node *quantize, rise *out)
{
    oribi_value_id value = quantize->inputs[0];
    float low, high;
    out->n_clips = 0;
    for (;;) {
        oribi_node *node = oribi_qdq_sole_producer(q, value);
        if (node == NULL) {
            return false;
        }
        if (oribi_pass_is_one_of(node, bijective)) {
            out->mover = node;
            return node->n_inputs <= 4 && q->graph->values[node->inputs[0]]->dtype == TF_FLOAT;
        }
        if (out->n_clips == MAX_CLIPS || !oribi_qdq_read_clip(q, node, &low, &high)) {
            return false;
        }
        out->clips[out->n_clips++] = node;
        value = node->inputs[0];
    }
}

/* The mover's input, clipped and quantised; -1: no kernel for that. */
static oribi_value_id quantised_above(oribi_qdq *q, const rise *r, const oribi_node *quantize)
{
    oribi_value_id value = r->mover->inputs[0];
    for (int32_t i = r->n_clips - 1; i >= 0 && value >= 0; i--) {
        oribi_value_id inputs[3] = {value, -1, -1};
        for (int32_t k = 1; k < r->clips[i]->n_inputs && k < 3; k++) {
            inputs[k] = r->clips[i]->inputs[k];
        }
        const oribi_node *clip = clone(q, r->clips[i], inputs, r->clips[i]->n_inputs);
        value = clip == NULL ? -1 : clip->outputs[0];
    }
    const oribi_value_id inputs[3] = {value, quantize->inputs[1], quantize->inputs[2]};
    const oribi_node *node = value < 0 ? NULL
                                       : oribi_qdq_add(q, "ONNX>QuantizeLinear", quantize, inputs,
                                                       3, &QDQ_INT("axis", 0), 1);
    return node == NULL ? -1 : node->outputs[0];
}

bool oribi_qdq_pull_up(oribi_qdq *q, oribi_node *quantize)
{
    oribi_value_id inputs[4];
    rise r;
    const oribi_shape *scales = &q->graph->values[quantize->inputs[1]]->shape;
    if (!oribi_shape_is_full(scales) || (scales->rank == 1 && scales->dims[0] != 1) ||
        !find_mover(q, quantize, &r)) {
        return false;
    }
    memcpy(inputs, r.mover->inputs, (size_t)r.mover->n_inputs * sizeof inputs[0]);
    inputs[0] = quantised_above(q, &r, quantize);
    const oribi_node *moved = inputs[0] < 0 ? NULL : clone(q, r.mover, inputs, r.mover->n_inputs);
    if (moved == NULL) {
        return false; /* what was made is dead */
    }
    oribi_pass_take_over(q->graph, quantize->outputs[0], moved->outputs[0]);
    oribi_pass_drop(q->graph, quantize);
    q->n_moved++;
    return true;
}
