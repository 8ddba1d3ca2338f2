/* SPDX-License-Identifier: Apache-2.0 */
/* Plans of a session by input shapes: found, made, improved, at most ORIBI_MAX_PLANS kept. The one
 * lock of a session; a run takes it only when its shapes changed or it learnt something.
 */
#include <string.h>

#include "base/alloc.h"
#include "session/session_internal.h"

void oribi_plan_retain(oribi_plan *plan)
{
    atomic_fetch_add_explicit(&plan->references, 1, memory_order_relaxed);
}

void oribi_plan_release(oribi_plan *plan)
{
    if (plan != NULL &&
        atomic_fetch_sub_explicit(&plan->references, 1, memory_order_acq_rel) == 1) {
        oribi_record_destroy(plan->record);
        oribi_arena_destroy(&plan->arena);
        oribi_free(plan);
    }
}

bool oribi_plan_fits(const oribi_plan *plan, const oribi_shape *input_shapes, bool is_whole,
                     const oribi_session *session)
{
    if (is_whole ? plan->record->batch != NULL : plan->record->is_whole) {
        return false;
    }
    for (int32_t i = 0; i < session->n_inputs; i++) {
        const oribi_shape *a = &plan->input_shapes[i];
        const oribi_shape *b = &input_shapes[i];
        if (a->rank != b->rank) {
            return false;
        }
        for (int32_t k = 0; k < a->rank; k++) {
            const int64_t most = oribi_bound_of(session, i, k);
            if (a->dims[k] != (most >= 0 ? most : b->dims[k])) {
                return false;
            }
        }
    }
    return true;
}

static int32_t find(const oribi_session *session, const oribi_shape *input_shapes, bool is_whole)
{
    for (int32_t i = 0; i < session->n_plans; i++) {
        if (oribi_plan_fits(session->plans[i], input_shapes, is_whole, session)) {
            return i;
        }
    }
    return -1;
}

/* Room for one more: the plan that was not asked for longest goes. */
static int32_t make_room(oribi_session *session)
{
    if (session->n_plans < ORIBI_MAX_PLANS) {
        return session->n_plans++;
    }
    int32_t oldest = 0;
    for (int32_t i = 1; i < session->n_plans; i++) {
        if (session->plans[i]->last_used < session->plans[oldest]->last_used) {
            oldest = i;
        }
    }
    oribi_plan_release(session->plans[oldest]);
    return oldest;
}

oribi_plan *oribi_plan_find(oribi_session *session, const oribi_shape *input_shapes, bool is_whole,
                            TF_Status *status)
{
    oribi_plan *plan = NULL;
    oribi_mutex_lock(&session->lock);
    const int32_t index = find(session, input_shapes, is_whole);
    if (index >= 0) {
        plan = session->plans[index];
    } else {
        oribi_arena arena = {0};
        const oribi_shape *shapes = oribi_bounds_apply(session, input_shapes, &arena);
        oribi_record *record =
            shapes != NULL ? oribi_plan_guess(session, shapes, is_whole, status) : NULL;
        if (record != NULL) {
            plan = oribi_plan_build(session, shapes, record, status);
        } else if (shapes == NULL) {
            oribi_fail_memory(status);
        }
        oribi_arena_destroy(&arena);
        if (plan != NULL) {
            session->plans[make_room(session)] = plan;
        }
    }
    if (plan != NULL) {
        plan->last_used = ++session->plan_clock;
        oribi_plan_retain(plan);
    }
    oribi_mutex_unlock(&session->lock);
    return plan;
}

/* Merges what both records know; the cached one may have learnt from another run meanwhile. */
static bool merge(oribi_record *into, const oribi_record *other)
{
    for (int32_t i = 0; i < into->n_values; i++) {
        const oribi_wish *wish = &other->values[i];
        if (wish->kind != ORIBI_WISH_NONE && wish->kind != ORIBI_WISH_GUESS &&
            oribi_record_is_news(into, i, wish)) {
            oribi_record_note(into, i, wish);
        }
    }
    for (const oribi_temp_wish *temp = other->temps; temp != NULL; temp = temp->next) {
        if (!oribi_record_note_temp(into, temp->step, temp->ordinal, temp->bytes, temp->escapes)) {
            return false;
        }
    }
    return true;
}

void oribi_plan_improve(oribi_session *session, oribi_plan *plan, oribi_record *news)
{
    TF_Status *status = TF_NewStatus();
    oribi_mutex_lock(&session->lock);
    const int32_t index = find(session, plan->input_shapes, plan->record->is_whole);
    oribi_plan *cached = index >= 0 ? session->plans[index] : NULL;
    if (cached == NULL || (cached != plan && !merge(news, cached->record))) {
        oribi_record_destroy(news);
    } else {
        oribi_plan *better = oribi_plan_build(session, plan->input_shapes, news, status);
        if (better != NULL) {
            better->last_used = cached->last_used;
            session->plans[index] = better;
            atomic_store_explicit(&cached->is_superseded, true, memory_order_release);
            oribi_plan_release(cached);
        }
    }
    oribi_mutex_unlock(&session->lock);
    TF_DeleteStatus(status); /* a plan that cannot be improved still works */
}
