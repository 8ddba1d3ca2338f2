/* SPDX-License-Identifier: Apache-2.0 */
/* Maximum pooling of uint8 or int16. */
#include "micro/fixed_point.h"
#include "micro/pool/wide_pool.h"

static int32_t largest(const struct oribi_micro_pool_q_args *a,
                       const struct oribi_micro_wide_pool *at, const void *input)
{
    int32_t found = INT16_MIN;
    for (int32_t y = at->window.top; y < at->window.bottom; y++) {
        for (int32_t x = at->window.left; x < at->window.right; x++) {
            const int32_t value = oribi_micro_wide_pool_get(a, at, input, y, x);
            found = value > found ? value : found;
        }
    }
    return found;
}

void oribi_micro_wide_max_pool(const struct oribi_micro_pool_q_args *args, const void *input,
                               void *output, void *scratch)
{
    const struct oribi_micro_pool_q_args *a = args;
    struct oribi_micro_wide_pool at = oribi_micro_wide_pool_first(a);
    (void)scratch;
    do {
        oribi_micro_element_set(output, a->kind, at.output,
                                oribi_micro_clamp(largest(a, &at, input), a->low, a->high));
    } while (oribi_micro_wide_pool_next(a, &at) != 0);
}
