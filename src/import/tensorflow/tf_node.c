/* SPDX-License-Identifier: Apache-2.0 */
/* Nodes that are not made by their op's name: calls, control flow, variables, tables, ops under
 * another name, ops of which nothing is known.
 */
#include <string.h>

#include "import/tensorflow/tf_emit.h"
#include "op/op.h"

static int32_t call(oribi_tf_scope *scope, const oribi_graphdef_node *node,
                    oribi_tf_function function, oribi_value_id *out, int32_t max, TF_Status *status)
{
    if (function.n_inputs != node->n_inputs || function.n_outputs > max) {
        oribi_fail(status, TF_INVALID_ARGUMENT, "function '%s' takes %d inputs; it gets %d",
                   function.name, (int)function.n_inputs, (int)node->n_inputs);
        return -1;
    }
    return oribi_tf_call(scope->tf, &function, node->name, "", node->inputs, out, status)
               ? function.n_outputs
               : -1;
}

static int32_t make_call(oribi_tf_scope *scope, const oribi_graphdef_node *node,
                         oribi_value_id *out, int32_t max, TF_Status *status)
{
    oribi_tf_function function;
    return oribi_tf_function_of(scope->tf, node, "f", &function, status)
               ? call(scope, node, function, out, max, status)
               : -1;
}

/* A node whose op is the name of a function. */
static int32_t make_own_call(oribi_tf_scope *scope, const oribi_graphdef_node *node,
                             oribi_wire message, oribi_value_id *out, int32_t max,
                             TF_Status *status)
{
    oribi_tf_function function;
    return oribi_tf_read_function(scope->tf, message, &function, status)
               ? call(scope, node, function, out, max, status)
               : -1;
}

static int32_t one(oribi_value_id id, oribi_value_id *out)
{
    out[0] = id;
    return id != -1 ? 1 : -1;
}

static int32_t make_handle(oribi_tf_scope *scope, enum oribi_tf_handle_kind kind,
                           const oribi_graphdef_node *node, oribi_value_id *out, TF_Status *status)
{
    const oribi_string name = oribi_tf_shared_name(node->message, node->short_name);
    return one(oribi_tf_handle_of(scope->tf, kind, name, node->name, status), out);
}

static int32_t make_variable(oribi_tf_scope *scope, const oribi_graphdef_node *node,
                             oribi_value_id *out, int32_t max, TF_Status *status)
{
    (void)max;
    return make_handle(scope, ORIBI_TF_VARIABLE, node, out, status);
}

static int32_t make_table(oribi_tf_scope *scope, const oribi_graphdef_node *node,
                          oribi_value_id *out, int32_t max, TF_Status *status)
{
    (void)max;
    return make_handle(scope, ORIBI_TF_TABLE, node, out, status);
}

/* A variable that is its own value, as they were before resources. */
static int32_t make_value(oribi_tf_scope *scope, const oribi_graphdef_node *node,
                          oribi_value_id *out, int32_t max, TF_Status *status)
{
    return make_variable(scope, node, out, max, status) == 1
               ? one(oribi_tf_variable_value(scope->tf, out[0], status), out)
               : -1;
}

static int32_t make_read(oribi_tf_scope *scope, const oribi_graphdef_node *node,
                         oribi_value_id *out, int32_t max, TF_Status *status)
{
    (void)max;
    if (node->n_inputs != 1) {
        oribi_fail(status, TF_INVALID_ARGUMENT, "it has %d inputs", (int)node->n_inputs);
        return -1;
    }
    return one(oribi_tf_variable_value(scope->tf, node->inputs[0], status), out);
}

/* Rows of a variable: a gather of its value. */
static int32_t make_gather(oribi_tf_scope *scope, const oribi_graphdef_node *node,
                           oribi_value_id *out, int32_t max, TF_Status *status)
{
    static const int32_t zero = 0;
    oribi_graph *graph = scope->tf->graph;
    (void)max;
    if (node->n_inputs != 2 || node->inputs[1] < 0) {
        oribi_fail(status, TF_INVALID_ARGUMENT, "it has %d inputs, or indices that are no tensor",
                   (int)node->n_inputs);
        return -1;
    }
    const oribi_value_id params = oribi_tf_variable_value(scope->tf, node->inputs[0], status);
    const oribi_value_id axis =
        params < 0 ? -1
                   : oribi_graph_add_constant_copy(graph, "axis", TF_INT32, NULL, 0, &zero, status);
    if (axis < 0) {
        return -1;
    }
    const oribi_value_id inputs[] = {params, node->inputs[1], axis};
    oribi_node *made = oribi_graph_add_node(graph, "GatherV2", node->name, inputs, 3, 1, status);
    return made != NULL && oribi_graph_resolve(graph, made, status) ? one(made->outputs[0], out)
                                                                    : -1;
}

