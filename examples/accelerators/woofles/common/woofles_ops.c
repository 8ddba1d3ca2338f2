/* SPDX-License-Identifier: Apache-2.0 */
/* The operators of a woofles: plain loops, one output at a time. Everything that params say is
 * checked against the tensors before it is used. */
#include <string.h>

#include "tvm/runtime/device.h"
#include "woofles_device.h"
#include "tvm/device/woofles/params.h"

typedef struct conv {
    struct woofles_conv p;
    const uint8_t *bias, *multiplier, *shift; /* little-endian words, perhaps unaligned */
    const int8_t *weights;
    const int8_t *in;
    int8_t *out;
} conv;

static int32_t word(const uint8_t *words, int32_t index)
{
    int32_t value;
    memcpy(&value, words + 4 * index, 4);
    return value;
}

/* round(a * b / 2^31), ties away from zero, saturated. */
static int32_t multiply_high(int32_t a, int32_t b)
{
    if (a == INT32_MIN && b == INT32_MIN) {
        return INT32_MAX;
    }
    const int64_t product = (int64_t)a * b;
    const int64_t nudge = product >= 0 ? (int64_t)1 << 30 : 1 - ((int64_t)1 << 30);
    return (int32_t)((product + nudge) / ((int64_t)1 << 31));
}

/* round(a / 2^n), ties away from zero. */
static int32_t divide_by_power(int32_t a, int32_t n)
{
    const int64_t half = n > 0 ? (int64_t)1 << (n - 1) : 0;
    const int64_t magnitude = a < 0 ? -(int64_t)a : a;
    const int64_t rounded = (magnitude + half) >> n;
    return (int32_t)(a < 0 ? -rounded : rounded);
}

static int8_t result(const conv *c, int32_t channel, int64_t sum)
{
    const int32_t shift = word(c->shift, channel);
    const int32_t left = shift > 0 ? shift : 0, right = shift > 0 ? 0 : -shift;
    const int32_t acc = (int32_t)(uint32_t)((uint64_t)sum << left);
    int64_t value = divide_by_power(multiply_high(acc, word(c->multiplier, channel)), right);
    value += c->p.output_zero;
    value = value < c->p.low ? c->p.low : value > c->p.high ? c->p.high : value;
    return (int8_t)value;
}

/* The input under tap (i, j) of output (y, x), as a distance from its zero point; 0 outside. */
static int32_t input_at(const conv *c, int32_t b, int32_t y, int32_t x, int32_t channel)
{
    const struct woofles_conv *p = &c->p;
    if (y < 0 || y >= p->in_h || x < 0 || x >= p->in_w) {
        return 0;
    }
    return c->in[((b * p->in_h + y) * p->in_w + x) * p->in_c + channel] - p->input_zero;
}

static int64_t sum_of(const conv *c, int32_t b, int32_t y, int32_t x, int32_t channel)
{
    const struct woofles_conv *p = &c->p;
    int64_t sum = word(c->bias, channel);
    for (int32_t i = 0; i < p->filter_h; i++) {
        for (int32_t j = 0; j < p->filter_w; j++) {
            const int32_t row = y * p->stride_h - p->before_h + i * p->dilation_h;
            const int32_t column = x * p->stride_w - p->before_w + j * p->dilation_w;
            if (p->depth_multiplier > 0) {
                sum += (int64_t)input_at(c, b, row, column, channel / p->depth_multiplier) *
                       c->weights[(i * p->filter_w + j) * p->out_c + channel];
                continue;
            }
            for (int32_t k = 0; k < p->in_c; k++) {
                sum += (int64_t)input_at(c, b, row, column, k) *
                       c->weights[((channel * p->filter_h + i) * p->filter_w + j) * p->in_c + k];
            }
        }
    }
    return sum;
}

/* Product of sizes, or -1 when one is not positive or the product passes 2^30. */
static int64_t product(int32_t a, int32_t b, int32_t c, int32_t d)
{
    const int32_t sizes[4] = {a, b, c, d};
    int64_t n = 1;
    for (int32_t i = 0; i < 4; i++) {
        n = sizes[i] > 0 && n > 0 ? n * sizes[i] : -1;
        n = n <= (int64_t)1 << 30 ? n : -1;
    }
    return n;
}

