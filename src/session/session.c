/* SPDX-License-Identifier: Apache-2.0 */
/* A session is made: passes, steps and values as flat arrays, kernels, constants, a first plan.
 * Read next: plan_build.c for memory, run.c for what happens then.
 */
#include "session/session_internal.h"

#include <string.h>

#include "base/alloc.h"
#include "check/check.h"
#include "grappler/grappler.h"
#include "session/control/control.h"
#include "session/pack/packs.h"
#include "target/target.h"

/* --- Kernels --------------------------------------------------------------------------------- */

static bool make_kernel(oribi_session *session, oribi_session_step *step,
                        const oribi_options *options, TF_Status *status)
{
    const oribi_kernel_def *def = step->node->kernel;
    if (step->transfer != NULL) {
        step->detail = def->kernel_name;
        return true;
    }
    if (step->node->n_bodies > 0) {
        step->kernel = (oribi_kernel){.def = def, .node = &step->view};
        step->detail = def->kernel_name;
        return oribi_control_make(session, step, options, status);
    }
    if (def == NULL) {
        def = oribi_kernel_select(&step->view, "CPU", NULL, status);
    }
    if (def == NULL) {
        return false;
    }
    const bool is_wrapped = session->check != NULL && step->device == 0 &&
                            oribi_check_wants(session->check, def, step->view.name);
    if (is_wrapped) { /* what is called under watch gets all of its inputs */
        step->view.release_constant = NULL;
    }
    ORIBI_TRY(oribi_kernel_create(def, &step->view, &step->kernel, status));
    ORIBI_TRY(oribi_packs_check(step, status));
    ORIBI_TRY(!is_wrapped || oribi_check_wrap(session->check, &step->kernel, status));
    step->detail =
        oribi_arena_printf(&session->arena, "%s, kernel %s of %s%s%s", step->node->op_name,
                           def->kernel_name, def->provider, step->device != 0 ? " on " : "",
                           step->device != 0 ? session->devices[step->device].name : "");
    return step->detail != NULL || oribi_fail_memory(status);
}

/* --- Life ------------------------------------------------------------------------------------ */

/* Bodies go first: their constants may lie in the graph around them. */
void oribi_session_free(oribi_session *session)
{
    if (session == NULL) {
        return;
    }
    for (int32_t i = 0; i < session->n_plans; i++) {
        oribi_plan_release(session->plans[i]);
    }
    for (int32_t s = session->n_steps - 1; s >= 0 && session->steps != NULL; s--) {
        for (int32_t k = 0; k < session->steps[s].n_bodies; k++) {
            oribi_session_free(session->steps[s].bodies[k].session);
        }
        if (session->steps[s].node != NULL && session->steps[s].node->n_bodies == 0) {
            oribi_kernel_destroy(&session->steps[s].kernel);
        }
    }
    for (int32_t i = 0; i < session->n_values && session->values != NULL; i++) {
        TF_DeleteTensor(session->values[i].constant);
    }
    oribi_specials_destroy(session->specials);
    oribi_resources_destroy(session->resources);
    oribi_pool_release(session->pool);
    oribi_graph_destroy(session->graph);
    for (int32_t d = 1; d < session->n_devices; d++) {
        oribi_device_account_release(session->devices[d].account);
        oribi_device_release(session->devices[d].device);
    }
    if (session->meter != NULL) {
        oribi_meter_discharge(session->meter, session->graph_bytes);
    }
    oribi_meter_release(session->meter);
    oribi_packs_release(session->packs);
    oribi_arena_destroy(&session->arena);
    oribi_mutex_destroy(&session->lock);
    oribi_free(session);
    oribi__in_use(-1);
}

void oribi_session_retain(oribi_session *session)
{
    atomic_fetch_add_explicit(&session->root->references, 1, memory_order_relaxed);
}

void oribi_session_release(oribi_session *session)
{
    if (session != NULL &&
        atomic_fetch_sub_explicit(&session->root->references, 1, memory_order_acq_rel) == 1) {
        oribi_session_free(session->root);
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
                                       .device = session->device_type,
                                       .standard = session->device,
                                       .isa = options != NULL ? options->isa : NULL,
                                       .label = label,
                                       .plain_activations = label != NULL,
                                       .pool = session->pool};
    oribi_pass_report *report = &session->report;
    if (session->graph->is_open) {
        return true; /* its specials are what passes see */
    }
    if (session->graph->is_packed) {
        return oribi_pass_prefer(session->graph, &passes, report, status) &&
               oribi_pass_choose(session->graph, &passes, report, status);
    }
    ORIBI_TRY(oribi_target_open_states(session->graph, status));
    ORIBI_TRY(oribi_pass_prepare(session->graph, &passes, report, status));
    ORIBI_TRY(oribi_grappler_run(&session->graph, "CPU", &passes, report, status));
    ORIBI_TRY(session->device_type == NULL || strcmp(session->device_type, "CPU") == 0 ||
              oribi_grappler_run(&session->graph, session->device_type, &passes, report, status));
    ORIBI_TRY(oribi_pass_finish(session->graph, &passes, report, status));
    oribi_graph_drop_unused_constants(session->graph);
    return oribi_graph_sort(session->graph, status);
}

