/* SPDX-License-Identifier: Apache-2.0 */
/* Eight sums of products of float. */
#include "micro/float_rules.h"

#include "micro/recurrent/dots_f32.h"

#define ORIBI_MICRO_ADD_F32(sum, x, weight) ((sum) + (x) * (weight))
#include "micro/recurrent/dots_f32_body.h"

void oribi_micro_dots_f32(const float *w, const float *x, int32_t n, float *sums)
{
    add_dots(w, x, n, sums);
}
