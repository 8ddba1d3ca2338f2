/* SPDX-License-Identifier: Apache-2.0 */
/* ONNX>QLinearConv2D and ONNX>QLinearMatMul by panels, for the instruction set whose file includes
 * this (qlinear_panels.h). */
#include "cpu/qlinear/qlinear_panels.h"
#include "cpu/qlinear/qlinear_taps.h"

/* Sums of `count` channels of the taps. */
static inline void add_taps(const tap_list *taps, int32_t count, int32_t *sums);

#include "cpu/qlinear/qlinear_conv_loops.h"
#include "cpu/qlinear/qlinear_matmul_loops.h"

const oribi_cpu_kernel ORIBI_ISA_TABLE(qlinear)[] = {
    {.op_name = "ONNX>QLinearConv2D",
     .types = {{"Tx", ORIBI_QUANTIZED_BYTES}, {"Tw", ORIBI_QUANTIZED_BYTES}},
     ORIBI_ISA_FIELDS(ORIBI_ISA),
     .create = conv_create,
     .compute = conv_compute,
     .destroy = conv_destroy,
     .why = "products of packed matrices of integers, " ORIBI_ISA_NAME},
    {.op_name = "ONNX>QLinearMatMul",
     .types = {{"Ta", ORIBI_QUANTIZED_BYTES}, {"Tb", ORIBI_QUANTIZED_BYTES}},
     ORIBI_ISA_FIELDS(ORIBI_ISA),
     .create = matmul_create,
     .compute = matmul_compute,
     .destroy = matmul_destroy,
     .why = "products of packed matrices of integers, " ORIBI_ISA_NAME},
    {.op_name = NULL},
};
