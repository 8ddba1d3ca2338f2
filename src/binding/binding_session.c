/* SPDX-License-Identifier: Apache-2.0 */
/* Sessions: options, runs from any number of threads, the end.
 */
#include <string.h>

#include "base/alloc.h"
#include "binding/binding_session.h"
#include "session/session_internal.h"

/* --- Options -------------------------------------------------------------------------------- */

TF_SessionOptions *TF_NewSessionOptions(void)
{
    TF_Status *status = TF_NewStatus();
    TF_SessionOptions *self = oribi_alloc_zero(1, sizeof *self);
    if (self != NULL && status != NULL) {
        self->options = oribi_options_create(status);
    }
    TF_DeleteStatus(status);
    return self;
}

void TF_DeleteSessionOptions(TF_SessionOptions *options)
{
    if (options != NULL) {
        oribi_options_destroy(options->options);
        oribi_free(options);
    }
}

void TF_SetTarget(TF_SessionOptions *options, const char *target)
{
    options->has_target = target != NULL && target[0] != '\0';
}

/* Of a ConfigProto the threads of a kernel count; other settings are of TensorFlow's own making. */
void TF_SetConfig(TF_SessionOptions *options, const void *proto, size_t proto_len,
                  TF_Status *status)
{
    enum { INTRA_OP_THREADS = 2 };
    oribi_wire wire = oribi_wire_over(proto, proto_len);
    oribi_wire_field field;
    int64_t threads = 0;
    TF_SetStatus(status, TF_OK, "");
    while (oribi_wire_next(&wire, &field, status)) {
        if (field.number == INTRA_OP_THREADS) {
            (void)oribi_wire_int(&field, "a number of threads", &threads, status);
        }
    }
    if (!oribi_ok(status)) {
        oribi_fail(status, TF_INVALID_ARGUMENT, "Unparseable ConfigProto");
    } else if (threads > 0 && threads <= INT32_MAX) {
        oribi_options_set_threads(options->options, (int)threads);
    }
}

/* --- All of the process ----------------------------------------------------------------------- */

static oribi_mutex sessions_lock = ORIBI_MUTEX_INIT;
static TF_Session *sessions;

static void enlist(TF_Session *session)
{
    oribi_mutex_lock(&sessions_lock);
    session->next = sessions;
    session->place = &sessions;
    if (sessions != NULL) {
        sessions->place = &session->next;
    }
    sessions = session;
    oribi_mutex_unlock(&sessions_lock);
}

static void strike(TF_Session *session)
{
    oribi_mutex_lock(&sessions_lock);
    if (session->place != NULL) {
        *session->place = session->next;
        if (session->next != NULL) {
            session->next->place = session->place;
        }
    }
    oribi_mutex_unlock(&sessions_lock);
}

static bool is_here(const TF_SessionOptions *options, TF_Status *status)
{
    return options == NULL || !options->has_target ||
           oribi_fail(status, TF_NOT_FOUND,
                      "No session factory registered for the given session options: a target is "
                      "given, and sessions run in this process alone");
}

/* Closes all sessions, as TensorFlow does: what their containers have is theirs, and goes with
 * them. */
void TF_Reset(const TF_SessionOptions *opt, const char **containers, int ncontainers,
              TF_Status *status)
{
    (void)containers;
    (void)ncontainers;
    TF_SetStatus(status, TF_OK, "");
    if (!is_here(opt, status)) {
        return;
    }
    oribi_mutex_lock(&sessions_lock);
    for (TF_Session *session = sessions; session != NULL; session = session->next) {
        oribi_mutex_lock(&session->lock);
        session->is_closed = true;
        oribi_mutex_unlock(&session->lock);
    }
    oribi_mutex_unlock(&sessions_lock);
}

/* --- Life ----------------------------------------------------------------------------------- */

