/* SPDX-License-Identifier: Apache-2.0 */
/* What the kernels of ONNX>QLinearMatMul share: attributes, checks, and a call. Read next:
 * qlinear_matmul_kernels.c, qlinear_matmul_loops.h.
 */
#ifndef ORIBI_PLUGINS_CPU_QLINEAR_PRODUCT_H_
#define ORIBI_PLUGINS_CPU_QLINEAR_PRODUCT_H_

#include "cpu/quantised/quantized.h"

#include "micro/dense/qlinear_matmul.h"

typedef struct oribi_qlinear_matmul_state {
    struct oribi_micro_qlinear_matmul_args args; /* sizes unset */
    TF_DataType output;
} oribi_qlinear_matmul_state;

typedef struct oribi_qlinear_matmul_call {
    struct oribi_micro_qlinear_matmul_args args;
    const uint8_t *a, *b;
    const int32_t *a_zeros, *b_zeros;
    const float *multipliers;
    char *output;
    int64_t width;    /* bytes of a result */
    int64_t matrices; /* products; 0: the result is empty */
} oribi_qlinear_matmul_call;

void oribi_qlinear_matmul_read(oribi_kit_setup *setup, oribi_qlinear_matmul_state *state);
/* Checks the inputs and makes the output. False: the run has failed. */
bool oribi_qlinear_matmul_begin(const oribi_qlinear_matmul_state *state, oribi_kit_run *run,
                                oribi_qlinear_matmul_call *out);

#endif
