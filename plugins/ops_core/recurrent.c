/* SPDX-License-Identifier: Apache-2.0 */
/* Ops that read a state and leave the next one as an output: Oribi>Svdf and Oribi>QSvdf. Importers
 * make them; the state itself is the graph's (src/graph/graph.h).
 */
#include <inttypes.h>

#include "ops_core/ops_core.h"
#include "ops_core/shape.h"

/* input [batch, in_c], feature [filters, in_c], time [filters, memory], bias [filters / rank],
 * state [batch, filters * memory]. */
static void svdf(oribi_ops_ctx *ctx, TF_Status *status)
{
    oribi_ops_shape input, feature, time, bias, state;
    int64_t rank, units;
    if (!oribi_ops_input_rank(ctx, 0, 2, &input, status) ||
        !oribi_ops_input_rank(ctx, 1, 2, &feature, status) ||
        !oribi_ops_input_rank(ctx, 2, 2, &time, status) ||
        !oribi_ops_input_rank(ctx, 3, 1, &bias, status) ||
        !oribi_ops_input_rank(ctx, 4, 2, &state, status) ||
        !oribi_ops_attr_int(ctx, "rank", &rank, status)) {
        return;
    }
    if (rank < 1) {
        oribi_ops_fail(status, "Attr 'rank' must be positive, but is %" PRId64, rank);
        return;
    }
    int64_t filters = feature.dims[0], kept;
    if (!oribi_ops_merge_dim(&filters, time.dims[0], status) ||
        !oribi_ops_merge_dim(&input.dims[1], feature.dims[1], status) ||
        !oribi_ops_merge_dim(&input.dims[0], state.dims[0], status) ||
        !oribi_ops_divide_evenly(filters, rank, &units, status) ||
        !oribi_ops_merge_dim(&units, bias.dims[0], status) ||
        !oribi_ops_multiply(filters, time.dims[1], &kept, status) ||
        !oribi_ops_merge_dim(&state.dims[1], kept, status)) {
        return;
    }
    state.dims[0] = input.dims[0];
    input.dims[1] = units;
    oribi_ops_output(ctx, 0, &input, status);
    oribi_ops_output(ctx, 1, &state, status);
}

const oribi_ops_row oribi_ops_recurrent[] = {
    {.name = "Oribi>Svdf",
     .inputs = {"input: float", "feature: float", "time: float", "bias: float", "state: float"},
     .outputs = {"output: float", "next: float"},
     .attrs = {"rank: int"},
     .shape = svdf},
    {.name = "Oribi>QSvdf",
     .inputs = {"input: int8", "feature: int8", "time: int16", "bias: int32", "state: int16"},
     .outputs = {"output: int8", "next: int16"},
     .attrs = {"rank: int", "input_scale: float", "input_zero: int", "output_scale: float",
               "output_zero: int", "feature_scale: float", "time_scale: float",
               "state_scale: float"},
     .shape = svdf},
    {.name = NULL},
};
