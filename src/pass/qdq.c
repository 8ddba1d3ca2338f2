/* SPDX-License-Identifier: Apache-2.0 */
/* Models that say with DequantizeLinear and QuantizeLinear (QDQ) where they are quantised: what
 * lies between becomes an op on the quantised elements, in ONNX Runtime's arithmetic, where there
 * is one. Dequantising moves behind ops that only move elements, quantising before them, so that
 * the two meet at what computes. Runs before constants are folded, because folded weights would be
 * float. Read next: qdq_internal.h.
 */
#include "pass/qdq_internal.h"

#include <string.h>

enum { MAX_ROUNDS = 1000 }; /* each moves something one op further; a bound for safety's sake */

static bool match(oribi_qdq *q, oribi_node *quantize)
{
    oribi_qdq_end end;
    if (oribi_qdq_pull_up(q, quantize)) {
        return true;
    }
    return oribi_ok(q->status) && oribi_qdq_read_end(q, quantize, &end) &&
           (oribi_qdq_layer(q, &end) || (oribi_ok(q->status) && oribi_qdq_window(q, &end)) ||
            (oribi_ok(q->status) && oribi_qdq_table(q, &end)));
}

/* One walk over the graph as it is now; *out_changed tells whether another is due. */
static bool walk(oribi_qdq *q, bool (*visit)(oribi_qdq *, oribi_node *), bool *out_changed)
{
    oribi_graph *graph = q->graph;
    ORIBI_TRY(oribi_graph_sort(graph, q->status));
    const int32_t n = graph->n_order;
    oribi_node_id *order = oribi_alloc_array((size_t)n + 1, sizeof *order);
    if (order == NULL) {
        return oribi_fail_memory(q->status);
    }
    memcpy(order, graph->order, (size_t)n * sizeof *order);
    for (int32_t i = 0; i < n && oribi_ok(q->status) && oribi_patience_left(q->status); i++) {
        oribi_node *node = graph->nodes[order[i]];
        if (!node->is_dead && node->op != NULL && visit(q, node)) {
            *out_changed = true;
        }
    }
    oribi_free(order);
    oribi_graph_remove_dead(graph);
    return oribi_ok(q->status);
}

static bool visit_move(oribi_qdq *q, oribi_node *node)
{
    return oribi_qdq_push_down(q, node) ||
           (oribi_ok(q->status) && oribi_qdq_is_quantize(node) && oribi_qdq_pull_up(q, node));
}

static bool visit_match(oribi_qdq *q, oribi_node *node)
{
    return oribi_qdq_is_quantize(node) && match(q, node);
}

static bool visit_product(oribi_qdq *q, oribi_node *node)
{
    return oribi_qdq_float_product(q, node);
}

static bool visit_sums(oribi_qdq *q, oribi_node *node)
{
    return oribi_qdq_scale_sums(q, node);
}

static bool settle(oribi_qdq *q, bool (*visit)(oribi_qdq *, oribi_node *))
{
    bool changed = true;
    for (int32_t round = 0; changed && round < MAX_ROUNDS; round++) {
        changed = false;
        ORIBI_TRY(walk(q, visit, &changed));
    }
    return true;
}

static bool is_pair(const oribi_graph *graph, const oribi_node *node)
{
    (void)graph;
    return !node->is_dead && oribi_qdq_is_dequantize(node);
}

static bool makes_bytes(const oribi_graph *graph, const oribi_node *node)
{
    const TF_DataType dtype =
        node->is_dead || node->n_outputs != 1 ? TF_FLOAT : graph->values[node->outputs[0]]->dtype;
    return dtype == TF_INT8 || dtype == TF_UINT8;
}

static bool has_node(const oribi_graph *graph,
                     bool (*is_one)(const oribi_graph *, const oribi_node *))
{
    for (int32_t i = 0; i < graph->n_nodes; i++) {
        if (is_one(graph, graph->nodes[i])) {
            return true;
        }
    }
    return false;
}

bool oribi_pass_qdq(oribi_graph *graph, const oribi_pass_options *options,
                    oribi_pass_report *report, TF_Status *status)
{
    oribi_qdq q = {.graph = graph, .options = options, .report = report, .status = status};
    bool changed = true;
    if (options != NULL && (options->disabled & ORIBI_PASS_QDQ) != 0) {
        return true;
    }
    if (has_node(graph, oribi_qdq_is_integer_product)) {
        ORIBI_TRY(walk(&q, visit_sums, &changed));
        oribi_pass_note(graph, report, "qdq", "%d products scaled", (int)q.n_made);
        q.n_made = 0;
    }
    if (!has_node(graph, is_pair)) {
        return !has_node(graph, makes_bytes) || walk(&q, oribi_qdq_bytes, &changed);
    }
    ORIBI_TRY(oribi_pass_simplify(graph, report, status));
    for (int32_t round = 0; changed && round < MAX_ROUNDS; round++) {
        changed = false; /* what was matched may let something move on */
        ORIBI_TRY(settle(&q, visit_move) && walk(&q, visit_match, &changed));
    }
    ORIBI_TRY(walk(&q, visit_product, &changed) && walk(&q, oribi_qdq_bytes, &changed));
    oribi_graph_remove_dead(graph);
    oribi_pass_note(graph, report, "qdq", "%d quantised ops made, %d moved", (int)q.n_made,
                    (int)q.n_moved);
    return true;
}