/* What the graph holds, now that kernels have packed their weights, counts beside what runs will
 * take: one limit over both. */
static bool charge_graph(oribi_session *session, TF_Status *status)
{
    const oribi_graph *graph = session->graph;
    const uint64_t all = graph->made_bytes + graph->arena.used_bytes;
    const uint64_t bytes = all > graph->charged_bytes ? all - graph->charged_bytes : 0;
    ORIBI_TRY(oribi_meter_charge(session->meter, bytes, "the model's graph", status));
    session->graph_bytes = bytes;
    return true;
}

static bool make_steps(oribi_session *session, const oribi_options *options, TF_Status *status)
{
    int32_t *devices = oribi_alloc_array((size_t)session->graph->n_order + 1, sizeof *devices);
    const bool ok = devices != NULL ? oribi_place_nodes(session, options, devices, status) &&
                                          oribi_steps_make(session, devices, status)
                                    : oribi_fail_memory(status);
    oribi_free(devices);
    return ok;
}

/* A plan ahead of the first run, when the model fixes all shapes: limits show now. */
static bool plan_ahead(oribi_session *session, TF_Status *status)
{
    oribi_shape *shapes =
        oribi_claim_array(&session->arena, (size_t)session->n_inputs + 1, sizeof *shapes, status);
    ORIBI_TRY(shapes != NULL);
    for (int32_t i = 0; i < session->n_inputs; i++) {
        shapes[i] = session->values[session->inputs[i]].shape;
        if (!oribi_shape_is_full(&shapes[i])) {
            return true;
        }
    }
    oribi_plan *plan = oribi_plan_find(session, shapes, false, status);
    oribi_plan_release(plan);
    return plan != NULL;
}

/* What sessions of one model share. */
static bool make_shared(oribi_session *session, const oribi_options *options, oribi_session *home,
                        oribi_packs *packs, TF_Status *status)
{
    if (home != NULL) {
        oribi_packs_retain(home->packs);
        session->packs = home->packs;
        oribi_meter_retain(home->meter);
        oribi_resources_retain(home->resources);
        oribi_pool_retain(home->pool);
        session->meter = home->meter;
        session->resources = home->resources;
        session->pool = home->pool;
        return true;
    }
    if (packs != NULL) {
        oribi_packs_retain(packs);
    }
    session->packs = packs != NULL ? packs : oribi_packs_create(NULL, NULL, 0, status);
    ORIBI_TRY(session->packs != NULL);
    session->meter = oribi_meter_create(oribi_options_max_bytes(options), status);
    ORIBI_TRY(session->meter != NULL);
    session->resources = oribi_resources_create(status);
    ORIBI_TRY(session->resources != NULL);
    session->pool = oribi_options_make_pool(options, status);
    return session->pool != NULL;
}

static bool make_all(oribi_session *session, const oribi_options *options, oribi_session *home,
                     oribi_packs *packs, TF_Status *status)
{
    const bool is_body = session->root != session;
    ORIBI_TRY(make_shared(session, options, home, packs, status) &&
              (is_body || oribi_session_check_begin(session, options, status)) &&
              oribi_place_request(session, options, status) &&
              run_passes(session, options, status) && make_steps(session, options, status) &&
              oribi_constants_check_repeated(session, status));
    for (int32_t s = 0; s < session->n_steps; s++) {
        ORIBI_TRY(oribi_patience_left(status) &&
                  make_kernel(session, &session->steps[s], options, status));
    }
    return (is_body || oribi_session_check_found(session, status)) &&
           oribi_flights_order(session, status) && oribi_constants_keep(session, status) &&
           charge_graph(session, status) &&
           (is_body || oribi_bounds_make(session, options, status)) && plan_ahead(session, status);
}

static oribi_session *make(oribi_graph *graph, const oribi_options *options, oribi_session *home,
                           oribi_session *root, oribi_packs *packs, TF_Status *status)
{
    TF_SetStatus(status, TF_OK, "");
    oribi_session *session = oribi_alloc_zero(1, sizeof *session);
    if (session == NULL || !oribi_mutex_init(&session->lock)) {
        oribi_free(session);
        oribi_graph_destroy(graph);
        oribi_fail_memory(status);
        return NULL;
    }
    oribi__in_use(1);
    atomic_init(&session->references, 1);
    session->graph = graph;
    session->root = root != NULL ? root : session;
    if (!make_all(session, options, home, packs, status)) {
        oribi_session_free(session);
        return NULL;
    }
    return session;
}

oribi_session *oribi_session_make(oribi_graph *graph, const oribi_options *options,
                                  oribi_session *home, oribi_packs *packs, TF_Status *status)
{
    return make(graph, options, home, NULL, packs, status);
}

oribi_session *oribi_session_make_body(oribi_graph *graph, const oribi_options *options,
                                       oribi_session *around, TF_Status *status)
{
    return make(graph, options, around, around->root, NULL, status);
}

oribi_session *oribi_session_from_graph(oribi_graph *graph, const oribi_options *options,
                                        TF_Status *status)
{
    return oribi_session_make(graph, options, NULL, NULL, status);
}
