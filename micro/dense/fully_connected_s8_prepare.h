/* SPDX-License-Identifier: Apache-2.0 */
/* Arguments of fully_connected_s8 from what a model says. Host only. */
#ifndef ORIBI_MICRO_FULLY_CONNECTED_S8_PREPARE_H_
#define ORIBI_MICRO_FULLY_CONNECTED_S8_PREPARE_H_

#include "micro/dense/fully_connected_s8.h"
#include "micro/prepare.h"

struct oribi_micro_fully_connected_s8_spec {
    int32_t rows, in_c, out_c; /* rows 0: the count comes later, with resize */
    int32_t activation;
    struct oribi_micro_quantisation input, output;
    const float *filter_scales;
    int32_t n_filter_scales; /* 1 or out_c */
    const int8_t *filter;    /* [out_c, in_c]; kept, not copied */
    const int32_t *bias;     /* out_c, or NULL: zeros */
};

/* Fills args, bias of out_c values, and multiplier and shift of n_filter_scales values each, to
 * which args then points. Errors: the codes of prepare.h; args and arrays are then unspecified. */
int32_t
oribi_micro_fully_connected_s8_prepare(const struct oribi_micro_fully_connected_s8_spec *spec,
                                       struct oribi_micro_fully_connected_s8_args *args,
                                       int32_t *bias, int32_t *multiplier, int32_t *shift);

/* Sets the count of rows; the rest of args stays. */
int32_t
oribi_micro_fully_connected_s8_resize(const struct oribi_micro_fully_connected_s8_spec *spec,
                                      int32_t rows,
                                      struct oribi_micro_fully_connected_s8_args *args);

#endif
