/* SPDX-License-Identifier: Apache-2.0 */
/* Loops that are described by two graphs: nodes that switch, as the older kind of loops has them,
 * with the graphs' own nodes between.
 */
#include <string.h>

#include "base/alloc.h"
#include "binding/binding.h"
#include "op/op_proto.h"

/* --- Two graphs ----------------------------------------------------------------------------- */

static TF_Output add_given(TF_Graph *graph, const char *way, int i, TF_DataType dtype,
                           TF_Status *status)
{
    oribi_text name = {0};
    oribi_text_printf(&name, "%s_input%d", way, i);
    TF_OperationDescription *desc = TF_NewOperation(graph, "Placeholder", oribi_text_string(&name));
    oribi_text_destroy(&name);
    if (desc == NULL) {
        oribi_fail_memory(status);
        return (TF_Output){NULL, 0};
    }
    TF_SetAttrType(desc, "dtype", dtype);
    return (TF_Output){TF_FinishOperation(desc, status), 0};
}

/* One of both; NULL, and the status set: it cannot be made. */
static TF_Graph *make_graph(TF_Graph *parent, const char *way, const TF_Output *inputs, int n,
                            TF_Output *out_inputs, TF_Status *status)
{
    TF_Graph *graph = TF_NewGraph();
    if (graph == NULL) {
        oribi_fail_memory(status);
        return NULL;
    }
    graph->around = parent;
    graph->given = oribi_arena_memdup(&graph->known->arena, inputs, (size_t)n * sizeof *inputs);
    bool ok = graph->given != NULL || oribi_fail_memory(status);
    for (int i = 0; ok && i < n; i++) {
        out_inputs[i] = add_given(graph, way, i, TF_OperationOutputType(inputs[i]), status);
        ok = out_inputs[i].oper != NULL;
    }
    if (!ok) {
        TF_DeleteGraph(graph);
        return NULL;
    }
    return graph;
}

TF_WhileParams TF_NewWhile(TF_Graph *g, TF_Output *inputs, int ninputs, TF_Status *status)
{
    static const TF_WhileParams none;
    const size_t n = ninputs > 0 ? (size_t)ninputs : 0;
    TF_SetStatus(status, TF_OK, "");
    if (n == 0) {
        oribi_fail(status, TF_INVALID_ARGUMENT, "TF_NewWhile() must be passed at least one input");
        return none;
    }
    TF_Output *ends = oribi_alloc_zero(3 * n, sizeof *ends);
    if (ends == NULL) {
        oribi_fail_memory(status);
        return none;
    }
    TF_Output *const results = ends + 2 * n;
    for (size_t i = 0; i < n; i++) {
        results[i].index = -1;
    }
    TF_Graph *cond = make_graph(g, "cond", inputs, ninputs, ends, status);
    TF_Graph *body = cond != NULL ? make_graph(g, "body", inputs, ninputs, ends + n, status) : NULL;
    if (body == NULL) {
        TF_DeleteGraph(cond);
        oribi_free(ends);
        return none;
    }
    return (TF_WhileParams){.ninputs = ninputs,
                            .cond_graph = cond,
                            .cond_inputs = ends,
                            .cond_output = {NULL, -1},
                            .body_graph = body,
                            .body_inputs = ends + n,
                            .body_outputs = results};
}

void TF_AbortWhile(const TF_WhileParams *params)
{
    TF_DeleteGraph(params->cond_graph);
    TF_DeleteGraph(params->body_graph);
    oribi_free((void *)(uintptr_t)params->cond_inputs);
}

/* --- Nodes of the loop ---------------------------------------------------------------------- */

typedef struct loop {
    TF_Graph *graph;
    const TF_WhileParams *params;
    const TF_Output *inputs;
    TF_Output *enter, *merge, *split, *next, *left; /* in the scratch memory, as many as inputs */
    TF_Operation **made;                            /* not linked yet */
    int32_t n_made;
    oribi_arena scratch;
    TF_Status *status;
} loop;

static bool set_attr(loop *self, TF_Operation *op, const char *name, TF_AttrType kind,
                     const void *value)
{
    const oribi_attr attr = {.name = name, .kind = (uint8_t)kind, .count = 1, .u.s = value};
    oribi_text message = {0};
    oribi_proto_attr_value(&message, &attr);
    const uint8_t *kept = message.failed ? NULL
                                         : oribi_binding_keep(self->graph, message.data,
                                                              message.length, self->status);
    const size_t bytes = message.length;
    oribi_text_destroy(&message);
    return (kept != NULL || !oribi_ok(self->status) || oribi_fail_memory(self->status)) &&
           oribi_binding_set_attr(op, (oribi_string){name, strlen(name)},
                                  oribi_wire_over(kept, bytes), self->status);
}

