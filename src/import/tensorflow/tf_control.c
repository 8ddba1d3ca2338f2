/* SPDX-License-Identifier: Apache-2.0 */
/* If and While: functions become graphs of a node. A loop's body computes the condition anew, and
 * the loop begins with the condition of its inputs; what no iteration changes is not carried.
 */
#include <string.h>

#include "base/alloc.h"
#include "import/tensorflow/tensorflow.h"

enum { ATTEMPTS = 4 };

/* --- Graphs of their own -------------------------------------------------------------------- */

/* What tf->graph was before a body. */
typedef struct around {
    oribi_graph *graph;
    int32_t scope;
} around;

static oribi_graph *begin_body(oribi_tf *tf, around *out, TF_Status *status)
{
    oribi_graph *graph =
        oribi_import_begin(tf->graph->source_name, "tensorflow", tf->options, status);
    if (graph != NULL) {
        *out = (around){tf->graph, tf->scope};
        graph->made_bytes = tf->graph->made_bytes + tf->graph->arena.used_bytes;
        tf->graph = graph;
        tf->scope = ++tf->n_scopes;
    }
    return graph;
}

/* The graph, ready; or NULL. */
static oribi_graph *end_body(oribi_tf *tf, const around *before, bool ok, TF_Status *status)
{
    oribi_graph *graph = tf->graph;
    const uint64_t base = before->graph->made_bytes + before->graph->arena.used_bytes;
    tf->graph = before->graph;
    tf->scope = before->scope;
    if (ok) {
        oribi_graph_remove_dead(graph);
        ok = oribi_graph_sort(graph, status);
        graph->made_bytes -= base < graph->made_bytes ? base : graph->made_bytes;
    }
    if (!ok) {
        oribi_graph_destroy(graph);
        return NULL;
    }
    return graph;
}

static oribi_value_id add_formal(oribi_tf *tf, const char *name, TF_DataType dtype,
                                 const oribi_shape *shape, TF_Status *status)
{
    const oribi_value_id value = oribi_graph_add_value(tf->graph, name, dtype, shape, status);
    return value >= 0 && oribi_graph_add_input(tf->graph, value, name, status) ? value : -1;
}

static bool set_types(oribi_tf *tf, oribi_attrs *attrs, const char *name, const oribi_graph *graph,
                      const oribi_value_id *values, int32_t n, TF_Status *status)
{
    TF_DataType *types = oribi_arena_array(&tf->kept, (size_t)n + 1, sizeof *types);
    for (int32_t i = 0; types != NULL && i < n; i++) {
        types[i] = graph->values[values[i]]->dtype;
    }
    return (types != NULL && oribi_attrs_set_types(attrs, &tf->graph->arena, name, types, n)) ||
           oribi_fail_memory(status);
}

/* Takes the bodies over. NULL: status set. */
static oribi_node *make_node(oribi_tf *tf, const char *op, const char *name,
                             const oribi_value_id *inputs, int32_t n_inputs, int32_t n_outputs,
                             const oribi_attrs *attrs, const oribi_body *bodies, int32_t n_bodies,
                             TF_Status *status)
{
    oribi_node *node =
        oribi_graph_add_node(tf->graph, op, name, inputs, n_inputs, n_outputs, status);
    if (node == NULL) {
        for (int32_t k = 0; k < n_bodies; k++) {
            oribi_graph_destroy(bodies[k].graph);
        }
        return NULL;
    }
    node->attrs = *attrs;
    return oribi_graph_give_bodies(tf->graph, node, bodies, n_bodies, status) &&
                   oribi_graph_resolve(tf->graph, node, status)
               ? node
               : NULL;
}

static bool any_blocked(const oribi_value_id *values, int32_t n)
{
    bool is_blocked = false;
    for (int32_t i = 0; i < n; i++) {
        is_blocked = is_blocked || values[i] == ORIBI_TF_BLOCKED;
    }
    return is_blocked;
}

static int32_t block_all(oribi_value_id *out, int32_t n)
{
    for (int32_t i = 0; i < n; i++) {
        out[i] = ORIBI_TF_BLOCKED;
    }
    return n;
}

