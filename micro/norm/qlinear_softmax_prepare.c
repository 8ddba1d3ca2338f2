/* SPDX-License-Identifier: Apache-2.0 */
/* The source scales its exponentials by what keeps a sum of them below the largest float; only
 * quotients reach the result.
 */
#include "micro/float_rules.h"

#include "micro/norm/qlinear_softmax_prepare.h"

#include <float.h>
#include <math.h>

#include "micro/math_f64.h"

int32_t oribi_micro_qlinear_softmax_prepare(float input_scale, float output_scale, int32_t columns,
                                            float table[256], float *out_steps)
{
    double reserve = 5.0; /* the source's, as a logarithm */
    if (!isfinite(input_scale) || !(input_scale > 0.0F) || columns < 1 ||
        !(output_scale >= FLT_MIN && output_scale <= 1.0F)) {
        return ORIBI_MICRO_INVALID;
    }
    /* More than the source has where a share times the steps would overflow. */
    *out_steps = floorf(1.0F / output_scale);
    const double steps = oribi_micro_log_f64((double)*out_steps / (double)columns) + 0.01;
    reserve = steps > reserve ? steps : reserve;
    const float largest = FLT_MAX / (float)columns;
    const double scale = (double)input_scale;
    double shift = (double)(float)oribi_micro_log_f64((double)largest) - reserve;
    shift = (shift > 0.0 ? shift : 0.0) / scale;
    for (int32_t i = 0; i < 256; i++) {
        const double x = ((double)i - 255.0 + shift) * scale;
        table[i] = x < -150.0 ? 0.0F : (float)oribi_micro_exp_f64(x);
    }
    return ORIBI_MICRO_OK;
}
