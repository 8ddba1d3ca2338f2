/* SPDX-License-Identifier: Apache-2.0 */
/* Product with weights of 4 bits, one result at a time. */
#include "micro/float_rules.h"

#include "micro/dense/matmul_4_bits.h"
#include "micro/port.h"

#include <stddef.h>

/* The number of 4 bits at place i. */
static float bits_at(const uint8_t *bytes, int32_t i)
{
    const int32_t byte = bytes[i / 2];
    return (float)(i % 2 == 0 ? byte & 15 : byte >> 4);
}

static float zero_at(const struct oribi_micro_matmul_4_bits_args *args, int32_t column,
                     int32_t blocks, int32_t b)
{
    if (args->zeros == NULL) {
        return 8.0F;
    }
    return args->has_zero_bits != 0
               ? bits_at((const uint8_t *)args->zeros + column * ((blocks + 1) / 2), b)
               : ((const float *)args->zeros)[column * blocks + b];
}

static float block_sum(const float *x, const uint8_t *bytes, int32_t count, float zero)
{
    float sum = 0.0F;
    for (int32_t i = 0; i < count; i++) {
        sum += x[i] * (bits_at(bytes, i) - zero);
    }
    return sum;
}

void oribi_micro_matmul_4_bits(const struct oribi_micro_matmul_4_bits_args *args,
                               const float *input, float *output)
{
    const int32_t block = args->block, blocks = (args->inner - 1) / block + 1;
    for (int32_t row = 0; row < args->rows; row++, input += args->inner) {
        const uint8_t *bytes = args->weights;
        for (int32_t j = 0; j < args->columns; j++) {
            TVMGEN_YIELD();
            float sum = args->bias != NULL ? args->bias[j] : 0.0F;
            for (int32_t b = 0; b < blocks; b++, bytes += block / 2) {
                const int32_t at = j * blocks + b, left = args->inner - b * block;
                sum += args->scales[at] * block_sum(input + b * block, bytes,
                                                    left < block ? left : block,
                                                    zero_at(args, j, blocks, b));
            }
            *output++ = sum;
        }
    }
}
