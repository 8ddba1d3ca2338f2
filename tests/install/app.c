/* SPDX-License-Identifier: Apache-2.0 */
/* app MODEL [PLUGIN]: a stranger's program. Opens a model, runs it on zeros, prints the largest
 * output's index. */
#include <oribi/oribi.h>
#include <stdio.h>
#include <string.h>

static int fail(const TF_Status *status)
{
    fprintf(stderr, "%s\n", TF_Message(status));
    return 1;
}

int main(int argc, char **argv)
{
    TF_Status *status = TF_NewStatus();
    if (argc > 2) {
        oribi_plugin_load_file(argv[2], status);
        if (TF_GetCode(status) != TF_OK) {
            return fail(status);
        }
    }
    oribi_model *model = oribi_model_open(argc > 1 ? argv[1] : "", NULL, status);
    oribi_session *session = model == NULL ? NULL : oribi_session_create(model, NULL, status);
    oribi_run *run = session == NULL ? NULL : oribi_run_create(session, status);
    int64_t dims[4] = {1, 1, 8, 8};
    TF_Tensor *input = TF_AllocateTensor(TF_FLOAT, dims, 4, 64 * sizeof(float));

    if (run == NULL) {
        return fail(status);
    }
    memset(TF_TensorData(input), 0, TF_TensorByteSize(input));
    oribi_run_set_input(run, 0, input, status);
    if (TF_GetCode(status) == TF_OK) {
        oribi_run_execute(run, status);
    }
    TF_Tensor *output = TF_GetCode(status) == TF_OK ? oribi_run_output(run, 0, status) : NULL;
    if (output == NULL) {
        return fail(status);
    }
    int best = 0;
    for (int i = 1; i < (int)TF_TensorElementCount(output); i++) {
        const float *p = TF_TensorData(output);
        best = p[i] > p[best] ? i : best;
    }
    printf("%s: class %d\n", oribi_version(), best);
    TF_DeleteTensor(output);
    TF_DeleteTensor(input);
    oribi_run_destroy(run);
    oribi_session_destroy(session);
    oribi_model_destroy(model);
    TF_DeleteStatus(status);
    return 0;
}
