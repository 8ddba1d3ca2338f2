/* SPDX-License-Identifier: Apache-2.0 */
/* ResizeBilinear, ResizeNearestNeighbor, ONNX>Resize. Every way of resizing here is separable:
 * along each axis an output coordinate is a weighted sum of a few input coordinates
 * (micro/resize_taps_prepare.h), and the axes are resized one after the other. Sums are rounded as
 * micro/resize_f32.c rounds them. ONNX's attributes: resize_onnx.c.
 */
#include "micro/float_rules.h"

#include "cpu/window/resize.h"

#include <stdlib.h>
#include <string.h>

#include "cpu/base/families.h"

/* One axis of x [outer, n_in, inner] to y [outer, n_out, inner]. */
typedef struct axis_work {
    const struct oribi_micro_resize_tap *taps; /* n_out entries */
    const char *x;
    char *y;
    int64_t n_in, n_out, inner;
    size_t width;
} axis_work;

static void nearest_lines(void *object, int64_t begin, int64_t end)
{
    const axis_work *work = object;
    size_t bytes = (size_t)work->inner * work->width;
    for (int64_t unit = begin; unit < end; unit++) {
        int64_t from = unit / work->n_out * work->n_in + work->taps[unit % work->n_out].index[0];
        memcpy(work->y + (size_t)unit * bytes, work->x + (size_t)from * bytes, bytes);
    }
}

static void weighted_lines(void *object, int64_t begin, int64_t end)
{
    const axis_work *work = object;
    for (int64_t unit = begin; unit < end; unit++) {
        const struct oribi_micro_resize_tap *taps = &work->taps[unit % work->n_out];
        const float *x =
            (const float *)(const void *)work->x + unit / work->n_out * work->n_in * work->inner;
        float *y = (float *)(void *)work->y + unit * work->inner;
        for (int64_t i = 0; i < work->inner; i++) {
            float sum = 0.0f;
            for (int k = 0; k < taps->n; k++) {
                sum += taps->weight[k] * x[taps->index[k] * work->inner + i];
            }
            y[i] = sum;
        }
    }
}

/* Taps of all out.dims[axis] coordinates. */
static void fill(const oribi_cpu_resize_plan *plan, int axis, struct oribi_micro_resize_tap *out)
{
    const struct oribi_micro_resize_axis a = {plan->in.at[axis], plan->out.at[axis],
                                              plan->scales[axis]};
    for (int64_t i = 0; i < a.out; i++) {
        oribi_micro_resize_tap(&plan->rule, &a, i, &out[i]);
    }
}

/* Resizes axis after axis; between two axes the result lies in one of two scratch tensors. */
bool oribi_cpu_resize(oribi_kit_run *run, const oribi_cpu_resize_plan *plan, const void *x,
                      size_t width)
{
    oribi_cpu_shape now = plan->in;
    TF_Tensor *scratch[2] = {NULL, NULL};
    const void *from = x;
    int left = 0, turn = 0;
    for (int axis = 0; axis < plan->in.n; axis++) {
        left += (int)(plan->resized >> axis & 1U);
    }
    if (left == 0) {
        return oribi_kit_output_alias(run, 0, plan->out.at, plan->out.n);
    }
    void *y = oribi_kit_output(run, 0, plan->out.at, plan->out.n);
    int64_t count = oribi_cpu_product(plan->out.at, plan->out.n);
    if (y == NULL || count == 0) {
        return y != NULL;
    }
    for (int axis = plan->in.n - 1; axis >= 0 && TF_GetCode(run->status) == TF_OK; axis--) {
        TF_Tensor *taps_memory = NULL;
        if ((plan->resized >> axis & 1U) == 0) {
            continue;
        }
        axis_work work = {.x = from, .n_in = now.at[axis], .width = width};
        now.at[axis] = work.n_out = plan->out.at[axis];
        work.inner = oribi_cpu_product(now.at + axis + 1, now.n - axis - 1);
        int64_t elements = 0, bytes = 0;
        struct oribi_micro_resize_tap *taps =
            oribi_kit_scratch(run, work.n_out * (int64_t)sizeof *taps, &taps_memory);
        if (taps != NULL && oribi_cpu_count(run, now.at, now.n, &elements) &&
            !__builtin_mul_overflow(elements, (int64_t)width, &bytes)) {
            work.taps = taps;
            if (--left == 0) {
                work.y = y;
            } else {
                TF_DeleteTensor(scratch[turn]);
                work.y = oribi_kit_scratch(run, bytes, &scratch[turn]);
                turn = 1 - turn;
            }
            if (work.y != NULL) {
                fill(plan, axis, taps);
                oribi_kit_parallel(run, elements / work.inner, work.inner * 2 + 10, &work,
                                   plan->rule.mode == ORIBI_MICRO_RESIZE_NEAREST ? nearest_lines
                                                                                 : weighted_lines);
                from = work.y;
            }
        }
        TF_DeleteTensor(taps_memory);
    }
    TF_DeleteTensor(scratch[0]);
    TF_DeleteTensor(scratch[1]);
    return TF_GetCode(run->status) == TF_OK;
}

