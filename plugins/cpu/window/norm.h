/* SPDX-License-Identifier: Apache-2.0 */
/* Normalisations: Softmax, LogSoftmax, LRN, FusedBatchNorm, Oribi>LayerNorm and its kin. The
 * computes that every loop is called from; loops live in norm_reference.c and norm_loops.h.
 */
#ifndef ORIBI_PLUGINS_CPU_NORM_H_
#define ORIBI_PLUGINS_CPU_NORM_H_

#include "cpu/base/cpu_shape.h"

/* Rows [0, rows) of `columns` elements each; y may be x. */
typedef void (*oribi_cpu_softmax_rows)(const void *x, void *y, int64_t rows, int64_t columns);
/* bytes: of an element. */
void oribi_cpu_softmax_compute(TF_OpKernelContext *context, oribi_cpu_softmax_rows rows,
                               size_t bytes);

/* Local response normalisation across channels. */
typedef struct oribi_cpu_lrn {
    const float *x;
    float *y;
    int64_t channels, radius;
    float bias, alpha, beta;
} oribi_cpu_lrn;
/* Pixels [begin, end); y is not x. */
typedef void (*oribi_cpu_lrn_pixels)(const oribi_cpu_lrn *lrn, int64_t begin, int64_t end);
void *oribi_cpu_lrn_create(TF_OpKernelConstruction *construction);
void oribi_cpu_lrn_compute(const void *state, TF_OpKernelContext *context,
                           oribi_cpu_lrn_pixels pixels);

/* One row of y = (x - mean) * factor + offset (+ side), then perhaps Relu. `step` 1: a value per
 * element; 0: one for the whole row. side may be NULL; y may be x or side. */
typedef struct oribi_cpu_bn_row {
    const float *x, *mean, *factor, *offset, *side;
    float *y;
    int64_t count;
    bool has_step, has_relu;
} oribi_cpu_bn_row;
typedef void (*oribi_cpu_bn_loop)(const oribi_cpu_bn_row *row);
void *oribi_cpu_bn_create(TF_OpKernelConstruction *construction);    /* FusedBatchNormV3 */
void *oribi_cpu_bn_ex_create(TF_OpKernelConstruction *construction); /* _FusedBatchNormEx */
void oribi_cpu_bn_compute(const void *state, TF_OpKernelContext *context, oribi_cpu_bn_loop loop);

/* y = (x - mean) / deviation * scale + offset of rows of `columns` elements, or without the mean.
 * scale and offset may be NULL; y may be x. */
typedef struct oribi_cpu_row_norm {
    const void *x, *scale, *offset;
    void *y;
    int64_t columns;
    float epsilon;
} oribi_cpu_row_norm;
typedef void (*oribi_cpu_norm_rows)(const oribi_cpu_row_norm *norm, int64_t begin, int64_t end);
void *oribi_cpu_row_norm_create(TF_OpKernelConstruction *construction);
void oribi_cpu_row_norm_compute(const void *state, TF_OpKernelContext *context,
                                oribi_cpu_norm_rows rows);

#endif
