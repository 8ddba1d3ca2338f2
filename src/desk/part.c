/* SPDX-License-Identifier: Apache-2.0 */
/* Parts of a graph as sessions of their own: the nodes, with what they read from outside as inputs.
 * The passes that change what is computed have run on the whole graph, and are off here.
 */
#include <string.h>

#include "base/alloc.h"
#include "desk/desk.h"
#include "session/session.h"
#include "tensor/status.h"

typedef struct making {
    oribi_desk_part *part;
    const oribi_region *region;
    oribi_graph *from, *to;
    oribi_value_id *map; /* by value of `from`: in `to`, or -1 */
    TF_Status *status;
} making;

/* A value that nodes of the part do not make. */
static bool add_outer(making *m, oribi_value_id id)
{
    const oribi_value *value = m->from->values[id];
    if ((value->constant != NULL || m->region->is_compiled) && m->map[id] >= 0) {
        return true;
    }
    if (value->constant != NULL) {
        TF_Tensor *tensor = oribi_graph_constant_tensor(m->from, id, m->status);
        m->map[id] = tensor != NULL
                         ? oribi_graph_add_constant_tensor(m->to, value->name, tensor, m->status)
                         : -1;
        TF_DeleteTensor(tensor);
        return m->map[id] >= 0;
    }
    if (m->map[id] < 0) {
        m->map[id] =
            oribi_graph_add_value(m->to, value->name, value->dtype, &value->shape, m->status);
        ORIBI_TRY(m->map[id] >= 0 &&
                  oribi_graph_add_input(m->to, m->map[id], value->name, m->status));
    }
    for (int32_t i = 0; i < m->to->n_inputs; i++) {
        if (m->to->inputs[i] == m->map[id]) {
            m->part->input[m->part->n_outer] = i;
        }
    }
    m->part->outer[m->part->n_outer++] = id;
    return true;
}

static bool add_node(making *m, const oribi_node *node, const oribi_value_id *inputs, bool *is_made,
                     oribi_value_id *ids)
{
    for (int32_t i = 0; i < node->n_inputs; i++) {
        const oribi_value_id id = inputs[i];
        ORIBI_TRY(id < 0 || is_made[id] || add_outer(m, id));
        ids[i] = id >= 0 ? m->map[id] : -1;
    }
    oribi_node *made = oribi_graph_add_node(m->to, node->op_name, node->name, ids, node->n_inputs,
                                            node->n_outputs, m->status);
    if (made == NULL) {
        return false;
    }
    for (int32_t i = 0; i < node->attrs.count; i++) {
        if (!oribi_attrs_set(&made->attrs, &m->to->arena, &node->attrs.items[i])) {
            return oribi_fail_memory(m->status);
        }
    }
    ORIBI_TRY(oribi_graph_resolve(m->to, made, m->status));
    for (int32_t i = 0; i < node->n_outputs; i++) {
        m->map[node->outputs[i]] = made->outputs[i];
        is_made[node->outputs[i]] = true;
    }
    return true;
}

static bool copy_nodes(making *m, size_t most, oribi_arena *scratch)
{
    const oribi_region *region = m->region;
    const size_t n_values = (size_t)m->from->n_values + 1;
    m->map = oribi_arena_array(scratch, n_values, sizeof *m->map);
    bool *is_made = oribi_arena_array(scratch, n_values, sizeof *is_made);
    oribi_value_id *ids = oribi_arena_array(scratch, most, sizeof *ids);
    if (m->map == NULL || is_made == NULL || ids == NULL || m->part->outer == NULL ||
        m->part->input == NULL) {
        return oribi_fail_memory(m->status);
    }
    memset(m->map, -1, n_values * sizeof *m->map);
    for (int32_t i = 0; i < region->n_nodes; i++) {
        const oribi_node *node = region->nodes[i];
        ORIBI_TRY(add_node(m, node, region->inputs != NULL ? region->inputs[i] : node->inputs,
                           is_made, ids));
    }
    for (int32_t i = 0; i < region->n_outputs; i++) {
        const oribi_value_id id = m->map[region->outputs[i]];
        ORIBI_TRY(oribi_graph_add_output(m->to, id, m->to->values[id]->name, m->status));
    }
    m->part->n_outputs = region->n_outputs;
    return oribi_graph_sort(m->to, m->status);
}

/* Takes the graph over. */
static bool open_session(oribi_desk_part *part, oribi_graph *graph, const char *kernels,
                         TF_Status *status)
{
    static const char *const off[] = {"fuse", "layout", "batch_norm"};
    oribi_options *options = oribi_options_create(status);
    if (options != NULL) {
        oribi_options_set_threads(options, 1);
        oribi_options_set_kernels(options, kernels, status);
        for (size_t i = 0; i < sizeof off / sizeof off[0] && oribi_ok(status); i++) {
            oribi_options_disable_pass(options, off[i], status);
        }
    }
    if (options == NULL || !oribi_ok(status)) {
        oribi_graph_destroy(graph);
    } else {
        part->session = oribi_session_from_graph(graph, options, status);
    }
    oribi_options_destroy(options);
    part->run = part->session != NULL ? oribi_run_create(part->session, status) : NULL;
    if (part->run == NULL) {
        oribi__desk_part_destroy(part);
    }
    return part->run != NULL;
}

bool oribi__desk_part_make(oribi_desk_part *part, const oribi_program *program, oribi_arena *arena,
                           const oribi_region *region, TF_Status *status)
{
    if (part->session != NULL) {
        return true;
    }
    oribi_arena scratch = {0};
    size_t most = 1;
    for (int32_t i = 0; i < region->n_nodes; i++) {
        most += (size_t)region->nodes[i]->n_inputs;
    }
    *part = (oribi_desk_part){
        .outer = oribi_arena_array(arena, most, sizeof *part->outer),
        .input = oribi_arena_array(arena, most, sizeof *part->input),
    };
    making m = {.part = part,
                .region = region,
                .from = program->graph,
                .to = oribi_graph_create(status),
                .status = status};
    if (m.to == NULL) {
        return false;
    }
    m.to->source_name = program->graph->source_name;
    m.to->source_kind = program->graph->source_kind;
    const bool ok = copy_nodes(&m, most, &scratch);
    oribi_arena_destroy(&scratch);
    if (!ok) {
        oribi_graph_destroy(m.to);
        return false;
    }
    return open_session(part, m.to, oribi_compile_kernels(program->options), status);
}

bool oribi__desk_part_run(oribi_desk_part *part, TF_Tensor *const *inputs, TF_Tensor **outputs,
                          TF_Status *status)
{
    for (int32_t i = 0; i < part->n_outer; i++) {
        oribi_run_set_input(part->run, part->input[i], inputs[i], status);
        ORIBI_TRY(oribi_ok(status));
    }
    oribi_run_execute(part->run, status);
    ORIBI_TRY(oribi_ok(status));
    for (int32_t i = 0; i < part->n_outputs; i++) {
        outputs[i] = oribi_run_output(part->run, i, status);
        if (outputs[i] == NULL) {
            while (i-- > 0) {
                TF_DeleteTensor(outputs[i]);
                outputs[i] = NULL;
            }
            return false;
        }
    }
    return true;
}

void oribi__desk_part_destroy(oribi_desk_part *part)
{
    if (part == NULL) {
        return;
    }
    oribi_run_destroy(part->run);
    oribi_session_destroy(part->session);
    part->run = NULL;
    part->session = NULL;
}
