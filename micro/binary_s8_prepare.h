/* SPDX-License-Identifier: Apache-2.0 */
/* Arguments of add_s8 (sums and differences) and mul_s8 from what a model says. Host only. */
#ifndef ORIBI_MICRO_BINARY_S8_PREPARE_H_
#define ORIBI_MICRO_BINARY_S8_PREPARE_H_

#include "micro/add_s8.h"
#include "micro/mul_s8.h"
#include "micro/prepare.h"

struct oribi_micro_binary_s8_spec {
    const int32_t *a_dims, *b_dims;
    int32_t a_rank, b_rank;
    struct oribi_micro_quantisation a, b, output;
    int32_t activation;
    int32_t variant; /* matters for products only */
};

/* Each fills args. Errors: the codes of prepare.h; args are then unspecified. */
int32_t oribi_micro_add_s8_prepare(const struct oribi_micro_binary_s8_spec *spec,
                                   struct oribi_micro_add_s8_args *args);
int32_t oribi_micro_sub_s8_prepare(const struct oribi_micro_binary_s8_spec *spec,
                                   struct oribi_micro_add_s8_args *args);
int32_t oribi_micro_mul_s8_prepare(const struct oribi_micro_binary_s8_spec *spec,
                                   struct oribi_micro_mul_s8_args *args);

#endif
