/* SPDX-License-Identifier: Apache-2.0 */
/* Values: edges of the graph, its inputs and outputs. Constants are in graph_constant.c. */
#include "graph/graph_internal.h"

#include <math.h>
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
    oribi_value *value = oribi_claim_array(&graph->arena, 1, sizeof(*value), status);
    if (value == NULL) {
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

bool oribi_graph_merge_shape(oribi_graph *graph, const oribi_shape *known, oribi_shape *shape)
{
    if (shape->rank < 0) {
        return oribi_shape_copy(&graph->arena, known->dims, known->rank, shape);
    }
    if (known->rank != shape->rank || oribi_shape_is_full(shape)) {
        return true;
    }
    oribi_shape merged;
    ORIBI_TRY(oribi_shape_copy(&graph->arena, shape->dims, shape->rank, &merged));
    for (int32_t i = 0; i < merged.rank; i++) {
        merged.dims[i] = merged.dims[i] < 0 ? known->dims[i] : merged.dims[i];
    }
    *shape = merged;
    return true;
}

oribi_quantisation oribi_graph_quantisation(TF_DataType dtype, int64_t n_scales, int64_t axis,
                                            double scale, int64_t zero)
{
    static const struct {
        TF_DataType dtype;
        int64_t low, high;
    } types[] = {{TF_INT8, INT8_MIN, INT8_MAX},
                 {TF_UINT8, 0, UINT8_MAX},
                 {TF_INT16, INT16_MIN, INT16_MAX},
                 {TF_UINT16, 0, UINT16_MAX},
                 {TF_INT32, INT32_MIN, INT32_MAX}};
    const oribi_quantisation none = {0};
    for (size_t i = 0; i < sizeof types / sizeof types[0]; i++) {
        if (types[i].dtype == dtype) {
            const bool is_real = (float)scale > 0.0f && isfinite((float)scale);
            const bool fits = zero >= types[i].low && zero <= types[i].high && n_scales > 0 &&
                              n_scales <= INT32_MAX && axis >= 0 && axis <= INT32_MAX;
            return is_real && fits ? (oribi_quantisation){.n_scales = (int32_t)n_scales,
                                                          .axis = (int32_t)axis,
                                                          .scale = (float)scale,
                                                          .zero = (int32_t)zero}
                                   : none;
        }
    }
    return none;
}

bool oribi_graph_quantise(oribi_graph *graph, oribi_value *value,
                          const oribi_quantisation *quantisation,
                          void (*read)(const void *arg, int32_t i, double *scale, int64_t *zero),
                          const void *arg, TF_Status *status)
{
    const int32_t n = quantisation->n_scales;
    value->quantisation = *quantisation;
    if (n <= 1) {
        return true;
    }
    value->quantisation = (oribi_quantisation){0};
    ORIBI_TRY(oribi_graph_charge(graph, (uint64_t)n * 8, status));
    float *scales = oribi_claim_array(&graph->arena, (size_t)n, sizeof *scales, status);
    int32_t *zeros = oribi_claim_array(&graph->arena, (size_t)n, sizeof *zeros, status);
    ORIBI_TRY(scales != NULL && zeros != NULL);
    for (int32_t i = 0; i < n; i++) {
        double scale;
        int64_t zero;
        read(arg, i, &scale, &zero);
        const oribi_quantisation one =
            oribi_graph_quantisation(value->dtype, 1, quantisation->axis, scale, zero);
        if (one.n_scales == 0) {
            return true;
        }
        scales[i] = one.scale;
        zeros[i] = one.zero;
    }
    value->quantisation = *quantisation;
    value->quantisation.scales = scales;
    value->quantisation.zeros = zeros;
    return true;
}

TF_Quantisation oribi_graph_quantisation_view(const oribi_quantisation *quantisation)
{
    const bool is_one = quantisation->n_scales == 1;
    return (TF_Quantisation){
        .struct_size = TF_QUANTISATION_STRUCT_SIZE,
        .scales = is_one ? &quantisation->scale : quantisation->scales,
        .zero_points = is_one ? &quantisation->zero : quantisation->zeros,
        .count = is_one || quantisation->scales != NULL ? quantisation->n_scales : 0,
        .axis = quantisation->axis};
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

/* The array, which grows in powers of two, with room for one more behind n elements; NULL: no
 * memory, and it is as it was. */
static void *grow_end(void *array, int32_t n, size_t bytes)
{
    return (n & (n - 1)) != 0 ? array
                              : oribi_realloc_array(array, n == 0 ? 1 : (size_t)n * 2, bytes);
}

/* Puts the value behind the n ports of an end of the graph; the caller counts it. A port without a
 * name gets the value's, so that it can be asked for. */
static bool append_port(oribi_graph *graph, oribi_value_id **ports, const char ***port_names,
                        oribi_quantisation **port_quantisation, int32_t n, oribi_value_id value,
                        const char *name, TF_Status *status)
{
    char *kept =
        oribi_arena_strdup(&graph->arena, name[0] != '\0' ? name : graph->values[value]->name);
    oribi_value_id *values = grow_end(*ports, n, sizeof *values);
    *ports = values != NULL ? values : *ports;
    const char **names = grow_end(*port_names, n, sizeof *names);
    *port_names = names != NULL ? names : *port_names;
    oribi_quantisation *quantisation = grow_end(*port_quantisation, n, sizeof *quantisation);
    *port_quantisation = quantisation != NULL ? quantisation : *port_quantisation;
    if (kept == NULL || values == NULL || names == NULL || quantisation == NULL) {
        return oribi_fail_memory(status);
    }
    values[n] = value;
    names[n] = kept;
    quantisation[n] = graph->values[value]->quantisation;
    return true;
}

bool oribi_graph_add_input(oribi_graph *graph, oribi_value_id value, const char *name,
                           TF_Status *status)
{
    ORIBI_TRY(append_port(graph, &graph->inputs, &graph->input_names, &graph->input_quantisation,
                          graph->n_inputs, value, name, status));
    graph->values[value]->is_input = true;
    graph->n_inputs++;
    return true;
}

bool oribi_graph_add_output(oribi_graph *graph, oribi_value_id value, const char *name,
                            TF_Status *status)
{
    const int32_t n = graph->n_outputs;
    int32_t *next = grow_end(graph->next_outputs, n, sizeof *next);
    ORIBI_TRY(next != NULL || oribi_fail_memory(status));
    graph->next_outputs = next;
    ORIBI_TRY(append_port(graph, &graph->outputs, &graph->output_names, &graph->output_quantisation,
                          n, value, name, status));
    next[n] = graph->values[value]->first_output;
    graph->values[value]->first_output = n + 1;
    graph->values[value]->is_output = true;
    graph->values[value]->n_uses++;
    graph->n_outputs++;
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
