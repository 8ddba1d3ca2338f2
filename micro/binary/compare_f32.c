/* SPDX-License-Identifier: Apache-2.0 */
/* Comparisons of elements that meet by broadcasting. */
#include "micro/float_rules.h"

#include "micro/binary/compare_f32.h"
#include "micro/port.h"

static uint8_t compare(int32_t kind, float x, float y)
{
    switch (kind) {
    case ORIBI_MICRO_LESS:
        return x < y ? 1 : 0;
    case ORIBI_MICRO_LESS_EQUAL:
        return x <= y ? 1 : 0;
    case ORIBI_MICRO_GREATER:
        return x > y ? 1 : 0;
    case ORIBI_MICRO_GREATER_EQUAL:
        return x >= y ? 1 : 0;
    case ORIBI_MICRO_EQUAL:
        return x <= y && x >= y ? 1 : 0;
    default:
        return x <= y && x >= y ? 0 : 1;
    }
}

void oribi_micro_compare_f32(const struct oribi_micro_compare_f32_args *args, const float *a,
                             const float *b, uint8_t *output)
{
    struct oribi_micro_broadcast_walk walk = {0};
    const int32_t last = args->shape.rank - 1, count = args->shape.dims[last];
    const int32_t a_step = args->shape.a_step[last], b_step = args->shape.b_step[last];
    do {
        TVMGEN_YIELD();
        for (int32_t i = 0; i < count; i++) {
            *output++ = compare(args->kind, a[walk.a + i * a_step], b[walk.b + i * b_step]);
        }
    } while (oribi_micro_broadcast_next(&args->shape, &walk) != 0);
}
