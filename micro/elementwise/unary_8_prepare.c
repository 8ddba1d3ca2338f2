/* SPDX-License-Identifier: Apache-2.0 */
/* Functions of one quantised number, in the arithmetic of the source: floats, doubles and fixed
 * point stand where it has them. docs/rounding.md has a row for each.
 */
#include "micro/elementwise/unary_8_prepare.h"

#include <math.h>

#include "micro/unary/unary_real_prepare.h"
#include "micro/norm/inverse_root.h"
#include "micro/unary/exponential.h"

typedef struct unary {
    const struct oribi_micro_unary_8_spec *s;
    int32_t multiplier, shift;             /* of most functions */
    int32_t other_multiplier, other_shift; /* of hard swish and leaky relu */
    int32_t radius;                        /* of logistic and tanh: beyond, the result is an end */
    int32_t low, high;                     /* of the output */
} unary;

/* --- Logistic and tanh ----------------------------------------------------------------------- */

enum { INTEGER_BITS = 4 };

/* exp of x at most 0, given with so many integer bits; as Q0.31. */
static int32_t exp_negative(int32_t x, int32_t integer_bits)
{
    static const int32_t powers[7] = {1672461947, 1302514674, 790015084, 290630308,
                                      39332535,   720401,     242}; /* exp(-1/4) to exp(-16) */
    const int32_t fraction = 31 - integer_bits, quarter = 1 << (fraction - 2);
    const int32_t remainder = (x & (quarter - 1)) - quarter;
    const int32_t rest = (int32_t)((uint32_t)remainder - (uint32_t)x);
    int32_t result = oribi_micro_exp_quarter(oribi_micro_saturating_shift(remainder, integer_bits));
    for (int32_t i = 0; i < 7 && i - 2 < integer_bits; i++) {
        if (((uint32_t)rest >> (fraction - 2 + i) & 1U) != 0) {
            result = oribi_micro_high_multiply(result, powers[i]);
        }
    }
    return x == 0 ? INT32_MAX : result;
}

/* (1 - x) / (1 + x) as Q0.31 for x in [0, 1) as Q0.31. */
static int32_t half_tanh(int32_t x)
{
    const int32_t half = (int32_t)(((int64_t)x + INT32_MAX + 1) / 2);
    int32_t y = 1515870810 + oribi_micro_high_multiply(half, -1010580540);
    for (int32_t i = 0; i < 3; i++) {
        const int32_t error = (1 << 29) - oribi_micro_high_multiply(half, y);
        y += oribi_micro_saturating_shift(oribi_micro_high_multiply(y, error), 2);
    }
    return oribi_micro_saturating_shift(y - (1 << 29), 2);
}

static int32_t fixed_logistic(const unary *u, int32_t x)
{
    if (x <= -u->radius) {
        return u->low;
    }
    if (x >= u->radius) {
        return u->high;
    }
    const int32_t q4 = oribi_micro_scale(x, u->multiplier, u->shift);
    const int32_t positive = oribi_micro_reciprocal(exp_negative(q4 > 0 ? -q4 : q4, INTEGER_BITS));
    const int32_t q0 = q4 == 0 ? 1 << 30 : q4 > 0 ? positive : INT32_MAX - positive;
    return oribi_micro_rounding_shift(q0, 31 - 8) + u->s->output.zero;
}

static int32_t fixed_tanh(const unary *u, int32_t x)
{
    if (x <= -u->radius) {
        return u->low;
    }
    if (x >= u->radius) {
        return u->high;
    }
    const int32_t q4 = oribi_micro_scale(x, u->multiplier, u->shift);
    const int32_t size = half_tanh(exp_negative(q4 > 0 ? -q4 : q4, INTEGER_BITS + 1));
    const int32_t q0 = q4 == 0 ? 0 : q4 > 0 ? size : -size;
    return oribi_micro_rounding_shift(q0, 31 - 7) + u->s->output.zero;
}

/* As an integer; what is far outside bytes stays there, and 0 times an infinite factor is 0. */
static int32_t whole(float steps)
{
    const float limit = 1.0e6F;
    return isnan(steps) ? 0 : (int32_t)(steps > limit ? limit : steps < -limit ? -limit : steps);
}

