/* SPDX-License-Identifier: Apache-2.0 */
/* Matrix product of float, one result at a time. */
#include "micro/float_rules.h"

#include "micro/matmul_f32.h"

void oribi_micro_matmul_f32(const struct oribi_micro_matmul_f32_args *args, const float *a,
                            const float *b, float *output)
{
    for (int32_t m = 0; m < args->batch; m++) {
        for (int32_t i = 0; i < args->rows; i++) {
            for (int32_t j = 0; j < args->columns; j++) {
                const float *left = a + m * args->a_step + i * args->a_row;
                const float *right = b + m * args->b_step + j * args->b_column;
                float sum = 0.0F;
                for (int32_t k = 0; k < args->inner; k++) {
                    sum += left[k * args->a_column] * right[k * args->b_row];
                }
                *output++ = sum;
            }
        }
    }
}
