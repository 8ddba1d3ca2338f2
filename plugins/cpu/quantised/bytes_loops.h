/* SPDX-License-Identifier: Apache-2.0 */
/* Floats to bytes and back in loops that compilers make vectors of, bit for bit micro/'s. Compiled
 * once for each instruction set, by a file that defines ORIBI_ISA (cpu/base/isa.h).
 */
#include "micro/float_rules.h"

#include <math.h>

#include "cpu/base/families.h"
#include "cpu/quantised/bytes.h"
#include "cpu/quantised/bytes_between.h"

#include "micro/element.h"
#include "micro/elementwise/curve_s16.h"
#include "micro/fixed_point.h"
#include "micro/qlinear.h"

enum { LANES = 64, BLOCK = 256 };

/* --- Bytes ----------------------------------------------------------------------------------- */

/* oribi_micro_qlinear_byte: zero of the result, and what lies between its bounds and that. */
typedef struct target {
    float low, high;
    int32_t zero;
} target;

static inline target target_of(int32_t zero, int32_t is_signed)
{
    const int32_t low = is_signed != 0 ? INT8_MIN : 0;
    return (target){(float)(low - zero), (float)(low + 255 - zero), zero};
}

static inline uint8_t byte_of(float value, target t)
{
    value = value > t.low ? value : t.low;
    value = value < t.high ? value : t.high;
    return (uint8_t)((int32_t)rintf(value) + t.zero);
}

static void quantize_line(const float *restrict x, int32_t n, float scale, target t,
                          uint8_t *restrict y)
{
    for (int32_t i = 0; i < n; i++) {
        y[i] = byte_of(x[i] / scale, t);
    }
}

static void quantize_each(const float *restrict x, int32_t n, const float *restrict scales,
                          const uint8_t *restrict zeros, int32_t is_signed, uint8_t *restrict y)
{
    for (int32_t i = 0; i < n; i++) {
        y[i] = byte_of(x[i] / scales[i],
                       target_of(oribi_micro_qlinear_get(zeros, i, is_signed), is_signed));
    }
}

static void quantize(const struct oribi_micro_quantize_linear_args *args, const float *input,
                     const float *scales, const void *zeros, void *output)
{
    const struct oribi_micro_quantize_linear_args *a = args;
    uint8_t *to = output;
    for (int32_t o = 0; o < a->outer; o++) {
        if (a->inner == 1) {
            quantize_each(input, a->channels, scales, zeros, a->is_signed, to);
            input += a->channels;
            to += a->channels;
            continue;
        }
        for (int32_t c = 0; c < a->channels; c++, input += a->inner, to += a->inner) {
            const int32_t zero = oribi_micro_qlinear_get(zeros, c, a->is_signed);
            quantize_line(input, a->inner, scales[c], target_of(zero, a->is_signed), to);
        }
    }
}

/* --- Floats ---------------------------------------------------------------------------------- */

static void bytes_line(const uint8_t *restrict x, int32_t n, uint32_t flip, int32_t less,
                       float scale, float *restrict y)
{
    for (int32_t i = 0; i < n; i++) {
        y[i] = (float)((int32_t)(x[i] ^ flip) - less) * scale;
    }
}

static void words_line(const int32_t *restrict x, int32_t n, int32_t zero, float scale,
                       float *restrict y)
{
    for (int32_t i = 0; i < n; i++) {
        y[i] = (float)(int32_t)((uint32_t)x[i] - (uint32_t)zero) * scale;
    }
}

static void bytes_each(const uint8_t *restrict x, int32_t n, uint32_t flip,
                       const uint8_t *restrict zeros, const float *restrict scales,
                       float *restrict y)
{
    for (int32_t i = 0; i < n; i++) {
        y[i] = (float)((int32_t)(x[i] ^ flip) - (int32_t)(zeros[i] ^ flip)) * scales[i];
    }
}

