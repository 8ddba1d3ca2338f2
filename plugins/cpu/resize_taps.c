/* SPDX-License-Identifier: Apache-2.0 */
/* Where an output coordinate lies in the input: TensorFlow's and ONNX's rules, each to the letter,
 * f32 arithmetic included, because a coordinate that falls on the other side of a half picks
 * another pixel.
 */
#include "cpu/resize.h"

#include <math.h>
#include <string.h>

static int64_t clamp(double v, int64_t n)
{
    return v < 0 ? 0 : v > (double)(n - 1) ? n - 1 : (int64_t)v;
}

static float tf_scale(const oribi_cpu_resize_plan *plan, int axis)
{
    int64_t in = plan->in.dims[axis], out = plan->out.dims[axis];
    return plan->align_corners && out > 1 ? (float)(in - 1) / (float)(out - 1)
                                          : (float)in / (float)out;
}

void oribi_cpu_fill_tf_nearest(const oribi_cpu_resize_plan *plan, int axis, oribi_cpu_taps *out)
{
    float scale = tf_scale(plan, axis);
    for (int64_t i = 0; i < plan->out.dims[axis]; i++) {
        float at = plan->half_pixel ? ((float)i + 0.5f) * scale : (float)i * scale;
        at = plan->align_corners ? roundf(at) : floorf(at);
        out[i] = (oribi_cpu_taps){1, {clamp((double)at, plan->in.dims[axis])}, {1.0f}};
    }
}

void oribi_cpu_fill_tf_linear(const oribi_cpu_resize_plan *plan, int axis, oribi_cpu_taps *out)
{
    float scale = tf_scale(plan, axis);
    int64_t n = plan->in.dims[axis];
    for (int64_t i = 0; i < plan->out.dims[axis]; i++) {
        float at = plan->half_pixel ? ((float)i + 0.5f) * scale - 0.5f : (float)i * scale;
        float low = floorf(at), part = at - low;
        out[i] = (oribi_cpu_taps){
            2, {clamp((double)low, n), clamp(ceil((double)at), n)}, {1.0f - part, part}};
    }
}

typedef struct onnx_state {
    char coordinates[32], policy[16], mode[16], nearest[24];
    float cubic_a;
    bool exclude_outside;
    int64_t axes[ORIBI_CPU_MAX_RANK];
    int n_axes;
    int input[4]; /* flat index of X, roi, scales, sizes; -1: absent */
} onnx_state;

static void read_present(oribi_cpu_setup *setup, onnx_state *state)
{
    TF_Bool present[4] = {0};
    int32_t count = 0, total = 0, at = 0;
    int given = TF_OpKernelConstruction_NumInputs(setup->construction);
    TF_OpKernelConstruction_GetAttrSize(setup->construction, "present", &count, &total,
                                        setup->status);
    if (TF_GetCode(setup->status) == TF_OK && count > 0) {
        TF_OpKernelConstruction_GetAttrBoolList(setup->construction, "present", present, 4,
                                                setup->status);
    }
    for (int i = 0; i < 4; i++) {
        bool is_there = count <= 0 ? i < given : i < count && present[i] != 0;
        state->input[i] = is_there ? at++ : -1;
    }
    if (at != given || count > 4 || state->input[0] != 0) {
        (void)oribi_cpu_setup_fail(setup, TF_INVALID_ARGUMENT,
                                   "'present' does not describe the %d inputs", given);
    }
}

void *oribi_cpu_resize_onnx_create(TF_OpKernelConstruction *construction)
{
    oribi_cpu_setup setup;
    int64_t exclude = 0, antialias = 0;
    TF_DataType type = TF_FLOAT;
    onnx_state *state = oribi_cpu_setup_begin(&setup, construction, sizeof *state);
    if (state == NULL) {
        return oribi_cpu_setup_end(&setup);
    }
    oribi_cpu_attr_type(&setup, "T", &type);
    oribi_cpu_attr_string(&setup, "coordinate_transformation_mode", state->coordinates,
                          sizeof state->coordinates);
    oribi_cpu_attr_string(&setup, "keep_aspect_ratio_policy", state->policy, sizeof state->policy);
    oribi_cpu_attr_string(&setup, "mode", state->mode, sizeof state->mode);
    oribi_cpu_attr_string(&setup, "nearest_mode", state->nearest, sizeof state->nearest);
    oribi_cpu_attr_float(&setup, "cubic_coeff_a", &state->cubic_a);
    oribi_cpu_attr_int(&setup, "exclude_outside", &exclude);
    oribi_cpu_attr_int(&setup, "antialias", &antialias);
    oribi_cpu_attr_ints(&setup, "axes", state->axes, ORIBI_CPU_MAX_RANK, &state->n_axes);
    state->exclude_outside = exclude != 0;
    read_present(&setup, state);
    if (antialias != 0 || strcmp(state->coordinates, "tf_crop_and_resize") == 0) {
        (void)oribi_cpu_setup_fail(&setup, TF_UNIMPLEMENTED,
                                   "antialias and tf_crop_and_resize are not supported");
    }
    if (strcmp(state->mode, "nearest") != 0 && type != TF_FLOAT) {
        (void)oribi_cpu_setup_fail(&setup, TF_UNIMPLEMENTED,
                                   "mode %s needs float elements, not type %d", state->mode,
                                   (int)type);
    }
    return oribi_cpu_setup_end(&setup);
}

