/* SPDX-License-Identifier: Apache-2.0 */
/* Separable resizing: a plan of axes, and for each output coordinate its taps. */
#ifndef ORIBI_PLUGINS_CPU_RESIZE_H_
#define ORIBI_PLUGINS_CPU_RESIZE_H_

#include "cpu/walk.h"

/* An output coordinate as a weighted sum of n input coordinates. */
typedef struct oribi_cpu_taps {
    int n;
    int64_t index[4];
    float weight[4];
} oribi_cpu_taps;

typedef struct oribi_cpu_resize_plan oribi_cpu_resize_plan;
struct oribi_cpu_resize_plan {
    oribi_cpu_shape in, out;
    bool is_resized[ORIBI_CPU_MAX_RANK];
    bool is_nearest; /* one tap each, of any element type; else floats */
    /* Taps of all out.dims[axis] coordinates. */
    void (*fill)(const oribi_cpu_resize_plan *plan, int axis, oribi_cpu_taps *out);
    bool align_corners, half_pixel;   /* of TensorFlow's ops */
    const void *onnx;                 /* attributes of ONNX>Resize */
    float scales[ORIBI_CPU_MAX_RANK]; /* of ONNX>Resize */
};

/* Output 0 from x by the plan. */
bool oribi_cpu_resize(oribi_cpu_run *run, const oribi_cpu_resize_plan *plan, const void *x,
                      size_t width);
void oribi_cpu_fill_tf_nearest(const oribi_cpu_resize_plan *plan, int axis, oribi_cpu_taps *out);
void oribi_cpu_fill_tf_linear(const oribi_cpu_resize_plan *plan, int axis, oribi_cpu_taps *out);
void *oribi_cpu_resize_onnx_create(TF_OpKernelConstruction *construction);
void oribi_cpu_resize_onnx_compute(void *state, TF_OpKernelContext *context);

#endif
