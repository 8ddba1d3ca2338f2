/* SPDX-License-Identifier: Apache-2.0 */
/* CALL, IF and WHILE. A subgraph sees nothing but its inputs: CALL, and IF of a known condition,
 * translate it in the place of the operator; else it becomes a graph of a node. WHILE is a loop
 * whose body computes the condition anew, and which begins with the condition of its inputs.
 */
#include <string.h>

#include "import/import_body.h"
#include "import/tflite/tflite.h"

enum { MAX_DEPTH = 12, MAX_PATH = 200 };

bool oribi_tflite_may_have_variables(oribi_tflite_node *n)
{
    return n->tflite->graph == n->tflite->outermost || n->tflite->outermost == NULL ||
           oribi_tflite_fail(n, TF_UNIMPLEMENTED, "a variable inside IF or WHILE");
}

/* --- Subgraphs ---------------------------------------------------------------------------------
 */

typedef struct call {
    const oribi_value_id *inputs;
    oribi_value_id *outputs;
    int32_t n_inputs, n_outputs;
    bool is_blocked; /* an operator inside cannot be translated */
} call;

static bool bind_inputs(oribi_tflite_node *n, const oribi_flat_table *subgraph, const call *c)
{
    const oribi_tflite *t = n->tflite;
    oribi_flat_vector list = {0};
    ORIBI_TRY(oribi_flat_read_vector(subgraph, 1, 4, "the inputs", &list, n->status));
    if (list.count != (uint32_t)c->n_inputs) {
        return oribi_tflite_fail(n, TF_INVALID_ARGUMENT, "its subgraph has %u inputs; it gets %d",
                                 (unsigned)list.count, (int)c->n_inputs);
    }
    for (uint32_t i = 0; i < list.count; i++) {
        oribi_tflite_tensor *tensor = NULL;
        ORIBI_TRY(oribi_tflite_tensor_at(t, &list, i, &tensor, n->status));
        const TF_DataType dtype = t->graph->values[c->inputs[i]]->dtype;
        if (tensor == NULL || tensor->dtype != dtype || tensor->data.file != NULL ||
            tensor->value != ORIBI_TFLITE_UNMADE) {
            return oribi_tflite_fail(n, TF_INVALID_ARGUMENT,
                                     "input %u of its subgraph is not a tensor that takes %s",
                                     (unsigned)i, oribi_dtype_name(dtype));
        }
        tensor->value = c->inputs[i];
    }
    return true;
}

static bool collect_outputs(oribi_tflite_node *n, const oribi_flat_table *subgraph, call *c)
{
    oribi_tflite *t = n->tflite;
    oribi_flat_vector list = {0};
    ORIBI_TRY(oribi_flat_read_vector(subgraph, 2, 4, "the outputs", &list, n->status));
    ORIBI_TRY(oribi_tflite_spend(t, list.count, n->status));
    const size_t count = (size_t)list.count + 1;
    oribi_tflite_tensor **tensors = oribi_arena_array(&t->kept, count, sizeof *tensors);
    c->outputs = oribi_arena_array(&t->kept, count, sizeof *c->outputs);
    c->n_outputs = (int32_t)list.count;
    if (tensors == NULL || c->outputs == NULL) {
        return oribi_fail_memory(n->status);
    }
    oribi_tflite_node reader = *n; /* of constants that are outputs */
    reader.graph = t->graph;
    reader.inputs = tensors;
    reader.n_inputs = c->n_outputs;
    for (uint32_t i = 0; i < list.count; i++) {
        ORIBI_TRY(oribi_tflite_tensor_at(t, &list, i, &tensors[i], n->status));
        const oribi_tflite_tensor *tensor = tensors[i];
        if (tensor != NULL && tensor->value == ORIBI_TFLITE_BLOCKED) {
            c->is_blocked = true;
            continue;
        }
        if (tensor == NULL || tensor->value == ORIBI_TFLITE_HANDLE ||
            (tensor->value < 0 && tensor->data.file == NULL)) {
            return oribi_tflite_fail(n, TF_INVALID_ARGUMENT,
                                     "no operator makes output %u of its subgraph", (unsigned)i);
        }
        c->outputs[i] = oribi_tflite_input(&reader, (int32_t)i);
        ORIBI_TRY(c->outputs[i] >= 0);
    }
    return true;
}

