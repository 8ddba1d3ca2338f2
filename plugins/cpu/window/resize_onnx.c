/* SPDX-License-Identifier: Apache-2.0 */
/* ONNX>Resize: its attributes, and the plan that its scales or sizes make. */
#include "cpu/base/optional.h"
#include "cpu/window/resize.h"

#include "micro/dims.h"

#include <string.h>

typedef struct onnx_state {
    char policy[16];
    struct oribi_micro_resize_rule rule;
    float outside; /* what elements outside the input are */
    oribi_dims axes;
    int input[4]; /* flat index of X, roi, scales, sizes; -1: absent */
} onnx_state;

void *oribi_cpu_resize_onnx_create(TF_OpKernelConstruction *construction)
{
    oribi_kit_setup setup;
    char coordinates[32] = "", mode[16] = "", nearest[24] = "";
    int64_t exclude = 0, antialias = 0;
    onnx_state *state = oribi_kit_setup_begin(&setup, construction, sizeof *state);
    if (state == NULL) {
        return oribi_kit_setup_end(&setup);
    }
    oribi_kit_attr_string(&setup, "coordinate_transformation_mode", coordinates,
                          sizeof coordinates);
    oribi_kit_attr_string(&setup, "keep_aspect_ratio_policy", state->policy, sizeof state->policy);
    oribi_kit_attr_string(&setup, "mode", mode, sizeof mode);
    oribi_kit_attr_string(&setup, "nearest_mode", nearest, sizeof nearest);
    oribi_kit_attr_float(&setup, "cubic_coeff_a", &state->rule.cubic_a);
    oribi_kit_attr_int(&setup, "exclude_outside", &exclude);
    oribi_kit_attr_int(&setup, "antialias", &antialias);
    oribi_kit_attr_ints(&setup, "axes", state->axes.at, ORIBI_MAX_RANK, &state->axes.n);
    state->rule.exclude_outside = exclude != 0 ? 1 : 0;
    state->rule.coordinates = oribi_micro_resize_coordinates(coordinates);
    state->rule.mode = oribi_micro_resize_mode(mode);
    state->rule.nearest = oribi_micro_resize_nearest_mode(nearest);
    oribi_cpu_read_present(&setup, 4, 1, state->input);
    oribi_kit_attr_float(&setup, "extrapolation_value", &state->outside);
    state->rule.antialias = antialias != 0 && state->rule.mode != ORIBI_MICRO_RESIZE_NEAREST;
    if (state->rule.coordinates == ORIBI_MICRO_RESIZE_TF_CROP && state->input[1] < 0) {
        (void)oribi_kit_setup_fail(&setup, TF_INVALID_ARGUMENT,
                                   "tf_crop_and_resize needs the input roi");
    }
    return oribi_kit_setup_end(&setup);
}

/* Size and scale of one of the listed axes, into the plan. */
static bool plan_axis(oribi_kit_run *run, oribi_cpu_resize_plan *plan, int64_t axis, float scale,
                      float length, int64_t size)
{
    struct oribi_micro_resize_axis *a = &plan->axes[axis];
    const int64_t in = plan->in.at[axis];
    if (in == 0 && size != 0) {
        return oribi_kit_fail(run, TF_INVALID_ARGUMENT, "dimension %lld is empty and cannot grow",
                              (long long)axis);
    }
    if (in > INT32_MAX) {
        return oribi_kit_fail(run, TF_INVALID_ARGUMENT, "dimension %lld is above 2^31",
                              (long long)axis);
    }
    *a = (struct oribi_micro_resize_axis){in, size, scale, length, a->start, a->end};
    plan->out.at[axis] = size;
    plan->resized &= ~(1U << axis); /* an axis may be named twice: the last one counts */
    const bool is_part = plan->rule.coordinates == ORIBI_MICRO_RESIZE_TF_CROP &&
                         (a->start < 0 || a->start > 0 || a->end < 1 || a->end > 1);
    plan->resized |= size != in || scale < 1 || scale > 1 || is_part ? 1U << axis : 0;
    return true;
}

static bool plan_scale(oribi_kit_run *run, oribi_cpu_resize_plan *plan, int64_t axis, float scale)
{
    const float length = (float)plan->in.at[axis] * scale;
    int64_t size = 0;
    if (!(scale > 0) || !oribi_real_to_size((double)length, &size) || size > INT32_MAX) {
        return oribi_kit_fail(run, TF_INVALID_ARGUMENT,
                              "scale %g of dimension %lld is not possible", (double)scale,
                              (long long)axis);
    }
    return plan_axis(run, plan, axis, scale, length, size);
}

static bool plan_size(oribi_kit_run *run, oribi_cpu_resize_plan *plan, int64_t axis, int64_t size)
{
    const float scale = (float)((double)size / (double)plan->in.at[axis]);
    return plan_axis(run, plan, axis, scale, (float)size, size);
}

/* With a policy that keeps the ratio, one scale goes for all axes; empty ones have no say. */
static float common_scale(const onnx_state *state, const oribi_cpu_resize_plan *plan,
                          const oribi_dims *axes, const oribi_dims *sizes)
{
    float scale = -1;
    for (int i = 0; i < axes->n; i++) {
        if (plan->in.at[axes->at[i]] == 0) {
            continue;
        }
        float one = (float)sizes->at[i] / (float)plan->in.at[axes->at[i]];
        bool better = strcmp(state->policy, "not_larger") == 0 ? one < scale : one > scale;
        scale = scale < 0 || better ? one : scale;
    }
    return scale < 0 ? 1 : scale;
}

