/* SPDX-License-Identifier: Apache-2.0 */
/* A convolution whose filter sees one channel is a depthwise layer, whatever a model calls it:
 * Keras writes those of ConvNeXt so. Its filter [rows, columns, 1, results] is [rows, columns,
 * channels, results of a channel] with the same bytes.
 */
#include "pass/pass_internal.h"

/* Is the convolution one of a depthwise layer? */
static bool is_depthwise(const oribi_graph *graph, const oribi_node *node, oribi_dims *out_filter)
{
    if (oribi_pass_layer(node) != ORIBI_LAYER_CONV || oribi_pass_keeps_op(node) ||
        !oribi_pass_attr_is(node, "data_format", "NHWC", "NHWC")) {
        return false;
    }
    const oribi_shape *x = &graph->values[node->inputs[0]]->shape;
    const oribi_value *filter = graph->values[node->inputs[1]];
    const int64_t *dims = filter->shape.dims;
    if (filter->constant == NULL || filter->dtype == TF_INT32 || filter->shape.rank != 4 ||
        x->rank != 4 || dims[2] != 1 || x->dims[3] < 2 || dims[3] % x->dims[3] != 0) {
        return false;
    }
    *out_filter = (oribi_dims){4, {dims[0], dims[1], x->dims[3], dims[3] / x->dims[3]}};
    return true;
}

/* Puts the depthwise layer in its place; false with OK status where nobody has a kernel for it. */
static bool replace(oribi_graph *graph, const oribi_pass_options *options, oribi_node *conv,
                    const oribi_dims *dims, TF_Status *status)
{
    enum { MOST_ATTRS = 16 };
    const char *name = oribi_pass_layer_op(ORIBI_LAYER_DEPTHWISE);
    const oribi_op_def *op = oribi_op_find(name);
    oribi_attr attrs[MOST_ATTRS]; /* those that it has too */
    int32_t n_attrs = 0;
    for (int32_t i = 0; op != NULL && i < conv->attrs.count && n_attrs < MOST_ATTRS; i++) {
        const oribi_attr *attr = &conv->attrs.items[i];
        attrs[n_attrs] = *attr;
        n_attrs += oribi_op_find_attr(op, attr->name) != NULL ? 1 : 0;
    }
    const oribi_value_id inputs[] = {
        conv->inputs[0],
        oribi_pass_add_reshaped(graph, conv->inputs[1], dims->at, dims->n, status)};
    oribi_node *node = op != NULL && inputs[1] >= 0 ? oribi_pass_add_node(graph, name, conv, inputs,
                                                                          2, attrs, n_attrs, status)
                                                    : NULL;
    if (node == NULL) {
        return false;
    }
    node->kernel = oribi_pass_select(graph, node, options, status);
    TF_SetStatus(status, TF_OK, "");
    if (node->kernel == NULL || (conv->kernel != NULL && !oribi_pass_are_together(node, conv))) {
        oribi_graph_remove_node(graph, node);
        return false;
    }
    oribi_pass_take_over(graph, conv->outputs[0], node->outputs[0]);
    oribi_pass_drop(graph, conv);
    return true;
}

bool oribi_pass_find_depthwise(oribi_graph *graph, const oribi_pass_options *options,
                               oribi_pass_report *report, TF_Status *status)
{
    const int32_t n = graph->n_nodes;
    bool has_changed = false;
    for (int32_t i = 0; i < n; i++) {
        oribi_node *node = graph->nodes[i];
        oribi_dims dims;
        if (!node->is_dead && is_depthwise(graph, node, &dims) &&
            replace(graph, options, node, &dims, status)) {
            has_changed = true;
            oribi_pass_note(graph, report, "layout", "%s '%s' is a depthwise layer", node->op_name,
                            node->name);
        }
        ORIBI_TRY(TF_GetCode(status) == TF_OK);
    }
    return !has_changed || oribi_graph_sort(graph, status);
}
