/* SPDX-License-Identifier: Apache-2.0 */
/* JSON about a session: its steps, what the passes changed, where memory goes. */
#include <string.h>

#include "base/alloc.h"
#include "format/json.h"
#include "op/op_proto.h"
#include "op/traits.h"
#include "session/batch/batch.h"
#include "session/session_internal.h"

/* How the integers of an input or output stand for numbers; no member where they do not. */
static void put_units(oribi_json *json, const oribi_quantisation *units)
{
    if (units->n_scales == 1) {
        oribi_json_key(json, "scale");
        oribi_json_double(json, (double)units->scale);
        oribi_json_put_int(json, "zero_point", units->zero);
    } else if (units->n_scales > 1) {
        oribi_json_put_int(json, "scales", units->n_scales);
        oribi_json_put_int(json, "scales_along", units->axis);
    }
}

/* units: of a port of the model, or NULL. */
static void put_shape(oribi_json *json, const oribi_session_value *value, const oribi_place *place,
                      const oribi_quantisation *units)
{
    oribi_json_open(json, '{');
    oribi_json_put_string(json, "name", value->name);
    oribi_json_put_string(json, "type", oribi_dtype_name(value->dtype));
    const bool is_planned = place != NULL && place->rank >= 0;
    const int32_t rank = is_planned ? place->rank : value->shape.rank;
    const int64_t *dims = is_planned ? place->dims : value->shape.dims;
    oribi_json_key(json, "shape");
    if (rank < 0) {
        oribi_json_null(json);
    } else {
        oribi_json_open(json, '[');
        for (int32_t k = 0; k < rank; k++) {
            oribi_json_int(json, dims[k]);
        }
        oribi_json_close(json, ']');
    }
    if (units != NULL) {
        put_units(json, units);
    }
    oribi_json_close(json, '}');
}

static void put_ends(oribi_json *json, const char *key, const oribi_session *session,
                     const oribi_plan *plan, const int32_t *ids, int32_t n,
                     const oribi_quantisation *units)
{
    oribi_json_key(json, key);
    oribi_json_open(json, '[');
    for (int32_t i = 0; i < n; i++) {
        if (ids[i] < 0) {
            oribi_json_null(json);
        } else {
            put_shape(json, &session->values[ids[i]], plan != NULL ? &plan->places[ids[i]] : NULL,
                      units != NULL ? &units[i] : NULL);
        }
    }
    oribi_json_close(json, ']');
}

static const char *storage_name(const oribi_plan *plan, int32_t value)
{
    static const char *const names[] = {"heap", "arena", "heap", "output", "constant", "caller"};
    return plan != NULL ? names[plan->places[value].storage] : "unknown";
}

/* How the first output gets its bytes. */
static void put_memory(oribi_json *json, const oribi_session_step *step, const oribi_plan *plan,
                       bool is_placed)
{
    static const char *const requests[] = {"unknown", "allocate", "forward", "view"};
    size_t bytes = 0;
    for (int32_t i = 0; plan != NULL && i < step->node->n_outputs; i++) {
        bytes += plan->places[step->outputs[i]].bytes;
    }
    oribi_json_put_uint(json, "bytes", bytes);
    if (step->node->n_outputs > 0 && plan != NULL) {
        const oribi_place *place = &plan->places[step->outputs[0]];
        oribi_json_put_string(json, "storage", storage_name(plan, step->outputs[0]));
        oribi_json_put_uint(json, "offset", place->offset);
        oribi_json_put_string(json, "request", requests[place->request]);
        if (place->row_stride != 0) {
            oribi_json_put_int(json, "row_stride", place->row_stride);
        }
    }
    oribi_json_put_bool(json, "in_place_concat", is_placed);
}

/* A view that a loop over a batch makes without the kernel. */
static bool is_view(const oribi_plan *plan, int32_t s)
{
    const oribi_batch *batch = plan->record->batch;
    return batch != NULL && batch->loop_of[s] >= 0 && batch->viewed[s] >= 0;
}

static oribi_shape shape_of(const oribi_session *session, const oribi_plan *plan, int32_t id)
{
    const oribi_place *place = &plan->places[id];
    return place->rank >= 0 ? (oribi_shape){place->rank, (int64_t *)place->dims}
                            : session->values[id].shape;
}

