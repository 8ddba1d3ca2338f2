/* SPDX-License-Identifier: Apache-2.0 */
/* Arguments of functions of one int16 from what a model says: of requantize for the rectifiers, of
 * leaky_relu_s16, of curve_points_s16. Host only.
 */
#ifndef ORIBI_MICRO_UNARY_16_PREPARE_H_
#define ORIBI_MICRO_UNARY_16_PREPARE_H_

#include "micro/elementwise/curve_points_s16.h"
#include "micro/elementwise/leaky_relu_s16.h"
#include "micro/unary/sqrt_s16.h"
#include "micro/quantize/requantize_prepare.h"
#include "micro/elementwise/unary_8_prepare.h"

struct oribi_micro_unary_16_spec {
    int32_t function; /* of unary_8_prepare.h */
    int32_t variant;  /* ORIBI_MICRO_TFLM or TFLITE: matters for ABS */
    struct oribi_micro_quantisation input, output;
    float alpha; /* of leaky relu */
};

/* Each fills args but count. Errors: INVALID for a scale or zero point outside its range, or a
 * function that the kernel does not have.
 * Source   docs/rounding.md. */
int32_t oribi_micro_relu_16_prepare(const struct oribi_micro_unary_16_spec *spec,
                                    struct oribi_micro_requantize_args *args);
int32_t oribi_micro_leaky_relu_s16_prepare(const struct oribi_micro_unary_16_spec *spec,
                                           struct oribi_micro_leaky_relu_s16_args *args);
int32_t oribi_micro_sqrt_s16_prepare(const struct oribi_micro_unary_16_spec *spec,
                                     struct oribi_micro_sqrt_s16_args *args);
int32_t oribi_micro_curve_points_s16_prepare(const struct oribi_micro_unary_16_spec *spec,
                                             struct oribi_micro_curve_points_s16_args *args);

#endif
