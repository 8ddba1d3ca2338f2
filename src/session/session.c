/* SPDX-License-Identifier: Apache-2.0 */
/* A session is made: passes, steps and values as flat arrays, kernels, constants, a first plan.
 * Read next: plan_build.c for memory, run.c for what happens then.
 */
#include "session/session_internal.h"

#include <string.h>

#include "base/alloc.h"

/* --- Constants as kernels see them at creation ----------------------------------------------- */

static bool step_constant(void *arg, int32_t input, oribi_constant_view *out_view)
{
    const oribi_session_step *step = arg;
    return step->graph_constant(step->graph_arg, input, out_view);
}

static TF_Tensor *step_dense(void *arg, int32_t input, TF_Status *status)
{
    const oribi_session_step *step = arg;
    return step->graph_dense(step->graph_arg, input, status);
}

static void step_release(void *arg, int32_t input)
{
    oribi_session_step *step = arg;
    oribi_constant_view view;
    if (!step->released[input] && step_constant(step, input, &view)) {
        step->released[input] = true;
        step->graph_release(step->graph_arg, input);
    }
}

static void step_read(void *arg, int32_t input, const void *from, size_t bytes)
{
    const oribi_session_step *step = arg;
    step->graph_read(step->graph_arg, input, from, bytes);
}

/* --- Flat arrays ----------------------------------------------------------------------------- */

/* Numbers the values that steps, inputs and outputs mention: ids[graph id] is the number or -1. */
static int32_t number_value(int32_t *ids, oribi_value_id id, int32_t *next)
{
    if (id < 0) {
        return -1;
    }
    if (ids[id] < 0) {
        ids[id] = (*next)++;
    }
    return ids[id];
}

static bool make_step(oribi_session *session, int32_t s, int32_t *ids, int32_t *next,
                      TF_Status *status)
{
    oribi_session_step *step = &session->steps[s];
    const oribi_node *node = session->graph->nodes[session->graph->order[s]];
    oribi_arena *arena = &session->arena;
    step->node = node;
    step->inputs = oribi_arena_array(arena, (size_t)node->n_inputs + 1, sizeof(int32_t));
    step->outputs = oribi_arena_array(arena, (size_t)node->n_outputs + 1, sizeof(int32_t));
    step->released = oribi_arena_array(arena, (size_t)node->n_inputs + 1, sizeof(bool));
    if (step->inputs == NULL || step->outputs == NULL || step->released == NULL) {
        return oribi_fail_memory(status);
    }
    if (node->op == NULL) {
        return oribi_fail(status, TF_UNIMPLEMENTED, "node '%s': no op '%s' is registered",
                          node->name, node->op_name);
    }
    for (int32_t i = 0; i < node->n_inputs; i++) {
        step->inputs[i] = number_value(ids, node->inputs[i], next);
    }
    for (int32_t i = 0; i < node->n_outputs; i++) {
        step->outputs[i] = number_value(ids, node->outputs[i], next);
    }
    ORIBI_TRY(oribi_graph_node_view(session->graph, node, &step->view, status));
    step->graph_arg = step->view.arg;
    step->graph_release = step->view.release_constant;
    step->graph_read = step->view.constant_read;
    step->graph_constant = step->view.constant_input;
    step->graph_dense = step->view.dense_constant;
    step->view.arg = step;
    step->view.release_constant = step_release;
    step->view.constant_read = step_read;
    step->view.constant_input = step_constant;
    step->view.dense_constant = step_dense;
    return true;
}

