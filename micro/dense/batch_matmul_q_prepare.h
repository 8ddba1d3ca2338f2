/* SPDX-License-Identifier: Apache-2.0 */
/* Arguments of batch_matmul_s8 and batch_matmul_s16 from what a model says. Host only. */
#ifndef ORIBI_MICRO_BATCH_MATMUL_Q_PREPARE_H_
#define ORIBI_MICRO_BATCH_MATMUL_Q_PREPARE_H_

#include "micro/dense/batch_matmul_q.h"
#include "micro/prepare.h"

struct oribi_micro_batch_matmul_q_spec {
    int32_t kind;                   /* S8 or S16 of element.h */
    const int32_t *a_dims, *b_dims; /* as they lie in memory */
    int32_t a_rank, b_rank;         /* at least 2 */
    int32_t a_transposed, b_transposed;
    struct oribi_micro_quantisation a, b, output;
};

/* Fills args. Errors: the codes of prepare.h; INVALID also for sizes that do not meet, OVERFLOW
 * when a sum could leave int32. */
int32_t oribi_micro_batch_matmul_q_prepare(const struct oribi_micro_batch_matmul_q_spec *spec,
                                           struct oribi_micro_batch_matmul_q_args *args);

#endif
