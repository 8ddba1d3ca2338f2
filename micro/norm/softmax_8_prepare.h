/* SPDX-License-Identifier: Apache-2.0 */
/* Arguments of softmax_s8, softmax_u8 and softmax_wide from what a model says. Host only. */
#ifndef ORIBI_MICRO_SOFTMAX_8_PREPARE_H_
#define ORIBI_MICRO_SOFTMAX_8_PREPARE_H_

#include "micro/prepare.h"
#include "micro/norm/softmax_8.h"
#include "micro/norm/softmax_wide.h"

struct oribi_micro_softmax_spec {
    int32_t kind;          /* S8 or U8 of element.h; S16 for softmax_s16_prepare.h */
    int32_t variant;       /* matters for S16 */
    int32_t rows, columns; /* columns at most 4095 */
    struct oribi_micro_quantisation input, output;
    float beta;
};

/* What a softmax of bytes and its logarithm share: how differences of inputs become Q5.26, and
 * below which they count as 0. Errors: those of oribi_micro_softmax_8_prepare but for the output's.
 */
int32_t oribi_micro_softmax_8_scaling(const struct oribi_micro_softmax_spec *spec,
                                      int32_t *out_multiplier, int32_t *out_shift,
                                      int32_t *out_farthest);

/* Fills args. Errors: INVALID, also when the output is not of scale 1/256 and zero point -128;
 * OVERFLOW for rows whose sum could leave int32. Args are then unspecified. */
int32_t oribi_micro_softmax_8_prepare(const struct oribi_micro_softmax_spec *spec,
                                      struct oribi_micro_softmax_8_args *args);

/* The same for a result of int16, of scale 1/65536 and zero point -32768. */
int32_t oribi_micro_softmax_wide_prepare(const struct oribi_micro_softmax_spec *spec,
                                         struct oribi_micro_softmax_wide_args *args);

#endif
