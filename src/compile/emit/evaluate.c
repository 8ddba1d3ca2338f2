/* SPDX-License-Identifier: Apache-2.0 */
/* One known run: made-up inputs, and every value that the host's kernels compute from them. The
 * host's arithmetic is that of the emitted code, bit for bit; tests compare both with others.
 */
#include <string.h>

#include "base/alloc.h"
#include "compile/emit/emit_parts.h"
#include "pass/pass.h"
#include "tensor/status.h"

static TF_Tensor *make_tensor(const oribi_value *value, TF_Status *status)
{
    const size_t bytes = (size_t)oribi_lower_bytes(value);
    TF_Tensor *tensor =
        TF_AllocateTensor(value->dtype, value->shape.dims, value->shape.rank, bytes);
    if (tensor == NULL) {
        oribi_fail_memory(status);
    }
    return tensor;
}

/* Bytes for integers of one and two bytes, [-1, 1) for floats, 0 for the rest, which may index. */
static void make_up(TF_Tensor *tensor, int32_t kind, uint32_t *random)
{
    uint8_t *bytes = TF_TensorData(tensor);
    const size_t n = TF_TensorByteSize(tensor);
    memset(bytes, 0, n);
    for (size_t i = 0; i < n; i++) {
        *random = *random * 1664525u + 1013904223u;
        if (kind == ORIBI_ELEMENT_F32) {
            const float value = (float)(*random >> 8) / 8388608.0f - 1.0f;
            memcpy(bytes + i / 4 * 4, &value, sizeof value);
        } else if (kind == ORIBI_ELEMENT_S8 || kind == ORIBI_ELEMENT_U8 ||
                   kind == ORIBI_ELEMENT_S16) {
            bytes[i] = (uint8_t)(*random >> 24);
        }
    }
}

static bool run_node(const oribi_program *c, const oribi_node *node, TF_Tensor **values,
                     TF_Status *status)
{
    TF_Tensor **inputs = oribi_alloc_zero((size_t)node->n_inputs + 1, sizeof(TF_Tensor *));
    TF_Tensor **outputs = oribi_alloc_zero((size_t)node->n_outputs + 1, sizeof(TF_Tensor *));
    bool ok = (inputs != NULL && outputs != NULL) || oribi_fail_memory(status);
    for (int32_t i = 0; ok && i < node->n_inputs; i++) {
        const oribi_value_id id = node->inputs[i];
        if (id >= 0 && values[id] == NULL) {
            values[id] = oribi_graph_constant_tensor(c->graph, id, status);
            ok = values[id] != NULL;
        }
        inputs[i] = id >= 0 ? values[id] : NULL;
    }
    ok = ok && oribi_pass_fold_run(c->graph, node, inputs, outputs, NULL, status);
    for (int32_t i = 0; ok && i < node->n_outputs; i++) {
        values[node->outputs[i]] = outputs[i];
    }
    oribi_free(inputs);
    oribi_free(outputs);
    return ok;
}

bool oribi_program_evaluate(const oribi_program *c, TF_Tensor **values, TF_Status *status)
{
    uint32_t random = 20260101u;
    for (int32_t i = 0; i < c->n_inputs; i++) {
        const oribi_value_id id = c->inputs[i].value;
        values[id] = make_tensor(c->graph->values[id], status);
        if (values[id] == NULL) {
            return false;
        }
        make_up(values[id], c->inputs[i].kind, &random);
    }
    for (int32_t i = 0; i < c->n_states; i++) {
        const oribi_value_id id = c->states[i].read;
        values[id] = make_tensor(c->graph->values[id], status);
        if (values[id] == NULL) {
            return false;
        }
        oribi_state_first(&c->states[i], TF_TensorData(values[id]));
    }
    for (int32_t i = 0; i < c->graph->n_order; i++) {
        ORIBI_TRY(run_node(c, c->graph->nodes[c->graph->order[i]], values, status));
    }
    return true;
}
