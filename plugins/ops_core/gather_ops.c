/* SPDX-License-Identifier: Apache-2.0 */
/* Elements picked and placed by index. */
#include <inttypes.h>

#include "ops_core/ops_core.h"
#include "ops_core/shape_functions.h"

static void gather(oribi_ops_ctx *ctx, TF_Status *status)
{
    oribi_ops_shape params, indices;
    if (!oribi_ops_input(ctx, 0, &params, status) || !oribi_ops_at_least(&params, 1, status) ||
        !oribi_ops_input(ctx, 1, &indices, status)) {
        return;
    }
    if (params.n < 0 || indices.n < 0) {
        oribi_ops_set_unknown(&indices);
    } else if (!oribi_ops_append(&indices, &params.at[1], params.n - 1, status)) {
        return;
    }
    oribi_ops_output(ctx, 0, &indices, status);
}

/* batch, params before the axis, indices after the batch, params after the axis */
static bool gather_result(const oribi_ops_shape *params, const oribi_ops_shape *indices,
                          int64_t axis, int64_t batch, oribi_ops_shape *out, TF_Status *status)
{
    out->n = 0;
    if (!oribi_ops_append(out, params->at, axis, status)) {
        return false;
    }
    for (int64_t i = 0; i < batch; i++) {
        if (!oribi_ops_merge_dim(&out->at[i], indices->at[i], status)) {
            return false;
        }
    }
    return oribi_ops_append(out, &indices->at[batch], indices->n - batch, status) &&
           oribi_ops_append(out, &params->at[axis + 1], params->n - axis - 1, status);
}

static bool check_batch(int64_t *batch, int64_t indices_rank, TF_Status *status)
{
    if (*batch < -indices_rank || *batch > indices_rank) {
        return oribi_ops_fail(status,
                              "batch_dims %" PRId64 " is out of range for indices of rank "
                              "%" PRId64,
                              *batch, indices_rank);
    }
    *batch += *batch < 0 ? indices_rank : 0;
    return true;
}

/* Ranks alone are known when the axis is not. */
static void gather_without_axis(const oribi_ops_shape *params, const oribi_ops_shape *indices,
                                int64_t batch, oribi_ops_shape *out)
{
    int64_t rank = params->n - 1 + indices->n - batch;
    if (rank < 0 || rank > ORIBI_MAX_TENSOR_RANK) {
        oribi_ops_set_unknown(out);
    } else {
        oribi_ops_set_unknown_dims(out, (int32_t)rank);
    }
}

static void gather_v2(oribi_ops_ctx *ctx, TF_Status *status)
{
    oribi_ops_shape params, indices, scalar, result;
    int64_t axis, batch;
    bool known;
    if (!oribi_ops_input(ctx, 0, &params, status) || !oribi_ops_input(ctx, 1, &indices, status) ||
        !oribi_ops_at_least(&params, 1, status) ||
        !oribi_ops_input_rank(ctx, 2, 0, &scalar, status) ||
        !oribi_ops_input_int(ctx, 2, &axis, &known, status) ||
        !oribi_ops_attr_int(ctx, "batch_dims", &batch, status)) {
        return;
    }
    if (known && params.n >= 0 && !oribi_ops_axis(axis, params.n, &axis, status)) {
        return;
    }
    if (params.n < 0 || indices.n < 0) {
        oribi_ops_output(ctx, 0, oribi_ops_set_unknown(&result), status);
        return;
    }
    if (!check_batch(&batch, indices.n, status)) {
        return;
    }
    if (!known) {
        gather_without_axis(&params, &indices, batch, &result);
    } else {
        if (batch > axis || batch >= params.n) {
            oribi_ops_fail(status,
                           "batch_dims (%" PRId64 ") must be less than or equal to axis "
                           "(%" PRId64 ")",
                           batch, axis);
            return;
        }
        if (!gather_result(&params, &indices, axis, batch, &result, status)) {
            return;
        }
    }
    oribi_ops_output(ctx, 0, &result, status);
}

