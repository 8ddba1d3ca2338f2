/* SPDX-License-Identifier: Apache-2.0 */
/* What answers one set of feeds, fetches and targets: what lies between is imported once, and runs
 * as any model. The last few are kept.
 */
#include <string.h>

#include "base/alloc.h"
#include "binding/binding_session.h"
#include "format/proto.h"
#include "session/session.h"

enum { MAX_PLANS = 64 };

/* --- The graph as a file -------------------------------------------------------------------- */

typedef struct written {
    oribi_source source;
    oribi_text text;
} written;

static void release_written(oribi_source *source)
{
    written *self = (written *)source;
    oribi_text_destroy(&self->text);
    oribi_free(self);
}

/* A GraphDef, or a SavedModel where its checkpoint and assets are there. */
static void write_file(oribi_text *out, const TF_Session *session)
{
    oribi_text graph = {0}, meta = {0};
    if (session->folder == NULL) {
        oribi_binding_write_graph(out, session->graph);
        return;
    }
    oribi_binding_write_graph(&graph, session->graph);
    oribi_proto_message(&meta, 2, &graph);
    oribi_text_append_n(&meta, session->meta.at, (size_t)(session->meta.end - session->meta.at));
    oribi_proto_number(out, 1, 1);
    oribi_proto_message(out, 2, &meta);
}

/* The graph as it is now; the graph's lock is held. */
static bool refresh_file(TF_Session *session, TF_Status *status)
{
    if (session->file.source != NULL && session->version == session->graph->version) {
        return true;
    }
    oribi_model_file_close(&session->file);
    written *made = oribi_alloc_zero(1, sizeof *made);
    ORIBI_TRY(made != NULL || oribi_fail_memory(status));
    atomic_init(&made->source.references, 1);
    made->source.release = release_written;
    write_file(&made->text, session);
    session->file = (oribi_model_file){
        .source = &made->source,
        .data = (const uint8_t *)made->text.data,
        .bytes = made->text.length,
        .name = oribi_strdup(session->name),
        .folder = session->folder != NULL ? oribi_strdup(session->folder) : NULL};
    if (made->text.failed || session->file.name == NULL ||
        (session->folder != NULL && session->file.folder == NULL)) {
        oribi_model_file_close(&session->file);
        return oribi_fail_memory(status);
    }
    session->version = session->graph->version;
    return true;
}

/* --- Feeds and fetches ---------------------------------------------------------------------- */

static const char *name_of(oribi_binding_plan *plan, TF_Output output)
{
    return oribi_arena_printf(&plan->arena, "%s:%d", output.oper->name, output.index);
}

/* Feeds may have another shape than the graph knows; then a plan of their own knows none. */
static bool agrees(const TF_Tensor *tensor, const oribi_shape *shape)
{
    bool ok = shape->rank < 0 || shape->rank == TF_NumDims(tensor);
    for (int32_t i = 0; ok && i < shape->rank; i++) {
        ok = shape->dims[i] < 0 || shape->dims[i] == TF_Dim(tensor, i);
    }
    return ok;
}

static bool add_feed(oribi_binding_plan *plan, TF_Output feed, TF_Tensor *given, int32_t *n,
                     TF_Status *status)
{
    const oribi_value *value = oribi_binding_value(feed, status);
    ORIBI_TRY(value != NULL);
    const TF_DataType dtype = TF_TensorType(given);
    if (value->dtype != 0 && value->dtype != dtype) {
        return oribi_fail(status, TF_INVALID_ARGUMENT,
                          "'%s:%d' is of type %d (TF_DataType), and is fed a tensor of type %d",
                          feed.oper->name, feed.index, (int)value->dtype, (int)dtype);
    }
    oribi_import_port *end = (oribi_import_port *)&plan->ends.feeds[*n];
    plan->types[*n] = dtype;
    end->name = name_of(plan, feed);
    end->dtype = dtype;
    for (int32_t i = 0; i < *n; i++) {
        if (end->name != NULL && strcmp(plan->ends.feeds[i].name, end->name) == 0) {
            return oribi_fail(status, TF_INVALID_ARGUMENT, "Tensor %s is fed more than once",
                              end->name);
        }
    }
    ++*n;
    return (end->name != NULL &&
            oribi_shape_copy(&plan->arena, value->shape.dims,
                             agrees(given, &value->shape) ? value->shape.rank : -1, &end->shape)) ||
           oribi_fail_memory(status);
}

