/* SPDX-License-Identifier: Apache-2.0 */
/* Graphs that belong to nodes: conditions and loops. */
#include "graph/graph_internal.h"

static void destroy_bodies(const oribi_body *bodies, int32_t n)
{
    for (int32_t k = 0; k < n; k++) {
        oribi_graph_destroy(bodies[k].graph);
    }
}

bool oribi_graph_give_bodies(oribi_graph *graph, oribi_node *node, const oribi_body *bodies,
                             int32_t n, TF_Status *status)
{
    oribi_arena *arena = &graph->arena;
    oribi_body *kept = oribi_arena_memdup(arena, bodies, (size_t)n * sizeof *bodies);
    bool ok = kept != NULL;
    for (int32_t k = 0; ok && k < n; k++) {
        const size_t count = (size_t)bodies[k].n_captured;
        kept[k].captured = oribi_arena_array(arena, count + 1, sizeof(int32_t));
        kept[k].name = oribi_arena_strdup(arena, bodies[k].name);
        ok = kept[k].captured != NULL && kept[k].name != NULL;
        for (size_t i = 0; ok && i < count; i++) {
            kept[k].captured[i] = bodies[k].captured[i];
        }
    }
    if (!ok) {
        destroy_bodies(bodies, n);
        return oribi_fail_memory(status);
    }
    node->bodies = kept;
    node->n_bodies = (int16_t)n; /* two at most */
    for (int32_t k = 0; k < n; k++) {
        oribi_graph *body = kept[k].graph;
        const uint64_t bytes = body->made_bytes + body->arena.used_bytes;
        ORIBI_TRY(oribi_graph_charge(graph, bytes, status));
        body->charged_bytes = bytes;
    }
    return true;
}

oribi_value_id oribi_graph_share_constant(oribi_graph *graph, const oribi_graph *from,
                                          oribi_value_id constant, TF_Status *status)
{
    const oribi_value *value = from->values[constant];
    oribi_source *source = value->constant->source;
    if (source != NULL) {
        oribi_source_retain(source);
    }
    const oribi_value_id id =
        oribi_graph_add_constant(graph, value->name, &value->constant->view, source, status);
    if (id >= 0) {
        graph->values[id]->quantisation = value->quantisation;
    }
    return id;
}

bool oribi_graph_has_bodies(const oribi_graph *graph)
{
    for (int32_t i = 0; i < graph->n_nodes; i++) {
        if (!graph->nodes[i]->is_dead && graph->nodes[i]->n_bodies > 0) {
            return true;
        }
    }
    return false;
}

/* A dimension that the outer graph knows and the body does not. */
static bool refine(oribi_graph *body, oribi_value *value, const oribi_shape *known,
                   TF_Status *status)
{
    if (known->rank < 0 || (value->shape.rank >= 0 && value->shape.rank != known->rank)) {
        return true;
    }
    if (value->shape.rank < 0) {
        return oribi_shape_copy(&body->arena, known->dims, known->rank, &value->shape) ||
               oribi_fail_memory(status);
    }
    for (int32_t k = 0; k < known->rank; k++) {
        value->shape.dims[k] = value->shape.dims[k] < 0 ? known->dims[k] : value->shape.dims[k];
    }
    return true;
}

bool oribi_graph_settle_body(const oribi_graph *graph, const oribi_node *node, oribi_body *body,
                             TF_Status *status)
{
    oribi_graph *inner = body->graph;
    int32_t n_kept = 0;
    for (int32_t i = 0; i < body->n_captured; i++) {
        const oribi_value_id outer = node->inputs[body->captured[i]];
        const int32_t from = body->n_formals + i, to = body->n_formals + n_kept;
        const oribi_value_id input = inner->inputs[from];
        if (graph->values[outer]->constant != NULL) {
            const oribi_value_id constant = oribi_graph_share_constant(inner, graph, outer, status);
            ORIBI_TRY(constant >= 0);
            oribi_graph_replace_uses(inner, input, constant);
            inner->values[input]->is_input = false;
            continue;
        }
        ORIBI_TRY(refine(inner, inner->values[input], &graph->values[outer]->shape, status));
        inner->inputs[to] = input;
        inner->input_names[to] = inner->input_names[from];
        inner->input_quantisation[to] = inner->input_quantisation[from];
        body->captured[n_kept++] = body->captured[i];
    }
    body->n_captured = n_kept;
    inner->n_inputs = body->n_formals + n_kept;
    return true;
}
