/* SPDX-License-Identifier: Apache-2.0 */
/* Derives the arguments of fully_connected_s8: one multiplier by way of float32, or one per channel
 * in double; folded biases.
 */
#include "micro/dense/fully_connected_s8_prepare.h"

#include <stddef.h>

/* TensorFlow multiplies the scales of input and filter as float32 when there is one scale. */
static double real_multiplier(const struct oribi_micro_fully_connected_s8_spec *s, int32_t channel)
{
    const float filter = s->filter_scales[channel];
    if (s->n_filter_scales == 1) {
        const float product = s->input.scale * filter;
        return (double)product / (double)s->output.scale;
    }
    return (double)s->input.scale * (double)filter / (double)s->output.scale;
}

int32_t
oribi_micro_fully_connected_s8_resize(const struct oribi_micro_fully_connected_s8_spec *spec,
                                      int32_t rows,
                                      struct oribi_micro_fully_connected_s8_args *args)
{
    const int32_t in[2] = {rows, spec->in_c}, out[2] = {rows, spec->out_c};
    int32_t bytes;
    int32_t code = oribi_micro_product(in, 2, &bytes);
    code = code != ORIBI_MICRO_OK ? code : oribi_micro_product(out, 2, &bytes);
    if (code == ORIBI_MICRO_OK) {
        args->rows = rows;
    }
    return code;
}

int32_t
oribi_micro_fully_connected_s8_prepare(const struct oribi_micro_fully_connected_s8_spec *spec,
                                       struct oribi_micro_fully_connected_s8_args *args,
                                       int32_t *bias, int32_t *multiplier, int32_t *shift)
{
    const struct oribi_micro_fully_connected_s8_spec *s = spec;
    const int32_t sizes[2] = {s->in_c, s->out_c};
    int32_t weights;
    int32_t code = oribi_micro_product(sizes, 2, &weights);
    if (code == ORIBI_MICRO_OK && (oribi_micro_check_s8(s->input) != ORIBI_MICRO_OK ||
                                   (s->n_filter_scales != 1 && s->n_filter_scales != s->out_c))) {
        code = ORIBI_MICRO_INVALID;
    }
    code = code != ORIBI_MICRO_OK
               ? code
               : oribi_micro_bounds_s8(s->activation, s->output, &args->low, &args->high);
    for (int32_t c = 0; c < s->n_filter_scales && code == ORIBI_MICRO_OK; c++) {
        code = oribi_micro_multiplier(real_multiplier(s, c), &multiplier[c], &shift[c]);
    }
    for (int32_t c = 0; c < s->out_c && code == ORIBI_MICRO_OK; c++) {
        code = oribi_micro_fold_bias(s->filter + c * s->in_c, s->in_c, 1,
                                     s->bias == NULL ? 0 : s->bias[c], s->input.zero, &bias[c]);
    }
    if (code != ORIBI_MICRO_OK) {
        return code;
    }
    args->filter = s->filter;
    args->bias = bias;
    args->multiplier = multiplier;
    args->shift = shift;
    args->in_c = s->in_c;
    args->out_c = s->out_c;
    args->per_channel = s->n_filter_scales > 1;
    args->output_zero = s->output.zero;
    args->scratch_bytes = 0;
    args->rows = 0;
    return s->rows == 0 ? ORIBI_MICRO_OK : oribi_micro_fully_connected_s8_resize(s, s->rows, args);
}
