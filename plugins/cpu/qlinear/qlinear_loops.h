/* SPDX-License-Identifier: Apache-2.0 */
/* ONNX>QLinearConv2D, ONNX>QLinearMatMul and Oribi>HybridConv2D by panels, for the instruction set
 * whose file includes this (qlinear_panels.h). */
#include "cpu/qlinear/qlinear_panels.h"
#include "cpu/qlinear/qlinear_taps.h"

/* Sums of `count` channels of the taps. */
static inline void add_taps(const tap_list *taps, int32_t count, int32_t *sums);

/* Bytes of `n` pixels whose taps lie `step` behind those of the pixel before, of the first of
 * `count` channels; returns how many have been done. */
static inline int32_t end_taps(const tap_list *taps, int32_t count, int32_t n, int64_t step,
                               const ending *e, uint8_t *to, int64_t to_step);

/* Weights of TAPS_BLOCK channels, of `n` taps whose pairs lie `step` apart, a window's of rows of
 * `columns`, become bytes if that is exact and of use; else false. */
static inline bool narrow_taps(int16_t *taps, int64_t step, int32_t n, int32_t columns);

#include "cpu/qlinear/qlinear_hybrid_loops.h"

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
    {.op_name = "Oribi>HybridConv2D",
     ORIBI_ISA_FIELDS(ORIBI_ISA),
     .create = hybrid_create,
     .compute = hybrid_compute,
     .destroy = conv_destroy,
     .why = "products of packed matrices of integers, " ORIBI_ISA_NAME},
    {.op_name = NULL},
};
