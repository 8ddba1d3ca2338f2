/* SPDX-License-Identifier: Apache-2.0 */
/* The nodes of a graph that belongs to a node, in the graph around it; and nodes of a graph, in one
 * that is to belong to a node. */
#include "graph/graph_internal.h"

#include "base/alloc.h"

typedef struct splice {
    oribi_graph *graph;       /* that nodes come into */
    const oribi_graph *inner; /* that they come from */
    oribi_value_id *map;      /* by value of that; -1: not yet */
    oribi_value_id guard;
    bool is_inward; /* the nodes go into a graph of a node: what they read is an input of that */
    TF_Status *status;
} splice;

static oribi_value_id add_input(const splice *s, const oribi_value *from)
{
    const oribi_value_id value =
        oribi_graph_add_value(s->graph, from->name, from->dtype, &from->shape, s->status);
    if (value >= 0) {
        s->graph->values[value]->quantisation = from->quantisation;
    }
    return value >= 0 && oribi_graph_add_input(s->graph, value, from->name, s->status) ? value : -1;
}

/* The value that stands for one of the graph that nodes come from; -1: none, or failed. */
static oribi_value_id value_for(const splice *s, oribi_value_id from)
{
    if (from >= 0 && s->map[from] < 0 && s->inner->values[from]->constant != NULL) {
        s->map[from] = oribi_graph_share_constant(s->graph, s->inner, from, s->status);
    } else if (from >= 0 && s->map[from] < 0 && s->is_inward) {
        s->map[from] = add_input(s, s->inner->values[from]);
    }
    return from < 0 ? -1 : s->map[from];
}

/* Attributes and graphs of the inner node, which keeps its memory: it goes with the outer graph. */
static bool take_over(const splice *s, oribi_node *from, oribi_node *to)
{
    to->device = from->device;
    to->origin = from->origin;
    to->kernel = from->kernel;
    to->passes_off = from->passes_off;
    to->guard = s->guard + 1;
    to->bodies = from->bodies;
    to->n_bodies = from->n_bodies;
    from->n_bodies = 0;
    for (int32_t i = 0; i < from->attrs.count; i++) {
        if (!oribi_attrs_set(&to->attrs, &s->graph->arena, &from->attrs.items[i])) {
            return oribi_fail_memory(s->status);
        }
    }
    return oribi_graph_resolve(s->graph, to, s->status);
}

static bool take_outputs(const splice *s, const oribi_node *from, const oribi_node *to)
{
    for (int32_t i = 0; i < from->n_outputs; i++) {
        const oribi_value *was = s->inner->values[from->outputs[i]];
        oribi_value *is = s->graph->values[to->outputs[i]];
        is->quantisation = was->quantisation;
        if (!oribi_shape_is_full(&is->shape) &&
            !oribi_shape_copy(&s->graph->arena, was->shape.dims, was->shape.rank, &is->shape)) {
            return oribi_fail_memory(s->status);
        }
        s->map[from->outputs[i]] = to->outputs[i];
    }
    return true;
}

static bool splice_node(const splice *s, oribi_node *from)
{
    oribi_value_id *inputs = oribi_alloc_array((size_t)from->n_inputs + 1, sizeof *inputs);
    if (inputs == NULL) {
        return oribi_fail_memory(s->status);
    }
    for (int32_t i = 0; i < from->n_inputs; i++) {
        inputs[i] = value_for(s, from->inputs[i]);
    }
    oribi_node *to = !oribi_ok(s->status)
                         ? NULL
                         : oribi_graph_add_node(s->graph, from->op_name, from->name, inputs,
                                                from->n_inputs, from->n_outputs, s->status);
    oribi_free(inputs);
    return to != NULL && take_over(s, from, to) && take_outputs(s, from, to);
}

static bool splice_all(const splice *s, const oribi_node *node, const oribi_body *body,
                       const oribi_value_id *formals, oribi_value_id *out_results)
{
    for (int32_t i = 0; i < body->n_formals; i++) {
        s->map[s->inner->inputs[i]] = formals[i];
    }
    for (int32_t i = 0; i < body->n_captured; i++) {
        s->map[s->inner->inputs[body->n_formals + i]] = node->inputs[body->captured[i]];
    }
    for (int32_t i = 0; i < s->inner->n_order; i++) {
        ORIBI_TRY(splice_node(s, s->inner->nodes[s->inner->order[i]]));
    }
    for (int32_t i = 0; i < s->inner->n_outputs; i++) {
        out_results[i] = value_for(s, s->inner->outputs[i]);
        ORIBI_TRY(out_results[i] >= 0);
    }
    return true;
}

static oribi_value_id *make_map(const oribi_graph *from, TF_Status *status)
{
    oribi_value_id *map = oribi_alloc_array((size_t)from->n_values + 1, sizeof *map);
    for (int32_t i = 0; map != NULL && i < from->n_values; i++) {
        map[i] = -1;
    }
    (void)(map == NULL ? oribi_fail_memory(status) : true);
    return map;
}

bool oribi_graph_splice(oribi_graph *graph, const oribi_node *node, const oribi_body *body,
                        const oribi_value_id *formals, oribi_value_id guard,
                        oribi_value_id *out_results, TF_Status *status)
{
    ORIBI_TRY(oribi_graph_sort(body->graph, status));
    splice s = {.graph = graph, .inner = body->graph, .guard = guard, .status = status};
    s.map = make_map(s.inner, status);
    const bool ok = s.map != NULL && splice_all(&s, node, body, formals, out_results);
    oribi_free(s.map);
    return ok;
}

oribi_value_id *oribi_graph_enclose(oribi_graph *graph, oribi_node_id first, oribi_graph *body,
                                    TF_Status *status)
{
    if (!oribi_graph_sort(graph, status)) {
        return NULL;
    }
    const splice s = {.graph = body,
                      .inner = graph,
                      .map = make_map(graph, status),
                      .guard = -1,
                      .is_inward = true,
                      .status = status};
    bool ok = s.map != NULL;
    for (int32_t i = 0; ok && i < graph->n_order; i++) {
        oribi_node *node = graph->nodes[graph->order[i]];
        ok = node->id < first || splice_node(&s, node);
    }
    if (!ok) {
        oribi_free(s.map);
    }
    return ok ? s.map : NULL;
}
