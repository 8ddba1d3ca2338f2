/* SPDX-License-Identifier: Apache-2.0 */
/* Oribi>TransformBilinear: each pixel of the result lies somewhere in the picture, where the matrix
 * says, and is mixed of the four around; outside it is 0. Plain loops, rounded as MediaPipe does.
 */
#include "cpu/base/cpu_shape.h"
#include "cpu/base/families.h"

typedef struct transform_state {
    int64_t size[2];
    int count;
    bool half_pixel; /* pixels are looked up at their middle */
} transform_state;

static void transform_bilinear_read(oribi_kit_setup *setup, transform_state *state)
{
    oribi_kit_attr_ints(setup, "size", state->size, 2, &state->count);
    oribi_kit_attr_bool(setup, "half_pixel", &state->half_pixel);
    if (state->count != 2 || state->size[0] < 1 || state->size[1] < 1) {
        (void)oribi_kit_setup_fail(setup, TF_INVALID_ARGUMENT, "size must be two positive numbers");
    }
}
ORIBI_KIT_CREATE(transform_bilinear, transform_state)

typedef struct transform_call {
    const float *x;
    float *y;
    float from_x[3], from_y[3]; /* of column, row and 1 */
    int64_t height, width, channels, out_width;
} transform_call;

static void row_of(const float *matrix, bool half_pixel, float out[3])
{
    out[0] = matrix[0];
    out[1] = matrix[1];
    out[2] =
        half_pixel
            ? (float)((double)matrix[3] + (double)matrix[0] * 0.5 + (double)matrix[1] * 0.5 - 0.5)
            : matrix[3];
}

/* Beyond the last row or column there is nothing, and nothing of it is taken. */
static float pixel(const transform_call *c, int64_t row, int64_t column, int64_t channel)
{
    return row < c->height && column < c->width
               ? c->x[(row * c->width + column) * c->channels + channel]
               : 0.0f;
}

static void mix_pixel(const transform_call *c, float x, float y, float *to)
{
    const int64_t column = (int64_t)x, row = (int64_t)y;
    const float right = x - (float)column, below = y - (float)row;
    for (int64_t k = 0; k < c->channels; k++) {
        const float q11 = pixel(c, row, column, k), q21 = pixel(c, row, column + 1, k);
        const float q12 = pixel(c, row + 1, column, k), q22 = pixel(c, row + 1, column + 1, k);
        const float upper = (float)((1.0 - (double)right) * (double)q11 + (double)(right * q21));
        const float lower = (float)((1.0 - (double)right) * (double)q12 + (double)(right * q22));
        to[k] = (float)((double)(below * lower) + (1.0 - (double)below) * (double)upper);
    }
}

static void transform_rows(void *object, int64_t begin, int64_t end)
{
    const transform_call *c = object;
    for (int64_t i = begin; i < end; i++) {
        const float row = (float)(i / c->out_width), column = (float)(i % c->out_width);
        const float x = c->from_x[0] * column + c->from_x[1] * row + c->from_x[2];
        const float y = c->from_y[0] * column + c->from_y[1] * row + c->from_y[2];
        float *to = c->y + i * c->channels;
        if (x >= 0.0f && x <= (float)(c->width - 1) && y >= 0.0f && y <= (float)(c->height - 1)) {
            mix_pixel(c, x, y, to);
        } else {
            for (int64_t k = 0; k < c->channels; k++) {
                to[k] = 0.0f;
            }
        }
    }
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
    const float *matrix = TF_TensorData(run->in[1]);
    transform_call c = {.x = TF_TensorData(run->in[0]),
                        .height = x.at[1],
                        .width = x.at[2],
                        .channels = x.at[3],
                        .out_width = state->size[1]};
    row_of(matrix, state->half_pixel, c.from_x);
    row_of(matrix + 4, state->half_pixel, c.from_y);
    const int64_t dims[4] = {1, state->size[0], state->size[1], x.at[3]};
    c.y = oribi_kit_output(run, 0, dims, 4);
    if (c.y != NULL) {
        oribi_kit_parallel(run, dims[1] * dims[2], 20 + 10 * c.channels, &c, transform_rows);
    }
    return c.y != NULL;
}
ORIBI_KIT_COMPUTE(transform_bilinear, 2)

const oribi_cpu_kernel oribi_cpu_transform_bilinear_kernels[] = {
    {.op_name = "Oribi>TransformBilinear",
     .priority = ORIBI_CPU_REFERENCE,
     .create = transform_bilinear_create,
     .compute = transform_bilinear_compute,
     .destroy = oribi_kit_free,
     .why = "plain loops"},
    {.op_name = NULL},
};
