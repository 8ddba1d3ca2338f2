/* SPDX-License-Identifier: Apache-2.0 */
/* Matrix product of float, one result at a time: the loops, with ORIBI_MICRO_ADD_F32 as
 * conv2d_f32_body.h has it. */
#ifndef ORIBI_MICRO_MATMUL_F32_BODY_H_
#define ORIBI_MICRO_MATMUL_F32_BODY_H_

#include "micro/float_rules.h"

#include "micro/dense/matmul_f32_args.h"
#include "micro/port.h"

static void matrix(const struct oribi_micro_matmul_f32_args *args, const float *a, const float *b,
                   float *output)
{
    for (int32_t i = 0; i < args->rows; i++) {
        for (int32_t j = 0; j < args->columns; j++) {
            TVMGEN_YIELD();
            const float *left = a + i * args->a_row, *right = b + j * args->b_column;
            float sum = 0.0F;
            for (int32_t k = 0; k < args->inner; k++) {
                sum = ORIBI_MICRO_ADD_F32(sum, left[k * args->a_column], right[k * args->b_row]);
            }
            *output++ = sum;
        }
    }
}

static void multiply(const struct oribi_micro_matmul_f32_args *args, const float *a, const float *b,
                     float *output)
{
    struct oribi_micro_broadcast_walk walk = {0};
    const int32_t last = args->batch.rank - 1, count = args->batch.dims[last];
    const int32_t a_step = args->batch.a_step[last], b_step = args->batch.b_step[last];
    do {
        for (int32_t i = 0; i < count; i++) {
            matrix(args, a + (walk.a + i * a_step) * args->rows * args->inner,
                   b + (walk.b + i * b_step) * args->inner * args->columns, output);
            output += args->rows * args->columns;
        }
    } while (oribi_micro_broadcast_next(&args->batch, &walk) != 0);
}

#endif