/* Output 0 of a new node, which is settled and has a name, but is linked later. */
static bool add(loop *self, const char *type, const TF_Output *inputs, int n, TF_Output *out)
{
    TF_Status *status = self->status;
    const char *name = oribi_arena_printf(&self->scratch, "%s/%s", self->params->name, type);
    name = oribi_binding_free_name(self->graph, NULL, &self->scratch, name);
    ORIBI_TRY(name != NULL || oribi_fail_memory(status));
    TF_Operation *op = oribi_binding_operation(self->graph, (oribi_string){type, strlen(type)},
                                               (oribi_string){name, strlen(name)}, status);
    ORIBI_TRY(op != NULL);
    const TF_DataType dtype = oribi_binding_value(inputs[0], status)->dtype;
    for (int i = 0; i < n; i++) {
        ORIBI_TRY(oribi_binding_add_input(op, inputs[i], status));
    }
    ORIBI_TRY(strcmp(type, "LoopCond") == 0 || set_attr(self, op, "T", TF_ATTR_TYPE, &dtype));
    if (strcmp(type, "Enter") == 0) {
        const oribi_string frame = {self->params->name, strlen(self->params->name)};
        const uint8_t no = 0;
        const int64_t most = 32;
        ORIBI_TRY(set_attr(self, op, "frame_name", TF_ATTR_STRING, &frame) &&
                  set_attr(self, op, "is_constant", TF_ATTR_BOOL, &no) &&
                  set_attr(self, op, "parallel_iterations", TF_ATTR_INT, &most));
    } else if (strcmp(type, "Merge") == 0) {
        const int64_t two = 2;
        ORIBI_TRY(set_attr(self, op, "N", TF_ATTR_INT, &two));
    }
    *out = (TF_Output){op, 0};
    self->made[self->n_made++] = op;
    return oribi_binding_settle(op, true, 0, status) && oribi_binding_put(op, status);
}

/* One node for each input, of `from` and, where that is given, of `second`. */
static bool add_each(loop *self, const char *type, const TF_Output *from, const TF_Output *second,
                     TF_Output *out)
{
    for (int i = 0; i < self->params->ninputs; i++) {
        const TF_Output ends[] = {from[i], second != NULL ? *second : from[i]};
        ORIBI_TRY(add(self, type, ends, second != NULL ? 2 : 1, &out[i]));
    }
    return true;
}

/* --- Nodes of the graphs -------------------------------------------------------------------- */

/* Puts the graph's nodes into the parent: its inputs become `sources`, its n outputs `out`. */
static bool copy(loop *self, TF_Graph *graph, const char *way, const TF_Output *given,
                 const TF_Output *sources, const TF_Output *outputs, int n, TF_Output *out)
{
    const int n_inputs = self->params->ninputs;
    oribi_arena *arena = &self->scratch;
    oribi_binding_mapping *m =
        oribi_arena_array(arena, (size_t)n_inputs + (size_t)n + 1, sizeof *m);
    const char *prefix = oribi_arena_printf(arena, "%s/%s", self->params->name, way);
    ORIBI_TRY((m != NULL && prefix != NULL) || oribi_fail_memory(self->status));
    oribi_binding_mapping *const wanted = m + n_inputs, *const control = wanted + n;
    for (int i = 0; i < n_inputs; i++) {
        given[i].oper->is_given = true;
        m[i] = (oribi_binding_mapping){given[i].oper->name, 0, sources[i], false,
                                       i + 1 < n_inputs ? &m[i + 1] : NULL};
    }
    for (int i = 0; i < n; i++) {
        wanted[i] = (oribi_binding_mapping){.name = outputs[i].oper->name,
                                            .index = outputs[i].index,
                                            .next = i + 1 < n ? &wanted[i + 1] : NULL};
    }
    *control = (oribi_binding_mapping){.index = -1, .dst = {sources[0].oper, -1}};
    const TF_ImportGraphDefOptions options = {.prefix = prefix,
                                              .uniquifies_names = true,
                                              .mappings = m,
                                              .outputs = wanted,
                                              .controls = control,
                                              .n_outputs = n};
    oribi_text text = {0};
    TF_ImportGraphDefResults results = {.n_outputs = 0};
    oribi_mutex_lock(&graph->lock);
    oribi_binding_write_graph(&text, graph);
    oribi_mutex_unlock(&graph->lock);
    const uint8_t *kept =
        text.failed ? NULL : oribi_binding_keep(self->graph, text.data, text.length, self->status);
    bool ok = (kept != NULL || !oribi_ok(self->status) || oribi_fail_memory(self->status)) &&
              oribi_binding_import(self->graph, oribi_wire_over(kept, text.length), &options,
                                   &results, self->status);
    for (int i = 0; ok && i < n; i++) {
        out[i] = results.outputs[i];
    }
    oribi_text_destroy(&text);
    oribi_arena_destroy(&results.arena);
    return ok;
}

/* --- The end -------------------------------------------------------------------------------- */

