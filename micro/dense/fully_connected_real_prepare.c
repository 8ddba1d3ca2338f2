/* SPDX-License-Identifier: Apache-2.0 */
/* Derives the arguments of fully_connected_real: scales in double; folded biases of int8. */
#include "micro/dense/fully_connected_real_prepare.h"

#include "micro/element.h"

static int32_t check(const struct oribi_micro_fully_connected_real_spec *s)
{
    /* twice: elements may have two bytes */
    const int32_t weights[2] = {s->out_c, s->in_c}, in[3] = {2, s->rows, s->in_c},
                  out[3] = {2, s->rows, s->out_c};
    const int kinds =
        s->kind == ORIBI_MICRO_U8
            ? s->filter_kind == ORIBI_MICRO_U8 && s->filter_zero >= 0 && s->filter_zero <= 255
            : s->filter_kind == ORIBI_MICRO_S8 && s->filter_zero == 0;
    const int fits = kinds && oribi_micro_check(s->kind, s->input) == ORIBI_MICRO_OK &&
                     (s->bias_kind == ORIBI_MICRO_S32 ||
                      (s->bias_kind == ORIBI_MICRO_S64 && s->kind == ORIBI_MICRO_S16)) &&
                     (s->n_filter_scales == 1 || s->n_filter_scales == s->out_c);
    int32_t count;
    int32_t code = fits ? ORIBI_MICRO_OK : ORIBI_MICRO_INVALID;
    code = code != ORIBI_MICRO_OK ? code : oribi_micro_product(weights, 2, &count);
    code = code != ORIBI_MICRO_OK ? code : oribi_micro_product(in, 3, &count);
    return code != ORIBI_MICRO_OK ? code : oribi_micro_product(out, 3, &count);
}

/* Sums of int16 must stay below 2^53, where doubles have all integers; others fit int32. */
static int32_t check_reach(const struct oribi_micro_fully_connected_real_spec *s, int64_t bias)
{
    const int64_t limit = s->bias_kind == ORIBI_MICRO_S64 ? INT64_C(1) << 52 : INT32_MAX;
    const int64_t reach = (int64_t)s->in_c * (s->kind == ORIBI_MICRO_S16 ? 32768 * 128 : 255 * 255);
    return reach <= limit && bias <= limit - reach && bias >= reach - limit ? ORIBI_MICRO_OK
                                                                            : ORIBI_MICRO_OVERFLOW;
}

int32_t
oribi_micro_fully_connected_real_prepare(const struct oribi_micro_fully_connected_real_spec *spec,
                                         struct oribi_micro_fully_connected_real_args *args,
                                         int32_t *folded, double *scale)
{
    const struct oribi_micro_fully_connected_real_spec *s = spec;
    const int folds = s->kind == ORIBI_MICRO_S8;
    int32_t code = check(s);
    code = code != ORIBI_MICRO_OK
               ? code
               : oribi_micro_bounds(s->kind, s->activation, s->output, &args->low, &args->high);
    for (int32_t c = 0; c < s->out_c && code == ORIBI_MICRO_OK; c++) {
        const int64_t bias = oribi_micro_element_get_wide(s->bias, s->bias_kind, c);
        code = folds ? oribi_micro_fold_bias((const int8_t *)s->filter + c * s->in_c, s->in_c, 1,
                                             (int32_t)bias, s->input.zero, &folded[c])
                     : check_reach(s, bias);
    }
    if (code != ORIBI_MICRO_OK) {
        return code;
    }
    for (int32_t c = 0; c < s->n_filter_scales; c++) {
        scale[c] = (double)s->input.scale * (double)s->filter_scales[c] / (double)s->output.scale;
    }
    *args = (struct oribi_micro_fully_connected_real_args){.filter = s->filter,
                                                           .bias = folds ? folded : s->bias,
                                                           .bias_kind = s->bias_kind,
                                                           .scale = scale,
                                                           .kind = s->kind,
                                                           .filter_kind = s->filter_kind,
                                                           .rows = s->rows,
                                                           .in_c = s->in_c,
                                                           .out_c = s->out_c,
                                                           .per_channel = s->n_filter_scales > 1,
                                                           .input_zero = s->input.zero,
                                                           .filter_zero = s->filter_zero,
                                                           .output_zero = s->output.zero,
                                                           .low = args->low,
                                                           .high = args->high};
    return ORIBI_MICRO_OK;
}