/* Reads the operators of a subgraph, between its inputs and outputs; c NULL: looks them up. */
static bool read_subgraph(oribi_tflite_node *n, int64_t index, const char *step, call *c)
{
    oribi_tflite *t = n->tflite;
    oribi_flat_table subgraph = {0};
    if (index < 1 || index >= t->subgraphs.count) {
        return oribi_tflite_fail(n, TF_INVALID_ARGUMENT, "there is no subgraph %lld; there are %u",
                                 (long long)index, (unsigned)t->subgraphs.count);
    }
    if (t->depth >= MAX_DEPTH) {
        return oribi_tflite_fail(n, TF_RESOURCE_EXHAUSTED,
                                 "subgraphs nest deeper than %d: one may call itself", MAX_DEPTH);
    }
    ORIBI_TRY(
        oribi_flat_table_at(&t->subgraphs, (uint32_t)index, "a subgraph", &subgraph, n->status));
    const oribi_tflite before = *t; /* names, tensors and scratch memory of the operator */
    const size_t length = strlen(n->label);
    t->path = oribi_arena_printf(&t->kept, "%s/%s/",
                                 n->label + (length > MAX_PATH ? length - MAX_PATH : 0), step);
    memset(&t->scratch, 0, sizeof t->scratch);
    t->depth++;
    t->is_waiting = c == NULL;
    const bool ok = (t->path != NULL || oribi_fail_memory(n->status)) &&
                    oribi_tflite_read_tensors(t, &subgraph, n->status) &&
                    (c == NULL || bind_inputs(n, &subgraph, c)) &&
                    oribi_tflite_read_operators(t, &subgraph, n->status) &&
                    (c == NULL || collect_outputs(n, &subgraph, c));
    oribi_arena_destroy(&t->scratch);
    t->scratch = before.scratch;
    t->path = before.path;
    t->depth = before.depth;
    t->is_waiting = before.is_waiting;
    t->tensors = before.tensors;
    t->n_tensors = before.n_tensors;
    n->failed = n->failed || !ok;
    return ok;
}

static bool bind_all(oribi_tflite_node *n, const call *c)
{
    if (c->is_blocked) {
        oribi_tflite_block_outputs(n);
        return true;
    }
    if (c->n_outputs != n->n_outputs) {
        return oribi_tflite_fail(n, TF_INVALID_ARGUMENT,
                                 "there are %d outputs; the subgraph has %d", (int)n->n_outputs,
                                 (int)c->n_outputs);
    }
    for (int32_t i = 0; i < n->n_outputs; i++) {
        ORIBI_TRY(oribi_tflite_bind(n, i, c->outputs[i]));
    }
    return true;
}

/* The operator's inputs from `first` on. */
static bool read_arguments(oribi_tflite_node *n, int32_t first, call *out)
{
    oribi_value_id *values =
        oribi_arena_array(&n->tflite->kept, (size_t)n->n_inputs + 1, sizeof *values);
    ORIBI_TRY(values != NULL || oribi_tflite_no_memory(n));
    *out = (call){.inputs = values, .n_inputs = n->n_inputs - first};
    for (int32_t i = first; i < n->n_inputs; i++) {
        const oribi_tflite_tensor *tensor = n->inputs[i];
        if (tensor == NULL || tensor->value == ORIBI_TFLITE_HANDLE) {
            return oribi_tflite_fail(n, TF_UNIMPLEMENTED, "input %d is absent or a variable",
                                     (int)i);
        }
        values[i - first] = oribi_tflite_input(n, i);
        ORIBI_TRY(values[i - first] >= 0);
    }
    return true;
}