TF_Session *oribi_binding_session(TF_Graph *graph, const TF_SessionOptions *options,
                                  TF_Status *status)
{
    TF_SetStatus(status, TF_OK, "");
    if (!is_here(options, status)) {
        return NULL;
    }
    TF_Session *session = oribi_alloc_zero(1, sizeof *session);
    if (session == NULL || !oribi_mutex_init(&session->lock)) {
        oribi_free(session);
        oribi_fail_memory(status);
        return NULL;
    }
    if (!oribi_cond_init(&session->idle)) {
        oribi_mutex_destroy(&session->lock);
        oribi_free(session);
        oribi_fail_memory(status);
        return NULL;
    }
    session->graph = graph;
    oribi_binding_retain(graph);
    session->options = oribi_options_copy(options != NULL ? options->options : NULL, status);
    session->name = oribi_strdup("graph");
    if (session->options == NULL || session->name == NULL) {
        (void)(!oribi_ok(status) || oribi_fail_memory(status));
        TF_Status *unused = TF_NewStatus();
        TF_DeleteSession(session, unused);
        TF_DeleteStatus(unused);
        return NULL;
    }
    enlist(session);
    return session;
}

TF_Session *TF_NewSession(TF_Graph *graph, const TF_SessionOptions *opts, TF_Status *status)
{
    return oribi_binding_session(graph, opts, status);
}

void TF_CloseSession(TF_Session *session, TF_Status *status)
{
    TF_SetStatus(status, TF_OK, "");
    oribi_mutex_lock(&session->lock);
    session->is_closed = true;
    oribi_mutex_unlock(&session->lock);
}

/* Waits for runs that are under way. */
void TF_DeleteSession(TF_Session *session, TF_Status *status)
{
    TF_SetStatus(status, TF_OK, "");
    if (session == NULL) {
        return;
    }
    strike(session);
    oribi_mutex_lock(&session->lock);
    session->is_closed = true;
    while (session->n_running > 0) {
        oribi_cond_wait(&session->idle, &session->lock);
    }
    oribi_mutex_unlock(&session->lock);
    while (session->plans != NULL) {
        oribi_binding_plan *plan = session->plans;
        session->plans = plan->next;
        oribi_binding_plan_destroy(plan);
    }
    oribi_binding_partials_destroy(session->partials);
    oribi_binding_drop_variables(session->variables, session->n_variables);
    for (int32_t i = 0; i < session->n_variables; i++) {
        oribi_free((void *)(uintptr_t)session->variables[i].name);
    }
    oribi_free(session->variables);
    oribi_model_file_close(&session->file);
    oribi_options_destroy(session->options);
    oribi_free(session->name);
    oribi_free(session->folder);
    oribi_binding_release(session->graph);
    oribi_cond_destroy(&session->idle);
    oribi_mutex_destroy(&session->lock);
    oribi_free(session);
}

/* --- Runs ----------------------------------------------------------------------------------- */

/* The plan and a run of it that nobody uses, NULL where nothing is computed. False: status set. */
static bool take(TF_Session *session, const oribi_binding_wish *wish, oribi_binding_plan **out_plan,
                 oribi_run **out_run, TF_Status *status)
{
    *out_run = NULL;
    oribi_mutex_lock(&session->lock);
    *out_plan = NULL;
    if (session->is_closed) {
        oribi_fail(status, TF_CANCELLED, "Session has been closed.");
    } else {
        *out_plan = oribi_binding_plan_find(session, wish, status);
    }
    oribi_binding_plan *plan = *out_plan;
    if (plan != NULL) {
        session->n_running++;
        *out_run = plan->n_idle > 0 ? plan->idle[--plan->n_idle] : NULL;
    }
    oribi_mutex_unlock(&session->lock);
    if (plan != NULL && plan->session != NULL && *out_run == NULL) {
        *out_run = oribi_run_create(plan->session, status);
    }
    return plan != NULL && oribi_ok(status);
}

/* Keeps the run for later where there is room; false: there is no memory for it. */
static bool keep(oribi_binding_plan *plan, oribi_run *run)
{
    if (plan->n_idle == plan->idle_capacity) {
        const int32_t capacity = plan->idle_capacity > 0 ? plan->idle_capacity * 2 : 4;
        oribi_run **more = oribi_realloc_array(plan->idle, (size_t)capacity, sizeof *more);
        if (more == NULL) {
            return false;
        }
        plan->idle = more;
        plan->idle_capacity = capacity;
    }
    plan->idle[plan->n_idle++] = run;
    return true;
}

