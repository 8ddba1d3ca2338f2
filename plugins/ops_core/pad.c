/* SPDX-License-Identifier: Apache-2.0 */
/* Larger tensors: padding, tiling, reversing. */
#include <inttypes.h>

#include "ops_core/ops_core.h"
#include "ops_core/shape.h"

static void pad(oribi_ops_ctx *ctx, TF_Status *status)
{
    oribi_ops_shape input, paddings;
    int64_t pairs[2 * ORIBI_OPS_MAX_RANK], count;
    if (!oribi_ops_input_rank(ctx, 1, 2, &paddings, status) ||
        !oribi_ops_merge_dim(&paddings.dims[1], 2, status) ||
        !oribi_ops_input(ctx, 0, &input, status) ||
        !oribi_ops_input_ints(ctx, 1, pairs, 2 * ORIBI_OPS_MAX_RANK, &count, status)) {
        return;
    }
    if (paddings.dims[0] >= 0 && !oribi_ops_with_rank(&input, paddings.dims[0], status)) {
        return;
    }
    if (count < 0) {
        if (input.rank >= 0) {
            oribi_ops_set_unknown_dims(&input, input.rank);
        }
        oribi_ops_output(ctx, 0, &input, status);
        return;
    }
    for (int64_t i = 0; i < input.rank; i++) {
        int64_t *dim = &input.dims[i];
        if (pairs[2 * i] < 0 || pairs[2 * i + 1] < 0) {
            oribi_ops_fail(status, "Paddings must be non-negative: %" PRId64 " %" PRId64,
                           pairs[2 * i], pairs[2 * i + 1]);
            return;
        }
        if (!oribi_ops_add(*dim, pairs[2 * i], dim, status) ||
            !oribi_ops_add(*dim, pairs[2 * i + 1], dim, status)) {
            return;
        }
    }
    oribi_ops_output(ctx, 0, &input, status);
}

static void tile(oribi_ops_ctx *ctx, TF_Status *status)
{
    oribi_ops_shape input, multiples;
    if (!oribi_ops_input(ctx, 0, &input, status) ||
        !oribi_ops_input_as_shape(ctx, 1, &multiples, status)) {
        return;
    }
    if (input.rank < 0 && multiples.rank < 0) {
        oribi_ops_output(ctx, 0, &input, status);
        return;
    }
    if (!oribi_ops_with_rank(&multiples, input.rank < 0 ? multiples.rank : input.rank, status) ||
        !oribi_ops_with_rank(&input, multiples.rank, status)) {
        return;
    }
    for (int64_t i = 0; i < input.rank; i++) {
        if (!oribi_ops_multiply(input.dims[i], multiples.dims[i], &input.dims[i], status)) {
            return;
        }
    }
    oribi_ops_output(ctx, 0, &input, status);
}

static void reverse(oribi_ops_ctx *ctx, TF_Status *status)
{
    oribi_ops_shape input, axis_shape;
    int64_t axes[ORIBI_OPS_MAX_RANK], count, axis;
    bool seen[ORIBI_OPS_MAX_RANK] = {false};
    if (!oribi_ops_input(ctx, 0, &input, status) ||
        !oribi_ops_input_rank(ctx, 1, 1, &axis_shape, status) ||
        !oribi_ops_input_ints(ctx, 1, axes, ORIBI_OPS_MAX_RANK, &count, status)) {
        return;
    }
    if (axis_shape.dims[0] > input.rank && input.rank >= 0) {
        oribi_ops_fail(status, "reverse does not work on tensors with more axes than dimensions");
        return;
    }
    for (int64_t i = 0; input.rank >= 0 && i < count; i++) {
        if (!oribi_ops_axis(axes[i], input.rank, &axis, status)) {
            return;
        }
        if (seen[axis]) {
            oribi_ops_fail(status, "axis %" PRId64 " specified more than once.", axis);
            return;
        }
        seen[axis] = true;
    }
    oribi_ops_output(ctx, 0, &input, status);
}

static void reverse_sequence(oribi_ops_ctx *ctx, TF_Status *status)
{
    oribi_ops_shape input, lengths;
    int64_t batch, sequence;
    if (!oribi_ops_input(ctx, 0, &input, status) ||
        !oribi_ops_input_rank(ctx, 1, 1, &lengths, status) ||
        !oribi_ops_attr_int(ctx, "batch_dim", &batch, status) ||
        !oribi_ops_attr_int(ctx, "seq_dim", &sequence, status)) {
        return;
    }
    if (input.rank >= 0) {
        if (batch < 0 || batch >= input.rank || sequence < 0 || sequence >= input.rank) {
            oribi_ops_fail(status,
                           "batch_dim and seq_dim must be < input rank %" PRId64 ": %" PRId64
                           " and %" PRId64,
                           input.rank, batch, sequence);
            return;
        }
        if (!oribi_ops_merge_dim(&input.dims[batch], lengths.dims[0], status)) {
            return;
        }
    }
    oribi_ops_output(ctx, 0, &input, status);
}

const oribi_ops_row oribi_ops_pad[] = {
    {.name = "Pad",
     .inputs = {"input: T", "paddings: Tpaddings"},
     .outputs = {"output: T"},
     .attrs = {"T: type", "Tpaddings: " ORIBI_OPS_INDEX_DEFAULT},
     .shape = pad},
    {.name = "PadV2",
     .inputs = {"input: T", "paddings: Tpaddings", "constant_values: T"},
     .outputs = {"output: T"},
     .attrs = {"T: type", "Tpaddings: " ORIBI_OPS_INDEX_DEFAULT},
     .shape = pad},
    {.name = "MirrorPad",
     .inputs = {"input: T", "paddings: Tpaddings"},
     .outputs = {"output: T"},
     .attrs = {"T: type", "Tpaddings: " ORIBI_OPS_INDEX_DEFAULT, "mode: {'REFLECT', 'SYMMETRIC'}"},
     .shape = pad},
    {.name = "Tile",
     .inputs = {"input: T", "multiples: Tmultiples"},
     .outputs = {"output: T"},
     .attrs = {"T: type", "Tmultiples: " ORIBI_OPS_INDEX_DEFAULT},
     .shape = tile},
    {.name = "ReverseV2",
     .inputs = {"tensor: T", "axis: Tidx"},
     .outputs = {"output: T"},
     .attrs = {"Tidx: " ORIBI_OPS_INDEX_DEFAULT,
               "T: {uint8, int8, uint16, int16, int32, uint32, int64, uint64, bool, bfloat16, "
               "half, float, double, complex64, complex128, string}"},
     .shape = reverse},
    {.name = "ReverseSequence",
     .inputs = {"input: T", "seq_lengths: Tlen"},
     .outputs = {"output: T"},
     .attrs = {"seq_dim: int", "batch_dim: int = 0", "T: type", "Tlen: {int32, int64} = DT_INT64"},
     .shape = reverse_sequence},
    {.name = NULL},
};
