/* SPDX-License-Identifier: Apache-2.0 */
/* Softmax of float. */
#include "micro/float_rules.h"

#include "micro/math_f32.h"
#include "micro/norm/softmax_f32.h"

void oribi_micro_softmax_f32(const struct oribi_micro_softmax_f32_args *args, const float *input,
                             float *output)
{
    for (int32_t r = 0; r < args->rows; r++) {
        float largest = input[0], sum = 0.0F;
        for (int32_t i = 1; i < args->columns; i++) {
            largest = input[i] > largest ? input[i] : largest;
        }
        for (int32_t i = 0; i < args->columns; i++) {
            output[i] = oribi_micro_exp(input[i] - largest);
            sum += output[i];
        }
        for (int32_t i = 0; i < args->columns; i++) {
            output[i] = output[i] / sum;
        }
        input += args->columns;
        output += args->columns;
    }
}
