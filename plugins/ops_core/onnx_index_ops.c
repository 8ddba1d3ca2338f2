/* SPDX-License-Identifier: Apache-2.0 */
/* Ops ONNX>Name that pick, place, count or drop by index; see onnx_ops.c. Indices may be negative:
 * they count from the end.
 */
#include <inttypes.h>

#include "ops_core/ops_core.h"
#include "ops_core/shape_functions.h"

/* Data and indices have as many dimensions as each other, and the axis is one of them. */
static bool read_elements(oribi_ops_ctx *ctx, oribi_ops_shape *data, oribi_ops_shape *indices,
                          TF_Status *status)
{
    int64_t axis;
    if (!oribi_ops_input(ctx, 0, data, status) || !oribi_ops_at_least(data, 1, status) ||
        !oribi_ops_input(ctx, 1, indices, status) ||
        !oribi_ops_attr_int(ctx, "axis", &axis, status)) {
        return false;
    }
    return data->n < 0 || (oribi_ops_axis(axis, data->n, &axis, status) &&
                           oribi_ops_with_rank(indices, data->n, status));
}

static void gather_elements(oribi_ops_ctx *ctx, TF_Status *status)
{
    oribi_ops_shape data, indices;
    if (read_elements(ctx, &data, &indices, status)) {
        oribi_ops_output(ctx, 0, &indices, status);
    }
}

static void scatter_elements(oribi_ops_ctx *ctx, TF_Status *status)
{
    oribi_ops_shape data, indices, updates;
    if (read_elements(ctx, &data, &indices, status) && oribi_ops_input(ctx, 2, &updates, status) &&
        oribi_ops_merge(&indices, &updates, status)) {
        oribi_ops_output(ctx, 0, &data, status);
    }
}

static void gather_nd(oribi_ops_ctx *ctx, TF_Status *status)
{
    oribi_ops_shape data, indices;
    int64_t batch;
    if (!oribi_ops_input(ctx, 0, &data, status) || !oribi_ops_at_least(&data, 1, status) ||
        !oribi_ops_input(ctx, 1, &indices, status) || !oribi_ops_at_least(&indices, 1, status) ||
        !oribi_ops_attr_int(ctx, "batch_dims", &batch, status)) {
        return;
    }
    const int64_t depth = indices.n > 0 ? indices.at[indices.n - 1] : -1;
    if (data.n < 0 || depth < 0) {
        oribi_ops_output(ctx, 0, oribi_ops_set_unknown(&indices), status);
        return;
    }
    if (batch < 0 || batch >= indices.n || depth > data.n - batch) {
        oribi_ops_fail(status,
                       "batch_dims %" PRId64 " and tuples of %" PRId64
                       " do not fit data of rank %d and indices of rank %d",
                       batch, depth, (int)data.n, (int)indices.n);
        return;
    }
    for (int64_t i = 0; i < batch; i++) {
        if (!oribi_ops_merge_dim(&indices.at[i], data.at[i], status)) {
            return;
        }
    }
    indices.n--;
    if (oribi_ops_append(&indices, &data.at[batch + depth], data.n - batch - depth, status)) {
        oribi_ops_output(ctx, 0, &indices, status);
    }
}

static void trilu(oribi_ops_ctx *ctx, TF_Status *status)
{
    oribi_ops_shape shape, k;
    if (oribi_ops_input(ctx, 0, &shape, status) && oribi_ops_at_least(&shape, 2, status) &&
        oribi_ops_input_rank(ctx, 1, 0, &k, status)) {
        oribi_ops_output(ctx, 0, &shape, status);
    }
}

static void eye_like(oribi_ops_ctx *ctx, TF_Status *status)
{
    oribi_ops_shape shape;
    if (oribi_ops_input_rank(ctx, 0, 2, &shape, status)) {
        oribi_ops_output(ctx, 0, &shape, status);
    }
}

static void unique(oribi_ops_ctx *ctx, TF_Status *status)
{
    oribi_ops_shape shape;
    int64_t axis, given = -1;
    bool is_flat;
    if (!oribi_ops_input(ctx, 0, &shape, status) ||
        !oribi_ops_attr_int(ctx, "axis", &axis, status) ||
        !oribi_ops_attr_bool(ctx, "flat", &is_flat, status)) {
        return;
    }
    if (is_flat) {
        oribi_ops_set_unknown_dims(&shape, 1);
    } else if (shape.n >= 0) {
        if (!oribi_ops_axis(axis, shape.n, &axis, status)) {
            return;
        }
        given = shape.at[axis];
        shape.at[axis] = -1;
    }
    if (oribi_ops_output(ctx, 0, &shape, status) &&
        oribi_ops_output_dims(ctx, 1, 1, &(int64_t){-1}, status) &&
        oribi_ops_output_dims(ctx, 2, 1, &given, status)) {
        oribi_ops_output_dims(ctx, 3, 1, &(int64_t){-1}, status);
    }
}

