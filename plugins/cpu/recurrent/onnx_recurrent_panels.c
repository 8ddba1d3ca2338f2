/* SPDX-License-Identifier: Apache-2.0 */
/* See onnx_recurrent_fast.h: weights in the panels that the product wants. */
#include "cpu/recurrent/onnx_recurrent_fast.h"

int64_t oribi_recurrent_lines(int64_t floats)
{
    int64_t whole = 0;
    return oribi_count_round_up(floats, ORIBI_RECURRENT_LINE, &whole) ? whole : INT64_MAX / 64;
}

bool oribi_recurrent_count(const oribi_gemm_variant *variant, int64_t gates, int64_t units,
                           int64_t in_c, oribi_recurrent_counts *out)
{
    const bool is_gru = gates == ORIBI_RECURRENT_GRU;
    out->input = oribi_weights_count(variant, 1, in_c, gates * units);
    out->hidden = oribi_weights_count(variant, 1, units, is_gru ? 2 * units : gates * units);
    out->last = is_gru ? oribi_weights_count(variant, 1, units, units) : 0;
    if (out->input < 0 || out->hidden < 0 || out->last < 0) {
        return false;
    }
    out->input = oribi_recurrent_lines(out->input);
    out->hidden = oribi_recurrent_lines(out->hidden);
    out->last = oribi_recurrent_lines(out->last);
    out->each = out->input + out->hidden + out->last;
    return out->each < INT64_MAX / 64;
}

/* Rows [first, first + n) of direction d of w or r, [directions, rows, k]. */
static oribi_gemm_source source_of(const oribi_weights_view *view, int64_t d, int64_t first,
                                   int64_t n)
{
    return (oribi_gemm_source){.data = view->data + d * view->strides.at[0] +
                                       first * view->strides.at[1],
                               .outer = 1,
                               .middle = 1,
                               .inner = view->dims.at[2],
                               .n = n,
                               .inner_stride = view->strides.at[2],
                               .n_stride = view->strides.at[1]};
}

void oribi_recurrent_pack(const oribi_gemm_variant *variant, int64_t gates,
                          const oribi_weights_view *w, const oribi_weights_view *r,
                          const oribi_recurrent_counts *counts, float *out)
{
    const int64_t units = r->dims.at[2], rows = gates * units;
    const int64_t behind = gates == ORIBI_RECURRENT_GRU ? units : 0;
    for (int64_t d = 0; d < w->dims.at[0]; d++, out += counts->each) {
        const oribi_gemm_source input = source_of(w, d, 0, rows);
        const oribi_gemm_source hidden = source_of(r, d, 0, rows - behind);
        const oribi_gemm_source last = source_of(r, d, rows - behind, behind);
        oribi_gemm_pack(variant, &input, out);
        oribi_gemm_pack(variant, &hidden, out + counts->input);
        if (behind > 0) {
            oribi_gemm_pack(variant, &last, out + counts->input + counts->hidden);
        }
    }
}