typedef struct image_state {
    bool align_corners, half_pixel_centers;
} image_state;

static void image_read(oribi_kit_setup *setup, image_state *state)
{
    oribi_kit_attr_bool(setup, "align_corners", &state->align_corners);
    oribi_kit_attr_bool(setup, "half_pixel_centers", &state->half_pixel_centers);
    if (state->align_corners && state->half_pixel_centers) {
        (void)oribi_kit_setup_fail(setup, TF_INVALID_ARGUMENT,
                                   "If half_pixel_centers is True, align_corners must be "
                                   "False.");
    }
}
ORIBI_KIT_CREATE(image, image_state)

static bool image_plan(oribi_kit_run *run, const image_state *state, oribi_cpu_resize_plan *plan)
{
    int64_t size[2], count = 0;
    int n = 0;
    if (!oribi_cpu_input_shape(run, 0, &plan->in) ||
        !oribi_kit_read_ints(run, run->in[1], "size", size, 2, &n)) {
        return false;
    }
    if (plan->in.n != 4 || n != 2 || size[0] <= 0 || size[1] <= 0 || size[0] > INT32_MAX ||
        size[1] > INT32_MAX || plan->in.at[1] <= 0 || plan->in.at[2] <= 0) {
        return oribi_kit_fail(run, TF_INVALID_ARGUMENT,
                              "images %s must have rank 4 and a size; the new size needs two "
                              "positive integers",
                              oribi_cpu_shape_text(&plan->in).chars);
    }
    plan->out = plan->in;
    for (int k = 0; k < 2; k++) {
        plan->out.at[1 + k] = size[k];
        plan->resized |= size[k] != plan->in.at[1 + k] ? 2U << k : 0;
    }
    plan->rule.coordinates = state->align_corners        ? ORIBI_MICRO_RESIZE_TF_CORNERS
                             : state->half_pixel_centers ? ORIBI_MICRO_RESIZE_TF_HALF
                                                         : ORIBI_MICRO_RESIZE_TF_PLAIN;
    return oribi_cpu_count(run, plan->out.at, 4, &count);
}

static bool nearest_run(const image_state *state, oribi_kit_run *run)
{
    oribi_cpu_resize_plan plan = {.rule.mode = ORIBI_MICRO_RESIZE_NEAREST};
    size_t width = oribi_cpu_width(run, TF_TensorType(run->in[0]));
    return width != 0 && image_plan(run, state, &plan) &&
           oribi_cpu_resize(run, &plan, TF_TensorData(run->in[0]), width);
}
ORIBI_KIT_COMPUTE(nearest, 2)

static bool bilinear_run(const image_state *state, oribi_kit_run *run)
{
    oribi_cpu_resize_plan plan = {.rule.mode = ORIBI_MICRO_RESIZE_LINEAR};
    return image_plan(run, state, &plan) &&
           oribi_cpu_resize(run, &plan, TF_TensorData(run->in[0]), sizeof(float));
}
ORIBI_KIT_COMPUTE(bilinear, 2)

const oribi_cpu_kernel oribi_cpu_resize_kernels[] = {
    {.op_name = "ResizeNearestNeighbor",
     .priority = ORIBI_CPU_REFERENCE,
     .create = image_create,
     .compute = nearest_compute,
     .destroy = oribi_kit_free,
     .why = "axis by axis, by element width"},
    {.op_name = "ResizeBilinear",
     .types = {{"T", ORIBI_CPU_F32}},
     .priority = ORIBI_CPU_REFERENCE,
     .create = image_create,
     .compute = bilinear_compute,
     .destroy = oribi_kit_free,
     .why = "axis by axis"},
    {.op_name = "ONNX>Resize",
     .priority = ORIBI_CPU_REFERENCE,
     .create = oribi_cpu_resize_onnx_create,
     .compute = oribi_cpu_resize_onnx_compute,
     .destroy = oribi_kit_free,
     .why = "axis by axis"},
    {.op_name = NULL},
};
