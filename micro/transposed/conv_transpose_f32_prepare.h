/* SPDX-License-Identifier: Apache-2.0 */
/* Arguments of conv_transpose_f32 from what a model says. Host only. */
#ifndef ORIBI_MICRO_CONV_TRANSPOSE_F32_PREPARE_H_
#define ORIBI_MICRO_CONV_TRANSPOSE_F32_PREPARE_H_

#include "micro/transposed/conv_transpose_f32.h"
#include "micro/geometry/geometry_transposed.h"
#include "micro/prepare.h"

enum { ORIBI_MICRO_TRANSPOSE_SPACE = 3 };

struct oribi_micro_conv_transpose_f32_spec {
    int32_t n_space;                            /* axes of space, 1 to 3 */
    int64_t x[2 + ORIBI_MICRO_TRANSPOSE_SPACE]; /* the dims of the input: batch, channels, space */
    int64_t w[2 + ORIBI_MICRO_TRANSPOSE_SPACE]; /* of the filter: channels, those of a group's
                                                 * output, taps */
    int64_t groups;
    oribi_geometry_transposed axes[ORIBI_MICRO_TRANSPOSE_SPACE]; /* in and taps are written */
};

/* Fills args and the axes of spec, whose `out` are the result's sizes.
 * Errors: the codes of prepare.h; args are then unspecified. */
int32_t oribi_micro_conv_transpose_f32_prepare(struct oribi_micro_conv_transpose_f32_spec *spec,
                                               struct oribi_micro_conv_transpose_f32_args *args);

#endif