int32_t oribi_binding_add_fetch(oribi_binding_plan *plan, TF_Output fetch, TF_Status *status)
{
    oribi_import_ends *ends = &plan->ends;
    const char *name = name_of(plan, fetch);
    oribi_import_port *more =
        oribi_arena_array(&plan->arena, (size_t)ends->n_fetches + 1, sizeof *more);
    if (name == NULL || more == NULL) {
        oribi_fail_memory(status);
        return -1;
    }
    for (int32_t i = 0; i < ends->n_fetches; i++) {
        if (strcmp(ends->fetches[i].name, name) == 0) {
            return i;
        }
        more[i] = ends->fetches[i];
    }
    more[ends->n_fetches].name = name;
    ends->fetches = more;
    return ends->n_fetches++;
}

/* --- Making --------------------------------------------------------------------------------- */

static bool copy_wish(oribi_binding_plan *plan, const oribi_binding_wish *wish, TF_Status *status)
{
    oribi_arena *arena = &plan->arena;
    const size_t n_feeds = (size_t)wish->n_feeds, n_fetches = (size_t)wish->n_fetches;
    plan->wish = *wish;
    plan->wish.values = NULL;
    plan->wish.feeds = oribi_arena_memdup(arena, wish->feeds, n_feeds * sizeof *wish->feeds);
    plan->wish.fetches =
        oribi_arena_memdup(arena, wish->fetches, n_fetches * sizeof *wish->fetches);
    plan->wish.targets =
        oribi_arena_memdup(arena, wish->targets, (size_t)wish->n_targets * sizeof *wish->targets);
    plan->types = oribi_arena_array(arena, n_feeds + 1, sizeof *plan->types);
    plan->result_of = oribi_arena_array(arena, n_fetches + 1, sizeof *plan->result_of);
    plan->ends.feeds = oribi_arena_array(arena, n_feeds + 1, sizeof *plan->ends.feeds);
    return (plan->wish.feeds != NULL && plan->wish.fetches != NULL && plan->wish.targets != NULL &&
            plan->types != NULL && plan->result_of != NULL && plan->ends.feeds != NULL) ||
           oribi_fail_memory(status);
}

static bool check_ops(const TF_Session *session, const oribi_binding_wish *wish, TF_Status *status)
{
    bool ok = true;
    for (int i = 0; i < wish->n_feeds; i++) {
        ok = ok && wish->feeds[i].oper != NULL && wish->feeds[i].oper->graph == session->graph;
    }
    for (int i = 0; i < wish->n_fetches; i++) {
        ok = ok && wish->fetches[i].oper != NULL && wish->fetches[i].oper->graph == session->graph;
    }
    for (int i = 0; i < wish->n_targets; i++) {
        ok = ok && wish->targets[i] != NULL && wish->targets[i]->graph == session->graph;
    }
    return ok || oribi_fail(status, TF_INVALID_ARGUMENT,
                            "a feed, fetch or target is no operation of the session's graph");
}

/* The graph's lock is held. */
static bool read_wish(oribi_binding_plan *plan, const oribi_binding_wish *wish, TF_Status *status)
{
    ORIBI_TRY(copy_wish(plan, wish, status));
    for (int i = 0; i < wish->n_feeds; i++) {
        ORIBI_TRY(add_feed(plan, wish->feeds[i], wish->values[i], &plan->ends.n_feeds, status));
    }
    for (int i = 0; i < wish->n_fetches; i++) {
        plan->result_of[i] = oribi_binding_value(wish->fetches[i], status) != NULL
                                 ? oribi_binding_add_fetch(plan, wish->fetches[i], status)
                                 : -1;
        ORIBI_TRY(plan->result_of[i] >= 0);
    }
    return oribi_binding_add_targets(plan, status);
}

