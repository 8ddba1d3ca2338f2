/* SPDX-License-Identifier: Apache-2.0 */
/* All go through 64 bits, which hold what narrower ones make. */
#include "micro/binary/binary_int.h"

#include "micro/element.h"
#include "micro/port.h"

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
    default:
        return x < y ? x : y;
    }
    memcpy(&result, &bits, sizeof result);
    return result;
}

void oribi_micro_binary_int(const struct oribi_micro_binary_int_args *args, const void *a,
                            const void *b, void *output)
{
    struct oribi_micro_broadcast_walk walk = {{0}, 0, 0};
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
    } while (oribi_micro_broadcast_next(&args->shape, &walk));
}
