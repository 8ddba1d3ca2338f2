/* SPDX-License-Identifier: Apache-2.0 */
/* The op families of the cpu plugin, one line each: FAMILY(name) stands for the table
 * oribi_cpu_<name>_kernels, which the file of that family exports, VARIANT(part, set) for the table
 * oribi_cpu_<part>_<set>_kernels of one instruction set's file.
 */
#ifndef ORIBI_PLUGINS_CPU_FAMILIES_H_
#define ORIBI_PLUGINS_CPU_FAMILIES_H_

#include "cpu/base/cpu.h"

/* clang-format off */
#define ORIBI_CPU_FAMILIES(FAMILY, VARIANT) \
    FAMILY(view) \
    FAMILY(transpose) \
    FAMILY(concat) \
    FAMILY(slice) \
    FAMILY(shuffle) \
    FAMILY(pad) FAMILY(axes) \
    FAMILY(fill) \
    FAMILY(cast) \
    FAMILY(gather) FAMILY(nd) FAMILY(update_slice) FAMILY(element) FAMILY(triangle) FAMILY(unique) FAMILY(segment) FAMILY(einsum) FAMILY(determinant) FAMILY(dropout) \
    FAMILY(select) \
    FAMILY(index) \
    FAMILY(batch_space) \
    FAMILY(variable) \
    FAMILY(recurrent) FAMILY(lstm) FAMILY(lstm_full) FAMILY(onnx_recurrent_reference) FAMILY(onnx_recurrent_micro) FAMILY(onnx_recurrent_fast) \
    FAMILY(reduce_reference) \
    ORIBI_ISAS_OF_reduce(VARIANT) \
    FAMILY(unary_reference) \
    FAMILY(unary_onnx) \
    ORIBI_ISAS_OF_unary(VARIANT) \
    FAMILY(binary_reference) \
    ORIBI_ISAS_OF_binary(VARIANT) \
    FAMILY(pool_reference) \
    FAMILY(pool_nd) FAMILY(pool_places) FAMILY(lrn_onnx) \
    FAMILY(resize) \
    FAMILY(grid_sample) FAMILY(suppression) FAMILY(soft_suppression) FAMILY(detection) FAMILY(region_pool) FAMILY(deform_conv) FAMILY(put_back) FAMILY(transform_bilinear) \
    FAMILY(dft) FAMILY(rfft_2d) FAMILY(signal_source) FAMILY(signal_fft) FAMILY(random) FAMILY(audio) \
    ORIBI_ISAS_OF_pool(VARIANT) \
    FAMILY(norm_reference) FAMILY(row_norm) \
    ORIBI_ISAS_OF_norm(VARIANT) \
    FAMILY(conv_reference) FAMILY(conv) FAMILY(conv_backprop) FAMILY(conv_transpose) FAMILY(depthwise) \
    FAMILY(conv_nd) FAMILY(conv_nd_packed) \
    FAMILY(matmul_reference) FAMILY(matmul_wide) FAMILY(matmul) \
    FAMILY(attention_reference) FAMILY(attention) \
    FAMILY(qlinear) ORIBI_ISAS_OF_qlinear(VARIANT) \
    FAMILY(qlinear_binary) FAMILY(qlinear_elements) ORIBI_ISAS_OF_bytes(VARIANT) FAMILY(qlinear_matmul) FAMILY(qlinear_pool) \
    FAMILY(micro_layers) FAMILY(micro_window) \
    FAMILY(quantized_conv) FAMILY(quantized_dense) FAMILY(quantized_real) FAMILY(quantized_binary) \
    FAMILY(quantized_pool) FAMILY(quantized_sums) FAMILY(quantized_unary) FAMILY(quantized_unary_16) FAMILY(quantized_wide) FAMILY(quantized_math) \
    FAMILY(quantized_image) FAMILY(quantized_resize) FAMILY(quantized_cast) FAMILY(quantized_compare) FAMILY(quantized_through)
/* clang-format on */

#define ORIBI_CPU_DECLARE_FAMILY(name)       extern const oribi_cpu_kernel oribi_cpu_##name##_kernels[];
#define ORIBI_CPU_DECLARE_VARIANT(part, set) ORIBI_CPU_DECLARE_FAMILY(part##_##set)
ORIBI_CPU_FAMILIES(ORIBI_CPU_DECLARE_FAMILY, ORIBI_CPU_DECLARE_VARIANT)
#undef ORIBI_CPU_DECLARE_FAMILY
#undef ORIBI_CPU_DECLARE_VARIANT

#endif
