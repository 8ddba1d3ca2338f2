/* SPDX-License-Identifier: Apache-2.0 */
/* Derives the arguments of rectifiers with slopes: scales are divided in double for TensorFlow Lite
 * Micro, in float32 for TensorFlow Lite.
 */
#include "micro/elementwise/prelu_q_prepare.h"

#include "micro/broadcast_prepare.h"
#include "micro/element.h"

static int32_t slope_kind(const struct oribi_micro_prelu_q_spec *s)
{
    return s->kind == ORIBI_MICRO_S16 ? ORIBI_MICRO_S8 : s->kind;
}

static int32_t check(const struct oribi_micro_prelu_q_spec *s, struct oribi_micro_broadcast *shape)
{
    int32_t code = oribi_micro_check(s->kind, s->input);
    code = code != ORIBI_MICRO_OK ? code : oribi_micro_check(slope_kind(s), s->slope);
    code = code != ORIBI_MICRO_OK ? code : oribi_micro_check(s->kind, s->output);
    for (int32_t i = 0; code == ORIBI_MICRO_OK && i < s->slope_rank; i++) {
        const int32_t at = s->rank - 1 - i;
        const int32_t slope = s->slope_dims[s->slope_rank - 1 - i];
        code = slope == 1 || (at >= 0 && slope == s->dims[at]) ? code : ORIBI_MICRO_INVALID;
    }
    return code != ORIBI_MICRO_OK ? code
                                  : oribi_micro_broadcast_resolve(s->dims, s->rank, s->slope_dims,
                                                                  s->slope_rank, shape);
}

int32_t oribi_micro_prelu_q_prepare(const struct oribi_micro_prelu_q_spec *spec,
                                    struct oribi_micro_prelu_q_args *args)
{
    const struct oribi_micro_prelu_q_spec *s = spec;
    const float ratio = s->input.scale / s->output.scale;
    const float slope_ratio = s->input.scale * s->slope.scale / s->output.scale;
    const double out = (double)s->output.scale;
    const int32_t in_float = s->variant == ORIBI_MICRO_TFLITE || s->kind != ORIBI_MICRO_S8;
    const double positive = in_float ? (double)ratio : (double)s->input.scale / out;
    const double negative =
        in_float ? (double)slope_ratio : (double)s->input.scale * (double)s->slope.scale / out;
    int32_t code = check(s, &args->shape);
    code = code != ORIBI_MICRO_OK
               ? code
               : oribi_micro_bounds(s->kind, ORIBI_MICRO_NONE, s->output, &args->low, &args->high);
    code = code != ORIBI_MICRO_OK ? code
                                  : oribi_micro_multiplier(positive, &args->positive_multiplier,
                                                           &args->positive_shift);
    code = code != ORIBI_MICRO_OK ? code
                                  : oribi_micro_multiplier(negative, &args->negative_multiplier,
                                                           &args->negative_shift);
    args->kind = s->kind;
    args->slope_kind = slope_kind(s);
    args->input_zero = s->input.zero;
    args->slope_zero = s->slope.zero;
    args->output_zero = s->output.zero;
    return code;
}
