/* SPDX-License-Identifier: Apache-2.0 */
/* What the kernels of ONNX>QLinearConv2D and Oribi>HybridConv2D share: attributes, and the
 * arguments of micro/'s kernel, which checks have passed. Read next: qlinear_kernels.c (the
 * reference), qlinear_loops.h (fast).
 */
#ifndef ORIBI_PLUGINS_CPU_QLINEAR_H_
#define ORIBI_PLUGINS_CPU_QLINEAR_H_

#include "cpu/quantised/quantized.h"
#include "micro/conv/qlinear_conv2d.h"

typedef struct oribi_qlinear_state {
    TF_DataType input, filter, output;
    int32_t input_zero, output_zero;
    int32_t stride_h, stride_w, dilation_h, dilation_w;
    int64_t pads[4];
    int32_t low, high;
    bool is_hybrid; /* Oribi>HybridConv2D: results are floats between these */
    float least, most;
} oribi_qlinear_state;

void oribi_qlinear_read(oribi_kit_setup *setup, oribi_qlinear_state *state);
void oribi_hybrid_read(oribi_kit_setup *setup, oribi_qlinear_state *state);
/* False: the inputs do not fit, and the run has failed. */
bool oribi_qlinear_fill(const oribi_qlinear_state *s, oribi_kit_run *run,
                        struct oribi_micro_qlinear_conv2d_args *out);
#endif
