/* SPDX-License-Identifier: Apache-2.0 */
/* Convolutions and dense layers take the bias, the sum and the activation that follow along, as
 * TensorFlow's own fused ops; a batch normalization takes its activation. Only where one provider
 * has kernels for both: a vendor's Conv2D stays a Conv2D.
 */
#include "pass/pass_internal.h"

#include <string.h>

typedef struct fusion { /* what a layer takes along */
    oribi_node *layer;
    oribi_value_id bias, addend; /* -1: none */
    const char *activation;      /* fused_ops word, or NULL */
    bool plain;                  /* only activations without transcendental functions */
    float alpha;
    const char *vendor; /* who wrote kernels of what is taken along; NULL: only we */
    oribi_node *last;   /* node whose output the fused one makes */
    const char *origin;
} fusion;

typedef struct family {
    const char *op, *fused, *own; /* own: for what TensorFlow's cannot say, or NULL */
} family;
static const family families[] = {
    {"Conv2D", "_FusedConv2D", NULL},
    {"DepthwiseConv2dNative", "_FusedDepthwiseConv2dNative", "Oribi>FusedDepthwiseConv2d"},
    {"MatMul", "_FusedMatMul", NULL}};

static const family *family_of(const oribi_node *node)
{
    for (size_t i = 0; i < sizeof families / sizeof *families; i++) {
        if (oribi_pass_is(node, families[i].op)) {
            return &families[i];
        }
    }
    return NULL;
}

static int64_t last_dim(const oribi_graph *graph, oribi_value_id value)
{
    const oribi_shape *shape = &graph->values[value]->shape;
    return shape->rank >= 2 ? shape->dims[shape->rank - 1] : -1;
}

static bool same_full_shape(const oribi_graph *graph, oribi_value_id a, oribi_value_id b)
{
    const oribi_shape *x = &graph->values[a]->shape, *y = &graph->values[b]->shape;
    return oribi_shape_is_full(x) && oribi_shape_is_full(y) && x->rank == y->rank &&
           memcmp(x->dims, y->dims, (size_t)x->rank * sizeof x->dims[0]) == 0;
}

static const char *vendor_of(const oribi_node *node)
{
    return oribi_pass_is_foreign(node) ? node->kernel->provider : NULL;
}

static bool same_device(const oribi_node *a, const oribi_node *b)
{
    return (a->device == NULL || b->device == NULL) ? a->device == b->device
                                                    : strcmp(a->device, b->device) == 0;
}

/* One vendor at most: only its own fused op may stand for its kernels. And what was asked for one
 * device does not go to another. */
static bool may_follow(const fusion *f, const oribi_node *node)
{
    const char *vendor = vendor_of(node);
    return (vendor == NULL || f->vendor == NULL || strcmp(vendor, f->vendor) == 0) &&
           (node == NULL || same_device(f->layer, node));
}

static void follow(oribi_graph *graph, fusion *f, oribi_node *node)
{
    f->vendor = f->vendor != NULL ? f->vendor : vendor_of(node);
    f->origin = oribi_pass_join_origin(graph, f->last, node);
    f->last = node;
}

/* Constant [channels] or one value as a vector of that length; -1: it is neither. */
static oribi_value_id bias_vector(oribi_graph *graph, oribi_value_id value, int64_t channels,
                                  TF_Status *status)
{
    const oribi_constant_view *view = oribi_pass_constant(graph, value);
    int64_t stride = 0;
    oribi_dims strides;
    if (view == NULL || view->dtype != TF_FLOAT || !oribi_pass_view_strides(view, &strides)) {
        return -1;
    }
    int64_t count = oribi_pass_view_count(view);
    bool along_last = view->rank > 0 && view->dims[view->rank - 1] == count && count == channels;
    if (view->rank == 1 && along_last) {
        return value;
    }
    if (!along_last && count != 1) {
        return -1;
    }
    stride = along_last ? strides.at[view->rank - 1] : 0;
    return oribi_pass_add_view(graph, graph->values[value]->name, value, &channels, &stride, 1,
                               status);
}

