/* SPDX-License-Identifier: Apache-2.0 */
/* Fully connected layer of int8: four results at a time. Read next: dot_s8.h. */
#include "micro/dense/fully_connected_s8.h"

#include "micro/dot_s8.h"
#include "micro/port.h"

static int8_t result(const struct oribi_micro_fully_connected_s8_args *a, int32_t acc,
                     int32_t channel)
{
    const int32_t i = a->per_channel != 0 ? channel : 0;
    return oribi_micro_requantise_s8(acc, a->multiplier[i], a->shift[i], a->output_zero, a->low,
                                     a->high);
}

void oribi_micro_fully_connected_s8(const struct oribi_micro_fully_connected_s8_args *args,
                                    const int8_t *input, int8_t *output, void *scratch)
{
    const struct oribi_micro_fully_connected_s8_args *a = args;
    (void)scratch;
    for (int32_t row = 0; row < a->rows; row++) {
        int32_t c = 0;
        for (; c + 4 <= a->out_c; c += 4) {
            TVMGEN_YIELD();
            int32_t acc[4] = {a->bias[c], a->bias[c + 1], a->bias[c + 2], a->bias[c + 3]};
            oribi_micro_dot4_s8(input, a->filter + c * a->in_c, a->in_c, a->in_c, acc);
            for (int32_t i = 0; i < 4; i++) {
                output[c + i] = result(a, acc[i], c + i);
            }
        }
        for (; c < a->out_c; c++) {
            output[c] = result(
                a, oribi_micro_dot_s8(input, a->filter + c * a->in_c, a->in_c, a->bias[c]), c);
        }
        input += a->in_c;
        output += a->out_c;
    }
}
