/* SPDX-License-Identifier: Apache-2.0 */
/* Sessions of the graphs of a node: made with the session around them, once its constants are
 * known.
 */
#include "session/control/control.h"

/* Shapes that do not go together in a branch are no fault of a model that never takes it. */
static bool keep_fault(oribi_session *session, const oribi_session_step *step,
                       oribi_session_body *body, TF_Status *status)
{
    if (TF_GetCode(status) != TF_INVALID_ARGUMENT || step->node->n_bodies < 2) {
        return false;
    }
    body->fault = oribi_arena_strdup(&session->arena, TF_Message(status));
    TF_SetStatus(status, TF_OK, "");
    return body->fault != NULL || oribi_fail_memory(status);
}

static bool make_body(oribi_session *session, oribi_session_step *step, int32_t k,
                      const oribi_options *options, TF_Status *status)
{
    oribi_body *body = &step->node->bodies[k];
    oribi_session_body *to = &step->bodies[k];
    oribi_options own = {0};
    if (options != NULL) { /* places and shapes name nodes and inputs of the model */
        own = *options;
        own.places = NULL;
        own.shapes = NULL;
    }
    ORIBI_TRY(oribi_graph_settle_body(session->graph, step->node, body, status));
    oribi_graph *graph = body->graph;
    body->graph = NULL;
    to->body = body;
    to->index = session->n_children++;
    to->session = oribi_session_make_body(graph, options != NULL ? &own : NULL, session, status);
    return to->session != NULL || keep_fault(session, step, to, status);
}

/* A captured value that is constant is the bodies' own: the step does not read it. */
static void release_constants(oribi_session_step *step)
{
    for (int32_t k = 0; k < step->n_bodies; k++) {
        for (int32_t i = 0; i < step->bodies[k].body->n_captured; i++) {
            step->released[step->bodies[k].body->captured[i]] = false;
        }
    }
}

bool oribi_control_make(oribi_session *session, oribi_session_step *step,
                        const oribi_options *options, TF_Status *status)
{
    const oribi_node *node = step->node;
    step->bodies =
        oribi_claim_array(&session->arena, (size_t)node->n_bodies, sizeof *step->bodies, status);
    ORIBI_TRY(step->bodies != NULL);
    const int32_t n_fixed = node->n_bodies == 1 ? node->bodies[0].n_formals : 1;
    for (int32_t i = n_fixed; i < node->n_inputs; i++) {
        step->released[i] = true;
    }
    for (int32_t k = 0; k < node->n_bodies; k++) {
        ORIBI_TRY(make_body(session, step, k, options, status));
        step->n_bodies++;
    }
    release_constants(step);
    return true;
}
