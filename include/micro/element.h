/* SPDX-License-Identifier: Apache-2.0 */
/* Reading and writing one number of a type that is known when the model runs: the kinds of kernels
 * that go between element types.
 */
#ifndef ORIBI_MICRO_ELEMENT_H_
#define ORIBI_MICRO_ELEMENT_H_

#include "micro/memory.h"

#include <stdint.h>

enum {
    ORIBI_MICRO_S8 = 0,
    ORIBI_MICRO_U8 = 1,
    ORIBI_MICRO_S16 = 2,
    ORIBI_MICRO_S32 = 3,
    ORIBI_MICRO_F32 = 4,
    ORIBI_MICRO_S64 = 5,
    ORIBI_MICRO_F64 = 6,
    ORIBI_MICRO_U32 = 7 /* casts alone read and write them */
};

/* Element i of integers. */
static inline int32_t oribi_micro_element_get(const void *data, int32_t kind, int32_t i)
{
    switch (kind) {
    case ORIBI_MICRO_S8:
        return ((const int8_t *)data)[i];
    case ORIBI_MICRO_U8:
        return ((const uint8_t *)data)[i];
    case ORIBI_MICRO_S16:
        return ((const int16_t *)data)[i];
    default:
        return ((const int32_t *)data)[i];
    }
}

/* The same of integers of up to 64 bits. */
static inline int64_t oribi_micro_element_get_wide(const void *data, int32_t kind, int32_t i)
{
    return kind == ORIBI_MICRO_S64 ? ((const int64_t *)data)[i]
                                   : oribi_micro_element_get(data, kind, i);
}

/* Wraps where the type is narrower. */
static inline void oribi_micro_element_set(void *data, int32_t kind, int32_t i, int32_t value)
{
    const uint32_t bits = (uint32_t)value;
    const uint8_t byte = (uint8_t)bits;
    const uint16_t half = (uint16_t)bits;
    switch (kind) {
    case ORIBI_MICRO_S8:
    case ORIBI_MICRO_U8:
        ((uint8_t *)data)[i] = byte;
        break;
    case ORIBI_MICRO_S16:
        (void)memcpy((uint8_t *)data + 2U * (size_t)i, &half, 2U);
        break;
    default:
        ((int32_t *)data)[i] = value;
        break;
    }
}
static inline void oribi_micro_element_set_wide(void *data, int32_t kind, int32_t i, int64_t value)
{
    const uint32_t low = (uint32_t)(uint64_t)value;
    int32_t narrow;
    if (kind == ORIBI_MICRO_S64) {
        ((int64_t *)data)[i] = value;
        return;
    }
    (void)memcpy(&narrow, &low, sizeof narrow);
    oribi_micro_element_set(data, kind, i, narrow);
}

#endif
