/* SPDX-License-Identifier: Apache-2.0 */
/* Factors of a batch normalisation. */
#include "micro/float_rules.h"

#include "micro/norm/batch_norm_f32_prepare.h"
#include "micro/math_f32.h"

void oribi_micro_batch_norm_f32_factor(const float *scale, const float *variance, float epsilon,
                                       int32_t channels, float *factor)
{
    for (int32_t c = 0; c < channels; c++) {
        factor[c] = scale[c] / oribi_micro_sqrt(variance[c] + epsilon);
    }
}