static bool translate_call(oribi_tflite_node *n)
{
    call c;
    return read_arguments(n, 0, &c) && read_subgraph(n, oribi_tflite_int(n, 0, 0), "call", &c) &&
           bind_all(n, &c);
}

/* --- Bodies ------------------------------------------------------------------------------------
 */

static oribi_graph *begin_body(oribi_tflite_node *n)
{
    oribi_tflite *t = n->tflite;
    oribi_graph *graph = oribi_import_body_begin(n->graph, t->options, n->status);
    if (graph == NULL) {
        n->failed = true;
        return NULL;
    }
    t->outermost = t->outermost != NULL ? t->outermost : t->graph;
    t->graph = graph;
    return graph;
}

/* The graph, ready; or NULL. */
static oribi_graph *end_body(oribi_tflite_node *n, oribi_graph *graph, bool ok)
{
    n->tflite->graph = n->graph;
    graph = oribi_import_body_end(graph, n->graph, ok && !n->failed, n->status);
    n->failed = n->failed || graph == NULL;
    return graph;
}

static oribi_value_id add_formal(oribi_tflite_node *n, oribi_graph *graph, const char *name,
                                 TF_DataType dtype, const oribi_shape *shape)
{
    const oribi_value_id value = oribi_import_body_formal(graph, name, dtype, shape, n->status);
    n->failed = value < 0;
    return value;
}

/* Inputs of the graph for values outside; shapes NULL: those that they have. */
static bool add_formals(oribi_tflite_node *n, oribi_graph *graph, const call *outer,
                        const oribi_shape *shapes, call *inner)
{
    oribi_value_id *values =
        oribi_arena_array(&n->tflite->kept, (size_t)outer->n_inputs + 1, sizeof *values);
    ORIBI_TRY(values != NULL || oribi_fail_memory(n->status));
    *inner = (call){.inputs = values, .n_inputs = outer->n_inputs};
    for (int32_t i = 0; i < outer->n_inputs; i++) {
        const oribi_value *value = n->graph->values[outer->inputs[i]];
        values[i] = add_formal(n, graph, value->name, value->dtype,
                               shapes != NULL ? &shapes[i] : &value->shape);
        ORIBI_TRY(values[i] >= 0);
        graph->values[values[i]]->quantisation = value->quantisation;
    }
    return true;
}

static bool add_outputs(oribi_tflite_node *n, oribi_graph *graph, const call *c)
{
    for (int32_t i = 0; i < c->n_outputs; i++) {
        ORIBI_TRY(oribi_graph_add_output(graph, c->outputs[i], "result", n->status));
    }
    return true;
}

static bool set_types(oribi_tflite_node *n, oribi_attrs *attrs, const char *name,
                      const oribi_graph *graph, const oribi_value_id *values, int32_t count)
{
    return oribi_import_set_types(n->graph, attrs, name, graph, values, count, n->status);
}

/* Takes the bodies over. */
static oribi_node *make_node(oribi_tflite_node *n, const char *op, const oribi_value_id *inputs,
                             int32_t n_inputs, const oribi_attrs *attrs, const oribi_body *bodies,
                             int32_t n_bodies)
{
    oribi_node *node = oribi_import_body_node(n->graph, op, n->label, inputs, n_inputs,
                                              n->n_outputs, attrs, bodies, n_bodies, n->status);
    if (node != NULL) {
        node->origin = n->origin;
    }
    n->failed = node == NULL || !oribi_emit_resolve(oribi_tflite_from(n), node);
    return n->failed ? NULL : node;
}

static bool bind_joined(oribi_tflite_node *n, const oribi_node *node, int32_t i,
                        const oribi_shape *a, const oribi_shape *b)
{
    oribi_value *value = n->graph->values[node->outputs[i]];
    ORIBI_TRY(oribi_import_join_shape(&n->graph->arena, a, b, &value->shape) ||
              oribi_tflite_no_memory(n));
    value->quantisation = oribi_tflite_quantisation(n->outputs[i]);
    return oribi_tflite_bind(n, i, node->outputs[i]);
}

