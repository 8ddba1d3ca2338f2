/* SPDX-License-Identifier: Apache-2.0 */
/* Oribi>ChannelShuffle: the channels of each pixel, seen as [groups, each], become [each, groups].
 * One pass over the data where Reshape, Transpose, Reshape would be three steps. Every width of
 * element is moved as an integer of that width.
 */
#include "cpu/base/families.h"
#include "cpu/base/cpu_shape.h"

typedef struct shuffle_state {
    int64_t groups;
} shuffle_state;

static void shuffle_read(oribi_kit_setup *setup, shuffle_state *state)
{
    oribi_kit_attr_int(setup, "groups", &state->groups);
}
ORIBI_KIT_CREATE(shuffle, shuffle_state)

typedef struct shuffle_work {
    const char *x;
    char *y;
    int64_t groups, each, x_stride, y_stride; /* strides in elements */
    void (*pixel)(const struct shuffle_work *work, int64_t index);
} shuffle_work;

/* Written in order; with few groups the compiler knows their number and keeps the reads apart. */
#define INTERLEAVE(number)                                                                         \
    for (int64_t i = 0; i < work->each; i++) {                                                     \
        for (int64_t g = 0; g < (number); g++) {                                                   \
            y[i * (number) + g] = x[g * work->each + i];                                           \
        }                                                                                          \
    }
#define PIXEL(type)                                                                                \
    static void pixel_##type(const shuffle_work *work, int64_t index)                              \
    {                                                                                              \
        const type *restrict x = (const type *)work->x + index * work->x_stride;                   \
        type *restrict y = (type *)work->y + index * work->y_stride;                               \
        switch (work->groups) {                                                                    \
        case 2:                                                                                    \
            INTERLEAVE(2)                                                                          \
            break;                                                                                 \
        case 3:                                                                                    \
            INTERLEAVE(3)                                                                          \
            break;                                                                                 \
        case 4:                                                                                    \
            INTERLEAVE(4)                                                                          \
            break;                                                                                 \
        default:                                                                                   \
            INTERLEAVE(work->groups)                                                               \
            break;                                                                                 \
        }                                                                                          \
    }
PIXEL(uint8_t)
PIXEL(uint16_t)
PIXEL(uint32_t)
PIXEL(uint64_t)

static void pixels(void *object, int64_t begin, int64_t end)
{
    const shuffle_work *work = object;
    for (int64_t i = begin; i < end; i++) {
        work->pixel(work, i);
    }
}

static bool shuffle_run(const shuffle_state *state, oribi_kit_run *run)
{
    oribi_cpu_shape shape;
    if (!oribi_cpu_input_shape(run, 0, &shape)) {
        return false;
    }
    int64_t channels = shape.n > 0 ? shape.at[shape.n - 1] : 0;
    if (shape.n < 1 || state->groups < 1 || channels % state->groups != 0) {
        return oribi_kit_fail(run, TF_INVALID_ARGUMENT,
                              "the last dimension of %s must be a multiple of %lld groups",
                              oribi_cpu_shape_text(&shape).chars, (long long)state->groups);
    }
    shuffle_work work = {.x = TF_TensorData(run->in[0]),
                         .groups = state->groups,
                         .each = channels / state->groups,
                         .x_stride = channels};
    work.y = oribi_kit_output(run, 0, shape.at, shape.n);
    if (work.y == NULL || channels == 0) {
        return work.y != NULL;
    }
    work.y_stride = TF_OutputRowStride(run->context, 0);
    size_t width = TF_DataTypeSize(TF_TensorType(run->in[0]));
    work.pixel = width == 1   ? pixel_uint8_t
                 : width == 2 ? pixel_uint16_t
                 : width == 4 ? pixel_uint32_t
                              : pixel_uint64_t;
    oribi_kit_parallel(run, oribi_cpu_product(shape.at, shape.n) / channels, channels, &work,
                       pixels);
    return true;
}
ORIBI_KIT_COMPUTE(shuffle, 1)

#define SHUFFLE_TYPES                                                                              \
    (ORIBI_CPU_F32 | ORIBI_KIT_TYPE(TF_DOUBLE) | ORIBI_KIT_TYPE(TF_HALF) |                         \
     ORIBI_KIT_TYPE(TF_BFLOAT16) | ORIBI_KIT_TYPE(TF_INT8) | ORIBI_KIT_TYPE(TF_UINT8) |            \
     ORIBI_KIT_TYPE(TF_INT32) | ORIBI_KIT_TYPE(TF_INT64))
const oribi_cpu_kernel oribi_cpu_shuffle_kernels[] = {
    ORIBI_CPU_STATE_ROW("Oribi>ChannelShuffle", shuffle, shuffle, "one pass instead of three steps",
                        .types = {{"T", SHUFFLE_TYPES}}, .strided_outputs = 1),
    {.op_name = NULL},
};
