/* SPDX-License-Identifier: Apache-2.0 */
/* Line by line. */
#include "micro/index/extreme_index.h"

#include "micro/index/order.h"
#include "micro/port.h"

void oribi_micro_extreme_index(const struct oribi_micro_extreme_index_args *args, const void *input,
                               void *output)
{
    const struct oribi_micro_extreme_index_args *p = args;
    for (int32_t line = 0; line < p->outer * p->inner; line++) {
        const int32_t start = line / p->inner * p->n * p->inner + line % p->inner;
        int32_t best = 0;
        TVMGEN_YIELD();
        for (int32_t i = 1; i < p->n; i++) {
            const int32_t at = start + i * p->inner, top = start + best * p->inner;
            const int32_t is_better = p->is_least != 0
                                          ? oribi_micro_element_less(input, p->kind, at, top)
                                          : oribi_micro_element_less(input, p->kind, top, at);
            best = is_better != 0 ? i : best;
        }
        oribi_micro_element_set_wide(output, p->out_kind, line, best);
    }
}
