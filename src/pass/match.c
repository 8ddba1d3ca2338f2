/* SPDX-License-Identifier: Apache-2.0 */
/* Questions that passes ask about nodes. Read next: pass_constant.c for constants, pass_edit.c for
 * changes.
 */
#include "pass/pass_internal.h"

#include <string.h>

bool oribi_pass_is(const oribi_node *node, const char *op_name)
{
    return node != NULL && strcmp(node->op_name, op_name) == 0;
}

bool oribi_pass_is_cast(const oribi_node *node)
{
    return oribi_pass_is(node, ORIBI_PASS_CAST);
}

bool oribi_pass_is_one_of(const oribi_node *node, const char *const *names)
{
    for (; *names != NULL; names++) {
        if (oribi_pass_is(node, *names)) {
            return true;
        }
    }
    return false;
}

oribi_traits oribi_pass_traits(const oribi_node *node)
{
    oribi_traits traits;
    oribi_op_traits(node != NULL ? node->op : NULL, node != NULL ? &node->attrs : NULL,
                    node != NULL ? &node->signature : NULL, &traits);
    return traits;
}

bool oribi_pass_has(const oribi_node *node, uint32_t traits)
{
    return node != NULL && oribi_op_is(node->op, &node->attrs, traits);
}

bool oribi_pass_computes(const oribi_node *node, oribi_formula formula)
{
    return oribi_pass_has(node, ORIBI_TRAIT_COMPUTES) && oribi_pass_traits(node).formula == formula;
}

static const char *const layer_ops[] = {[ORIBI_LAYER_CONV] = "Conv2D",
                                        [ORIBI_LAYER_DEPTHWISE] = "DepthwiseConv2dNative",
                                        [ORIBI_LAYER_DENSE] = "MatMul",
                                        [ORIBI_LAYER_PRODUCTS] = "BatchMatMulV2"};

oribi_layer oribi_pass_layer(const oribi_node *node)
{
    int32_t layer = ORIBI_LAYER_PRODUCTS;
    while (layer != ORIBI_LAYER_NONE && !oribi_pass_is(node, layer_ops[layer])) {
        layer--;
    }
    return (oribi_layer)layer;
}

const char *oribi_pass_layer_op(oribi_layer layer)
{
    return layer_ops[layer];
}

bool oribi_pass_adds_bias(const oribi_node *node)
{
    const oribi_traits t = oribi_pass_traits(node);
    return t.formula == ORIBI_FORMULA_SUM && t.vectors == 2 && t.data == 0 &&
           t.format_attr != NULL && oribi_pass_attr_is(node, t.format_attr, "NHWC", "NHWC");
}

bool oribi_pass_has_one_result(const oribi_graph *graph, const oribi_node *node)
{
    for (int32_t i = 1; i < node->n_outputs; i++) {
        if (graph->values[node->outputs[i]]->n_uses > 0) {
            return false;
        }
    }
    return node->n_outputs > 0;
}

static const oribi_attr *find(const oribi_node *node, const char *name, uint8_t kind)
{
    const oribi_attr *attr = oribi_attrs_find(&node->attrs, name);
    return attr != NULL && attr->kind == kind && !attr->is_list && attr->count == 1 ? attr : NULL;
}

int64_t oribi_pass_attr_int(const oribi_node *node, const char *name, int64_t otherwise)
{
    const oribi_attr *attr = find(node, name, TF_ATTR_INT);
    return attr != NULL ? attr->u.i[0] : otherwise;
}

float oribi_pass_attr_float(const oribi_node *node, const char *name, float otherwise)
{
    const oribi_attr *attr = find(node, name, TF_ATTR_FLOAT);
    return attr != NULL ? attr->u.f[0] : otherwise;
}

bool oribi_pass_attr_bool(const oribi_node *node, const char *name, bool otherwise)
{
    const oribi_attr *attr = find(node, name, TF_ATTR_BOOL);
    return attr != NULL ? attr->u.b[0] != 0 : otherwise;
}

bool oribi_pass_attr_is(const oribi_node *node, const char *name, const char *text,
                        const char *otherwise)
{
    const oribi_attr *attr = find(node, name, TF_ATTR_STRING);
    if (attr == NULL) {
        return strcmp(otherwise, text) == 0;
    }
    size_t length = strlen(text);
    return attr->u.s[0].length == length && memcmp(attr->u.s[0].data, text, length) == 0;
}

oribi_node *oribi_pass_only_consumer(const oribi_graph *graph, oribi_value_id value,
                                     int32_t *out_input)
{
    const oribi_value *v = graph->values[value];
    if (v->n_uses != 1 || v->is_output) {
        return NULL;
    }
    oribi_use use;
    if (oribi_graph_uses(graph, value, &use, 1) != 1) {
        return NULL;
    }
    if (out_input != NULL) {
        *out_input = use.input;
    }
    return use.node;
}

bool oribi_pass_is_max_pool(const oribi_node *node)
{
    return strstr(node->op_name, "MaxPool") != NULL && node->op != NULL && node->op->is_built_in &&
           oribi_op_find_attr(node->op, "explicit_paddings") != NULL;
}

bool oribi_pass_is_foreign(const oribi_node *node)
{
    return node->kernel != NULL && strcmp(node->kernel->provider, "built-in") != 0;
}

bool oribi_pass_is_preferred(const oribi_node *node)
{
    return oribi_pass_is_foreign(node) && (node->op == NULL || node->op->is_built_in);
}

bool oribi_pass_keeps_op(const oribi_node *node)
{
    return oribi_pass_is_preferred(node) && (strcmp(node->kernel->device_type, "CPU") == 0 ||
                                             strcmp(node->kernel->device_type, "DEFAULT") == 0);
}

bool oribi_pass_is_off(const oribi_node *node, uint32_t pass)
{
    return (node->passes_off & pass) != 0;
}

bool oribi_pass_are_together(const oribi_node *a, const oribi_node *b)
{
    return a->kernel != NULL && b->kernel != NULL &&
           strcmp(a->kernel->device_type, b->kernel->device_type) == 0 &&
           strcmp(a->kernel->provider, b->kernel->provider) == 0;
}

bool oribi_pass_is_told_by_inputs(const oribi_op_def *op, const char *name)
{
    for (int32_t i = 0; i < op->n_inputs; i++) {
        const oribi_arg_def *arg = &op->inputs[i];
        const char *const told[] = {arg->type_attr, arg->number_attr, arg->type_list_attr};
        for (int k = 0; k < 3; k++) {
            if (told[k] != NULL && strcmp(told[k], name) == 0) {
                return true;
            }
        }
    }
    return false;
}

bool oribi_pass_same_shape(const oribi_graph *graph, oribi_value_id a, oribi_value_id b)
{
    const oribi_shape *x = &graph->values[a]->shape, *y = &graph->values[b]->shape;
    return oribi_shape_is_full(x) && oribi_shape_equal(x, y);
}
