/* SPDX-License-Identifier: Apache-2.0 */
/* How long may inputs become? Plans of a session with bounds are made for those: a run with less
 * finds its plan, and its values lie where longer ones would.
 */
#include <string.h>

#include "base/alloc.h"
#include "session/session_internal.h"

void oribi_options_set_input_bound(oribi_options *options, const char *input, int dim, int64_t most,
                                   TF_Status *status)
{
    if (!ORIBI_GIVEN(status, options, input)) {
        return;
    }
    if (dim < 0 || most < 0) {
        oribi_fail(status, TF_INVALID_ARGUMENT,
                   "dimension %d of input '%s' with a bound of %lld: neither may be negative", dim,
                   input, (long long)most);
        return;
    }
    oribi_input_bound *bound = oribi_arena_array(&options->arena, 1, sizeof *bound);
    const char *name = oribi_arena_strdup(&options->arena, input);
    if (bound == NULL || name == NULL) {
        oribi_fail_memory(status);
        return;
    }
    *bound = (oribi_input_bound){name, dim, most, options->bounds};
    options->bounds = bound;
}

/* Room for the bounds of all inputs, none of them set. */
static bool make_room(oribi_session *session, TF_Status *status)
{
    oribi_shape *bounds =
        oribi_arena_array(&session->arena, (size_t)session->n_inputs + 1, sizeof *bounds);
    for (int32_t i = 0; bounds != NULL && i < session->n_inputs; i++) {
        const oribi_shape *shape = oribi_session_input_limit(session, i);
        const int32_t rank = shape->rank < 0 ? 0 : shape->rank;
        if (!oribi_shape_copy(&session->arena, shape->dims, rank, &bounds[i])) {
            return oribi_fail_memory(status);
        }
        for (int32_t k = 0; k < rank; k++) {
            bounds[i].dims[k] = -1;
        }
    }
    session->bounds = bounds;
    return bounds != NULL || oribi_fail_memory(status);
}

static bool set(oribi_session *session, const oribi_input_bound *bound, TF_Status *status)
{
    for (int32_t i = 0; i < session->n_inputs - session->n_states; i++) {
        if (strcmp(session->graph->input_names[i], bound->input) == 0 &&
            bound->dim < session->bounds[i].rank) {
            session->bounds[i].dims[bound->dim] = bound->most;
            return true;
        }
    }
    return oribi_fail(status, TF_INVALID_ARGUMENT,
                      "a bound for dimension %d of input '%s': the model has no such input, or the "
                      "input no such dimension",
                      bound->dim, bound->input);
}

bool oribi_bounds_make(oribi_session *session, const oribi_options *options, TF_Status *status)
{
    const oribi_input_bound *bound = options != NULL ? options->bounds : NULL;
    ORIBI_TRY(bound == NULL || make_room(session, status));
    for (; bound != NULL; bound = bound->next) {
        ORIBI_TRY(set(session, bound, status));
    }
    return true;
}

int64_t oribi_bound_of(const oribi_session *session, int32_t input, int32_t dim)
{
    return session->bounds != NULL && dim < session->bounds[input].rank
               ? session->bounds[input].dims[dim]
               : -1;
}

bool oribi_bounds_check(const oribi_session *session, int32_t input, const oribi_shape *shape,
                        TF_Status *status)
{
    for (int32_t k = 0; k < shape->rank; k++) {
        const int64_t most = oribi_bound_of(session, input, k);
        if (most >= 0 && shape->dims[k] > most) {
            return oribi_fail(status, TF_INVALID_ARGUMENT,
                              "dimension %d of input '%s' is %lld, and its bound %lld "
                              "(oribi_options_set_input_bound)",
                              (int)k, session->graph->input_names[input], (long long)shape->dims[k],
                              (long long)most);
        }
    }
    return true;
}

const oribi_shape *oribi_bounds_apply(const oribi_session *session, const oribi_shape *shapes,
                                      oribi_arena *arena)
{
    if (session->bounds == NULL) {
        return shapes;
    }
    oribi_shape *result = oribi_arena_array(arena, (size_t)session->n_inputs + 1, sizeof *result);
    for (int32_t i = 0; result != NULL && i < session->n_inputs; i++) {
        if (!oribi_shape_copy(arena, shapes[i].dims, shapes[i].rank, &result[i])) {
            return NULL;
        }
        for (int32_t k = 0; k < shapes[i].rank; k++) {
            const int64_t most = oribi_bound_of(session, i, k);
            result[i].dims[k] = most >= 0 ? most : shapes[i].dims[k];
        }
    }
    return result;
}

size_t oribi_bounds_room(const oribi_session *session, const struct oribi_run *run, size_t bytes)
{
    int64_t times = INT64_MAX; /* that the input nearest to its bound is smaller than that */
    for (int32_t i = 0; session->bounds != NULL && run != NULL && i < session->n_inputs; i++) {
        const oribi_shape *shape = &run->input_shapes[i];
        for (int32_t k = 0; k < shape->rank; k++) {
            const int64_t most = oribi_bound_of(session, i, k);
            if (most >= shape->dims[k] && shape->dims[k] > 0 && most / shape->dims[k] < times) {
                times = most / shape->dims[k];
            }
        }
    }
    size_t result = 0; /* and some more: what grows is not exactly as long as the input */
    return times < INT64_MAX / 2 && oribi_size_mul(bytes, (size_t)times + 2, &result) ? result
                                                                                      : bytes;
}
