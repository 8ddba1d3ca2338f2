/* SPDX-License-Identifier: Apache-2.0 */
/* Parameters of quantisation, and small edits: see qdq_internal.h. */
#include "pass/qdq_internal.h"

#include <math.h>
#include <string.h>

bool oribi_qdq_is_dequantize(const oribi_node *node)
{
    return oribi_pass_is(node, "ONNX>DequantizeLinear") && !oribi_pass_is_foreign(node);
}

bool oribi_qdq_is_quantize(const oribi_node *node)
{
    return oribi_pass_is(node, "ONNX>QuantizeLinear") && !oribi_pass_is_foreign(node);
}

static double number_at(TF_DataType dtype, const char *at)
{
    float real;
    int32_t whole;
    switch ((int)dtype) {
    case TF_FLOAT:
        memcpy(&real, at, sizeof real);
        return (double)real;
    case TF_INT32:
        memcpy(&whole, at, sizeof whole);
        return whole;
    case TF_INT8:
        return *(const int8_t *)at;
    default:
        return *(const uint8_t *)at;
    }
}

bool oribi_qdq_numbers(const oribi_graph *graph, oribi_value_id value, int64_t count, double *out)
{
    const oribi_constant_view *view = oribi_pass_constant(graph, value);
    oribi_dims strides;
    if (view == NULL || view->rank > 1 ||
        (view->dtype != TF_FLOAT && view->dtype != TF_INT32 && view->dtype != TF_INT8 &&
         view->dtype != TF_UINT8)) {
        return false;
    }
    const int64_t there = oribi_pass_view_count(view);
    if (there < 1 || (there != 1 && there != count) || !oribi_pass_view_strides(view, &strides)) {
        return false;
    }
    const int64_t stride = there == 1 ? 0 : strides.at[0];
    for (int64_t i = 0; i < count; i++) {
        out[i] = number_at(view->dtype, (const char *)view->data + i * stride);
    }
    return true;
}

/* One scale above 0 and one zero point of these values. */
static bool read_parameters(const oribi_graph *graph, oribi_value_id scale, oribi_value_id zero,
                            oribi_qdq_side *out)
{
    double number[2];
    const oribi_constant_view *scales = oribi_pass_constant(graph, scale);
    const oribi_constant_view *zeros = oribi_pass_constant(graph, zero);
    if (scales == NULL || zeros == NULL || oribi_pass_view_count(scales) != 1 ||
        oribi_pass_view_count(zeros) != 1 || !oribi_qdq_numbers(graph, scale, 1, &number[0]) ||
        !oribi_qdq_numbers(graph, zero, 1, &number[1])) {
        return false;
    }
    out->scale = (float)number[0];
    out->zero = (int32_t)number[1];
    return isfinite(out->scale) && out->scale > 0.0F;
}

bool oribi_qdq_side_of(const oribi_qdq *q, oribi_value_id real, oribi_qdq_side *out)
{
    const oribi_node *node = real < 0 ? NULL : oribi_graph_producer(q->graph, real);
    if (!oribi_qdq_is_dequantize(node)) {
        return false;
    }
    out->value = node->inputs[0];
    out->dtype = q->graph->values[out->value]->dtype;
    return (out->dtype == TF_INT8 || out->dtype == TF_UINT8) &&
           read_parameters(q->graph, node->inputs[1], node->inputs[2], out);
}

oribi_node *oribi_qdq_sole_producer(const oribi_qdq *q, oribi_value_id value)
{
    const oribi_value *v = q->graph->values[value];
    oribi_node *node = oribi_graph_producer(q->graph, value);
    return node == NULL || v->n_uses != 1 || v->is_output || oribi_pass_is_preferred(node) ? NULL
                                                                                           : node;
}

int32_t oribi_qdq_round(float real, const oribi_qdq_side *to, int32_t low, int32_t high)
{
    const float steps = real / to->scale;
    const float least = (float)(low - to->zero), most = (float)(high - to->zero);
    float bounded = steps > least ? steps : least; /* a NaN, too */
    bounded = bounded < most ? bounded : most;
    return (int32_t)rintf(bounded) + to->zero;
}

