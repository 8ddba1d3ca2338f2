/* SPDX-License-Identifier: Apache-2.0 */
/* Emitted kernels read indices as int32: what a model computes as int64 is cast before them, which
 * keeps the low 32 bits. Constants need no cast: lower_index.c. */
#include <string.h>

#include "compile/lower/lower.h"
#include "op/op.h"
#include "tensor/status.h"

static const struct {
    const char *op;
    int32_t input;
} readers[] = {{"GatherV2", 1},        {"ONNX>GatherElements", 1},
               {"ONNX>GatherND", 1},   {"ONNX>ScatterElements", 1},
               {"ONNX>ScatterND", 1},  {"ONNX>OneHot", 0},
               {"ReverseSequence", 1}, {"Oribi>UpdateSlice", 2}};

/* The value as int32. -1: failed. */
static oribi_value_id narrow(oribi_graph *graph, const oribi_node *node, oribi_value_id value,
                             TF_Status *status)
{
    oribi_node *cast = oribi_graph_add_node(graph, "Cast", node->name, &value, 1, 1, status);
    if (cast == NULL) {
        return -1;
    }
    cast->origin = node->origin;
    if (!oribi_attrs_set_type(&cast->attrs, &graph->arena, "SrcT", TF_INT64) ||
        !oribi_attrs_set_type(&cast->attrs, &graph->arena, "DstT", TF_INT32)) {
        oribi_fail_memory(status);
        return -1;
    }
    return oribi_graph_resolve(graph, cast, status) ? cast->outputs[0] : -1;
}

static bool narrow_input(oribi_graph *graph, oribi_node *node, int32_t input, TF_Status *status)
{
    const oribi_value *value = graph->values[node->inputs[input]];
    if (value->dtype != TF_INT64 || value->constant != NULL) {
        return true;
    }
    const oribi_value_id id = narrow(graph, node, node->inputs[input], status);
    ORIBI_TRY(id >= 0);
    oribi_graph_set_node_input(graph, node, input, id);
    return oribi_attrs_set_type(&node->attrs, &graph->arena, node->op->inputs[input].type_attr,
                                TF_INT32)
               ? oribi_graph_resolve(graph, node, status)
               : oribi_fail_memory(status);
}

bool oribi_lower_narrow_indices(oribi_graph *graph, TF_Status *status)
{
    const int32_t n_nodes = graph->n_nodes; /* without those that come */
    for (int32_t i = 0; i < n_nodes; i++) {
        oribi_node *node = graph->nodes[i];
        for (size_t k = 0; !node->is_dead && k < sizeof readers / sizeof readers[0]; k++) {
            ORIBI_TRY(strcmp(node->op_name, readers[k].op) != 0 ||
                      narrow_input(graph, node, readers[k].input, status));
        }
    }
    return oribi_graph_sort(graph, status);
}
