/* SPDX-License-Identifier: Apache-2.0 */
/* Arguments of sums, differences, products and extremes of quantised tensors from what a model
 * says. Host only.
 */
#ifndef ORIBI_MICRO_BINARY_Q_PREPARE_H_
#define ORIBI_MICRO_BINARY_Q_PREPARE_H_

#include "micro/elementwise/add_s8.h"
#include "micro/elementwise/mul_q.h"
#include "micro/prepare.h"
#include "micro/elementwise/wide_add.h"

struct oribi_micro_binary_q_spec {
    const int32_t *a_dims, *b_dims;
    int32_t a_rank, b_rank;
    int32_t kind; /* S8, U8 or S16 of element.h, of all three */
    struct oribi_micro_quantisation a, b, output;
    int32_t activation;
    int32_t variant;        /* matters for products, and for sums with prefers_binary */
    int32_t prefers_binary; /* 1: sums of int16 whose scales are powers of two go by shifts alone */
};

/* Each fills args: of int8; of int8, uint8 or int16; of uint8 or int16. Errors: the codes of
 * prepare.h; args are then unspecified. */
int32_t oribi_micro_add_s8_prepare(const struct oribi_micro_binary_q_spec *spec,
                                   struct oribi_micro_add_s8_args *args);
int32_t oribi_micro_sub_s8_prepare(const struct oribi_micro_binary_q_spec *spec,
                                   struct oribi_micro_add_s8_args *args);
int32_t oribi_micro_mul_q_prepare(const struct oribi_micro_binary_q_spec *spec,
                                  struct oribi_micro_mul_q_args *args);
int32_t oribi_micro_div_q_prepare(const struct oribi_micro_binary_q_spec *spec,
                                  struct oribi_micro_mul_q_args *args);
int32_t oribi_micro_wide_add_prepare(const struct oribi_micro_binary_q_spec *spec,
                                     struct oribi_micro_wide_add_args *args);
int32_t oribi_micro_wide_sub_prepare(const struct oribi_micro_binary_q_spec *spec,
                                     struct oribi_micro_wide_add_args *args);
/* Of int8 and int16. */
int32_t oribi_micro_squared_difference_q_prepare(const struct oribi_micro_binary_q_spec *spec,
                                                 struct oribi_micro_wide_add_args *args);

#endif
