/* SPDX-License-Identifier: Apache-2.0 */
/* Arguments of products of computed matrices of float. Read next: matmul_f32.h. */
#ifndef ORIBI_MICRO_MATMUL_F32_ARGS_H_
#define ORIBI_MICRO_MATMUL_F32_ARGS_H_

#include "micro/broadcast.h"

struct oribi_micro_matmul_f32_args {
    struct oribi_micro_broadcast batch; /* in matrices; from broadcast_prepare.h */
    int32_t rows, inner, columns;
    int32_t a_row, a_column; /* steps in a between rows, and along the inner dimension */
    int32_t b_row, b_column; /* steps in b along the inner dimension, and between columns */
};

#endif
