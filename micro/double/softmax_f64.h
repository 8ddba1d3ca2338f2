/* SPDX-License-Identifier: Apache-2.0 */
/* Softmax of double, along rows, or its logarithm. */
#ifndef ORIBI_MICRO_SOFTMAX_F64_H_
#define ORIBI_MICRO_SOFTMAX_F64_H_

#include <stdint.h>

struct oribi_micro_softmax_f64_args {
    int32_t rows, columns;
    int32_t is_logarithm;
};

/* As the kernels of softmax_f32.h. */
void oribi_micro_softmax_f64(const struct oribi_micro_softmax_f64_args *args, const double *input,
                             double *output);

#endif
