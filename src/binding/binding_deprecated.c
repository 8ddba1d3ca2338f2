/* SPDX-License-Identifier: Apache-2.0 */
/* Sessions of the older kind: they own a graph, which GraphDefs extend, and know operations by
 * their names. What they do, sessions over graphs do.
 */
#include <stdlib.h>
#include <string.h>

#include "base/alloc.h"
#include "binding/binding_device.h"
#include "binding/binding_session.h"

struct TF_DeprecatedSession {
    TF_Graph *graph;
    TF_Session *session;
    bool has_graph; /* it was extended */
};

TF_DeprecatedSession *TF_NewDeprecatedSession(const TF_SessionOptions *options, TF_Status *status)
{
    TF_DeprecatedSession *self = oribi_alloc_zero(1, sizeof *self);
    TF_SetStatus(status, TF_OK, "");
    if (self != NULL) {
        self->graph = TF_NewGraph();
    }
    if (self == NULL || self->graph == NULL) {
        oribi_free(self);
        oribi_fail_memory(status);
        return NULL;
    }
    self->session = TF_NewSession(self->graph, options, status);
    TF_DeleteGraph(self->graph); /* the session's is the last reference */
    if (self->session == NULL) {
        oribi_free(self);
        return NULL;
    }
    return self;
}

void TF_CloseDeprecatedSession(TF_DeprecatedSession *session, TF_Status *status)
{
    TF_CloseSession(session->session, status);
}

void TF_DeleteDeprecatedSession(TF_DeprecatedSession *session, TF_Status *status)
{
    TF_SetStatus(status, TF_OK, "");
    if (session != NULL) {
        TF_DeleteSession(session->session, status);
        oribi_free(session);
    }
}

TF_DeviceList *TF_DeprecatedSessionListDevices(TF_DeprecatedSession *session, TF_Status *status)
{
    return TF_SessionListDevices(session->session, status);
}

void TF_ExtendGraph(TF_DeprecatedSession *session, const void *proto, size_t proto_len,
                    TF_Status *status)
{
    const TF_Buffer graph_def = {proto, proto_len, NULL};
    const TF_ImportGraphDefOptions options = {.extends = true};
    TF_GraphImportGraphDef(session->graph, &graph_def, &options, status);
    session->has_graph = session->has_graph || oribi_ok(status);
}

/* --- Runs ----------------------------------------------------------------------------------- */

/* What names stand for; one block of memory for all. */
typedef struct ends {
    TF_Output *inputs, *outputs;
    const TF_Operation **targets;
} ends;

/* "name", or "name:1". */
static bool find(const TF_DeprecatedSession *self, const char *name, TF_Output *out,
                 TF_Status *status)
{
    const char *colon = strrchr(name, ':');
    const size_t length = colon != NULL ? (size_t)(colon - name) : strlen(name);
    char *rest = NULL;
    const long index = colon != NULL ? strtol(colon + 1, &rest, 10) : 0;
    oribi_mutex_lock(&self->graph->lock);
    out->oper = oribi_map_get_n(&self->graph->by_name, name, length);
    oribi_mutex_unlock(&self->graph->lock);
    out->index = (int)index;
    return (out->oper != NULL && (rest == NULL || *rest == '\0')) ||
           oribi_fail(status, TF_NOT_FOUND,
                      "Tensor or operation '%s' is not in the session's graph", name);
}

static bool find_all(const TF_DeprecatedSession *self, const char **names, int n, TF_Output *out,
                     TF_Status *status)
{
    for (int i = 0; i < n; i++) {
        ORIBI_TRY(find(self, names[i], &out[i], status));
    }
    return true;
}

static bool find_ends(const TF_DeprecatedSession *self, const char **inputs, int n_inputs,
                      const char **outputs, int n_outputs, const char **targets, int n_targets,
                      ends *out, TF_Status *status)
{
    const size_t n = (size_t)n_inputs + (size_t)n_outputs;
    TF_SetStatus(status, TF_OK, "");
    *out = (ends){NULL, NULL, NULL};
    if (!self->has_graph) {
        return oribi_fail(status, TF_INVALID_ARGUMENT,
                          "Session was not created with a graph before Run()!");
    }
    out->inputs = oribi_alloc_array(n + 1, sizeof *out->inputs);
    out->targets = oribi_alloc_array((size_t)n_targets + 1, sizeof *out->targets);
    ORIBI_TRY((out->inputs != NULL && out->targets != NULL) || oribi_fail_memory(status));
    out->outputs = out->inputs + n_inputs;
    ORIBI_TRY(find_all(self, inputs, n_inputs, out->inputs, status) &&
              find_all(self, outputs, n_outputs, out->outputs, status));
    for (int i = 0; i < n_targets; i++) {
        TF_Output found;
        ORIBI_TRY(find(self, targets[i], &found, status));
        out->targets[i] = found.oper;
    }
    return true;
}

static void drop(ends *self)
{
    oribi_free(self->inputs);
    oribi_free((void *)(uintptr_t)self->targets);
}

void TF_Run(TF_DeprecatedSession *session, const TF_Buffer *run_options, const char **input_names,
            TF_Tensor **inputs, int ninputs, const char **output_names, TF_Tensor **outputs,
            int noutputs, const char **target_oper_names, int ntargets, TF_Buffer *run_metadata,
            TF_Status *status)
{
    ends found;
    for (int i = 0; i < noutputs; i++) {
        outputs[i] = NULL;
    }
    if (find_ends(session, input_names, ninputs, output_names, noutputs, target_oper_names,
                  ntargets, &found, status)) {
        TF_SessionRun(session->session, run_options, found.inputs, inputs, ninputs, found.outputs,
                      outputs, noutputs, found.targets, ntargets, run_metadata, status);
    }
    drop(&found);
}

void TF_PRunSetup(TF_DeprecatedSession *session, const char **input_names, int ninputs,
                  const char **output_names, int noutputs, const char **target_oper_names,
                  int ntargets, const char **handle, TF_Status *status)
{
    ends found;
    *handle = NULL;
    if (find_ends(session, input_names, ninputs, output_names, noutputs, target_oper_names,
                  ntargets, &found, status)) {
        TF_SessionPRunSetup(session->session, found.inputs, ninputs, found.outputs, noutputs,
                            found.targets, ntargets, handle, status);
    }
    drop(&found);
}

void TF_PRun(TF_DeprecatedSession *session, const char *handle, const char **input_names,
             TF_Tensor **inputs, int ninputs, const char **output_names, TF_Tensor **outputs,
             int noutputs, const char **target_oper_names, int ntargets, TF_Status *status)
{
    ends found;
    for (int i = 0; i < noutputs; i++) {
        outputs[i] = NULL;
    }
    if (find_ends(session, input_names, ninputs, output_names, noutputs, target_oper_names,
                  ntargets, &found, status)) {
        TF_SessionPRun(session->session, handle, found.inputs, inputs, ninputs, found.outputs,
                       outputs, noutputs, found.targets, ntargets, status);
    }
    drop(&found);
}