/* The function in float32 of the number that x stands for. */
static int32_t float_function(const unary *u, int32_t x)
{
    const float real = u->s->input.scale * (float)x;
    const int32_t least = (u->s->out_unsigned != 0 ? 0 : INT8_MIN) - u->s->output.zero;
    const float y =
        u->s->function == ORIBI_MICRO_UNARY_TANH ? (float)tanh((double)real)
        : u->s->function == ORIBI_MICRO_UNARY_LOGISTIC
            ? 1.0F / (1.0F + (float)exp((double)-real))
            : oribi_micro_unary_real(u->s->function, real, (float)least * u->s->output.scale);
    const float steps = u->s->function == ORIBI_MICRO_UNARY_SQRT
                            ? truncf(y / u->s->output.scale)
                            : roundf(y * (1.0F / u->s->output.scale));
    return whole(steps) + u->s->output.zero;
}

static int32_t prepare_fixed(unary *u)
{
    const double real = (double)u->s->input.scale * (double)(1 << (31 - INTEGER_BITS));
    const int32_t code = oribi_micro_multiplier(real, &u->multiplier, &u->shift);
    if (code == ORIBI_MICRO_OK) {
        const double ends =
            ((1 << INTEGER_BITS) - 1) * (double)(1 << (31 - INTEGER_BITS)) / ldexp(1.0, u->shift);
        u->radius = ends < 1.0e6 ? (int32_t)floor(ends) : 1000000;
    }
    return code;
}

/* --- Hard swish ------------------------------------------------------------------------------ */

/* The upper 16 bits, rounded. */
static int32_t narrow(int32_t multiplier)
{
    return multiplier >= INT32_MAX - (1 << 15) ? INT16_MAX : (multiplier + (1 << 15)) >> 16;
}

/* a * b / 2^15 of int16, to the nearest with ties up, or cut towards zero. */
static int32_t half_multiply(int32_t a, int32_t b, int32_t rounds)
{
    const int32_t product = a * b;
    const int32_t nudge = rounds == 0 ? 0 : product >= 0 ? 1 << 14 : 1 - (1 << 14);
    return a == INT16_MIN && b == INT16_MIN ? INT16_MAX : (product + nudge) / (1 << 15);
}

static int32_t saturate_16(int32_t x, int32_t exponent)
{
    const int64_t shifted = (int64_t)x * ((int64_t)1 << exponent);
    return shifted > INT16_MAX ? INT16_MAX : shifted < INT16_MIN ? INT16_MIN : (int32_t)shifted;
}

static int32_t prepare_hard_swish(unary *u)
{
    const float fine = (1.0F / 128.0F) * u->s->input.scale, third = 3.0F / 32768.0F;
    const double to_output = (double)(fine / u->s->output.scale);
    int32_t code = oribi_micro_multiplier(to_output, &u->multiplier, &u->shift);
    code = code != ORIBI_MICRO_OK ? code
                                  : oribi_micro_multiplier((double)(fine / third),
                                                           &u->other_multiplier, &u->other_shift);
    u->multiplier = narrow(u->multiplier);
    u->other_multiplier = narrow(u->other_multiplier);
    const int32_t fits = u->shift <= 0 && u->shift >= -31 && u->other_shift >= -31;
    return code == ORIBI_MICRO_OK && fits == 0 ? ORIBI_MICRO_INVALID : code;
}

static int32_t hard_swish(const unary *u, int32_t x)
{
    const int32_t fine = x * (1 << 7);
    const int32_t on_output = half_multiply(fine, u->multiplier, 1);
    int32_t gate = fine;
    if (u->other_shift > 0) {
        gate = saturate_16(gate, u->other_shift - 1);
    }
    gate = half_multiply(gate, u->other_multiplier, 1);
    if (u->other_shift > 0) {
        gate = saturate_16(gate, 1);
    } else if (u->other_shift < 0) {
        gate = oribi_micro_rounding_shift(gate, -u->other_shift);
    }
    gate = (gate + (1 << 15)) >> 1;
    return oribi_micro_rounding_shift(half_multiply(gate, on_output, 0), -u->shift) +
           u->s->output.zero;
}

/* --- Rescaling ------------------------------------------------------------------------------- */

