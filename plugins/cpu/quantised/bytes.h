/* SPDX-License-Identifier: Apache-2.0 */
/* Floats and bytes that become bytes, and bytes that become floats: the loops, which micro/ has in
 * portable C and bytes_loops.h for each instruction set, bit for bit, and the computations that
 * take such loops.
 */
#ifndef ORIBI_PLUGINS_CPU_BYTES_H_
#define ORIBI_PLUGINS_CPU_BYTES_H_

#include "cpu/quantised/quantized.h"

#include "micro/elementwise/curve_points_s16.h"
#include "micro/elementwise/lookup_8.h"
#include "micro/elementwise/mul_q.h"
#include "micro/elementwise/qlinear_binary.h"
#include "micro/norm/qlinear_softmax.h"
#include "micro/pool/qlinear_pool.h"
#include "micro/quantize/dequantize_linear.h"
#include "micro/quantize/quantize_linear.h"
#include "micro/hybrid/rows_to_bytes.h"

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
    void (*to_bytes)(const struct oribi_micro_row_steps *steps, const float *x, int32_t n,
                     uint8_t *y);
    void (*add)(const struct oribi_micro_qlinear_binary_args *args, const void *a, const void *b,
                void *output);
    void (*mul)(const struct oribi_micro_qlinear_binary_args *args, const void *a, const void *b,
                void *output);
    void (*max_pool)(const struct oribi_micro_qlinear_pool_args *args, const void *input,
                     void *output);
    void (*lookup)(const struct oribi_micro_lookup_8_args *args, const void *input, void *output);
    /* Of int16: n products, whose operands have steps of 0 or 1, and a curve whose table has a step
     * in its upper halves. */
    void (*mul_words)(const struct oribi_micro_mul_q_args *args, const int16_t *a, int32_t a_step,
                      const int16_t *b, int32_t b_step, int32_t n, int16_t *output);
    void (*curve)(const struct oribi_micro_curve_points_s16_args *args, const uint32_t *table,
                  const int16_t *input, int16_t *output);
} oribi_bytes;

/* The `range` in portable C. */
void oribi_bytes_range(const float *x, int64_t n, float range[2]);

/* Kernels' functions; what a create function makes, oribi_kit_free frees. */
void *oribi_linear_create(TF_OpKernelConstruction *construction);
void *oribi_dynamic_create(TF_OpKernelConstruction *construction);
void *oribi_softmax_create(TF_OpKernelConstruction *construction);
void *oribi_through_create(TF_OpKernelConstruction *construction);
void *oribi_qlinear_binary_create(TF_OpKernelConstruction *construction);
void *oribi_max_pool_create(TF_OpKernelConstruction *construction);
void *oribi_table_create(TF_OpKernelConstruction *construction); /* an oribi_byte_table */
void *oribi_unary_create(TF_OpKernelConstruction *construction); /* the same, of Oribi>QUnary */
void *oribi_words_create(TF_OpKernelConstruction *construction); /* Oribi>QMul, of int16 */
void *oribi_unary_words_create(TF_OpKernelConstruction *construction);
bool oribi_quantize_run(const void *state, oribi_kit_run *run, const oribi_bytes *loops);
bool oribi_dequantize_run(const void *state, oribi_kit_run *run, const oribi_bytes *loops);
bool oribi_dynamic_run(oribi_kit_run *run, const oribi_bytes *loops);
bool oribi_softmax_run(const void *state, oribi_kit_run *run, const oribi_bytes *loops);
bool oribi_through_run(const void *state, oribi_kit_run *run, const oribi_bytes *loops);
bool oribi_to_bytes_run(const void *state, oribi_kit_run *run, const oribi_bytes *loops);
bool oribi_qlinear_add_run(const void *state, oribi_kit_run *run, const oribi_bytes *loops);
bool oribi_qlinear_mul_run(const void *state, oribi_kit_run *run, const oribi_bytes *loops);
bool oribi_max_pool_run(const void *state, oribi_kit_run *run, const oribi_bytes *loops);
bool oribi_table_run(const void *state, oribi_kit_run *run, const oribi_bytes *loops);
bool oribi_mul_words_run(const void *state, oribi_kit_run *run, const oribi_bytes *loops);
bool oribi_unary_words_run(const void *state, oribi_kit_run *run, const oribi_bytes *loops);

#endif
