/* SPDX-License-Identifier: Apache-2.0 */
/* Values: edges of the graph, its inputs and outputs. Constants are in constant.c. */
#include "graph/graph_internal.h"

#include <string.h>

#include "base/alloc.h"

oribi_value_id oribi_graph_add_value(oribi_graph *graph, const char *name, TF_DataType dtype,
                                     const oribi_shape *shape, TF_Status *status)
{
    if (!oribi_graph_grow((void **)&graph->values, graph->n_values, &graph->values_capacity,
                          sizeof(*graph->values), status) ||
        !oribi_graph_charge(graph, 0, status)) {
        return -1;
    }
    const char *unique = oribi_graph_unique_name(graph, name, ORIBI_NAME_OF_VALUE, status);
    if (unique == NULL) {
        return -1;
    }
    oribi_value *value = oribi_arena_array(&graph->arena, 1, sizeof(*value));
    if (value == NULL) {
        oribi_fail_memory(status);
        return -1;
    }
    value->name = unique;
    value->dtype = dtype;
    value->producer = -1;
    value->shape.rank = -1;
    if (shape != NULL && shape->rank >= 0 &&
        !oribi_shape_copy(&graph->arena, shape->dims, shape->rank, &value->shape)) {
        oribi_fail_memory(status);
        return -1;
    }
    graph->values[graph->n_values] = value;
    return graph->n_values++;
}

bool oribi_graph_rename_value(oribi_graph *graph, oribi_value_id value, const char *name,
                              TF_Status *status)
{
    if (strcmp(graph->values[value]->name, name) == 0) {
        return true;
    }
    const char *unique = oribi_graph_unique_name(graph, name, ORIBI_NAME_OF_VALUE, status);
    if (unique == NULL) {
        return false;
    }
    graph->values[value]->name = unique;
    return true;
}

/* Appends to a pair of parallel arrays that grow in powers of two. */
static bool append_end(oribi_graph *graph, oribi_value_id **values, const char ***names,
                       int32_t *count, oribi_value_id value, const char *name, TF_Status *status)
{
    int32_t n = *count;
    char *kept = oribi_arena_strdup(&graph->arena, name);
    if (kept == NULL) {
        return oribi_fail_memory(status);
    }
    if ((n & (n - 1)) == 0) {
        size_t wanted = n == 0 ? 1 : (size_t)n * 2;
        oribi_value_id *more_values = oribi_realloc_array(*values, wanted, sizeof(**values));
        if (more_values == NULL) {
            return oribi_fail_memory(status);
        }
        *values = more_values;
        const char **more_names = oribi_realloc_array(*names, wanted, sizeof(**names));
        if (more_names == NULL) {
            return oribi_fail_memory(status);
        }
        *names = more_names;
    }
    (*values)[n] = value;
    (*names)[n] = kept;
    *count = n + 1;
    return true;
}

bool oribi_graph_add_input(oribi_graph *graph, oribi_value_id value, const char *name,
                           TF_Status *status)
{
    ORIBI_TRY(append_end(graph, &graph->inputs, &graph->input_names, &graph->n_inputs, value, name,
                         status));
    graph->values[value]->is_input = true;
    return true;
}

bool oribi_graph_add_output(oribi_graph *graph, oribi_value_id value, const char *name,
                            TF_Status *status)
{
    const int32_t n = graph->n_outputs;
    if ((n & (n - 1)) == 0) {
        int32_t *more =
            oribi_realloc_array(graph->next_outputs, n == 0 ? 1 : (size_t)n * 2, sizeof *more);
        ORIBI_TRY(more != NULL || oribi_fail_memory(status));
        graph->next_outputs = more;
    }
    ORIBI_TRY(append_end(graph, &graph->outputs, &graph->output_names, &graph->n_outputs, value,
                         name, status));
    graph->next_outputs[graph->n_outputs - 1] = graph->values[value]->first_output;
    graph->values[value]->first_output = graph->n_outputs;
    graph->values[value]->is_output = true;
    graph->values[value]->n_uses++;
    return true;
}

bool oribi_graph_add_state(oribi_graph *graph, oribi_value_id read, oribi_value_id next,
                           const char *name, TF_Tensor *initial, TF_Status *status)
{
    const int32_t n = graph->n_states;
    ORIBI_TRY(oribi_graph_keep_tensor(graph, initial, status));
    if ((n & (n - 1)) == 0) {
        TF_Tensor **more =
            oribi_realloc_array(graph->states, n == 0 ? 1 : (size_t)n * 2, sizeof *more);
        ORIBI_TRY(more != NULL || oribi_fail_memory(status));
        graph->states = more;
    }
    const char *next_name = oribi_arena_printf(&graph->arena, "%s:next", name);
    ORIBI_TRY(next_name != NULL || oribi_fail_memory(status));
    ORIBI_TRY(oribi_graph_add_input(graph, read, name, status) &&
              oribi_graph_add_output(graph, next, next_name, status));
    graph->states[graph->n_states++] = initial;
    return true;
}

oribi_node *oribi_graph_producer(const oribi_graph *graph, oribi_value_id value)
{
    if (value < 0 || graph->values[value]->producer < 0) {
        return NULL;
    }
    return graph->nodes[graph->values[value]->producer];
}

int32_t oribi_graph_uses(const oribi_graph *graph, oribi_value_id value, oribi_use *out_uses,
                         int32_t max_uses)
{
    const oribi_use_link *first = graph->values[value]->uses;
    const oribi_use_link *link = first;
    int32_t count = 0;
    while (link != NULL && count <= max_uses) {
        if (count < max_uses) {
            out_uses[count] = link->use;
        }
        count++;
        link = link->next == first ? NULL : link->next;
    }
    return count;
}
