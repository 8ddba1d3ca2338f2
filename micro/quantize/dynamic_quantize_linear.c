/* SPDX-License-Identifier: Apache-2.0 */
/* Two passes: the range, then the bytes. */
#include "micro/float_rules.h"

#include "micro/quantize/dynamic_quantize_linear.h"
#include "micro/port.h"
#include "micro/qlinear.h"

enum { BLOCK = 1024 };

void oribi_micro_dynamic_quantize_linear(
    const struct oribi_micro_dynamic_quantize_linear_args *args, const float *input, void *output,
    float *scale, void *zero)
{
    float least = 0.0F, most = 0.0F;
    uint8_t *to = (uint8_t *)output;
    for (int32_t i = 0; i < args->count; i++) {
        least = input[i] < least ? input[i] : least;
        most = input[i] > most ? input[i] : most;
    }
    const float step = least < most ? (most - least) / 255.0F : 1.0F;
    const int32_t point = oribi_micro_qlinear_round(0.0F - least / step, 0, 255);
    for (int32_t i = 0; i < args->count; i++) {
        if (i % BLOCK == 0) {
            TVMGEN_YIELD();
        }
        to[i] = oribi_micro_qlinear_byte(input[i] / step, point, 0, 255);
    }
    *scale = step;
    *(uint8_t *)zero = (uint8_t)point;
}