static void dequantize(const struct oribi_micro_dequantize_linear_args *args, const void *input,
                       const float *scales, const void *zeros, float *output)
{
    const struct oribi_micro_dequantize_linear_args *a = args;
    const uint32_t flip = a->kind == ORIBI_MICRO_S8 ? 128U : 0U;
    int64_t at = 0;
    for (int32_t o = 0; o < a->outer; o++) {
        if (a->inner == 1 && a->kind != ORIBI_MICRO_S32) {
            bytes_each((const uint8_t *)input + at, a->channels, flip, zeros, scales, output + at);
            at += a->channels;
            continue;
        }
        for (int32_t c = 0; c < a->channels; c++, at += a->inner) {
            const int32_t zero = oribi_micro_element_get(zeros, a->kind, c);
            if (a->kind == ORIBI_MICRO_S32) {
                words_line((const int32_t *)input + at, a->inner, zero, scales[c], output + at);
            } else {
                bytes_line((const uint8_t *)input + at, a->inner, flip, (int32_t)flip + zero,
                           scales[c], output + at);
            }
        }
    }
}

/* --- Ranges ---------------------------------------------------------------------------------- */

/* Ends of the second half of 2 n lanes go into those of the first. */
static inline void fold(float *low, float *high, const int n)
{
    ORIBI_CPU_NO_ALIAS
    for (int j = 0; j < n; j++) {
        low[j] = low[j + n] < low[j] ? low[j + n] : low[j];
        high[j] = high[j + n] > high[j] ? high[j + n] : high[j];
    }
}

/* Lanes are so many that gcc 12 keeps the loops over them, which it makes vectors of; of 16 it
 * makes 16 lines, and no vectors. */
static void range(const float *x, int64_t n, float range[2])
{
    float low[LANES], high[LANES];
    int64_t i = 0;
    for (int j = 0; j < LANES; j++) {
        low[j] = range[0];
        high[j] = range[1];
    }
    for (; i + LANES <= n; i += LANES) {
        for (int j = 0; j < LANES; j++) {
            low[j] = x[i + j] < low[j] ? x[i + j] : low[j];
            high[j] = x[i + j] > high[j] ? x[i + j] : high[j];
        }
    }
    for (int j = 0; j < n - i; j++) {
        low[j] = x[i + j] < low[j] ? x[i + j] : low[j];
        high[j] = x[i + j] > high[j] ? x[i + j] : high[j];
    }
    fold(low, high, LANES / 2); /* one after the other they would take as long as a short row */
    fold(low, high, LANES / 4);
    fold(low, high, LANES / 8);
    for (int j = 0; j < LANES / 8; j++) {
        range[0] = low[j] < range[0] ? low[j] : range[0];
        range[1] = high[j] > range[1] ? high[j] : range[1];
    }
}

/* --- Softmax --------------------------------------------------------------------------------- */

static uint32_t most_of(const uint8_t *x, int32_t n, uint32_t flip)
{
    uint8_t most = 0;
    for (int32_t i = 0; i < n; i++) {
        const uint8_t v = (uint8_t)(x[i] ^ flip);
        most = v > most ? v : most;
    }
    return most;
}

/* Exponentials of a block of a row; returns `sum` with them added, one after the other. */
static float look_up(const uint8_t *x, int32_t n, uint32_t flip, const float *table, float sum,
                     float *e)
{
    for (int32_t i = 0; i < n; i++) {
        e[i] = table[x[i] ^ flip];
        sum += e[i];
    }
    return sum;
}

static void shares(const float *restrict e, int32_t n, float steps, float sum, target t,
                   uint8_t *restrict y)
{
    for (int32_t i = 0; i < n; i++) {
        y[i] = byte_of(e[i] * steps / sum, t);
    }
}

static void softmax(const struct oribi_micro_qlinear_softmax_args *args, const void *input,
                    void *output)
{
    const struct oribi_micro_qlinear_softmax_args *a = args;
    const uint32_t flip = a->is_signed != 0 ? 128U : 0U;
    const target t = target_of(a->output_zero, a->is_signed);
    for (int32_t row = 0; row < a->rows; row++) {
        const uint8_t *from = (const uint8_t *)input + (int64_t)row * a->columns;
        uint8_t *to = (uint8_t *)output + (int64_t)row * a->columns;
        const float *table = a->table + (255U - most_of(from, a->columns, flip));
        float e[BLOCK], sum = 0.0F;
        for (int32_t i = 0; i < a->columns; i += BLOCK) {
            sum = look_up(from + i, a->columns - i < BLOCK ? a->columns - i : BLOCK, flip, table,
                          sum, e);
        }
        for (int32_t i = 0; i < a->columns; i += BLOCK) {
            const int32_t n = a->columns - i < BLOCK ? a->columns - i : BLOCK;
            (void)look_up(from + i, n, flip, table, 0.0F, e);
            shares(e, n, a->steps, sum, t, to + i);
        }
    }
}

