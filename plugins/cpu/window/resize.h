/* SPDX-License-Identifier: Apache-2.0 */
/* Separable resizing: a plan of axes. For each output coordinate its taps: micro/. */
#ifndef ORIBI_PLUGINS_CPU_RESIZE_H_
#define ORIBI_PLUGINS_CPU_RESIZE_H_

#include "cpu/base/walk.h"
#include "micro/resize/resize_taps_prepare.h"

typedef struct oribi_cpu_resize_plan {
    oribi_cpu_shape in, out;
    uint32_t resized;                    /* bit i: dimension i is, as axes[i] says */
    struct oribi_micro_resize_rule rule; /* nearest: any element type; else floats */
    struct oribi_micro_resize_axis axes[ORIBI_MAX_RANK]; /* of those that are resized */
    double outside; /* what elements outside the input are (tf_crop_and_resize) */
} oribi_cpu_resize_plan;

/* Output 0 from x by the plan: by element width where the nearest are taken, else numbers of type
 * `dtype`, which are weighed in float, those of double in double. */
bool oribi_cpu_resize(oribi_kit_run *run, const oribi_cpu_resize_plan *plan, const void *x,
                      TF_DataType dtype);
void *oribi_cpu_resize_onnx_create(TF_OpKernelConstruction *construction);
void oribi_cpu_resize_onnx_compute(void *state, TF_OpKernelContext *context);

#endif
