/* SPDX-License-Identifier: Apache-2.0 */
/* ONNX>QLinearMatMul in portable C. See qlinear_matmul_loops.h. */
#define ORIBI_ISA portable
#include "cpu/quantised/qlinear_matmul_loops.h"
