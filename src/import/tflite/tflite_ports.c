/* SPDX-License-Identifier: Apache-2.0 */
/* Inputs that may be resized: a file has a shape for each, and a signature that says which of its
 * sizes the caller may choose. What shapes of the file do not fit is left to a later import.
 */
#include "import/tflite/tflite.h"

oribi_dims oribi_tflite_limits_of(const oribi_tflite_tensor *tensor)
{
    oribi_dims dims = oribi_tflite_dims_of(tensor);
    for (int32_t i = 0; tensor->signature.count == tensor->shape.count && i < dims.n; i++) {
        dims.at[i] = oribi_flat_int32_at(&tensor->signature, (uint32_t)i) < 0 ? -1 : dims.at[i];
    }
    return dims;
}

static oribi_shape *limits(oribi_tflite *t, const oribi_flat_vector *inputs, bool *out_any)
{
    oribi_graph *graph = t->graph;
    oribi_shape *list = oribi_arena_array(&graph->arena, (size_t)graph->n_inputs + 1, sizeof *list);
    int32_t at = 0;
    for (uint32_t i = 0; list != NULL && i < inputs->count; i++) {
        const int32_t index = oribi_flat_int32_at(inputs, i); /* checked when it was read */
        if (index < 0) {
            continue;
        }
        const oribi_dims dims = oribi_tflite_limits_of(&t->tensors[index]);
        const oribi_shape *present = &graph->values[graph->inputs[at]]->shape;
        if (!oribi_shape_copy(&graph->arena, dims.at, present->rank < 0 ? -1 : dims.n, &list[at])) {
            return NULL;
        }
        for (int32_t k = 0; k < present->rank && k < dims.n; k++) {
            *out_any = *out_any || dims.at[k] != present->dims[k];
        }
        at++;
    }
    return list;
}

bool oribi_tflite_limit_inputs(oribi_tflite *t, const oribi_flat_table *subgraph, TF_Status *status)
{
    oribi_flat_vector inputs = {0};
    bool any = false;
    if (t->options == NULL || !t->options->may_be_open) {
        return true;
    }
    ORIBI_TRY(oribi_flat_read_vector(subgraph, 1, 4, "the inputs", &inputs, status));
    oribi_shape *list = limits(t, &inputs, &any);
    t->graph->input_limits = any ? list : NULL;
    return list != NULL || oribi_fail_memory(status);
}

bool oribi_tflite_may_be_open(const oribi_tflite *t, bool is_read, const TF_Status *status)
{
    const oribi_missing *missing = &t->missing;
    const bool wants = is_read ? oribi_missing_wants_shapes(missing)
                               : t->is_unfit && TF_GetCode(status) == TF_INVALID_ARGUMENT;
    return wants &&
           (t->graph->input_limits != NULL || oribi_import_may_be_open(t->graph, t->options));
}

bool oribi_tflite_leave_open(oribi_tflite *t, const oribi_flat_table *subgraph, TF_Status *status)
{
    oribi_graph *graph = t->graph;
    oribi_flat_vector outputs = {0};
    TF_SetStatus(status, TF_OK, "");
    oribi_import_leave_open(graph);
    for (int32_t i = 0; graph->input_limits != NULL && i < graph->n_inputs; i++) {
        graph->values[graph->inputs[i]]->shape = graph->input_limits[i];
    }
    graph->input_limits = NULL;
    ORIBI_TRY(oribi_flat_read_vector(subgraph, 2, 4, "the outputs", &outputs, status));
    ORIBI_TRY(oribi_tflite_spend(t, outputs.count, status));
    for (uint32_t i = 0; i < outputs.count; i++) {
        const int32_t index = oribi_flat_int32_at(&outputs, i);
        if (index < 0 || (uint32_t)index >= t->n_tensors || t->tensors[index].dtype == 0) {
            return oribi_fail(status, TF_INVALID_ARGUMENT, "byte %zu: output %u is no tensor",
                              outputs.at + 4 * (size_t)i, (unsigned)i);
        }
        const oribi_tflite_tensor *tensor = &t->tensors[index];
        const oribi_dims dims = oribi_tflite_limits_of(tensor);
        const oribi_shape shape = {tensor->is_unranked ? -1 : dims.n, (int64_t *)dims.at};
        const char *name = oribi_import_text(&t->scratch, &tensor->name);
        ORIBI_TRY(name != NULL || oribi_fail_memory(status));
        const oribi_value_id value =
            oribi_graph_add_value(graph, name, tensor->dtype, &shape, status);
        ORIBI_TRY(value >= 0 && oribi_graph_add_output(graph, value, name, status));
        graph->output_quantisation[i] = oribi_tflite_quantisation(tensor);
    }
    return outputs.count > 0 || oribi_fail(status, TF_INVALID_ARGUMENT, "the model has no outputs");
}
