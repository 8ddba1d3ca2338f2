/* SPDX-License-Identifier: Apache-2.0 */
/* What folding does to control flow: a condition that has become constant chooses its graph, whose
 * nodes stand in the node's place; of others, what the graphs make tells the shapes behind the
 * node. Read first: graph_body.c.
 */
#include "pass/fold_internal.h"

#include <string.h>

/* --- A constant condition --------------------------------------------------------------------- */

/* The nodes of the graph that is chosen, in the place of the node. */
static bool choose_branch(oribi_graph *graph, oribi_node *node, bool condition,
                          oribi_pass_report *report, TF_Status *status)
{
    const oribi_body *body = &node->bodies[condition ? 0 : 1];
    oribi_value_id *results =
        oribi_alloc_array((size_t)body->graph->n_outputs + 1, sizeof *results);
    const bool ok = results != NULL
                        ? oribi_graph_splice(graph, node, body, NULL, -1, results, status)
                        : oribi_fail_memory(status);
    for (int32_t i = 0; ok && i < node->n_outputs; i++) {
        oribi_pass_take_over(graph, node->outputs[i], results[i]);
    }
    oribi_free(results);
    if (ok) {
        oribi_pass_note(graph, report, "fold", "%s of '%s' is always taken", body->name,
                        node->name);
        oribi_graph_remove_node(graph, node);
    }
    return ok;
}

/* --- Shapes ----------------------------------------------------------------------------------- */

/* What is known of captured values goes in, and folding goes on inside. A graph whose shapes do not
 * go together fails when it runs, if it ever does. */
static bool settle(oribi_graph *graph, oribi_node *node, oribi_body *body,
                   const oribi_pass_options *options, oribi_pass_report *report, TF_Status *status)
{
    ORIBI_TRY(oribi_graph_settle_body(graph, node, body, status));
    if (oribi_pass_infer(body->graph, status) &&
        oribi_pass_fold(body->graph, options, report, status)) {
        return true;
    }
    const bool is_fault = TF_GetCode(status) == TF_INVALID_ARGUMENT;
    TF_SetStatus(status, is_fault ? TF_OK : TF_GetCode(status), is_fault ? "" : TF_Message(status));
    return is_fault;
}

static const oribi_shape *result_shape(const oribi_body *body, int32_t index)
{
    return &body->graph->values[body->graph->outputs[index]]->shape;
}

static bool merge(oribi_graph *graph, oribi_value_id value, const oribi_shape *known,
                  TF_Status *status)
{
    return known->rank < 0 || oribi_graph_merge_shape(graph, known, &graph->values[value]->shape) ||
           oribi_fail_memory(status);
}

/* Dimensions on which both branches agree. */
static bool join_branches(oribi_graph *graph, const oribi_node *node, TF_Status *status)
{
    for (int32_t i = 0; i < node->n_outputs; i++) {
        const oribi_shape *yes = result_shape(&node->bodies[0], i);
        const oribi_shape *no = result_shape(&node->bodies[1], i);
        oribi_dims dims = {0};
        for (int32_t k = 0; yes->rank == no->rank && k < yes->rank; k++) {
            (void)oribi_dims_add(&dims, yes->dims[k] == no->dims[k] ? yes->dims[k] : -1);
        }
        const oribi_shape joined = {yes->rank == no->rank && dims.n == yes->rank ? dims.n : -1,
                                    dims.at};
        ORIBI_TRY(merge(graph, node->outputs[i], &joined, status));
    }
    return true;
}

/* --- Loops ------------------------------------------------------------------------------------ */

/* Tries what is carried as it begins: by induction it stays so if the body leaves it so. False in
 * *out_holds, and the body as it was, where it does not; false: failed. */
static bool try_initial(oribi_graph *graph, const oribi_node *node, const oribi_body *body,
                        const oribi_shape *before, bool *out_holds, TF_Status *status)
{
    oribi_graph *inner = body->graph;
    const int32_t n_carried = body->n_formals - 2;
    for (int32_t i = 0; i < n_carried; i++) {
        const oribi_shape *initial = &graph->values[node->inputs[2 + i]]->shape;
        oribi_shape *formal = &inner->values[inner->inputs[2 + i]]->shape;
        if (initial->rank >= 0 && (formal->rank < 0 || formal->rank == initial->rank) &&
            !oribi_shape_copy(&inner->arena, initial->dims, initial->rank, formal)) {
            return oribi_fail_memory(status);
        }
    }
    *out_holds = oribi_pass_infer(inner, status);
    ORIBI_TRY(*out_holds || TF_GetCode(status) == TF_INVALID_ARGUMENT);
    TF_SetStatus(status, TF_OK, "");
    for (int32_t i = 0; *out_holds && i < n_carried; i++) {
        *out_holds = oribi_shape_equal(result_shape(body, 1 + i),
                                       &inner->values[inner->inputs[2 + i]]->shape);
    }
    for (int32_t i = 0; !*out_holds && i < inner->n_values; i++) {
        inner->values[i]->shape = before[i];
    }
    return true;
}

static bool carry_shapes(oribi_graph *graph, const oribi_node *node, const oribi_body *body,
                         bool *out_holds, TF_Status *status)
{
    const oribi_graph *inner = body->graph;
    oribi_shape *before = oribi_alloc_array((size_t)inner->n_values + 1, sizeof *before);
    if (before == NULL) {
        return oribi_fail_memory(status);
    }
    for (int32_t i = 0; i < inner->n_values; i++) {
        before[i] = inner->values[i]->shape;
    }
    const bool ok = try_initial(graph, node, body, before, out_holds, status);
    oribi_free(before);
    return ok;
}

