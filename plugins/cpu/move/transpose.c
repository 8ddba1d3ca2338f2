/* SPDX-License-Identifier: Apache-2.0 */
/* Ops that put the same elements in another order: Transpose, ReverseV2, Tile, BroadcastTo,
 * DepthToSpace, SpaceToDepth. Each only finds strides; walk.c moves.
 */
#include "cpu/base/families.h"
#include "cpu/base/moved.h"

#include "micro/geometry/geometry_axes.h"

static bool transpose_run(const void *state, oribi_kit_run *run)
{
    oribi_cpu_shape in, out;
    oribi_cpu_walk walk;
    oribi_dims perm, strides;
    int32_t at = 0;
    (void)state;
    size_t width = oribi_cpu_moved_width(run, TF_TensorType(run->in[0]));
    if (width == 0 || !oribi_cpu_input_shape(run, 0, &in) ||
        !oribi_cpu_read_dims(run, 1, "perm", &perm)) {
        return false;
    }
    const int n = perm.n;
    if (n != in.n) {
        return oribi_kit_fail(run, TF_INVALID_ARGUMENT,
                              "transpose expects a vector of size %d. "
                              "But input(1) is a vector of size %d",
                              in.n, n);
    }
    switch (oribi_geometry_permutation(perm.at, n, &at)) {
    case ORIBI_GEOMETRY_NO_AXIS:
        return oribi_cpu_axis(run, perm.at[at], n, &at); /* which fails */
    case ORIBI_GEOMETRY_TWICE:
        return oribi_kit_fail(run, TF_INVALID_ARGUMENT, "perm names dimension %d twice",
                              (int)perm.at[at]);
    default:
        break;
    }
    out.n = n;
    oribi_geometry_permute(in.at, perm.at, n, out.at);
    if (oribi_geometry_stays(in.at, perm.at, n)) {
        return oribi_kit_output_alias(run, 0, out.at, out.n);
    }
    oribi_cpu_strides(&in, &strides);
    oribi_geometry_walk_open(&walk, 1);
    for (int i = 0; i < n; i++) {
        if (!oribi_cpu_walk_add(run, &walk, out.at[i], strides.at[perm.at[i]])) {
            return false;
        }
    }
    const void *source = TF_TensorData(run->in[0]);
    void *target = oribi_cpu_moved_output(run, 0, out.at, out.n);
    if (target != NULL) {
        oribi_geometry_walk_close(&walk);
        oribi_cpu_walk_copy(run, &walk, source, target, width);
    }
    return target != NULL;
}
ORIBI_CPU_MOVE_COMPUTE(transpose, 2)

static bool reverse_run(const void *state, oribi_kit_run *run)
{
    oribi_cpu_shape shape;
    oribi_cpu_walk walk;
    oribi_dims axes;
    int64_t start = 0;
    oribi_geometry_axes seen = {{0}};
    (void)state;
    size_t width = oribi_cpu_moved_width(run, TF_TensorType(run->in[0]));
    if (width == 0 || !oribi_cpu_input_shape(run, 0, &shape) ||
        !oribi_cpu_read_dims(run, 1, "axis", &axes)) {
        return false;
    }
    const oribi_cpu_shape *operand = &shape;
    oribi_geometry_walk_broadcast(&walk, &shape, &operand, 1);
    for (int i = 0; i < axes.n; i++) {
        int axis = 0;
        if (!oribi_cpu_axis(run, axes.at[i], shape.n, &axis)) {
            return false;
        }
        if (!oribi_geometry_add_axis(&seen, axis)) {
            return oribi_kit_fail(run, TF_INVALID_ARGUMENT, "axis %d specified more than once.",
                                  axis);
        }
        start += walk.count == 0 ? 0 : (shape.at[axis] - 1) * walk.axes[axis].strides[0];
        walk.axes[axis].strides[0] = -walk.axes[axis].strides[0];
    }
    void *target = oribi_cpu_moved_output(run, 0, shape.at, shape.n);
    if (target != NULL) {
        const char *source = TF_TensorData(run->in[0]);
        oribi_cpu_walk_copy(run, &walk, source + start * (int64_t)width, target, width);
    }
    return target != NULL;
}
ORIBI_CPU_MOVE_COMPUTE(reverse, 2)