static int32_t is_s8(int32_t value)
{
    return value >= -128 && value <= 127;
}

/* Does the last tap of the last output fit 2^30? */
static int32_t is_near(int32_t outputs, int32_t stride, int32_t taps, int32_t dilation)
{
    return (int64_t)(outputs - 1) * stride + (int64_t)(taps - 1) * dilation <= (int64_t)1 << 30;
}

static int32_t check(uint32_t op, const struct woofles_conv *p, uint32_t params_bytes,
                     const struct woofles_span *in, const struct woofles_span *out)
{
    const int32_t is_depthwise = op == WOOFLES_DEPTHWISE;
    const int64_t weights = product(p->filter_h, p->filter_w, p->out_c, is_depthwise ? 1 : p->in_c);
    const int32_t is_good =
        product(p->batch, p->in_h, p->in_w, p->in_c) == (int64_t)in->bytes &&
        product(p->batch, p->out_h, p->out_w, p->out_c) == (int64_t)out->bytes && weights > 0 &&
        (is_depthwise
             ? p->depth_multiplier > 0 && (int64_t)p->in_c * p->depth_multiplier == p->out_c
             : p->depth_multiplier == 0) &&
        (int64_t)params_bytes == (int64_t)sizeof *p + (int64_t)12 * p->out_c + weights &&
        p->stride_h > 0 && p->stride_w > 0 && p->dilation_h > 0 && p->dilation_w > 0 &&
        p->stride_h < 4096 && p->stride_w < 4096 && p->dilation_h < 4096 && p->dilation_w < 4096 &&
        p->before_h >= 0 && p->before_w >= 0 && p->before_h < 4096 && p->before_w < 4096 &&
        is_near(p->out_h, p->stride_h, p->filter_h, p->dilation_h) &&
        is_near(p->out_w, p->stride_w, p->filter_w, p->dilation_w) && is_s8(p->input_zero) &&
        is_s8(p->output_zero) && is_s8(p->low) && is_s8(p->high) && p->low <= p->high;
    return is_good ? TVM_DEVICE_OK : TVM_DEVICE_E_UNSUPPORTED;
}

static int32_t run_conv(uint32_t op, const uint8_t *params, uint32_t params_bytes,
                        const struct woofles_span *in, const struct woofles_span *out)
{
    conv c;
    if (params_bytes < sizeof c.p) {
        return TVM_DEVICE_E_UNSUPPORTED;
    }
    memcpy(&c.p, params, sizeof c.p);
    const int32_t code = check(op, &c.p, params_bytes, in, out);
    if (code != 0) {
        return code;
    }
    c.bias = params + sizeof c.p;
    c.multiplier = c.bias + 4 * c.p.out_c;
    c.shift = c.multiplier + 4 * c.p.out_c;
    c.weights = (const int8_t *)(c.shift + 4 * c.p.out_c);
    c.in = (const int8_t *)in->data;
    c.out = (int8_t *)out->data;
    for (int32_t i = 0; i < c.p.out_c; i++) {
        if (word(c.shift, i) < -31 || word(c.shift, i) > 30) {
            return TVM_DEVICE_E_UNSUPPORTED;
        }
    }
    for (int32_t b = 0; b < c.p.batch; b++) {
        for (int32_t y = 0; y < c.p.out_h; y++) {
            for (int32_t x = 0; x < c.p.out_w; x++) {
                for (int32_t k = 0; k < c.p.out_c; k++) {
                    *c.out++ = result(&c, k, sum_of(&c, b, y, x, k));
                }
            }
        }
    }
    return TVM_DEVICE_OK;
}

int32_t woofles_compute(uint32_t op, const uint8_t *params, uint32_t params_bytes,
                        const struct woofles_span *inputs, uint32_t n_inputs,
                        const struct woofles_span *outputs, uint32_t n_outputs)
{
    if ((op != WOOFLES_CONV && op != WOOFLES_DEPTHWISE) || n_inputs != 1u || n_outputs != 1u) {
        return TVM_DEVICE_E_UNSUPPORTED;
    }
    return run_conv(op, params, params_bytes, inputs, outputs);
}
