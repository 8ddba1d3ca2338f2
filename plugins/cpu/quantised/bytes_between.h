/* SPDX-License-Identifier: Apache-2.0 */
/* Bytes that become bytes: sums, products and maxima of ONNX's quantised tensors in loops that
 * compilers make vectors of, bit for bit micro/'s. Part of bytes_loops.h.
 */
#ifndef ORIBI_PLUGINS_CPU_BYTES_BETWEEN_H_
#define ORIBI_PLUGINS_CPU_BYTES_BETWEEN_H_

#include "micro/float_rules.h"

#include <math.h>
#include <stdbool.h>
#include <string.h>

#include "cpu/base/families.h"

#include "micro/elementwise/qlinear_binary.h"
#include "micro/pool/qlinear_pool.h"

/* oribi_micro_qlinear_shifted_byte */
static inline uint8_t shifted_byte(float value, float low, float high)
{
    value = value > low ? value : low;
    value = value < high ? value : high;
    return (uint8_t)(int32_t)rintf(value);
}

static inline int32_t number_at(const uint8_t *from, int32_t i, uint32_t flip)
{
    return (int32_t)(from[i] ^ flip) - (int32_t)flip;
}

/* A row of results. A step is 0, where one byte is for all of them, or 1; steps and what is
 * computed are constants where this is inlined. The result may be in the memory of an input. */
static inline void pair_line(const struct oribi_micro_qlinear_binary_args *p, bool is_product,
                             const uint8_t *a, int32_t a_step, const uint8_t *b, int32_t b_step,
                             int32_t n, uint8_t *to)
{
    const uint32_t a_flip = p->a_signed != 0 ? 128U : 0U, b_flip = p->b_signed != 0 ? 128U : 0U;
    const float offset = p->offset, a_ratio = p->a_ratio, b_ratio = p->b_ratio;
    const float low = (float)p->low, high = (float)p->high;
    const int32_t a_zero = p->a_zero, b_zero = p->b_zero;
    const int32_t one_a = number_at(a, 0, a_flip), one_b = number_at(b, 0, b_flip);
    ORIBI_CPU_NO_ALIAS
    for (int32_t i = 0; i < n; i++) {
        const int32_t x = a_step == 0 ? one_a : number_at(a, i, a_flip);
        const int32_t y = b_step == 0 ? one_b : number_at(b, i, b_flip);
        const float value = is_product ? (float)((x - a_zero) * (y - b_zero)) * a_ratio + offset
                                       : (offset + (float)x * a_ratio) + (float)y * b_ratio;
        to[i] = shifted_byte(value, low, high);
    }
}

static inline void pair_rows(const struct oribi_micro_qlinear_binary_args *p, bool is_product,
                             const uint8_t *a, const uint8_t *b, uint8_t *to)
{
    struct oribi_micro_broadcast_walk walk = {{0}, 0, 0};
    const int32_t last = p->shape.rank - 1, n = p->shape.dims[last];
    do {
        if (p->shape.a_step[last] == 0) {
            pair_line(p, is_product, a + walk.a, 0, b + walk.b, 1, n, to);
        } else if (p->shape.b_step[last] == 0) {
            pair_line(p, is_product, a + walk.a, 1, b + walk.b, 0, n, to);
        } else {
            pair_line(p, is_product, a + walk.a, 1, b + walk.b, 1, n, to);
        }
        to += n;
    } while (oribi_micro_broadcast_next(&p->shape, &walk));
}

static void add_pairs(const struct oribi_micro_qlinear_binary_args *args, const void *a,
                      const void *b, void *output)
{
    pair_rows(args, false, a, b, output);
}

static void mul_pairs(const struct oribi_micro_qlinear_binary_args *args, const void *a,
                      const void *b, void *output)
{
    pair_rows(args, true, a, b, output);
}

/* --- Maxima ---------------------------------------------------------------------------------- */

static void max_line(const uint8_t *restrict from, int32_t n, uint32_t flip, uint8_t *restrict to)
{
    for (int32_t i = 0; i < n; i++) {
        const uint8_t x = (uint8_t)(from[i] ^ flip);
        to[i] = x > to[i] ? x : to[i];
    }
}

static void flip_line(int32_t n, uint32_t flip, uint8_t *to)
{
    for (int32_t i = 0; i < n; i++) {
        to[i] = (uint8_t)(to[i] ^ flip);
    }
}

static void max_pool(const struct oribi_micro_qlinear_pool_args *args, const void *input,
                     void *output)
{
    const struct oribi_micro_qlinear_pool_args *a = args;
    const uint32_t flip = a->is_signed != 0 ? 128U : 0U;
    const int64_t channels = a->channels, pixels = (int64_t)a->out_h * a->out_w;
    uint8_t *to = output;
    for (int64_t at = 0; at < a->batch * pixels; at++, to += channels) {
        const uint8_t *image = (const uint8_t *)input + at / pixels * a->in_h * a->in_w * channels;
        const struct oribi_micro_pool_window w = oribi_micro_qlinear_pool_window(
            a, (int32_t)(at % pixels / a->out_w), (int32_t)(at % a->out_w));
        memset(to, 0, (size_t)channels);
        for (int32_t y = w.top; y < w.bottom; y++) {
            for (int32_t x = w.left; x < w.right; x++) {
                max_line(image + ((int64_t)y * a->in_w + x) * channels, a->channels, flip, to);
            }
        }
        if (flip != 0) {
            flip_line(a->channels, flip, to);
        }
    }
}

#endif