/* --- IF ----------------------------------------------------------------------------------------
 */

static oribi_graph *read_branch(oribi_tflite_node *n, int field, const char *step,
                                const call *outer, bool *out_blocked)
{
    call inner;
    oribi_graph *graph = begin_body(n);
    if (graph == NULL) {
        return NULL;
    }
    const bool ok = add_formals(n, graph, outer, NULL, &inner) &&
                    read_subgraph(n, oribi_tflite_int(n, field, 0), step, &inner) &&
                    (inner.is_blocked || add_outputs(n, graph, &inner));
    *out_blocked = *out_blocked || (ok && inner.is_blocked);
    return end_body(n, graph, ok);
}

static bool check_branches(oribi_tflite_node *n, const oribi_graph *a, const oribi_graph *b)
{
    bool fits = a->n_outputs == n->n_outputs && b->n_outputs == n->n_outputs;
    for (int32_t i = 0; fits && i < n->n_outputs; i++) {
        fits = a->values[a->outputs[i]]->dtype == b->values[b->outputs[i]]->dtype;
    }
    return fits || oribi_tflite_fail(n, TF_INVALID_ARGUMENT,
                                     "its subgraphs have %d and %d outputs, or such of different "
                                     "types; it has %d",
                                     (int)a->n_outputs, (int)b->n_outputs, (int)n->n_outputs);
}

static bool make_if(oribi_tflite_node *n, const call *outer, oribi_body *bodies)
{
    const oribi_graph *a = bodies[0].graph, *b = bodies[1].graph;
    const int32_t count = outer->n_inputs;
    oribi_value_id *inputs =
        oribi_arena_array(&n->tflite->scratch, (size_t)count * 2 + 1, sizeof *inputs);
    int32_t *captured =
        oribi_arena_array(&n->tflite->scratch, (size_t)count * 2 + 1, sizeof *captured);
    oribi_attrs attrs = {0};
    if (inputs == NULL || captured == NULL || !check_branches(n, a, b) ||
        !set_types(n, &attrs, "Tcaptured", n->graph, outer->inputs, count) ||
        !set_types(n, &attrs, "Tresults", a, a->outputs, n->n_outputs)) {
        n->failed = true;
        oribi_graph_destroy(bodies[0].graph);
        oribi_graph_destroy(bodies[1].graph);
        return !oribi_ok(n->status) ? false : oribi_fail_memory(n->status);
    }
    inputs[0] = oribi_tflite_input(n, 0);
    for (int32_t i = 0; i < count; i++) {
        inputs[1 + i] = outer->inputs[i];
        captured[i] = captured[count + i] = 1 + i;
    }
    bodies[0].captured = captured;
    bodies[1].captured = captured + count;
    bodies[0].n_captured = bodies[1].n_captured = count;
    const oribi_node *node = make_node(n, "Oribi>If", inputs, 1 + count, &attrs, bodies, 2);
    for (int32_t i = 0; node != NULL && i < n->n_outputs; i++) {
        ORIBI_TRY(bind_joined(n, node, i, &a->values[a->outputs[i]]->shape,
                              &b->values[b->outputs[i]]->shape));
    }
    return node != NULL;
}

static bool translate_if(oribi_tflite_node *n)
{
    call outer;
    bool condition = false, is_blocked = false;
    const oribi_value_id asked = oribi_tflite_input(n, 0);
    ORIBI_TRY(asked >= 0 && read_arguments(n, 1, &outer));
    if (oribi_import_truth(n->graph, asked, &condition)) {
        return read_subgraph(n, oribi_tflite_int(n, condition ? 0 : 1, 0),
                             condition ? "then" : "else", &outer) &&
               bind_all(n, &outer);
    }
    oribi_body bodies[2] = {{.name = "then"}, {.name = "else"}};
    bodies[0].graph = read_branch(n, 0, "then", &outer, &is_blocked);
    ORIBI_TRY(bodies[0].graph != NULL);
    bodies[1].graph = read_branch(n, 1, "else", &outer, &is_blocked);
    if (bodies[1].graph == NULL || is_blocked) {
        oribi_graph_destroy(bodies[0].graph);
        oribi_graph_destroy(bodies[1].graph);
        if (is_blocked && !n->failed) {
            oribi_tflite_block_outputs(n);
        }
        return !n->failed;
    }
    return make_if(n, &outer, bodies);
}

