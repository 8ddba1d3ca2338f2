/* SPDX-License-Identifier: Apache-2.0 */
/* Chains of per-channel scales and offsets (batch normalization, Mul and Add of constant vectors)
 * become one: folded into the weights and bias of the convolution or dense layer before them, or,
 * standing alone, carried by one FusedBatchNormV3.
 */
#include "pass/pass_internal.h"

#include <math.h>
#include <string.h>

static const char *const norms[] = {"FusedBatchNorm", "FusedBatchNormV2", "FusedBatchNormV3", NULL};

typedef struct affine { /* y = x * scale + offset along the last axis */
    int64_t channels;
    double *scale, *offset, *operand; /* operand: room for one constant */
    bool has_scale;
    int32_t n_links;
    oribi_node *last; /* the chain's end, or NULL */
    const char *origin;
} affine;

static bool affine_create(affine *a, int64_t channels)
{
    double *block = oribi_alloc_zero((size_t)channels, 6 * sizeof *block);
    *a = (affine){.channels = channels, .scale = block};
    if (block == NULL) {
        return false;
    }
    a->offset = block + channels;
    a->operand = block + 2 * channels; /* four of them, for batch normalization */
    for (int64_t i = 0; i < channels; i++) {
        a->scale[i] = 1.0;
    }
    return true;
}

static bool add_norm(oribi_graph *graph, const oribi_node *node, affine *a)
{
    double *v[4];
    if (oribi_pass_attr_bool(node, "is_training", true) || node->n_inputs != 5 ||
        !oribi_pass_attr_is(node, "data_format", "NHWC", "NHWC")) {
        return false;
    }
    for (int32_t i = 0; i < 4; i++) {
        v[i] = a->operand + i * a->channels;
        if (!oribi_pass_channel_vector(graph, node->inputs[i + 1], a->channels, v[i])) {
            return false;
        }
    }
    for (int32_t i = 1; i < node->n_outputs; i++) {
        if (graph->values[node->outputs[i]]->n_uses > 0) {
            return false;
        }
    }
    double epsilon = (double)oribi_pass_attr_float(node, "epsilon", 1e-4F);
    for (int64_t c = 0; c < a->channels; c++) {
        double s = v[0][c] / sqrt(v[3][c] + epsilon);
        a->scale[c] *= s;
        a->offset[c] = a->offset[c] * s + v[1][c] - v[2][c] * s;
    }
    a->has_scale = true;
    return true;
}

static bool add_constant(oribi_graph *graph, const oribi_node *node, int32_t data, affine *a)
{
    const oribi_formula formula = oribi_pass_traits(node).formula;
    bool adds = formula == ORIBI_FORMULA_SUM, subtracts = formula == ORIBI_FORMULA_DIFFERENCE;
    bool multiplies = formula == ORIBI_FORMULA_PRODUCT, divides = formula == ORIBI_FORMULA_QUOTIENT;
    if (!(adds || subtracts || multiplies || divides) || node->n_inputs != 2 ||
        ((subtracts || divides) && data != 0) ||
        !oribi_pass_attr_is(node, "data_format", "NHWC", "NHWC") ||
        !oribi_pass_channel_vector(graph, node->inputs[1 - data], a->channels, a->operand)) {
        return false;
    }
    for (int64_t c = 0; c < a->channels; c++) {
        double v = a->operand[c];
        if (adds || subtracts) {
            a->offset[c] += adds ? v : -v;
        } else {
            v = divides ? 1.0 / v : v;
            a->scale[c] *= v;
            a->offset[c] *= v;
        }
    }
    a->has_scale = a->has_scale || multiplies || divides;
    return true;
}

