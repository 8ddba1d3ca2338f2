/* SPDX-License-Identifier: Apache-2.0 */
/* Products of matrices of int16: sums of 64 bits. */
#include "micro/dense/batch_matmul_q.h"
#include "micro/pairs.h"
#include "micro/port.h"
#include "micro/wide.h"

static int64_t dot(const struct oribi_micro_batch_matmul_q_args *p, const int16_t *row,
                   const int16_t *column)
{
    int64_t sum = 0;
    for (int32_t i = 0; i < p->k; i++) {
        sum += (int64_t)row[i * p->a_column] * column[i * p->b_row];
    }
    return sum;
}

void oribi_micro_batch_matmul_s16(const struct oribi_micro_batch_matmul_q_args *args,
                                  const int16_t *a, const int16_t *b, int16_t *output)
{
    const struct oribi_micro_batch_matmul_q_args *p = args;
    struct oribi_micro_pairs at = {0};
    do {
        const int16_t *left = a + at.a * p->m * p->k, *right = b + at.b * p->k * p->n;
        for (int32_t y = 0; y < p->m; y++) {
            TVMGEN_YIELD();
            for (int32_t x = 0; x < p->n; x++) {
                const int64_t sum = dot(p, left + y * p->a_row, right + x * p->b_column);
                const int32_t value =
                    oribi_micro_scale_wide(sum, p->output_multiplier, p->output_shift);
                *output++ = (int16_t)oribi_micro_clamp(value, INT16_MIN, INT16_MAX);
            }
        }
    } while (oribi_micro_pairs_next(&p->batches, &at) != 0);
}
