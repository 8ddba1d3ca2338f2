/* SPDX-License-Identifier: Apache-2.0 */
/* A division for each number. */
#include "micro/float_rules.h"

#include "micro/port.h"
#include "micro/qlinear.h"
#include "micro/quantize/quantize_linear.h"

void oribi_micro_quantize_linear(const struct oribi_micro_quantize_linear_args *args,
                                 const float *input, const float *scales, const void *zeros,
                                 void *output)
{
    const struct oribi_micro_quantize_linear_args *a = args;
    const int32_t low = a->is_signed != 0 ? INT8_MIN : 0;
    uint8_t *to = (uint8_t *)output;
    for (int32_t o = 0; o < a->outer; o++) {
        for (int32_t c = 0; c < a->channels; c++) {
            const int32_t zero = oribi_micro_qlinear_get((const uint8_t *)zeros, c, a->is_signed);
            TVMGEN_YIELD();
            for (int32_t i = 0; i < a->inner; i++) {
                *to++ = oribi_micro_qlinear_byte(*input++ / scales[c], zero, low, low + 255);
            }
        }
    }
}
