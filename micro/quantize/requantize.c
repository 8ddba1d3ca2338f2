/* SPDX-License-Identifier: Apache-2.0 */
/* One scaling for each value. */
#include "micro/quantize/requantize.h"

#include "micro/element.h"
#include "micro/fixed_point.h"

void oribi_micro_requantize(const struct oribi_micro_requantize_args *args, const void *input,
                            void *output)
{
    const struct oribi_micro_requantize_args *p = args;
    for (int32_t i = 0; i < p->count; i++) {
        const int32_t x = oribi_micro_element_get(input, p->in_kind, i) - p->input_zero;
        const int32_t y = oribi_micro_scale(x, p->multiplier, p->shift) + p->output_zero;
        oribi_micro_element_set(output, p->out_kind, i, oribi_micro_clamp(y, p->low, p->high));
    }
}
