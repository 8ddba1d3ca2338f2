/* SPDX-License-Identifier: Apache-2.0 */
/* If, Case and a choice between two values: functions become graphs of a node.
 */
#include "base/alloc.h"
#include "import/tensorflow/tensorflow.h"

/* --- If and Case ---------------------------------------------------------------------------- */

/* What is chosen among: of a Case the first input is the index, which functions do not take; branch
 * i of it is taken where the index is i, the last one elsewhere. */
typedef struct choice {
    oribi_tf *tf;
    const char *label;
    const oribi_tf_ways *ways; /* in the place of functions; or NULL */
    const oribi_tf_function *branches;
    int32_t n_branches, first; /* the index of the first */
    bool is_case;
    const oribi_value_id *inputs;
    int32_t n_inputs, n_outputs;
} choice;

static bool choose(const choice *c, oribi_value_id condition, oribi_value_id *out,
                   TF_Status *status);

/* Is the index this number? */
static oribi_value_id is_index(oribi_tf *tf, const char *label, oribi_value_id index, int32_t i,
                               TF_Status *status)
{
    const oribi_value_id number =
        oribi_graph_add_constant_copy(tf->graph, label, TF_INT32, NULL, 0, &i, status);
    const oribi_value_id inputs[] = {index, number};
    oribi_node *node =
        number >= 0 ? oribi_graph_add_node(tf->graph, "Equal", label, inputs, 2, 1, status) : NULL;
    return node != NULL && oribi_graph_resolve(tf->graph, node, status) ? node->outputs[0] : -1;
}

/* All branches but the first, in the graph that is being made. */
static bool choose_case(const choice *c, oribi_value_id *out, TF_Status *status)
{
    if (c->n_branches == 1) {
        return oribi_tf_call(c->tf, c->branches, c->label, "case", c->inputs + 1, out, status);
    }
    const oribi_value_id condition = is_index(c->tf, c->label, c->inputs[0], c->first, status);
    return condition >= 0 && choose(c, condition, out, status);
}

/* Inputs of a branch for those that are tensors of the graph around it; handles stay. */
static bool add_formals(const choice *c, const oribi_graph *outer, oribi_value_id *inner,
                        TF_Status *status)
{
    for (int32_t i = 0; i < c->n_inputs; i++) {
        inner[i] = c->inputs[i];
        if (c->inputs[i] >= 0) {
            const oribi_value *value = outer->values[c->inputs[i]];
            inner[i] = oribi_import_body_formal(c->tf->graph, value->name, value->dtype,
                                                &value->shape, status);
            ORIBI_TRY(inner[i] >= 0);
        }
    }
    return true;
}

/* A branch, whose inputs are tensors of the graph around it and handles. */
static oribi_graph *read_branch(const choice *c, bool is_first, oribi_value_id *results,
                                TF_Status *status)
{
    oribi_tf_around before;
    oribi_tf *tf = c->tf;
    oribi_value_id *inner = oribi_arena_array(&tf->kept, (size_t)c->n_inputs + 1, sizeof *inner);
    if (inner == NULL) {
        oribi_fail_memory(status);
        return NULL;
    }
    if (oribi_tf_body_begin(tf, &before, status) == NULL) {
        return NULL;
    }
    bool ok = add_formals(c, before.graph, inner, status);
    if (ok && c->ways != NULL) {
        ok = c->ways->make(c->ways, is_first, inner, results, status);
    } else if (ok) {
        choice rest = *c;
        rest.inputs = inner;
        rest.branches += is_first ? 0 : 1;
        rest.n_branches = is_first ? 1 : c->n_branches - 1;
        rest.first += is_first ? 0 : 1;
        ok = c->is_case ? choose_case(&rest, results, status)
                        : oribi_tf_call(tf, rest.branches, c->label, is_first ? "then" : "else",
                                        inner, results, status);
    }
    const bool is_blocked = ok && oribi_tf_any_blocked(results, c->n_outputs);
    for (int32_t i = 0; ok && !is_blocked && i < c->n_outputs; i++) {
        if (results[i] < 0) {
            ok = oribi_fail(status, TF_UNIMPLEMENTED, "a branch gives a variable or table out");
        }
        ok = ok && oribi_graph_add_output(tf->graph, results[i], "result", status);
    }
    return oribi_tf_body_end(tf, &before, ok, status);
}