/* --- If and Case ---------------------------------------------------------------------------- */

/* What is chosen among: of a Case the first input is the index, which functions do not take; branch
 * i of it is taken where the index is i, the last one elsewhere. */
typedef struct choice {
    oribi_tf *tf;
    const char *label;
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

/* A branch, whose inputs are tensors of the graph around it and handles. */
static oribi_graph *read_branch(const choice *c, bool is_first, oribi_value_id *results,
                                TF_Status *status)
{
    around before;
    oribi_tf *tf = c->tf;
    oribi_graph *outer = tf->graph;
    oribi_value_id *inner = oribi_arena_array(&tf->kept, (size_t)c->n_inputs + 1, sizeof *inner);
    if (inner == NULL) {
        oribi_fail_memory(status);
        return NULL;
    }
    if (begin_body(tf, &before, status) == NULL) {
        return NULL;
    }
    bool ok = true;
    for (int32_t i = 0; ok && i < c->n_inputs; i++) {
        inner[i] = c->inputs[i];
        if (c->inputs[i] >= 0) {
            const oribi_value *value = outer->values[c->inputs[i]];
            inner[i] = add_formal(tf, value->name, value->dtype, &value->shape, status);
            ok = inner[i] >= 0;
        }
    }
    choice rest = *c;
    rest.inputs = inner;
    rest.branches += is_first ? 0 : 1;
    rest.n_branches = is_first ? 1 : c->n_branches - 1;
    rest.first += is_first ? 0 : 1;
    ok = ok && (c->is_case ? choose_case(&rest, results, status)
                           : oribi_tf_call(tf, rest.branches, c->label, is_first ? "then" : "else",
                                           inner, results, status));
    const bool is_blocked = ok && any_blocked(results, c->n_outputs);
    for (int32_t i = 0; ok && !is_blocked && i < c->n_outputs; i++) {
        if (results[i] < 0) {
            ok = oribi_fail(status, TF_UNIMPLEMENTED, "a branch gives a variable or table out");
        }
        ok = ok && oribi_graph_add_output(tf->graph, results[i], "result", status);
    }
    return end_body(tf, &before, ok, status);
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
        inputs[0] = condition;
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
    ok = ok && set_types(tf, &attrs, "Tcaptured", tf->graph, inputs + 1, count, status) &&
         set_types(tf, &attrs, "Tresults", a, a->outputs, c->n_outputs, status);
    if (!ok) {
        oribi_graph_destroy(bodies[0].graph);
        oribi_graph_destroy(bodies[1].graph);
        return false;
    }
    bodies[0].captured = bodies[1].captured = captured;
    bodies[0].n_captured = bodies[1].n_captured = count;
    const oribi_node *made = make_node(tf, "Oribi>If", c->label, inputs, 1 + count, c->n_outputs,
                                       &attrs, bodies, 2, status);
    for (int32_t i = 0; made != NULL && i < c->n_outputs; i++) {
        out[i] = made->outputs[i];
        oribi_value *value = tf->graph->values[out[i]];
        ORIBI_TRY(oribi_import_join_shape(&tf->graph->arena, &a->values[a->outputs[i]]->shape,
                                          &b->values[b->outputs[i]]->shape, &value->shape) ||
                  oribi_fail_memory(status));
    }
    return made != NULL;
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
    if (any_blocked(results, 2 * c->n_outputs)) {
        oribi_graph_destroy(bodies[0].graph);
        oribi_graph_destroy(bodies[1].graph);
        block_all(out, c->n_outputs);
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

/* A branch that hands one of its two inputs on. */
static oribi_graph *hand_on(const choice *c, int32_t which, TF_Status *status)
{
    around before;
    oribi_graph *outer = c->tf->graph;
    if (begin_body(c->tf, &before, status) == NULL) {
        return NULL;
    }
    oribi_value_id inner[2] = {-1, -1};
    bool ok = true;
    for (int i = 0; ok && i < 2; i++) {
        const oribi_value *value = outer->values[c->inputs[i]];
        inner[i] = add_formal(c->tf, value->name, value->dtype, &value->shape, status);
        ok = inner[i] >= 0;
    }
    ok = ok && oribi_graph_add_output(c->tf->graph, inner[which], "result", status);
    return end_body(c->tf, &before, ok, status);
}

bool oribi_tf_make_choice(oribi_tf *tf, const char *label, oribi_value_id condition,
                          oribi_value_id when_true, oribi_value_id when_false, oribi_value_id *out,
                          TF_Status *status)
{
    const oribi_value_id inputs[] = {when_true, when_false};
    const choice c = {.tf = tf, .label = label, .inputs = inputs, .n_inputs = 2, .n_outputs = 1};
    oribi_body bodies[2] = {{.name = "then"}, {.name = "else"}};
    bool is_true = false;
    if (condition < 0 || when_true < 0 || when_false < 0) {
        return oribi_fail(status, TF_UNIMPLEMENTED, "it chooses between what is no tensor");
    }
    if (oribi_import_truth(tf->graph, condition, &is_true)) {
        out[0] = is_true ? when_true : when_false;
        return true;
    }
    for (int k = 0; k < 2; k++) {
        bodies[k].graph = hand_on(&c, k, status);
        if (bodies[k].graph == NULL) {
            oribi_graph_destroy(bodies[0].graph);
            return false;
        }
    }
    return finish_if(&c, condition, bodies, out, status);
}

/* --- While ---------------------------------------------------------------------------------- */

/* Formals for what is carried, then for what is captured, in order of the inputs. */
static bool add_formals(oribi_tf_loop *self, const oribi_graph *outer, oribi_value_id *inner,
                        TF_Status *status)
{
    for (int pass = 0; pass < 2; pass++) {
        for (int32_t i = 0; i < self->n; i++) {
            const oribi_value_id id = self->inputs[i];
            if (id < 0) {
                inner[i] = id;
            } else if (self->is_carried[i] == (pass == 0)) {
                const oribi_value *value = outer->values[id];
                inner[i] = add_formal(self->tf, value->name, value->dtype,
                                      pass == 0 ? &self->shapes[i] : &value->shape, status);
                ORIBI_TRY(inner[i] >= 0);
            }
        }
    }
    return true;
}

static oribi_graph *read_body(oribi_tf_loop *self, TF_Status *status)
{
    static const oribi_shape scalar = {0, NULL};
    oribi_tf *tf = self->tf;
    around before;
    const oribi_graph *outer = tf->graph;
    oribi_value_id *inner = oribi_arena_array(&tf->kept, (size_t)self->n + 1, sizeof *inner);
    oribi_value_id *next = oribi_arena_array(&tf->kept, (size_t)self->n + 1, sizeof *next);
    oribi_value_id asked = -1;
    if (inner == NULL || next == NULL) {
        oribi_fail_memory(status);
        return NULL;
    }
    if (begin_body(tf, &before, status) == NULL) {
        return NULL;
    }
    bool ok = add_formal(tf, "iteration", TF_INT64, &scalar, status) >= 0 &&
              add_formal(tf, "condition", TF_BOOL, &scalar, status) >= 0 &&
              add_formals(self, outer, inner, status) && self->body(self, inner, next, status);
    self->is_blocked = ok && any_blocked(next, self->n);
    for (int32_t i = 0; ok && i < self->n; i++) {
        if (!self->is_carried[i]) {
            next[i] = inner[i];
        }
    }
    ok = ok && (self->is_blocked || self->condition(self, next, &asked, status));
    self->is_blocked = self->is_blocked || asked == ORIBI_TF_BLOCKED;
    if (ok && !self->is_blocked) {
        ok =
            (asked >= 0 || oribi_fail(status, TF_INVALID_ARGUMENT, "its condition is no tensor")) &&
            oribi_graph_add_output(tf->graph, asked, "condition", status);
        for (int32_t i = 0; ok && i < self->n; i++) {
            ok = !self->is_carried[i] ||
                 ((next[i] >= 0 ||
                   oribi_fail(status, TF_UNIMPLEMENTED, "its body makes a variable or table")) &&
                  oribi_graph_add_output(tf->graph, next[i], "result", status));
        }
    }
    return end_body(tf, &before, ok, status);
}

/* Shapes that hold for every iteration: as the loop begins, but for what the body changes. */
static oribi_graph *settle_body(oribi_tf_loop *self, TF_Status *status)
{
    for (int attempt = 1;; attempt++) {
        oribi_graph *body = read_body(self, status);
        if (body == NULL || self->is_blocked) {
            return body;
        }
        bool ok = true, same = true;
        for (int32_t i = 0, k = 1; ok && i < self->n; i++) {
            oribi_shape joined;
            if (!self->is_carried[i]) {
                continue;
            }
            const oribi_value *made = body->values[body->outputs[k++]];
            ok = made->dtype == self->tf->graph->values[self->inputs[i]]->dtype ||
                 oribi_fail(status, TF_INVALID_ARGUMENT, "output %d of its body is of another type",
                            (int)i);
            ok = ok && (oribi_import_join_shape(&self->tf->kept, &self->shapes[i], &made->shape,
                                                &joined) ||
                        oribi_fail_memory(status));
            same = same && ok && joined.rank == self->shapes[i].rank;
            for (int32_t d = 0; same && d < joined.rank; d++) {
                same = joined.dims[d] == self->shapes[i].dims[d];
            }
            self->shapes[i] = ok && attempt < ATTEMPTS ? joined : (oribi_shape){.rank = -1};
        }
        if (ok && (same || attempt > ATTEMPTS)) {
            return body;
        }
        oribi_graph_destroy(body);
        if (!ok) {
            return NULL;
        }
    }
}

/* Takes the body over. */
static int32_t finish_while(oribi_tf_loop *self, oribi_value_id condition, oribi_graph *graph,
                            oribi_value_id *out, TF_Status *status)
{
    static const int64_t endless = INT64_MAX;
    oribi_tf *tf = self->tf;
    oribi_body body = {.graph = graph, .name = "body", .n_formals = 2 + self->n_carried};
    oribi_value_id *inputs = oribi_arena_array(&tf->kept, (size_t)self->n + 2, sizeof *inputs);
    body.captured = oribi_arena_array(&tf->kept, (size_t)self->n + 1, sizeof *body.captured);
    oribi_attrs attrs = {0};
    const oribi_value_id trips =
        oribi_graph_add_constant_copy(tf->graph, "endless", TF_INT64, NULL, 0, &endless, status);
    bool ok =
        trips >= 0 && ((inputs != NULL && body.captured != NULL) || oribi_fail_memory(status));
    int32_t n = 2;
    for (int pass = 0; ok && pass < 2; pass++) {
        for (int32_t i = 0; i < self->n; i++) {
            if (self->inputs[i] >= 0 && self->is_carried[i] == (pass == 0)) {
                if (pass == 1) {
                    body.captured[body.n_captured++] = n;
                }
                inputs[n++] = self->inputs[i];
            }
        }
    }
    if (ok) {
        inputs[0] = trips;
        inputs[1] = condition;
    }
    ok = ok && set_types(tf, &attrs, "Tcarried", tf->graph, inputs + 2, self->n_carried, status) &&
         set_types(tf, &attrs, "Tcaptured", tf->graph, inputs + 2 + self->n_carried,
                   body.n_captured, status) &&
         set_types(tf, &attrs, "Tcollected", tf->graph, NULL, 0, status);
    if (!ok) {
        oribi_graph_destroy(graph);
        return -1;
    }
    const oribi_node *made = make_node(tf, "Oribi>Loop", self->label, inputs, n, self->n_carried,
                                       &attrs, &body, 1, status);
    for (int32_t i = 0, k = 0; made != NULL && i < self->n; i++) {
        out[i] = self->inputs[i];
        if (self->is_carried[i]) {
            out[i] = made->outputs[k++];
            tf->graph->values[out[i]]->shape = (oribi_shape){.rank = -1};
            if (!oribi_shape_copy(&tf->graph->arena, self->shapes[i].dims, self->shapes[i].rank,
                                  &tf->graph->values[out[i]]->shape)) {
                oribi_fail_memory(status);
                return -1;
            }
        }
    }
    return made != NULL ? self->n : -1;
}

int32_t oribi_tf_make_loop(oribi_tf_loop *self, oribi_value_id *out, TF_Status *status)
{
    oribi_value_id condition = -1;
    self->shapes = oribi_arena_array(&self->tf->kept, (size_t)self->n + 1, sizeof *self->shapes);
    if (self->shapes == NULL) {
        oribi_fail_memory(status);
        return -1;
    }
    for (int32_t i = 0; i < self->n; i++) {
        self->n_carried += self->is_carried[i];
        if (self->inputs[i] >= 0) {
            self->shapes[i] = self->tf->graph->values[self->inputs[i]]->shape;
        }
    }
    if (!self->condition(self, self->inputs, &condition, status)) {
        return -1;
    }
    oribi_graph *body = settle_body(self, status);
    if (body == NULL) {
        return -1;
    }
    if (self->is_blocked || condition == ORIBI_TF_BLOCKED) {
        oribi_graph_destroy(body);
        return block_all(out, self->n);
    }
    return finish_while(self, condition, body, out, status);
}

/* The functions of a While. */
typedef struct functions {
    oribi_tf_function body, condition;
} functions;

static bool call_body(oribi_tf_loop *self, const oribi_value_id *inputs, oribi_value_id *out,
                      TF_Status *status)
{
    const functions *f = self->arg;
    return oribi_tf_call(self->tf, &f->body, self->label, "body", inputs, out, status);
}

static bool call_condition(oribi_tf_loop *self, const oribi_value_id *inputs, oribi_value_id *out,
                           TF_Status *status)
{
    const functions *f = self->arg;
    return oribi_tf_call(self->tf, &f->condition, self->label, "cond", inputs, out, status);
}

/* Which values the body changes. */
static bool choose_carried(oribi_tf_loop *self, const functions *f, TF_Status *status)
{
    const bool *same = oribi_tf_handed_on(self->tf, &f->body, status);
    ORIBI_TRY(same != NULL);
    for (int32_t i = 0; i < self->n; i++) {
        if (self->inputs[i] < 0 && !same[i]) {
            return oribi_fail(status, TF_UNIMPLEMENTED,
                              "its body changes input %d, a variable or table", (int)i);
        }
        self->is_carried[i] = !same[i];
    }
    return true;
}

int32_t oribi_tf_make_while(oribi_tf_scope *scope, const oribi_graphdef_node *node,
                            oribi_value_id *out, int32_t max, TF_Status *status)
{
    functions f;
    oribi_tf *tf = scope->tf;
    const int32_t n = node->n_inputs;
    oribi_value_id *inputs = oribi_arena_array(&tf->kept, (size_t)n + 1, sizeof *inputs);
    oribi_tf_loop self = {.tf = tf,
                          .label = node->name,
                          .inputs = inputs,
                          .n = n,
                          .body = call_body,
                          .condition = call_condition,
                          .arg = &f,
                          .is_carried = oribi_arena_array(&tf->kept, (size_t)n + 1, sizeof(bool))};
    if (inputs == NULL || self.is_carried == NULL) {
        oribi_fail_memory(status);
        return -1;
    }
    if (!oribi_tf_function_of(tf, node, "body", &f.body, status) ||
        !oribi_tf_function_of(tf, node, "cond", &f.condition, status)) {
        return -1;
    }
    if (n > max || f.body.n_inputs != n || f.body.n_outputs != n || f.condition.n_inputs != n ||
        f.condition.n_outputs != 1) {
        oribi_fail(status, TF_INVALID_ARGUMENT, "its body or condition does not fit its inputs");
        return -1;
    }
    if (!oribi_tf_list_settle(tf, &f.body, node->name, node->inputs, n, inputs, status)) {
        return -1;
    }
    if (any_blocked(inputs, n)) {
        return block_all(out, n);
    }
    return choose_carried(&self, &f, status) ? oribi_tf_make_loop(&self, out, status) : -1;
}