static bool take_bias(oribi_graph *graph, fusion *f, TF_Status *status)
{
    int32_t data = 0;
    oribi_value_id value = f->last->outputs[0];
    oribi_node *node = oribi_pass_only_consumer(graph, value, &data);
    int64_t channels = last_dim(graph, value);
    bool is_bias = oribi_pass_is(node, "BiasAdd") && data == 0 &&
                   oribi_pass_attr_is(node, "data_format", "NHWC", "NHWC");
    bool is_sum = oribi_pass_is(node, "AddV2") || oribi_pass_is(node, "Add");
    if (channels <= 0 || !(is_bias || is_sum) || !may_follow(f, node) ||
        graph->values[node->outputs[0]]->shape.rank != graph->values[value]->shape.rank) {
        return true;
    }
    f->bias = bias_vector(graph, node->inputs[1 - data], channels, status);
    if (f->bias >= 0) {
        follow(graph, f, node);
    }
    return oribi_ok(status);
}

static void take_addend(oribi_graph *graph, fusion *f)
{
    int32_t data = 0;
    oribi_value_id value = f->last->outputs[0];
    oribi_node *node = oribi_pass_only_consumer(graph, value, &data);
    bool is_sum = oribi_pass_is(node, "AddV2") || oribi_pass_is(node, "Add") ||
                  (oribi_pass_is(node, "AddN") && node->n_inputs == 2);
    if (!is_sum || !may_follow(f, node)) {
        return;
    }
    oribi_value_id other = node->inputs[1 - data];
    if (other != value && graph->values[other]->constant == NULL &&
        same_full_shape(graph, value, other)) {
        f->addend = other;
        follow(graph, f, node);
    }
}

static void take_activation(oribi_graph *graph, fusion *f)
{
    static const char *const all[] = {"Relu", "Relu6", "Elu", "LeakyRelu", "Tanh", "Sigmoid", NULL};
    static const char *const plain[] = {"Relu", "Relu6", "LeakyRelu", NULL};
    const char *const *activations = f->plain ? plain : all;
    oribi_node *node = oribi_pass_only_consumer(graph, f->last->outputs[0], NULL);
    if (node == NULL || !oribi_pass_is_one_of(node, activations) || !may_follow(f, node)) {
        return;
    }
    f->activation = node->op_name;
    f->alpha = oribi_pass_attr_float(node, "alpha", 0.2F);
    follow(graph, f, node);
}

/* Attributes of the layer that the fused op has too; false when one that says something is lost. */
static bool copy_attrs(oribi_graph *graph, const oribi_node *layer, const oribi_op_def *fused,
                       oribi_node *node)
{
    for (int32_t i = 0; i < layer->attrs.count; i++) {
        const oribi_attr *attr = &layer->attrs.items[i];
        if (oribi_op_find_attr(fused, attr->name) != NULL) {
            if (!oribi_attrs_set(&node->attrs, &graph->arena, attr)) {
                return false;
            }
            continue;
        }
        const oribi_attr_def *def = oribi_op_find_attr(layer->op, attr->name);
        if (def == NULL || def->default_value == NULL ||
            !oribi_attr_equal(def->default_value, attr)) {
            return false;
        }
    }
    return true;
}

static bool set_fusion_attrs(oribi_graph *graph, const fusion *f, const oribi_op_def *fused,
                             oribi_node *node, int32_t n_args)
{
    const char *words[3];
    int n_words = 0;
    oribi_arena *arena = &graph->arena;
    words[n_words++] = "BiasAdd";
    if (f->addend >= 0) {
        words[n_words++] = "Add";
    }
    if (f->activation != NULL) {
        words[n_words++] = f->activation;
    }
    TF_DataType types[2] = {TF_FLOAT, TF_FLOAT};
    return oribi_attrs_set_strings(&node->attrs, arena, "fused_ops", words, n_words) &&
           oribi_attrs_set_int(&node->attrs, arena, "num_args", n_args) &&
           (oribi_op_find_attr(fused, "TArgs") == NULL ||
            oribi_attrs_set_types(&node->attrs, arena, "TArgs", types, n_args)) &&
           (oribi_op_find_attr(fused, "leakyrelu_alpha") == NULL ||
            oribi_attrs_set_float(&node->attrs, arena, "leakyrelu_alpha", f->alpha));
}