static double onnx_coordinate(const onnx_state *state, int64_t i, int64_t in, int64_t out,
                              float scale)
{
    double x = (double)i, s = (double)scale;
    const char *mode = state->coordinates;
    if (strcmp(mode, "asymmetric") == 0) {
        return x / s;
    }
    if (strcmp(mode, "align_corners") == 0) {
        return out == 1 ? 0 : x * (double)(in - 1) / (double)(out - 1);
    }
    if (strcmp(mode, "tf_half_pixel_for_nn") == 0) {
        return (x + 0.5) / s;
    }
    if (strcmp(mode, "pytorch_half_pixel") == 0 && out <= 1) {
        return 0;
    }
    double shift = 0;
    if (strcmp(mode, "half_pixel_symmetric") == 0) {
        shift = (double)in / 2 * (1 - (double)out / (s * (double)in));
    }
    return shift + (x + 0.5) / s - 0.5;
}

static double onnx_nearest(const onnx_state *state, double at)
{
    if (strcmp(state->nearest, "floor") == 0) {
        return floor(at);
    }
    if (strcmp(state->nearest, "ceil") == 0) {
        return ceil(at);
    }
    return strcmp(state->nearest, "round_prefer_ceil") == 0 ? floor(at + 0.5) : ceil(at - 0.5);
}

/* Keys' cubic convolution kernel at distance d. */
static double cubic(double d, double a)
{
    d = fabs(d);
    return d <= 1  ? ((a + 2) * d - (a + 3)) * d * d + 1
           : d < 2 ? ((a * d - 5 * a) * d + 8 * a) * d - 4 * a
                   : 0;
}

static void onnx_taps(const onnx_state *state, double at, int64_t n, oribi_cpu_taps *out)
{
    double low = floor(at), sum = 0, weights[4];
    bool is_cubic = strcmp(state->mode, "cubic") == 0;
    out->n = is_cubic ? 4 : 2;
    for (int k = 0; k < out->n; k++) {
        double pixel = is_cubic ? low - 1 + k : low + k;
        weights[k] = is_cubic ? cubic(at - pixel, (double)state->cubic_a)
                     : k == 0 ? 1 - (at - low)
                              : at - low;
        if (state->exclude_outside && (pixel < 0 || pixel > (double)(n - 1))) {
            weights[k] = 0;
        }
        out->index[k] = clamp(pixel, n);
        sum += weights[k];
    }
    for (int k = 0; k < out->n; k++) {
        out->weight[k] =
            (float)(state->exclude_outside && sum != 0 ? weights[k] / sum : weights[k]);
    }
}

static void onnx_fill(const oribi_cpu_resize_plan *plan, int axis, oribi_cpu_taps *out)
{
    const onnx_state *state = plan->onnx;
    int64_t n = plan->in.dims[axis], m = plan->out.dims[axis];
    for (int64_t i = 0; i < m; i++) {
        double at = onnx_coordinate(state, i, n, m, plan->scales[axis]);
        if (plan->is_nearest) {
            out[i] = (oribi_cpu_taps){1, {clamp(onnx_nearest(state, at), n)}, {1.0f}};
        } else {
            onnx_taps(state, at, n, &out[i]);
        }
    }
}

/* scales or sizes of axis i of the listed ones, into the plan. */
static bool plan_axis(oribi_cpu_run *run, oribi_cpu_resize_plan *plan, int axis, float scale,
                      int64_t size)
{
    double in = (double)plan->in.dims[axis];
    if (size < 0) {
        if (!(scale > 0) || in * (double)scale > 2e9) {
            return oribi_cpu_fail(run, TF_INVALID_ARGUMENT,
                                  "scale %g of dimension %d is not "
                                  "possible",
                                  (double)scale, axis);
        }
        size = (int64_t)floor(in * (double)scale);
    } else {
        scale = (float)((double)size / in);
    }
    if (plan->in.dims[axis] == 0 && size != 0) {
        return oribi_cpu_fail(run, TF_INVALID_ARGUMENT, "dimension %d is empty and cannot grow",
                              axis);
    }
    plan->out.dims[axis] = size;
    plan->scales[axis] = scale;
    plan->is_resized[axis] = size != plan->in.dims[axis] || scale != 1.0f;
    return true;
}

