/* SPDX-License-Identifier: Apache-2.0 */
/* A pad in front of a convolution or a pool of largest values that pads nothing becomes its
 * padding, as Keras writes both for layers of stride 2: SAME where that is the same, else explicit
 * where the op knows it. Part of fusing.
 */
#include "pass/fuse_internal.h"

#include "micro/geometry/geometry_window.h"

#include <string.h>

enum { PADS = 8 };

/* Is it a convolution of ours that reads input 0 by windows of input 1, or a pool, and pads
 * nothing? Only data_format says which dimensions the windows slide over. */
static bool is_layer(const oribi_node *node)
{
    return node->op->is_built_in && oribi_pass_attr_is(node, "padding", "VALID", "") &&
           oribi_attrs_find(&node->attrs, "strides") != NULL &&
           oribi_pass_attr_is(node, "input_format", "NHWC", "NHWC") &&
           oribi_pass_attr_is(node, "filter_format", "HWIO", "HWIO") &&
           (oribi_pass_is_max_pool(node) || (oribi_pass_has(node, ORIBI_TRAIT_COST) &&
                                             !oribi_pass_has(node, ORIBI_TRAIT_PARAMETERS)));
}

static bool is_quantised(const oribi_node *node)
{
    return oribi_attrs_find(&node->attrs, "input_zero") != NULL;
}

static bool is_number(const oribi_constant_view *view, int64_t wanted)
{
    float number = 0;
    int16_t wide = 0;
    switch (view->dtype) {
    case TF_FLOAT:
        memcpy(&number, view->data, sizeof number);
        return number == (float)wanted;
    case TF_INT8:
        return *(const int8_t *)view->data == wanted;
    case TF_UINT8:
        return *(const uint8_t *)view->data == wanted;
    case TF_INT16:
        memcpy(&wide, view->data, sizeof wide);
        return wide == wanted;
    default:
        return false;
    }
}

/* The number that a layer takes for what lies outside. Of a pool it is not above any input: the
 * least of integers, 0 behind Relu; false: there is none such. */
static bool find_outside(const oribi_graph *graph, const oribi_node *pad, const oribi_node *node,
                         int64_t *out)
{
    const oribi_value_id data = pad->inputs[oribi_pass_traits(pad).data];
    const oribi_node *source = oribi_graph_producer(graph, data);
    const TF_DataType dtype = graph->values[data]->dtype;
    if (!oribi_pass_is_max_pool(node)) {
        *out = is_quantised(node) ? oribi_pass_attr_int(node, "input_zero", 0) : 0;
        return true;
    }
    *out = dtype == TF_INT8 ? INT8_MIN : dtype == TF_INT16 ? INT16_MIN : 0;
    if (dtype == TF_INT8 || dtype == TF_INT16 || dtype == TF_UINT8) {
        return true;
    }
    return oribi_pass_computes(source, ORIBI_FORMULA_RELU) ||
           oribi_pass_computes(source, ORIBI_FORMULA_RELU6);
}

/* Is the pad's value that number? */
static bool is_outside(const oribi_graph *graph, const oribi_node *pad, const oribi_node *node)
{
    int64_t outside = 0;
    if (!find_outside(graph, pad, node, &outside)) {
        return false;
    }
    if (oribi_attrs_find(&pad->attrs, "mode") != NULL) { /* mirrored */
        return false;
    }
    if (pad->n_inputs < 3) {
        return outside == 0;
    }
    const oribi_constant_view *value = oribi_pass_constant(graph, pad->inputs[2]);
    return value != NULL && oribi_pass_view_count(value) == 1 && is_number(value, outside);
}

/* What a pad and a convolution are together. */
typedef struct padded {
    int64_t in[PADS / 2], pads[PADS]; /* dims before the pad; of each, before and behind */
    int32_t space;                    /* the first of two dims */
    int64_t taps[2], strides[2], dilations[2];
} padded;

static bool read_pair(const oribi_node *node, const char *name, int32_t space, int64_t out[2])
{
    const oribi_attr *attr = oribi_attrs_find(&node->attrs, name);
    out[0] = out[1] = 1;
    if (attr == NULL || (attr->is_list && attr->count == 0)) {
        return strcmp(name, "strides") != 0;
    }
    if (!attr->is_list || attr->kind != TF_ATTR_INT || (attr->count != 4 && attr->count != 2)) {
        return false;
    }
    const int32_t first = attr->count == 4 ? space : 0;
    out[0] = attr->u.i[first];
    out[1] = attr->u.i[first + 1];
    return out[0] > 0 && out[1] > 0;
}

/* Reads what is padded, in the order of dims that a transpose makes, if there is one. */
static bool read_pads(const oribi_graph *graph, const oribi_node *pad, const oribi_node *turn,
                      padded *out)
{
    const oribi_traits t = oribi_pass_traits(pad);
    const oribi_shape *in = &graph->values[pad->inputs[t.data]]->shape;
    int64_t order[PADS / 2] = {0, 1, 2, 3}, pads[PADS];
    if (in->rank != PADS / 2 ||
        !oribi_pass_constant_rows(graph, pad->inputs[t.axes], PADS / 2, 2, pads) ||
        (turn != NULL &&
         !oribi_pass_constant_rows(graph, turn->inputs[oribi_pass_traits(turn).axes], PADS / 2, 1,
                                   order))) {
        return false;
    }
    for (int32_t i = 0; i < PADS / 2; i++) {
        const int64_t from = order[i] < 0 ? order[i] + PADS / 2 : order[i];
        out->in[i] = in->dims[from];
        out->pads[2 * i] = pads[2 * from];
        out->pads[2 * i + 1] = pads[2 * from + 1];
    }
    return true;
}

