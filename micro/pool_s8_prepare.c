/* SPDX-License-Identifier: Apache-2.0 */
/* Derives the arguments of the pools: padding and bounds. */
#include "micro/pool_s8_prepare.h"

int32_t oribi_micro_pool_s8_prepare(const struct oribi_micro_pool_s8_spec *spec,
                                    struct oribi_micro_pool_s8_args *args)
{
    const struct oribi_micro_pool_s8_spec *s = spec;
    struct oribi_micro_axis y = {s->in_h, s->filter_h, s->stride_h, 1, 0, 0};
    struct oribi_micro_axis x = {s->in_w, s->filter_w, s->stride_w, 1, 0, 0};
    int32_t code = oribi_micro_axis_resolve(&y, s->padding);
    code = code != ORIBI_MICRO_OK ? code : oribi_micro_axis_resolve(&x, s->padding);
    code = code != ORIBI_MICRO_OK
               ? code
               : oribi_micro_bounds_s8(s->activation, s->output, &args->low, &args->high);
    const int32_t in[4] = {s->batch, s->in_h, s->in_w, s->channels};
    const int32_t out[4] = {s->batch, y.out, x.out, s->channels};
    const int32_t window[3] = {s->filter_h, s->filter_w, 256}; /* a sum of int8 fits int32 */
    int32_t product;
    code = code != ORIBI_MICRO_OK ? code : oribi_micro_product(in, 4, &product);
    code = code != ORIBI_MICRO_OK ? code : oribi_micro_product(out, 4, &product);
    code = code != ORIBI_MICRO_OK ? code : oribi_micro_product(window, 3, &product);
    if (code != ORIBI_MICRO_OK) {
        return code;
    }
    args->batch = s->batch;
    args->in_h = s->in_h;
    args->in_w = s->in_w;
    args->channels = s->channels;
    args->out_h = y.out;
    args->out_w = x.out;
    args->filter_h = s->filter_h;
    args->filter_w = s->filter_w;
    args->stride_h = s->stride_h;
    args->stride_w = s->stride_w;
    args->before_h = y.before;
    args->before_w = x.before;
    args->scratch_bytes = 0;
    return ORIBI_MICRO_OK;
}