static void tensor_scatter(oribi_ops_ctx *ctx, TF_Status *status)
{
    oribi_ops_shape cache, update, places;
    if (oribi_ops_input(ctx, 0, &cache, status) && oribi_ops_at_least(&cache, 2, status) &&
        oribi_ops_input(ctx, 1, &update, status) &&
        (cache.n < 0 || oribi_ops_with_rank(&update, cache.n, status)) &&
        oribi_ops_input_rank(ctx, 2, 1, &places, status)) {
        oribi_ops_output(ctx, 0, &cache, status);
    }
}

/* How long the result is follows from what the caches hold. */
static void append_cache(oribi_ops_ctx *ctx, TF_Status *status)
{
    oribi_ops_shape past, rows;
    if (oribi_ops_input_rank(ctx, 0, 4, &past, status) &&
        oribi_ops_input_rank(ctx, 1, 4, &rows, status)) {
        past.at[2] = -1;
        oribi_ops_output(ctx, 0, &past, status);
    }
}

static void dropout(oribi_ops_ctx *ctx, TF_Status *status)
{
    oribi_ops_shape shape, scalar;
    if (oribi_ops_input(ctx, 0, &shape, status) &&
        oribi_ops_input_rank(ctx, 1, 0, &scalar, status) &&
        oribi_ops_input_rank(ctx, 2, 0, &scalar, status) &&
        oribi_ops_output(ctx, 0, &shape, status)) {
        oribi_ops_output(ctx, 1, &shape, status);
    }
}

#define REDUCTION "reduction: {'none', 'add', 'mul', 'max', 'min'} = 'none'"

const oribi_ops_row oribi_ops_onnx_index[] = {
    {.name = "ONNX>GatherElements",
     .inputs = "data: T; indices: Tind",
     .outputs = "output: T",
     .attrs = "axis: int = 0; T: type; Tind: " ORIBI_OPS_INDEX,
     .traits = "moves(data)",
     .shape = gather_elements},
    {.name = "ONNX>GatherND",
     .inputs = "data: T; indices: Tind",
     .outputs = "output: T",
     .attrs = "batch_dims: int = 0; T: type; Tind: " ORIBI_OPS_INDEX,
     .traits = "moves(data)",
     .shape = gather_nd},
    {.name = "ONNX>ScatterElements",
     .inputs = "data: T; indices: Tind; updates: T",
     .outputs = "output: T",
     .attrs = "axis: int = 0; " REDUCTION "; T: type; Tind: " ORIBI_OPS_INDEX,
     .shape = scatter_elements},
    {.name = "ONNX>ScatterND",
     .inputs = "data: T; indices: Tind; updates: T",
     .outputs = "output: T",
     .attrs = REDUCTION "; T: type; Tind: " ORIBI_OPS_INDEX,
     .shape = oribi_ops_shape_tensor_scatter},
    {.name = "ONNX>TensorScatter",
     .inputs = "past_cache: T; update: T; write_indices: int64",
     .outputs = "present_cache: T",
     .attrs = "axis: int = -2; mode: {'linear', 'circular'} = 'linear'; T: type",
     .traits = "moves(past_cache, update)",
     .shape = tensor_scatter},
    {.name = "Oribi>AppendCache", /* rows go where spans, as Oribi>Attention has them, say */
     .inputs = "past: T; rows: T; spans: int64; length: int64",
     .outputs = "present: T",
     .attrs = "rows_layout: {'BHSD', 'BSHD'} = 'BHSD'; T: type",
     .shape = append_cache},
    {.name = "ONNX>Trilu",
     .inputs = "input: T; k: int64",
     .outputs = "output: T",
     .attrs = "upper: bool = true; T: type",
     .shape = trilu},
    {.name = "ONNX>Dropout",
     .inputs = "data: T; ratio: T1; training_mode: bool",
     .outputs = "output: T; mask: bool",
     .attrs = "seed: int = 0; T: " ORIBI_OPS_FLOATS "; T1: " ORIBI_OPS_FLOATS,
     .shape = dropout},
    {.name = "ONNX>EyeLike",
     .inputs = "input: T",
     .outputs = "output: dtype",
     .attrs = "k: int = 0; dtype: type; T: type",
     .traits = "parameters(input)",
     .shape = eye_like},
    {.name = "ONNX>Unique",
     .inputs = "x: T",
     .outputs = "y: T; indices: int64; inverse_indices: int64; counts: int64",
     .attrs = "sorted: bool = true; flat: bool = true; axis: int = 0; T: {realnumbertype, bool}",
     .shape = unique},
    {.name = NULL},
};
