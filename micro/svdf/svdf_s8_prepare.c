/* SPDX-License-Identifier: Apache-2.0 */
/* Derives the arguments of svdf_s8 and svdf_narrow_s8: products and quotients of scales in float32,
 * then double. */
#include "micro/svdf/svdf_s8_prepare.h"

int32_t oribi_micro_svdf_s8_prepare(const struct oribi_micro_svdf_s8_spec *spec,
                                    struct oribi_micro_svdf_s8_args *args)
{
    const struct oribi_micro_svdf_s8_spec *s = spec;
    const int32_t state[3] = {s->batch, s->filters, s->memory};
    const int32_t weights[2] = {s->filters, s->in_c};
    int32_t count;
    int32_t code = oribi_micro_product(state, 3, &count);
    code = code != ORIBI_MICRO_OK ? code : oribi_micro_product(weights, 2, &count);
    if (code != ORIBI_MICRO_OK) {
        return code;
    }
    const int fits = s->state_zero >= INT8_MIN && s->state_zero <= INT8_MAX && s->rank >= 1 &&
                     s->filters % s->rank == 0 && s->feature_scale > 0.0F && s->time_scale > 0.0F &&
                     s->state_scale > 0.0F && oribi_micro_check_s8(s->input) == ORIBI_MICRO_OK &&
                     oribi_micro_check_s8(s->output) == ORIBI_MICRO_OK;
    if (!fits) {
        return ORIBI_MICRO_INVALID;
    }
    args->batch = s->batch;
    args->in_c = s->in_c;
    args->units = s->filters / s->rank;
    args->rank = s->rank;
    args->memory = s->memory;
    args->input_zero = s->input.zero;
    args->output_zero = s->output.zero;
    args->state_zero = s->state_zero;
    const float feature = s->input.scale * s->feature_scale;
    const float feature_real = feature / s->state_scale;
    const float output = s->state_scale * s->time_scale;
    const float output_real = output / s->output.scale;
    code = oribi_micro_multiplier((double)feature_real, &args->feature_multiplier,
                                  &args->feature_shift);
    return code != ORIBI_MICRO_OK
               ? code
               : oribi_micro_multiplier((double)output_real, &args->output_multiplier,
                                        &args->output_shift);
}
