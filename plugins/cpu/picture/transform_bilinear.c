/* SPDX-License-Identifier: Apache-2.0 */
/* Oribi>TransformBilinear by micro/'s kernel. */
#include "cpu/base/cpu_shape.h"
#include "cpu/base/families.h"

#include "micro/resize/transform_bilinear_f32.h"

typedef struct transform_state {
    int64_t size[2];
    int count;
    bool half_pixel; /* pixels are looked up at their middle */
} transform_state;

static void transform_bilinear_read(oribi_kit_setup *setup, transform_state *state)
{
    oribi_kit_attr_ints(setup, "size", state->size, 2, &state->count);
    oribi_kit_attr_bool(setup, "half_pixel", &state->half_pixel);
    if (state->count != 2 || state->size[0] < 1 || state->size[1] < 1 ||
        state->size[0] > INT32_MAX || state->size[1] > INT32_MAX) {
        (void)oribi_kit_setup_fail(setup, TF_INVALID_ARGUMENT, "size must be two positive numbers");
    }
}
ORIBI_KIT_CREATE(transform_bilinear, transform_state)

typedef struct transform_call {
    struct oribi_micro_transform_bilinear_f32_args args;
    const float *image, *matrix;
    float *y;
} transform_call;

static void transform_rows(void *object, int64_t begin, int64_t end)
{
    const transform_call *call = object;
    struct oribi_micro_transform_bilinear_f32_args args = call->args;
    args.first = (int32_t)begin;
    args.rows = (int32_t)(end - begin);
    oribi_micro_transform_bilinear_f32(&args, call->image, call->matrix,
                                       call->y + begin * args.columns * args.channels);
}

static bool transform_bilinear_run(const transform_state *state, oribi_kit_run *run)
{
    oribi_cpu_shape x;
    if (!oribi_cpu_input_shape(run, 0, &x)) {
        return false;
    }
    if (x.n != 4 || x.at[0] != 1 || TF_TensorElementCount(run->in[1]) != 16) {
        return oribi_kit_fail(
            run, TF_INVALID_ARGUMENT,
            "a picture %s and a matrix of %lld numbers; one picture, NHWC, and 16 "
            "numbers are wanted",
            oribi_cpu_shape_text(&x).chars, (long long)TF_TensorElementCount(run->in[1]));
    }
    const int64_t dims[4] = {1, state->size[0], state->size[1], x.at[3]};
    int64_t count = 0;
    if (!oribi_cpu_count(run, dims, 4, &count)) {
        return false;
    }
    if (count > INT32_MAX || TF_TensorElementCount(run->in[0]) > INT32_MAX) {
        return oribi_kit_fail(run, TF_UNIMPLEMENTED, "a picture of 2^31 numbers or more");
    }
    transform_call call = {.args = {.height = (int32_t)x.at[1],
                                    .width = (int32_t)x.at[2],
                                    .channels = (int32_t)x.at[3],
                                    .columns = (int32_t)dims[2],
                                    .half_pixel = state->half_pixel ? 1 : 0},
                           .image = TF_TensorData(run->in[0]),
                           .matrix = TF_TensorData(run->in[1]),
                           .y = oribi_kit_output(run, 0, dims, 4)};
    if (call.y != NULL && count > 0) {
        oribi_kit_parallel(run, dims[1], dims[2] * (20 + 10 * dims[3]), &call, transform_rows);
    }
    return call.y != NULL;
}
ORIBI_KIT_COMPUTE(transform_bilinear, 2)

const oribi_cpu_kernel oribi_cpu_transform_bilinear_kernels[] = {
    ORIBI_CPU_STATE_ROW("Oribi>TransformBilinear", transform_bilinear, transform_bilinear,
                        "the arithmetic of micro/, bit for bit"),
    {.op_name = NULL},
};
