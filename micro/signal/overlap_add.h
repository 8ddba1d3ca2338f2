/* SPDX-License-Identifier: Apache-2.0 */
/* Frames that overlap become samples again. */
#ifndef ORIBI_MICRO_OVERLAP_ADD_H_
#define ORIBI_MICRO_OVERLAP_ADD_H_

#include <stdint.h>

struct oribi_micro_overlap_add_args {
    int32_t outer, frames, size;
    int32_t step; /* 1 to size: samples that a frame is done with */
};

/* Shapes   input [outer, frames, size], before and after [outer, size], output [outer, frames *
 *          step].
 * Owns     nothing; they do not overlap, but `after` may be `before`.
 * Context  run: no allocation, no state. Sums of int16 saturate.
 * Source   TensorFlow Lite Micro's OverlapAdd, bit for bit.
 */
void oribi_micro_overlap_add_s16(const struct oribi_micro_overlap_add_args *args,
                                 const int16_t *input, const int16_t *before, int16_t *output,
                                 int16_t *after);
void oribi_micro_overlap_add_f32(const struct oribi_micro_overlap_add_args *args,
                                 const float *input, const float *before, float *output,
                                 float *after);

#endif