static bool onnx_sizes(oribi_kit_run *run, const onnx_state *state, oribi_cpu_resize_plan *plan,
                       const oribi_dims *axes)
{
    oribi_dims sizes;
    if (!oribi_cpu_read_dims(run, state->input[3], "sizes", &sizes)) {
        return false;
    }
    bool good = sizes.n == axes->n;
    for (int i = 0; good && i < axes->n; i++) {
        good = sizes.at[i] >= 0 && sizes.at[i] <= INT32_MAX;
    }
    if (!good) {
        return oribi_kit_fail(run, TF_INVALID_ARGUMENT, "sizes must be %d integers from 0 to 2^31",
                              axes->n);
    }
    if (strcmp(state->policy, "stretch") != 0) {
        float scale = common_scale(state, plan, axes, &sizes);
        for (int i = 0; good && i < axes->n; i++) {
            double in = (double)plan->in.at[axes->at[i]];
            int64_t size = 0;
            if (!oribi_real_to_size((double)scale * in + 0.5, &size) || size > INT32_MAX) {
                return oribi_kit_fail(run, TF_INVALID_ARGUMENT,
                                      "sizes that keep the ratio of %s are not possible",
                                      oribi_cpu_shape_text(&plan->in).chars);
            }
            good = plan_axis(run, plan, axes->at[i], scale, (float)in * scale, size);
        }
        return good;
    }
    for (int i = 0; good && i < axes->n; i++) {
        good = plan_size(run, plan, axes->at[i], sizes.at[i]);
    }
    return good;
}

/* Starts and ends of the listed axes. */
static bool read_region(oribi_kit_run *run, const onnx_state *state, oribi_cpu_resize_plan *plan,
                        const oribi_dims *axes)
{
    if (state->rule.coordinates != ORIBI_MICRO_RESIZE_TF_CROP) {
        return true;
    }
    const TF_Tensor *roi = run->in[state->input[1]];
    const TF_DataType type = TF_TensorType(roi);
    if ((type != TF_FLOAT && type != TF_DOUBLE) || TF_TensorElementCount(roi) != 2 * axes->n) {
        return oribi_kit_fail(run, TF_INVALID_ARGUMENT, "roi must be %d floats or doubles",
                              2 * axes->n);
    }
    for (int i = 0; i < 2 * axes->n; i++) {
        const float v = type == TF_FLOAT ? ((const float *)TF_TensorData(roi))[i]
                                         : (float)((const double *)TF_TensorData(roi))[i];
        struct oribi_micro_resize_axis *a = &plan->axes[axes->at[i % axes->n]];
        *(i < axes->n ? &a->start : &a->end) = v;
    }
    return true;
}

static bool onnx_plan(oribi_kit_run *run, const onnx_state *state, oribi_cpu_resize_plan *plan)
{
    oribi_dims axes = {.n = 0};
    if (TF_TensorType(run->in[0]) != TF_ExpectedOutputDataType(run->context, 0)) {
        return oribi_kit_fail(run, TF_INVALID_ARGUMENT,
                              "X is of type %d and the output of type %d; they must be the same",
                              (int)TF_TensorType(run->in[0]),
                              (int)TF_ExpectedOutputDataType(run->context, 0));
    }
    if (!oribi_cpu_input_shape(run, 0, &plan->in)) {
        return false;
    }
    plan->out = plan->in;
    const int n = state->axes.n == 0 ? plan->in.n : state->axes.n;
    for (int i = 0; i < n; i++) {
        int axis = 0;
        if (!oribi_cpu_axis(run, state->axes.n == 0 ? i : state->axes.at[i], plan->in.n, &axis) ||
            !oribi_dims_add(&axes, axis)) {
            return false;
        }
    }
    if (!read_region(run, state, plan, &axes)) {
        return false;
    }
    if (state->input[3] >= 0) {
        return onnx_sizes(run, state, plan, &axes);
    }
    const TF_Tensor *scales = state->input[2] < 0 ? NULL : run->in[state->input[2]];
    if (scales == NULL || TF_TensorType(scales) != TF_FLOAT || TF_TensorElementCount(scales) != n) {
        return oribi_kit_fail(run, TF_INVALID_ARGUMENT, "scales must be %d floats", n);
    }
    bool good = true;
    for (int i = 0; good && i < axes.n; i++) {
        good = plan_scale(run, plan, axes.at[i], ((const float *)TF_TensorData(scales))[i]);
    }
    return good;
}

void oribi_cpu_resize_onnx_compute(void *state, TF_OpKernelContext *context)
{
    oribi_kit_run run;
    const onnx_state *own = state;
    oribi_cpu_resize_plan plan = {.rule = own->rule, .outside = (double)own->outside};
    int n = TF_NumInputs(context);
    int64_t count = 0;
    if (oribi_kit_begin(&run, context, n > 4 ? 4 : n) && onnx_plan(&run, own, &plan) &&
        oribi_cpu_count(&run, plan.out.at, plan.out.n, &count)) {
        (void)oribi_cpu_resize(&run, &plan, TF_TensorData(run.in[0]), TF_TensorType(run.in[0]));
    }
    oribi_kit_end(&run);
}
