/* SPDX-License-Identifier: Apache-2.0 */
/* Conditions in emitted C: the operators of both branches stand among all others, each with a
 * guard, a truth value without which it does not run; where the branches meet, a choice takes the
 * results of the one that ran. So branches share the plan of the memory, and a step is still one
 * operator. Of a branch that no run can take, for its shapes do not go together, nothing remains.
 */
#include "compile/lower_control.h"

#include "tensor/status.h"

/* The guards of both branches. Inside another branch they hold only where that one runs. */
static bool make_guards(const oribi_inlining *l, const oribi_node *node, oribi_value_id out[2])
{
    out[0] = node->inputs[0];
    out[1] = oribi_inline_add(l, node, "LogicalNot", node->inputs, 1);
    for (int k = 0; node->guard > 0 && out[1] >= 0 && k < 2; k++) {
        const oribi_value_id both[2] = {node->guard - 1, out[k]};
        out[k] = oribi_inline_add(l, node, "LogicalAnd", both, 2);
    }
    return out[0] >= 0 && out[1] >= 0;
}

/* The branch as a session has it: by all passes. True in *out_fault where its shapes do not go
 * together, so that no run can take it. */
static bool prepare(const oribi_inlining *l, const oribi_node *node, oribi_body *body,
                    bool *out_fault)
{
    *out_fault = false;
    if (oribi_inline_prepare(l, node, body)) {
        return true;
    }
    *out_fault = TF_GetCode(l->status) == TF_INVALID_ARGUMENT;
    return *out_fault;
}

/* Results of the branch that ran, where the node's outputs were read. */
static bool choose(const oribi_inlining *l, oribi_node *node, const oribi_value_id *yes,
                   const oribi_value_id *no)
{
    for (int32_t i = 0; i < node->n_outputs; i++) {
        const oribi_value *a = l->graph->values[yes[i]], *b = l->graph->values[no[i]];
        if (!oribi_shape_equal(&a->shape, &b->shape) || !oribi_shape_is_full(&a->shape)) {
            return oribi_fail(l->status, TF_UNIMPLEMENTED,
                              "node '%s' (%s): output %d has one shape in one branch and another, "
                              "or none that is known, in the other; compiled models need fixed "
                              "shapes",
                              node->name, node->op_name, (int)i);
        }
        const oribi_value_id inputs[3] = {node->inputs[0], yes[i], no[i]};
        const oribi_value_id chosen = oribi_inline_add(l, node, "SelectV2", inputs, 3);
        ORIBI_TRY(chosen >= 0);
        l->graph->nodes[l->graph->values[chosen]->producer]->guard = node->guard;
        oribi_graph_replace_uses(l->graph, node->outputs[i], chosen);
    }
    return true;
}

/* The only branch that a run can take. */
static bool take_only(const oribi_inlining *l, const oribi_node *node, int k,
                      oribi_value_id *results)
{
    TF_SetStatus(l->status, TF_OK, "");
    ORIBI_TRY(oribi_graph_splice(l->graph, node, &node->bodies[k], NULL, node->guard - 1, results,
                                 l->status));
    for (int32_t i = 0; i < node->n_outputs; i++) {
        oribi_graph_replace_uses(l->graph, node->outputs[i], results[i]);
    }
    return true;
}

static bool take_both(const oribi_inlining *l, oribi_node *node, oribi_value_id *const results[2])
{
    oribi_value_id guards[2];
    ORIBI_TRY(make_guards(l, node, guards));
    for (int k = 0; k < 2; k++) {
        ORIBI_TRY(oribi_graph_splice(l->graph, node, &node->bodies[k], NULL, guards[k], results[k],
                                     l->status));
    }
    return choose(l, node, results[0], results[1]);
}

bool oribi_compile_lower_condition(const oribi_inlining *l, oribi_node *node)
{
    oribi_value_id *results[2];
    bool faults[2];
    for (int k = 0; k < 2; k++) {
        results[k] = oribi_inline_values(l, node->bodies[k].graph->n_outputs);
        ORIBI_TRY(results[k] != NULL && prepare(l, node, &node->bodies[k], &faults[k]));
    }
    if (faults[0] && faults[1]) {
        return false;
    }
    const int k = faults[0] ? 1 : 0;
    return faults[0] || faults[1] ? take_only(l, node, k, results[k]) : take_both(l, node, results);
}
