/* SPDX-License-Identifier: Apache-2.0 */
/* Conditions that meet by broadcasting. */
#include "micro/binary/logical.h"

#include "micro/port.h"

void oribi_micro_logical(const struct oribi_micro_logical_args *args, const uint8_t *a,
                         const uint8_t *b, uint8_t *output)
{
    struct oribi_micro_broadcast_walk walk = {0};
    const int32_t last = args->shape.rank - 1, count = args->shape.dims[last];
    const int32_t a_step = args->shape.a_step[last], b_step = args->shape.b_step[last];
    do {
        TVMGEN_YIELD();
        for (int32_t i = 0; i < count; i++) {
            const int32_t x = a[walk.a + i * a_step] != 0U ? 1 : 0;
            const int32_t y = b[walk.b + i * b_step] != 0U ? 1 : 0;
            *output++ = (uint8_t)(args->kind == ORIBI_MICRO_AND ? x & y : x | y);
        }
    } while (oribi_micro_broadcast_next(&args->shape, &walk) != 0);
}
