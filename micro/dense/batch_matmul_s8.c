/* SPDX-License-Identifier: Apache-2.0 */
/* One sum for each value of the output. */
#include "micro/dense/batch_matmul_q.h"

#include "micro/fixed_point.h"
#include "micro/port.h"

static int32_t dot(const struct oribi_micro_batch_matmul_q_args *p, const int8_t *row,
                   const int8_t *column)
{
    int32_t sum = 0;
    for (int32_t i = 0; i < p->k; i++) {
        sum += (*row - p->a_zero) * (*column - p->b_zero);
        row += p->a_column;
        column += p->b_row;
    }
    return sum;
}

static int8_t *multiply(const struct oribi_micro_batch_matmul_q_args *p, const int8_t *a,
                        const int8_t *b, int8_t *output)
{
    for (int32_t y = 0; y < p->m; y++) {
        TVMGEN_YIELD();
        for (int32_t x = 0; x < p->n; x++) {
            const int32_t sum = dot(p, a + y * p->a_row, b + x * p->b_column);
            *output++ = (int8_t)oribi_micro_clamp(
                oribi_micro_scale(sum, p->output_multiplier, p->output_shift) + p->output_zero,
                INT8_MIN, INT8_MAX);
        }
    }
    return output;
}

void oribi_micro_batch_matmul_s8(const struct oribi_micro_batch_matmul_q_args *args,
                                 const int8_t *a, const int8_t *b, int8_t *output)
{
    const struct oribi_micro_broadcast *batches = &args->batches;
    struct oribi_micro_broadcast_walk walk = {0};
    const int32_t last = batches->rank - 1;
    const int32_t a_size = args->m * args->k, b_size = args->k * args->n;
    do {
        for (int32_t i = 0; i < batches->dims[last]; i++) {
            output = multiply(args, a + (walk.a + i * batches->a_step[last]) * a_size,
                              b + (walk.b + i * batches->b_step[last]) * b_size, output);
        }
    } while (oribi_micro_broadcast_next(batches, &walk) != 0);
}
