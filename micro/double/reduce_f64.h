/* SPDX-License-Identifier: Apache-2.0 */
/* Reductions of double along any axes, all in one file: models that compute in double are few. */
#ifndef ORIBI_MICRO_REDUCE_F64_H_
#define ORIBI_MICRO_REDUCE_F64_H_

#include "micro/reduce/reduce_f32.h"

enum {
    ORIBI_MICRO_F64_REDUCE_EUCLIDEAN_NORM,
    ORIBI_MICRO_F64_REDUCE_MAX,
    ORIBI_MICRO_F64_REDUCE_MEAN,
    ORIBI_MICRO_F64_REDUCE_MIN,
    ORIBI_MICRO_F64_REDUCE_PROD,
    ORIBI_MICRO_F64_REDUCE_SUM,
    ORIBI_MICRO_F64_REDUCE_COUNT
};

struct oribi_micro_reduce_f64_args {
    int32_t function;
    struct oribi_micro_reduce_f32_args walk; /* steps are doubles */
};

/* As the kernels of reduce_f32.h. */
void oribi_micro_reduce_f64(const struct oribi_micro_reduce_f64_args *args, const double *input,
                            double *output);

#endif