static bool read(const oribi_graph *graph, const oribi_node *pad, const oribi_node *turn,
                 const oribi_node *node, padded *out)
{
    out->space = oribi_pass_attr_is(node, "data_format", "NCHW", "NHWC") ? 2 : 1;
    if (!read_pads(graph, pad, turn, out) ||
        !read_pair(node, "strides", out->space, out->strides) ||
        !read_pair(node, "dilations", out->space, out->dilations)) {
        return false;
    }
    for (int32_t i = 0; i < PADS; i++) {
        const bool is_space = i / 2 == out->space || i / 2 == out->space + 1;
        if (out->pads[i] < 0 || (!is_space && out->pads[i] != 0)) {
            return false;
        }
    }
    if (oribi_pass_is_max_pool(node)) {
        return read_pair(node, "ksize", out->space, out->taps);
    }
    const oribi_shape *filter = &graph->values[node->inputs[1]]->shape;
    const int32_t window =
        is_quantised(node) ? 1 : 0; /* [outputs, rows, columns, inputs], or rows first */
    out->taps[0] = filter->dims[window];
    out->taps[1] = filter->dims[window + 1];
    return filter->rank == 4;
}

/* Would SAME give as many windows that begin at the same places? */
static bool is_same(const padded *p)
{
    for (int32_t i = 0; i < 2; i++) {
        oribi_geometry_window same = {.in = p->in[p->space + i],
                                      .taps = p->taps[i],
                                      .stride = p->strides[i],
                                      .dilation = p->dilations[i],
                                      .padding = ORIBI_GEOMETRY_SAME};
        oribi_geometry_window told = same;
        told.padding = ORIBI_GEOMETRY_EXPLICIT;
        told.before = p->pads[2 * (p->space + i)];
        told.after = p->pads[2 * (p->space + i) + 1];
        if (same.in < 1 || same.taps < 1 || oribi_geometry_slide(&same) != ORIBI_GEOMETRY_FITS ||
            oribi_geometry_slide(&told) != ORIBI_GEOMETRY_FITS || same.before != told.before ||
            same.out != told.out) {
            return false;
        }
    }
    return true;
}

/* May a layer say its padding in numbers? A pool, and one of int8, only where each window meets the
 * input. */
static bool can_say(const oribi_node *node, const padded *p)
{
    bool can =
        !oribi_pass_is_foreign(node) && oribi_op_find_attr(node->op, "explicit_paddings") != NULL;
    for (int32_t i = 0; i < 4 && (is_quantised(node) || oribi_pass_is_max_pool(node)); i++) {
        const int64_t reach = (p->taps[i / 2] - 1) * p->dilations[i / 2];
        can = can && p->pads[2 * p->space + i] <= reach;
    }
    return can;
}

/* `turn`: a transpose between the two, or NULL. */
static bool join(oribi_graph *graph, oribi_node *pad, oribi_node *turn, oribi_node *node,
                 oribi_pass_report *report, TF_Status *status)
{
    padded p;
    if (!read(graph, pad, turn, node, &p) || !is_outside(graph, pad, node)) {
        return true;
    }
    const bool becomes_same = is_same(&p);
    if (!becomes_same && !can_say(node, &p)) {
        return true;
    }
    if (!oribi_attrs_set_string(&node->attrs, &graph->arena, "padding",
                                becomes_same ? "SAME" : "EXPLICIT") ||
        (!becomes_same &&
         !oribi_attrs_set_ints(&node->attrs, &graph->arena, "explicit_paddings", p.pads, PADS))) {
        TF_SetStatus(status, TF_RESOURCE_EXHAUSTED, "no memory for a convolution's padding");
        return false;
    }
    oribi_pass_note(graph, report, "fuse", "%s '%s' pads itself what %s '%s' padded", node->op_name,
                    node->name, pad->op_name, pad->name);
    node->origin = oribi_pass_join_origin(graph, pad->origin, node);
    oribi_graph_set_node_input(graph, turn != NULL ? turn : node,
                               turn != NULL ? oribi_pass_traits(turn).data : 0,
                               pad->inputs[oribi_pass_traits(pad).data]);
    return (turn == NULL || oribi_pass_infer_node(graph, turn, status)) &&
           oribi_pass_infer_node(graph, node, status);
}

static bool may_join(const oribi_node *node, const oribi_node *layer)
{
    return !oribi_pass_keeps_op(node) && !oribi_pass_is_off(node, ORIBI_PASS_FUSE) &&
           oribi_fusion_same_device(node, layer);
}

bool oribi_pass_fuse_pads(oribi_graph *graph, oribi_pass_report *report, TF_Status *status)
{
    for (int32_t i = 0; i < graph->n_nodes; i++) {
        oribi_node *node = graph->nodes[i], *turn = NULL;
        oribi_node *pad = !node->is_dead && node->op != NULL && is_layer(node)
                              ? oribi_graph_producer(graph, node->inputs[0])
                              : NULL;
        if (oribi_pass_has(pad, ORIBI_TRAIT_PERMUTES) && may_join(pad, node) &&
            oribi_pass_only_consumer(graph, node->inputs[0], NULL) == node) {
            turn = pad;
            pad = oribi_graph_producer(graph, turn->inputs[oribi_pass_traits(turn).data]);
        }
        if (oribi_pass_has(pad, ORIBI_TRAIT_PADS) && may_join(pad, node) && may_join(node, node)) {
            ORIBI_TRY(join(graph, pad, turn, node, report, status));
        }
    }
    return true;
}
