/* SPDX-License-Identifier: Apache-2.0 */
/* The machine: it reads a tape and trusts nothing on it. */
#include <string.h>

#include "tape_machine.h"

typedef struct span {
    uint8_t *data;
    uint32_t bytes;
} span;

typedef struct machine {
    const struct tvm_device_call *call;
    uint8_t *memory;
    uint32_t memory_bytes;
} machine;

/* --- Places ----------------------------------------------------------------------------------- */

static int32_t find(const machine *m, const struct tape_place *place, span *out)
{
    const struct tvm_device_call *call = m->call;
    const uint32_t n = (uint32_t)(call->n_inputs + call->n_outputs);
    const uint32_t index = place->base == TAPE_SCRATCH ? n - 1u : place->base - 1u;
    if (index >= n) {
        return TVM_DEVICE_E_RANGE;
    }
    const struct tvm_device_tensor *t = &call->tensors[index]; /* scratch is the last output */
    if (place->at > t->bytes || place->bytes > t->bytes - place->at) {
        return TVM_DEVICE_E_RANGE;
    }
    if (t->data == 0 && (m->memory == 0 || t->device_offset > m->memory_bytes ||
                         t->bytes > m->memory_bytes - t->device_offset)) {
        return TVM_DEVICE_E_RANGE;
    }
    out->data =
        t->data != 0 ? (uint8_t *)t->data + place->at : m->memory + t->device_offset + place->at;
    out->bytes = place->bytes;
    return TVM_DEVICE_OK;
}

/* --- Arithmetic ------------------------------------------------------------------------------- */

/* value * multiplier * 2^(shift - 31), rounded twice, ties away from zero. */
static int32_t scaled(int64_t value, int32_t multiplier, int32_t shift)
{
    const int32_t left = shift > 0 ? shift : 0, right = shift > 0 ? 0 : -shift;
    const int64_t product = (int64_t)(int32_t)(uint32_t)((uint64_t)value << left) * multiplier;
    const int64_t nudge = product >= 0 ? (int64_t)1 << 30 : 1 - ((int64_t)1 << 30);
    const int64_t high = (product + nudge) / ((int64_t)1 << 31);
    const int64_t half = right > 0 ? (int64_t)1 << (right - 1) : 0;
    return (int32_t)(high < 0 ? -((-high + half) >> right) : (high + half) >> right);
}

static int8_t clamped(int32_t value, int32_t low, int32_t high)
{
    return (int8_t)(value < low ? low : value > high ? high : value);
}

/* Products of sizes of at most 2^12 each, so none passes 2^48. */
static int32_t are_sizes(const struct tape_conv *p, span in, span out, uint64_t bytes, int32_t each)
{
    const int32_t *const all = &p->in_h;
    for (int32_t i = 0; i < 14; i++) {
        if (all[i] < (i < 12 ? 1 : 0) || all[i] > 4096) {
            return 0;
        }
    }
    const uint64_t n_in = (uint64_t)p->in_h * (uint64_t)p->in_w * (uint64_t)p->in_c;
    const uint64_t n_out = (uint64_t)p->out_h * (uint64_t)p->out_w * (uint64_t)p->out_c;
    const uint64_t taps = (uint64_t)p->filter_h * (uint64_t)p->filter_w * (uint64_t)p->out_c;
    return n_in == in.bytes && n_out == out.bytes && (each != 0 || p->in_c == p->out_c) &&
           bytes ==
               sizeof *p + 12u * (uint64_t)p->out_c + taps * (uint64_t)(each != 0 ? p->in_c : 1);
}

static int32_t word(const uint8_t *words, int32_t index)
{
    int32_t value;
    memcpy(&value, words + 4 * index, 4);
    return value;
}

static int64_t sum_at(const struct tape_conv *p, const int8_t *in, const int8_t *weights, int32_t y,
                      int32_t x, int32_t k, int32_t each)
{
    int64_t sum = 0;
    for (int32_t i = 0; i < p->filter_h * p->filter_w; i++) {
        const int32_t row = y * p->stride_h - p->before_h + i / p->filter_w * p->dilation_h;
        const int32_t column = x * p->stride_w - p->before_w + i % p->filter_w * p->dilation_w;
        if (row < 0 || row >= p->in_h || column < 0 || column >= p->in_w) {
            continue;
        }
        const int8_t *at = in + (row * p->in_w + column) * p->in_c;
        for (int32_t c = 0; c < p->in_c && each != 0; c++) {
            const int32_t tap = (k * p->filter_h * p->filter_w + i) * p->in_c + c;
            sum += (int64_t)(at[c] - p->in_zero) * weights[tap];
        }
        sum += each != 0 ? 0 : (int64_t)(at[k] - p->in_zero) * weights[i * p->out_c + k];
    }
    return sum;
}