/* --- WHILE -------------------------------------------------------------------------------------
 */

/* The body's outputs, and the condition of the next iteration, which asks those. */
static oribi_graph *read_body(oribi_tflite_node *n, const call *outer, const oribi_shape *shapes,
                              bool *out_blocked)
{
    static const oribi_shape scalar = {0, NULL};
    call inner, asked = {0};
    oribi_graph *graph = begin_body(n);
    if (graph == NULL) {
        return NULL;
    }
    bool ok = add_formal(n, graph, "iteration", TF_INT64, &scalar) >= 0 &&
              add_formal(n, graph, "condition", TF_BOOL, &scalar) >= 0 &&
              add_formals(n, graph, outer, shapes, &inner) &&
              read_subgraph(n, oribi_tflite_int(n, 1, 0), "body", &inner);
    *out_blocked = ok && inner.is_blocked;
    if (ok && !inner.is_blocked) {
        asked.inputs = inner.outputs;
        asked.n_inputs = inner.n_outputs;
        ok = read_subgraph(n, oribi_tflite_int(n, 0, 0), "condition", &asked);
        *out_blocked = ok && asked.is_blocked;
        ok = ok && (asked.n_outputs == 1 ||
                    oribi_tflite_fail(n, TF_INVALID_ARGUMENT, "its condition has %d outputs",
                                      (int)asked.n_outputs));
        ok = ok &&
             (asked.is_blocked || (add_outputs(n, graph, &asked) && add_outputs(n, graph, &inner)));
    }
    return end_body(n, graph, ok);
}

static bool check_body(oribi_tflite_node *n, const oribi_graph *body, const call *outer)
{
    bool fits = body->n_outputs == 1 + outer->n_inputs && n->n_outputs == outer->n_inputs &&
                body->values[body->outputs[0]]->dtype == TF_BOOL;
    for (int32_t i = 0; fits && i < outer->n_inputs; i++) {
        fits =
            body->values[body->outputs[1 + i]]->dtype == n->graph->values[outer->inputs[i]]->dtype;
    }
    return fits || oribi_tflite_fail(n, TF_INVALID_ARGUMENT,
                                     "its body does not give a condition and the %d values that "
                                     "it takes",
                                     (int)outer->n_inputs);
}

/* Shapes that hold for every iteration: as the loop begins, but for what the body changes. */
static oribi_graph *settle_body(oribi_tflite_node *n, const call *outer, oribi_shape *shapes,
                                bool *out_blocked)
{
    oribi_arena *kept = &n->tflite->kept;
    for (int attempt = 1;; attempt++) {
        oribi_graph *body = read_body(n, outer, shapes, out_blocked);
        if (body == NULL || *out_blocked) {
            return body;
        }
        bool ok = check_body(n, body, outer), same = true;
        for (int32_t i = 0; ok && i < outer->n_inputs; i++) {
            ok = oribi_import_widen(kept, &body->values[body->outputs[1 + i]]->shape, attempt,
                                    &shapes[i], &same, n->status);
        }
        if (ok && (same || attempt > ORIBI_IMPORT_ATTEMPTS)) {
            return body;
        }
        oribi_graph_destroy(body);
        if (!ok) {
            n->failed = true;
            return NULL;
        }
    }
}

