/* SPDX-License-Identifier: Apache-2.0 */
/* The output holds the exponentials until their sum is known. */
#include "micro/norm/softmax_s16.h"

#include "micro/unary/exponential.h"
#include "micro/port.h"
#include "micro/norm/softmax_table_s16.h"

static int32_t power(const struct oribi_micro_softmax_s16_args *a, int32_t difference)
{
    const int32_t scaled = oribi_micro_scale(difference, a->multiplier, a->shift);
    const int32_t x = scaled < INT16_MIN - INT16_MAX ? INT16_MIN : scaled + INT16_MAX;
    const int16_t *place = &oribi_micro_exp_table_s16[256 + (x >> 7)];
    return oribi_micro_between_s16(place[0], place[1], x);
}

static int32_t place_of_reciprocal(const struct oribi_micro_softmax_s16_args *a, int32_t at)
{
    const int32_t other =
        (at == ORIBI_MICRO_RECIPROCAL_HIGHER) - (at == ORIBI_MICRO_RECIPROCAL_LOWER);
    return oribi_micro_reciprocal_table_s16[at] + (a->in_double != 0 ? other : 0);
}

/* 1 / sum as Q0.15 of the sum brought to [1, 2); its leading zeros say how far. */
static int32_t reciprocal(const struct oribi_micro_softmax_s16_args *a, int32_t sum, int32_t zeros)
{
    const int64_t shifted = (((int64_t)sum << (zeros - 1)) + (1 << 13)) >> 14;
    const int32_t x =
        oribi_micro_clamp((int32_t)(shifted - (1 << 15) - (1 << 16)), INT16_MIN, INT16_MAX);
    const int32_t at = 256 + (x >> 7);
    return oribi_micro_between_s16(place_of_reciprocal(a, at), place_of_reciprocal(a, at + 1), x);
}

static void row_softmax(const struct oribi_micro_softmax_s16_args *a, const int16_t *x, int16_t *y)
{
    int32_t largest = INT16_MIN, sum = 0;
    for (int32_t i = 0; i < a->columns; i++) {
        largest = x[i] > largest ? x[i] : largest;
    }
    for (int32_t i = 0; i < a->columns; i++) {
        y[i] = (int16_t)power(a, x[i] - largest);
        sum += y[i];
    }
    const int32_t zeros = oribi_micro_leading_zeros((uint32_t)sum);
    const int32_t factor = reciprocal(a, sum, zeros), shift = 31 - zeros;
    for (int32_t i = 0; i < a->columns; i++) {
        const int64_t result = ((int64_t)y[i] * factor + (INT64_C(1) << (shift - 1))) >> shift;
        y[i] = (int16_t)oribi_micro_clamp((int32_t)result, 0, INT16_MAX);
    }
}

void oribi_micro_softmax_s16(const struct oribi_micro_softmax_s16_args *args, const int16_t *input,
                             int16_t *output)
{
    for (int32_t row = 0; row < args->rows; row++) {
        TVMGEN_YIELD();
        row_softmax(args, input + row * args->columns, output + row * args->columns);
    }
}
