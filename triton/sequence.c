/* SPDX-License-Identifier: Apache-2.0 */
/* Which run has the state of a request's sequence? An instance keeps as many as Triton gives it at
 * the same time. Triton does not say when it gives one up that was silent for too long, so that the
 * one that was silent longest makes room: those that are alive were heard since.
 */
#include <inttypes.h>
#include <stdio.h>
#include <string.h>

#include "backend.h"

/* Its number or its text, which are never the same. */
static TRITONSERVER_Error *name_of(TRITONBACKEND_Request *request, char *out, size_t size)
{
    uint64_t number;
    const char *text;
    TRITONSERVER_Error *error = TRITONBACKEND_RequestCorrelationId(request, &number);

    if (error == NULL) {
        (void)snprintf(out, size, "#%" PRIu64, number);
        return NULL;
    }
    triton_forget(error);
    TRY(TRITONBACKEND_RequestCorrelationIdString(request, &text));
    const int n = snprintf(out, size, "=%s", text);
    return n >= 0 && (size_t)n < size
               ? NULL
               : triton_fail(TRITON_ERROR_INVALID_ARG, "oribi: a sequence's name is too long");
}

static triton_sequence *look(const triton_instance *instance, const char *id)
{
    for (int32_t i = 0; i < instance->model->n_sequences; i++) {
        triton_sequence *s = &instance->sequences[i];
        if (s->is_open && strcmp(s->id, id) == 0) {
            return s;
        }
    }
    return NULL;
}

static triton_sequence *make_room(const triton_instance *instance)
{
    triton_sequence *oldest = &instance->sequences[0];

    for (int32_t i = 0; i < instance->model->n_sequences; i++) {
        triton_sequence *s = &instance->sequences[i];
        if (!s->is_open) {
            return s;
        }
        oldest = s->last_used < oldest->last_used ? s : oldest;
    }
    return oldest;
}

TRITONSERVER_Error *triton_sequence_find(triton_instance *instance, TRITONBACKEND_Request *request,
                                         triton_sequence **out, TF_Status *status)
{
    char id[sizeof instance->sequences->id];
    uint32_t flags;

    TRY(TRITONBACKEND_RequestFlags(request, &flags));
    TRY(name_of(request, id, sizeof id));
    triton_sequence *s = look(instance, id);
    if ((flags & TRITON_SEQUENCE_START) != 0) {
        s = s != NULL ? s : make_room(instance);
        s->is_open = false;
        if (s->run == NULL) {
            s->run = oribi_run_create(instance->model->session, status);
            TRY(triton_error_of(status));
            oribi_run_set_time_limit(s->run, instance->model->time_limit_ns);
        }
        oribi_run_reset(s->run, status);
        TRY(triton_error_of(status));
        memcpy(s->id, id, sizeof id);
        s->is_open = true;
    } else if (s == NULL) {
        return triton_fail(TRITON_ERROR_INVALID_ARG,
                           "oribi: a sequence goes on of which nobody saw the start");
    }
    s->last_used = ++instance->clock;
    *out = s;
    return NULL;
}

void triton_sequence_close(triton_sequence *sequence, TRITONBACKEND_Request *request)
{
    uint32_t flags = 0;

    triton_forget(TRITONBACKEND_RequestFlags(request, &flags));
    if ((flags & TRITON_SEQUENCE_END) != 0) {
        sequence->is_open = false;
    }
}
