/* SPDX-License-Identifier: Apache-2.0 */
/* Specials: a model whose translation wants shapes that it leaves open is translated when a run has
 * inputs, once for each set of their shapes. The last few are kept, as plans are; packed weights
 * that are the same they share. A run changes from one to another (run.c); what it gave out stays.
 */
#include <string.h>

#include "base/alloc.h"
#include "session/session_internal.h"

typedef struct special {
    oribi_session *session; /* one reference */
    uint64_t last_used;
} special;

struct oribi_specials {
    oribi_model_file file; /* own handle: the model may go */
    oribi_import_options how;
    oribi_options *options;
    special kept[ORIBI_MAX_SPECIALS];
    int32_t n;
    uint64_t clock;
};

oribi_specials *oribi_specials_create(const oribi_model_file *file, const oribi_import_options *how,
                                      const oribi_options *options, TF_Status *status)
{
    oribi_specials *specials = oribi_claim_zero(1, sizeof *specials, status);
    if (specials == NULL) {
        return NULL;
    }
    specials->how = *how;
    specials->how.shapes = NULL; /* of the inputs: a run has all of them */
    specials->how.may_be_open = false;
    specials->options = oribi_options_copy(options, status);
    if (specials->options == NULL || !oribi_model_file_share(file, &specials->file, status)) {
        oribi_specials_destroy(specials);
        return NULL;
    }
    return specials;
}

void oribi_specials_destroy(oribi_specials *specials)
{
    if (specials != NULL) {
        for (int32_t i = 0; i < specials->n; i++) {
            oribi_session_release(specials->kept[i].session);
        }
        oribi_options_destroy(specials->options);
        oribi_model_file_close(&specials->file);
        oribi_free(specials);
    }
}

const oribi_shape *oribi_session_input_limit(const oribi_session *session, int32_t input)
{
    const oribi_shape *limits = session->specials != NULL ? session->graph->input_limits : NULL;
    return limits != NULL && input < session->n_inputs - session->n_states
               ? &limits[input]
               : &session->values[session->inputs[input]].shape;
}

bool oribi_special_serves(const oribi_session *session, const oribi_shape *input_shapes)
{
    for (int32_t i = 0; i < session->n_inputs; i++) {
        const oribi_shape *own = &session->values[session->inputs[i]].shape;
        if ((own->rank >= 0 && own->rank != input_shapes[i].rank) ||
            !oribi_shape_agrees(own, &input_shapes[i])) {
            return false;
        }
    }
    return true;
}

/* Drops the one that was not asked for longest; false: there is none. */
static bool drop_oldest(oribi_specials *specials)
{
    int32_t oldest = 0;
    for (int32_t i = 1; i < specials->n; i++) {
        if (specials->kept[i].last_used < specials->kept[oldest].last_used) {
            oldest = i;
        }
    }
    if (specials->n == 0) {
        return false;
    }
    oribi_session_release(specials->kept[oldest].session);
    specials->kept[oldest] = specials->kept[--specials->n];
    return true;
}

/* The shapes by name, as the importer takes them. */
static oribi_input_shape *list_shapes(const oribi_session *home, const oribi_shape *input_shapes,
                                      TF_Status *status)
{
    oribi_input_shape *list = oribi_alloc_array((size_t)home->n_inputs + 1, sizeof *list);
    if (list == NULL) {
        oribi_fail_memory(status);
        return NULL;
    }
    const int32_t n = home->n_inputs - home->n_states;
    for (int32_t i = 0; i < n; i++) {
        list[i] = (oribi_input_shape){home->graph->input_names[i], input_shapes[i],
                                      i + 1 < n ? &list[i + 1] : NULL};
    }
    return list;
}

static oribi_session *make(oribi_session *home, const oribi_input_shape *shapes, TF_Status *status)
{
    const oribi_specials *specials = home->specials;
    oribi_import_options how = specials->how;
    how.shapes = shapes;
    oribi_graph *graph = oribi_model_file_import(&specials->file, how, status);
    if (graph == NULL) {
        return NULL;
    }
    if (graph->n_states > 0) {
        oribi_fail(status, TF_UNIMPLEMENTED,
                   "%s: a model that keeps state must be given the shapes of its inputs before it "
                   "runs (--shape, oribi_options_set_input_shape)",
                   graph->source_name);
        oribi_graph_destroy(graph);
        return NULL;
    }
    return oribi_session_make(graph, specials->options, home, NULL, status);
}

/* What was kept gives way to what is needed now. */
static oribi_session *make_in_room(oribi_session *home, const oribi_shape *input_shapes,
                                   TF_Status *status)
{
    oribi_input_shape *shapes = list_shapes(home, input_shapes, status);
    oribi_session *made = shapes != NULL ? make(home, shapes, status) : NULL;
    while (made == NULL && shapes != NULL && TF_GetCode(status) == TF_RESOURCE_EXHAUSTED &&
           drop_oldest(home->specials)) {
        made = make(home, shapes, status);
    }
    oribi_free(shapes);
    return made;
}

static oribi_session *find(oribi_session *home, const oribi_shape *input_shapes, TF_Status *status)
{
    oribi_specials *specials = home->specials;
    int32_t at = 0;
    if (!home->graph->is_open && oribi_special_serves(home, input_shapes)) {
        oribi_session_retain(home);
        return home;
    }
    while (at < specials->n && !oribi_special_serves(specials->kept[at].session, input_shapes)) {
        at++;
    }
    if (at == specials->n) {
        oribi_session *made = make_in_room(home, input_shapes, status);
        if (made == NULL) {
            return NULL;
        }
        if (specials->n == ORIBI_MAX_SPECIALS) {
            (void)drop_oldest(specials);
        }
        at = specials->n++;
        specials->kept[at].session = made;
    }
    specials->kept[at].last_used = ++specials->clock;
    oribi_session_retain(specials->kept[at].session);
    return specials->kept[at].session;
}

oribi_session *oribi_special_find(oribi_session *session, const oribi_shape *input_shapes,
                                  TF_Status *status)
{
    oribi_mutex_lock(&session->lock);
    oribi_session *found = find(session, input_shapes, status);
    oribi_mutex_unlock(&session->lock);
    return found;
}
