/* SPDX-License-Identifier: Apache-2.0 */
/* Arguments of prelu_s8 and wide_prelu from what a model says. Host only. */
#ifndef ORIBI_MICRO_PRELU_Q_PREPARE_H_
#define ORIBI_MICRO_PRELU_Q_PREPARE_H_

#include "micro/elementwise/prelu_q.h"
#include "micro/prepare.h"

struct oribi_micro_prelu_q_spec {
    int32_t kind; /* S8, U8 or S16 of element.h */
    const int32_t *dims, *slope_dims;
    int32_t rank, slope_rank;
    struct oribi_micro_quantisation input, slope, output;
    int32_t variant;
};

/* Fills args. Errors: the codes of prepare.h, INVALID also when slopes are larger than the input.
 */
int32_t oribi_micro_prelu_q_prepare(const struct oribi_micro_prelu_q_spec *spec,
                                    struct oribi_micro_prelu_q_args *args);

#endif
