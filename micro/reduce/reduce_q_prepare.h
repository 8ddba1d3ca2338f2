/* SPDX-License-Identifier: Apache-2.0 */
/* Arguments of reduce_s8, wide_reduce and prod_q from what a model says. Host only. */
#ifndef ORIBI_MICRO_REDUCE_Q_PREPARE_H_
#define ORIBI_MICRO_REDUCE_Q_PREPARE_H_

#include "micro/prepare.h"
#include "micro/reduce/reduce_q.h"

enum { ORIBI_MICRO_REDUCE_SUM = 0, ORIBI_MICRO_REDUCE_MEAN = 1, ORIBI_MICRO_REDUCE_PROD = 2 };

struct oribi_micro_reduce_q_spec {
    int32_t kind; /* S8, U8 or S16 of element.h */
    const int32_t *dims;
    uint32_t summed; /* bit i: dimension i is */
    int32_t rank;
    int32_t function; /* one of those below */
    struct oribi_micro_quantisation input, output;
};

/* Fills args. Errors: the codes of prepare.h; OVERFLOW when a sum could leave int32, TOO_LARGE
 * above ORIBI_MAX_LOWERED_RANK dimensions, and when kept or summed dimensions do not join to
 * ORIBI_MICRO_REDUCE_Q_RANK. */
int32_t oribi_micro_reduce_q_prepare(const struct oribi_micro_reduce_q_spec *spec,
                                     struct oribi_micro_reduce_q_args *args);

#endif
