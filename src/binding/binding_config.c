/* SPDX-License-Identifier: Apache-2.0 */
/* Messages of TensorFlow's settings, and constants that are known without a run.
 */
#include "binding/binding.h"
#include "format/proto.h"
#include "tensor/tensor.h"

/* A ConfigProto with what this library reads of one: nothing of it is about XLA or GPUs. */
TF_Buffer *TF_CreateConfig(unsigned char enable_xla_compilation,
                           unsigned char gpu_memory_allow_growth, unsigned int num_cpu_devices)
{
    oribi_text config = {0}, entry = {0}, part = {0};
    oribi_proto_string(&entry, 1, "CPU");
    oribi_proto_number(&entry, 2, num_cpu_devices);
    oribi_proto_message(&config, 1, &entry);
    oribi_proto_number(&part, 4, gpu_memory_allow_growth != 0);
    oribi_proto_message(&config, 6, &part);
    oribi_proto_number(&part, 5, enable_xla_compilation != 0 ? 1 : 0); /* global_jit_level */
    oribi_proto_message(&entry, 3, &part);
    oribi_proto_message(&config, 10, &entry);
    return oribi_proto_finish(&config);
}

TF_Buffer *TF_CreateRunOptions(unsigned char enable_full_trace)
{
    enum { TRACE_LEVEL = 1, FULL_TRACE = 3 };
    oribi_text options = {0};
    oribi_proto_number(&options, TRACE_LEVEL, enable_full_trace != 0 ? FULL_TRACE : 0);
    return oribi_proto_finish(&options);
}

/* 1: the output's value is the same whatever is fed, and here it is. */
unsigned char TF_TryEvaluateConstant(TF_Graph *graph, TF_Output output, TF_Tensor **result,
                                     TF_Status *status)
{
    TF_SetStatus(status, TF_OK, "");
    *result = NULL;
    oribi_mutex_lock(&graph->lock);
    const oribi_value *value = oribi_binding_value(output, status);
    if (value != NULL && value->constant != NULL) {
        *result =
            oribi_graph_constant_tensor(graph->known, output.oper->outputs[output.index], status);
    }
    oribi_mutex_unlock(&graph->lock);
    return *result != NULL;
}
