/* SPDX-License-Identifier: Apache-2.0 */
/* See softmax_f64.h. */
#include "micro/float_rules.h"

#include "micro/math_double.h"
#include "micro/double/softmax_f64.h"
#include "micro/port.h"

void oribi_micro_softmax_f64(const struct oribi_micro_softmax_f64_args *args, const double *input,
                             double *output)
{
    for (int32_t r = 0; r < args->rows; r++) {
        double largest = input[0], sum = 0.0;
        TVMGEN_YIELD();
        for (int32_t i = 1; i < args->columns; i++) {
            largest = input[i] > largest ? input[i] : largest;
        }
        for (int32_t i = 0; i < args->columns; i++) {
            sum += oribi_micro_double_exp(input[i] - largest);
        }
        const double offset = oribi_micro_double_log(sum);
        for (int32_t i = 0; i < args->columns; i++) {
            const double v = input[i] - largest;
            output[i] = args->is_logarithm != 0 ? v - offset : oribi_micro_double_exp(v) / sum;
        }
        input += args->columns;
        output += args->columns;
    }
}