static uint64_t bytes_of(const oribi_session *session, const oribi_plan *plan, int32_t id)
{
    const oribi_shape shape = shape_of(session, plan, id);
    uint64_t bytes = oribi_dtype_bytes(session->values[id].dtype);
    for (int32_t k = 0; k < shape.rank; k++) {
        bytes *= shape.dims[k] > 0 ? (uint64_t)shape.dims[k] : 0;
    }
    return bytes;
}

/* How often a run calls the step's kernel, each time for a part of the batch. */
static int64_t turns_of(const oribi_plan *plan, int32_t s)
{
    const oribi_batch *batch = plan->record->batch;
    return batch != NULL && batch->loop_of[s] >= 0 ? batch->loops[batch->loop_of[s]].n_turns : 1;
}

/* The part of a value that one call sees: the place of what lives inside a loop has no more. */
static uint64_t parts_of(const oribi_plan *plan, int32_t s, int32_t value)
{
    const oribi_batch *batch = plan->record->batch;
    return batch != NULL && batch->loop_of[s] >= 0 && batch->where[value] == ORIBI_BATCH_BORDER
               ? (uint64_t)turns_of(plan, s)
               : 1;
}

/* Of one call: multiplications and additions, where the op's traits tell them, else 0; bytes of
 * inputs and outputs, each once. */
static void put_work(oribi_json *json, const oribi_session *session, const oribi_plan *plan,
                     const oribi_session_step *step)
{
    const int32_t s = (int32_t)(step - session->steps);
    const oribi_node *node = step->node;
    oribi_traits traits;
    double operations = 0;
    uint64_t bytes = 0;
    oribi_op_traits(node->op, &node->attrs, &node->signature, &traits);
    if (traits.weights >= 0 && step->inputs[traits.weights] >= 0 && node->n_outputs > 0 &&
        step->outputs[0] >= 0) {
        const oribi_shape weights = shape_of(session, plan, step->inputs[traits.weights]);
        const oribi_shape output = shape_of(session, plan, step->outputs[0]);
        operations = 2 * oribi_traits_products(&traits, &weights, &output);
        for (int32_t k = 0; k < output.rank; k++) {
            operations *= (double)output.dims[k];
        }
        operations /= (double)parts_of(plan, s, step->outputs[0]);
    }
    for (int32_t i = 0; i < node->n_inputs + node->n_outputs; i++) {
        const int32_t id = i < node->n_inputs ? step->inputs[i] : step->outputs[i - node->n_inputs];
        bytes += id >= 0 ? bytes_of(session, plan, id) / parts_of(plan, s, id) : 0;
    }
    oribi_json_put_uint(json, "operations", operations > 0 ? (uint64_t)operations : 0);
    oribi_json_put_uint(json, "moved_bytes", bytes);
    if (turns_of(plan, s) > 1) {
        oribi_json_put_int(json, "turns", turns_of(plan, s));
    }
}

/* The plan that was used last, counted; NULL when there is none. */
static oribi_plan *latest_plan(oribi_session *session)
{
    oribi_plan *latest = NULL;
    oribi_mutex_lock(&session->lock);
    for (int32_t i = 0; i < session->n_plans; i++) {
        if (latest == NULL || session->plans[i]->last_used > latest->last_used) {
            latest = session->plans[i];
        }
    }
    if (latest != NULL) {
        oribi_plan_retain(latest);
    }
    oribi_mutex_unlock(&session->lock);
    return latest;
}

static void put_steps(oribi_json *json, oribi_session *session, const oribi_plan *plan,
                      const char *node, const char *graph);