static int32_t prepare_scale(unary *u)
{
    const struct oribi_micro_unary_8_spec *s = u->s;
    const float ratio = s->input.scale / s->output.scale;
    const float slope = s->input.scale * s->alpha / s->output.scale;
    if (s->function == ORIBI_MICRO_UNARY_RESCALE || s->function >= ORIBI_MICRO_UNARY_SQRT) {
        return ORIBI_MICRO_OK;
    }
    if (s->function == ORIBI_MICRO_UNARY_RSQRT) {
        const float root = sqrtf(s->input.scale);
        const float both = root * s->output.scale;
        const int32_t code = oribi_micro_multiplier(1.0 / (double)both, &u->multiplier, &u->shift);
        return code == ORIBI_MICRO_OK && u->shift < 20 - 31 ? ORIBI_MICRO_INVALID : code;
    }
    if (s->function == ORIBI_MICRO_UNARY_REQUANTIZE) {
        return oribi_micro_multiplier((double)s->input.scale / (double)s->output.scale,
                                      &u->multiplier, &u->shift);
    }
    int32_t code = oribi_micro_multiplier((double)ratio, &u->multiplier, &u->shift);
    if (code == ORIBI_MICRO_OK && s->function == ORIBI_MICRO_UNARY_LEAKY_RELU) {
        code = oribi_micro_multiplier((double)fabsf(slope), &u->other_multiplier, &u->other_shift);
        u->other_multiplier = slope < 0.0F ? -u->other_multiplier : u->other_multiplier;
    }
    return code;
}

static int32_t rescale(const unary *u, int32_t x)
{
    const int32_t is_leaky = u->s->function == ORIBI_MICRO_UNARY_LEAKY_RELU && x < 0;
    return u->s->output.zero + (is_leaky ? oribi_micro_scale(x, u->other_multiplier, u->other_shift)
                                         : oribi_micro_scale(x, u->multiplier, u->shift));
}

/* The root's multiplier is taken with 20 bits more. Below zero there is none. */
static int32_t inverse_root(const unary *u, int32_t x)
{
    int32_t multiplier, shift;
    oribi_micro_inverse_root(x, &multiplier, &shift);
    return x <= 0 ? u->high
                  : oribi_micro_scale(oribi_micro_scale(1, multiplier, shift + 20), u->multiplier,
                                      u->shift - 20) +
                        u->s->output.zero;
}

/* The byte itself counts, its zero point goes into what is added; x is the byte less that. */
static int32_t float_rescale(const unary *u, int32_t x)
{
    const struct oribi_micro_quantisation in = u->s->input, out = u->s->output;
    const float inverse = 1.0F / out.scale;
    const float ratio = in.scale * inverse, added = (float)-in.zero * ratio;
    const float product = (float)(x + in.zero) * ratio;
    return whole(roundf(product + added)) + out.zero;
}

/* Bounds of the rectifiers, in the output's steps. */
static void set_bounds(unary *u)
{
    static const struct {
        float floor, ceiling;
    } bounds[] = {[ORIBI_MICRO_UNARY_RELU] = {0.0F, 0.0F},
                  [ORIBI_MICRO_UNARY_RELU6] = {0.0F, 6.0F},
                  [ORIBI_MICRO_UNARY_RELU_N1_TO_1] = {-1.0F, 1.0F},
                  [ORIBI_MICRO_UNARY_RELU_0_TO_1] = {0.0F, 1.0F}};
    const int32_t function = u->s->function, zero = u->s->output.zero;
    const float scale = u->s->output.scale, limit = 1.0e6F;
    u->low = u->s->out_unsigned != 0 ? 0 : INT8_MIN;
    u->high = u->low + 255;
    if (function > ORIBI_MICRO_UNARY_RELU_N1_TO_1 && function != ORIBI_MICRO_UNARY_RELU_0_TO_1) {
        return;
    }
    const float below = roundf(bounds[function].floor / scale);
    const int32_t floor_at = zero + (int32_t)(below < -limit ? -limit : below);
    u->low = floor_at > u->low ? floor_at : u->low;
    if (function != ORIBI_MICRO_UNARY_RELU) {
        const float above = roundf(bounds[function].ceiling / scale);
        const int32_t ceiling_at = zero + (int32_t)(above > limit ? limit : above);
        u->high = ceiling_at < u->high ? ceiling_at : u->high;
    }
}

/* --- Tables ---------------------------------------------------------------------------------- */

static int is_usable(struct oribi_micro_quantisation q, int32_t is_unsigned)
{
    const int32_t low = is_unsigned != 0 ? 0 : INT8_MIN;
    return isfinite(q.scale) && q.scale > 0.0F && q.zero >= low && q.zero <= low + 255;
}