/* The next link of the chain after `value`: data must keep its shape, and be read by it alone. */
static bool add_link(oribi_graph *graph, oribi_value_id value, affine *a)
{
    int32_t data = 0;
    oribi_node *node = oribi_pass_only_consumer(graph, value, &data);
    if (node == NULL || node->op == NULL || oribi_pass_keeps_op(node) ||
        oribi_pass_is_off(node, ORIBI_PASS_BATCH_NORM) || node->n_outputs < 1 ||
        graph->values[node->outputs[0]]->shape.rank != graph->values[value]->shape.rank) {
        return false;
    }
    if (oribi_pass_is_one_of(node, norms) ? data != 0 || !add_norm(graph, node, a)
                                          : !add_constant(graph, node, data, a)) {
        return false;
    }
    a->origin = a->last == NULL ? node->origin : oribi_pass_join_origin(graph, a->origin, node);
    a->last = node;
    a->n_links++;
    return true;
}

static bool is_finite(const affine *a)
{
    for (int64_t c = 0; c < a->channels; c++) {
        if (!isfinite((float)a->scale[c]) || !isfinite((float)a->offset[c])) {
            return false;
        }
    }
    return true;
}

/* --- Weights -------------------------------------------------------------------------------- */

/* Weights seen as dims and strides; which axes carry the output channel. */
typedef struct scaling {
    oribi_dims dims, from, to;
    oribi_dims channel; /* step of the channel index along each axis */
    oribi_perm order;   /* axes, outermost in memory first */
    size_t bytes;
} scaling;

/* The result lies in memory as the model's weights do (so both are walked in order); an axis that
 * repeats one element goes on repeating it unless its channels now differ. */
static bool plan_scaling(const oribi_node *layer, const oribi_constant_view *view, scaling *s)
{
    bool depthwise = oribi_pass_layer(layer) == ORIBI_LAYER_DEPTHWISE;
    bool is_dense = oribi_pass_layer(layer) == ORIBI_LAYER_DENSE;
    const int32_t rank = view->rank;
    if (rank != (is_dense ? 2 : 4) || view->dtype != TF_FLOAT ||
        !oribi_pass_view_strides(view, &s->from) || !oribi_dims_set(&s->dims, view->dims, rank) ||
        !oribi_dims_fill(&s->channel, rank, 0) || !oribi_dims_fill(&s->to, rank, 0)) {
        return false;
    }
    s->order.n = 0;
    for (int32_t i = 0; i < rank; i++) {
        int32_t k = s->order.n++;
        while (k > 0 && s->from.at[s->order.at[k - 1]] < s->from.at[i]) {
            s->order.at[k] = s->order.at[k - 1];
            k--;
        }
        s->order.at[k] = (int8_t)i;
    }
    int32_t last = rank - 1;
    if (is_dense && oribi_pass_attr_bool(layer, "transpose_b", false)) {
        last = 0;
    }
    s->channel.at[last] = 1;
    if (depthwise) {
        s->channel.at[2] = s->dims.at[3];
    }
    s->bytes = sizeof(float);
    for (int32_t k = rank - 1; k >= 0; k--) {
        int32_t axis = s->order.at[k];
        bool repeats = s->from.at[axis] == 0 && s->channel.at[axis] == 0;
        s->to.at[axis] = repeats ? 0 : (int64_t)s->bytes;
        if (!repeats && !oribi_size_mul(s->bytes, (size_t)s->dims.at[axis], &s->bytes)) {
            return false;
        }
    }
    return true;
}

static void scale_axis(const scaling *s, int32_t depth, const char *from, char *to, int64_t channel,
                       const double *scale)
{
    int32_t axis = s->order.at[depth];
    int64_t n = s->to.at[axis] == 0 && s->dims.at[axis] > 0 ? 1 : s->dims.at[axis];
    for (int64_t i = 0; i < n; i++) {
        const char *source = from + i * s->from.at[axis];
        char *target = to + i * s->to.at[axis];
        int64_t c = channel + i * s->channel.at[axis];
        if (depth + 1 < s->order.n) {
            scale_axis(s, depth + 1, source, target, c, scale);
        } else {
            float value;
            memcpy(&value, source, sizeof value);
            value = (float)((double)value * scale[c]);
            memcpy(target, &value, sizeof value);
        }
    }
}

