/* SPDX-License-Identifier: Apache-2.0 */
/* Lowering of gathering along one dimension. */
#include "compile/lower/args_table.h"
#include "compile/lower/lower.h"
#include "micro/move/gather.h"
#include "micro/prepare.h"
#include "tensor/status.h"

/* Constant indices as int32, checked; -1: not in range, or of a type that is not there. */
static oribi_value_id constant_indices(oribi_lowering *lowering, const oribi_call *call,
                                       int32_t choices)
{
    const oribi_value *value = oribi_lower_input(lowering, call, 1);
    const bool is_wide = value->dtype == TF_INT64;
    const void *from = oribi_lower_constant(lowering, call, 1, is_wide ? TF_INT64 : TF_INT32);
    const int64_t n = oribi_lower_count(value);
    int32_t *to =
        from == NULL ? NULL : oribi_arena_array(lowering->arena, (size_t)n + 1, sizeof *to);
    for (int64_t i = 0; to != NULL && i < n; i++) {
        const int64_t index = is_wide ? ((const int64_t *)from)[i] : ((const int32_t *)from)[i];
        if (index < 0 || index >= choices) {
            (void)oribi_lower_fail(lowering, call, ORIBI_MICRO_INVALID);
            return -1;
        }
        to[i] = (int32_t)index;
    }
    if (!is_wide || to == NULL) {
        return to == NULL ? -1 : call->node->inputs[1];
    }
    return oribi_graph_add_constant_copy(lowering->graph, value->name, TF_INT32, value->shape.dims,
                                         value->shape.rank, to, lowering->status);
}

/* Indices that are known must be in range; others are brought into it when the model runs. */
static oribi_value_id read_indices(oribi_lowering *lowering, const oribi_call *call,
                                   int32_t choices)
{
    const oribi_value *value = oribi_lower_input(lowering, call, 1);
    if (value->constant != NULL && (value->dtype == TF_INT32 || value->dtype == TF_INT64)) {
        return constant_indices(lowering, call, choices);
    }
    if (value->dtype != TF_INT32) {
        (void)oribi_fail(
            lowering->status, TF_UNIMPLEMENTED,
            "node '%s': indices of type %s are not supported; compiled code takes int32",
            call->node->name, oribi_dtype_name(value->dtype));
        return -1;
    }
    return call->node->inputs[1];
}

bool oribi_lower_gather(oribi_lowering *lowering, oribi_call *call)
{
    oribi_sizes dims;
    int32_t element_bytes, axis;
    int64_t given, sizes[4] = {1, 1, 1, 1}; /* batch, rows, slice, indices of a batch */
    ORIBI_TRY(oribi_lower_sizes(lowering, call, oribi_lower_input(lowering, call, 0), &dims,
                                &element_bytes));
    ORIBI_TRY(oribi_lower_one(lowering, call, 2, &given));
    ORIBI_TRY(oribi_lower_axis(lowering, call, given, dims.n, &axis));
    const oribi_value *indices = oribi_lower_input(lowering, call, 1);
    int32_t batch_dims = oribi_lower_int(call, "batch_dims", 0);
    batch_dims += batch_dims < 0 ? indices->shape.rank : 0;
    if (batch_dims < 0 || batch_dims > axis || batch_dims > indices->shape.rank) {
        return oribi_lower_fail(lowering, call, ORIBI_MICRO_INVALID);
    }
    for (int32_t i = 0; i < dims.n; i++) {
        sizes[i < batch_dims ? 0 : i < axis ? 1 : 2] *= i == axis ? 1 : dims.at[i];
    }
    sizes[2] *= element_bytes;
    sizes[3] = oribi_lower_count(indices) / sizes[0];
    const int64_t out = oribi_lower_count(oribi_lower_output(lowering, call)) * element_bytes;
    const int64_t in = sizes[0] * sizes[1] * sizes[2] * dims.at[axis];
    if (in > INT32_MAX || out > INT32_MAX) {
        return oribi_lower_fail(lowering, call, ORIBI_MICRO_TOO_LARGE);
    }
    oribi_value_id *inputs = oribi_arena_array(lowering->arena, 2, sizeof *inputs);
    if (inputs == NULL) {
        return oribi_fail_memory(lowering->status);
    }
    inputs[0] = call->node->inputs[0];
    inputs[1] = read_indices(lowering, call, dims.at[axis]);
    ORIBI_TRY(inputs[1] >= 0);
    const struct oribi_micro_gather_args args = {.batch = (int32_t)sizes[0],
                                                 .rows = (int32_t)sizes[1],
                                                 .choices = dims.at[axis],
                                                 .indices = (int32_t)sizes[3],
                                                 .bytes = (int32_t)sizes[2]};
    call->inputs = inputs;
    call->n_inputs = 2;
    return ORIBI_CALL_SET(lowering, call, "gather", gather, &args);
}
