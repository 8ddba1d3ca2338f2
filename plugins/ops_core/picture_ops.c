/* SPDX-License-Identifier: Apache-2.0 */
/* ONNX>Name of what looks at pictures: samples of a grid, boxes, regions, deformed convolutions,
 * and what puts elements back.
 */
#include <inttypes.h>

#include "ops_core/ops_core.h"
#include "ops_core/window_shapes.h"

/* X [n, c, space...], grid [n, out..., dims of space]. */
static void grid_sample(oribi_ops_ctx *ctx, TF_Status *status)
{
    oribi_ops_shape x, grid;
    if (!oribi_ops_input(ctx, 0, &x, status) || !oribi_ops_input(ctx, 1, &grid, status)) {
        return;
    }
    if (x.n < 0) {
        oribi_ops_set_unknown_dims(&x, grid.n < 0 ? -1 : grid.n);
    }
    if (x.n < 0 || !oribi_ops_at_least(&x, 3, status) || !oribi_ops_with_rank(&grid, x.n, status) ||
        !oribi_ops_merge_dim(&grid.at[x.n - 1], x.n - 2, status) ||
        !oribi_ops_merge_dim(&x.at[0], grid.at[0], status)) {
        return;
    }
    for (int i = 2; i < x.n; i++) {
        x.at[i] = grid.at[i - 1];
    }
    oribi_ops_output(ctx, 0, &x, status);
}

/* size [n, c, h, w] or [n, c, d, h, w] to [n, h, w, 2] or [n, d, h, w, 3]. */
static void affine_grid(oribi_ops_ctx *ctx, TF_Status *status)
{
    oribi_ops_shape theta, size, out = {.n = 0};
    if (!oribi_ops_input_rank(ctx, 0, 3, &theta, status) ||
        !oribi_ops_input_as_shape(ctx, 1, &size, status)) {
        return;
    }
    if (size.n >= 0 && size.n != 4 && size.n != 5) {
        oribi_ops_fail(status, "size has %d elements, expected 4 or 5", (int)size.n);
        return;
    }
    if (size.n < 0 || !oribi_ops_append(&out, &size.at[0], 1, status) ||
        !oribi_ops_append(&out, &size.at[2], size.n - 2, status) ||
        !oribi_ops_append(&out, (const int64_t[]){size.n - 2}, 1, status) ||
        !oribi_ops_merge_dim(&out.at[0], theta.at[0], status)) {
        return;
    }
    oribi_ops_output(ctx, 0, &out, status);
}

static void non_max_suppression(oribi_ops_ctx *ctx, TF_Status *status)
{
    int inputs[5];
    oribi_ops_shape boxes, scores;
    if (oribi_ops_present(ctx, 5, 2, inputs, status) &&
        oribi_ops_input_rank(ctx, 0, 3, &boxes, status) &&
        oribi_ops_input_rank(ctx, 1, 3, &scores, status) &&
        oribi_ops_merge_dim(&boxes.at[2], 4, status) &&
        oribi_ops_merge_dim(&boxes.at[0], scores.at[0], status) &&
        oribi_ops_merge_dim(&boxes.at[1], scores.at[2], status)) {
        oribi_ops_output_dims(ctx, 0, 2, (const int64_t[]){-1, 3}, status);
    }
}

static bool region_output(oribi_ops_ctx *ctx, int64_t width, const int64_t *bins, TF_Status *status)
{
    oribi_ops_shape x, regions;
    if (bins[0] < 1 || bins[1] < 1) {
        return oribi_ops_fail(status, "regions of %" PRId64 " by %" PRId64 " bins are not possible",
                              bins[0], bins[1]);
    }
    return oribi_ops_input_rank(ctx, 0, 4, &x, status) &&
           oribi_ops_input_rank(ctx, 1, 2, &regions, status) &&
           oribi_ops_merge_dim(&regions.at[1], width, status) &&
           oribi_ops_output_dims(
               ctx, 0, 4, (const int64_t[]){regions.at[0], x.at[1], bins[0], bins[1]}, status);
}

static void roi_align(oribi_ops_ctx *ctx, TF_Status *status)
{
    int64_t bins[2];
    if (oribi_ops_attr_int(ctx, "output_height", &bins[0], status) &&
        oribi_ops_attr_int(ctx, "output_width", &bins[1], status)) {
        (void)region_output(ctx, 4, bins, status);
    }
}

