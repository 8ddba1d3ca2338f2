/* SPDX-License-Identifier: Apache-2.0 */
/* Channel shuffles: [..., g * e] seen as [..., g, e], its last two axes swapped, seen as [..., e *
 * g] is one op of ours. Part of the layout pass, after transposes have cancelled; a vendor's
 * Transpose stays.
 */
#include "pass/pass_internal.h"

#include <string.h>

/* Does a transpose of this shape swap its last two dims and nothing else, dims of one element
 * aside? Those two. */
static bool swaps_last_two(const oribi_graph *graph, const oribi_shape *shape, oribi_value_id perm,
                           int64_t out_last_two[2])
{
    oribi_dims order, left = {0};
    const int64_t *place = left.at;
    const int32_t rank = shape->rank;
    if (!oribi_shape_is_full(shape) || !oribi_graph_constant_ints(graph, perm, &order) ||
        order.n != rank || !oribi_dims_is_permutation(&order)) {
        return false;
    }
    for (int32_t i = 0; i < rank; i++) {
        if (shape->dims[order.at[i]] != 1) {
            oribi_dims_add(&left, order.at[i]);
        }
    }
    const int32_t n = left.n;
    for (int32_t i = 1; i + 2 < n; i++) { /* those before the last two stand in order */
        if (place[i] < place[i - 1]) {
            return false;
        }
    }
    if (n < 2 || place[n - 1] > place[n - 2] || (n > 2 && place[n - 1] < place[n - 3])) {
        return false;
    }
    out_last_two[0] = shape->dims[place[n - 1]];
    out_last_two[1] = shape->dims[place[n - 2]];
    return true;
}

static int64_t last_dim(const oribi_shape *shape)
{
    return oribi_shape_is_full(shape) && shape->rank > 0 ? shape->dims[shape->rank - 1] : -1;
}

static oribi_value_id data_of(const oribi_node *view)
{
    return view->inputs[oribi_pass_traits(view).data];
}

/* The Reshape before the Transpose when the three are a shuffle; *out_last is the one after. The
 * channels are what the two swapped dims make together, so all dims before them stay in place. */
static oribi_node *match(const oribi_graph *graph, const oribi_node *transpose,
                         oribi_node **out_last, int64_t *out_groups)
{
    const oribi_traits t = oribi_pass_traits(transpose);
    oribi_node *first = oribi_graph_producer(graph, transpose->inputs[t.data]);
    oribi_node *last = oribi_pass_only_consumer(graph, transpose->outputs[0], NULL);
    if (!oribi_pass_has(first, ORIBI_TRAIT_VIEW) || !oribi_pass_has(last, ORIBI_TRAIT_VIEW) ||
        oribi_pass_keeps_op(transpose) || oribi_pass_keeps_op(first) || oribi_pass_keeps_op(last)) {
        return NULL;
    }
    int64_t swapped[2], channels = 0;
    const oribi_shape *in = &graph->values[data_of(first)]->shape;
    const oribi_shape *out = &graph->values[last->outputs[0]]->shape;
    if (!swaps_last_two(graph, &graph->values[first->outputs[0]]->shape, transpose->inputs[t.axes],
                        swapped) ||
        __builtin_mul_overflow(swapped[0], swapped[1], &channels) || last_dim(in) != channels ||
        in->rank != out->rank ||
        memcmp(in->dims, out->dims, (size_t)in->rank * sizeof in->dims[0]) != 0) {
        return NULL;
    }
    *out_groups = swapped[0];
    *out_last = last;
    return first;
}

bool oribi_pass_find_shuffles(oribi_graph *graph, const oribi_pass_options *options,
                              oribi_pass_report *report, TF_Status *status)
{
    static const char *const shuffle = "Oribi>ChannelShuffle";
    if (oribi_op_find(shuffle) == NULL) {
        return true;
    }
    ORIBI_TRY(oribi_graph_sort(graph, status));
    for (int32_t i = 0; i < graph->n_order; i++) {
        oribi_node *transpose = graph->nodes[graph->order[i]], *last = NULL;
        int64_t groups = 0;
        oribi_node *first = !transpose->is_dead && oribi_pass_has(transpose, ORIBI_TRAIT_PERMUTES)
                                ? match(graph, transpose, &last, &groups)
                                : NULL;
        if (first == NULL) {
            continue;
        }
        oribi_attr attr = {.name = "groups", .kind = TF_ATTR_INT, .count = 1, .u.i = &groups};
        const oribi_value_id x = data_of(first);
        oribi_node *node = oribi_pass_add_node(graph, shuffle, transpose, &x, 1, &attr, 1, status);
        ORIBI_TRY(node != NULL);
        node->kernel = oribi_pass_select(graph, node, options, status);
        TF_SetStatus(status, TF_OK, "");
        if (transpose->kernel != NULL && !oribi_pass_are_together(node, transpose)) {
            node->kernel = NULL;
        }
        if (node->kernel == NULL) { /* a type, or a device, that it has no kernel for */
            oribi_graph_remove_node(graph, node);
            continue;
        }
        oribi_pass_note(graph, report, "layout", "'%s' to '%s' shuffle channels in %lld groups",
                        first->name, last->name, (long long)groups);
        oribi_pass_take_over(graph, last->outputs[0], node->outputs[0]);
        oribi_pass_drop(graph, last);
    }
    oribi_graph_remove_dead(graph);
    return oribi_graph_sort(graph, status);
}
