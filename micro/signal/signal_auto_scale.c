/* SPDX-License-Identifier: Apache-2.0 */
/* As large as int16 takes them. */
#include "micro/signal/listen.h"

#include "micro/signal/signal_bits.h"

void oribi_micro_signal_auto_scale(const struct oribi_micro_signal_scale_args *args,
                                   const int16_t *input, int16_t *output, int32_t *bits)
{
    int32_t most = 0;
    for (int32_t i = 0; i < args->count; i++) { /* of -32768 it is -32768, as in the source */
        const int32_t size = input[i] > most ? input[i] : -(int32_t)input[i];
        most = size <= most ? most : size > INT16_MAX ? INT16_MIN : size;
    }
    const int32_t shift = most <= 0 ? 0 : 15 - oribi_micro_signal_bits((uint32_t)most);
    for (int32_t i = 0; i < args->count; i++) {
        output[i] = (int16_t)(input[i] * (1 << shift));
    }
    *bits = shift;
}
