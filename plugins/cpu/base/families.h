/* SPDX-License-Identifier: Apache-2.0 */
/* The op families of the cpu plugin, one line each: FAMILY(name) stands for the table
 * oribi_cpu_<name>_kernels, which the file of that family exports, VARIANT(part, set) for the table
 * oribi_cpu_<part>_<set>_kernels of one instruction set's file. EXTRA(name), EXTRA_VARIANT(part,
 * set) is a family of rarer ops: the archive has it as the others, the shared library leaves it to
 * oribi_cpu_extra.so (cpu_extra.c). All kernels of an op stand on one side, but those with a label:
 * who asks for a label has that file loaded.
 */
#ifndef ORIBI_PLUGINS_CPU_FAMILIES_H_
#define ORIBI_PLUGINS_CPU_FAMILIES_H_

#include "cpu/base/cpu.h"

/* clang-format off */
#define ORIBI_CPU_FAMILIES(FAMILY, VARIANT, EXTRA, EXTRA_VARIANT) \
    FAMILY(view) \
    FAMILY(transpose) \
    FAMILY(concat) \
    FAMILY(slice) \
    FAMILY(shuffle) \
    FAMILY(pad) EXTRA(axes) \
    EXTRA(fill) \
    FAMILY(cast) \
    FAMILY(gather) EXTRA(nd) EXTRA(update_slice) EXTRA(element) EXTRA(triangle) EXTRA(unique) EXTRA(segment) EXTRA(einsum) EXTRA(linear_systems) EXTRA(dropout) \
    FAMILY(select) \
    EXTRA(index) \
    EXTRA(batch_space) \
    EXTRA(variable) \
    EXTRA(recurrent) EXTRA(lstm) EXTRA(lstm_full) EXTRA(onnx_recurrent_reference) EXTRA(onnx_recurrent_micro) EXTRA(onnx_recurrent_fast) \
    FAMILY(reduce_reference) \
    ORIBI_ISAS_OF_reduce(VARIANT) \
    FAMILY(unary_reference) \
    FAMILY(unary_onnx) \
    ORIBI_ISAS_OF_unary(VARIANT) \
    FAMILY(binary_reference) \
    ORIBI_ISAS_OF_binary(VARIANT) \
    FAMILY(pool_reference) \
    EXTRA(pool_nd) EXTRA(pool_places) EXTRA(lrn_onnx) \
    EXTRA(resize) \
    EXTRA(grid_sample) EXTRA(suppression) EXTRA(soft_suppression) EXTRA(detection) EXTRA(region_pool) EXTRA(deform_conv) EXTRA(put_back) EXTRA(transform_bilinear) \
    EXTRA(dft) EXTRA(rfft_2d) EXTRA(signal_source) EXTRA(signal_fft) EXTRA(random) EXTRA(stateless_random) EXTRA(audio) EXTRA(decode_wav) \
    ORIBI_ISAS_OF_pool(VARIANT) \
    FAMILY(norm_reference) FAMILY(row_norm) \
    ORIBI_ISAS_OF_norm(VARIANT) \
    FAMILY(conv_reference) FAMILY(conv) FAMILY(conv_backprop) EXTRA(conv_transpose) FAMILY(depthwise) \
    EXTRA(conv_nd) EXTRA(conv_nd_packed) \
    FAMILY(matmul_reference) FAMILY(matmul_wide) FAMILY(matmul) \
    EXTRA(matmul_bits_reference) EXTRA(matmul_bits) \
    FAMILY(attention_reference) FAMILY(attention) EXTRA(linear_attention) EXTRA(append_cache) \
    FAMILY(string_equal) EXTRA(strings) EXTRA(string_split) EXTRA(regex_kernel) EXTRA(learned) EXTRA(tree) EXTRA(list) \
    EXTRA(text_elements) EXTRA(text_numbers) EXTRA(text_hash) EXTRA(string_split_sparse) EXTRA(regex_replace) EXTRA(unicode) EXTRA(ngrams) EXTRA(text_join) EXTRA(text_bytes) EXTRA(bincount) EXTRA(sparse) EXTRA(ragged) EXTRA(example) \
    EXTRA(qlinear) ORIBI_ISAS_OF_qlinear(EXTRA_VARIANT) \
    EXTRA(qlinear_binary) EXTRA(qlinear_elements) ORIBI_ISAS_OF_bytes(EXTRA_VARIANT) EXTRA(qlinear_matmul) EXTRA(qlinear_pool) \
    EXTRA(micro_layers) EXTRA(micro_window) \
    FAMILY(quantized_conv) FAMILY(quantized_depthwise) FAMILY(quantized_dense) EXTRA(quantized_real) FAMILY(quantized_binary) \
    FAMILY(quantized_pool) EXTRA(quantized_sums) FAMILY(quantized_unary) FAMILY(quantized_unary_16) EXTRA(quantized_wide) EXTRA(quantized_math) \
    EXTRA(quantized_image) EXTRA(quantized_resize) FAMILY(quantized_cast) EXTRA(quantized_compare) EXTRA(quantized_through)
/* clang-format on */

#define ORIBI_CPU_DECLARE_FAMILY(name)             extern const oribi_cpu_kernel oribi_cpu_##name##_kernels[];
#define ORIBI_CPU_DECLARE_VARIANT(part, set)       ORIBI_CPU_DECLARE_FAMILY(part##_##set)
#define ORIBI_CPU_DECLARE_EXTRA_VARIANT(part, set) ORIBI_CPU_DECLARE_EXTRA(part##_##set)
#ifdef ORIBI_CPU_EXTRA /* said by cpu_extra.c, which must have them */
#define ORIBI_CPU_DECLARE_EXTRA(name) ORIBI_CPU_DECLARE_FAMILY(name)
#else
#define ORIBI_CPU_DECLARE_EXTRA(name)                                                              \
    extern const oribi_cpu_kernel oribi_cpu_##name##_kernels[] __attribute__((weak));
#endif
ORIBI_CPU_FAMILIES(ORIBI_CPU_DECLARE_FAMILY, ORIBI_CPU_DECLARE_VARIANT, ORIBI_CPU_DECLARE_EXTRA,
                   ORIBI_CPU_DECLARE_EXTRA_VARIANT)
#undef ORIBI_CPU_DECLARE_FAMILY
#undef ORIBI_CPU_DECLARE_VARIANT
#undef ORIBI_CPU_DECLARE_EXTRA
#undef ORIBI_CPU_DECLARE_EXTRA_VARIANT

#endif