/* New constant weights, or -1; with OK status when they would pass a limit. */
static oribi_value_id scale_weights(oribi_graph *graph, const oribi_node *layer, const affine *a,
                                    const oribi_pass_options *options, TF_Status *status)
{
    oribi_value_id weights = layer->inputs[1];
    const oribi_constant_view *view = oribi_pass_constant(graph, weights);
    size_t limit =
        options != NULL && options->fold_max_bytes > 0 ? options->fold_max_bytes : (size_t)64 << 20;
    scaling s;
    if (view == NULL || !plan_scaling(layer, view, &s) || s.bytes > limit ||
        (graph->max_bytes > 0 && graph->made_bytes + s.bytes > graph->max_bytes)) {
        return -1;
    }
    int64_t count = (int64_t)(s.bytes / sizeof(float));
    TF_Tensor *tensor = TF_AllocateTensor(TF_FLOAT, &count, 1, s.bytes);
    if (tensor == NULL) {
        oribi_fail_memory(status);
        return -1;
    }
    scale_axis(&s, 0, view->data, TF_TensorData(tensor), 0, a->scale);
    const oribi_constant *old = graph->values[weights]->constant;
    if (old->source != NULL && old->source->give_back != NULL) {
        old->source->give_back(old->source, view->data, oribi_pass_view_bytes(view));
    }
    const char *name = graph->values[weights]->name;
    oribi_value_id flat = oribi_graph_add_constant_tensor(graph, name, tensor, status);
    TF_DeleteTensor(tensor);
    return flat < 0 ? -1
                    : oribi_pass_add_view(graph, name, flat, s.dims.at, s.to.at, s.dims.n, status);
}

/* --- The pass ------------------------------------------------------------------------------- */

static int64_t channels_of(const oribi_graph *graph, oribi_value_id value)
{
    const oribi_shape *shape = &graph->values[value]->shape;
    return graph->values[value]->dtype == TF_FLOAT && shape->rank >= 2 &&
                   shape->dims[shape->rank - 1] > 0 && shape->dims[shape->rank - 1] < (1 << 24)
               ? shape->dims[shape->rank - 1]
               : 0;
}

/* layer -> BiasAdd, in the place of the whole chain. */
static bool rewrite_layer(oribi_graph *graph, oribi_node *layer, affine *a, oribi_value_id weights,
                          oribi_pass_report *report, TF_Status *status)
{
    oribi_value_id bias = oribi_pass_add_floats(graph, "bias", a->offset, a->channels, status);
    ORIBI_TRY(bias >= 0);
    if (weights != layer->inputs[1]) {
        oribi_graph_set_node_input(graph, layer, 1, weights);
    }
    oribi_value_id inputs[2] = {layer->outputs[0], bias};
    oribi_node *add = oribi_pass_add_node(graph, "BiasAdd", a->last, inputs, 2, NULL, 0, status);
    ORIBI_TRY(add != NULL);
    add->origin = a->origin;
    oribi_pass_note(graph, report, "batch_norm", "%d nodes up to '%s' folded into %s '%s'",
                    (int)a->n_links, a->last->name, layer->op_name, layer->name);
    oribi_pass_take_over(graph, a->last->outputs[0], add->outputs[0]);
    oribi_pass_drop(graph, a->last);
    return true;
}

