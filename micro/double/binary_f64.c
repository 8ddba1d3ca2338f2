/* SPDX-License-Identifier: Apache-2.0 */
/* See binary_f64.h. */
#include "micro/float_rules.h"

#include "micro/double/binary_f64.h"
#include "micro/math_double.h"
#include "micro/port.h"

static uint8_t compare(int32_t function, double x, double y)
{
    switch (function) {
    case ORIBI_MICRO_F64_LESS:
        return x < y ? 1 : 0;
    case ORIBI_MICRO_F64_LESS_EQUAL:
        return x <= y ? 1 : 0;
    case ORIBI_MICRO_F64_GREATER:
        return x > y ? 1 : 0;
    case ORIBI_MICRO_F64_GREATER_EQUAL:
        return x >= y ? 1 : 0;
    case ORIBI_MICRO_F64_EQUAL:
        return x <= y && x >= y ? 1 : 0;
    default:
        return x <= y && x >= y ? 0 : 1;
    }
}

static double compute(int32_t function, double x, double y)
{
    switch (function) {
    case ORIBI_MICRO_F64_ADD:
        return x + y;
    case ORIBI_MICRO_F64_SUB:
        return x - y;
    case ORIBI_MICRO_F64_MUL:
        return x * y;
    case ORIBI_MICRO_F64_DIV:
        return x / y;
    case ORIBI_MICRO_F64_FLOOR_DIV:
        return oribi_micro_double_floor(x / y);
    case ORIBI_MICRO_F64_MAXIMUM:
        return x > y || x != x ? x : y;
    case ORIBI_MICRO_F64_MINIMUM:
        return x < y || x != x ? x : y;
    case ORIBI_MICRO_F64_POW:
        return oribi_micro_double_pow(x, y);
    case ORIBI_MICRO_F64_PRELU:
        return x < 0.0 ? x * y : x;
    default:
        return (x - y) * (x - y);
    }
}

void oribi_micro_binary_f64(const struct oribi_micro_binary_f64_args *args, const double *a,
                            const double *b, void *output)
{
    struct oribi_micro_broadcast_walk walk = {0};
    const int32_t last = args->shape.rank - 1, count = args->shape.dims[last];
    const int32_t a_step = args->shape.a_step[last], b_step = args->shape.b_step[last];
    const int32_t compares = args->function <= ORIBI_MICRO_F64_NOT_EQUAL;
    int32_t at = 0;
    do {
        TVMGEN_YIELD();
        for (int32_t i = 0; i < count; i++, at++) {
            const double x = a[walk.a + i * a_step], y = b[walk.b + i * b_step];
            if (compares != 0) {
                ((uint8_t *)output)[at] = compare(args->function, x, y);
            } else {
                ((double *)output)[at] = compute(args->function, x, y);
            }
        }
    } while (oribi_micro_broadcast_next(&args->shape, &walk) != 0);
}
