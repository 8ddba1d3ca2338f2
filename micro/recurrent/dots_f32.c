/* SPDX-License-Identifier: Apache-2.0 */
/* Products of a matrix and a vector of float. Read next: dots_f32_body.h. */
#include "micro/float_rules.h"

#include "micro/recurrent/dots_f32.h"

#define ORIBI_MICRO_ADD_F32(sum, x, weight) ((sum) + (x) * (weight))
#define ORIBI_MICRO_ADD_VFP                 ORIBI_MICRO_VFP_ROUNDED
#define ORIBI_MICRO_ADD_MVE                 ORIBI_MICRO_MVE_ROUNDED
#include "micro/recurrent/dots_f32_body.h"

void oribi_micro_dots_f32(const float *w, const float *x, int32_t rows, int32_t n, float *sums)
{
    add_dots(w, x, rows, n, sums);
}
