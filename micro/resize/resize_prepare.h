/* SPDX-License-Identifier: Apache-2.0 */
/* Where the pixels of a resized image come from, along one dimension. Host only. */
#ifndef ORIBI_MICRO_RESIZE_PREPARE_H_
#define ORIBI_MICRO_RESIZE_PREPARE_H_

#include "micro/prepare.h"

struct oribi_micro_resize_spec {
    int32_t in, out; /* pixels along the dimension, 1 to 2^24 */
    int32_t align_corners, half_pixel_centers;
};

/* Index in the input of each of `out` pixels.
 * Source   TensorFlow Lite. */
int32_t oribi_micro_resize_nearest_places(const struct oribi_micro_resize_spec *spec,
                                          int32_t *out_places);
/* (lower, upper, weight of the upper in 1/1024) of each of `out` pixels.
 * Source   TensorFlow Lite's integer interpolation. */
int32_t oribi_micro_resize_bilinear_places(const struct oribi_micro_resize_spec *spec,
                                           int32_t *out_places);
/* (lower, upper) of each of `out` pixels, and the weight of the upper.
 * Source   TensorFlow Lite's interpolation in float32. */
int32_t oribi_micro_resize_bilinear_weights(const struct oribi_micro_resize_spec *spec,
                                            int32_t *out_places, float *out_weights);

#endif