static bool prepare(TF_Session *session, oribi_binding_plan *plan, const oribi_binding_wish *wish,
                    TF_Status *status)
{
    oribi_model_file file;
    ORIBI_TRY(check_ops(session, wish, status));
    oribi_mutex_lock(&session->graph->lock);
    const bool ok = read_wish(plan, wish, status) && refresh_file(session, status);
    oribi_mutex_unlock(&session->graph->lock);
    ORIBI_TRY(ok);
    if (plan->ends.n_fetches == 0) {
        return true;
    }
    ORIBI_TRY(oribi_binding_copy_variables(session, plan, status));
    ORIBI_TRY(oribi_model_file_share(&session->file, &file, status));
    plan->model = oribi_model_between(&file, &plan->ends, session->options, status);
    plan->session =
        plan->model != NULL ? oribi_session_create(plan->model, session->options, status) : NULL;
    return plan->session != NULL;
}

void oribi_binding_plan_destroy(oribi_binding_plan *plan)
{
    if (plan == NULL) {
        return;
    }
    for (int32_t i = 0; i < plan->n_idle; i++) {
        oribi_run_destroy(plan->idle[i]);
    }
    oribi_free(plan->idle);
    oribi_session_destroy(plan->session);
    oribi_model_destroy(plan->model);
    oribi_binding_drop_variables(plan->ends.variables, plan->ends.n_variables);
    oribi_arena_destroy(&plan->arena);
    oribi_free(plan);
}

/* --- The last few --------------------------------------------------------------------------- */

static bool is_for(const oribi_binding_plan *plan, const oribi_binding_wish *wish)
{
    const oribi_binding_wish *own = &plan->wish;
    bool same = own->n_feeds == wish->n_feeds && own->n_fetches == wish->n_fetches &&
                own->n_targets == wish->n_targets;
    for (int i = 0; same && i < wish->n_feeds; i++) {
        same = own->feeds[i].oper == wish->feeds[i].oper &&
               own->feeds[i].index == wish->feeds[i].index &&
               plan->types[i] == TF_TensorType(wish->values[i]) &&
               agrees(wish->values[i], &plan->ends.feeds[i].shape);
    }
    for (int i = 0; same && i < wish->n_fetches; i++) {
        same = own->fetches[i].oper == wish->fetches[i].oper &&
               own->fetches[i].index == wish->fetches[i].index;
    }
    for (int i = 0; same && i < wish->n_targets; i++) {
        same = own->targets[i] == wish->targets[i];
    }
    return same;
}

/* Of those that nobody uses. */
static void drop_oldest(TF_Session *session)
{
    oribi_binding_plan **oldest = NULL;
    for (oribi_binding_plan **p = &session->plans; *p != NULL; p = &(*p)->next) {
        if ((*p)->users == 0 && (oldest == NULL || (*p)->last_used < (*oldest)->last_used)) {
            oldest = p;
        }
    }
    if (oldest != NULL) {
        oribi_binding_plan *gone = *oldest;
        *oldest = gone->next;
        session->n_plans--;
        oribi_binding_plan_destroy(gone);
    }
}

oribi_binding_plan *oribi_binding_plan_find(TF_Session *session, const oribi_binding_wish *wish,
                                            TF_Status *status)
{
    oribi_binding_plan *plan = session->plans;
    const uint64_t edits = atomic_load(&session->graph->edits);
    while (plan != NULL && (plan->generation != session->generation || plan->edits != edits ||
                            !is_for(plan, wish))) {
        plan = plan->next;
    }
    if (plan == NULL) {
        plan = oribi_alloc_zero(1, sizeof *plan);
        if (plan == NULL) {
            oribi_fail_memory(status);
            return NULL;
        }
        plan->edits = edits;
        if (!prepare(session, plan, wish, status)) {
            oribi_binding_plan_destroy(plan);
            return NULL;
        }
        if (session->n_plans >= MAX_PLANS) {
            drop_oldest(session);
        }
        plan->next = session->plans;
        session->plans = plan;
        session->n_plans++;
    }
    plan->users++;
    plan->last_used = ++session->clock;
    return plan;
}
