/* SPDX-License-Identifier: Apache-2.0 */
/* A program for libtensorflow, as pkg-config finds it: builds a graph, runs it, prints 5. */
#include <stdio.h>
#include <string.h>

#include <tensorflow/c/c_api.h>

static TF_Output constant(TF_Graph *graph, const char *name, float value, TF_Status *status)
{
    TF_Tensor *tensor = TF_AllocateTensor(TF_FLOAT, NULL, 0, sizeof value);
    memcpy(TF_TensorData(tensor), &value, sizeof value);
    TF_OperationDescription *desc = TF_NewOperation(graph, "Const", name);
    TF_SetAttrType(desc, "dtype", TF_FLOAT);
    TF_SetAttrTensor(desc, "value", tensor, status);
    TF_DeleteTensor(tensor);
    TF_Output output = {TF_FinishOperation(desc, status), 0};
    return output;
}

int main(void)
{
    TF_Status *status = TF_NewStatus();
    TF_Graph *graph = TF_NewGraph();
    TF_OperationDescription *desc = TF_NewOperation(graph, "AddV2", "sum");
    TF_AddInput(desc, constant(graph, "two", 2, status));
    TF_AddInput(desc, constant(graph, "three", 3, status));
    TF_Output sum = {TF_FinishOperation(desc, status), 0};
    TF_SessionOptions *options = TF_NewSessionOptions();
    TF_Session *session = TF_NewSession(graph, options, status);
    TF_Tensor *out = NULL;
    TF_SessionRun(session, NULL, NULL, NULL, 0, &sum, &out, 1, NULL, 0, NULL, status);
    if (TF_GetCode(status) != TF_OK) {
        printf("%s\n", TF_Message(status));
        return 1;
    }
    printf("%g\n", (double)*(float *)TF_TensorData(out));
    TF_DeleteTensor(out);
    TF_DeleteSession(session, status);
    TF_DeleteSessionOptions(options);
    TF_DeleteGraph(graph);
    TF_DeleteStatus(status);
    return 0;
}