/* --- Through bytes --------------------------------------------------------------------------- */

/* To the nearest within these bounds, ties away from zero; a NaN stays one. Adding 1.5 * 2^23
 * rounds to the nearest even one, from which a tie of the other kind lies half a step away from
 * zero. */
static inline float nearest(float x, float low, float high)
{
    const float magic = 12582912.0F;
    x = x <= low ? low : x;
    x = x >= high ? high : x;
    const float even = (x + magic) - magic, rest = x - even;
    const float up = x > 0.0F ? 0.5F : 2.0F, down = x < 0.0F ? -0.5F : 2.0F; /* 2: is never left */
    return even + (rest == up ? 1.0F : 0.0F) - (rest == down ? 1.0F : 0.0F);
}

static void symmetric_row(const float *x, int32_t n, float most, float *y)
{
    const float scale = most / 127.0F, inverse = 127.0F / most;
    ORIBI_CPU_NO_ALIAS
    for (int32_t i = 0; i < n; i++) {
        y[i] = nearest(x[i] * inverse, -127.0F, 127.0F) * scale;
    }
}

static void asymmetric_row(const float *x, int32_t n, float scale, float zero, float *y)
{
    const float inverse = 1.0F / scale;
    ORIBI_CPU_NO_ALIAS
    for (int32_t i = 0; i < n; i++) {
        y[i] = (nearest(zero + x[i] * inverse, -128.0F, 127.0F) - zero) * scale;
    }
}

static void through(const struct oribi_micro_through_bytes_args *args, const float *input,
                    float *output)
{
    const int32_t n = args->columns;
    for (int32_t row = 0; row < args->rows; row++, input += n, output += n) {
        float ends[2] = {0.0F, 0.0F}, scale = 0.0F;
        range(input, n, ends);
        const bool is_wide = ends[0] < ends[1];
        if (is_wide && args->asymmetric != 0) {
            const float zero =
                oribi_micro_through_bytes_zero((double)ends[0], (double)ends[1], &scale);
            asymmetric_row(input, n, scale, zero, output);
        } else {
            const float larger = ends[1] > -ends[0] ? ends[1] : -ends[0];
            symmetric_row(input, n, is_wide ? larger : 1.0F, output);
        }
    }
}

/* --- Words ----------------------------------------------------------------------------------- */

/* oribi_micro_wide_mul of n values. The high half of a product never saturates, as multipliers are
 * at least 0; of its shift only bits that are kept count, so it need not be arithmetic. */
static inline void mul_row(const struct oribi_micro_mul_q_args *args, const int16_t *a,
                           const int16_t *b, int32_t n, int16_t *output, const int32_t a_step,
                           const int32_t b_step)
{
    const int32_t multiplier = args->output_multiplier, shift = args->output_shift;
    const int32_t left = shift > 0 ? shift : 0, right = shift > 0 ? 0 : -shift;
    const int32_t zero = args->output_zero, low = args->low, high = args->high;
    ORIBI_CPU_NO_ALIAS
    for (int32_t i = 0; i < n; i++) {
        const int32_t x = oribi_micro_shift_left(
            (a[i * a_step] - args->a_zero) * (b[i * b_step] - args->b_zero), left);
        const uint64_t wide = (uint64_t)((int64_t)x * multiplier + (INT64_C(1) << 30));
        const int32_t scaled = oribi_micro_rounding_shift((int32_t)(uint32_t)(wide >> 31), right);
        output[i] = (int16_t)oribi_micro_clamp(scaled + zero, low, high);
    }
}

