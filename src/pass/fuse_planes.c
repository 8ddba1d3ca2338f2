/* SPDX-License-Identifier: Apache-2.0 */
/* First layers read pictures as they come: where an image of a few planes becomes pixels for one
 * convolution alone, the convolution reads the planes (Oribi>FusedConv2d) and nobody writes the
 * pixels. Runs after the chains, when the convolution has its bias and activation.
 */
#include "pass/fuse_internal.h"

#include <string.h>

enum { MOST_PLANES = 4 }; /* of pictures; more are turned as well before */

/* The transpose from planes to pixels, if the convolution alone reads it; NULL else. */
static oribi_node *planes_of(const oribi_graph *graph, const oribi_node *conv)
{
    static const int64_t wanted[4] = {0, 2, 3, 1};
    oribi_node *node = oribi_graph_producer(graph, conv->inputs[0]);
    const oribi_shape *pixels = &graph->values[conv->inputs[0]]->shape;
    oribi_dims order;
    const bool is_one =
        oribi_pass_has(node, ORIBI_TRAIT_PERMUTES) && oribi_pass_are_together(node, conv) &&
        !oribi_pass_is_off(node, ORIBI_PASS_FUSE) &&
        oribi_pass_only_consumer(graph, conv->inputs[0], NULL) == conv &&
        oribi_graph_constant_ints(graph, node->inputs[oribi_pass_traits(node).axes], &order) &&
        order.n == 4 && memcmp(order.at, wanted, sizeof wanted) == 0;
    return is_one && pixels->dims[3] >= 1 && pixels->dims[3] <= MOST_PLANES ? node : NULL;
}

/* The convolution that reads the planes; NULL: there is no kernel, or the status is not OK. */
static oribi_node *make(oribi_graph *graph, const oribi_node *conv, const oribi_node *turn,
                        const oribi_op_def *op, const oribi_pass_options *options,
                        TF_Status *status)
{
    const size_t most = (size_t)conv->attrs.count + 1;
    const int64_t n_args = conv->n_inputs - 2;
    oribi_attr *attrs = oribi_arena_array(&graph->arena, most, sizeof *attrs);
    oribi_value_id *inputs =
        oribi_arena_array(&graph->arena, (size_t)conv->n_inputs, sizeof *inputs);
    int32_t n = 0;
    if (attrs == NULL || inputs == NULL) {
        oribi_fail_memory(status);
        return NULL;
    }
    memcpy(inputs, conv->inputs, (size_t)conv->n_inputs * sizeof *inputs);
    inputs[0] = turn->inputs[oribi_pass_traits(turn).data];
    for (int32_t i = 0; i < conv->attrs.count; i++) {
        if (oribi_op_find_attr(op, conv->attrs.items[i].name) != NULL &&
            strcmp(conv->attrs.items[i].name, "num_args") != 0) {
            attrs[n++] = conv->attrs.items[i];
        }
    }
    attrs[n++] = (oribi_attr){.name = "num_args", .kind = TF_ATTR_INT, .count = 1, .u.i = &n_args};
    oribi_node *node =
        oribi_pass_add_node(graph, op->name, conv, inputs, conv->n_inputs, attrs, n, status);
    if (node != NULL) {
        node->kernel = oribi_pass_select(graph, node, options, status);
        TF_SetStatus(status, TF_OK, "");
        node->origin = oribi_pass_join_origin(graph, node->origin, turn);
    }
    return node;
}

bool oribi_pass_fuse_planes(oribi_graph *graph, const oribi_pass_options *options,
                            oribi_pass_report *report, TF_Status *status)
{
    static const char *const convs[] = {"Conv2D", "_FusedConv2D", NULL};
    const oribi_op_def *op = oribi_op_find("Oribi>FusedConv2d");
    if (op == NULL || (options != NULL && options->plain_activations)) {
        return true; /* what is emitted stays as it is */
    }
    for (int32_t i = 0; i < graph->n_order; i++) {
        oribi_node *conv = graph->nodes[graph->order[i]];
        oribi_node *turn = !conv->is_dead && oribi_pass_is_one_of(conv, convs) &&
                                   !oribi_pass_is_foreign(conv) &&
                                   !oribi_pass_is_off(conv, ORIBI_PASS_FUSE) &&
                                   oribi_pass_attr_is(conv, "data_format", "NHWC", "NHWC")
                               ? planes_of(graph, conv)
                               : NULL;
        if (turn == NULL) {
            continue;
        }
        oribi_node *node = make(graph, conv, turn, op, options, status);
        ORIBI_TRY(node != NULL);
        if (node->kernel == NULL || !oribi_pass_are_together(node, conv)) {
            oribi_graph_remove_node(graph, node);
            continue;
        }
        oribi_pass_note(graph, report, "fuse", "'%s' reads planes, and '%s' is not needed",
                        conv->name, turn->name);
        oribi_pass_take_over(graph, conv->outputs[0], node->outputs[0]);
        oribi_pass_drop(graph, conv);
    }
    oribi_graph_remove_dead(graph);
    return oribi_graph_sort(graph, status);
}
