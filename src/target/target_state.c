/* SPDX-License-Identifier: Apache-2.0 */
/* Where does the state of an op of one kernel live? In the graph, like a variable of the model: an
 * input that is read and an output that is left (graph.h), so that sessions and emitted C keep it
 * and commit it as they do with any other. An importer connects what the model does not; here it
 * gets its size, once those of the inputs are final.
 */
#include "target/target.h"
#include "tensor/status.h"

#include <string.h>

/* The type of an argument, given, or by the attribute of an earlier one. */
static TF_DataType type_of(const oribi_graph *graph, const oribi_op_def *op,
                           const oribi_value_id *inputs, int32_t input)
{
    const oribi_arg_def *arg = &op->inputs[input];
    TF_DataType type = arg->type;
    for (int32_t i = 0; type == 0 && arg->type_attr != NULL && i < input; i++) {
        const char *other = op->inputs[i].type_attr;
        type = other != NULL && strcmp(other, arg->type_attr) == 0 ? graph->values[inputs[i]]->dtype
                                                                   : type;
    }
    return type;
}

oribi_value_id oribi_target_state_value(oribi_graph *graph, const oribi_op_def *op,
                                        const char *node, const oribi_value_id *inputs,
                                        int32_t input, TF_Status *status)
{
    const oribi_shape unknown = {.rank = -1};
    const char *name = oribi_arena_printf(&graph->arena, "%s/%s", node, op->inputs[input].name);
    if (name == NULL) {
        oribi_fail_memory(status);
        return -1;
    }
    return oribi_graph_add_value(graph, name, type_of(graph, op, inputs, input), &unknown, status);
}

static bool is_open(const oribi_graph *graph, oribi_value_id id)
{
    const oribi_value *value = graph->values[id];
    return value->producer < 0 && value->constant == NULL && !value->is_input;
}

static bool check_sizes(const oribi_graph *graph, const oribi_node *node, int32_t n,
                        TF_Status *status)
{
    for (int32_t i = 0; i < n; i++) {
        const oribi_value *value = graph->values[node->inputs[i]];
        if (!oribi_shape_is_full(&value->shape)) {
            return oribi_fail(status, TF_INVALID_ARGUMENT,
                              "node '%s' (%s) has state, whose size follows from '%s', which is "
                              "not known; fix the sizes of inputs with --shape NAME=1x3x224x224",
                              node->name, node->op_name, value->name);
        }
    }
    return true;
}

/* State `k` of the node. */
static bool open_one(oribi_graph *graph, const oribi_node *node, const oribi_kernel_state *state,
                     int32_t from_end, TF_Status *status)
{
    const oribi_value_id read = node->inputs[node->n_inputs - from_end];
    const oribi_value_id next = node->outputs[node->n_outputs - from_end];
    oribi_value *value = graph->values[read];
    size_t bytes = oribi_dtype_bytes(value->dtype);
    for (int32_t i = 0; i < state->shape.rank; i++) {
        bytes *= (size_t)state->shape.dims[i];
    }
    ORIBI_TRY(oribi_graph_charge(graph, bytes, status));
    TF_Tensor *initial =
        TF_AllocateTensor(value->dtype, state->shape.dims, state->shape.rank, bytes);
    ORIBI_TRY(initial != NULL || oribi_fail_memory(status));
    if (state->initial != NULL) {
        memcpy(TF_TensorData(initial), state->initial, bytes);
    } else {
        memset(TF_TensorData(initial), 0, bytes);
    }
    if (!oribi_shape_copy(&graph->arena, state->shape.dims, state->shape.rank, &value->shape) ||
        !oribi_shape_copy(&graph->arena, state->shape.dims, state->shape.rank,
                          &graph->values[next]->shape)) {
        TF_DeleteTensor(initial);
        return oribi_fail_memory(status);
    }
    return oribi_graph_add_state(graph, read, next, value->name, initial, status);
}

static bool open_states(oribi_graph *graph, oribi_node *node, int32_t n, TF_Status *status)
{
    oribi_arena arena = {0};
    oribi_target_code code;
    const oribi_target_kernel *kernel = oribi_target_kernel_find(node->op_name, &node->attrs);
    if (kernel == NULL) {
        return oribi_fail(status, TF_UNIMPLEMENTED,
                          "node '%s' (%s): no kernel of these types says what its state is",
                          node->name, node->op_name);
    }
    bool ok = check_sizes(graph, node, node->n_inputs - n, status) &&
              oribi_target_kernel_ask(kernel, graph, node, &arena, &code, status);
    for (int32_t k = 0; ok && k < n; k++) {
        if (is_open(graph, node->inputs[node->n_inputs - n + k])) {
            ok = open_one(graph, node, &code.own->states[k], n - k, status);
        }
    }
    oribi_arena_destroy(&arena);
    return ok && oribi_graph_infer(graph, node, status);
}

/* How many of its last inputs may be state; 0: none, or all of them are connected. */
static int32_t count_open(const oribi_graph *graph, const oribi_node *node)
{
    const bool is_own = !node->is_dead && node->op != NULL && !node->op->is_built_in;
    const int32_t n = is_own ? oribi_target_kernel_states(node->op_name) : 0;
    bool is_any = false;
    for (int32_t k = 0; k < n && node->n_inputs >= n && node->n_outputs >= n; k++) {
        is_any = is_any || is_open(graph, node->inputs[node->n_inputs - n + k]);
    }
    return is_any ? n : 0;
}

bool oribi_target_has_open_states(const oribi_graph *graph)
{
    bool is_any = false;
    for (int32_t i = 0; i < graph->n_nodes && !is_any; i++) {
        is_any = count_open(graph, graph->nodes[i]) > 0;
    }
    return is_any;
}

bool oribi_target_open_states(oribi_graph *graph, TF_Status *status)
{
    if (!oribi_target_has_open_states(graph)) {
        return true;
    }
    ORIBI_TRY(oribi_graph_sort(graph, status));
    for (int32_t i = 0; i < graph->n_order; i++) {
        oribi_node *node = graph->nodes[graph->order[i]];
        const int32_t n = count_open(graph, node);
        ORIBI_TRY(n == 0 || open_states(graph, node, n, status));
    }
    return true;
}