static void fill_values(oribi_session *session, const int32_t *ids)
{
    const oribi_graph *graph = session->graph;
    for (int32_t id = 0; id < graph->n_values; id++) {
        if (ids[id] >= 0) {
            const oribi_value *from = graph->values[id];
            session->values[ids[id]] = (oribi_session_value){.name = from->name,
                                                             .dtype = from->dtype,
                                                             .shape = from->shape,
                                                             .producer = -1,
                                                             .last_use = -1,
                                                             .is_constant = from->constant != NULL};
        }
    }
    for (int32_t s = 0; s < session->n_steps; s++) {
        const oribi_session_step *step = &session->steps[s];
        for (int32_t i = 0; i < step->node->n_outputs; i++) {
            session->values[step->outputs[i]].producer = s;
            session->values[step->outputs[i]].last_use = s;
        }
        for (int32_t i = 0; i < step->node->n_inputs; i++) {
            if (step->inputs[i] >= 0) {
                session->values[step->inputs[i]].last_use = s;
                session->values[step->inputs[i]].n_uses++;
            }
        }
    }
    for (int32_t i = 0; i < session->n_inputs; i++) {
        session->values[session->inputs[i]].is_input = true;
    }
    for (int32_t i = 0; i < session->n_outputs; i++) {
        session->values[session->outputs[i]].is_output = true;
        session->values[session->outputs[i]].n_uses++;
    }
}

static bool flatten(oribi_session *session, TF_Status *status)
{
    oribi_graph *graph = session->graph;
    oribi_arena *arena = &session->arena;
    int32_t next = 0;
    bool ok = false;
    int32_t *ids = oribi_alloc_array((size_t)graph->n_values + 1, sizeof *ids);
    session->n_steps = graph->n_order;
    session->n_inputs = graph->n_inputs;
    session->n_outputs = graph->n_outputs;
    session->n_states = graph->n_states;
    session->steps = oribi_arena_array(arena, (size_t)graph->n_order + 1, sizeof *session->steps);
    session->inputs = oribi_arena_array(arena, (size_t)graph->n_inputs + 1, sizeof(int32_t));
    session->outputs = oribi_arena_array(arena, (size_t)graph->n_outputs + 1, sizeof(int32_t));
    if (ids == NULL || session->steps == NULL || session->inputs == NULL ||
        session->outputs == NULL) {
        oribi_fail_memory(status);
        goto done;
    }
    memset(ids, 0xff, (size_t)graph->n_values * sizeof *ids);
    for (int32_t i = 0; i < graph->n_inputs; i++) {
        session->inputs[i] = number_value(ids, graph->inputs[i], &next);
    }
    for (int32_t s = 0; s < graph->n_order; s++) {
        if (!make_step(session, s, ids, &next, status)) {
            goto done;
        }
    }
    for (int32_t i = 0; i < graph->n_outputs; i++) {
        session->outputs[i] = number_value(ids, graph->outputs[i], &next);
    }
    session->n_values = next;
    session->values = oribi_arena_array(arena, (size_t)next + 1, sizeof *session->values);
    if (session->values == NULL) {
        oribi_fail_memory(status);
        goto done;
    }
    fill_values(session, ids);
    ok = true;
done:
    oribi_free(ids);
    return ok;
}

/* --- Kernels and constants ------------------------------------------------------------------- */

static const char *device_of(const oribi_node *node)
{
    (void)node; /* the CPU is the only device so far; src/pass refuses others */
    return "CPU";
}

static bool make_kernel(oribi_session *session, oribi_session_step *step, TF_Status *status)
{
    const oribi_kernel_def *def = step->node->kernel;
    if (def == NULL) {
        def = oribi_kernel_select(&step->view, device_of(step->node), NULL, status);
    }
    if (def == NULL) {
        return false;
    }
    ORIBI_TRY(oribi_kernel_create(def, &step->view, &step->kernel, status));
    step->detail = oribi_arena_printf(&session->arena, "%s, kernel %s of %s", step->node->op_name,
                                      def->kernel_name, def->provider);
    return step->detail != NULL || oribi_fail_memory(status);
}

/* Dense bytes for the constants that something still reads in a run. */
static bool keep_constants(oribi_session *session, TF_Status *status)
{
    for (int32_t s = 0; s < session->n_steps; s++) {
        const oribi_session_step *step = &session->steps[s];
        for (int32_t i = 0; i < step->node->n_inputs; i++) {
            oribi_session_value *value =
                step->inputs[i] >= 0 ? &session->values[step->inputs[i]] : NULL;
            if (value != NULL && value->is_constant && value->constant == NULL &&
                !step->released[i]) {
                value->constant =
                    oribi_graph_constant_tensor(session->graph, step->node->inputs[i], status);
                ORIBI_TRY(value->constant != NULL);
            }
        }
    }
    for (int32_t i = 0; i < session->n_outputs; i++) {
        oribi_session_value *value = &session->values[session->outputs[i]];
        if (value->is_constant && value->constant == NULL) {
            value->constant =
                oribi_graph_constant_tensor(session->graph, session->graph->outputs[i], status);
            ORIBI_TRY(value->constant != NULL);
        }
    }
    return true;
}

