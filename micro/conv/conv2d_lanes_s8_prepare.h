/* SPDX-License-Identifier: Apache-2.0 */
/* Arguments of conv2d_lanes_s8 from those of conv2d_s8, which hold the multipliers. Host only. */
#ifndef ORIBI_MICRO_CONV2D_LANES_S8_PREPARE_H_
#define ORIBI_MICRO_CONV2D_LANES_S8_PREPARE_H_

#include "micro/conv/conv2d_lanes_s8.h"
#include "micro/conv/conv2d_s8.h"
#include "micro/costs_prepare.h"
#include "micro/lanes_prepare.h"
#include "micro/variant_prepare.h"

/* 1, with what is to be packed in out_spec: the layer fits conv2d_lanes_s8. 0: it needs conv2d_s8
 * (groups, dilation along a row, sums too large for lanes, sizes above int16). */
int32_t oribi_micro_conv2d_lanes_s8_fits(const struct oribi_micro_conv2d_s8_args *plain,
                                         struct oribi_micro_lanes_spec *out_spec);

/* The same without what lanes alone need: the layer fits any kernel of these args. */
int32_t oribi_micro_conv2d_lanes_s8_spec(const struct oribi_micro_conv2d_s8_args *plain,
                                         struct oribi_micro_lanes_spec *out_spec);

/* Fills the sizes of args for windows of so many taps, with padding. Returns bytes of scratch
 * behind the windows: none, or unless in_c is a multiple of 4 a row of the window and what is left
 * of all rows. */
int32_t oribi_micro_conv2d_lanes_s8_sizes(const struct oribi_micro_conv2d_s8_args *plain,
                                          int32_t taps,
                                          struct oribi_micro_conv2d_lanes_s8_args *args);

/* Fills args, which then points to words, packed before (lanes_prepare.h). Returns bytes of
 * scratch: 4 per tap, and what _sizes says. */
int32_t oribi_micro_conv2d_lanes_s8_prepare(const struct oribi_micro_conv2d_s8_args *plain,
                                            const int32_t *words,
                                            struct oribi_micro_conv2d_lanes_s8_args *args);

extern const struct oribi_micro_costs oribi_micro_conv2d_lanes_s8_costs;
extern const struct oribi_micro_variant oribi_micro_conv2d_lanes_s8_variant; /* of conv2d_s8 */

#endif
