/* SPDX-License-Identifier: Apache-2.0 */
/* Integer sums, one product in float. */
#include "micro/float_rules.h"

#include "micro/port.h"
#include "micro/qlinear.h"
#include "micro/reduce/qlinear_mean.h"

void oribi_micro_qlinear_mean(const struct oribi_micro_qlinear_mean_args *args, const void *input,
                              void *output)
{
    const struct oribi_micro_qlinear_mean_args *a = args;
    const uint8_t *from = (const uint8_t *)input;
    uint8_t *to = (uint8_t *)output;
    for (int32_t b = 0; b < a->batch; b++) {
        for (int32_t c = 0; c < a->channels; c++) {
            int32_t sum = 0;
            TVMGEN_YIELD();
            for (int32_t i = 0; i < a->count; i++) {
                sum += oribi_micro_qlinear_get(from, i * a->channels + c, a->is_signed);
            }
            sum -= a->input_zero * a->count;
            *to++ = oribi_micro_qlinear_byte((float)sum * a->multiplier, a->output_zero, a->low,
                                             a->high);
        }
        from += a->count * a->channels;
    }
}