static void mul_words(const struct oribi_micro_mul_q_args *args, const int16_t *a, int32_t a_step,
                      const int16_t *b, int32_t b_step, int32_t n, int16_t *output)
{
    if (a_step == b_step) {
        mul_row(args, a, b, n, output, 1, 1);
    } else if (a_step == 0) {
        mul_row(args, a, b, n, output, 0, 1);
    } else {
        mul_row(args, a, b, n, output, 1, 0);
    }
}

/* micro/elementwise/curve_s16.h without branches, of a block: all but reading the table is vectors.
 */
static void curve_block(const struct oribi_micro_curve_points_s16_args *args, const uint32_t *table,
                        const int16_t *input, int32_t n, int16_t *output)
{
    const bool is_tanh = args->is_tanh != 0;
    const int32_t bits = is_tanh ? 8 : 9, last = is_tanh ? 8 : 10, half = 1 << (last - 1);
    const int32_t above = is_tanh ? half - (1 << 23) : half;
    const int32_t below = (is_tanh ? 1 << 23 : 1 << 25) + half - 1;
    const int32_t multiplier = args->multiplier, shift = args->shift;
    int32_t places[BLOCK];
    uint32_t points[BLOCK];
    for (int32_t i = 0; i < n; i++) {
        places[i] = oribi_micro_curve_place(input[i], multiplier, shift);
        const int32_t at = (places[i] < 0 ? -places[i] : places[i]) >> bits;
        points[i] = (uint32_t)(at < 255 ? at : 255);
    }
    for (int32_t i = 0; i < n; i++) {
        points[i] = table[points[i]];
    }
    for (int32_t i = 0; i < n; i++) {
        const int32_t place = places[i], size = place < 0 ? -place : place;
        const int32_t between = (size & ((1 << bits) - 1)) * (int32_t)(points[i] >> 16);
        const int32_t y = (int32_t)((points[i] & 0xFFFFU) << bits) + between;
        output[i] = (int16_t)((place >= 0 ? y + above : below - y) >> last);
    }
}

static void curve(const struct oribi_micro_curve_points_s16_args *args, const uint32_t *table,
                  const int16_t *input, int16_t *output)
{
    for (int32_t i = 0; i < args->count; i += BLOCK) {
        const int32_t left = args->count - i;
        curve_block(args, table, input + i, left < BLOCK ? left : BLOCK, output + i);
    }
}

/* oribi_micro_row_to_bytes. To the nearest, ties away from zero: less than a half is added, so that
 * what lies below a tie stays there, and the rest is cut off. */
static void to_bytes(const struct oribi_micro_row_steps *steps, const float *x, int32_t n,
                     uint8_t *y)
{
    const float least = steps->least, inverse = steps->inverse, zero = steps->zero;
    const float below_half = 0.49999997F;
    ORIBI_CPU_NO_ALIAS
    for (int32_t i = 0; i < n; i++) {
        const float product = x[i] * inverse;
        float step = zero + product;
        step = step > least ? step : least; /* a NaN, too */
        step = step < 127.0F ? step : 127.0F;
        y[i] = (uint8_t)(uint32_t)((int32_t)(step + copysignf(below_half, step)) + 128);
    }
}

/* --- Kernels --------------------------------------------------------------------------------- */

static void lookup(const struct oribi_micro_lookup_8_args *args, const void *input, void *output)
{
    struct oribi_micro_lookup_8_args rest = *args;
    const int32_t done = look_up_vectors(args, input, output);
    rest.count -= done;
    oribi_micro_lookup_8(&rest, (const uint8_t *)input + done, (uint8_t *)output + done);
}

static const oribi_bytes loops = {quantize,  dequantize, range,    softmax, through,   to_bytes,
                                  add_pairs, mul_pairs,  max_pool, lookup,  mul_words, curve};

static bool quantize_run(const void *state, oribi_kit_run *run)
{
    return oribi_quantize_run(state, run, &loops);
}
ORIBI_KIT_COMPUTE(quantize, 3)

static bool dequantize_run(const void *state, oribi_kit_run *run)
{
    return oribi_dequantize_run(state, run, &loops);
}
ORIBI_KIT_COMPUTE(dequantize, 3)

static bool dynamic_run(const void *state, oribi_kit_run *run)
{
    (void)state;
    return oribi_dynamic_run(run, &loops);
}
ORIBI_KIT_COMPUTE(dynamic, 1)