/* Takes the bodies over. */
static bool finish_if(const choice *c, oribi_value_id condition, oribi_body *bodies,
                      oribi_value_id *out, TF_Status *status)
{
    oribi_tf *tf = c->tf;
    const oribi_graph *a = bodies[0].graph, *b = bodies[1].graph;
    oribi_value_id *inputs = oribi_arena_array(&tf->kept, (size_t)c->n_inputs + 1, sizeof *inputs);
    int32_t *captured = oribi_arena_array(&tf->kept, (size_t)c->n_inputs + 1, sizeof *captured);
    oribi_attrs attrs = {0};
    int32_t count = 0;
    bool ok = (inputs != NULL && captured != NULL) || oribi_fail_memory(status);
    for (int32_t i = 0; ok && i < c->n_inputs; i++) {
        if (c->inputs[i] >= 0) {
            inputs[1 + count] = c->inputs[i];
            captured[count] = 1 + count;
            count++;
        }
    }
    if (ok) {
        inputs[0] = condition;
    }
    for (int32_t i = 0; ok && i < c->n_outputs; i++) {
        ok = a->values[a->outputs[i]]->dtype == b->values[b->outputs[i]]->dtype ||
             oribi_fail(status, TF_INVALID_ARGUMENT, "output %d of the branches differs in type",
                        (int)i);
    }
    ok = ok &&
         oribi_import_set_types(tf->graph, &attrs, "Tcaptured", tf->graph, inputs + 1, count,
                                status) &&
         oribi_import_set_types(tf->graph, &attrs, "Tresults", a, a->outputs, c->n_outputs, status);
    if (!ok) {
        oribi_graph_destroy(bodies[0].graph);
        oribi_graph_destroy(bodies[1].graph);
        return false;
    }
    bodies[0].captured = bodies[1].captured = captured;
    bodies[0].n_captured = bodies[1].n_captured = count;
    oribi_node *made = oribi_import_body_node(tf->graph, "Oribi>If", c->label, inputs, 1 + count,
                                              c->n_outputs, &attrs, bodies, 2, status);
    ORIBI_TRY(made != NULL && oribi_graph_resolve(tf->graph, made, status));
    for (int32_t i = 0; i < c->n_outputs; i++) {
        out[i] = made->outputs[i];
        oribi_value *value = tf->graph->values[out[i]];
        ORIBI_TRY(oribi_import_join_shape(&tf->graph->arena, &a->values[a->outputs[i]]->shape,
                                          &b->values[b->outputs[i]]->shape, &value->shape) ||
                  oribi_fail_memory(status));
    }
    return true;
}

static bool choose(const choice *c, oribi_value_id condition, oribi_value_id *out,
                   TF_Status *status)
{
    oribi_tf *tf = c->tf;
    oribi_body bodies[2] = {{.name = "then"}, {.name = "else"}};
    oribi_value_id *results =
        oribi_arena_array(&tf->kept, (size_t)c->n_outputs * 2 + 1, sizeof *results);
    ORIBI_TRY(results != NULL || oribi_fail_memory(status));
    for (int k = 0; k < 2; k++) {
        bodies[k].graph = read_branch(c, k == 0, results + k * c->n_outputs, status);
        if (bodies[k].graph == NULL) {
            oribi_graph_destroy(bodies[0].graph);
            return false;
        }
    }
    if (oribi_tf_any_blocked(results, 2 * c->n_outputs)) {
        oribi_graph_destroy(bodies[0].graph);
        oribi_graph_destroy(bodies[1].graph);
        oribi_tf_block_all(out, c->n_outputs);
        return true;
    }
    return finish_if(c, condition, bodies, out, status);
}

static bool check_branches(const oribi_graphdef_node *node, const oribi_tf_function *branches,
                           int32_t n, int32_t max, TF_Status *status)
{
    bool fits = node->n_inputs >= 1 && node->inputs[0] >= 0 && branches[0].n_outputs <= max;
    for (int32_t i = 0; i < n; i++) {
        fits = fits && branches[i].n_outputs == branches[0].n_outputs &&
               branches[i].n_inputs == node->n_inputs - 1;
    }
    return fits || oribi_fail(status, TF_INVALID_ARGUMENT,
                              "its branches do not fit its inputs or each other");
}