static void keep_constant(void *arg, int32_t input)
{
    (void)arg;
    (void)input;
}

/* A vendor's fused kernel may know fewer words than TensorFlow has: it is asked by making it once,
 * without giving any constant back. Ours know them all. */
static bool can_create(oribi_graph *graph, const oribi_node *node, TF_Status *status)
{
    oribi_node_view view;
    oribi_kernel kernel;
    if (!oribi_pass_is_foreign(node)) {
        return true;
    }
    ORIBI_TRY(oribi_graph_node_view(graph, node, &view, status));
    view.release_constant = keep_constant;
    ORIBI_TRY(oribi_kernel_create(node->kernel, &view, &kernel, status));
    oribi_kernel_destroy(&kernel);
    return true;
}

/* The fused node, or NULL when its op cannot say what the layer says, or nobody has a kernel. */
static oribi_node *make_as(oribi_graph *graph, const fusion *f, const char *op_name,
                           const oribi_pass_options *options, TF_Status *status)
{
    const oribi_op_def *fused = oribi_op_find(op_name);
    oribi_value_id inputs[4] = {f->layer->inputs[0], f->layer->inputs[1], f->bias, f->addend};
    int32_t n_args = f->addend >= 0 ? 2 : 1;
    if (fused == NULL) {
        return NULL;
    }
    oribi_node *node =
        oribi_graph_add_node(graph, fused->name, f->layer->name, inputs, 2 + n_args, 1, status);
    if (node == NULL) {
        return NULL;
    }
    node->device = f->layer->device;
    node->origin = f->origin;
    if (copy_attrs(graph, f->layer, fused, node) &&
        set_fusion_attrs(graph, f, fused, node, n_args) &&
        oribi_graph_resolve(graph, node, status)) {
        node->kernel = oribi_pass_select(graph, node, options, status);
        bool is_theirs = node->kernel != NULL &&
                         (f->vendor == NULL || strcmp(node->kernel->provider, f->vendor) == 0);
        if (is_theirs && can_create(graph, node, status)) {
            return node;
        }
    }
    oribi_graph_remove_node(graph, node);
    TF_SetStatus(status, TF_OK, "");
    return NULL;
}

static oribi_node *make_fused(oribi_graph *graph, const fusion *f,
                              const oribi_pass_options *options, TF_Status *status)
{
    const family *ops = family_of(f->layer);
    oribi_node *node = make_as(graph, f, ops->fused, options, status);
    if (node == NULL && ops->own != NULL && oribi_ok(status)) {
        node = make_as(graph, f, ops->own, options, status);
    }
    return node;
}

static bool fuse_layer(oribi_graph *graph, oribi_node *layer, const oribi_pass_options *options,
                       oribi_pass_report *report, TF_Status *status)
{
    fusion f = {.layer = layer,
                .bias = -1,
                .addend = -1,
                .alpha = 0.2F,
                .plain = options != NULL && options->plain_activations,
                .vendor = vendor_of(layer),
                .last = layer,
                .origin = layer->origin};
    int64_t channels = last_dim(graph, layer->outputs[0]);
    if (graph->values[layer->outputs[0]]->dtype != TF_FLOAT || channels <= 0 ||
        !oribi_pass_attr_is(layer, "data_format", "NHWC", "NHWC")) {
        return true;
    }
    ORIBI_TRY(take_bias(graph, &f, status));
    fusion without = f;
    take_addend(graph, &f);
    bool with_addend = f.addend >= 0;
    take_activation(graph, &f);
    if (f.last == layer) {
        return true;
    }
    if (f.bias < 0) { /* TensorFlow's fused ops begin with a bias */
        static const float zero = 0.0F;
        int64_t stride = 0;
        oribi_constant_view view = {
            .dtype = TF_FLOAT, .rank = 1, .dims = &channels, .strides = &stride, .data = &zero};
        f.bias = oribi_graph_add_constant(graph, "no_bias", &view, NULL, status);
        ORIBI_TRY(f.bias >= 0);
    }
    oribi_node *node = make_fused(graph, &f, options, status);
    if (node == NULL && with_addend) {
        without.bias = f.bias;
        f = without;
        take_activation(graph, &f);
        node = f.last != layer ? make_fused(graph, &f, options, status) : NULL;
    }
    ORIBI_TRY(oribi_ok(status));
    if (node != NULL) {
        oribi_pass_note(graph, report, "fuse", "%s '%s' takes along BiasAdd%s%s%s, up to '%s'",
                        layer->op_name, layer->name, f.addend >= 0 ? ", Add" : "",
                        f.activation != NULL ? ", " : "", f.activation != NULL ? f.activation : "",
                        f.last->name);
        oribi_pass_take_over(graph, f.last->outputs[0], node->outputs[0]);
        oribi_pass_drop(graph, f.last);
    }
    return true;
}