/* node and graph: that the step is inside of, or NULL. Steps of its own graphs follow it. */
static void put_step(oribi_json *json, const oribi_session *session, const oribi_plan *plan,
                     int32_t s, const char *node, const char *graph)
{
    const oribi_session_step *step = &session->steps[s];
    const oribi_kernel_def *def = step->kernel.def;
    oribi_json_open(json, '{');
    oribi_json_put_int(json, "step", s);
    if (node != NULL) {
        oribi_json_put_string(json, "within", node);
        oribi_json_put_string(json, "graph", graph);
    }
    oribi_json_put_string(json, "node", step->node->name);
    oribi_json_put_string(json, "op", step->node->op_name);
    oribi_json_put_string(json, "kernel", def->kernel_name);
    oribi_json_put_string(json, "provider", def->provider);
    oribi_json_key(json, "device");
    oribi_json_string(json,
                      step->device != 0 ? session->devices[step->device].name : def->device_type);
    oribi_json_put_int(json, "priority", def->priority);
    if (step->flight >= 0) { /* asynchronous: the last step beside which it may be at work */
        oribi_json_put_int(json, "until", step->until);
    }
    oribi_json_put_string(json, "origin", step->node->origin);
    put_ends(json, "inputs", session, plan, step->inputs, step->node->n_inputs, NULL);
    put_ends(json, "outputs", session, plan, step->outputs, step->node->n_outputs, NULL);
    put_memory(json, step, plan,
               plan != NULL && plan->is_placed[s] && step->n_bodies == 0 && !is_view(plan, s));
    if (plan != NULL) {
        put_work(json, session, plan, step);
    }
    oribi_json_close(json, '}');
    for (int32_t k = 0; k < step->n_bodies; k++) {
        oribi_session *inner = step->bodies[k].session;
        if (inner != NULL) { /* else a branch whose shapes do not fit */
            oribi_plan *own = latest_plan(inner);
            put_steps(json, inner, own, step->node->name, step->bodies[k].body->name);
            oribi_plan_release(own);
        }
    }
}

static void put_steps(oribi_json *json, oribi_session *session, const oribi_plan *plan,
                      const char *node, const char *graph)
{
    for (int32_t s = 0; s < session->n_steps; s++) {
        put_step(json, session, plan, s, node, graph);
    }
}

static void put_graph(oribi_json *json, oribi_session *session, const oribi_plan *plan)
{
    oribi_json_open(json, '{');
    oribi_json_put_string(json, "source", session->graph->source_name);
    oribi_json_put_bool(json, "is_planned", plan != NULL);
    if (session->graph->is_open) { /* no steps: --shape shows them */
        oribi_json_put_bool(json, "waits_for_shapes", true);
    }
    put_ends(json, "inputs", session, plan, session->inputs, session->n_inputs - session->n_states,
             session->graph->input_quantisation);
    put_ends(json, "outputs", session, plan, session->outputs,
             session->n_outputs - session->n_states, session->graph->output_quantisation);
    oribi_json_key(json, "steps");
    oribi_json_open(json, '[');
    put_steps(json, session, plan, NULL, NULL);
    oribi_json_close(json, ']');
    oribi_json_close(json, '}');
}

static void put_changes(oribi_json *json, const oribi_session *session)
{
    for (int32_t i = 0; i < session->report.n_changes; i++) {
        oribi_json_open(json, '{');
        oribi_json_put_string(json, "pass", session->report.changes[i].pass);
        oribi_json_put_string(json, "change", session->report.changes[i].what);
        oribi_json_close(json, '}');
    }
    for (int32_t s = 0; s < session->n_steps; s++) {
        for (int32_t k = 0; k < session->steps[s].n_bodies; k++) {
            if (session->steps[s].bodies[k].session != NULL) {
                put_changes(json, session->steps[s].bodies[k].session);
            }
        }
    }
}

static void put_passes(oribi_json *json, const oribi_session *session)
{
    oribi_json_open(json, '{');
    oribi_json_key(json, "changes");
    oribi_json_open(json, '[');
    put_changes(json, session);
    oribi_json_close(json, ']');
    oribi_json_close(json, '}');
}

static uint64_t constant_bytes(const oribi_session *session)
{
    uint64_t bytes = 0;
    for (int32_t i = 0; i < session->n_values; i++) {
        bytes += session->values[i].constant != NULL ? session->values[i].constant->bytes : 0;
    }
    return bytes;
}

static void put_buffers(oribi_json *json, const oribi_session *session, const oribi_plan *plan)
{
    oribi_json_key(json, "buffers");
    oribi_json_open(json, '[');
    for (int32_t i = 0; plan != NULL && i < session->n_values; i++) {
        if (session->values[i].producer < 0) {
            continue;
        }
        oribi_json_open(json, '{');
        oribi_json_put_string(json, "value", session->values[i].name);
        oribi_json_put_string(json, "storage", storage_name(plan, i));
        oribi_json_put_uint(json, "offset", plan->places[i].offset);
        oribi_json_put_uint(json, "bytes", plan->places[i].bytes);
        oribi_json_put_int(json, "first_use", session->values[i].producer);
        oribi_json_put_int(json, "last_use", session->values[i].last_use);
        oribi_json_close(json, '}');
    }
    oribi_json_close(json, ']');
}

