/* SPDX-License-Identifier: Apache-2.0 */
/* Products of a matrix and a vector of float by fused multiply-add. */
#include "micro/float_rules.h"

#include "micro/fma/dots_fma_f32.h"
#include "micro/fma/fma_f32.h"

#define ORIBI_MICRO_ADD_F32(sum, x, weight) oribi_micro_fused_f32(sum, x, weight)
#define ORIBI_MICRO_ADD_VFP                 ORIBI_MICRO_VFP_FUSED
#define ORIBI_MICRO_ADD_MVE                 ORIBI_MICRO_MVE_FUSED
#include "micro/recurrent/dots_f32_body.h"

void oribi_micro_dots_fma_f32(const float *w, const float *x, int32_t rows, int32_t n, float *sums)
{
    add_dots(w, x, rows, n, sums);
}