/* Hands its first input on: tensors and what is none. */
static int32_t make_same(oribi_tf_scope *scope, const oribi_graphdef_node *node,
                         oribi_value_id *out, int32_t max, TF_Status *status)
{
    (void)scope;
    (void)max;
    if (node->n_inputs < 1) {
        oribi_fail(status, TF_INVALID_ARGUMENT, "it has no input");
        return -1;
    }
    return one(node->inputs[0], out);
}

/* Both ways are computed; Merge chooses. */
static int32_t make_switch(oribi_tf_scope *scope, const oribi_graphdef_node *node,
                           oribi_value_id *out, int32_t max, TF_Status *status)
{
    out[1] = make_same(scope, node, out, max, status) == 1 ? out[0] : -1;
    return out[1] != -1 ? 2 : -1;
}

/* The same where a number chooses. */
static int32_t make_switch_of_many(oribi_tf_scope *scope, const oribi_graphdef_node *node,
                                   oribi_value_id *out, int32_t max, TF_Status *status)
{
    const int64_t n = oribi_tf_attr_int(node, "num_outs", 0);
    if (n < 1 || n > max) {
        oribi_fail(status, TF_UNIMPLEMENTED, "it has %lld outputs", (long long)n);
        return -1;
    }
    const int32_t made = make_same(scope, node, out, max, status);
    for (int64_t i = 1; i < n; i++) {
        out[i] = out[0];
    }
    return made == 1 ? (int32_t)n : -1;
}

static int32_t make_same_list(oribi_tf_scope *scope, const oribi_graphdef_node *node,
                              oribi_value_id *out, int32_t max, TF_Status *status)
{
    (void)scope;
    if (node->n_inputs > max) {
        oribi_fail(status, TF_UNIMPLEMENTED, "it has %d inputs", (int)node->n_inputs);
        return -1;
    }
    memcpy(out, node->inputs, (size_t)node->n_inputs * sizeof *out);
    return node->n_inputs;
}

static int32_t make_nothing(oribi_tf_scope *scope, const oribi_graphdef_node *node,
                            oribi_value_id *out, int32_t max, TF_Status *status)
{
    (void)scope;
    (void)node;
    (void)out;
    (void)max;
    (void)status;
    return 0;
}

static int32_t refuse_effect(oribi_tf_scope *scope, const oribi_graphdef_node *node,
                             oribi_value_id *out, int32_t max, TF_Status *status)
{
    (void)scope;
    (void)out;
    (void)max;
    oribi_fail(status, TF_UNIMPLEMENTED, "%s changes what the next run would see", node->op);
    return -1;
}

/* What a variable becomes, for a caller who keeps variables: the caller assigns it. */
static int32_t make_changed(oribi_tf_scope *scope, const oribi_graphdef_node *node,
                            oribi_value_id *out, int32_t max, TF_Status *status)
{
    oribi_tf *tf = scope->tf;
    if (tf->options->ends == NULL || tf->graph != tf->outermost || tf->depth > 0) {
        return refuse_effect(scope, node, out, max, status);
    }
    if (node->n_inputs != 2 || node->inputs[1] < 0) {
        oribi_fail(status, TF_INVALID_ARGUMENT, "it has %d inputs, or one that is no tensor",
                   (int)node->n_inputs);
        return -1;
    }
    const oribi_value_id before = node->inputs[0] < -1
                                      ? oribi_tf_variable_value(tf, node->inputs[0], status)
                                      : node->inputs[0];
    const oribi_value_id inputs[] = {before, node->inputs[1]};
    const char *op = strncmp(node->op, "AssignAdd", 9) == 0 ? "AddV2" : "Sub";
    oribi_node *made =
        before >= 0 ? oribi_graph_add_node(tf->graph, op, node->name, inputs, 2, 1, status) : NULL;
    return made != NULL && oribi_graph_resolve(tf->graph, made, status) ? one(made->outputs[0], out)
                                                                        : -1;
}

/* The feed of this node, if there is one. */
static oribi_value_id fed_value(oribi_tf_scope *scope, const oribi_graphdef_node *node)
{
    const oribi_tf *tf = scope->tf;
    const oribi_value_id *id =
        tf->depth == 0 ? oribi_map_get_n(&tf->fed, node->short_name.data, node->short_name.length)
                       : NULL;
    return id != NULL ? *id : -1;
}

static int32_t make_input(oribi_tf_scope *scope, const oribi_graphdef_node *node,
                          oribi_value_id *out, int32_t max, TF_Status *status)
{
    (void)out;
    (void)max;
    oribi_fail(status, TF_INVALID_ARGUMENT,
               scope->tf->options->ends != NULL
                   ? "You must feed a value for placeholder tensor '%s'"
                   : "'%s' is no input of the signature, and needed",
               node->name);
    return -1;
}

