/* SPDX-License-Identifier: Apache-2.0 */
/* Line by line. */
#include "micro/index/cumsum.h"

static void sum_reals(const struct oribi_micro_cumsum_args *p, const float *input, float *output,
                      int32_t at, int32_t step)
{
    float sum = 0.0f;
    for (int32_t i = 0; i < p->n; i++, at += step) {
        const float before = sum;
        sum = sum + input[at];
        output[at] = p->exclusive != 0 ? before : sum;
    }
}

static void sum_integers(const struct oribi_micro_cumsum_args *p, const int32_t *input,
                         int32_t *output, int32_t at, int32_t step)
{
    uint32_t sum = 0;
    for (int32_t i = 0; i < p->n; i++, at += step) {
        const uint32_t before = sum;
        sum += (uint32_t)input[at];
        output[at] = (int32_t)(p->exclusive != 0 ? before : sum);
    }
}

void oribi_micro_cumsum(const struct oribi_micro_cumsum_args *args, const void *input, void *output)
{
    const struct oribi_micro_cumsum_args *p = args;
    const int32_t step = p->reverse != 0 ? -p->inner : p->inner;
    for (int32_t line = 0; line < p->outer * p->inner; line++) {
        int32_t at = line / p->inner * p->n * p->inner + line % p->inner;
        at += p->reverse != 0 ? (p->n - 1) * p->inner : 0;
        if (p->is_real != 0) {
            sum_reals(p, input, output, at, step);
        } else {
            sum_integers(p, input, output, at, step);
        }
    }
}
