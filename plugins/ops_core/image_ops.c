/* SPDX-License-Identifier: Apache-2.0 */
/* Resizing of NHWC images. */
#include <inttypes.h>

#include "ops_core/ops_core.h"
#include "ops_core/shape_functions.h"

void oribi_ops_shape_resize(oribi_ops_ctx *ctx, TF_Status *status)
{
    oribi_ops_shape images, vector;
    int64_t sizes[2] = {-1, -1}, count;
    if (!oribi_ops_input_rank(ctx, 0, 4, &images, status) ||
        !oribi_ops_input_rank(ctx, 1, 1, &vector, status) ||
        !oribi_ops_merge_dim(&vector.at[0], 2, status) ||
        !oribi_ops_input_ints(ctx, 1, sizes, 2, &count, status)) {
        return;
    }
    for (int i = 0; i < 2; i++) {
        images.at[i + 1] = count == 2 ? sizes[i] : -1;
        if (count == 2 && sizes[i] < 0) {
            oribi_ops_fail(status, "Size of dimension %d must be non-negative, but is %" PRId64, i,
                           sizes[i]);
            return;
        }
    }
    oribi_ops_output(ctx, 0, &images, status);
}

const oribi_ops_row oribi_ops_image[] = {
    {.name = "ResizeNearestNeighbor",
     .inputs = "images: T; size: int32",
     .outputs = "resized_images: T",
     .attrs = "T: {int8, uint8, int16, uint16, int32, int64, half, float, double, bfloat16}; "
              "align_corners: bool = false; half_pixel_centers: bool = false",
     .traits = "moves(images); parameters(size)",
     .shape = oribi_ops_shape_resize},
    {.name = "ResizeBilinear",
     .inputs = "images: T; size: int32",
     .outputs = "resized_images: float",
     .attrs =
         "T: {int8, uint8, int16, uint16, int32, int64, bfloat16, half, float, double, bfloat16}; "
         "align_corners: bool = false; half_pixel_centers: bool = false",
     .traits = "parameters(size)",
     .shape = oribi_ops_shape_resize},
    {.name = NULL},
};
