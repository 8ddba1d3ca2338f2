/* SPDX-License-Identifier: Apache-2.0 */
/* Products of quantised matrices, one element after the other. */
#include "micro/float_rules.h"

#include "micro/port.h"
#include "micro/qlinear.h"
#include "micro/dense/qlinear_matmul.h"

static int32_t dot(const struct oribi_micro_qlinear_matmul_args *p, const uint8_t *row,
                   const uint8_t *column, int32_t a_zero, int32_t b_zero)
{
    uint32_t sum = 0;
    for (int32_t k = 0; k < p->inner; k++) {
        const int32_t x = oribi_micro_qlinear_get(row, k, p->a_signed) - a_zero;
        const int32_t y = oribi_micro_qlinear_get(column, k * p->columns, p->b_signed) - b_zero;
        sum += (uint32_t)x * (uint32_t)y;
    }
    return (int32_t)sum;
}

static void matrix(const struct oribi_micro_qlinear_matmul_args *p, const uint8_t *a,
                   const uint8_t *b, const int32_t *a_zeros, const int32_t *b_zeros,
                   const float *multipliers, void *output, int32_t at)
{
    for (int32_t i = 0; i < p->rows; i++) {
        TVMGEN_YIELD();
        for (int32_t j = 0; j < p->columns; j++, at++) {
            const int32_t sum = dot(p, a + i * p->inner, b + j, a_zeros[i * p->a_zero_step],
                                    b_zeros[j * p->b_zero_step]);
            oribi_micro_qlinear_store(output, at, p->output, sum,
                                      multipliers[j * p->multiplier_step], p->output_zero, p->low,
                                      p->high);
        }
    }
}

void oribi_micro_qlinear_matmul(const struct oribi_micro_qlinear_matmul_args *args, const void *a,
                                const void *b, const int32_t *a_zeros, const int32_t *b_zeros,
                                const float *multipliers, void *output)
{
    const struct oribi_micro_qlinear_matmul_args *p = args;
    struct oribi_micro_broadcast_walk walk = {0};
    const int32_t last = p->batch.rank - 1;
    int32_t at = 0;
    do {
        for (int32_t i = 0; i < p->batch.dims[last]; i++) {
            const int32_t left = walk.a + i * p->batch.a_step[last];
            const int32_t right = walk.b + i * p->batch.b_step[last];
            matrix(p, (const uint8_t *)a + left * p->rows * p->inner,
                   (const uint8_t *)b + right * p->inner * p->columns, a_zeros, b_zeros,
                   multipliers, output, at);
            at += p->rows * p->columns;
        }
    } while (oribi_micro_broadcast_next(&p->batch, &walk) != 0);
}
