/* SPDX-License-Identifier: Apache-2.0 */
/* The newest value that a filter of int8 gives for SVDF, in steps of the state. */
#ifndef ORIBI_MICRO_SVDF_FEATURE_S8_H_
#define ORIBI_MICRO_SVDF_FEATURE_S8_H_

#include "micro/fixed_point.h"

static inline int32_t oribi_micro_svdf_feature_s8(const int8_t *filter, const int8_t *input,
                                                  int32_t n, int32_t zero, int32_t multiplier,
                                                  int32_t shift)
{
    int32_t sum = 0;
    for (int32_t i = 0; i < n; i++) {
        sum += filter[i] * (input[i] - zero);
    }
    return oribi_micro_scale(sum, multiplier, shift);
}

#endif
