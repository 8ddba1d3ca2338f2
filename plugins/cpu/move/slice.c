/* SPDX-License-Identifier: Apache-2.0 */
/* Slice and StridedSlice: boxes of a tensor. The specification becomes a start and strides; walk.c
 * moves. The rules of StridedSlice's masks are TensorFlow's (tf.strided_slice).
 */
#include "cpu/base/families.h"
#include "cpu/base/moved.h"

#include "micro/geometry/geometry_slice.h"

/* Copies a box of input 0: `start` in elements, the axes of the walk added, output dims `out`. */
static bool copy_box(oribi_kit_run *run, oribi_cpu_walk *walk, int64_t start,
                     const oribi_cpu_shape *out)
{
    size_t width = oribi_cpu_moved_width(run, TF_TensorType(run->in[0]));
    void *target = width == 0 ? NULL : oribi_cpu_moved_output(run, 0, out->at, out->n);
    if (target == NULL) {
        return false;
    }
    oribi_geometry_walk_close(walk);
    if (walk->count > 0) {
        const char *source = TF_TensorData(run->in[0]);
        oribi_cpu_walk_copy(run, walk, source + start * (int64_t)width, target, width);
    }
    return true;
}

static bool slice_run(const void *state, oribi_kit_run *run)
{
    oribi_cpu_shape in, out;
    oribi_cpu_walk walk;
    oribi_dims begin, size, strides;
    int64_t start = 0;
    bool whole = true;
    (void)state;
    if (!oribi_cpu_input_shape(run, 0, &in) || !oribi_cpu_read_dims(run, 1, "begin", &begin) ||
        !oribi_cpu_read_dims(run, 2, "size", &size)) {
        return false;
    }
    if (begin.n != in.n || size.n != in.n) {
        return oribi_kit_fail(run, TF_INVALID_ARGUMENT,
                              "Expected begin and size arguments to be 1-D tensors of size %d, but "
                              "got sizes %d and %d instead.",
                              in.n, begin.n, size.n);
    }
    oribi_cpu_strides(&in, &strides);
    oribi_geometry_walk_open(&walk, 1);
    out.n = in.n;
    for (int i = 0; i < in.n; i++) {
        if (begin.at[i] < 0 ||
            !oribi_geometry_slice_size(in.at[i], begin.at[i], size.at[i], &out.at[i])) {
            return oribi_kit_fail(run, TF_INVALID_ARGUMENT,
                                  "begin[%d] = %lld and size[%d] = %lld do not lie in a dimension "
                                  "of %lld",
                                  i, (long long)begin.at[i], i, (long long)size.at[i],
                                  (long long)in.at[i]);
        }
        start += begin.at[i] * strides.at[i];
        whole = whole && out.at[i] == in.at[i];
        if (!oribi_cpu_walk_add(run, &walk, out.at[i], strides.at[i])) {
            return false;
        }
    }
    return whole ? oribi_kit_output_alias(run, 0, in.at, in.n) : copy_box(run, &walk, start, &out);
}
ORIBI_CPU_MOVE_COMPUTE(slice, 3)

static void strided_read(oribi_kit_setup *setup, oribi_geometry_strided *state)
{
    oribi_kit_attr_int(setup, "begin_mask", &state->begin_mask);
    oribi_kit_attr_int(setup, "end_mask", &state->end_mask);
    oribi_kit_attr_int(setup, "ellipsis_mask", &state->ellipsis_mask);
    oribi_kit_attr_int(setup, "new_axis_mask", &state->new_axis_mask);
    oribi_kit_attr_int(setup, "shrink_axis_mask", &state->shrink_axis_mask);
    if (oribi_geometry_has_two_ellipses(state)) {
        (void)oribi_kit_setup_fail(setup, TF_INVALID_ARGUMENT,
                                   "Multiple ellipses in slice spec not allowed");
    }
}
ORIBI_KIT_CREATE(strided, oribi_geometry_strided)

