/* SPDX-License-Identifier: Apache-2.0 */
/* A product for each number. */
#include "micro/float_rules.h"

#include "micro/quantize/dequantize_linear.h"
#include "micro/element.h"
#include "micro/port.h"

void oribi_micro_dequantize_linear(const struct oribi_micro_dequantize_linear_args *args,
                                   const void *input, const float *scales, const void *zeros,
                                   float *output)
{
    const struct oribi_micro_dequantize_linear_args *a = args;
    int32_t at = 0;
    for (int32_t o = 0; o < a->outer; o++) {
        for (int32_t c = 0; c < a->channels; c++) {
            const uint32_t zero = (uint32_t)oribi_micro_element_get(zeros, a->kind, c);
            TVMGEN_YIELD();
            for (int32_t i = 0; i < a->inner; i++, at++) {
                const uint32_t x = (uint32_t)oribi_micro_element_get(input, a->kind, at);
                output[at] = (float)(int32_t)(x - zero) * scales[c];
            }
        }
    }
}