static void max_roi_pool(oribi_ops_ctx *ctx, TF_Status *status)
{
    int64_t bins[2] = {0, 0};
    int count;
    if (oribi_ops_attr_ints(ctx, "pooled_shape", bins, 2, &count, status)) {
        (void)region_output(ctx, 5, bins, status);
    }
}

/* The offsets have the size of the output. */
static void deform_conv(oribi_ops_ctx *ctx, TF_Status *status)
{
    int inputs[5];
    oribi_ops_shape x, w, offset;
    if (oribi_ops_present(ctx, 5, 3, inputs, status) &&
        oribi_ops_input_rank(ctx, 0, 4, &x, status) &&
        oribi_ops_input_rank(ctx, 1, 4, &w, status) &&
        oribi_ops_input_rank(ctx, 2, 4, &offset, status) &&
        oribi_ops_merge_dim(&x.at[0], offset.at[0], status)) {
        oribi_ops_output_dims(
            ctx, 0, 4, (const int64_t[]){x.at[0], w.at[0], offset.at[2], offset.at[3]}, status);
    }
}

static void col2im(oribi_ops_ctx *ctx, TF_Status *status)
{
    oribi_ops_shape x, image, block, out = {.n = 0};
    int64_t taps = 1, channels = -1;
    if (!oribi_ops_input_rank(ctx, 0, 3, &x, status) ||
        !oribi_ops_input_as_shape(ctx, 1, &image, status) ||
        !oribi_ops_input_as_shape(ctx, 2, &block, status) || image.n < 0) {
        return;
    }
    for (int i = 0; i < block.n; i++) {
        if (!oribi_ops_multiply(taps, block.at[i], &taps, status)) {
            return;
        }
    }
    if (block.n >= 0 && taps > 0 && !oribi_ops_divide_evenly(x.at[1], taps, &channels, status)) {
        return;
    }
    if (oribi_ops_append(&out, &x.at[0], 1, status) &&
        oribi_ops_append(&out, &channels, 1, status) &&
        oribi_ops_append(&out, image.at, image.n, status)) {
        oribi_ops_output(ctx, 0, &out, status);
    }
}

/* The shape that is asked for, else what the pool had: (size - 1) * stride + kernel - pads. */
static void max_unpool(oribi_ops_ctx *ctx, TF_Status *status)
{
    int inputs[3];
    oribi_ops_shape x, out;
    oribi_wide_dims kernel, strides, pads;
    if (!oribi_ops_present(ctx, 3, 2, inputs, status) || !oribi_ops_input(ctx, 0, &x, status) ||
        !oribi_ops_attr_list(ctx, "kernel_shape", &kernel, status) ||
        !oribi_ops_attr_list(ctx, "strides", &strides, status) ||
        !oribi_ops_attr_list(ctx, "pads", &pads, status) ||
        !oribi_ops_with_rank(&x, kernel.n + 2, status)) {
        return;
    }
    if (inputs[2] >= 0) {
        if (oribi_ops_input_as_shape(ctx, inputs[2], &out, status) &&
            oribi_ops_with_rank(&out, x.n, status)) {
            oribi_ops_output(ctx, 0, &out, status);
        }
        return;
    }
    for (int k = 0; k < kernel.n; k++) {
        int64_t *dim = &x.at[2 + k];
        int64_t padded = 0;
        const bool fits =
            (strides.n == 0 || strides.n == kernel.n) && (pads.n == 0 || pads.n == 2 * kernel.n);
        if (!fits ||
            (pads.n > 0 && __builtin_add_overflow(pads.at[k], pads.at[k + kernel.n], &padded))) {
            oribi_ops_fail(status, "strides or pads do not fit a kernel of %d dimensions",
                           (int)kernel.n);
            return;
        }
        if (*dim >= 0 &&
            (!oribi_ops_subtract(*dim, 1, dim, status) ||
             !oribi_ops_multiply(*dim, strides.n == 0 ? 1 : strides.at[k], dim, status) ||
             !oribi_ops_add(*dim, kernel.at[k], dim, status) ||
             !oribi_ops_subtract(*dim, padded, dim, status))) {
            return;
        }
    }
    oribi_ops_output(ctx, 0, &x, status);
}