static void put_sizes(oribi_json *json, const oribi_session *session, const oribi_plan *plan)
{
    uint64_t temps = 0;
    for (int32_t i = 0; plan != NULL && i < plan->n_temps; i++) {
        temps += plan->places[plan->n_values + i].capacity;
    }
    oribi_json_open(json, '{');
    oribi_json_put_int(json, "plans", session->n_plans);
    oribi_json_put_uint(json, "arena_bytes", plan != NULL ? plan->arena_bytes : 0);
    oribi_json_put_uint(json, "bound_bytes", plan != NULL ? plan->bounds.bound_bytes : 0);
    oribi_json_put_uint(json, "temporary_bytes", temps);
    oribi_json_put_uint(json, "constant_bytes", constant_bytes(session));
    oribi_json_put_uint(json, "used_bytes", atomic_load(&session->meter->used));
    oribi_json_put_uint(json, "max_bytes", session->meter->max_bytes);
    put_buffers(json, session, plan);
    oribi_json_close(json, '}');
}

/* Kernels and devices considered for one step, with the reason for each. */
static void put_choice(oribi_json *json, const oribi_session *session,
                       const oribi_session_step *step, TF_Status *status)
{
    const oribi_kernel_def *chosen = step->kernel.def;
    oribi_text text = {0};
    for (int32_t k = 0; k < step->n_bodies; k++) {
        const oribi_session_body *body = &step->bodies[k];
        oribi_text_printf(&text, "\n  graph %s: ", body->body->name);
        if (body->session == NULL) {
            oribi_text_printf(&text, "fails when it is taken: %s", body->fault);
        } else {
            const int n = (int)body->session->n_steps;
            oribi_text_printf(&text, "%d step%s", n, n == 1 ? "" : "s");
        }
    }
    if (step->n_bodies == 0) {
        (void)oribi_kernel_select(&step->view, chosen->device_type, &text, status);
        TF_SetStatus(status, TF_OK, "");
    }
    json->text->failed = json->text->failed || text.failed;
    oribi_json_put_string(json, "node", step->node->name);
    oribi_json_put_string(json, "op", step->node->op_name);
    oribi_json_put_string(json, "kernel", chosen->kernel_name);
    oribi_json_put_string(json, "provider", chosen->provider);
    oribi_json_put_string(json, "device", chosen->device_type);
    if (session->moved != NULL && session->moved[step->node->id] != NULL) {
        oribi_json_put_string(json, "moved", session->moved[step->node->id]);
    }
    oribi_json_put_string(json, "considered", oribi_text_string(&text));
    oribi_text_destroy(&text);
}

/* Is the step that node, or what became of the model's node of that name? One node of a model can
 * be several steps, and a step several nodes: its origin names them, in quotes. */
static bool runs_node(const oribi_session_step *step, const char *node, bool by_origin)
{
    const size_t length = strlen(node);
    if (step->transfer != NULL) {
        return false;
    }
    if (!by_origin) {
        return strcmp(step->node->name, node) == 0;
    }
    for (const char *at = step->node->origin; at != NULL && (at = strchr(at, '\'')) != NULL;) {
        at++;
        if (strncmp(at, node, length) == 0 && at[length] == '\'') {
            return true;
        }
    }
    return false;
}

/* --- Steps and those of the graphs of their nodes, in order -------------------------------------
 */

typedef bool visit(void *arg, const oribi_session *session, const oribi_session_step *step);

/* Until a visit returns false. */
static bool each_step(const oribi_session *session, visit *visitor, void *arg)
{
    for (int32_t s = 0; s < session->n_steps; s++) {
        const oribi_session_step *step = &session->steps[s];
        ORIBI_TRY(visitor(arg, session, step));
        for (int32_t k = 0; k < step->n_bodies; k++) {
            const oribi_session *inner = step->bodies[k].session;
            ORIBI_TRY(inner == NULL || each_step(inner, visitor, arg));
        }
    }
    return true;
}

