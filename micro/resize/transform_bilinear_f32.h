/* SPDX-License-Identifier: Apache-2.0 */
/* A picture of floats, NHWC, seen through a matrix. */
#ifndef ORIBI_MICRO_TRANSFORM_BILINEAR_F32_H_
#define ORIBI_MICRO_TRANSFORM_BILINEAR_F32_H_

#include <stdint.h>

struct oribi_micro_transform_bilinear_f32_args {
    int32_t height, width, channels; /* of the picture */
    int32_t first, rows;             /* of the result: those that this call makes */
    int32_t columns;
    int32_t half_pixel; /* 1: pixels are looked up at their middle */
};

/* Mixes each pixel of the result of the four around the place where the matrix says it lies; it is
 * 0 outside the picture.
 * Shapes   image [height, width, channels], matrix 4 x 4 (its first two rows count), output [rows,
 *          columns, channels], dense; no tensor has 2^31 elements.
 * Owns     nothing; they must not overlap.
 * Context  run: no allocation, no state.
 * Source   MediaPipe's TransformTensorBilinear, in its order of float32 and double operations.
 */
void oribi_micro_transform_bilinear_f32(const struct oribi_micro_transform_bilinear_f32_args *args,
                                        const float *image, const float *matrix, float *output);

#endif
