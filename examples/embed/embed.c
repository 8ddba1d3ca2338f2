/* SPDX-License-Identifier: Apache-2.0 */
/* Runs a model of one float input once, filled with 1s, and prints its first output.
 *
 *     cc embed.c $(pkg-config --cflags --libs oribi) -o embed
 *     ./embed digits.onnx
 *
 * Not here: other types, several threads. Read next: oribi/oribi.h, which describes each call. */
#include <stdio.h>

#include "oribi/oribi.h"

static TF_Tensor *compute(oribi_model *model, oribi_run *run, TF_Status *status)
{
    int64_t dims[8];
    const int rank = oribi_model_input_shape(model, 0, dims, 8);
    if (oribi_model_input_type(model, 0) != TF_FLOAT || rank < 0 || rank > 8) {
        TF_SetStatus(status, TF_UNIMPLEMENTED, "the example fills float inputs of known rank");
        return NULL;
    }
    TF_Tensor *in = oribi_run_make_input(run, 0, dims, rank, status), *out = NULL;
    if (in != NULL) {
        for (int64_t i = 0; i < TF_TensorElementCount(in); i++) {
            ((float *)TF_TensorData(in))[i] = 1.0f;
        }
        oribi_run_set_input(run, 0, in, status); /* the run keeps a reference */
        oribi_run_execute(run, status);
        out = TF_GetCode(status) == TF_OK ? oribi_run_output(run, 0, status) : NULL;
    }
    TF_DeleteTensor(in);
    return out;
}

int main(int argc, char **argv)
{
    if (argc != 2) {
        fprintf(stderr, "usage: embed MODEL\n");
        return 2;
    }
    TF_Status *status = TF_NewStatus();
    oribi_model *model = oribi_model_open(argv[1], NULL, status);
    oribi_session *session = model != NULL ? oribi_session_create(model, NULL, status) : NULL;
    oribi_run *run = session != NULL ? oribi_run_create(session, status) : NULL;
    TF_Tensor *out = run != NULL ? compute(model, run, status) : NULL;

    for (int64_t i = 0; out != NULL && i < TF_TensorElementCount(out); i++) {
        printf("%g\n", (double)((const float *)TF_TensorData(out))[i]);
    }
    const int code = out == NULL;
    if (out == NULL) {
        fprintf(stderr, "embed: %s\n", TF_Message(status));
    }
    TF_DeleteTensor(out);
    oribi_run_destroy(run);
    oribi_session_destroy(session);
    oribi_model_destroy(model);
    TF_DeleteStatus(status);
    return code;
}
