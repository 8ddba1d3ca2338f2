/* SPDX-License-Identifier: Apache-2.0 */
/* A place of the table for each value, and what lies between. */
#include "micro/elementwise/curve_points_s16.h"

#include "micro/elementwise/curve_s16.h"

void oribi_micro_curve_points_s16(const struct oribi_micro_curve_points_s16_args *args,
                                  const int16_t *input, int16_t *output)
{
    for (int32_t i = 0; i < args->count; i++) {
        const int32_t place = oribi_micro_curve_place(input[i], args->multiplier, args->shift);
        output[i] = (int16_t)(args->is_tanh != 0 ? oribi_micro_curve_tanh(place)
                                                 : oribi_micro_curve_logistic(place));
    }
}
