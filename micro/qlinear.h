/* SPDX-License-Identifier: Apache-2.0 */
/* What kernels of ONNX's quantised operators share: bytes of either sign, and numbers that become
 * bytes again. int8 is read as uint8 with its top bit turned and 128 taken off, so that one loop
 * serves both.
 */
#ifndef ORIBI_MICRO_QLINEAR_H_
#define ORIBI_MICRO_QLINEAR_H_

#include "micro/math_f32.h"

/* What the result of a layer is. */
enum {
    ORIBI_MICRO_QLINEAR_S32 = 0,
    ORIBI_MICRO_QLINEAR_U8 = 1,
    ORIBI_MICRO_QLINEAR_S8 = 2,
    ORIBI_MICRO_QLINEAR_F32 = 3
};

/* Element i; is_signed is 1 for int8, 0 for uint8. */
static inline int32_t oribi_micro_qlinear_get(const uint8_t *data, int32_t i, int32_t is_signed)
{
    const uint32_t flip = is_signed != 0 ? 128U : 0U;
    return (int32_t)(data[i] ^ flip) - (int32_t)flip;
}

/* The nearest integer in [low, high], ties to even; a NaN gives low. Both bounds are below 2^23. */
static inline int32_t oribi_micro_qlinear_round(float value, int32_t low, int32_t high)
{
    float bounded = value > (float)low ? value : (float)low;
    bounded = bounded < (float)high ? bounded : (float)high;
    return (int32_t)oribi_micro_round_even(bounded);
}

/* round(value) + zero, in [low, high]: how a sum of products becomes a byte. */
static inline uint8_t oribi_micro_qlinear_byte(float value, int32_t zero, int32_t low, int32_t high)
{
    const int32_t y = oribi_micro_qlinear_round(value, low - zero, high - zero) + zero;
    return (uint8_t)((uint32_t)y & 255U);
}

/* round(value), in [low, high], of a value that has the zero point in it. */
static inline uint8_t oribi_micro_qlinear_shifted_byte(float value, int32_t low, int32_t high)
{
    return (uint8_t)((uint32_t)oribi_micro_qlinear_round(value, low, high) & 255U);
}

/* A sum as element `at` of the result: itself, its product with the multiplier, or that rounded,
 * shifted by the zero point and bounded. */
static inline void oribi_micro_qlinear_store(void *output, int32_t at, int32_t kind, int32_t sum,
                                             float multiplier, int32_t zero, int32_t low,
                                             int32_t high)
{
    if (kind == ORIBI_MICRO_QLINEAR_S32) {
        ((int32_t *)output)[at] = sum;
    } else if (kind == ORIBI_MICRO_QLINEAR_F32) {
        ((float *)output)[at] = (float)sum * multiplier;
    } else {
        ((uint8_t *)output)[at] =
            oribi_micro_qlinear_byte((float)sum * multiplier, zero, low, high);
    }
}

#endif