/* An op that nothing provides: the report comes at the end, with all of them. */
static int32_t block(oribi_tf_scope *scope, const oribi_graphdef_node *node, bool is_cause,
                     oribi_value_id *out, TF_Status *status)
{
    enum { MOST_OUTPUTS = 64 };
    if (is_cause &&
        !oribi_missing_add(&scope->tf->missing, node->op, node->op, NULL, node->name, status)) {
        return -1;
    }
    return oribi_tf_block_all(out, MOST_OUTPUTS);
}

/* An op that is made of others. */
static int32_t compose(oribi_tf_scope *scope, const oribi_graphdef_node *node,
                       const oribi_tf_row *row, oribi_value_id *out, int32_t max, TF_Status *status)
{
    int32_t n = 1;
    const oribi_tf_maker m = {
        .tf = scope->tf, .name = node->name, .status = status, .out = out, .n_out = &n, .max = max};
    for (const char *at = row->outputs; at != NULL && *at != '\0'; at++) {
        n += *at == ' ';
    }
    if (node->n_inputs < row->least) {
        oribi_fail(status, TF_INVALID_ARGUMENT, "it has %d inputs", (int)node->n_inputs);
        return -1;
    }
    const oribi_value_id first =
        row->make != NULL ? row->make(&m, node) : oribi_tf_formula(&m, node, row->formula);
    if (n > 0) {
        out[0] = first;
    }
    return oribi_ok(status) && (first != -1 || n == 0) ? n : -1;
}

static const struct {
    const char *op;
    oribi_tf_make_fn *make;
} rows[] = {
    {"Assert", make_nothing},
    {"AssignAdd", make_changed},
    {"AssignAddVariableOp", make_changed},
    {"AssignSub", make_changed},
    {"AssignSubVariableOp", make_changed},
    {"AssignVariableOp", refuse_effect},
    {"Case", oribi_tf_make_case},
    {"CheckNumerics", make_same},
    {"CheckNumericsV2", make_same},
    {"DeepCopy", make_same},
    {"DisableCopyOnRead", make_nothing},
    {"EnsureShape", make_same},
    {"Exit", oribi_tf_make_exit},
    {"GuaranteeConst", make_same},
    {"HashTableV2", make_table},
    {"Identity", make_same},
    {"IdentityN", make_same_list},
    {"If", oribi_tf_make_if},
    {"LookupTableFindV2", oribi_tf_make_lookup},
    {"Merge", oribi_tf_make_merge},
    {"MutableHashTableV2", make_table},
    {"NoOp", make_nothing},
    {"PartitionedCall", make_call},
    {"Placeholder", make_input},
    {"PlaceholderWithDefault", make_same},
    {"PreventGradient", make_same},
    {"Print", make_same},
    {"PrintV2", make_nothing},
    {"ReadVariableOp", make_read},
    {"ResourceGather", make_gather},
    {"Snapshot", make_same},
    {"StopGradient", make_same},
    {"VarHandleOp", make_variable},
    {"Switch", make_switch},
    {"VariableV2", make_value},
    {"While", oribi_tf_make_while},
    {"_SwitchN", make_switch_of_many},
};

int32_t oribi_tf_make(void *arg, const oribi_graphdef_node *node, oribi_value_id *out, int32_t max,
                      TF_Status *status)
{
    oribi_tf_scope *scope = arg;
    const oribi_value_id fed = fed_value(scope, node);
    if (fed >= 0) {
        return one(fed, out);
    }
    if (oribi_tf_any_blocked(node->inputs, node->n_inputs)) {
        return block(scope, node, false, out, status);
    }
    for (size_t i = 0; i < sizeof rows / sizeof rows[0]; i++) {
        if (strcmp(rows[i].op, node->op) == 0) {
            return rows[i].make(scope, node, out, max, status);
        }
    }
    const oribi_tf_row *special = oribi_tf_complex_row_of(scope->tf->graph, node);
    special = special != NULL ? special : oribi_tf_trained_row_of(node);
    if (special != NULL) {
        return compose(scope, node, special, out, max, status);
    }
    if (strcmp(node->op, "Const") == 0 || oribi_op_is_known(node->op)) {
        return -1;
    }
    const oribi_wire *function = oribi_map_get(&scope->tf->functions, node->op);
    if (function != NULL) {
        return make_own_call(scope, node, *function, out, max, status);
    }
    oribi_tf_row row;
    return oribi_tf_row_of((oribi_string){node->op, strlen(node->op)}, &row)
               ? compose(scope, node, &row, out, max, status)
               : block(scope, node, true, out, status);
}