static void give_back(TF_Session *session, oribi_binding_plan *plan, oribi_run *run)
{
    if (plan == NULL) {
        return;
    }
    if (run != NULL) {
        oribi_run_unbind(run);
    }
    oribi_mutex_lock(&session->lock);
    const bool is_kept = run == NULL || keep(plan, run);
    plan->users--;
    if (--session->n_running == 0) {
        oribi_cond_broadcast(&session->idle);
    }
    oribi_mutex_unlock(&session->lock);
    if (!is_kept) {
        oribi_run_destroy(run);
    }
}

static bool compute(const oribi_binding_plan *plan, oribi_run *run, const oribi_binding_wish *wish,
                    uint64_t limit, TF_Tensor **out, TF_Status *status)
{
    for (int i = 0; i < wish->n_feeds; i++) {
        oribi_run_set_input(run, i, wish->values[i], status);
        ORIBI_TRY(oribi_ok(status));
    }
    oribi_run_set_time_limit(run, limit);
    oribi_run_execute(run, status);
    ORIBI_TRY(oribi_ok(status));
    for (int i = 0; i < wish->n_fetches; i++) {
        out[i] = oribi_run_output(run, plan->result_of[i], status);
        ORIBI_TRY(out[i] != NULL);
    }
    return true;
}

static bool assign(TF_Session *session, const oribi_binding_plan *plan, oribi_run *run,
                   TF_Status *status)
{
    if (plan->n_assignments == 0) {
        return true;
    }
    oribi_mutex_lock(&session->lock);
    const bool ok = oribi_binding_assign(session, plan, run, status);
    oribi_mutex_unlock(&session->lock);
    return ok;
}

/* Of RunOptions the time limit, in nanoseconds; 0: none. */
static bool read_options(const TF_Buffer *proto, uint64_t *out, TF_Status *status)
{
    enum { TIMEOUT_IN_MS = 2, NANOSECONDS = 1000000 };
    oribi_wire wire =
        oribi_wire_over(proto != NULL ? proto->data : NULL, proto != NULL ? proto->length : 0);
    oribi_wire_field field;
    int64_t limit = 0;
    while (oribi_wire_next(&wire, &field, status)) {
        ORIBI_TRY(field.number != TIMEOUT_IN_MS ||
                  oribi_wire_int(&field, "a time limit", &limit, status));
    }
    *out = limit > 0 && limit < INT64_MAX / NANOSECONDS ? (uint64_t)limit * NANOSECONDS : 0;
    return oribi_ok(status);
}

static bool check_values(const oribi_binding_wish *wish, TF_Status *status)
{
    for (int i = 0; i < wish->n_feeds; i++) {
        if (wish->values[i] == NULL) {
            return oribi_fail(status, TF_INVALID_ARGUMENT, "feed %d is NULL", i);
        }
    }
    return true;
}

void TF_SessionRun(TF_Session *session, const TF_Buffer *run_options, const TF_Output *inputs,
                   TF_Tensor *const *input_values, int ninputs, const TF_Output *outputs,
                   TF_Tensor **output_values, int noutputs, const TF_Operation *const *target_opers,
                   int ntargets, TF_Buffer *run_metadata, TF_Status *status)
{
    const oribi_binding_wish wish = {inputs,  input_values, outputs, target_opers,
                                     ninputs, noutputs,     ntargets};
    oribi_binding_plan *plan = NULL;
    oribi_run *run = NULL;
    uint64_t limit = 0;
    (void)run_metadata; /* stays empty: nothing is traced */
    TF_SetStatus(status, TF_OK, "");
    for (int i = 0; i < noutputs; i++) {
        output_values[i] = NULL;
    }
    const bool ok = read_options(run_options, &limit, status) && check_values(&wish, status) &&
                    take(session, &wish, &plan, &run, status) &&
                    (run == NULL || compute(plan, run, &wish, limit, output_values, status)) &&
                    (run == NULL || assign(session, plan, run, status));
    for (int i = 0; !ok && i < noutputs; i++) {
        TF_DeleteTensor(output_values[i]);
        output_values[i] = NULL;
    }
    give_back(session, plan, run);
}
