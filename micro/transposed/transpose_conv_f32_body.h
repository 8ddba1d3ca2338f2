/* SPDX-License-Identifier: Apache-2.0 */
/* Transposed convolution of float: results that lie a stride apart see the same weights, of inputs
 * that are neighbours, so that two of them are summed at a time, four channels of both. The loops,
 * with ORIBI_MICRO_ADD_F32 as conv2d_f32_body.h has it.
 */
#ifndef ORIBI_MICRO_TRANSPOSE_CONV_F32_BODY_H_
#define ORIBI_MICRO_TRANSPOSE_CONV_F32_BODY_H_

#include "micro/float_rules.h"

#include "micro/port.h"
#include "micro/transposed/transpose_conv_f32.h"

enum { CHANNELS = 4 };

/* Windows of an axis that reach a place: positions from `first` to `last`, not all of them there.
 */
struct reach {
    int32_t first, last;
};

static struct reach reach_of(int32_t place, int32_t stride, int32_t dilation, int32_t taps)
{
    const int32_t begin = place - (taps - 1) * dilation;
    const struct reach r = {begin > 0 ? (begin + stride - 1) / stride : -(-begin / stride),
                            place >= 0 ? place / stride : -1};
    return r;
}

/* The tap of the window at `position` that reaches `place`; -1: it skips it. */
static int32_t tap(int32_t place, int32_t position, int32_t stride, int32_t dilation)
{
    const int32_t offset = place - position * stride;
    return offset % dilation == 0 ? offset / dilation : -1;
}

static void add_two(const float *x, const float *y, const float *w, int32_t n, float *sums)
{
    const float *w0 = w, *w1 = w0 + n, *w2 = w1 + n, *w3 = w2 + n, *const end = w1;
    float a0 = sums[0], a1 = sums[1], a2 = sums[2], a3 = sums[3];
    float b0 = sums[4], b1 = sums[5], b2 = sums[6], b3 = sums[7];
    while (w0 != end) {
        const float a = *x++, b = *y++;
        float weight = *w0++;
        a0 = ORIBI_MICRO_ADD_F32(a0, a, weight);
        b0 = ORIBI_MICRO_ADD_F32(b0, b, weight);
        weight = *w1++;
        a1 = ORIBI_MICRO_ADD_F32(a1, a, weight);
        b1 = ORIBI_MICRO_ADD_F32(b1, b, weight);
        weight = *w2++;
        a2 = ORIBI_MICRO_ADD_F32(a2, a, weight);
        b2 = ORIBI_MICRO_ADD_F32(b2, b, weight);
        weight = *w3++;
        a3 = ORIBI_MICRO_ADD_F32(a3, a, weight);
        b3 = ORIBI_MICRO_ADD_F32(b3, b, weight);
    }
    sums[0] = a0;
    sums[1] = a1;
    sums[2] = a2;
    sums[3] = a3;
    sums[4] = b0;
    sums[5] = b1;
    sums[6] = b2;
    sums[7] = b3;
}

static void add_one(const float *x, const float *w, int32_t n, int32_t channels, float *sums)
{
    for (int32_t c = 0; c < channels; c++) {
        float sum = sums[c];
        for (int32_t d = 0; d < n; d++) {
            sum = ORIBI_MICRO_ADD_F32(sum, x[d], *w++);
        }
        sums[c] = sum;
    }
}

/* What a row of the input adds to the results at x and, of `count` 2, a stride behind it. filter
 * begins with the first of the channels. */
static void add_row(const struct oribi_micro_transpose_conv_f32_args *a, const float *filter,
                    const float *row, int32_t x, int32_t count, int32_t channels, float *sums)
{
    const struct reach r = reach_of(x, a->stride_w, a->dilation_w, a->filter_w);
    for (int32_t j = r.first; j <= r.last; j++) {
        const int32_t column = tap(x, j, a->stride_w, a->dilation_w);
        const int32_t has_first = j >= 0 && j < a->in_w;
        const int32_t has_second = count > 1 && j + 1 >= 0 && j + 1 < a->in_w;
        if (column < 0 || (has_first == 0 && has_second == 0)) {
            continue;
        }
        const float *weights = filter + column * a->out_c * a->in_c;
        if (has_first != 0 && has_second != 0 && channels == CHANNELS) {
            const float *at = row + j * a->in_c;
            add_two(at, at + a->in_c, weights, a->in_c, sums);
            continue;
        }
        if (has_first != 0) {
            add_one(row + j * a->in_c, weights, a->in_c, channels, sums);
        }
        if (has_second != 0) {
            add_one(row + (j + 1) * a->in_c, weights, a->in_c, channels, sums + CHANNELS);
        }
    }
}

/* The results at x and, of `count` 2, a stride behind it. */
static void results(const struct oribi_micro_transpose_conv_f32_args *a, const float *filter,
                    const float *image, int32_t y, int32_t x, int32_t count, float *output)
{
    const struct reach r = reach_of(y, a->stride_h, a->dilation_h, a->filter_h);
    const int32_t last = r.last < a->in_h ? r.last : a->in_h - 1;
    for (int32_t c = 0; c < a->out_c; c += CHANNELS) {
        const int32_t channels = a->out_c - c < CHANNELS ? a->out_c - c : CHANNELS;
        float sums[2 * CHANNELS] = {0};
        for (int32_t i = r.first > 0 ? r.first : 0; i <= last; i++) {
            const int32_t row = tap(y, i, a->stride_h, a->dilation_h);
            if (row >= 0) {
                add_row(a, filter + (row * a->filter_w * a->out_c + c) * a->in_c,
                        image + i * a->in_w * a->in_c, x, count, channels, sums);
            }
        }
        for (int32_t k = 0; k < channels; k++) {
            output[c + k] = sums[k];
            if (count > 1) {
                output[a->stride_w * a->out_c + c + k] = sums[CHANNELS + k];
            }
        }
    }
}

static void transpose_conv(const struct oribi_micro_transpose_conv_f32_args *a, const float *filter,
                           const float *input, float *output)
{
    for (int32_t row = 0; row < a->batch * a->out_h; row++) {
        const float *image = input + row / a->out_h * (a->in_h * a->in_w * a->in_c);
        const int32_t y = row % a->out_h + a->before_h;
        TVMGEN_YIELD();
        for (int32_t first = 0; first < a->stride_w && first < a->out_w; first++) {
            for (int32_t x = first; x < a->out_w; x += 2 * a->stride_w) {
                results(a, filter, image, y, x + a->before_w, x + a->stride_w < a->out_w ? 2 : 1,
                        output + (row * a->out_w + x) * a->out_c);
            }
        }
    }
}

#endif
