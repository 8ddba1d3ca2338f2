/* SPDX-License-Identifier: Apache-2.0 */
/* Softmax of bytes, with 16 bits of each result. */
#include "micro/norm/softmax_wide.h"

#include "micro/norm/softmax_row_8.h"
#include "micro/port.h"

void oribi_micro_softmax_wide(const struct oribi_micro_softmax_wide_args *args, const void *input,
                              int16_t *output)
{
    const struct oribi_micro_softmax_8_args a = {.columns = args->columns,
                                                 .multiplier = args->multiplier,
                                                 .shift = args->shift,
                                                 .farthest = args->farthest};
    const int32_t kind = args->is_unsigned != 0 ? ORIBI_MICRO_U8 : ORIBI_MICRO_S8;
    for (int32_t row = 0; row < args->rows; row++) {
        TVMGEN_YIELD();
        oribi_micro_softmax_row_8(&a, kind, ORIBI_MICRO_S16, row * a.columns, input, output);
    }
}
