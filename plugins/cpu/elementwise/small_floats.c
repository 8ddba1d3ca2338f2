/* SPDX-License-Identifier: Apache-2.0 */
/* Floats of 8 and 4 bits. Source  the types of ml_dtypes, which TensorFlow and ONNX share. */
#include "cpu/elementwise/small_floats.h"

#include <math.h>

static const oribi_cpu_small_float formats[] = {
    [TF_FLOAT8_E5M2] = {2, 15, 0x7b, 0x7c, 0x7e, 0x80, true, true},
    [TF_FLOAT8_E4M3FN] = {3, 7, 0x7e, 0x7f, 0x7f, 0x80, true, false},
    [TF_FLOAT8_E4M3FNUZ] = {3, 8, 0x7f, 0x80, 0x80, 0x80, false, false},
    [TF_FLOAT8_E4M3B11FNUZ] = {3, 11, 0x7f, 0x80, 0x80, 0x80, false, false},
    [TF_FLOAT8_E5M2FNUZ] = {2, 16, 0x7f, 0x80, 0x80, 0x80, false, false},
    [TF_FLOAT4_E2M1FN] = {1, 1, 0x07, 0x07, 0x08, 0x08, true, false},
};

const oribi_cpu_small_float *oribi_cpu_small_float_of(TF_DataType dtype)
{
    const unsigned at = (unsigned)dtype;
    return at < sizeof formats / sizeof formats[0] && formats[at].sign != 0 ? &formats[at] : NULL;
}

double oribi_cpu_small_value(const oribi_cpu_small_float *format, uint8_t bits)
{
    const int code = bits & (format->sign - 1), one = 1 << format->mantissa;
    const bool is_negative = (bits & format->sign) != 0;
    if (is_negative && code == 0 && !format->has_signs) {
        return (double)NAN;
    }
    if (code > format->most) {
        return !format->has_infinity || code != format->beyond ? (double)NAN
               : is_negative                                   ? -(double)INFINITY
                                                               : (double)INFINITY;
    }
    const int exponent = code >> format->mantissa, fraction = code & (one - 1);
    const double magnitude =
        exponent == 0 ? ldexp(fraction, 1 - format->bias - format->mantissa)
                      : ldexp(one + fraction, exponent - format->bias - format->mantissa);
    return is_negative ? -magnitude : magnitude;
}

/* A finite magnitude; a fraction that rounds up to the next exponent carries into it. */
static double code_of(const oribi_cpu_small_float *format, double magnitude)
{
    int exponent = 0;
    if (magnitude == 0) {
        return 0;
    }
    (void)frexp(magnitude, &exponent); /* magnitude < 2^exponent */
    exponent += format->bias - 1;
    exponent = exponent < 1 ? 1 : exponent;
    const double quanta = ldexp(magnitude, format->bias + format->mantissa - exponent);
    double whole = floor(quanta);
    const double rest = quanta - whole;
    whole += rest > 0.5 || (rest == 0.5 && fmod(whole, 2) != 0) ? 1 : 0;
    return whole + ldexp(exponent - 1, format->mantissa);
}

uint8_t oribi_cpu_small_bits(const oribi_cpu_small_float *format, double value)
{
    const uint8_t sign = signbit(value) ? format->sign : 0;
    if (isnan(value)) {
        const bool is_alone = !format->has_signs || (format->nan & format->sign) != 0;
        return is_alone ? format->nan : (uint8_t)(sign | format->nan);
    }
    const double code = isinf(value) ? 256 : code_of(format, fabs(value));
    if (code > format->most) {
        return format->has_signs ? (uint8_t)(sign | format->beyond) : format->beyond;
    }
    const uint8_t small = (uint8_t)code;
    return small == 0 && !format->has_signs ? 0 : (uint8_t)(sign | small);
}
