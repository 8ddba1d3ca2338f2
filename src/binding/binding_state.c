/* SPDX-License-Identifier: Apache-2.0 */
/* Targets, and the variables of a session that they assign. A run reads variables as they were
 * before it and assigns when it is over; where a graph wants another order, it is refused. What
 * runs read is part of their plan, so that an assignment makes new plans: this is for initialising,
 * not for training.
 */
#include <string.h>

#include "base/alloc.h"
#include "binding/binding_session.h"
#include "import/graphdef/graphdef_attr.h"
#include "tensor/tensor.h"

/* --- Kinds of operations -------------------------------------------------------------------- */

static bool is_one_of(const char *type, const char *const *types, size_t n)
{
    for (size_t i = 0; i < n; i++) {
        if (strcmp(types[i], type) == 0) {
            return true;
        }
    }
    return false;
}

/* What tables and assertions do is done when the model is opened, or is no effect. */
static bool is_done_already(const TF_Operation *op)
{
    static const char *const types[] = {"Assert",
                                        "DisableCopyOnRead",
                                        "InitializeTable",
                                        "InitializeTableFromTextFile",
                                        "InitializeTableFromTextFileV2",
                                        "InitializeTableV2",
                                        "LookupTableImportV2",
                                        "NoOp"};
    return is_one_of(op->type, types, sizeof types / sizeof types[0]);
}

static bool replaces(const TF_Operation *op)
{
    return strcmp(op->type, "Assign") == 0 || strcmp(op->type, "AssignVariableOp") == 0;
}

static bool changes(const TF_Operation *op)
{
    static const char *const types[] = {"AssignAdd", "AssignAddVariableOp", "AssignSub",
                                        "AssignSubVariableOp"};
    return is_one_of(op->type, types, sizeof types / sizeof types[0]);
}

static bool refuse_effect(const TF_Operation *op, TF_Status *status)
{
    return oribi_fail(status, TF_UNIMPLEMENTED,
                      "'%s' (%s) is to run and has no outputs: what else it does is not supported",
                      op->name, op->type);
}

/* --- Order ---------------------------------------------------------------------------------- */

/* Operations that are yet to be looked at; each comes once. */
typedef struct walk {
    const TF_Operation **todo;
    size_t n;
    oribi_map seen;
} walk;

static bool walk_begin(walk *self, const TF_Graph *graph, TF_Status *status)
{
    *self = (walk){.todo = oribi_alloc_array((size_t)graph->n_ops + 1, sizeof *self->todo)};
    return self->todo != NULL || oribi_fail_memory(status);
}

static bool walk_add(walk *self, const TF_Operation *op, TF_Status *status)
{
    if (oribi_map_get(&self->seen, op->name) != NULL) {
        return true;
    }
    self->todo[self->n++] = op;
    return oribi_map_put(&self->seen, op->name, (void *)(uintptr_t)op) || oribi_fail_memory(status);
}

static void walk_end(walk *self)
{
    oribi_map_destroy(&self->seen);
    oribi_free(self->todo);
}

/* Nothing that is computed may wait for an assignment, because it would see the new value, nor for
 * what is not done here. */
static bool check_order(walk *computed, TF_Status *status)
{
    for (size_t at = 0; at < computed->n; at++) {
        const TF_Operation *op = computed->todo[at];
        if (replaces(op) || changes(op)) {
            return oribi_fail(status, TF_UNIMPLEMENTED,
                              "'%s' (%s) is assigned before others of the same run compute: run it "
                              "as a target first, then them",
                              op->name, op->type);
        }
        if (op->n_outputs == 0 && !is_done_already(op)) {
            return refuse_effect(op, status);
        }
        for (int32_t i = 0; i < op->n_inputs; i++) {
            ORIBI_TRY(walk_add(computed, op->inputs[i].oper, status));
        }
        for (int32_t i = 0; i < op->n_controls; i++) {
            ORIBI_TRY(walk_add(computed, op->controls[i], status));
        }
    }
    return true;
}

/* --- Targets -------------------------------------------------------------------------------- */

