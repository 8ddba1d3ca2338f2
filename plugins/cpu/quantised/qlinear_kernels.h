/* SPDX-License-Identifier: Apache-2.0 */
/* What the kernels of ONNX>QLinearConv2D share: attributes, and the arguments of micro/'s kernel,
 * which checks have passed. Read next: qlinear_kernels.c (the reference), qlinear_loops.h (fast).
 */
#ifndef ORIBI_PLUGINS_CPU_QLINEAR_H_
#define ORIBI_PLUGINS_CPU_QLINEAR_H_

#include "cpu/quantised/quantized.h"
#include "micro/conv/qlinear_conv2d.h"

void *oribi_qlinear_create(TF_OpKernelConstruction *construction); /* oribi_kit_free */
/* False: the inputs do not fit, and the run has failed. */
bool oribi_qlinear_fill(const void *state, oribi_kit_run *run,
                        struct oribi_micro_qlinear_conv2d_args *out);

#endif
