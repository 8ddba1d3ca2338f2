/* SPDX-License-Identifier: Apache-2.0 */
/* Average pooling of uint8 or int16. */
#include "micro/fixed_point.h"
#include "micro/pool/wide_pool.h"

static int32_t mean(const struct oribi_micro_pool_q_args *a, const struct oribi_micro_wide_pool *at,
                    const void *input)
{
    const struct oribi_micro_pool_window w = at->window;
    const int32_t values = (w.bottom - w.top) * (w.right - w.left);
    int32_t sum = 0;
    for (int32_t y = w.top; y < w.bottom; y++) {
        for (int32_t x = w.left; x < w.right; x++) {
            sum += oribi_micro_wide_pool_get(a, at, input, y, x);
        }
    }
    return (sum + (sum > 0 ? values / 2 : -(values / 2))) / values;
}

void oribi_micro_wide_average_pool(const struct oribi_micro_pool_q_args *args, const void *input,
                                   void *output, void *scratch)
{
    const struct oribi_micro_pool_q_args *a = args;
    struct oribi_micro_wide_pool at = oribi_micro_wide_pool_first(a);
    (void)scratch;
    do {
        oribi_micro_element_set(output, a->kind, at.output,
                                oribi_micro_clamp(mean(a, &at, input), a->low, a->high));
    } while (oribi_micro_wide_pool_next(a, &at) != 0);
}
