/* SPDX-License-Identifier: Apache-2.0 */
/* What the kernels of ONNX>QLinearMatMul share: attributes, checks, and a call, whose rows each
 * kernel computes in its way. Read next: qlinear_matmul_kernels.c, qlinear_matmul_loops.h.
 */
#ifndef ORIBI_PLUGINS_CPU_QLINEAR_PRODUCT_H_
#define ORIBI_PLUGINS_CPU_QLINEAR_PRODUCT_H_

#include "cpu/quantised/quantized.h"

#include "micro/dense/qlinear_matmul.h"

typedef struct oribi_qlinear_matmul_call {
    struct oribi_micro_qlinear_matmul_args args;
    const uint8_t *a, *b;
    const int32_t *a_zeros, *b_zeros;
    const float *multipliers;
    char *output;
    int64_t row; /* bytes of the result */
} oribi_qlinear_matmul_call;

void *oribi_qlinear_matmul_create(TF_OpKernelConstruction *construction); /* oribi_kit_free */
/* Checks the inputs and calls `rows` with a call and a range of rows of all products. */
bool oribi_qlinear_matmul_run(const void *state, oribi_kit_run *run, oribi_kit_range rows);

#endif
