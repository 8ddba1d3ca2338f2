/* SPDX-License-Identifier: Apache-2.0 */
/* ONNX>QLinearMatMul in AVX2. See qlinear_matmul_loops.h. */
#define ORIBI_ISA avx2
#include "cpu/quantised/qlinear_matmul_loops.h"