/* Output dim i is multiple i times dim i: two dims of the walk, the first with stride 0. */
static bool tile_run(const void *state, oribi_kit_run *run)
{
    oribi_cpu_shape in, multiples, out;
    oribi_cpu_walk walk;
    oribi_dims strides;
    int64_t count = 0;
    (void)state;
    size_t width = oribi_cpu_moved_width(run, TF_TensorType(run->in[0]));
    if (width == 0 || !oribi_cpu_input_shape(run, 0, &in) ||
        !oribi_cpu_read_shape(run, 1, "multiples", &multiples)) {
        return false;
    }
    if (multiples.n != in.n) {
        return oribi_kit_fail(run, TF_INVALID_ARGUMENT,
                              "Expected multiples argument to be a vector of length %d but got "
                              "length %d",
                              in.n, multiples.n);
    }
    oribi_cpu_strides(&in, &strides);
    oribi_geometry_walk_open(&walk, 1);
    out.n = in.n;
    for (int i = 0; i < in.n; i++) {
        if (__builtin_mul_overflow(in.at[i], multiples.at[i], &out.at[i])) {
            return oribi_kit_fail(run, TF_INVALID_ARGUMENT,
                                  "dimension %d times %lld overflows int64", i,
                                  (long long)multiples.at[i]);
        }
        if (!oribi_cpu_walk_add(run, &walk, multiples.at[i], 0) ||
            !oribi_cpu_walk_add(run, &walk, in.at[i], strides.at[i])) {
            return false;
        }
    }
    if (!oribi_cpu_count(run, out.at, out.n, &count)) {
        return false;
    }
    void *target = oribi_cpu_moved_output(run, 0, out.at, out.n);
    if (target != NULL) {
        oribi_geometry_walk_close(&walk);
        oribi_cpu_walk_copy(run, &walk, TF_TensorData(run->in[0]), target, width);
    }
    return target != NULL;
}
ORIBI_CPU_MOVE_COMPUTE(tile, 2)

static bool broadcast_to_run(const void *state, oribi_kit_run *run)
{
    oribi_cpu_shape in, wanted, out;
    oribi_cpu_walk walk;
    int64_t count = 0;
    (void)state;
    size_t width = oribi_cpu_moved_width(run, TF_TensorType(run->in[0]));
    if (width == 0 || !oribi_cpu_input_shape(run, 0, &in) ||
        !oribi_cpu_read_shape(run, 1, "shape", &wanted) ||
        !oribi_cpu_count(run, wanted.at, wanted.n, &count) ||
        !oribi_cpu_broadcast(run, &in, &wanted, &out)) {
        return false;
    }
    if (!oribi_cpu_shape_equal(&out, &wanted)) {
        return oribi_kit_fail(run, TF_INVALID_ARGUMENT, "Incompatible shapes: %s vs. %s",
                              oribi_cpu_shape_text(&in).chars, oribi_cpu_shape_text(&wanted).chars);
    }
    void *target = oribi_cpu_moved_output(run, 0, out.at, out.n);
    if (target != NULL) {
        const oribi_cpu_shape *operand = &in;
        oribi_geometry_walk_broadcast(&walk, &out, &operand, 1);
        oribi_cpu_walk_copy(run, &walk, TF_TensorData(run->in[0]), target, width);
    }
    return target != NULL;
}
ORIBI_CPU_MOVE_COMPUTE(broadcast_to, 2)

typedef struct space_state {
    int64_t block;
} space_state;

static void space_read(oribi_kit_setup *setup, space_state *state)
{
    char format[16] = "NHWC";
    oribi_kit_attr_int(setup, "block_size", &state->block);
    oribi_kit_attr_string(setup, "data_format", format, sizeof format);
    if (format[1] != 'H') {
        (void)oribi_kit_setup_fail(setup, TF_UNIMPLEMENTED,
                                   "data_format is %s; the cpu kernel supports NHWC only", format);
    } else if (state->block < 2 || state->block > INT32_MAX) {
        (void)oribi_kit_setup_fail(setup, TF_INVALID_ARGUMENT,
                                   "Block size should be > 1, but was: %lld",
                                   (long long)state->block);
    }
}
ORIBI_KIT_CREATE(space, space_state)

