/* SPDX-License-Identifier: Apache-2.0 */
/* Partial runs: feeds that come one after another, fetches in between. What a call wants is
 * computed from all that was fed so far, anew each time.
 */
#include <string.h>

#include "base/alloc.h"
#include "binding/binding_session.h"
#include "tensor/tensor.h"

struct oribi_binding_partial {
    char *handle;
    TF_Output *feeds, *fetches;
    TF_Tensor **values; /* by feed; NULL: not fed yet */
    int n_feeds, n_fetches;
    struct oribi_binding_partial *next;
};

static void destroy(oribi_binding_partial *self)
{
    for (int i = 0; self->values != NULL && i < self->n_feeds; i++) {
        TF_DeleteTensor(self->values[i]);
    }
    oribi_free(self->values);
    oribi_free(self->feeds);
    oribi_free(self->fetches);
    oribi_free(self->handle);
    oribi_free(self);
}

void oribi_binding_partials_destroy(oribi_binding_partial *first)
{
    while (first != NULL) {
        oribi_binding_partial *next = first->next;
        destroy(first);
        first = next;
    }
}

static TF_Output *copy_ends(const TF_Output *ends, int n)
{
    TF_Output *copy = oribi_alloc_array((size_t)n + 1, sizeof *copy);
    if (copy != NULL && n > 0) {
        memcpy(copy, ends, (size_t)n * sizeof *copy);
    }
    return copy;
}

static char *name_handle(uint64_t number)
{
    oribi_text text = {0};
    oribi_text_printf(&text, "partial run %llu", (unsigned long long)number);
    char *name = oribi_strdup(oribi_text_string(&text));
    oribi_text_destroy(&text);
    return name;
}

void TF_SessionPRunSetup(TF_Session *session, const TF_Output *inputs, int ninputs,
                         const TF_Output *outputs, int noutputs,
                         const TF_Operation *const *target_opers, int ntargets, const char **handle,
                         TF_Status *status)
{
    oribi_binding_partial *made = oribi_alloc_zero(1, sizeof *made);
    (void)target_opers; /* what they compute is computed where it is fetched */
    (void)ntargets;
    TF_SetStatus(status, TF_OK, "");
    *handle = NULL;
    if (made == NULL) {
        oribi_fail_memory(status);
        return;
    }
    oribi_mutex_lock(&session->lock);
    made->handle = name_handle(session->n_partials++);
    made->feeds = copy_ends(inputs, ninputs);
    made->fetches = copy_ends(outputs, noutputs);
    made->values = oribi_alloc_zero((size_t)ninputs + 1, sizeof *made->values);
    made->n_feeds = ninputs;
    made->n_fetches = noutputs;
    *handle = made->handle != NULL ? oribi_strdup(made->handle) : NULL;
    if (*handle == NULL || made->feeds == NULL || made->fetches == NULL || made->values == NULL) {
        oribi_free((void *)(uintptr_t)*handle);
        *handle = NULL;
        destroy(made);
        oribi_fail_memory(status);
    } else {
        made->next = session->partials;
        session->partials = made;
    }
    oribi_mutex_unlock(&session->lock);
}

void TF_DeletePRunHandle(const char *handle)
{
    oribi_free((void *)(uintptr_t)handle);
}

static int find_end(const TF_Output *ends, int n, TF_Output end)
{
    int i = 0;
    while (i < n && (ends[i].oper != end.oper || ends[i].index != end.index)) {
        i++;
    }
    return i;
}

static bool feed(oribi_binding_partial *self, const TF_Output *inputs, TF_Tensor *const *values,
                 int n, TF_Status *status)
{
    for (int i = 0; i < n; i++) {
        const int at = find_end(self->feeds, self->n_feeds, inputs[i]);
        if (at == self->n_feeds || self->values[at] != NULL || values[i] == NULL) {
            return oribi_fail(status, TF_INVALID_ARGUMENT,
                              "The feed %s:%d had already been fed, or is none of those that were "
                              "set up",
                              inputs[i].oper != NULL ? inputs[i].oper->name : "", inputs[i].index);
        }
        self->values[at] = oribi_tensor_share(values[i]);
        ORIBI_TRY(self->values[at] != NULL || oribi_fail_memory(status));
    }
    return true;
}

/* What was fed so far, as a run takes it; `feeds` and `values` have room for all. */
static int gather(const oribi_binding_partial *self, TF_Output *feeds, TF_Tensor **values)
{
    int n = 0;
    for (int i = 0; i < self->n_feeds; i++) {
        if (self->values[i] != NULL) {
            feeds[n] = self->feeds[i];
            values[n++] = oribi_tensor_share(self->values[i]);
        }
    }
    return n;
}

static bool check_fetches(const oribi_binding_partial *self, const TF_Output *outputs, int n,
                          TF_Status *status)
{
    for (int i = 0; i < n; i++) {
        if (find_end(self->fetches, self->n_fetches, outputs[i]) == self->n_fetches) {
            return oribi_fail(
                status, TF_INVALID_ARGUMENT, "The output %s:%d was not set up as a fetch",
                outputs[i].oper != NULL ? outputs[i].oper->name : "", outputs[i].index);
        }
    }
    return true;
}

void TF_SessionPRun(TF_Session *session, const char *handle, const TF_Output *inputs,
                    TF_Tensor *const *input_values, int ninputs, const TF_Output *outputs,
                    TF_Tensor **output_values, int noutputs,
                    const TF_Operation *const *target_opers, int ntargets, TF_Status *status)
{
    TF_SetStatus(status, TF_OK, "");
    oribi_mutex_lock(&session->lock);
    oribi_binding_partial *self = session->partials;
    while (self != NULL && strcmp(self->handle, handle) != 0) {
        self = self->next;
    }
    bool ok = self != NULL ||
              oribi_fail(status, TF_INVALID_ARGUMENT, "there is no partial run '%s'", handle);
    const size_t room = ok ? (size_t)self->n_feeds + 1 : 1;
    TF_Output *feeds = oribi_alloc_array(room, sizeof *feeds);
    TF_Tensor **values = oribi_alloc_zero(room, sizeof *values);
    ok = ok && ((feeds != NULL && values != NULL) || oribi_fail_memory(status)) &&
         check_fetches(self, outputs, noutputs, status) &&
         feed(self, inputs, input_values, ninputs, status);
    const int n = ok ? gather(self, feeds, values) : 0;
    oribi_mutex_unlock(&session->lock);
    if (ok) {
        TF_SessionRun(session, NULL, feeds, values, n, outputs, output_values, noutputs,
                      target_opers, ntargets, NULL, status);
    }
    for (int i = 0; i < n; i++) {
        TF_DeleteTensor(values[i]);
    }
    oribi_free(feeds);
    oribi_free(values);
}