static bool check(const TF_WhileParams *params, TF_Status *status)
{
    if (params->name == NULL) {
        return oribi_fail(status, TF_INVALID_ARGUMENT, "TF_WhileParams `name` field is null");
    }
    if (params->cond_output.oper == NULL || params->cond_output.oper->graph != params->cond_graph) {
        return oribi_fail(status, TF_INVALID_ARGUMENT,
                          "TF_WhileParams `cond_output` field isn't set");
    }
    for (int i = 0; i < params->ninputs; i++) {
        if (params->body_outputs[i].oper == NULL ||
            params->body_outputs[i].oper->graph != params->body_graph) {
            return oribi_fail(status, TF_INVALID_ARGUMENT,
                              "TF_WhileParams `body_outputs[%d]` field isn't set", i);
        }
    }
    const TF_DataType dtype = TF_OperationOutputType(params->cond_output);
    return dtype == TF_BOOL ||
           oribi_fail(status, TF_INVALID_ARGUMENT,
                      "BuildWhileLoop: 'cond' argument must return a boolean output, got type %d "
                      "(TF_DataType)",
                      (int)dtype);
}

static bool check_types(const loop *self, const TF_Output *results)
{
    for (int i = 0; i < self->params->ninputs; i++) {
        const oribi_value *was = oribi_binding_value(self->merge[i], self->status);
        const oribi_value *is = oribi_binding_value(results[i], self->status);
        ORIBI_TRY(was != NULL && is != NULL);
        if (was->dtype != is->dtype) {
            return oribi_fail(self->status, TF_INVALID_ARGUMENT,
                              "output %d of the loop's body is of type %d (TF_DataType), its input "
                              "of type %d",
                              i, (int)is->dtype, (int)was->dtype);
        }
    }
    return true;
}

static bool build(loop *self)
{
    const TF_WhileParams *p = self->params;
    TF_Output condition, wanted, *results;
    const size_t n = (size_t)p->ninputs;
    results = oribi_arena_array(&self->scratch, n, sizeof *results);
    ORIBI_TRY(results != NULL || oribi_fail_memory(self->status));
    ORIBI_TRY(add_each(self, "Enter", self->inputs, NULL, self->enter));
    for (size_t i = 0; i < n; i++) { /* its second input comes when there is one */
        const TF_Output ends[] = {self->enter[i], self->enter[i]};
        ORIBI_TRY(add(self, "Merge", ends, 2, &self->merge[i]));
    }
    ORIBI_TRY(copy(self, p->cond_graph, "cond", p->cond_inputs, self->merge, &p->cond_output, 1,
                   &wanted) &&
              add(self, "LoopCond", &wanted, 1, &condition) &&
              add_each(self, "Switch", self->merge, &condition, self->split));
    for (size_t i = 0; i < n; i++) {
        self->next[i] = (TF_Output){self->split[i].oper, 1};
    }
    ORIBI_TRY(copy(self, p->body_graph, "body", p->body_inputs, self->next, p->body_outputs,
                   p->ninputs, results) &&
              check_types(self, results) &&
              add_each(self, "NextIteration", results, NULL, self->next) &&
              add_each(self, "Exit", self->split, NULL, self->left));
    for (size_t i = 0; i < n; i++) {
        self->merge[i].oper->inputs[1] = self->next[i];
    }
    for (int32_t i = 0; i < self->n_made; i++) {
        ORIBI_TRY(oribi_binding_link(self->made[i], self->status));
    }
    return true;
}

void TF_FinishWhile(const TF_WhileParams *params, TF_Status *status, TF_Output *outputs)
{
    TF_Graph *graph = params->cond_graph != NULL ? params->cond_graph->around : NULL;
    loop self = {.graph = graph, .params = params, .status = status};
    TF_SetStatus(status, TF_OK, "");
    if (graph == NULL) {
        oribi_fail(status, TF_INVALID_ARGUMENT, "these are no parameters of TF_NewWhile()");
        return;
    }
    if (check(params, status)) {
        const size_t n = (size_t)params->ninputs;
        oribi_mutex_lock(&graph->lock);
        self.inputs = params->cond_graph->given;
        self.enter = oribi_arena_array(&self.scratch, 5 * n, sizeof *self.enter);
        self.made = oribi_arena_array(&self.scratch, 5 * n + 1, sizeof *self.made);
        if (self.enter == NULL || self.made == NULL) {
            oribi_fail_memory(status);
        } else {
            self.merge = self.enter + n;
            self.split = self.merge + n;
            self.next = self.split + n;
            self.left = self.next + n;
            if (build(&self)) {
                memcpy(outputs, self.left, n * sizeof *outputs);
            }
        }
        oribi_mutex_unlock(&graph->lock);
        oribi_arena_destroy(&self.scratch);
    }
    TF_AbortWhile(params);
}
