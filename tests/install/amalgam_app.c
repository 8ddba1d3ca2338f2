/* SPDX-License-Identifier: Apache-2.0 */
/* amalgam_app MODEL FILE: the model on the bytes of FILE; the bytes of its first output, and on
 * stderr its steps with their kernels. For one command: cc -std=c11 amalgam_app.c oribi.c -lm
 * -lpthread */
#include <stdio.h>

#include "oribi.h"

static int fail(const TF_Status *status)
{
    fprintf(stderr, "%s\n", TF_Message(status));
    return 1;
}

int main(int argc, char **argv)
{
    TF_Status *status = TF_NewStatus();
    TF_Buffer *steps = TF_NewBuffer();
    oribi_model *model = argc < 3 ? NULL : oribi_model_open(argv[1], NULL, status);
    oribi_session *session = model == NULL ? NULL : oribi_session_create(model, NULL, status);
    oribi_run *run = session == NULL ? NULL : oribi_run_create(session, status);
    FILE *file = argc < 3 ? NULL : fopen(argv[2], "rb");
    int64_t dims[4];

    if (run == NULL || file == NULL || oribi_model_input_shape(model, 0, dims, 4) != 4) {
        return fail(status);
    }
    const TF_DataType type = oribi_model_input_type(model, 0);
    const size_t bytes = (size_t)(dims[0] * dims[1] * dims[2] * dims[3]) * TF_DataTypeSize(type);
    TF_Tensor *input = TF_AllocateTensor(type, dims, 4, bytes);
    if (fread(TF_TensorData(input), 1, bytes, file) != bytes) {
        return fail(status);
    }
    oribi_run_set_input(run, 0, input, status);
    oribi_run_execute(run, status);
    TF_Tensor *output = oribi_run_output(run, 0, status);
    if (output == NULL) {
        return fail(status);
    }
    oribi_session_describe(session, "graph", steps, status);
    fwrite(TF_TensorData(output), 1, TF_TensorByteSize(output), stdout);
    fprintf(stderr, "%.*s\n", (int)steps->length, (const char *)steps->data);
    fclose(file);
    TF_DeleteTensor(input);
    TF_DeleteTensor(output);
    TF_DeleteBuffer(steps);
    oribi_run_destroy(run);
    oribi_session_destroy(session);
    oribi_model_destroy(model);
    oribi_shutdown(status);
    const int code = TF_GetCode(status) == TF_OK ? 0 : fail(status);
    TF_DeleteStatus(status);
    return code;
}