static void center_crop_pad(oribi_ops_ctx *ctx, TF_Status *status)
{
    oribi_ops_shape x, wanted;
    oribi_wide_dims axes;
    if (!oribi_ops_input(ctx, 0, &x, status) || x.n < 0 ||
        !oribi_ops_attr_list(ctx, "axes", &axes, status) ||
        !oribi_ops_input_as_shape(ctx, 1, &wanted, status)) {
        return;
    }
    const int32_t n = axes.n > 0 ? axes.n : x.n;
    if (wanted.n >= 0 && wanted.n != n) {
        oribi_ops_fail(status, "shape has %d elements for %d axes", (int)wanted.n, (int)n);
        return;
    }
    for (int i = 0; i < n; i++) {
        int64_t axis = i;
        if (axes.n > 0 && !oribi_ops_axis(axes.at[i], x.n, &axis, status)) {
            return;
        }
        x.at[axis] = wanted.n < 0 ? -1 : wanted.at[i];
    }
    oribi_ops_output(ctx, 0, &x, status);
}

#define OPTIONAL "Tinputs: list(type) >= 1; present: list(bool) = []"

const oribi_ops_row oribi_ops_picture[] = {
    {.name = "ONNX>GridSample",
     .inputs = "x: T; grid: Tgrid",
     .outputs = "y: T",
     .attrs = "T: " ORIBI_OPS_FLOATS "; Tgrid: " ORIBI_OPS_FLOATS "; align_corners: int = 0; "
              "mode: {'linear', 'nearest', 'cubic', 'bilinear', 'bicubic'} = 'linear'; "
              "padding_mode: {'zeros', 'border', 'reflection'} = 'zeros'; "
              "since_version: int = 0",
     .shape = grid_sample},
    {.name = "ONNX>AffineGrid",
     .inputs = "theta: T; size: int64",
     .outputs = "grid: T",
     .attrs = "T: " ORIBI_OPS_FLOATS "; align_corners: int = 0; since_version: int = 0",
     .traits = "parameters(size)",
     .shape = affine_grid},
    {.name = "ONNX>NonMaxSuppression",
     .inputs = "inputs: Tinputs",
     .outputs = "selected_indices: int64",
     .attrs = OPTIONAL "; center_point_box: int = 0; since_version: int = 0",
     .shape = non_max_suppression},
    {.name = "ONNX>RoiAlign",
     .inputs = "x: T; rois: T; batch_indices: int64",
     .outputs = "y: T",
     .attrs = "T: " ORIBI_OPS_FLOATS "; "
              "coordinate_transformation_mode: {'half_pixel', 'output_half_pixel'} = 'half_pixel'; "
              "mode: {'avg', 'max'} = 'avg'; output_height: int = 1; output_width: int = 1; "
              "sampling_ratio: int = 0; spatial_scale: float = 1.0; since_version: int = 0",
     .shape = roi_align},
    {.name = "ONNX>MaxRoiPool",
     .inputs = "x: T; rois: T",
     .outputs = "y: T",
     .attrs = "T: " ORIBI_OPS_FLOATS "; pooled_shape: list(int) >= 2; spatial_scale: float = 1.0; "
              "since_version: int = 0",
     .shape = max_roi_pool},
    {.name = "ONNX>DeformConv",
     .inputs = "inputs: N * T",
     .outputs = "y: T",
     .attrs = "T: " ORIBI_OPS_FLOATS
              "; N: int >= 3; present: list(bool) = []; dilations: list(int) = []; "
              "group: int = 1; kernel_shape: list(int) = []; offset_group: int = 1; "
              "pads: list(int) = []; strides: list(int) = []; since_version: int = 0",
     .shape = deform_conv},
    {.name = "ONNX>Col2Im",
     .inputs = "input: T; image_shape: int64; block_shape: int64",
     .outputs = "output: T",
     .attrs = "T: realnumbertype; dilations: list(int) = []; pads: list(int) = []; "
              "strides: list(int) = []; since_version: int = 0",
     .traits = "parameters(image_shape, block_shape)",
     .shape = col2im},
    {.name = "ONNX>MaxUnpool",
     .inputs = "inputs: Tinputs",
     .outputs = "output: T",
     .attrs = "T: realnumbertype; " OPTIONAL
              "; kernel_shape: list(int) >= 1; pads: list(int) = []; strides: list(int) = []; "
              "since_version: int = 0",
     .shape = max_unpool},
    {.name = "ONNX>CenterCropPad",
     .inputs = "input_data: T; shape: Tind",
     .outputs = "output_data: T",
     .attrs =
         "T: type; Tind: " ORIBI_OPS_INDEX_DEFAULT "; axes: list(int) = []; since_version: int = 0",
     .traits = "parameters(shape)",
     .shape = center_crop_pad},
    {.name = NULL},
};