typedef struct search {
    const char *node;
    bool by_origin, all; /* all: the choices go to json, else the first ends the search */
    oribi_json *json;
    TF_Status *status;
    const oribi_session *session; /* the first that was found */
    const oribi_session_step *step;
} search;

static bool visit_named(void *arg, const oribi_session *session, const oribi_session_step *step)
{
    search *s = arg;
    if (!runs_node(step, s->node, s->by_origin)) {
        return true;
    }
    if (s->all) {
        oribi_json_open(s->json, '{');
        put_choice(s->json, session, step, s->status);
        oribi_json_close(s->json, '}');
    } else {
        s->session = session;
        s->step = step;
    }
    return s->all;
}

typedef struct name_list {
    const char **names; /* NULL: counts only */
    size_t n;
} name_list;

static bool visit_name(void *arg, const oribi_session *session, const oribi_session_step *step)
{
    name_list *list = arg;
    (void)session;
    if (list->names != NULL) {
        list->names[list->n] = step->node->name;
    }
    list->n++;
    return true;
}

static bool fail_no_step(const oribi_session *session, const char *node, TF_Status *status)
{
    name_list list = {0};
    (void)each_step(session, visit_name, &list);
    list.names = oribi_alloc_array(list.n + 1, sizeof *list.names);
    const char *near = NULL;
    if (list.names != NULL) {
        list.n = 0;
        (void)each_step(session, visit_name, &list);
        near = oribi_text_did_you_mean(node, list.names, list.n);
    }
    oribi_fail(status, TF_NOT_FOUND,
               "no step runs a node '%s'%s%s%s; it may be folded or fused away, `oribi inspect "
               "--passes` says which were",
               node, near != NULL ? ", did you mean '" : "", near != NULL ? near : "",
               near != NULL ? "'?" : "");
    oribi_free(list.names);
    return false;
}

static bool put_explanation(oribi_json *json, const oribi_session *session, const char *node,
                            TF_Status *status)
{
    search s = {.node = node, .json = json, .status = status};
    if (each_step(session, visit_named, &s)) {
        s.by_origin = true;
        if (each_step(session, visit_named, &s)) {
            return fail_no_step(session, node, status);
        }
    }
    oribi_json_open(json, '{');
    put_choice(json, s.session, s.step, status);
    oribi_json_key(json, "steps");
    oribi_json_open(json, '[');
    s.all = true;
    (void)each_step(session, visit_named, &s);
    oribi_json_close(json, ']');
    oribi_json_close(json, '}');
    return true;
}

static bool describe(oribi_session *session, const char *what, oribi_text *text, TF_Status *status)
{
    oribi_json json = {.text = text};
    oribi_plan *plan = latest_plan(session);
    bool ok = true;
    if (strcmp(what, "graph") == 0) {
        put_graph(&json, session, plan);
    } else if (strcmp(what, "passes") == 0) {
        put_passes(&json, session);
    } else if (strcmp(what, "memory") == 0) {
        put_sizes(&json, session, plan);
    } else if (strcmp(what, "copies") == 0) {
        oribi_describe_copies(&json, session, plan);
    } else if (strcmp(what, "devices") == 0) {
        oribi_describe_devices(&json, session, plan);
    } else if (strncmp(what, "explain:", 8) == 0) {
        ok = put_explanation(&json, session, what + 8, status);
    } else {
        ok = oribi_fail(status, TF_INVALID_ARGUMENT,
                        "a session cannot describe '%s'; it can describe graph, passes, memory, "
                        "copies, devices or explain:NODE",
                        what);
    }
    oribi_plan_release(plan);
    return ok;
}

void oribi_session_describe(oribi_session *session, const char *what, TF_Buffer *json,
                            TF_Status *status)
{
    oribi_text text = {0};
    if (!ORIBI_GIVEN(status, session, what, json)) {
        return;
    }
    if (json->data != NULL) {
        oribi_fail(status, TF_INVALID_ARGUMENT, "Passing non-empty TF_Buffer is invalid.");
        return;
    }
    if (describe(session, what, &text, status)) {
        (void)oribi_proto_fill(&text, json, status);
    }
    oribi_text_destroy(&text);
}
