/* SPDX-License-Identifier: Apache-2.0 */
/* Cancels transposes. One walk in execution order: each value is remembered as a transpose of some
 * base; ops that let it through are rewritten on the base, and a transpose is done only where an op
 * (or the caller) really needs the other order, once for each base. Not here: which ops let it
 * through (layout_rules.c).
 */
#include "pass/layout_internal.h"

#include <string.h>

const oribi_layout_form *oribi_layout_moved(const oribi_layout *layout, oribi_value_id value)
{
    bool known = value >= 0 && value < layout->n_values;
    return known && layout->forms[value].perm.n >= 0 ? &layout->forms[value] : NULL;
}

bool oribi_layout_is_identity(const oribi_layout_form *form)
{
    for (int32_t i = 0; i < form->perm.n; i++) {
        if (form->perm.at[i] != i) {
            return false;
        }
    }
    return true;
}

bool oribi_layout_same_perm(const oribi_perm *a, const oribi_perm *b)
{
    return a->n == b->n && memcmp(a->at, b->at, (size_t)a->n) == 0;
}

void oribi_layout_set(oribi_layout *layout, oribi_value_id value, oribi_value_id base,
                      const oribi_perm *perm)
{
    layout->forms[value] = (oribi_layout_form){.base = base, .perm = *perm};
}

bool oribi_layout_is_free(const oribi_shape *base, const oribi_perm *perm)
{
    int8_t last = -1;
    for (int32_t i = 0; i < perm->n; i++) {
        if (base->dims[perm->at[i]] == 1) {
            continue;
        }
        if (perm->at[i] < last) {
            return false;
        }
        last = perm->at[i];
    }
    return true;
}

oribi_value_id oribi_layout_reshape(oribi_layout *layout, oribi_value_id value,
                                    const oribi_dims *dims, const oribi_node *like)
{
    const oribi_node *node =
        oribi_pass_add_reshape(layout->graph, like, value, dims, layout->status);
    return node != NULL ? node->outputs[0] : -1;
}

static oribi_value_id add_transpose(oribi_layout *layout, oribi_value_id base,
                                    const oribi_perm *perm, const oribi_node *like)
{
    const oribi_shape *shape = &layout->graph->values[base]->shape;
    int32_t n_unknown = 0;
    for (int32_t i = 0; i < perm->n; i++) {
        n_unknown += shape->dims[i] < 0 ? 1 : 0;
    }
    oribi_dims wide = oribi_perm_dims(perm);
    if (n_unknown <= 1 && oribi_layout_is_free(shape, perm)) {
        for (int32_t i = 0; i < wide.n; i++) {
            wide.at[i] = shape->dims[perm->at[i]];
        }
        return oribi_layout_reshape(layout, base, &wide, like);
    }
    const oribi_node *node =
        oribi_pass_add_transpose(layout->graph, like, base, &wide, layout->status);
    return node != NULL ? node->outputs[0] : -1;
}

static bool grow(oribi_layout *layout, oribi_value_id base)
{
    if (base >= layout->made_of_count) {
        int32_t count = base * 2 + 64;
        int32_t *made_of = oribi_realloc_array(layout->made_of, (size_t)count, sizeof *made_of);
        if (made_of == NULL) {
            return oribi_fail_memory(layout->status);
        }
        for (int32_t i = layout->made_of_count; i < count; i++) {
            made_of[i] = -1;
        }
        layout->made_of = made_of;
        layout->made_of_count = count;
    }
    if (layout->n_made == layout->made_capacity) {
        int32_t capacity = layout->made_capacity * 2 + 16;
        oribi_layout_made *made = oribi_realloc_array(layout->made, (size_t)capacity, sizeof *made);
        if (made == NULL) {
            return oribi_fail_memory(layout->status);
        }
        layout->made = made;
        layout->made_capacity = capacity;
    }
    return true;
}

