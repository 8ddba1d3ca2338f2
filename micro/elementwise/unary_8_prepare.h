/* SPDX-License-Identifier: Apache-2.0 */
/* Tables of lookup_8: each function's result for every byte, from its scalar truth. Host only. */
#ifndef ORIBI_MICRO_UNARY_8_PREPARE_H_
#define ORIBI_MICRO_UNARY_8_PREPARE_H_

#include "micro/prepare.h"

enum {
    ORIBI_MICRO_UNARY_RELU,
    ORIBI_MICRO_UNARY_RELU6,
    ORIBI_MICRO_UNARY_RELU_N1_TO_1,
    ORIBI_MICRO_UNARY_LOGISTIC,
    ORIBI_MICRO_UNARY_TANH,
    ORIBI_MICRO_UNARY_HARD_SWISH,
    ORIBI_MICRO_UNARY_LEAKY_RELU,
    ORIBI_MICRO_UNARY_REQUANTIZE,
    ORIBI_MICRO_UNARY_RESCALE, /* as REQUANTIZE, in float32: the inputs of a concatenation */
    ORIBI_MICRO_UNARY_RELU_0_TO_1,
    ORIBI_MICRO_UNARY_ABS,
    ORIBI_MICRO_UNARY_RSQRT,
    ORIBI_MICRO_UNARY_SQRT, /* from here on functions of the real number (unary_real_prepare.h) */
    ORIBI_MICRO_UNARY_EXP,
    ORIBI_MICRO_UNARY_LOG,
    ORIBI_MICRO_UNARY_ELU,
    ORIBI_MICRO_UNARY_GELU,
    ORIBI_MICRO_UNARY_GELU_TANH,
    ORIBI_MICRO_UNARY_FUNCTIONS
};

/* The names of the functions, as the attribute of Oribi>QUnary has them, by their numbers. */
const char *const *oribi_micro_unary_words(void);

struct oribi_micro_unary_8_spec {
    int32_t function;
    int32_t variant;                   /* ORIBI_MICRO_TFLM or TFLITE */
    int32_t in_unsigned, out_unsigned; /* 1: uint8 */
    struct oribi_micro_quantisation input, output;
    float alpha; /* of leaky relu */
};

/* table[bits of x] = bits of the result, saturated. Errors: INVALID for a scale or zero point
 * outside its range, or a function that does not exist.
 * Source   docs/rounding.md. */
int32_t oribi_micro_unary_8_table(const struct oribi_micro_unary_8_spec *spec, uint8_t table[256]);

#endif