/* A state that the body hands on as it got it is what it began as: a constant stands in the body
 * itself, where kernels pack it once, not in every iteration. The state stays, read by nobody. */
static bool keep_unchanged(oribi_graph *graph, const oribi_node *node, const oribi_body *body,
                           oribi_pass_report *report, TF_Status *status)
{
    oribi_graph *inner = body->graph;
    for (int32_t i = 0; i < body->n_formals - 2; i++) {
        const oribi_value_id formal = inner->inputs[2 + i], initial = node->inputs[2 + i];
        oribi_value *state = inner->values[formal];
        if (inner->outputs[1 + i] != formal || state->uses == NULL ||
            graph->values[initial]->constant == NULL) {
            continue;
        }
        const oribi_value_id constant = oribi_graph_share_constant(inner, graph, initial, status);
        ORIBI_TRY(constant >= 0);
        while (state->uses != NULL) {
            const oribi_use use = state->uses->use;
            oribi_graph_set_node_input(inner, use.node, use.input, constant);
        }
        oribi_pass_note(graph, report, "fold", "%s of '%s' is always the same", state->name,
                        node->name);
    }
    return true;
}

static bool constant_scalar(const oribi_graph *graph, oribi_value_id value, void *out, size_t bytes)
{
    const oribi_constant_view *view = oribi_pass_constant(graph, value);
    if (view == NULL || oribi_pass_view_count(view) != 1 ||
        oribi_dtype_bytes(view->dtype) != bytes) {
        return false;
    }
    memcpy(out, view->data, bytes);
    return true;
}

/* Does a result wait for the number of iterations? */
static bool wants_trips(const oribi_graph *graph, const oribi_node *node, int32_t n_carried)
{
    bool wants = false;
    for (int32_t i = n_carried; i < node->n_outputs; i++) {
        const oribi_shape *shape = &graph->values[node->outputs[i]]->shape;
        wants = wants || shape->rank < 1 || shape->dims[0] < 0;
    }
    return wants;
}

/* The number of iterations, where it is known before a run; else -1. */
static int64_t known_trips(oribi_graph *graph, const oribi_node *node, const oribi_body *body,
                           const oribi_pass_options *options, TF_Status *status)
{
    const oribi_graph *inner = body->graph;
    int64_t trips = -1;
    uint8_t begins = 0, goes_on = 0;
    const oribi_value_id next = oribi_pass_viewed(inner, inner->outputs[0]);
    if (!wants_trips(graph, node, body->n_formals - 2) ||
        !constant_scalar(graph, node->inputs[1], &begins, 1) ||
        !constant_scalar(graph, node->inputs[0], &trips, sizeof trips)) {
        return -1;
    }
    if (begins == 0 || trips <= 0) {
        return 0;
    }
    if (next == inner->inputs[1] || (constant_scalar(inner, next, &goes_on, 1) && goes_on != 0)) {
        return trips;
    }
    trips = oribi_pass_count_trips(graph, node, options, trips, status);
    const TF_Code code = TF_GetCode(status);
    if (code != TF_DEADLINE_EXCEEDED && code != TF_CANCELLED && code != TF_RESOURCE_EXHAUSTED) {
        TF_SetStatus(status, TF_OK, ""); /* a kernel that fails does so when the model runs */
    }
    return trips;
}

static bool loop_shapes(oribi_graph *graph, oribi_node *node, const oribi_pass_options *options,
                        oribi_pass_report *report, TF_Status *status)
{
    oribi_body *body = &node->bodies[0];
    const int32_t n_carried = body->n_formals - 2;
    bool holds = false;
    ORIBI_TRY(oribi_graph_settle_body(graph, node, body, status) &&
              keep_unchanged(graph, node, body, report, status) &&
              carry_shapes(graph, node, body, &holds, status) &&
              settle(graph, node, body, options, report, status));
    const int64_t trips = known_trips(graph, node, body, options, status);
    ORIBI_TRY(oribi_ok(status));
    for (int32_t i = 0; i < node->n_outputs; i++) {
        const oribi_shape *made = result_shape(body, 1 + i);
        if (i < n_carried) {
            ORIBI_TRY(!holds || merge(graph, node->outputs[i], made, status));
        } else if (made->rank >= 0) {
            oribi_dims dims = {.n = 1, .at = {trips >= 0 ? trips : -1}};
            for (int32_t k = 0; k < made->rank; k++) {
                (void)oribi_dims_add(&dims, made->dims[k]); /* of a rank that the import checked */
            }
            const oribi_shape all = {dims.n, dims.at};
            ORIBI_TRY(merge(graph, node->outputs[i], &all, status));
        }
    }
    return true;
}

bool oribi_pass_fold_control(oribi_graph *graph, oribi_node *node,
                             const oribi_pass_options *options, oribi_pass_report *report,
                             bool *out_spliced, TF_Status *status)
{
    uint8_t condition = 0;
    *out_spliced = false;
    if (node->n_bodies == 1) {
        return loop_shapes(graph, node, options, report, status);
    }
    if (constant_scalar(graph, node->inputs[0], &condition, 1)) {
        *out_spliced = true;
        return choose_branch(graph, node, condition != 0, report, status);
    }
    return settle(graph, node, &node->bodies[0], options, report, status) &&
           settle(graph, node, &node->bodies[1], options, report, status) &&
           join_branches(graph, node, status);
}