oribi_value_id oribi_layout_transpose(oribi_layout *layout, oribi_value_id base,
                                      const oribi_perm *perm, const oribi_node *like)
{
    const oribi_layout_form form = {.base = base, .perm = *perm};
    if (oribi_layout_is_identity(&form)) {
        return base;
    }
    if (!grow(layout, base)) {
        return -1;
    }
    for (int32_t i = layout->made_of[base]; i >= 0; i = layout->made[i].next) {
        if (oribi_layout_same_perm(&layout->made[i].form.perm, perm)) {
            return layout->made[i].value;
        }
    }
    oribi_value_id value = add_transpose(layout, base, perm, like);
    if (value >= 0) {
        layout->made[layout->n_made] =
            (oribi_layout_made){.form = form, .value = value, .next = layout->made_of[base]};
        layout->made_of[base] = layout->n_made++;
    }
    return value;
}

oribi_value_id oribi_layout_value(oribi_layout *layout, oribi_value_id value,
                                  const oribi_node *like)
{
    const oribi_layout_form *form = oribi_layout_moved(layout, value);
    return form == NULL ? value : oribi_layout_transpose(layout, form->base, &form->perm, like);
}

oribi_node *oribi_layout_clone(oribi_layout *layout, const oribi_node *node,
                               const oribi_value_id *inputs)
{
    oribi_graph *graph = layout->graph;
    oribi_node *copy = oribi_graph_add_node(graph, node->op_name, node->name, inputs,
                                            node->n_inputs, node->n_outputs, layout->status);
    if (copy == NULL) {
        return NULL;
    }
    for (int32_t i = 0; i < node->attrs.count; i++) {
        if (!oribi_attrs_set(&copy->attrs, &graph->arena, &node->attrs.items[i])) {
            oribi_fail_memory(layout->status);
            return NULL;
        }
    }
    copy->device = node->device;
    copy->origin = node->origin;
    copy->kernel = node->kernel;
    return oribi_graph_resolve(graph, copy, layout->status) ? copy : NULL;
}

/* --- The walk ------------------------------------------------------------------------------- */

/* Transpose by a constant: remembered, not done. */
static bool note_transpose(oribi_layout *layout, oribi_node *node, const oribi_traits *t)
{
    oribi_dims wide;
    const oribi_layout_form *form = oribi_layout_moved(layout, node->inputs[t->data]);
    oribi_value_id base = form != NULL ? form->base : node->inputs[t->data];
    oribi_perm perm = {0};
    if (!oribi_graph_constant_ints(layout->graph, node->inputs[t->axes], &wide) ||
        layout->graph->values[base]->shape.rank != wide.n ||
        (form != NULL && form->perm.n != wide.n) || oribi_pass_keeps_op(node)) {
        return false;
    }
    for (int32_t i = 0; i < wide.n; i++) {
        wide.at[i] += wide.at[i] < 0 ? wide.n : 0;
    }
    if (!oribi_dims_is_permutation(&wide)) {
        return false;
    }
    for (int32_t i = 0; i < wide.n; i++) {
        oribi_perm_add(&perm, form != NULL ? form->perm.at[wide.at[i]] : wide.at[i]);
    }
    oribi_layout_set(layout, node->outputs[0], base, &perm);
    return true;
}

static bool walk_node(oribi_layout *layout, oribi_node *node)
{
    if (node->n_outputs > 0 && oribi_layout_moved(layout, node->outputs[0]) != NULL) {
        return true; /* an earlier rule took this node along */
    }
    bool is_moved = false;
    for (int32_t i = 0; i < node->n_inputs; i++) {
        is_moved = is_moved || oribi_layout_moved(layout, node->inputs[i]) != NULL;
    }
    const oribi_traits traits = oribi_pass_traits(node);
    const bool may_change = !oribi_pass_is_off(node, ORIBI_PASS_LAYOUT);
    if (may_change && (traits.is & ORIBI_TRAIT_PERMUTES) != 0 &&
        note_transpose(layout, node, &traits)) {
        return true;
    }
    if (!is_moved) {
        return true;
    }
    oribi_layout_rule *rule = may_change ? oribi_layout_find_rule(&traits) : NULL;
    if (rule != NULL && rule(layout, node, &traits)) {
        return true;
    }
    ORIBI_TRY(oribi_ok(layout->status));
    for (int32_t i = 0; i < node->n_inputs; i++) {
        if (oribi_layout_moved(layout, node->inputs[i]) != NULL) {
            oribi_value_id value = oribi_layout_value(layout, node->inputs[i], node);
            ORIBI_TRY(value >= 0);
            oribi_graph_set_node_input(layout->graph, node, i, value);
        }
    }
    return true;
}

