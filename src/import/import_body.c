/* SPDX-License-Identifier: Apache-2.0 */
/* See import_body.h. */
#include "import/import_body.h"

#include "base/alloc.h"
#include "import/emit.h"

/* What a graph inside this one begins with. */
static uint64_t bytes_around(const oribi_graph *around)
{
    return around->made_bytes + around->arena.used_bytes;
}

oribi_graph *oribi_import_body_begin(const oribi_graph *around, const oribi_import_options *options,
                                     TF_Status *status)
{
    oribi_graph *body =
        oribi_import_begin(around->source_name, around->source_kind, options, status);
    if (body != NULL) {
        body->made_bytes = bytes_around(around);
    }
    return body;
}

oribi_graph *oribi_import_body_end(oribi_graph *body, const oribi_graph *around, bool ok,
                                   TF_Status *status)
{
    const uint64_t base = bytes_around(around);
    if (ok) {
        oribi_graph_remove_dead(body);
        ok = oribi_graph_sort(body, status);
        body->made_bytes -= base < body->made_bytes ? base : body->made_bytes;
    }
    if (!ok) {
        oribi_graph_destroy(body);
        return NULL;
    }
    return body;
}

oribi_value_id oribi_import_body_formal(oribi_graph *body, const char *name, TF_DataType dtype,
                                        const oribi_shape *shape, TF_Status *status)
{
    const oribi_value_id value = oribi_graph_add_value(body, name, dtype, shape, status);
    return value >= 0 && oribi_graph_add_input(body, value, name, status) ? value : -1;
}

bool oribi_import_set_types(oribi_graph *graph, oribi_attrs *attrs, const char *name,
                            const oribi_graph *from, const oribi_value_id *values, int32_t n,
                            TF_Status *status)
{
    TF_DataType *types = oribi_alloc_array((size_t)n + 1, sizeof *types);
    bool ok = types != NULL;
    for (int32_t i = 0; ok && i < n; i++) {
        types[i] = from->values[values[i]]->dtype;
    }
    ok = ok && oribi_attrs_set_types(attrs, &graph->arena, name, types, n);
    oribi_free(types);
    return ok || oribi_fail_memory(status);
}

oribi_node *oribi_import_body_node(oribi_graph *graph, const char *op, const char *name,
                                   const oribi_value_id *inputs, int32_t n_inputs,
                                   int32_t n_outputs, const oribi_attrs *attrs,
                                   const oribi_body *bodies, int32_t n_bodies, TF_Status *status)
{
    oribi_node *node = oribi_graph_add_node(graph, op, name, inputs, n_inputs, n_outputs, status);
    if (node == NULL) {
        for (int32_t k = 0; k < n_bodies; k++) {
            oribi_graph_destroy(bodies[k].graph);
        }
        return NULL;
    }
    node->attrs = *attrs;
    return oribi_graph_give_bodies(graph, node, bodies, n_bodies, status) ? node : NULL;
}

bool oribi_import_widen(oribi_arena *arena, const oribi_shape *made, int attempt,
                        oribi_shape *shape, bool *same, TF_Status *status)
{
    oribi_shape joined;
    if (!oribi_import_join_shape(arena, shape, made, &joined)) {
        return oribi_fail_memory(status);
    }
    bool is_same = joined.rank == shape->rank;
    for (int32_t k = 0; is_same && k < joined.rank; k++) {
        is_same = joined.dims[k] == shape->dims[k];
    }
    *same = *same && is_same;
    *shape = attempt < ORIBI_IMPORT_ATTEMPTS ? joined : (oribi_shape){.rank = -1};
    return true;
}
