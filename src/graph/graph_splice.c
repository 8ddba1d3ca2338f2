/* SPDX-License-Identifier: Apache-2.0 */
/* The nodes of a graph that belongs to a node, in the graph around it. */
#include "graph/graph_internal.h"

#include "base/alloc.h"

typedef struct splice {
    oribi_graph *graph;
    const oribi_graph *inner;
    oribi_value_id *map; /* by inner value; -1: not yet */
    oribi_value_id guard;
    TF_Status *status;
} splice;

/* The value of the outer graph that stands for an inner one; -1: none, or failed. */
static oribi_value_id outer_value(const splice *s, oribi_value_id inner)
{
    if (inner >= 0 && s->map[inner] < 0 && s->inner->values[inner]->constant != NULL) {
        s->map[inner] = oribi_graph_share_constant(s->graph, s->inner, inner, s->status);
    }
    return inner < 0 ? -1 : s->map[inner];
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
        inputs[i] = outer_value(s, from->inputs[i]);
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
    for (int32_t i = 0; i < s->inner->n_values; i++) {
        s->map[i] = -1;
    }
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
        out_results[i] = outer_value(s, s->inner->outputs[i]);
        ORIBI_TRY(out_results[i] >= 0);
    }
    return true;
}

bool oribi_graph_splice(oribi_graph *graph, const oribi_node *node, const oribi_body *body,
                        const oribi_value_id *formals, oribi_value_id guard,
                        oribi_value_id *out_results, TF_Status *status)
{
    ORIBI_TRY(oribi_graph_sort(body->graph, status));
    splice s = {.graph = graph, .inner = body->graph, .guard = guard, .status = status};
    s.map = oribi_alloc_array((size_t)s.inner->n_values + 1, sizeof *s.map);
    const bool ok = s.map != NULL ? splice_all(&s, node, body, formals, out_results)
                                  : oribi_fail_memory(status);
    oribi_free(s.map);
    return ok;
}
