/* SPDX-License-Identifier: Apache-2.0 */
/* ONNX's quantised convolution, a block of result channels at a time. Sums wrap, so that zero
 * points of the filter may be taken off at the end: the sum of x * (w - zero) is that of x * w less
 * zero times that of x.
 */
#include "micro/float_rules.h"

#include <stddef.h>

#include "micro/port.h"
#include "micro/conv/qlinear_conv2d.h"

enum { BLOCK = 8 };

struct block { /* result channels [first, first + count) of one group, at one pixel */
    int32_t first, count;
    uint32_t sums[BLOCK]; /* of x * w with the top bit of an int8 turned */
    uint32_t inputs;      /* sum of x, of all channels; none of a depthwise layer */
};

/* One tap: `depth` inputs, each of which goes to every channel of the block. */
static void add_tap(const struct oribi_micro_qlinear_conv2d_args *a, const uint8_t *pixel,
                    const uint8_t *filter, int32_t depth, struct block *b)
{
    const uint32_t flip = a->filter_signed != 0 ? 128U : 0U;
    for (int32_t d = 0; d < depth; d++) {
        const uint32_t x =
            (uint32_t)(oribi_micro_qlinear_get(pixel, d, a->input_signed) - a->input_zero);
        b->inputs += x;
        if (b->count == BLOCK) {
            for (int32_t c = 0; c < BLOCK; c++) {
                b->sums[c] += x * (filter[c] ^ flip);
            }
        } else {
            for (int32_t c = 0; c < b->count; c++) {
                b->sums[c] += x * (filter[c] ^ flip);
            }
        }
        filter += a->out_c;
    }
}

/* One tap of a layer that has a result for each channel of its own: each sum has its input. */
static void add_depthwise_tap(const struct oribi_micro_qlinear_conv2d_args *a, const uint8_t *pixel,
                              const uint8_t *filter, const int32_t *zeros, struct block *b)
{
    for (int32_t c = 0; c < b->count; c++) {
        const int32_t x = oribi_micro_qlinear_get(pixel, c, a->input_signed) - a->input_zero;
        const int32_t zero = zeros != NULL ? zeros[c] : 0;
        const int32_t w = oribi_micro_qlinear_get(filter, c, a->filter_signed) - zero;
        b->sums[c] += (uint32_t)x * (uint32_t)w;
    }
}

/* The sums of a block over the window whose corner is (y, x). */
static void add_window(const struct oribi_micro_qlinear_conv2d_args *a, const uint8_t *image,
                       const uint8_t *filter, const int32_t *zeros, int32_t y, int32_t x,
                       struct block *b)
{
    const int32_t depth = a->in_c / a->groups, each = a->out_c / a->groups;
    const int32_t is_depthwise = depth == 1 && each == 1;
    const int32_t from = is_depthwise ? b->first : b->first / each * depth;
    for (int32_t i = 0; i < a->filter_h; i++) {
        const int32_t row = y + i * a->dilation_h;
        for (int32_t j = 0; row >= 0 && row < a->in_h && j < a->filter_w; j++) {
            const int32_t column = x + j * a->dilation_w;
            const uint8_t *w = filter + (i * a->filter_w + j) * depth * a->out_c + b->first;
            if (column < 0 || column >= a->in_w) {
                continue;
            }
            const uint8_t *pixel = image + (row * a->in_w + column) * a->in_c + from;
            if (is_depthwise != 0) {
                add_depthwise_tap(a, pixel, w, zeros != NULL ? zeros + b->first : NULL, b);
            } else {
                add_tap(a, pixel, w, depth, b);
            }
        }
    }
}

/* How many channels from `first` on go together: of one group, or each by itself. */
static int32_t block_size(const struct oribi_micro_qlinear_conv2d_args *a, int32_t first)
{
    const int32_t each = a->out_c / a->groups;
    const int32_t is_depthwise = a->in_c == a->groups && each == 1;
    const int32_t left = is_depthwise ? a->out_c - first : each - first % each;
    return left < BLOCK ? left : BLOCK;
}

void oribi_micro_qlinear_conv2d(const struct oribi_micro_qlinear_conv2d_args *args,
                                const void *input, const void *filter, const int32_t *bias,
                                const int32_t *filter_zeros, const float *multipliers, void *output)
{
    const struct oribi_micro_qlinear_conv2d_args *a = args;
    const uint32_t flip = a->filter_signed != 0 ? 128U : 0U;
    int32_t at = 0;
    for (int32_t line = 0; line < a->batch * a->out_h; line++) {
        const uint8_t *image =
            (const uint8_t *)input + line / a->out_h * a->in_h * a->in_w * a->in_c;
        const int32_t y = line % a->out_h * a->stride_h - a->before_h;
        for (int32_t x = 0; x < a->out_w; x++) {
            TVMGEN_YIELD();
            for (int32_t c = 0; c < a->out_c;) {
                struct block b = {c, block_size(a, c), {0}, 0};
                add_window(a, image, (const uint8_t *)filter, filter_zeros, y,
                           x * a->stride_w - a->before_w, &b);
                for (int32_t k = 0; k < b.count; k++, c++) {
                    const uint32_t zero = filter_zeros != NULL ? (uint32_t)filter_zeros[c] : 0U;
                    const uint32_t more = bias != NULL ? (uint32_t)bias[c] : 0U;
                    const uint32_t sum = b.sums[k] - b.inputs * (zero + flip) + more;
                    oribi_micro_qlinear_store(output, at++, a->output, (int32_t)sum, multipliers[c],
                                              a->output_zero, a->low, a->high);
                }
            }
        }
    }
}
