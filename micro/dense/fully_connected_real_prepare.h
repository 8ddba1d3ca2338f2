/* SPDX-License-Identifier: Apache-2.0 */
/* Arguments of fully_connected_real from what a model says. Host only. */
#ifndef ORIBI_MICRO_FULLY_CONNECTED_REAL_PREPARE_H_
#define ORIBI_MICRO_FULLY_CONNECTED_REAL_PREPARE_H_

#include "micro/dense/fully_connected_real.h"
#include "micro/prepare.h"

struct oribi_micro_fully_connected_real_spec {
    int32_t kind, filter_kind; /* element.h: U8 of both, or S8 or S16 with a filter of S8 */
    int32_t rows, in_c, out_c;
    int32_t activation;
    struct oribi_micro_quantisation input, output;
    int32_t filter_zero; /* 0 unless the filter is of U8 */
    const float *filter_scales;
    int32_t n_filter_scales; /* 1 or out_c */
    const void *filter;      /* [out_c, in_c]; kept, not copied */
    const void *bias;        /* out_c; kept unless of S8 */
    int32_t bias_kind;       /* element.h: S32, or S64 of S16 */
};

/* Fills args, scale of n_filter_scales values and folded, which only S8 uses, of out_c, to which
 * args then points. Errors: the codes of prepare.h; args and arrays are then unspecified. */
int32_t
oribi_micro_fully_connected_real_prepare(const struct oribi_micro_fully_connected_real_spec *spec,
                                         struct oribi_micro_fully_connected_real_args *args,
                                         int32_t *folded, double *scale);

#endif
