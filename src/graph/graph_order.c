/* SPDX-License-Identifier: Apache-2.0 */
/* Execution order: nodes by id, each right after the producers it still waits for. So the order of
 * the model is kept, and a node that a pass added runs just before its first consumer.
 */
#include "graph/graph_internal.h"

#include "base/alloc.h"

typedef struct frame {
    oribi_node_id node;
    int32_t next_input;
} frame;

enum { UNSEEN = 0, OPEN = 1, DONE = 2 };

typedef struct walk {
    const oribi_graph *graph;
    uint8_t *state; /* by node id */
    frame *stack;   /* a node is on it at most once */
    int32_t depth;
    oribi_node_id *order;
    int32_t n_order;
} walk;

/* Emits root after all it depends on; false when it meets a node that waits for itself. */
static bool emit(walk *w, oribi_node_id root, oribi_node_id *out_cycle)
{
    w->stack[w->depth++] = (frame){root, 0};
    w->state[root] = OPEN;
    while (w->depth > 0) {
        frame *top = &w->stack[w->depth - 1];
        const oribi_node *node = w->graph->nodes[top->node];
        if (top->next_input == node->n_inputs + (node->guard > 0 ? 1 : 0)) {
            w->state[top->node] = DONE;
            w->order[w->n_order++] = top->node;
            w->depth--;
            continue;
        }
        const oribi_value_id input =
            top->next_input < node->n_inputs ? node->inputs[top->next_input] : node->guard - 1;
        const oribi_node *producer = oribi_graph_producer(w->graph, input);
        top->next_input++;
        if (producer == NULL || w->state[producer->id] == DONE) {
            continue;
        }
        if (w->state[producer->id] == OPEN) {
            *out_cycle = producer->id;
            return false;
        }
        w->state[producer->id] = OPEN;
        w->stack[w->depth++] = (frame){producer->id, 0};
    }
    return true;
}

bool oribi_graph_sort(oribi_graph *graph, TF_Status *status)
{
    size_t n = (size_t)graph->n_nodes;
    oribi_node_id cycle = -1;
    bool ok = true;
    walk w = {.graph = graph};
    w.state = oribi_alloc_zero(n + 1, sizeof(*w.state));
    w.stack = oribi_alloc_array(n + 1, sizeof(*w.stack));
    w.order = oribi_alloc_array(n + 1, sizeof(*w.order));
    if (w.state == NULL || w.stack == NULL || w.order == NULL) {
        oribi_free(w.order);
        ok = oribi_fail_memory(status);
        goto done;
    }
    for (oribi_node_id id = 0; ok && id < graph->n_nodes; id++) {
        if (!graph->nodes[id]->is_dead && w.state[id] == UNSEEN) {
            ok = emit(&w, id, &cycle);
        }
    }
    if (!ok) {
        oribi_free(w.order);
        oribi_fail(status, TF_INVALID_ARGUMENT,
                   "model '%s': node '%s' (%s) is on a cycle: it waits for its own output",
                   graph->source_name, graph->nodes[cycle]->name, graph->nodes[cycle]->op_name);
        goto done;
    }
    oribi_free(graph->order);
    graph->order = w.order;
    graph->n_order = w.n_order;
done:
    oribi_free(w.state);
    oribi_free(w.stack);
    return ok;
}