int32_t oribi_tf_make_if(oribi_tf_scope *scope, const oribi_graphdef_node *node,
                         oribi_value_id *out, int32_t max, TF_Status *status)
{
    oribi_tf *tf = scope->tf;
    oribi_tf_function branches[2];
    bool is_true = false, ok;
    if (!oribi_tf_function_of(tf, node, "then_branch", &branches[0], status) ||
        !oribi_tf_function_of(tf, node, "else_branch", &branches[1], status) ||
        !check_branches(node, branches, 2, max, status)) {
        return -1;
    }
    if (tf->graph->values[node->inputs[0]]->dtype != TF_BOOL) {
        oribi_fail(status, TF_UNIMPLEMENTED, "its condition is no bool");
        return -1;
    }
    const choice c = {.tf = tf,
                      .label = node->name,
                      .branches = branches,
                      .n_branches = 2,
                      .inputs = node->inputs + 1,
                      .n_inputs = node->n_inputs - 1,
                      .n_outputs = branches[0].n_outputs};
    if (oribi_import_truth(tf->graph, node->inputs[0], &is_true)) {
        ok = oribi_tf_call(tf, &branches[is_true ? 0 : 1], node->name, is_true ? "then" : "else",
                           c.inputs, out, status);
    } else {
        ok = choose(&c, node->inputs[0], out, status);
    }
    return ok ? c.n_outputs : -1;
}

/* The functions that a list attribute names; NULL: status set. */
static oribi_tf_function *read_branches(oribi_tf *tf, const oribi_graphdef_node *node,
                                        int32_t *out_n, TF_Status *status)
{
    oribi_wire value, list, wire;
    oribi_wire_field field;
    int32_t n = 0, i = 0;
    if (!oribi_graphdef_attr(node->message, "branches", &value, status)) {
        (void)(!oribi_ok(status) ||
               oribi_fail(status, TF_INVALID_ARGUMENT, "attribute 'branches' is missing"));
        return NULL;
    }
    list = oribi_wire_over(value.at, 0);
    while (oribi_wire_next(&value, &field, status)) {
        if (field.number == 1 && !oribi_wire_enter(&value, &field, &list, status)) {
            return NULL;
        }
    }
    wire = list;
    while (oribi_wire_next(&wire, &field, status)) {
        n += field.number == 9;
    }
    oribi_tf_function *branches = oribi_arena_array(&tf->kept, (size_t)n + 1, sizeof *branches);
    if (branches == NULL || n == 0) {
        (void)(n > 0 ? oribi_fail_memory(status)
                     : oribi_fail(status, TF_INVALID_ARGUMENT, "it has no branches"));
        return NULL;
    }
    wire = list;
    while (oribi_wire_next(&wire, &field, status)) {
        oribi_wire call;
        if (field.number == 9 && (!oribi_wire_enter(&wire, &field, &call, status) ||
                                  !oribi_tf_function_named(tf, call, &branches[i++], status))) {
            return NULL;
        }
    }
    *out_n = n;
    return oribi_ok(status) ? branches : NULL;
}

int32_t oribi_tf_make_case(oribi_tf_scope *scope, const oribi_graphdef_node *node,
                           oribi_value_id *out, int32_t max, TF_Status *status)
{
    choice c = {.tf = scope->tf, .label = node->name, .is_case = true, .inputs = node->inputs};
    const oribi_tf_function *branches = read_branches(c.tf, node, &c.n_branches, status);
    if (branches == NULL || !check_branches(node, branches, c.n_branches, max, status)) {
        return -1;
    }
    c.branches = branches;
    c.n_inputs = node->n_inputs;
    c.n_outputs = branches[0].n_outputs;
    return choose_case(&c, out, status) ? c.n_outputs : -1;
}

/* --- A choice between two values ------------------------------------------------------------ */

bool oribi_tf_make_choice(const oribi_tf_ways *ways, oribi_value_id condition, oribi_value_id *out,
                          TF_Status *status)
{
    const choice c = {.tf = ways->tf,
                      .label = ways->label,
                      .ways = ways,
                      .inputs = ways->inputs,
                      .n_inputs = ways->n_inputs,
                      .n_outputs = 1};
    bool is_true = false;
    if (condition < 0) {
        return oribi_fail(status, TF_UNIMPLEMENTED, "it is chosen by what is no tensor");
    }
    return oribi_import_truth(ways->tf->graph, condition, &is_true)
               ? ways->make(ways, is_true, ways->inputs, out, status)
               : choose(&c, condition, out, status);
}
