/* SPDX-License-Identifier: Apache-2.0 */
/* The state of a run object: variables of the model, which one execution leaves to the next. They
 * are inputs and outputs of the graph that the caller does not see (graph.h); an execution that
 * fails or is cancelled leaves them as they were. Each run object has its own.
 */
#include "session/session_internal.h"

static int32_t first_input(const oribi_run *run)
{
    return run->session->n_inputs - run->session->n_states;
}

/* Takes the handle over. */
static void put(oribi_run *run, int32_t k, TF_Tensor *tensor)
{
    const int32_t index = first_input(run) + k;
    TF_DeleteTensor(run->inputs[index]);
    run->inputs[index] = tensor;
    run->input_shapes[index] = (oribi_shape){tensor->rank, tensor->dims};
}

bool oribi_run_reset_states(oribi_run *run, TF_Status *status)
{
    for (int32_t k = 0; k < run->session->n_states; k++) {
        TF_Tensor *initial = oribi_tensor_share(run->session->graph->states[k]);
        if (initial == NULL) {
            return oribi_fail_memory(status);
        }
        put(run, k, initial);
    }
    return true;
}

bool oribi_run_commit_states(oribi_run *run, TF_Status *status)
{
    const oribi_session *session = run->session;
    bool ok = true;
    for (int32_t k = 0; ok && k < session->n_states; k++) {
        const int32_t output = session->n_outputs - session->n_states + k;
        run->next[k] = oribi_run_share_output(run, output, status);
        ok = run->next[k] != NULL;
    }
    for (int32_t k = 0; k < session->n_states; k++) {
        if (ok) {
            put(run, k, run->next[k]);
        } else {
            TF_DeleteTensor(run->next[k]);
        }
        run->next[k] = NULL;
    }
    return ok;
}

void oribi_run_reset(oribi_run *run, TF_Status *status)
{
    if (ORIBI_GIVEN(status, run)) {
        TF_SetStatus(status, TF_OK, "");
        (void)oribi_run_reset_states(run, status);
    }
}