static int32_t conv(const uint8_t *constants, uint32_t bytes, span in, span out, int32_t each)
{
    struct tape_conv p;
    if (bytes < sizeof p) {
        return TVM_DEVICE_E_RANGE;
    }
    memcpy(&p, constants, sizeof p);
    if (!are_sizes(&p, in, out, bytes, each)) {
        return TVM_DEVICE_E_RANGE;
    }
    const uint8_t *bias = constants + sizeof p;
    const int8_t *weights = (const int8_t *)bias + 12 * p.out_c;
    for (int32_t i = 0; i < p.out_c; i++) {
        if (word(bias, 2 * p.out_c + i) < -31 || word(bias, 2 * p.out_c + i) > 30) {
            return TVM_DEVICE_E_UNSUPPORTED;
        }
    }
    for (int32_t i = 0; i < p.out_h * p.out_w * p.out_c; i++) {
        const int32_t k = i % p.out_c, x = i / p.out_c % p.out_w, y = i / p.out_c / p.out_w;
        const int64_t sum =
            word(bias, k) + sum_at(&p, (const int8_t *)in.data, weights, y, x, k, each);
        const int32_t value =
            scaled(sum, word(bias, p.out_c + k), word(bias, 2 * p.out_c + k)) + p.out_zero;
        ((int8_t *)out.data)[i] = clamped(value, p.low, p.high);
    }
    return TVM_DEVICE_OK;
}

static int32_t add(const uint8_t *constants, uint32_t bytes, span a, span b, span out)
{
    struct tape_add p;
    if (bytes != sizeof p || a.bytes != out.bytes || b.bytes != out.bytes) {
        return TVM_DEVICE_E_RANGE;
    }
    memcpy(&p, constants, sizeof p);
    if (p.a_shift < -31 || p.a_shift > 0 || p.b_shift < -31 || p.b_shift > 0 || p.out_shift < -31 ||
        p.out_shift > 30) {
        return TVM_DEVICE_E_UNSUPPORTED;
    }
    for (uint32_t i = 0; i < out.bytes; i++) {
        const int64_t x = ((int8_t)a.data[i] - p.a_zero) * ((int64_t)1 << 20);
        const int64_t y = ((int8_t)b.data[i] - p.b_zero) * ((int64_t)1 << 20);
        const int64_t sum =
            (int64_t)scaled(x, p.a_multiplier, p.a_shift) + scaled(y, p.b_multiplier, p.b_shift);
        const int32_t value = scaled(sum, p.out_multiplier, p.out_shift) + p.out_zero;
        out.data[i] = (uint8_t)clamped(value, p.low, p.high);
    }
    return TVM_DEVICE_OK;
}

/* --- The tape --------------------------------------------------------------------------------- */

static int32_t step(const machine *m, const struct tape_command *c)
{
    const uint8_t *tape = (const uint8_t *)m->call->params;
    span a, b = {0, 0}, out;
    int32_t code = find(m, &c->a, &a);
    code = code == 0 ? find(m, &c->out, &out) : code;
    code = code == 0 && c->op == TAPE_ADD ? find(m, &c->b, &b) : code;
    if (code != 0) {
        return code;
    }
    if (c->at > m->call->params_bytes || c->bytes > m->call->params_bytes - c->at) {
        return TVM_DEVICE_E_RANGE;
    }
    switch (c->op) {
    case TAPE_CONV:
    case TAPE_DEPTHWISE:
        return conv(tape + c->at, c->bytes, a, out, c->op == TAPE_CONV);
    case TAPE_ADD:
        return add(tape + c->at, c->bytes, a, b, out);
    default:
        return TVM_DEVICE_E_UNSUPPORTED;
    }
}

int32_t tape_run(const struct tvm_device_call *call, uint8_t *memory, uint32_t memory_bytes)
{
    const machine m = {call, memory, memory_bytes};
    const uint8_t *tape = (const uint8_t *)call->params;
    struct tape_head head;
    struct tape_command c;
    int32_t code = TVM_DEVICE_OK;
    if (call->op != TAPE_RUN || call->params_bytes < sizeof head) {
        return TVM_DEVICE_E_UNSUPPORTED;
    }
    memcpy(&head, tape, sizeof head);
    if (head.magic != TAPE_MAGIC || head.n_commands == 0u ||
        head.n_tensors != (uint32_t)(call->n_inputs + call->n_outputs) ||
        head.n_commands > (call->params_bytes - sizeof head) / sizeof c) {
        return TVM_DEVICE_E_UNSUPPORTED;
    }
    for (uint32_t i = 0; i < head.n_commands && code == 0; i++) {
        memcpy(&c, tape + sizeof head + i * sizeof c, sizeof c);
        code = step(&m, &c);
    }
    return code;
}
