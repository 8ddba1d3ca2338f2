/* SPDX-License-Identifier: Apache-2.0 */
/* The prepare half of svdf_s8 and svdf_narrow_s8: sizes and multipliers. Host only. */
#ifndef ORIBI_MICRO_SVDF_S8_PREPARE_H_
#define ORIBI_MICRO_SVDF_S8_PREPARE_H_

#include "micro/prepare.h"
#include "micro/svdf/svdf_s8.h"

struct oribi_micro_svdf_s8_spec {
    int32_t batch, in_c, filters, rank, memory;
    struct oribi_micro_quantisation input, output;
    float feature_scale, time_scale, state_scale;
    int32_t state_zero; /* of a state of int8, else 0 */
};

/* Fills all of args but the pointers.
 * Errors: INVALID when the rank does not divide the filters, or a scale is none. */
int32_t oribi_micro_svdf_s8_prepare(const struct oribi_micro_svdf_s8_spec *spec,
                                    struct oribi_micro_svdf_s8_args *args);

#endif
