/* SPDX-License-Identifier: Apache-2.0 */
/* Separable resizing: a plan of axes. For each output coordinate its taps: micro/. */
#ifndef ORIBI_PLUGINS_CPU_RESIZE_H_
#define ORIBI_PLUGINS_CPU_RESIZE_H_

#include "cpu/base/walk.h"
#include "micro/resize/resize_taps_prepare.h"

typedef struct oribi_cpu_resize_plan {
    oribi_cpu_shape in, out;
    uint32_t resized;                    /* bit i: dimension i is */
    struct oribi_micro_resize_rule rule; /* nearest: any element type; else floats */
    float scales[ORIBI_MAX_RANK];        /* of ONNX>Resize */
} oribi_cpu_resize_plan;

/* Output 0 from x by the plan. */
bool oribi_cpu_resize(oribi_kit_run *run, const oribi_cpu_resize_plan *plan, const void *x,
                      size_t width);
void *oribi_cpu_resize_onnx_create(TF_OpKernelConstruction *construction);
void oribi_cpu_resize_onnx_compute(void *state, TF_OpKernelContext *context);

#endif