static bool fold_into_layer(oribi_graph *graph, oribi_node *layer,
                            const oribi_pass_options *options, oribi_pass_report *report,
                            TF_Status *status)
{
    affine a;
    bool ok = false;
    int64_t channels = channels_of(graph, layer->outputs[0]);
    if (channels == 0 || oribi_pass_constant(graph, layer->inputs[1]) == NULL ||
        !oribi_pass_attr_is(layer, "data_format", "NHWC", "NHWC")) {
        return true;
    }
    if (!affine_create(&a, channels)) {
        return oribi_fail_memory(status);
    }
    oribi_value_id value = layer->outputs[0];
    while (add_link(graph, value, &a)) {
        value = a.last->outputs[0];
    }
    bool worth = a.n_links > 1 || a.has_scale || (a.n_links == 1 && !oribi_pass_adds_bias(a.last));
    oribi_value_id weights = layer->inputs[1];
    const bool has_bias_there = a.last == NULL || !oribi_pass_is_foreign(a.last) ||
                                oribi_kernel_exists("BiasAdd", a.last->kernel->device_type);
    if (!worth || !is_finite(&a) || !has_bias_there) {
        ok = true;
        goto done;
    }
    if (a.has_scale) {
        weights = scale_weights(graph, layer, &a, options, status);
        if (weights < 0) {
            ok = oribi_ok(status);
            goto done;
        }
    }
    ok = rewrite_layer(graph, layer, &a, weights, report, status);
done:
    oribi_free(a.scale);
    return ok;
}

/* What remains of a chain of two or more links becomes one FusedBatchNormV3 with mean 0 and
 * variance 1. */
static bool carry(oribi_graph *graph, oribi_value_id value, affine *a,
                  const oribi_pass_options *options, oribi_pass_report *report, TF_Status *status)
{
    static const float zero = 0.0F, one = 1.0F;
    int64_t stride = 0;
    oribi_constant_view view = {
        .dtype = TF_FLOAT, .rank = 1, .dims = &a->channels, .strides = &stride};
    view.data = &zero;
    oribi_value_id mean = oribi_graph_add_constant(graph, "mean", &view, NULL, status);
    ORIBI_TRY(mean >= 0);
    view.data = &one;
    oribi_value_id variance = oribi_graph_add_constant(graph, "variance", &view, NULL, status);
    oribi_value_id scale = oribi_pass_add_floats(graph, "scale", a->scale, a->channels, status);
    oribi_value_id offset = oribi_pass_add_floats(graph, "offset", a->offset, a->channels, status);
    ORIBI_TRY(variance >= 0 && scale >= 0 && offset >= 0);
    float epsilon = 0.0F;
    uint8_t training = 0;
    oribi_attr attrs[2] = {
        {.name = "epsilon", .kind = TF_ATTR_FLOAT, .count = 1, .u.f = &epsilon},
        {.name = "is_training", .kind = TF_ATTR_BOOL, .count = 1, .u.b = &training}};
    oribi_value_id inputs[5] = {value, scale, offset, mean, variance};
    oribi_node *node =
        oribi_pass_add_node(graph, "FusedBatchNormV3", a->last, inputs, 5, attrs, 2, status);
    ORIBI_TRY(node != NULL);
    if (a->last->kernel != NULL) {
        node->kernel = oribi_pass_select(graph, node, options, status);
        TF_SetStatus(status, TF_OK, "");
        if (!oribi_pass_are_together(node, a->last)) { /* a device without a kernel for it */
            oribi_graph_remove_node(graph, node);
            return true;
        }
    }
    node->origin = a->origin;
    oribi_pass_note(graph, report, "batch_norm", "%d nodes up to '%s' became one scale and offset",
                    (int)a->n_links, a->last->name);
    oribi_pass_take_over(graph, a->last->outputs[0], node->outputs[0]);
    oribi_pass_drop(graph, a->last);
    return true;
}

/* x - zero of a quantised tensor is exact; scale and offset in one would round another way. */
static bool is_dequantisation(const oribi_graph *graph, const oribi_node *first,
                              oribi_value_id value)
{
    const oribi_node *cast = oribi_graph_producer(graph, value);
    if (!oribi_pass_computes(first, ORIBI_FORMULA_DIFFERENCE) || cast == NULL ||
        !oribi_pass_is_cast(cast)) {
        return false;
    }
    const TF_DataType dtype = graph->values[cast->inputs[0]]->dtype;
    return dtype == TF_INT8 || dtype == TF_UINT8 || dtype == TF_INT16 || dtype == TF_UINT16;
}

