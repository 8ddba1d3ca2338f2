/* SPDX-License-Identifier: Apache-2.0 */
/* Fully connected layer whose sums are scaled in double. */
#include "micro/float_rules.h"

#include "micro/dense/fully_connected_real.h"

#include "micro/dot_s8.h"
#include "micro/element.h"
#include "micro/port.h"

/* The nearest integer, ties away from zero; beyond 2^24, which no result reaches, 2^24. */
static int32_t nearest(double x)
{
    const double most = 16777216.0;
    const double near = x > most ? most : x < -most ? -most : x;
    const int32_t whole = (int32_t)near; /* towards zero */
    const double rest = near - (double)whole;
    return rest >= 0.5 ? whole + 1 : rest <= -0.5 ? whole - 1 : whole;
}

static int64_t sum(const struct oribi_micro_fully_connected_real_args *a, const void *input,
                   int32_t row, int32_t c)
{
    const int32_t from = row * a->in_c, weight = c * a->in_c;
    int64_t acc = oribi_micro_element_get_wide(a->bias, a->bias_kind, c);
    if (a->kind == ORIBI_MICRO_S8) { /* its bias has the input's zero point in it */
        return oribi_micro_dot_s8((const int8_t *)input + from, (const int8_t *)a->filter + weight,
                                  a->in_c, (int32_t)acc);
    }
    for (int32_t i = 0; i < a->in_c; i++) {
        const int32_t x = oribi_micro_element_get(input, a->kind, from + i) - a->input_zero;
        acc +=
            x * (oribi_micro_element_get(a->filter, a->filter_kind, weight + i) - a->filter_zero);
    }
    return acc;
}

void oribi_micro_fully_connected_real(const struct oribi_micro_fully_connected_real_args *args,
                                      const void *input, void *output)
{
    const struct oribi_micro_fully_connected_real_args *a = args;
    const double *scales = a->scale;
    for (int32_t row = 0; row < a->rows; row++) {
        TVMGEN_YIELD();
        for (int32_t c = 0; c < a->out_c; c++) {
            const double scale = scales[a->per_channel != 0 ? c : 0];
            const int32_t rounded = nearest((double)sum(a, input, row, c) * scale);
            oribi_micro_element_set(output, a->kind, row * a->out_c + c,
                                    oribi_micro_clamp(rounded + a->output_zero, a->low, a->high));
        }
    }
}
