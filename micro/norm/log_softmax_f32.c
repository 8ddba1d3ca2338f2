/* SPDX-License-Identifier: Apache-2.0 */
/* Logarithm of softmax, of float. */
#include "micro/float_rules.h"

#include "micro/math_f32.h"
#include "micro/norm/softmax_f32.h"

void oribi_micro_log_softmax_f32(const struct oribi_micro_softmax_f32_args *args,
                                 const float *input, float *output)
{
    for (int32_t r = 0; r < args->rows; r++) {
        float largest = input[0], sum = 0.0F;
        for (int32_t i = 1; i < args->columns; i++) {
            largest = input[i] > largest ? input[i] : largest;
        }
        for (int32_t i = 0; i < args->columns; i++) {
            sum += oribi_micro_exp(input[i] - largest);
        }
        const float offset = oribi_micro_log(sum);
        for (int32_t i = 0; i < args->columns; i++) {
            output[i] = input[i] - largest - offset;
        }
        input += args->columns;
        output += args->columns;
    }
}
