/* SPDX-License-Identifier: Apache-2.0 */
/* Arguments of depthwise_conv2d_3x3_s8 from those of depthwise_conv2d_s8, which hold the
 * multipliers. Host only.
 */
#ifndef ORIBI_MICRO_DEPTHWISE_CONV2D_3X3_S8_PREPARE_H_
#define ORIBI_MICRO_DEPTHWISE_CONV2D_3X3_S8_PREPARE_H_

#include "micro/costs_prepare.h"
#include "micro/depthwise/depthwise_conv2d_3x3_s8.h"
#include "micro/depthwise/depthwise_conv2d_s8.h"
#include "micro/prepare.h"
#include "micro/variant_prepare.h"

/* 1: the layer fits; 0: it needs depthwise_conv2d_s8. */
int32_t
oribi_micro_depthwise_conv2d_3x3_s8_fits(const struct oribi_micro_depthwise_conv2d_s8_args *plain);

/* Fills args and the 5 * channels words it then points to. With w[row][column], a channel's are the
 * bytes {w00, w10, w02, w12} and {w20, w11, w22, w21}, lowest first; bias and multiplier; w01 and
 * the shift as in lanes_s8.h. Errors: TOO_LARGE. */
int32_t oribi_micro_depthwise_conv2d_3x3_s8_prepare(
    const struct oribi_micro_depthwise_conv2d_s8_args *plain, int32_t *words,
    struct oribi_micro_depthwise_conv2d_3x3_s8_args *args);

extern const struct oribi_micro_costs oribi_micro_depthwise_conv2d_3x3_s8_costs;
extern const struct oribi_micro_variant
    oribi_micro_depthwise_conv2d_3x3_s8_variant; /* of depthwise_conv2d_s8 */
/* The same arguments, weights and scratch for other kernels. */
extern const struct oribi_micro_variant oribi_micro_depthwise_conv2d_3x3_plain_s8_variant;
extern const struct oribi_micro_variant oribi_micro_depthwise_conv2d_3x3_v6m_s8_variant;

#endif
