/* SPDX-License-Identifier: Apache-2.0 */
/* Functions of one double, all in one file: models that compute in double are few. */
#ifndef ORIBI_MICRO_UNARY_F64_H_
#define ORIBI_MICRO_UNARY_F64_H_

#include <stdint.h>

enum {
    ORIBI_MICRO_F64_ABS,
    ORIBI_MICRO_F64_CEIL,
    ORIBI_MICRO_F64_COS,
    ORIBI_MICRO_F64_ELU,
    ORIBI_MICRO_F64_ERF,
    ORIBI_MICRO_F64_EXP,
    ORIBI_MICRO_F64_FLOOR,
    ORIBI_MICRO_F64_HARD_SWISH,
    ORIBI_MICRO_F64_LEAKY_RELU,
    ORIBI_MICRO_F64_LOG,
    ORIBI_MICRO_F64_NEG,
    ORIBI_MICRO_F64_RECIPROCAL,
    ORIBI_MICRO_F64_RELU,
    ORIBI_MICRO_F64_RELU6,
    ORIBI_MICRO_F64_ROUND,
    ORIBI_MICRO_F64_RSQRT,
    ORIBI_MICRO_F64_SELU,
    ORIBI_MICRO_F64_SIGMOID,
    ORIBI_MICRO_F64_SIGN,
    ORIBI_MICRO_F64_SIN,
    ORIBI_MICRO_F64_SOFTPLUS,
    ORIBI_MICRO_F64_SOFTSIGN,
    ORIBI_MICRO_F64_SQRT,
    ORIBI_MICRO_F64_SQUARE,
    ORIBI_MICRO_F64_SWISH,
    ORIBI_MICRO_F64_TANH,
    ORIBI_MICRO_F64_UNARY_COUNT
};

struct oribi_micro_unary_f64_args {
    int32_t function;
    int32_t count;
    float alpha; /* slope below 0 of leaky_relu, factor of swish */
};

/* Writes the function of count elements.
 * Units    a NaN gives a NaN; accuracy as math_double.h says.
 * Owns     nothing; output may be the memory of input.
 * Context  run: no allocation, no state.
 */
void oribi_micro_unary_f64(const struct oribi_micro_unary_f64_args *args, const double *input,
                           double *output);

#endif
