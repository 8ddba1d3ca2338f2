/* SPDX-License-Identifier: Apache-2.0 */
/* Two passes over a row: its range, then the bytes. */
#include "micro/float_rules.h"

#include "micro/port.h"
#include "micro/hybrid/rows_to_bytes.h"

void oribi_micro_rows_to_bytes(const struct oribi_micro_through_bytes_args *args,
                               const float *input, uint8_t *output, float *scales, int32_t *zeros)
{
    const int32_t n = args->columns;
    for (int32_t row = 0; row < args->rows; row++) {
        const float *x = input + row * n;
        float low = 0.0F, high = 0.0F;
        TVMGEN_YIELD();
        for (int32_t i = 0; i < n; i++) {
            low = x[i] < low ? x[i] : low;
            high = x[i] > high ? x[i] : high;
        }
        const struct oribi_micro_row_steps s =
            oribi_micro_row_steps_of(low, high, args->asymmetric);
        oribi_micro_row_to_bytes(&s, x, n, output + row * n);
        scales[row] = s.scale;
        zeros[row] = (int32_t)s.zero + 128;
    }
}
