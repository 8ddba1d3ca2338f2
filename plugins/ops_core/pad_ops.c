/* SPDX-License-Identifier: Apache-2.0 */
/* Larger tensors: padding, tiling, reversing. */
#include <inttypes.h>

#include "micro/geometry/geometry_axes.h"
#include "micro/geometry/geometry_pad.h"
#include "ops_core/ops_core.h"
#include "ops_core/shape_functions.h"

static void pad(oribi_ops_ctx *ctx, TF_Status *status)
{
    oribi_ops_shape input, paddings;
    oribi_wide_dims before, after;
    if (!oribi_ops_input_rank(ctx, 1, 2, &paddings, status) ||
        !oribi_ops_merge_dim(&paddings.at[1], 2, status) ||
        !oribi_ops_input(ctx, 0, &input, status) ||
        !oribi_ops_input_pairs(ctx, 1, &before, &after, status)) {
        return;
    }
    if (paddings.at[0] >= 0 && !oribi_ops_with_rank(&input, paddings.at[0], status)) {
        return;
    }
    if (before.n < 0) {
        if (input.n >= 0) {
            oribi_ops_set_unknown_dims(&input, input.n);
        }
        oribi_ops_output(ctx, 0, &input, status);
        return;
    }
    for (int64_t i = 0; i < input.n; i++) {
        if (!oribi_geometry_pad(input.at[i], before.at[i], after.at[i], ORIBI_GEOMETRY_VALUE,
                                &input.at[i])) {
            oribi_ops_fail(status,
                           "Paddings must be non-negative, and the sum less than 2^63: %" PRId64
                           " %" PRId64,
                           before.at[i], after.at[i]);
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
    if (input.n < 0 && multiples.n < 0) {
        oribi_ops_output(ctx, 0, &input, status);
        return;
    }
    if (!oribi_ops_with_rank(&multiples, input.n < 0 ? multiples.n : input.n, status) ||
        !oribi_ops_with_rank(&input, multiples.n, status)) {
        return;
    }
    for (int64_t i = 0; i < input.n; i++) {
        if (!oribi_ops_multiply(input.at[i], multiples.at[i], &input.at[i], status)) {
            return;
        }
    }
    oribi_ops_output(ctx, 0, &input, status);
}

static void reverse(oribi_ops_ctx *ctx, TF_Status *status)
{
    oribi_ops_shape input, axis_shape;
    oribi_wide_dims axes;
    oribi_geometry_axes seen;
    int64_t axis;
    int32_t at = 0;
    if (!oribi_ops_input(ctx, 0, &input, status) ||
        !oribi_ops_input_rank(ctx, 1, 1, &axis_shape, status) ||
        !oribi_ops_input_list(ctx, 1, &axes, status)) {
        return;
    }
    if (axis_shape.at[0] > input.n && input.n >= 0) {
        oribi_ops_fail(status, "reverse does not work on tensors with more axes than dimensions");
        return;
    }
    const oribi_geometry_naming naming =
        input.n < 0 ? ORIBI_GEOMETRY_NAMED
                    : oribi_geometry_name_axes(axes.at, axes.n, input.n, &seen, &at);
    if (naming != ORIBI_GEOMETRY_NAMED) {
        (void)(oribi_ops_axis(axes.at[at], input.n, &axis, status) && /* which NO_AXIS fails */
               oribi_ops_fail(status, "axis %" PRId64 " specified more than once.", axis));
        return;
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
    if (input.n >= 0) {
        if (batch < 0 || batch >= input.n || sequence < 0 || sequence >= input.n) {
            oribi_ops_fail(
                status, "batch_dim and seq_dim must be < input rank %d: %" PRId64 " and %" PRId64,
                (int)input.n, batch, sequence);
            return;
        }
        if (!oribi_ops_merge_dim(&input.at[batch], lengths.at[0], status)) {
            return;
        }
    }
    oribi_ops_output(ctx, 0, &input, status);
}

const oribi_ops_row oribi_ops_pad[] = {
    {.name = "Pad",
     .inputs = "input: T; paddings: Tpaddings",
     .outputs = "output: T",
     .attrs = "T: type; Tpaddings: " ORIBI_OPS_INDEX_DEFAULT,
     .traits = "pads(input, paddings)",
     .shape = pad},
    {.name = "PadV2",
     .inputs = "input: T; paddings: Tpaddings; constant_values: T",
     .outputs = "output: T",
     .attrs = "T: type; Tpaddings: " ORIBI_OPS_INDEX_DEFAULT,
     .traits = "pads(input, paddings, constant_values)",
     .shape = pad},
    {.name = "MirrorPad",
     .inputs = "input: T; paddings: Tpaddings",
     .outputs = "output: T",
     .attrs = "T: type; Tpaddings: " ORIBI_OPS_INDEX_DEFAULT "; mode: {'REFLECT', 'SYMMETRIC'}",
     .traits = "pads(input, paddings); moves(input)",
     .shape = pad},
    {.name = "Tile",
     .inputs = "input: T; multiples: Tmultiples",
     .outputs = "output: T",
     .attrs = "T: type; Tmultiples: " ORIBI_OPS_INDEX_DEFAULT,
     .traits = "tiles(input, multiples)",
     .shape = tile},
    {.name = "ReverseV2",
     .inputs = "tensor: T; axis: Tidx",
     .outputs = "output: T",
     .attrs = "Tidx: " ORIBI_OPS_INDEX_DEFAULT
              "; T: {uint8, int8, uint16, int16, int32, uint32, int64, uint64, bool, bfloat16, "
              "half, float, double, complex64, complex128, string}",
     .traits = "rearranges(tensor); parameters(axis)",
     .shape = reverse},
    {.name = "ReverseSequence",
     .inputs = "input: T; seq_lengths: Tlen",
     .outputs = "output: T",
     .attrs = "seq_dim: int; batch_dim: int = 0; T: type; Tlen: {int32, int64} = DT_INT64",
     .traits = "rearranges(input)",
     .shape = reverse_sequence},
    {.name = NULL},
};
