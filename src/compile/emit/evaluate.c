/* SPDX-License-Identifier: Apache-2.0 */
/* One known run: made-up inputs, and every value that the host's kernels compute from them, in the
 * order of the emitted code: an operator whose guard is false does not run, the body of a loop runs
 * in each iteration. The host's arithmetic is that of the emitted code, bit for bit; tests compare
 * both with others.
 */
#include <string.h>

#include "base/alloc.h"
#include "compile/emit/emit_parts.h"
#include "compile/lower/args_table.h"
#include "compile/plan/planning.h"
#include "micro/move/loop_begin.h"
#include "micro/move/loop_next.h"
#include "pass/pass.h"
#include "tensor/patience.h"
#include "tensor/tensor.h"
#include "tensor/status.h"

enum { MOST_RUNS = 1 << 22 }; /* of operators */

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

/* What no operator has written, of a branch that is not taken, may be anything. */
static TF_Tensor *input_of(const oribi_program *c, oribi_value_id id, TF_Status *status)
{
    const oribi_value *value = c->graph->values[id];
    if (value->constant != NULL) {
        return oribi_graph_constant_tensor(c->graph, id, status);
    }
    TF_Tensor *tensor = make_tensor(value, status);
    if (tensor != NULL) {
        memset(TF_TensorData(tensor), 0, TF_TensorByteSize(tensor));
    }
    return tensor;
}

static bool run_kernel(const oribi_program *c, const oribi_node *node, TF_Tensor **values,
                       TF_Status *status)
{
    TF_Tensor **inputs = oribi_alloc_zero((size_t)node->n_inputs + 1, sizeof(TF_Tensor *));
    TF_Tensor **outputs = oribi_alloc_zero((size_t)node->n_outputs + 1, sizeof(TF_Tensor *));
    bool ok = (inputs != NULL && outputs != NULL) || oribi_fail_memory(status);
    for (int32_t i = 0; ok && i < node->n_inputs; i++) {
        const oribi_value_id id = node->inputs[i];
        if (id >= 0 && values[id] == NULL) {
            values[id] = input_of(c, id, status);
            ok = values[id] != NULL;
        }
        inputs[i] = id >= 0 ? values[id] : NULL;
    }
    ok = ok && oribi_pass_fold_run(c->graph, node, inputs, outputs, NULL, status);
    for (int32_t i = 0; ok && i < node->n_outputs; i++) {
        TF_DeleteTensor(values[node->outputs[i]]);
        values[node->outputs[i]] = outputs[i];
    }
    oribi_free(inputs);
    oribi_free(outputs);
    return ok;
}

/* --- Loops ----------------------------------------------------------------------------------- */

static const oribi_loop *loop_at(const oribi_program *c, const oribi_node *node, bool *out_ends)
{
    for (int32_t k = 0; k < c->n_loops; k++) {
        const oribi_loop *loop = &c->loops[k];
        *out_ends = c->calls[loop->next].node == node;
        if (*out_ends || c->calls[loop->begin].node == node) {
            return loop;
        }
    }
    return NULL;
}

/* The tensor that an end of the loop writes: what was there, or zeros. */
static bool renew(const oribi_program *c, oribi_value_id id, const TF_Tensor *before,
                  TF_Tensor **values, TF_Status *status)
{
    TF_Tensor *tensor = make_tensor(c->graph->values[id], status);
    if (tensor == NULL) {
        return false;
    }
    const size_t bytes = TF_TensorByteSize(tensor);
    memset(TF_TensorData(tensor), 0, bytes);
    if (before != NULL) {
        memcpy(TF_TensorData(tensor), TF_TensorData(before), bytes);
    }
    TF_DeleteTensor(values[id]);
    values[id] = tensor;
    return true;
}

/* Outputs of one end are those of the other, the same bytes. */
static bool share(const oribi_node *to, const oribi_node *from, int32_t n, TF_Tensor **values,
                  TF_Status *status)
{
    for (int32_t i = 0; i < n; i++) {
        TF_Tensor *same = oribi_tensor_share(values[from->outputs[i]]);
        if (same == NULL) {
            return oribi_fail_memory(status);
        }
        TF_DeleteTensor(values[to->outputs[i]]);
        values[to->outputs[i]] = same;
    }
    return true;
}