/* One number times x and one added, then bounds: a hard gate, which an activation is that the fuse
 * pass knows as a whole. */
static bool is_gate(const oribi_graph *graph, const affine *a)
{
    int32_t data = 0;
    const oribi_node *next = oribi_pass_only_consumer(graph, a->last->outputs[0], &data);
    bool is_even = next != NULL && data == 0 && oribi_pass_computes(next, ORIBI_FORMULA_CLIP);
    for (int64_t c = 1; is_even && c < a->channels; c++) {
        is_even = a->scale[c] == a->scale[0] && a->offset[c] == a->offset[0];
    }
    return is_even;
}

static bool join_chain(oribi_graph *graph, oribi_node *first, const oribi_pass_options *options,
                       oribi_pass_report *report, TF_Status *status)
{
    int32_t data = first->inputs[0] >= 0 && oribi_pass_constant(graph, first->inputs[0]) ? 1 : 0;
    oribi_value_id value = first->inputs[data];
    int64_t channels = value >= 0 ? channels_of(graph, value) : 0;
    affine a;
    if (channels == 0 || graph->values[value]->shape.rank != 4 ||
        oribi_op_find("FusedBatchNormV3") == NULL || is_dequantisation(graph, first, value)) {
        return true;
    }
    if (!affine_create(&a, channels)) {
        return oribi_fail_memory(status);
    }
    bool is_norm = oribi_pass_is_one_of(first, norms);
    bool ok = true;
    if (is_norm ? add_norm(graph, first, &a) : add_constant(graph, first, data, &a)) {
        a.last = first;
        a.origin = first->origin;
        a.n_links = 1;
        while (add_link(graph, a.last->outputs[0], &a)) {
        }
        if (a.n_links > 1 && a.has_scale && is_finite(&a) && !is_gate(graph, &a)) {
            ok = carry(graph, value, &a, options, report, status);
        }
    }
    oribi_free(a.scale);
    return ok;
}

/* A link of a chain: a norm, or arithmetic of two sides. */
static bool may_start(const oribi_node *node)
{
    const oribi_formula formula = oribi_pass_traits(node).formula;
    return oribi_pass_is_one_of(node, norms) ||
           (node->n_inputs == 2 && formula >= ORIBI_FORMULA_SUM &&
            formula <= ORIBI_FORMULA_QUOTIENT);
}

bool oribi_pass_batch_norm(oribi_graph *graph, const oribi_pass_options *options,
                           oribi_pass_report *report, TF_Status *status)
{
    if (options != NULL && (options->disabled & ORIBI_PASS_BATCH_NORM) != 0) {
        return true;
    }
    ORIBI_TRY(oribi_graph_sort(graph, status));
    for (int32_t i = 0; i < graph->n_order; i++) {
        oribi_node *node = graph->nodes[graph->order[i]];
        const oribi_layer kind = node->is_dead ? ORIBI_LAYER_NONE : oribi_pass_layer(node);
        if (kind != ORIBI_LAYER_NONE && kind != ORIBI_LAYER_PRODUCTS &&
            !oribi_pass_is_off(node, ORIBI_PASS_BATCH_NORM)) {
            ORIBI_TRY(oribi_patience_left(status));
            ORIBI_TRY(fold_into_layer(graph, node, options, report, status));
        }
    }
    oribi_graph_remove_dead(graph);
    for (int32_t i = 0; i < graph->n_order; i++) {
        oribi_node *node = graph->nodes[graph->order[i]];
        bool is_used =
            !node->is_dead && node->n_outputs > 0 && graph->values[node->outputs[0]]->n_uses > 0;
        if (is_used && may_start(node) && !oribi_pass_keeps_op(node) &&
            !oribi_pass_is_off(node, ORIBI_PASS_BATCH_NORM)) {
            ORIBI_TRY(oribi_patience_left(status));
            ORIBI_TRY(join_chain(graph, node, options, report, status));
        }
    }
    oribi_graph_remove_dead(graph);
    return oribi_graph_sort(graph, status);
}