/* The caller's outputs keep the order that the model promised. */
static bool restore_outputs(oribi_layout *layout)
{
    oribi_graph *graph = layout->graph;
    for (int32_t i = 0; i < graph->n_outputs; i++) {
        oribi_value_id id = graph->outputs[i];
        if (oribi_layout_moved(layout, id) == NULL) {
            continue;
        }
        oribi_node *like = oribi_graph_producer(graph, id);
        oribi_value_id value = oribi_layout_value(layout, id, like);
        ORIBI_TRY(value >= 0);
        const oribi_value *v = graph->values[value];
        if (v->producer < 0 || v->is_output) {
            oribi_node *copy =
                oribi_pass_add_node(graph, "Identity", like, &value, 1, NULL, 0, layout->status);
            ORIBI_TRY(copy != NULL);
            value = copy->outputs[0];
        }
        oribi_pass_take_over(graph, id, value);
    }
    return true;
}

static int32_t count_transposes(const oribi_graph *graph)
{
    int32_t count = 0;
    for (int32_t i = 0; i < graph->n_nodes; i++) {
        count += !graph->nodes[i]->is_dead && oribi_pass_has(graph->nodes[i], ORIBI_TRAIT_PERMUTES);
    }
    return count;
}

static bool walk(oribi_layout *layout)
{
    oribi_graph *graph = layout->graph;
    int32_t n_order = graph->n_order;
    oribi_node_id *order = oribi_alloc_array((size_t)n_order + 1, sizeof *order);
    if (order == NULL) {
        return oribi_fail_memory(layout->status);
    }
    for (int32_t i = 0; i < n_order; i++) {
        order[i] = graph->order[i];
    }
    bool ok = true;
    for (int32_t i = 0; i < n_order && ok; i++) {
        ok = oribi_patience_left(layout->status) && walk_node(layout, graph->nodes[order[i]]);
    }
    oribi_free(order);
    return ok && restore_outputs(layout);
}

bool oribi_pass_layout(oribi_graph *graph, const oribi_pass_options *options,
                       oribi_pass_report *report, TF_Status *status)
{
    if (options != NULL && (options->disabled & ORIBI_PASS_LAYOUT) != 0) {
        return true;
    }
    ORIBI_TRY(oribi_pass_find_depthwise(graph, options, report, status));
    int32_t before = count_transposes(graph);
    if (before == 0) {
        return true;
    }
    ORIBI_TRY(oribi_graph_sort(graph, status));
    oribi_layout layout = {.graph = graph,
                           .options = options,
                           .report = report,
                           .status = status,
                           .n_values = graph->n_values};
    layout.forms = oribi_alloc_array((size_t)graph->n_values + 1, sizeof *layout.forms);
    bool ok = layout.forms != NULL;
    if (!ok) {
        oribi_fail_memory(status);
    }
    for (int32_t i = 0; ok && i < layout.n_values; i++) {
        layout.forms[i].perm.n = -1;
    }
    ok = ok && walk(&layout);
    oribi_free(layout.forms);
    oribi_free(layout.made);
    oribi_free(layout.made_of);
    ORIBI_TRY(ok);
    oribi_graph_remove_dead(graph);
    ORIBI_TRY(oribi_pass_simplify(graph, report, status));
    ORIBI_TRY(oribi_pass_find_shuffles(graph, options, report, status));
    oribi_pass_note(graph, report, "layout", "%d transposes became %d", (int)before,
                    (int)count_transposes(graph));
    return true;
}
