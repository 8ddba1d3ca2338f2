/* SPDX-License-Identifier: Apache-2.0 */
/* All go through 64 bits, which hold what narrower ones make. */
#include "micro/binary/binary_int.h"

#include "micro/element.h"
#include "micro/port.h"

/* -1 apart: the least number has no counterpart. */
static int64_t divide(int32_t function, int64_t x, int64_t y)
{
    if (y == 0) {
        return 0;
    }
    const int64_t rest = y == -1 ? 0 : x % y;
    const int32_t is_above = rest != 0 && (rest < 0) != (y < 0) ? 1 : 0; /* the exact quotient */
    if (function == ORIBI_MICRO_INT_FLOOR_MOD) {
        return is_above != 0 ? rest + y : rest;
    }
    const int64_t quotient = y == -1 ? (x == INT64_MIN ? x : -x) : x / y;
    return function == ORIBI_MICRO_INT_FLOOR_DIV && is_above != 0 ? quotient - 1 : quotient;
}

/* Wraps as two's complement does. */
static int64_t compute(int32_t function, int64_t x, int64_t y)
{
    const uint64_t a = (uint64_t)x, b = (uint64_t)y;
    uint64_t bits = 0;
    int64_t result;
    switch (function) {
    case ORIBI_MICRO_INT_LESS:
        return x < y ? 1 : 0;
    case ORIBI_MICRO_INT_LESS_EQUAL:
        return x <= y ? 1 : 0;
    case ORIBI_MICRO_INT_GREATER:
        return x > y ? 1 : 0;
    case ORIBI_MICRO_INT_GREATER_EQUAL:
        return x >= y ? 1 : 0;
    case ORIBI_MICRO_INT_EQUAL:
        return x == y ? 1 : 0;
    case ORIBI_MICRO_INT_NOT_EQUAL:
        return x != y ? 1 : 0;
    case ORIBI_MICRO_INT_ADD:
        bits = a + b;
        break;
    case ORIBI_MICRO_INT_SUB:
        bits = a - b;
        break;
    case ORIBI_MICRO_INT_MUL:
        bits = a * b;
        break;
    case ORIBI_MICRO_INT_MAXIMUM:
        return x > y ? x : y;
    case ORIBI_MICRO_INT_MINIMUM:
        return x < y ? x : y;
    case ORIBI_MICRO_INT_SQUARED_DIFFERENCE:
        bits = (a - b) * (a - b);
        break;
    default:
        return divide(function, x, y);
    }
    (void)memcpy(&result, &bits, sizeof result);
    return result;
}

void oribi_micro_binary_int(const struct oribi_micro_binary_int_args *args, const void *a,
                            const void *b, void *output)
{
    struct oribi_micro_broadcast_walk walk = {0};
    const int32_t last = args->shape.rank - 1, count = args->shape.dims[last];
    const int32_t a_step = args->shape.a_step[last], b_step = args->shape.b_step[last];
    int32_t at = 0;
    do {
        TVMGEN_YIELD();
        for (int32_t i = 0; i < count; i++) {
            const int64_t x = oribi_micro_element_get_wide(a, args->kind, walk.a + i * a_step);
            const int64_t y = oribi_micro_element_get_wide(b, args->kind, walk.b + i * b_step);
            oribi_micro_element_set_wide(output, args->out_kind, at++,
                                         compute(args->function, x, y));
        }
    } while (oribi_micro_broadcast_next(&args->shape, &walk) != 0);
}