static bool run_end(const oribi_program *c, const oribi_loop *loop, bool ends, TF_Tensor **values,
                    TF_Status *status)
{
    const oribi_call *call = &c->calls[ends ? loop->next : loop->begin];
    const oribi_node *begin = c->calls[loop->begin].node, *node = call->node;
    const struct oribi_micro_loop_next_args *args = c->calls[loop->next].arguments;
    const int32_t kept = 2 + args->n_carried, n = ends ? kept + args->n_collected : kept;
    const void **inputs = oribi_alloc_zero((size_t)n + 1, sizeof(void *));
    void **outputs = oribi_alloc_zero((size_t)n + 1, sizeof(void *));
    bool ok = (inputs != NULL && outputs != NULL) || oribi_fail_memory(status);
    for (int32_t i = 0; ok && i < n; i++) {
        const oribi_value_id in = node->inputs[i], out = node->outputs[i];
        if (values[in] == NULL) {
            values[in] = input_of(c, in, status);
        }
        ok = values[in] != NULL &&
             renew(c, out, ends && i < kept ? values[begin->outputs[i]] : values[out], values,
                   status);
        inputs[i] = ok ? TF_TensorData(values[in]) : NULL;
        outputs[i] = ok ? TF_TensorData(values[out]) : NULL;
    }
    if (ok && ends) {
        oribi_micro_loop_next(args, inputs, outputs);
        ok = share(begin, node, kept, values, status);
    } else if (ok) {
        oribi_micro_loop_begin(call->arguments, inputs, outputs);
        ok = share(c->calls[loop->next].node, begin, kept, values, status); /* of no iteration */
    }
    oribi_free(inputs);
    oribi_free(outputs);
    return ok;
}

/* --- The run --------------------------------------------------------------------------------- */

static bool is_true(TF_Tensor *const *values, oribi_value_id id)
{
    return values[id] != NULL && *(const uint8_t *)TF_TensorData(values[id]) != 0;
}

/* Results of an operator that runs when its turn first comes. */
static bool note_first(const oribi_program *c, const oribi_node *node, TF_Tensor **values,
                       TF_Tensor **first, TF_Status *status)
{
    bool ends = false;
    const oribi_loop *loop = loop_at(c, node, &ends);
    const struct oribi_micro_loop_next_args *args =
        loop != NULL ? c->calls[loop->next].arguments : NULL;
    const int32_t n = loop != NULL ? 2 + args->n_carried : node->n_outputs;
    for (int32_t i = 0; i < n; i++) { /* what is collected is not yet whole */
        const oribi_value_id id = node->outputs[i];
        first[id] = values[id] != NULL ? oribi_tensor_share(values[id]) : NULL;
        ORIBI_TRY(first[id] != NULL || values[id] == NULL || oribi_fail_memory(status));
    }
    return true;
}

/* The place in the order at which the run goes on; -1: failed. */
static int32_t run_at(const oribi_program *c, int32_t at, TF_Tensor **values, TF_Status *status)
{
    bool ends = false;
    const oribi_node *node = c->graph->nodes[c->graph->order[at]];
    const oribi_loop *loop = loop_at(c, node, &ends);
    if (loop == NULL) {
        return run_kernel(c, node, values, status) ? at + 1 : -1;
    }
    if (!run_end(c, loop, ends, values, status)) {
        return -1;
    }
    if (ends && is_true(values, node->outputs[1])) {
        const oribi_node *begin = c->calls[loop->begin].node;
        while (c->graph->nodes[c->graph->order[at]] != begin) {
            at--;
        }
    }
    return at + 1;
}

static bool run_all(const oribi_program *c, TF_Tensor **values, TF_Tensor **first,
                    TF_Status *status)
{
    int32_t visited = 0;
    int64_t runs = 0;
    for (int32_t at = 0; at < c->graph->n_order;) {
        const oribi_node *node = c->graph->nodes[c->graph->order[at]];
        const bool is_first = at >= visited;
        visited = is_first ? at + 1 : visited;
        ORIBI_TRY(oribi_patience_left(status));
        if (++runs > MOST_RUNS) {
            return oribi_fail(status, TF_UNIMPLEMENTED,
                              "--self-test: node '%s' is in a loop that does not end on made-up "
                              "inputs",
                              node->name);
        }
        if (node->guard > 0 && !is_true(values, node->guard - 1)) {
            at++;
            continue;
        }
        at = run_at(c, at, values, status);
        ORIBI_TRY(at >= 0 && (!is_first || note_first(c, node, values, first, status)));
    }
    return true;
}

bool oribi_program_evaluate(const oribi_program *c, TF_Tensor **values, TF_Tensor **first,
                            TF_Status *status)
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
    return run_all(c, values, first, status);
}
