/* SPDX-License-Identifier: Apache-2.0 */
/* Removes what does nothing and joins chains that one node can do. Needs no kernel. Part of the
 * fold and layout passes.
 */
#include "pass/pass_internal.h"

#include <string.h>

static bool is_all(const oribi_graph *graph, oribi_value_id value, int64_t wanted)
{
    int64_t elements[64];
    const oribi_constant_view *view = oribi_pass_constant(graph, value);
    if (view == NULL || oribi_pass_view_count(view) > 64 || !oribi_pass_view_is_dense(view) ||
        (view->dtype != TF_INT32 && view->dtype != TF_INT64)) {
        return false;
    }
    int64_t count = oribi_pass_view_count(view);
    for (int64_t i = 0; i < count; i++) {
        int32_t narrow = 0;
        if (view->dtype == TF_INT32) {
            memcpy(&narrow, (const char *)view->data + i * 4, sizeof narrow);
            elements[i] = narrow;
        } else {
            memcpy(&elements[i], (const char *)view->data + i * 8, sizeof elements[i]);
        }
        if (elements[i] != wanted) {
            return false;
        }
    }
    return true;
}

static bool is_identity_permutation(const oribi_graph *graph, oribi_value_id value)
{
    oribi_dims p;
    bool known = oribi_graph_constant_ints(graph, value, &p);
    for (int32_t i = 0; known && i < p.n; i++) {
        known = p.at[i] == i;
    }
    return known;
}

static bool does_nothing(const oribi_graph *graph, const oribi_node *node, const oribi_traits *t)
{
    const oribi_value_id from = t->n_data > 0 ? node->inputs[t->data] : -1;
    if (from < 0 || node->n_outputs != 1 || node->op->is_stateful ||
        graph->values[from]->dtype != graph->values[node->outputs[0]]->dtype) {
        return false;
    }
    const bool is_one = t->n_data == 1;
    return (t->is & ORIBI_TRAIT_IDENTITY) != 0 ||
           ((t->is & ORIBI_TRAIT_VIEW) != 0 &&
            oribi_pass_same_shape(graph, from, node->outputs[0])) ||
           ((t->is & ORIBI_TRAIT_PERMUTES) != 0 &&
            is_identity_permutation(graph, node->inputs[t->axes])) ||
           ((t->is & ORIBI_TRAIT_PADS) != 0 && is_all(graph, node->inputs[t->axes], 0)) ||
           ((t->is & ORIBI_TRAIT_TILES) != 0 && is_all(graph, node->inputs[t->axes], 1)) ||
           ((t->is & ORIBI_TRAIT_JOINS) != 0 && is_one) ||
           (t->formula == ORIBI_FORMULA_SUM && is_one && node->n_inputs == 1);
}

/* A graph output must stay a value of its own when what it copies is fed or constant, or is an
 * output already. */
static bool may_replace(const oribi_graph *graph, oribi_value_id from, oribi_value_id to)
{
    const oribi_value *source = graph->values[to];
    return !graph->values[from]->is_output || (source->producer >= 0 && !source->is_output);
}

/* Reshape of a reshape reads the first one's input, when the second does not depend on its shape
 * (its own output shape is known, and given as a constant). */
static bool join_reshapes(oribi_graph *graph, oribi_node *node)
{
    oribi_node *before = oribi_graph_producer(graph, node->inputs[0]);
    const oribi_traits t = oribi_pass_traits(before);
    oribi_dims dims;
    if ((t.is & ORIBI_TRAIT_VIEW) == 0 || (t.is & ORIBI_TRAIT_IDENTITY) != 0 ||
        before->inputs[t.data] < 0 ||
        !oribi_shape_is_full(&graph->values[node->outputs[0]]->shape) ||
        !oribi_graph_constant_ints(graph, node->inputs[1], &dims)) {
        return false;
    }
    oribi_graph_set_node_input(graph, node, 0, before->inputs[t.data]);
    return true;
}

bool oribi_pass_simplify(oribi_graph *graph, oribi_pass_report *report, TF_Status *status)
{
    ORIBI_TRY(oribi_graph_sort(graph, status));
    for (int32_t i = 0; i < graph->n_order; i++) {
        oribi_node *node = graph->nodes[graph->order[i]];
        if (node->op == NULL || node->is_dead || oribi_pass_keeps_op(node)) {
            continue;
        }
        ORIBI_TRY(oribi_patience_left(status));
        const oribi_traits traits = oribi_pass_traits(node);
        if (oribi_pass_is(node, "Reshape") && node->inputs[0] >= 0) {
            join_reshapes(graph, node);
        }
        if (!does_nothing(graph, node, &traits)) {
            continue;
        }
        oribi_value_id from = node->outputs[0], to = node->inputs[traits.data];
        if (may_replace(graph, from, to)) {
            oribi_pass_note(graph, report, "fold", "removed %s '%s', which does nothing",
                            node->op_name, node->name);
            oribi_graph_replace_uses(graph, from, to);
            oribi_pass_drop(graph, node);
        }
    }
    oribi_graph_remove_dead(graph);
    return true;
}