static void gather_nd(oribi_ops_ctx *ctx, TF_Status *status)
{
    oribi_ops_shape params, indices;
    if (!oribi_ops_input(ctx, 0, &params, status) || !oribi_ops_input(ctx, 1, &indices, status) ||
        !oribi_ops_at_least(&indices, 1, status)) {
        return;
    }
    int64_t depth = indices.n > 0 ? indices.at[indices.n - 1] : -1;
    if (params.n < 0 || depth < 0) {
        oribi_ops_output(ctx, 0, oribi_ops_set_unknown(&indices), status);
        return;
    }
    if (depth > params.n) {
        oribi_ops_fail(status,
                       "indices.shape[-1] must be <= params.rank, but saw indices of depth "
                       "%" PRId64 " and params of rank %d",
                       depth, (int)params.n);
        return;
    }
    indices.n--;
    if (oribi_ops_append(&indices, &params.at[depth], params.n - depth, status)) {
        oribi_ops_output(ctx, 0, &indices, status);
    }
}

/* The outer dimensions of updates are those of indices, the inner ones those of the result. */
static bool check_scatter(const oribi_ops_shape *indices, const oribi_ops_shape *updates,
                          const oribi_ops_shape *result, TF_Status *status)
{
    if (indices->n < 1 || updates->n < 0 || result->n < 0) {
        return true;
    }
    const int32_t outer = indices->n - 1;
    const int64_t depth = indices->at[outer];
    oribi_ops_shape want = *indices;
    want.n = outer;
    if (depth < 0) {
        return true;
    }
    if (depth > result->n) {
        return oribi_ops_fail(status,
                              "The inner dimension of indices is %" PRId64
                              ", more than the rank %d of the result",
                              depth, (int)result->n);
    }
    return oribi_ops_append(&want, &result->at[depth], result->n - depth, status) &&
           oribi_ops_merge(&want, updates, status);
}

static void scatter_nd(oribi_ops_ctx *ctx, TF_Status *status)
{
    oribi_ops_shape indices, updates, result;
    if (oribi_ops_input(ctx, 0, &indices, status) && oribi_ops_at_least(&indices, 1, status) &&
        oribi_ops_input(ctx, 1, &updates, status) && oribi_ops_at_least(&updates, 1, status) &&
        oribi_ops_input_as_shape(ctx, 2, &result, status) &&
        check_scatter(&indices, &updates, &result, status)) {
        oribi_ops_output(ctx, 0, &result, status);
    }
}

/* The same with the result's shape given by the tensor that is updated. */
void oribi_ops_shape_tensor_scatter(oribi_ops_ctx *ctx, TF_Status *status)
{
    oribi_ops_shape tensor, indices, updates;
    if (oribi_ops_input(ctx, 0, &tensor, status) && oribi_ops_input(ctx, 1, &indices, status) &&
        oribi_ops_at_least(&indices, 1, status) && oribi_ops_input(ctx, 2, &updates, status) &&
        check_scatter(&indices, &updates, &tensor, status)) {
        oribi_ops_output(ctx, 0, &tensor, status);
    }
}

const oribi_ops_row oribi_ops_gather[] = {
    {.name = "Gather",
     .inputs = "params: Tparams; indices: Tindices",
     .outputs = "output: Tparams",
     .attrs = "validate_indices: bool = true; Tparams: type; Tindices: {int32, int64}",
     .traits = "moves(params)",
     .shape = gather},
    {.name = "GatherV2",
     .inputs = "params: Tparams; indices: Tindices; axis: Taxis",
     .outputs = "output: Tparams",
     .attrs = "batch_dims: int = 0; Tparams: type; Tindices: {int16, int32, int64}; "
              "Taxis: {int32, int64}",
     .traits = "moves(params); gathers(params, indices, axis) if batch_dims = 0",
     .shape = gather_v2},
    {.name = "GatherNd",
     .inputs = "params: Tparams; indices: Tindices",
     .outputs = "output: Tparams",
     .attrs = "Tparams: type; Tindices: {int16, int32, int64}",
     .traits = "moves(params)",
     .shape = gather_nd},
    {.name = "ScatterNd",
     .inputs = "indices: Tindices; updates: T; shape: Tindices",
     .outputs = "output: T",
     .attrs = "T: type; Tindices: {int16, int32, int64}",
     .traits = "parameters(shape)",
     .shape = scatter_nd},
    {.name = "TensorScatterUpdate",
     .inputs = "tensor: T; indices: Tindices; updates: T",
     .outputs = "output: T",
     .attrs = "T: type; Tindices: {int16, int32, int64, uint16}",
     .shape = oribi_ops_shape_tensor_scatter},
    {.name = NULL},
};
