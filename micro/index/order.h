/* SPDX-License-Identifier: Apache-2.0 */
/* The order of elements of any kind. Part of the kernels that rank. */
#ifndef ORIBI_MICRO_ORDER_H_
#define ORIBI_MICRO_ORDER_H_

#include "micro/element.h"

/* Is element a less than element b? False where one is a NaN. */
static inline int32_t oribi_micro_element_less(const void *data, int32_t kind, int32_t a, int32_t b)
{
    switch (kind) {
    case ORIBI_MICRO_F32:
        return ((const float *)data)[a] < ((const float *)data)[b] ? 1 : 0;
    case ORIBI_MICRO_F64:
        return ((const double *)data)[a] < ((const double *)data)[b] ? 1 : 0;
    case ORIBI_MICRO_S64:
        return ((const int64_t *)data)[a] < ((const int64_t *)data)[b] ? 1 : 0;
    default:
        return oribi_micro_element_get(data, kind, a) < oribi_micro_element_get(data, kind, b) ? 1
                                                                                               : 0;
    }
}

#endif
