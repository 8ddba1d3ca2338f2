/* SPDX-License-Identifier: Apache-2.0 */
/* Derives the arguments of the pools: padding and bounds. */
#include "micro/pool/pool_q_prepare.h"

#include "micro/element.h"

int32_t oribi_micro_pool_q_prepare(const struct oribi_micro_pool_q_spec *spec,
                                   struct oribi_micro_pool_q_args *args)
{
    const struct oribi_micro_pool_q_spec *s = spec;
    struct oribi_micro_axis y = {s->in_h, s->filter_h, s->stride_h, 1, 0, s->pads[0], s->pads[1]};
    struct oribi_micro_axis x = {s->in_w, s->filter_w, s->stride_w, 1, 0, s->pads[2], s->pads[3]};
    int32_t code = oribi_micro_window_resolve(&y, &x, s->channels, s->padding);
    code = code != ORIBI_MICRO_OK
               ? code
               : oribi_micro_bounds(s->kind, s->activation, s->output, &args->low, &args->high);
    const int32_t values = s->kind == ORIBI_MICRO_S16 ? 1 << 16 : 1 << 8;
    const int32_t bytes = s->kind == ORIBI_MICRO_S16 ? 2 : 1;
    const int32_t in[5] = {bytes, s->batch, s->in_h, s->in_w, s->channels};
    const int32_t out[5] = {bytes, s->batch, y.out, x.out, s->channels};
    const int32_t window[3] = {s->filter_h, s->filter_w, values}; /* a sum fits int32 */
    int32_t product;
    code = code != ORIBI_MICRO_OK ? code : oribi_micro_product(in, 5, &product);
    code = code != ORIBI_MICRO_OK ? code : oribi_micro_product(out, 5, &product);
    code = code != ORIBI_MICRO_OK ? code : oribi_micro_product(window, 3, &product);
    if (code != ORIBI_MICRO_OK) {
        return code;
    }
    args->kind = s->kind;
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
