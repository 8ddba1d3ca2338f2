/* SPDX-License-Identifier: Apache-2.0 */
/* Ops that only move elements, or pick the largest, do so with quantised ones as well. */
#include "pass/qdq_internal.h"

#include <string.h>

oribi_node *oribi_qdq_clone(oribi_qdq *q, const oribi_node *node, const oribi_value_id *inputs,
                            TF_DataType dtype)
{
    oribi_node *copy = oribi_graph_add_node(q->graph, node->op_name, node->name, inputs,
                                            node->n_inputs, node->n_outputs, q->status);
    if (copy == NULL) {
        return NULL;
    }
    copy->device = node->device;
    copy->origin = node->origin;
    for (int32_t i = 0; i < node->attrs.count; i++) {
        if (!oribi_pass_is_told_by_inputs(node->op, node->attrs.items[i].name) &&
            !oribi_attrs_set(&copy->attrs, &q->graph->arena, &node->attrs.items[i])) {
            oribi_fail_memory(q->status);
            return NULL;
        }
    }
    const bool is_right = oribi_graph_resolve(q->graph, copy, q->status) &&
                          q->graph->values[copy->outputs[0]]->dtype == dtype;
    copy->kernel = is_right ? oribi_pass_select(q->graph, copy, q->options, q->status) : NULL;
    if (copy->kernel == NULL) {
        TF_SetStatus(q->status, TF_OK, "");
        oribi_graph_remove_node(q->graph, copy);
        return NULL;
    }
    return copy;
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
static int64_t moved_axis(const oribi_qdq *q, const oribi_node *mover, const oribi_traits *t,
                          int64_t axis, int64_t count)
{
    const oribi_shape *from = &q->graph->values[mover->inputs[t->data]]->shape;
    const oribi_shape *to = &q->graph->values[mover->outputs[0]]->shape;
    oribi_dims perm;
    axis += axis < 0 ? from->rank : 0;
    if (from->rank < 1 || to->rank < 1 || axis < 0 || axis >= from->rank) {
        return -1;
    }
    if ((t->is & ORIBI_TRAIT_PERMUTES) != 0) {
        if (!oribi_graph_constant_ints(q->graph, mover->inputs[t->axes], &perm)) {
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
                           const oribi_node *mover, const oribi_traits *t)
{
    const oribi_shape *scales = &q->graph->values[dequantize->inputs[1]]->shape;
    if (!oribi_shape_is_full(scales) || scales->rank > 1) {
        return -1;
    }
    if (scales->rank == 0 || scales->dims[0] == 1) {
        return 0;
    }
    return (t->is & (ORIBI_TRAIT_PERMUTES | ORIBI_TRAIT_VIEW)) != 0
               ? moved_axis(q, mover, t, oribi_pass_traits(dequantize).axis, scales->dims[0])
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

static oribi_node *move_pad(oribi_qdq *q, const oribi_node *mover, const oribi_traits *t,
                            const oribi_node *dequantize)
{
    oribi_value_id zero = dequantize->inputs[2];
    const oribi_shape *shape = &q->graph->values[zero]->shape;
    if ((t->more >= 0 && !is_zero(q, mover->inputs[t->more])) ||
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
    const oribi_value_id inputs[3] = {dequantize->inputs[0], mover->inputs[t->axes], zero};
    return oribi_qdq_add(q, "PadV2", mover, inputs, 3, NULL, 0);
}

/* Elements of the data go where they went before; other inputs say where. */
static oribi_node *move_elements(oribi_qdq *q, const oribi_node *mover, const oribi_traits *t,
                                 oribi_value_id data)
{
    oribi_value_id *inputs =
        oribi_claim_array(&q->graph->arena, (size_t)mover->n_inputs, sizeof *inputs, q->status);
    if (inputs == NULL) {
        return NULL;
    }
    memcpy(inputs, mover->inputs, (size_t)mover->n_inputs * sizeof inputs[0]);
    inputs[t->data] = data;
    return oribi_qdq_clone(q, mover, inputs, q->graph->values[data]->dtype);
}

/* Parts of one quantisation are joined as they are. */
static bool push_through_join(oribi_qdq *q, oribi_node *mover, const oribi_traits *t)
{
    enum { MAX_INPUTS = 65 };
    oribi_value_id inputs[MAX_INPUTS];
    oribi_qdq_side first = {0}, part;
    if (mover->n_inputs > MAX_INPUTS) {
        return false;
    }
    memcpy(inputs, mover->inputs, (size_t)mover->n_inputs * sizeof inputs[0]);
    for (int32_t i = t->data; i < t->data + t->n_data; i++) {
        if (!oribi_qdq_side_of(q, mover->inputs[i], &part)) {
            return false;
        }
        first = i == t->data ? part : first;
        if (part.dtype != first.dtype || part.scale != first.scale || part.zero != first.zero) {
            return false;
        }
        inputs[i] = part.value;
    }
    const oribi_node *dequantize = oribi_graph_producer(q->graph, mover->inputs[t->data]);
    oribi_node *moved = oribi_qdq_clone(q, mover, inputs, first.dtype);
    return moved != NULL && dequantise_behind(q, dequantize, 0, mover, 0, moved->outputs[0]);
}

static oribi_node *move(oribi_qdq *q, const oribi_node *mover, const oribi_traits *t,
                        const oribi_node *dequantize)
{
    if ((t->is & ORIBI_TRAIT_MOVES) != 0) {
        return mover->n_outputs == 1 || (t->is & ORIBI_TRAIT_SPLITS) != 0
                   ? move_elements(q, mover, t, dequantize->inputs[0])
                   : NULL;
    }
    if ((t->is & ORIBI_TRAIT_PADS) != 0) {
        return move_pad(q, mover, t, dequantize);
    }
    return oribi_pass_is_max_pool(mover) ? oribi_qdq_max_pool(q, mover, dequantize->inputs[0])
                                         : NULL;
}

bool oribi_qdq_push_down(oribi_qdq *q, oribi_node *mover)
{
    oribi_traits t = oribi_pass_traits(mover);
    t.data = t.n_data > 0 ? t.data : 0;
    if (mover->n_inputs <= t.data || mover->n_outputs < 1 || mover->inputs[t.data] < 0 ||
        oribi_pass_is_preferred(mover)) {
        return false;
    }
    const oribi_node *dequantize = oribi_graph_producer(q->graph, mover->inputs[t.data]);
    if (!oribi_qdq_is_dequantize(dequantize)) {
        return false;
    }
    if (t.n_data > 1) {
        return (t.is & (ORIBI_TRAIT_JOINS | ORIBI_TRAIT_STACKS)) != 0 &&
               push_through_join(q, mover, &t);
    }
    const int64_t axis = axis_behind(q, dequantize, mover, &t);
    const oribi_node *moved = axis < 0 ? NULL : move(q, mover, &t, dequantize);
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
    int32_t data;                       /* input of the mover */
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
        if (oribi_pass_has(node, ORIBI_TRAIT_REARRANGES)) {
            out->mover = node;
            out->data = oribi_pass_traits(node).data;
            return node->n_outputs == 1 && node->n_inputs <= 4 &&
                   q->graph->values[node->inputs[out->data]]->dtype == TF_FLOAT;
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
    oribi_value_id value = r->mover->inputs[r->data];
    for (int32_t i = r->n_clips - 1; i >= 0 && value >= 0; i--) {
        oribi_value_id inputs[3] = {value, -1, -1};
        for (int32_t k = 1; k < r->clips[i]->n_inputs && k < 3; k++) {
            inputs[k] = r->clips[i]->inputs[k];
        }
        const oribi_node *clip = oribi_qdq_clone(q, r->clips[i], inputs, TF_FLOAT);
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
    inputs[r.data] = quantised_above(q, &r, quantize);
    const oribi_node *moved =
        inputs[r.data] < 0
            ? NULL
            : oribi_qdq_clone(q, r.mover, inputs, q->graph->values[inputs[r.data]]->dtype);
    if (moved == NULL) {
        return false; /* what was made is dead */
    }
    oribi_pass_take_over(q->graph, quantize->outputs[0], moved->outputs[0]);
    oribi_pass_drop(q->graph, quantize);
    q->n_moved++;
    return true;
}
