/* SPDX-License-Identifier: Apache-2.0 */
/* Exponentials from a table that is as long as two bytes are apart. */
#include "micro/float_rules.h"

#include "micro/port.h"
#include "micro/qlinear.h"
#include "micro/norm/qlinear_softmax.h"

void oribi_micro_qlinear_softmax(const struct oribi_micro_qlinear_softmax_args *args,
                                 const void *input, void *output)
{
    const struct oribi_micro_qlinear_softmax_args *a = args;
    const int32_t low = a->is_signed != 0 ? INT8_MIN : 0;
    for (int32_t row = 0; row < a->rows; row++) {
        const uint8_t *from = (const uint8_t *)input + row * a->columns;
        uint8_t *to = (uint8_t *)output + row * a->columns;
        int32_t most = INT8_MIN;
        float sum = 0.0F;
        TVMGEN_YIELD();
        for (int32_t i = 0; i < a->columns; i++) {
            const int32_t v = oribi_micro_qlinear_get(from, i, a->is_signed);
            most = v > most ? v : most;
        }
        for (int32_t i = 0; i < a->columns; i++) {
            sum += a->table[255 - most + oribi_micro_qlinear_get(from, i, a->is_signed)];
        }
        for (int32_t i = 0; i < a->columns; i++) {
            const float e = a->table[255 - most + oribi_micro_qlinear_get(from, i, a->is_signed)];
            to[i] = oribi_micro_qlinear_byte(e * a->steps / sum, a->output_zero, low, low + 255);
        }
    }
}
