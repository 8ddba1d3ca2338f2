/* SPDX-License-Identifier: Apache-2.0 */
/* Floats and bytes that become bytes, and bytes that become floats: the loops, which micro/ has in
 * portable C and bytes_loops.h for each instruction set, bit for bit, and the computations that
 * take such loops.
 */
#ifndef ORIBI_PLUGINS_CPU_BYTES_H_
#define ORIBI_PLUGINS_CPU_BYTES_H_

#include "cpu/quantised/quantized.h"

#include "micro/elementwise/lookup_8.h"
#include "micro/elementwise/qlinear_binary.h"
#include "micro/norm/qlinear_softmax.h"
#include "micro/pool/qlinear_pool.h"
#include "micro/quantize/dequantize_linear.h"
#include "micro/quantize/quantize_linear.h"
#include "micro/quantize/through_bytes.h"

typedef struct oribi_bytes {
    void (*quantize)(const struct oribi_micro_quantize_linear_args *args, const float *input,
                     const float *scales, const void *zeros, void *output);
    void (*dequantize)(const struct oribi_micro_dequantize_linear_args *args, const void *input,
                       const float *scales, const void *zeros, float *output);
    void (*range)(const float *x, int64_t n, float range[2]); /* widens it to all of x */
    void (*softmax)(const struct oribi_micro_qlinear_softmax_args *args, const void *input,
                    void *output);
    void (*through)(const struct oribi_micro_through_bytes_args *args, const float *input,
                    float *output);
    void (*add)(const struct oribi_micro_qlinear_binary_args *args, const void *a, const void *b,
                void *output);
    void (*mul)(const struct oribi_micro_qlinear_binary_args *args, const void *a, const void *b,
                void *output);
    void (*max_pool)(const struct oribi_micro_qlinear_pool_args *args, const void *input,
                     void *output);
    void (*lookup)(const struct oribi_micro_lookup_8_args *args, const void *input, void *output);
} oribi_bytes;

/* Kernels' functions; what a create function makes, oribi_kit_free frees. */
void *oribi_linear_create(TF_OpKernelConstruction *construction);
void *oribi_dynamic_create(TF_OpKernelConstruction *construction);
void *oribi_softmax_create(TF_OpKernelConstruction *construction);
void *oribi_through_create(TF_OpKernelConstruction *construction);
void *oribi_qlinear_binary_create(TF_OpKernelConstruction *construction);
void *oribi_max_pool_create(TF_OpKernelConstruction *construction);
void *oribi_table_create(TF_OpKernelConstruction *construction); /* an oribi_byte_table */
void *oribi_unary_create(TF_OpKernelConstruction *construction); /* the same, of Oribi>QUnary */
bool oribi_quantize_run(const void *state, oribi_kit_run *run, const oribi_bytes *loops);
bool oribi_dequantize_run(const void *state, oribi_kit_run *run, const oribi_bytes *loops);
bool oribi_dynamic_run(oribi_kit_run *run, const oribi_bytes *loops);
bool oribi_softmax_run(const void *state, oribi_kit_run *run, const oribi_bytes *loops);
bool oribi_through_run(const void *state, oribi_kit_run *run, const oribi_bytes *loops);
bool oribi_qlinear_add_run(const void *state, oribi_kit_run *run, const oribi_bytes *loops);
bool oribi_qlinear_mul_run(const void *state, oribi_kit_run *run, const oribi_bytes *loops);
bool oribi_max_pool_run(const void *state, oribi_kit_run *run, const oribi_bytes *loops);
bool oribi_table_run(const void *state, oribi_kit_run *run, const oribi_bytes *loops);

#endif