static bool strided_fail(oribi_kit_run *run, const oribi_geometry_slice *slice,
                         oribi_geometry_cut cut)
{
    switch (cut) {
    case ORIBI_GEOMETRY_TOO_MANY:
        return oribi_kit_fail(run, TF_INVALID_ARGUMENT,
                              "Index out of range using input dim %d; input has only %d dims",
                              slice->n_named - 1, slice->rank);
    case ORIBI_GEOMETRY_ZERO_STEP:
        return oribi_kit_fail(run, TF_INVALID_ARGUMENT, "strides[%d] must be non-zero",
                              slice->entry);
    case ORIBI_GEOMETRY_BACKWARD_INDEX:
        return oribi_kit_fail(run, TF_INVALID_ARGUMENT,
                              "only stride 1 allowed on non-range indexing.");
    default:
        return oribi_kit_fail(run, TF_INVALID_ARGUMENT,
                              "slice index %lld of dimension %d out of bounds.",
                              (long long)slice->spec->begin[slice->entry], slice->axis);
    }
}

typedef struct box {
    oribi_cpu_shape in, out;
    oribi_cpu_walk walk;
    int64_t start;
    bool whole;
} box;

/* Walks the specification; parts become axes of the walk. */
static bool build(oribi_kit_run *run, const oribi_geometry_strided *spec, box *b)
{
    oribi_geometry_slice slice;
    oribi_dims strides;
    oribi_cpu_strides(&b->in, &strides);
    oribi_geometry_walk_open(&b->walk, 1);
    oribi_geometry_cut cut = oribi_geometry_slice_open(&slice, spec, b->in.n);
    while (cut <= ORIBI_GEOMETRY_NEW &&
           (cut = oribi_geometry_slice_next(&slice, b->in.at)) != ORIBI_GEOMETRY_END) {
        if (cut == ORIBI_GEOMETRY_PART || cut == ORIBI_GEOMETRY_INDEX) {
            b->start += slice.first * strides.at[slice.axis];
            b->whole =
                b->whole && cut == ORIBI_GEOMETRY_PART && oribi_geometry_is_whole(&slice, b->in.at);
        }
        if ((cut == ORIBI_GEOMETRY_PART || cut == ORIBI_GEOMETRY_NEW) &&
            !oribi_dims_add(&b->out, slice.count)) {
            return oribi_kit_fail(run, TF_UNIMPLEMENTED, "the rank of the result is above %d",
                                  ORIBI_MAX_RANK);
        }
        if (cut == ORIBI_GEOMETRY_PART &&
            !oribi_cpu_walk_add(run, &b->walk, slice.count,
                                slice.count > 1 ? strides.at[slice.axis] * slice.step : 0)) {
            return false;
        }
    }
    return cut == ORIBI_GEOMETRY_END || strided_fail(run, &slice, cut);
}

static bool strided_run(const oribi_geometry_strided *masks, oribi_kit_run *run)
{
    oribi_geometry_strided spec = *masks;
    oribi_dims begin, end, step;
    box b = {.whole = true};
    if (!oribi_cpu_input_shape(run, 0, &b.in) || !oribi_cpu_read_dims(run, 1, "begin", &begin) ||
        !oribi_cpu_read_dims(run, 2, "end", &end) ||
        !oribi_cpu_read_dims(run, 3, "strides", &step)) {
        return false;
    }
    if (end.n != begin.n || step.n != begin.n) {
        return oribi_kit_fail(run, TF_INVALID_ARGUMENT,
                              "Expected begin, end, and strides to be 1D equal size tensors, but "
                              "got sizes %d, %d, and %d instead.",
                              begin.n, end.n, step.n);
    }
    spec.n = begin.n;
    spec.begin = begin.at;
    spec.end = end.at;
    spec.step = step.at;
    if (!build(run, &spec, &b)) {
        return false;
    }
    return b.whole ? oribi_kit_output_alias(run, 0, b.out.at, b.out.n)
                   : copy_box(run, &b.walk, b.start, &b.out);
}
ORIBI_CPU_MOVE_COMPUTE(strided, 4)

const oribi_cpu_kernel oribi_cpu_slice_kernels[] = {
    ORIBI_CPU_ROW("Slice", slice, "strided copy by element width"),
    ORIBI_CPU_STATE_ROW("StridedSlice", strided, strided, "strided copy by element width"),
    {.op_name = NULL},
};
