/* SPDX-License-Identifier: Apache-2.0 */
/* The node that run_op.h ran by itself once more: the only node of a graph, in a session. */
#ifndef ORIBI_TESTS_CXX_RUN_SESSION_H_
#define ORIBI_TESTS_CXX_RUN_SESSION_H_

#include "cxx/run_op.h"
#include "session/session.h"

/* Inputs are those of the caller, outputs those of the node. */
static inline oribi_graph *run_session_graph(const run_op *self, const char *op,
                                             TF_Tensor *const *inputs, int n_inputs,
                                             TF_Status *status)
{
    oribi_graph *graph = oribi_graph_create(status);
    oribi_value_id values[RUN_OP_MOST];
    char name[16];
    for (int i = 0; i < n_inputs; i++) {
        snprintf(name, sizeof name, "in%d", i);
        values[i] =
            oribi_graph_add_value(graph, name, TF_TensorType(inputs[i]), &self->shapes[i], status);
        oribi_graph_add_input(graph, values[i], name, status);
    }
    oribi_node *node =
        oribi_graph_add_node(graph, op, "node", values, n_inputs, self->n_outputs, status);
    for (int32_t i = 0; i < self->attrs.count; i++) {
        oribi_attrs_set(&node->attrs, &graph->arena, &self->attrs.items[i]);
    }
    if (!oribi_graph_resolve(graph, node, status)) {
        oribi_graph_destroy(graph);
        return NULL;
    }
    for (int i = 0; i < self->n_outputs; i++) {
        snprintf(name, sizeof name, "out%d", i);
        oribi_graph_add_output(graph, node->outputs[i], name, status);
    }
    return graph;
}

/* Three runs, so that the last one has planned memory, and puts its outputs in the place of the
 * first ones. The inputs must be what they were. */
static inline bool run_session(run_op *self, const char *op, TF_Tensor *const *inputs, int n_inputs,
                               TF_Status *status)
{
    bool ok = false;
    oribi_run *run = NULL;
    oribi_graph *graph = run_session_graph(self, op, inputs, n_inputs, status);
    ORIBI_TRY(graph != NULL);
    oribi_options *options = oribi_options_create(status);
    oribi_options_set_threads(options, 3);
    oribi_session *session = oribi_session_from_graph(graph, options, status);
    oribi_options_destroy(options);
    if (session != NULL) {
        run = oribi_run_create(session, status);
        oribi_session_destroy(session);
    }
    for (int i = 0; i < n_inputs && run != NULL; i++) {
        oribi_run_set_input(run, i, inputs[i], status);
    }
    for (int k = 0; k < 3 && TF_GetCode(status) == TF_OK; k++) {
        oribi_run_execute(run, status);
    }
    for (int i = 0; i < self->n_outputs && TF_GetCode(status) == TF_OK; i++) {
        TF_DeleteTensor(self->outputs[i]);
        self->outputs[i] = oribi_run_output(run, i, status);
    }
    ok = TF_GetCode(status) == TF_OK;
    oribi_run_destroy(run);
    return ok;
}

#endif