/* --- Life ------------------------------------------------------------------------------------ */

static void session_free(oribi_session *session)
{
    for (int32_t i = 0; i < session->n_plans; i++) {
        oribi_plan_release(session->plans[i]);
    }
    for (int32_t s = session->n_steps - 1; s >= 0 && session->steps != NULL; s--) {
        oribi_kernel_destroy(&session->steps[s].kernel);
    }
    for (int32_t i = 0; i < session->n_values && session->values != NULL; i++) {
        TF_DeleteTensor(session->values[i].constant);
    }
    oribi_resources_destroy(session->resources);
    oribi_pool_release(session->pool);
    oribi_graph_destroy(session->graph);
    oribi_meter_release(session->meter);
    oribi_arena_destroy(&session->arena);
    oribi_mutex_destroy(&session->lock);
    oribi_free(session);
}

void oribi_session_retain(oribi_session *session)
{
    atomic_fetch_add_explicit(&session->references, 1, memory_order_relaxed);
}

void oribi_session_release(oribi_session *session)
{
    if (session != NULL &&
        atomic_fetch_sub_explicit(&session->references, 1, memory_order_acq_rel) == 1) {
        session_free(session);
    }
}

void oribi_session_destroy(oribi_session *session)
{
    oribi_session_release(session);
}

static bool run_passes(oribi_session *session, const oribi_options *options, TF_Status *status)
{
    const char *label = options != NULL ? options->kernels : NULL;
    const oribi_pass_options passes = {.disabled = options != NULL ? options->disabled_passes : 0,
                                       .label = label,
                                       .plain_activations = label != NULL,
                                       .pool = session->pool};
    ORIBI_TRY(oribi_pass_run_all(session->graph, &passes, &session->report, status));
    oribi_graph_drop_unused_constants(session->graph);
    return oribi_graph_sort(session->graph, status);
}

/* A plan ahead of the first run, when the model fixes all shapes: limits show now. */
static bool plan_ahead(oribi_session *session, TF_Status *status)
{
    oribi_shape *shapes =
        oribi_arena_array(&session->arena, (size_t)session->n_inputs + 1, sizeof *shapes);
    if (shapes == NULL) {
        return oribi_fail_memory(status);
    }
    for (int32_t i = 0; i < session->n_inputs; i++) {
        shapes[i] = session->values[session->inputs[i]].shape;
        if (!oribi_shape_is_full(&shapes[i])) {
            return true;
        }
    }
    oribi_plan *plan = oribi_plan_find(session, shapes, status);
    oribi_plan_release(plan);
    return plan != NULL;
}

oribi_session *oribi_session_from_graph(oribi_graph *graph, const oribi_options *options,
                                        TF_Status *status)
{
    TF_SetStatus(status, TF_OK, "");
    oribi_session *session = oribi_alloc_zero(1, sizeof *session);
    if (session == NULL || !oribi_mutex_init(&session->lock)) {
        oribi_free(session);
        oribi_graph_destroy(graph);
        oribi_fail_memory(status);
        return NULL;
    }
    atomic_init(&session->references, 1);
    session->graph = graph;
    session->meter = oribi_meter_create(oribi_options_max_bytes(options), status);
    if (session->meter == NULL) {
        goto failed;
    }
    session->resources = oribi_resources_create(status);
    if (session->resources == NULL) {
        goto failed;
    }
    session->pool = oribi_options_make_pool(options, status);
    if (session->pool == NULL || !run_passes(session, options, status) ||
        !flatten(session, status)) {
        goto failed;
    }
    for (int32_t s = 0; s < session->n_steps; s++) {
        if (!make_kernel(session, &session->steps[s], status)) {
            goto failed;
        }
    }
    if (!keep_constants(session, status) || !plan_ahead(session, status)) {
        goto failed;
    }
    return session;
failed:
    session_free(session);
    return NULL;
}