static bool softmax_run(const void *state, oribi_kit_run *run)
{
    return oribi_softmax_run(state, run, &loops);
}
ORIBI_KIT_COMPUTE(softmax, 1)

static bool through_run(const void *state, oribi_kit_run *run)
{
    return oribi_through_run(state, run, &loops);
}
ORIBI_KIT_COMPUTE(through, 1)

static bool to_bytes_run(const void *state, oribi_kit_run *run)
{
    return oribi_to_bytes_run(state, run, &loops);
}
ORIBI_KIT_COMPUTE(to_bytes, 1)

static bool add_run(const void *state, oribi_kit_run *run)
{
    return oribi_qlinear_add_run(state, run, &loops);
}
ORIBI_KIT_COMPUTE(add, 2)

static bool mul_run(const void *state, oribi_kit_run *run)
{
    return oribi_qlinear_mul_run(state, run, &loops);
}
ORIBI_KIT_COMPUTE(mul, 2)

static bool max_run(const void *state, oribi_kit_run *run)
{
    return oribi_max_pool_run(state, run, &loops);
}
ORIBI_KIT_COMPUTE(max, 1)

static bool table_run(const void *state, oribi_kit_run *run)
{
    return oribi_table_run(state, run, &loops);
}
ORIBI_KIT_COMPUTE(table, 1)

static bool mul_words_run(const void *state, oribi_kit_run *run)
{
    return oribi_mul_words_run(state, run, &loops);
}
ORIBI_KIT_COMPUTE(mul_words, 2)

static bool unary_words_run(const void *state, oribi_kit_run *run)
{
    return oribi_unary_words_run(state, run, &loops);
}
ORIBI_KIT_COMPUTE(unary_words, 1)

#define BYTES_ROW(op, make, fn)                                                                    \
    .op_name = op, ORIBI_ISA_FIELDS(ORIBI_ISA), .create = oribi_##make##_create,                   \
    .compute = fn##_compute, .destroy = oribi_kit_free, .why = "loops of vectors, " ORIBI_ISA_NAME

const oribi_cpu_kernel ORIBI_ISA_TABLE(bytes)[] = {
    {BYTES_ROW("ONNX>QuantizeLinear", linear, quantize), .types = {{"T", ORIBI_QUANTIZED_BYTES}}},
    {BYTES_ROW("ONNX>DequantizeLinear", linear, dequantize),
     .types = {{"T", ORIBI_QUANTIZED_BYTES | ORIBI_KIT_TYPE(TF_INT32)}}},
    {BYTES_ROW("ONNX>DynamicQuantizeLinear", dynamic, dynamic)},
    {BYTES_ROW("ONNX>QLinearSoftmax", softmax, softmax), .types = {{"T", ORIBI_QUANTIZED_BYTES}}},
    {BYTES_ROW("Oribi>ThroughBytes", through, through)},
    {BYTES_ROW("Oribi>RowsToBytes", through, to_bytes)},
    {BYTES_ROW("ONNX>QLinearAdd", qlinear_binary, add), .types = {{"T", ORIBI_QUANTIZED_BYTES}}},
    {BYTES_ROW("ONNX>QLinearMul", qlinear_binary, mul), .types = {{"T", ORIBI_QUANTIZED_BYTES}}},
    {BYTES_ROW("ONNX>QLinearTable", table, table), .types = {{"T", ORIBI_QUANTIZED_BYTES}}},
    {BYTES_ROW("Oribi>QUnary", unary, table), .types = {{"T", ORIBI_QUANTIZED_BYTES}}},
    {BYTES_ROW("Oribi>QMul", words, mul_words), .types = {{"T", ORIBI_KIT_TYPE(TF_INT16)}}},
    {BYTES_ROW("Oribi>QUnary", unary_words, unary_words),
     .types = {{"T", ORIBI_KIT_TYPE(TF_INT16)}}},
    {BYTES_ROW("ONNX>QLinearMaxPool", max_pool, max), .types = {{"T", ORIBI_QUANTIZED_BYTES}}},
    {.op_name = NULL},
};