/* The variable that the operation assigns, by what the importer knows it by too. NULL: it is none,
 * status set. */
static const char *variable_of(oribi_binding_plan *plan, const TF_Operation *op, TF_Status *status)
{
    enum { MOST_NAMES = 64 };
    const TF_Operation *from = op;
    for (int i = 0; i < MOST_NAMES && from->n_inputs > 0; i++) {
        from = from->inputs[0].oper;
        if (strcmp(from->type, "Identity") != 0) {
            break;
        }
    }
    if (strcmp(from->type, "VarHandleOp") != 0 && strcmp(from->type, "VariableV2") != 0 &&
        strcmp(from->type, "Variable") != 0) {
        oribi_fail(status, TF_UNIMPLEMENTED, "'%s' (%s) assigns what is no variable of the graph",
                   op->name, op->type);
        return NULL;
    }
    const oribi_binding_attr *shared = oribi_binding_find_attr(from, "shared_name");
    oribi_string name = {from->name, strlen(from->name)};
    oribi_wire_field field;
    oribi_wire wire = shared != NULL ? shared->value : oribi_wire_over(NULL, 0);
    while (oribi_wire_next(&wire, &field, status)) {
        if (field.number == 2 && field.type == ORIBI_WIRE_BYTES && field.bytes > 0) {
            name = (oribi_string){(const char *)field.data, field.bytes};
        }
    }
    const char *kept = oribi_arena_strndup(&plan->arena, name.data, name.length);
    (void)(kept != NULL || oribi_fail_memory(status));
    return kept;
}

static bool add_assignment(oribi_binding_plan *plan, const TF_Operation *op, walk *computed,
                           TF_Status *status)
{
    const char *variable = variable_of(plan, op, status);
    ORIBI_TRY(variable != NULL);
    if (op->n_inputs < 2) {
        return oribi_fail(status, TF_INVALID_ARGUMENT, "'%s' (%s) has no value", op->name,
                          op->type);
    }
    for (int32_t i = 0; i < plan->n_assignments; i++) {
        if (strcmp(plan->assignments[i].variable, variable) == 0) {
            return oribi_fail(status, TF_UNIMPLEMENTED,
                              "variable '%s' is assigned twice in one run", variable);
        }
    }
    const TF_Output value =
        replaces(op) ? op->inputs[1] : (TF_Output){(TF_Operation *)(uintptr_t)op, 0};
    const int32_t result = oribi_binding_add_fetch(plan, value, status);
    oribi_binding_assignment *more =
        oribi_arena_array(&plan->arena, (size_t)plan->n_assignments + 1, sizeof *more);
    ORIBI_TRY(result >= 0 && (more != NULL || oribi_fail_memory(status)));
    if (plan->n_assignments > 0) {
        memcpy(more, plan->assignments, (size_t)plan->n_assignments * sizeof *more);
    }
    more[plan->n_assignments++] = (oribi_binding_assignment){variable, result};
    plan->assignments = more;
    return walk_add(computed, op->inputs[1].oper, status);
}

static bool add_target(oribi_binding_plan *plan, const TF_Operation *target, walk *computed,
                       TF_Status *status)
{
    const oribi_graph *known = target->graph->known;
    if (replaces(target) || changes(target)) {
        return add_assignment(plan, target, computed, status);
    }
    if (is_done_already(target)) {
        return true;
    }
    if (target->n_outputs == 0) {
        return refuse_effect(target, status);
    }
    for (int32_t i = 0; i < target->n_outputs; i++) {
        const TF_DataType dtype = known->values[target->outputs[i]]->dtype;
        const TF_Output output = {(TF_Operation *)(uintptr_t)target, i};
        ORIBI_TRY(dtype == TF_RESOURCE || dtype == TF_VARIANT ||
                  oribi_binding_add_fetch(plan, output, status) >= 0);
    }
    return walk_add(computed, target, status);
}

