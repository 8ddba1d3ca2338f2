/* SPDX-License-Identifier: Apache-2.0 */
/* The op families of the cpu plugin, one line each: FAMILY(name) stands for the table
 * oribi_cpu_<name>_kernels, which the file of that family exports.
 */
#ifndef ORIBI_PLUGINS_CPU_FAMILIES_H_
#define ORIBI_PLUGINS_CPU_FAMILIES_H_

#include "cpu/cpu.h"

/* clang-format off */
#define ORIBI_CPU_FAMILIES(FAMILY) \
    FAMILY(view) \
    FAMILY(transpose) \
    FAMILY(concat) \
    FAMILY(slice) \
    FAMILY(shuffle) \
    FAMILY(pad) \
    FAMILY(fill) \
    FAMILY(cast) \
    FAMILY(gather) \
    FAMILY(select) \
    FAMILY(index) \
    FAMILY(batch_space) \
    FAMILY(variable) \
    FAMILY(recurrent) FAMILY(lstm) FAMILY(lstm_full) \
    FAMILY(reduce_reference) \
    FAMILY(reduce_portable) \
    FAMILY(reduce_x86_avx2) \
    FAMILY(unary_reference) \
    FAMILY(unary_onnx) \
    FAMILY(unary_portable) \
    FAMILY(unary_x86_avx2) \
    FAMILY(binary_reference) \
    FAMILY(binary_portable) \
    FAMILY(binary_x86_avx2) \
    FAMILY(pool_reference) \
    FAMILY(pool_nd) \
    FAMILY(resize) \
    FAMILY(pool_portable) \
    FAMILY(pool_x86_avx2) \
    FAMILY(norm_reference) \
    FAMILY(norm_portable) \
    FAMILY(norm_x86_avx2) \
    FAMILY(conv_reference) FAMILY(conv) FAMILY(conv_backprop) FAMILY(depthwise) \
    FAMILY(matmul_reference) FAMILY(matmul) \
    FAMILY(qlinear) FAMILY(qlinear_portable) FAMILY(qlinear_x86_avx2) \
    FAMILY(qlinear_binary) FAMILY(qlinear_elements) FAMILY(qlinear_matmul) FAMILY(qlinear_pool) \
    FAMILY(micro_layers) FAMILY(micro_math) \
    FAMILY(quantized_conv) FAMILY(quantized_dense) FAMILY(quantized_binary) \
    FAMILY(quantized_pool) FAMILY(quantized_unary) FAMILY(quantized_unary_16) FAMILY(quantized_wide) FAMILY(quantized_math) \
    FAMILY(quantized_image) FAMILY(quantized_resize) FAMILY(quantized_cast)
/* clang-format on */

#define ORIBI_CPU_DECLARE_FAMILY(name) extern const oribi_cpu_kernel oribi_cpu_##name##_kernels[];
ORIBI_CPU_FAMILIES(ORIBI_CPU_DECLARE_FAMILY)
#undef ORIBI_CPU_DECLARE_FAMILY

#endif