static int32_t is_curve(int32_t function)
{
    return function == ORIBI_MICRO_UNARY_LOGISTIC || function == ORIBI_MICRO_UNARY_TANH;
}

/* Has a curve no fixed point, whose inputs end at a scale of 16? */
static int32_t in_float(const struct oribi_micro_unary_8_spec *s)
{
    return s->variant == ORIBI_MICRO_TFLITE || s->in_unsigned != 0;
}

static int32_t prepare(unary *u)
{
    const struct oribi_micro_unary_8_spec *s = u->s;
    if (!is_usable(s->input, s->in_unsigned) || !is_usable(s->output, s->out_unsigned) ||
        s->function < 0 || s->function >= ORIBI_MICRO_UNARY_FUNCTIONS || !isfinite(s->alpha)) {
        return ORIBI_MICRO_INVALID;
    }
    set_bounds(u);
    if (is_curve(s->function)) {
        return in_float(s) ? ORIBI_MICRO_OK : prepare_fixed(u);
    }
    return s->function == ORIBI_MICRO_UNARY_HARD_SWISH ? prepare_hard_swish(u) : prepare_scale(u);
}

static int32_t value_of(const unary *u, int32_t x)
{
    if ((is_curve(u->s->function) && in_float(u->s)) || u->s->function >= ORIBI_MICRO_UNARY_SQRT) {
        return float_function(u, x);
    }
    switch (u->s->function) {
    case ORIBI_MICRO_UNARY_LOGISTIC:
        return fixed_logistic(u, x);
    case ORIBI_MICRO_UNARY_TANH:
        return fixed_tanh(u, x);
    case ORIBI_MICRO_UNARY_HARD_SWISH:
        return hard_swish(u, x);
    case ORIBI_MICRO_UNARY_RESCALE:
        return float_rescale(u, x);
    case ORIBI_MICRO_UNARY_ABS:
        return rescale(u, x < 0 ? -x : x);
    case ORIBI_MICRO_UNARY_RSQRT:
        return inverse_root(u, x);
    default:
        return rescale(u, x);
    }
}

int32_t oribi_micro_unary_8_table(const struct oribi_micro_unary_8_spec *spec, uint8_t table[256])
{
    unary u = {.s = spec};
    const int32_t code = prepare(&u);
    for (int32_t bits = 0; code == ORIBI_MICRO_OK && bits < 256; bits++) {
        const int32_t value = spec->in_unsigned == 0 && bits > INT8_MAX ? bits - 256 : bits;
        const int32_t y = oribi_micro_clamp(value_of(&u, value - spec->input.zero), u.low, u.high);
        table[bits] = (uint8_t)((uint32_t)y & 255U);
    }
    return code;
}

const char *const *oribi_micro_unary_words(void)
{
    static const char *const words[ORIBI_MICRO_UNARY_FUNCTIONS] = {
        [ORIBI_MICRO_UNARY_RELU] = "RELU",
        [ORIBI_MICRO_UNARY_RELU6] = "RELU6",
        [ORIBI_MICRO_UNARY_RELU_N1_TO_1] = "RELU_N1_TO_1",
        [ORIBI_MICRO_UNARY_LOGISTIC] = "LOGISTIC",
        [ORIBI_MICRO_UNARY_TANH] = "TANH",
        [ORIBI_MICRO_UNARY_HARD_SWISH] = "HARD_SWISH",
        [ORIBI_MICRO_UNARY_LEAKY_RELU] = "LEAKY_RELU",
        [ORIBI_MICRO_UNARY_REQUANTIZE] = "REQUANTIZE",
        [ORIBI_MICRO_UNARY_RESCALE] = "RESCALE",
        [ORIBI_MICRO_UNARY_RELU_0_TO_1] = "RELU_0_TO_1",
        [ORIBI_MICRO_UNARY_ABS] = "ABS",
        [ORIBI_MICRO_UNARY_RSQRT] = "RSQRT",
        [ORIBI_MICRO_UNARY_SQRT] = "SQRT",
        [ORIBI_MICRO_UNARY_EXP] = "EXP",
        [ORIBI_MICRO_UNARY_LOG] = "LOG",
        [ORIBI_MICRO_UNARY_ELU] = "ELU",
        [ORIBI_MICRO_UNARY_GELU] = "GELU",
        [ORIBI_MICRO_UNARY_GELU_TANH] = "GELU_TANH",
    };
    return words;
}