/* The targets, and what those that do nothing themselves wait for. */
static bool add_all(oribi_binding_plan *plan, walk *targets, walk *computed, TF_Status *status)
{
    const oribi_binding_wish *wish = &plan->wish;
    for (int i = 0; i < wish->n_fetches; i++) {
        ORIBI_TRY(walk_add(computed, wish->fetches[i].oper, status));
    }
    for (int i = 0; i < wish->n_targets; i++) {
        ORIBI_TRY(walk_add(targets, wish->targets[i], status));
    }
    for (size_t at = 0; at < targets->n; at++) {
        const TF_Operation *op = targets->todo[at];
        ORIBI_TRY(add_target(plan, op, computed, status));
        for (int32_t i = 0; i < op->n_controls; i++) {
            ORIBI_TRY(is_done_already(op) ? walk_add(targets, op->controls[i], status)
                                          : walk_add(computed, op->controls[i], status));
        }
    }
    return check_order(computed, status);
}

bool oribi_binding_add_targets(oribi_binding_plan *plan, TF_Status *status)
{
    const oribi_binding_wish *wish = &plan->wish;
    const TF_Graph *graph = wish->n_targets > 0   ? wish->targets[0]->graph
                            : wish->n_fetches > 0 ? wish->fetches[0].oper->graph
                                                  : NULL;
    walk targets = {0}, computed = {0};
    const bool ok = graph == NULL ||
                    (walk_begin(&targets, graph, status) && walk_begin(&computed, graph, status) &&
                     add_all(plan, &targets, &computed, status));
    walk_end(&targets);
    walk_end(&computed);
    return ok;
}

/* --- Values --------------------------------------------------------------------------------- */

void oribi_binding_drop_variables(const oribi_import_variable *variables, int32_t n)
{
    for (int32_t i = 0; i < n; i++) {
        TF_DeleteTensor(variables[i].value);
    }
}

bool oribi_binding_copy_variables(const TF_Session *session, oribi_binding_plan *plan,
                                  TF_Status *status)
{
    plan->generation = session->generation;
    oribi_import_variable *copies =
        oribi_arena_array(&plan->arena, (size_t)session->n_variables + 1, sizeof *copies);
    ORIBI_TRY(copies != NULL || oribi_fail_memory(status));
    plan->ends.variables = copies;
    for (int32_t i = 0; i < session->n_variables; i++) {
        const oribi_import_variable *variable = &session->variables[i];
        copies[i].name = oribi_arena_strdup(&plan->arena, variable->name);
        copies[i].value = oribi_tensor_share(variable->value);
        ORIBI_TRY((copies[i].name != NULL && copies[i].value != NULL) || oribi_fail_memory(status));
        plan->ends.n_variables++;
    }
    return true;
}

/* The variable's place; NULL: no memory. */
static oribi_import_variable *find_variable(TF_Session *session, const char *name)
{
    for (int32_t i = 0; i < session->n_variables; i++) {
        if (strcmp(session->variables[i].name, name) == 0) {
            return &session->variables[i];
        }
    }
    char *kept = oribi_strdup(name);
    oribi_import_variable *more =
        kept != NULL ? oribi_realloc_array(session->variables, (size_t)session->n_variables + 1,
                                           sizeof *more)
                     : NULL;
    if (more == NULL) {
        oribi_free(kept);
        return NULL;
    }
    session->variables = more;
    more[session->n_variables] = (oribi_import_variable){.name = kept};
    return &more[session->n_variables++];
}

bool oribi_binding_assign(TF_Session *session, const oribi_binding_plan *plan, oribi_run *run,
                          TF_Status *status)
{
    for (int32_t i = 0; i < plan->n_assignments; i++) {
        TF_Tensor *value = oribi_run_output(run, plan->assignments[i].result, status);
        ORIBI_TRY(value != NULL);
        oribi_import_variable *variable = find_variable(session, plan->assignments[i].variable);
        if (variable == NULL) {
            TF_DeleteTensor(value);
            return oribi_fail_memory(status);
        }
        TF_DeleteTensor(variable->value);
        variable->value = value;
        session->generation++;
    }
    return true;
}
