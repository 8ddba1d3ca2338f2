/* SPDX-License-Identifier: Apache-2.0 */
/* Loops: functions of a While, and whoever else says what an iteration is, become the graph of a
 * node. The body computes the condition anew, and the loop begins with the condition of its inputs;
 * what no iteration changes is not carried.
 */
#include <string.h>

#include "import/tensorflow/tf_list.h"

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
                inner[i] =
                    oribi_import_body_formal(self->tf->graph, value->name, value->dtype,
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
    oribi_tf_around before;
    const oribi_graph *outer = tf->graph;
    oribi_value_id *inner = oribi_arena_array(&tf->kept, (size_t)self->n + 1, sizeof *inner);
    oribi_value_id *next = oribi_arena_array(&tf->kept, (size_t)self->n + 1, sizeof *next);
    oribi_value_id asked = -1;
    if (inner == NULL || next == NULL) {
        oribi_fail_memory(status);
        return NULL;
    }
    if (oribi_tf_body_begin(tf, &before, status) == NULL) {
        return NULL;
    }
    bool ok = oribi_import_body_formal(tf->graph, "iteration", TF_INT64, &scalar, status) >= 0 &&
              oribi_import_body_formal(tf->graph, "condition", TF_BOOL, &scalar, status) >= 0 &&
              add_formals(self, outer, inner, status) && self->body(self, inner, next, status);
    self->is_blocked = ok && oribi_tf_any_blocked(next, self->n);
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
    return oribi_tf_body_end(tf, &before, ok, status);
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
            if (!self->is_carried[i]) {
                continue;
            }
            const oribi_value *made = body->values[body->outputs[k++]];
            ok = made->dtype == self->tf->graph->values[self->inputs[i]]->dtype ||
                 oribi_fail(status, TF_INVALID_ARGUMENT, "output %d of its body is of another type",
                            (int)i);
            ok = ok && oribi_import_widen(&self->tf->kept, &made->shape, attempt, &self->shapes[i],
                                          &same, status);
        }
        if (ok && (same || attempt > ORIBI_IMPORT_ATTEMPTS)) {
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
    ok = ok &&
         oribi_import_set_types(tf->graph, &attrs, "Tcarried", tf->graph, inputs + 2,
                                self->n_carried, status) &&
         oribi_import_set_types(tf->graph, &attrs, "Tcaptured", tf->graph,
                                inputs + 2 + self->n_carried, body.n_captured, status) &&
         oribi_import_set_types(tf->graph, &attrs, "Tcollected", tf->graph, NULL, 0, status);
    if (!ok) {
        oribi_graph_destroy(graph);
        return -1;
    }
    oribi_node *made = oribi_import_body_node(tf->graph, "Oribi>Loop", self->label, inputs, n,
                                              self->n_carried, &attrs, &body, 1, status);
    if (made == NULL || !oribi_graph_resolve(tf->graph, made, status)) {
        return -1;
    }
    for (int32_t i = 0, k = 0; i < self->n; i++) {
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
    return self->n;
}

int32_t oribi_tf_make_loop(oribi_tf_loop *self, oribi_value_id *out, TF_Status *status)
{
    oribi_value_id condition = -1;
    if (!oribi_tf_list_settle(self, status)) {
        return -1;
    }
    if (oribi_tf_any_blocked(self->inputs, self->n)) {
        return oribi_tf_block_all(out, self->n);
    }
    self->shapes = oribi_arena_array(&self->tf->kept, (size_t)self->n + 1, sizeof *self->shapes);
    if (self->shapes == NULL) {
        oribi_fail_memory(status);
        return -1;
    }
    for (int32_t i = 0; i < self->n; i++) {
        if (self->is_carried[i] && self->inputs[i] < 0) {
            oribi_fail(status, TF_UNIMPLEMENTED, "its body changes input %d, a variable or table",
                       (int)i);
            return -1;
        }
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
        return oribi_tf_block_all(out, self->n);
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
    memcpy(inputs, node->inputs, (size_t)n * sizeof *inputs);
    return choose_carried(&self, &f, status) ? oribi_tf_make_loop(&self, out, status) : -1;
}