bool oribi_qdq_read_clip(const oribi_qdq *q, const oribi_node *node, float *low, float *high)
{
    double bound[2];
    *low = 0.0F;
    *high = INFINITY;
    const oribi_formula formula = oribi_pass_traits(node).formula;
    if (formula == ORIBI_FORMULA_RELU) {
        return true;
    }
    if (formula == ORIBI_FORMULA_RELU6) {
        *high = 6.0F;
        return true;
    }
    if (formula != ORIBI_FORMULA_CLIP ||
        !oribi_qdq_numbers(q->graph, node->inputs[1], 1, &bound[0]) ||
        !oribi_qdq_numbers(q->graph, node->inputs[2], 1, &bound[1]) || isnan(bound[0]) ||
        isnan(bound[1])) {
        return false;
    }
    *low = (float)bound[0];
    *high = (float)bound[1];
    return *low <= *high;
}

/* Quantising keeps the order of numbers, so that a clip before it is one of its result. */
bool oribi_qdq_read_end(const oribi_qdq *q, oribi_node *quantize, oribi_qdq_end *out)
{
    const oribi_value_id y = quantize->outputs[0];
    out->quantize = quantize;
    out->to.value = y;
    out->to.dtype = q->graph->values[y]->dtype;
    out->real = quantize->inputs[0];
    out->low = out->to.dtype == TF_INT8 ? INT8_MIN : 0;
    out->high = out->low + 255;
    if (!read_parameters(q->graph, quantize->inputs[1], quantize->inputs[2], &out->to)) {
        return false;
    }
    for (;;) {
        float low, high;
        const oribi_node *node = oribi_qdq_sole_producer(q, out->real);
        if (node == NULL || !oribi_qdq_read_clip(q, node, &low, &high)) {
            return true;
        }
        const int32_t floor = oribi_qdq_round(low, &out->to, out->low, out->high);
        const int32_t ceiling = oribi_qdq_round(high, &out->to, out->low, out->high);
        out->low = floor;
        out->high = ceiling;
        out->real = node->inputs[0];
    }
}

oribi_node *oribi_qdq_choose(oribi_qdq *q, oribi_node *node)
{
    if (node == NULL) {
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

oribi_node *oribi_qdq_add(oribi_qdq *q, const char *op, const oribi_node *like,
                          const oribi_value_id *inputs, int32_t n_inputs, const oribi_attr *attrs,
                          int32_t n_attrs)
{
    return oribi_qdq_choose(
        q, oribi_pass_add_node(q->graph, op, like, inputs, n_inputs, attrs, n_attrs, q->status));
}

oribi_value_id oribi_qdq_reshape(oribi_qdq *q, oribi_value_id value, const int64_t *dims,
                                 int32_t rank, const oribi_node *like)
{
    oribi_dims to;
    const oribi_node *node =
        !oribi_dims_set(&to, dims, rank)
            ? NULL
            : oribi_qdq_choose(q, oribi_pass_add_reshape(q->graph, like, value, &to, q->status));
    return node != NULL ? node->outputs[0] : -1;
}

bool oribi_qdq_finish(oribi_qdq *q, const oribi_qdq_end *end, const oribi_node *layer,
                      oribi_value_id result)
{
    oribi_node *made = oribi_graph_producer(q->graph, result);
    if (made != NULL) {
        made->origin = oribi_pass_join_origin(q->graph, layer->origin, end->quantize);
    }
    oribi_pass_take_over(q->graph, end->to.value, result);
    oribi_pass_drop(q->graph, end->quantize);
    if (oribi_pass_has(made, ORIBI_TRAIT_VIEW)) {
        made = oribi_graph_producer(q->graph, made->inputs[0]);
    }
    oribi_pass_note(q->graph, q->report, "qdq", "%s '%s' is %s", layer->op_name, layer->name,
                    made != NULL ? made->op_name : "quantised already");
    q->n_made++;
    return true;
}