/* Output dims and strides of a walk over six dims, in the order in which the output has them. */
static bool space_copy(oribi_kit_run *run, const oribi_dims *dims, const oribi_dims *strides,
                       const oribi_cpu_shape *out)
{
    oribi_cpu_walk walk;
    size_t width = oribi_cpu_width(run, TF_TensorType(run->in[0]));
    oribi_geometry_walk_open(&walk, 1);
    for (int i = 0; i < dims->n; i++) {
        if (!oribi_cpu_walk_add(run, &walk, dims->at[i], strides->at[i])) {
            return false;
        }
    }
    oribi_geometry_walk_close(&walk);
    void *target = width == 0 ? NULL : oribi_kit_output(run, 0, out->at, 4);
    if (target != NULL) {
        oribi_cpu_walk_copy(run, &walk, TF_TensorData(run->in[0]), target, width);
    }
    return target != NULL;
}

static bool depth_to_space_run(const space_state *state, oribi_kit_run *run)
{
    oribi_cpu_shape in;
    int64_t b = state->block;
    if (!oribi_cpu_input_shape(run, 0, &in)) {
        return false;
    }
    if (in.n != 4 || in.at[3] % (b * b) != 0) {
        return oribi_kit_fail(run, TF_INVALID_ARGUMENT,
                              "input %s must have rank 4 and a depth that %lld divides",
                              oribi_cpu_shape_text(&in).chars, (long long)(b * b));
    }
    int64_t h = in.at[1], w = in.at[2], c = in.at[3], d = c / (b * b);
    oribi_cpu_shape out = {4, {in.at[0], h * b, w * b, d}};
    const oribi_dims dims = {6, {in.at[0], h, b, w, b, d}};
    const oribi_dims strides = {6, {h * w * c, w * c, b * d, c, d, 1}};
    return space_copy(run, &dims, &strides, &out);
}
ORIBI_KIT_COMPUTE(depth_to_space, 1)

static bool space_to_depth_run(const space_state *state, oribi_kit_run *run)
{
    oribi_cpu_shape in;
    int64_t b = state->block;
    if (!oribi_cpu_input_shape(run, 0, &in)) {
        return false;
    }
    if (in.n != 4 || in.at[1] % b != 0 || in.at[2] % b != 0) {
        return oribi_kit_fail(run, TF_INVALID_ARGUMENT,
                              "input %s must have rank 4 and a height and width that %lld divides",
                              oribi_cpu_shape_text(&in).chars, (long long)b);
    }
    int64_t h = in.at[1], w = in.at[2], c = in.at[3];
    oribi_cpu_shape out = {4, {in.at[0], h / b, w / b, c * b * b}};
    const oribi_dims dims = {6, {in.at[0], h / b, w / b, b, b, c}};
    const oribi_dims strides = {6, {h * w * c, b * w * c, b * c, w * c, c, 1}};
    return space_copy(run, &dims, &strides, &out);
}
ORIBI_KIT_COMPUTE(space_to_depth, 1)

const oribi_cpu_kernel oribi_cpu_transpose_kernels[] = {
    ORIBI_CPU_ROW("Transpose", transpose, "strided copy by element width"),
    ORIBI_CPU_ROW("ReverseV2", reverse, "strided copy by element width"),
    ORIBI_CPU_ROW("Tile", tile, "strided copy by element width"),
    ORIBI_CPU_ROW("BroadcastTo", broadcast_to, "strided copy by element width"),
    ORIBI_CPU_STATE_ROW("DepthToSpace", space, depth_to_space, "strided copy by element width"),
    ORIBI_CPU_STATE_ROW("SpaceToDepth", space, space_to_depth, "strided copy by element width"),
    {.op_name = NULL},
};