/* FusedBatchNormV3 -> Relu becomes _FusedBatchNormEx, TensorFlow's own. */
static bool fuse_norm(oribi_graph *graph, oribi_node *norm, const oribi_pass_options *options,
                      oribi_pass_report *report, TF_Status *status)
{
    const oribi_op_def *fused = oribi_op_find("_FusedBatchNormEx");
    oribi_node *relu = oribi_pass_only_consumer(graph, norm->outputs[0], NULL);
    if (fused == NULL || !oribi_pass_is(relu, "Relu") || oribi_pass_keeps_op(relu) ||
        oribi_pass_keeps_op(norm) || oribi_pass_attr_bool(norm, "is_training", true) ||
        norm->n_inputs != 5) {
        return true;
    }
    oribi_node *node = oribi_graph_add_node(graph, fused->name, norm->name, norm->inputs, 5,
                                            norm->n_outputs, status);
    ORIBI_TRY(node != NULL);
    node->device = norm->device;
    node->origin = oribi_pass_join_origin(graph, norm, relu);
    if (copy_attrs(graph, norm, fused, node) &&
        oribi_attrs_set_string(&node->attrs, &graph->arena, "activation_mode", "Relu") &&
        oribi_attrs_set_int(&node->attrs, &graph->arena, "num_side_inputs", 0) &&
        oribi_graph_resolve(graph, node, status)) {
        node->kernel = oribi_pass_select(graph, node, options, status);
    }
    TF_SetStatus(status, TF_OK, "");
    if (!oribi_pass_are_together(node, norm) || !oribi_pass_are_together(node, relu)) {
        oribi_graph_remove_node(graph, node);
        return true;
    }
    oribi_pass_note(graph, report, "fuse", "%s '%s' takes along Relu '%s'", norm->op_name,
                    norm->name, relu->name);
    oribi_pass_take_over(graph, relu->outputs[0], node->outputs[0]);
    oribi_pass_drop(graph, relu);
    return true;
}

bool oribi_pass_fuse(oribi_graph *graph, const oribi_pass_options *options,
                     oribi_pass_report *report, TF_Status *status)
{
    if (options != NULL && (options->disabled & ORIBI_PASS_FUSE) != 0) {
        return true;
    }
    ORIBI_TRY(oribi_graph_sort(graph, status));
    for (int32_t i = 0; i < graph->n_order; i++) {
        oribi_node *node = graph->nodes[graph->order[i]];
        bool is_used =
            !node->is_dead && node->n_outputs > 0 && graph->values[node->outputs[0]]->n_uses > 0;
        if (!is_used || node->op == NULL) {
            continue;
        }
        ORIBI_TRY(oribi_patience_left(status));
        if (family_of(node) != NULL) {
            ORIBI_TRY(fuse_layer(graph, node, options, report, status));
        } else if (oribi_pass_is(node, "FusedBatchNormV3")) {
            ORIBI_TRY(fuse_norm(graph, node, options, report, status));
        }
    }
    oribi_graph_remove_dead(graph);
    return oribi_graph_sort(graph, status);
}