static bool make_while(oribi_tflite_node *n, const call *outer, oribi_value_id condition,
                       const oribi_shape *shapes, oribi_graph *graph)
{
    static const int64_t endless = INT64_MAX;
    const int32_t count = outer->n_inputs;
    const oribi_body body = {.graph = graph, .name = "body", .n_formals = 2 + count};
    oribi_value_id *inputs =
        oribi_arena_array(&n->tflite->scratch, (size_t)count + 3, sizeof *inputs);
    oribi_attrs attrs = {0};
    const oribi_value_id trips =
        oribi_graph_add_constant_copy(n->graph, "endless", TF_INT64, NULL, 0, &endless, n->status);
    if (inputs == NULL || trips < 0 ||
        !set_types(n, &attrs, "Tcarried", n->graph, outer->inputs, count) ||
        !set_types(n, &attrs, "Tcaptured", n->graph, NULL, 0) ||
        !set_types(n, &attrs, "Tcollected", n->graph, NULL, 0)) {
        n->failed = true;
        oribi_graph_destroy(graph);
        return oribi_ok(n->status) ? oribi_fail_memory(n->status) : false;
    }
    inputs[0] = trips;
    inputs[1] = condition;
    for (int32_t i = 0; i < count; i++) {
        inputs[2 + i] = outer->inputs[i];
    }
    const oribi_node *node = make_node(n, "Oribi>Loop", inputs, 2 + count, &attrs, &body, 1);
    for (int32_t i = 0; node != NULL && i < count; i++) {
        ORIBI_TRY(bind_joined(n, node, i, &shapes[i], &n->graph->values[outer->inputs[i]]->shape));
    }
    return node != NULL;
}

static bool translate_while(oribi_tflite_node *n)
{
    call outer, first;
    bool is_blocked = false;
    ORIBI_TRY(read_arguments(n, 0, &outer));
    first = outer;
    ORIBI_TRY(read_subgraph(n, oribi_tflite_int(n, 0, 0), "condition", &first));
    oribi_shape *shapes =
        oribi_arena_array(&n->tflite->kept, (size_t)outer.n_inputs + 1, sizeof *shapes);
    bool ok = shapes != NULL;
    for (int32_t i = 0; ok && i < outer.n_inputs; i++) {
        const oribi_shape *shape = &n->graph->values[outer.inputs[i]]->shape;
        ok = oribi_shape_copy(&n->tflite->kept, shape->dims, shape->rank, &shapes[i]);
    }
    if (!ok) {
        return oribi_tflite_no_memory(n);
    }
    if (!first.is_blocked && first.n_outputs != 1) {
        return oribi_tflite_fail(n, TF_INVALID_ARGUMENT, "its condition has %d outputs",
                                 (int)first.n_outputs);
    }
    oribi_graph *body = first.is_blocked ? NULL : settle_body(n, &outer, shapes, &is_blocked);
    if (first.is_blocked || is_blocked) {
        oribi_graph_destroy(body);
        oribi_tflite_block_outputs(n);
        return is_blocked || read_subgraph(n, oribi_tflite_int(n, 1, 0), "body", NULL);
    }
    return body != NULL && make_while(n, &outer, first.outputs[0], shapes, body);
}

/* --- What waits --------------------------------------------------------------------------------
 */

bool oribi_tflite_missing_inside(oribi_tflite_node *n)
{
    if (n->row == NULL) {
        return true;
    }
    if (n->row->translate == translate_call) {
        return read_subgraph(n, oribi_tflite_int(n, 0, 0), "call", NULL);
    }
    const bool is_while = n->row->translate == translate_while;
    if (!is_while && n->row->translate != translate_if) {
        return true;
    }
    const int64_t first = oribi_tflite_int(n, 0, 0), second = oribi_tflite_int(n, 1, 0);
    return !n->failed && read_subgraph(n, first, is_while ? "condition" : "then", NULL) &&
           read_subgraph(n, second, is_while ? "body" : "else", NULL);
}

/* clang-format off */
const oribi_tflite_row oribi_tflite_control_rows[] = {
    {31, 16, 0, -1, -1, translate_call, NULL},
    {118, 92, 1, -1, -1, translate_if, NULL},
    {119, 93, 0, -1, -1, translate_while, NULL},
    {0, 0, 0, 0, 0, NULL, NULL},
};
/* clang-format on */
