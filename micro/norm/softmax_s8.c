/* SPDX-License-Identifier: Apache-2.0 */
/* Softmax of int8. */
#include "micro/port.h"
#include "micro/norm/softmax_row_8.h"

void oribi_micro_softmax_s8(const struct oribi_micro_softmax_8_args *args, const int8_t *input,
                            int8_t *output, void *scratch)
{
    (void)scratch;
    for (int32_t row = 0; row < args->rows; row++) {
        TVMGEN_YIELD();
        oribi_micro_softmax_row_8(args, ORIBI_MICRO_S8, ORIBI_MICRO_S8, row * args->columns, input,
                                  output);
    }
}
