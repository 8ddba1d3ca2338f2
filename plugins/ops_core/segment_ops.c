/* SPDX-License-Identifier: Apache-2.0 */
/* Rows that share a segment become one. */
#include <inttypes.h>

#include "ops_core/ops_core.h"
#include "ops_core/shape_functions.h"

/* The number of segments, then the dimensions of the data after those of the ids. */
static void give(oribi_ops_ctx *ctx, oribi_ops_shape *data, const oribi_ops_shape *ids,
                 int64_t segments, TF_Status *status)
{
    oribi_ops_shape out = {.n = 1};
    out.at[0] = segments;
    if (data->n < 0 || ids->n < 0) {
        oribi_ops_set_unknown(&out);
    } else if (!oribi_ops_at_least(data, ids->n, status)) {
        return;
    } else {
        for (int64_t i = 0; i < ids->n; i++) {
            if (!oribi_ops_merge_dim(&data->at[i], ids->at[i], status)) {
                return;
            }
        }
        if (!oribi_ops_append(&out, &data->at[ids->n], data->n - ids->n, status)) {
            return;
        }
    }
    oribi_ops_output(ctx, 0, &out, status);
}

static void unsorted(oribi_ops_ctx *ctx, TF_Status *status)
{
    oribi_ops_shape data, ids, scalar;
    int64_t segments = 0;
    bool is_known = false;
    if (!oribi_ops_input(ctx, 0, &data, status) || !oribi_ops_input(ctx, 1, &ids, status) ||
        !oribi_ops_input_rank(ctx, 2, 0, &scalar, status) ||
        !oribi_ops_input_int(ctx, 2, &segments, &is_known, status)) {
        return;
    }
    if (is_known && segments < 0) {
        oribi_ops_fail(status,
                       "Dimension size, given by scalar input 2, must be non-negative but "
                       "is %" PRId64,
                       segments);
        return;
    }
    give(ctx, &data, &ids, is_known ? segments : -1, status);
}

static void sorted(oribi_ops_ctx *ctx, TF_Status *status)
{
    oribi_ops_shape data, ids;
    if (oribi_ops_input(ctx, 0, &data, status) && oribi_ops_input_rank(ctx, 1, 1, &ids, status) &&
        oribi_ops_at_least(&data, 1, status)) {
        if (data.n > 0) { /* TensorFlow leaves it to the kernel whether their numbers agree */
            ids.at[0] = data.at[0];
        }
        give(ctx, &data, &ids, -1, status);
    }
}

#define UNSORTED(op, types, ids)                                                                   \
    {                                                                                              \
        .name = op, .inputs = "data: T; segment_ids: Tindices; num_segments: Tnumsegments",        \
        .outputs = "output: T",                                                                    \
        .attrs = "T: " types "; Tindices: " ids "; Tnumsegments: " ORIBI_OPS_INDEX_DEFAULT,        \
        .traits = "parameters(num_segments)", .shape = unsorted                                    \
    }

const oribi_ops_row oribi_ops_segment[] = {
    UNSORTED("UnsortedSegmentSum", "numbertype", "{int16, int32, int64}"),
    UNSORTED("UnsortedSegmentProd", "numbertype", ORIBI_OPS_INDEX),
    UNSORTED("UnsortedSegmentMax", "realnumbertype", ORIBI_OPS_INDEX),
    UNSORTED("UnsortedSegmentMin", "realnumbertype", ORIBI_OPS_INDEX),
    {.name = "UnsortedSegmentJoin",
     .inputs = "inputs: string; segment_ids: Tindices; num_segments: Tnumsegments",
     .outputs = "output: string",
     .attrs = "separator: string = ''; Tindices: " ORIBI_OPS_INDEX
              "; Tnumsegments: " ORIBI_OPS_INDEX_DEFAULT,
     .shape = unsorted},
    {.name = "SegmentSum",
     .inputs = "data: T; segment_ids: Tindices",
     .outputs = "output: T",
     .attrs = "T: numbertype; Tindices: " ORIBI_OPS_INDEX,
     .shape = sorted},
    {.name = NULL},
};
