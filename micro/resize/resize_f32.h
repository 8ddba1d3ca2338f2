/* SPDX-License-Identifier: Apache-2.0 */
/* Resizing along one or two dimensions by weighted sums of floats. Places and weights come from
 * resize_taps_prepare.h.
 */
#ifndef ORIBI_MICRO_RESIZE_F32_H_
#define ORIBI_MICRO_RESIZE_F32_H_

#include <stdint.h>

struct oribi_micro_resize_f32_args {
    const int32_t *rows,
        *columns; /* of the input: row_taps for each row of the output, and so on */
    const float *row_weights, *column_weights;
    int32_t outer, middle, inner; /* elements in front of, between and behind the two dimensions */
    int32_t in_h, out_h, row_taps;
    int32_t in_w, out_w, column_taps;
};

/* Each element is a sum over its rows of sums over its columns, each from the first on.
 * Shapes   input [outer, in_h, middle, in_w, inner], output [outer, out_h, middle, out_w, inner].
 * Owns     nothing; output and input do not overlap.
 * Context  run: no allocation, no state.
 */
void oribi_micro_resize_f32(const struct oribi_micro_resize_f32_args *args, const float *input,
                            float *output);

#endif