/* With a policy that keeps the ratio, one scale goes for all axes. */
static float common_scale(const onnx_state *state, const oribi_cpu_resize_plan *plan,
                          const int *axes, const int64_t *sizes, int n)
{
    float scale = 0;
    for (int i = 0; i < n; i++) {
        float one = (float)sizes[i] / (float)plan->in.dims[axes[i]];
        bool better = strcmp(state->policy, "not_larger") == 0 ? one < scale : one > scale;
        scale = i == 0 || better ? one : scale;
    }
    return scale;
}

static bool onnx_sizes(oribi_cpu_run *run, const onnx_state *state, oribi_cpu_resize_plan *plan,
                       const int *axes, int n)
{
    int64_t sizes[ORIBI_CPU_MAX_RANK];
    int count = 0;
    if (!oribi_cpu_read_ints(run, state->input[3], "sizes", sizes, ORIBI_CPU_MAX_RANK, &count)) {
        return false;
    }
    bool good = count == n;
    for (int i = 0; good && i < n; i++) {
        good = sizes[i] >= 0 && sizes[i] <= INT32_MAX;
    }
    if (!good) {
        return oribi_cpu_fail(run, TF_INVALID_ARGUMENT, "sizes must be %d integers from 0 to 2^31",
                              n);
    }
    if (strcmp(state->policy, "stretch") != 0) {
        float scale = common_scale(state, plan, axes, sizes, n);
        for (int i = 0; good && i < n; i++) {
            double in = (double)plan->in.dims[axes[i]];
            good = plan_axis(run, plan, axes[i], 1.0f, (int64_t)((double)scale * in + 0.5));
            plan->scales[axes[i]] = scale;
        }
        return good;
    }
    for (int i = 0; good && i < n; i++) {
        good = plan_axis(run, plan, axes[i], 1.0f, sizes[i]);
    }
    return good;
}

static bool onnx_plan(oribi_cpu_run *run, const onnx_state *state, oribi_cpu_resize_plan *plan)
{
    int axes[ORIBI_CPU_MAX_RANK], n = state->n_axes;
    if (TF_TensorType(run->in[0]) != TF_ExpectedOutputDataType(run->context, 0)) {
        return oribi_cpu_fail(run, TF_INVALID_ARGUMENT,
                              "X is of type %d and the output of type %d; they must be the same",
                              (int)TF_TensorType(run->in[0]),
                              (int)TF_ExpectedOutputDataType(run->context, 0));
    }
    if (!oribi_cpu_input_shape(run, 0, &plan->in)) {
        return false;
    }
    plan->out = plan->in;
    n = n == 0 ? plan->in.rank : n;
    for (int i = 0; i < n; i++) {
        if (!oribi_cpu_axis(run, state->n_axes == 0 ? i : state->axes[i], plan->in.rank,
                            &axes[i])) {
            return false;
        }
    }
    if (state->input[3] >= 0) {
        return onnx_sizes(run, state, plan, axes, n);
    }
    const TF_Tensor *scales = state->input[2] < 0 ? NULL : run->in[state->input[2]];
    if (scales == NULL || TF_TensorType(scales) != TF_FLOAT || TF_TensorElementCount(scales) != n) {
        return oribi_cpu_fail(run, TF_INVALID_ARGUMENT, "scales must be %d floats", n);
    }
    bool good = true;
    for (int i = 0; good && i < n; i++) {
        good = plan_axis(run, plan, axes[i], ((const float *)TF_TensorData(scales))[i], -1);
    }
    return good;
}

void oribi_cpu_resize_onnx_compute(void *state, TF_OpKernelContext *context)
{
    oribi_cpu_run run;
    const onnx_state *own = state;
    oribi_cpu_resize_plan plan = {
        .is_nearest = strcmp(own->mode, "nearest") == 0, .fill = onnx_fill, .onnx = own};
    int n = TF_NumInputs(context);
    int64_t count = 0;
    if (oribi_cpu_begin(&run, context, n > 4 ? 4 : n) && onnx_plan(&run, own, &plan) &&
        oribi_cpu_count(&run, plan.out.dims, plan.out.rank, &count)) {
        size_t width = oribi_cpu_width(&run, TF_TensorType(run.in[0]));
        if (width != 0) {
            (void)oribi_cpu_resize(&run, &plan, TF_TensorData(run.in[0]), width);
        }
    }
    oribi_cpu_end(&run);
}
