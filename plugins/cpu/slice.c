/* SPDX-License-Identifier: Apache-2.0 */
/* Slice and StridedSlice: boxes of a tensor. The specification becomes a start and strides; walk.c
 * moves. The rules of StridedSlice's masks are TensorFlow's (tf.strided_slice).
 */
#include "cpu/families.h"
#include "cpu/walk.h"

/* Copies a box of input 0: `start` in elements, the axes of the walk added, output dims `out`. */
static bool copy_box(oribi_cpu_run *run, oribi_cpu_walk *walk, int64_t start,
                     const oribi_cpu_shape *out)
{
    size_t width = oribi_cpu_width(run, TF_TensorType(run->in[0]));
    void *target = width == 0 ? NULL : oribi_cpu_output(run, 0, out->at, out->n);
    if (target == NULL) {
        return false;
    }
    oribi_cpu_walk_close(walk);
    if (walk->count > 0) {
        const char *source = TF_TensorData(run->in[0]);
        oribi_cpu_walk_copy(run, walk, source + start * (int64_t)width, target, width);
    }
    return true;
}

static bool slice_run(const void *state, oribi_cpu_run *run)
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
        return oribi_cpu_fail(run, TF_INVALID_ARGUMENT,
                              "Expected begin and size arguments to be 1-D tensors of size %d, but "
                              "got sizes %d and %d instead.",
                              in.n, begin.n, size.n);
    }
    oribi_cpu_strides(&in, &strides);
    oribi_cpu_walk_open(&walk);
    out.n = in.n;
    for (int i = 0; i < in.n; i++) {
        bool inside = begin.at[i] >= 0 && begin.at[i] <= in.at[i];
        int64_t rest = inside ? in.at[i] - begin.at[i] : 0;
        if (!inside || size.at[i] < -1 || size.at[i] > rest) {
            return oribi_cpu_fail(run, TF_INVALID_ARGUMENT,
                                  "begin[%d] = %lld and size[%d] = %lld do not lie in a dimension "
                                  "of %lld",
                                  i, (long long)begin.at[i], i, (long long)size.at[i],
                                  (long long)in.at[i]);
        }
        out.at[i] = size.at[i] == -1 ? rest : size.at[i];
        start += begin.at[i] * strides.at[i];
        whole = whole && out.at[i] == in.at[i];
        if (!oribi_cpu_walk_add(run, &walk, out.at[i], strides.at[i])) {
            return false;
        }
    }
    return whole ? oribi_cpu_output_alias(run, 0, in.at, in.n) : copy_box(run, &walk, start, &out);
}
ORIBI_CPU_COMPUTE(slice, 3)

typedef struct strided_state {
    int64_t begin_mask, end_mask, ellipsis_mask, new_axis_mask, shrink_axis_mask;
} strided_state;

static void *strided_create(TF_OpKernelConstruction *construction)
{
    oribi_cpu_setup setup;
    strided_state *state = oribi_cpu_setup_begin(&setup, construction, sizeof *state);
    if (state != NULL) {
        oribi_cpu_attr_int(&setup, "begin_mask", &state->begin_mask);
        oribi_cpu_attr_int(&setup, "end_mask", &state->end_mask);
        oribi_cpu_attr_int(&setup, "ellipsis_mask", &state->ellipsis_mask);
        oribi_cpu_attr_int(&setup, "new_axis_mask", &state->new_axis_mask);
        oribi_cpu_attr_int(&setup, "shrink_axis_mask", &state->shrink_axis_mask);
        uint64_t ellipses = (uint64_t)state->ellipsis_mask;
        if ((ellipses & (ellipses - 1)) != 0) {
            (void)oribi_cpu_setup_fail(&setup, TF_INVALID_ARGUMENT,
                                       "Multiple ellipses in slice spec not allowed");
        }
    }
    return oribi_cpu_setup_end(&setup);
}

/* The specification as read, and the box as far as it is built. */
typedef struct strided_spec {
    const strided_state *masks;
    oribi_dims begin, end, step;
    oribi_cpu_shape in, out;
    oribi_cpu_walk walk;
    int64_t start;
    bool whole;
} strided_spec;

static bool has(int64_t mask, int bit)
{
    return (mask >> bit & 1) != 0;
}

static int64_t clamp(int64_t value, int64_t low, int64_t high)
{
    return value < low ? low : value > high ? high : value;
}

/* A dimension of the output. */
static bool add_out(oribi_cpu_run *run, strided_spec *spec, int64_t dim)
{
    return oribi_dims_add(&spec->out, dim) ||
           oribi_cpu_fail(run, TF_UNIMPLEMENTED, "the result's rank is above %d", ORIBI_MAX_RANK);
}

/* A dimension that the input and the output have. */
static bool add_dim(oribi_cpu_run *run, strided_spec *spec, int64_t dim, int64_t stride)
{
    return add_out(run, spec, dim) && oribi_cpu_walk_add(run, &spec->walk, dim, stride);
}

/* Entry i of the specification takes dimension d of the input. */
static bool take_dim(oribi_cpu_run *run, strided_spec *spec, int i, int d, int64_t stride)
{
    int64_t dim = spec->in.at[d], step = spec->step.at[i];
    int64_t begin = spec->begin.at[i], end = spec->end.at[i];
    if (has(spec->masks->shrink_axis_mask, i)) {
        int64_t at = begin < 0 ? begin + dim : begin;
        if (step <= 0) {
            return oribi_cpu_fail(run, TF_INVALID_ARGUMENT,
                                  "only stride 1 allowed on non-range indexing.");
        }
        if (at < 0 || at >= dim) {
            return oribi_cpu_fail(run, TF_INVALID_ARGUMENT,
                                  "slice index %lld of dimension %d out of bounds.",
                                  (long long)begin, d);
        }
        spec->start += at * stride;
        spec->whole = false;
        return true;
    }
    if (step == 0) {
        return oribi_cpu_fail(run, TF_INVALID_ARGUMENT, "strides[%d] must be non-zero", i);
    }
    int64_t low = step > 0 ? 0 : -1, high = step > 0 ? dim : dim - 1;
    begin = has(spec->masks->begin_mask, i) ? (step > 0 ? low : high)
                                            : clamp(begin < 0 ? begin + dim : begin, low, high);
    end = has(spec->masks->end_mask, i) ? (step > 0 ? high : low)
                                        : clamp(end < 0 ? end + dim : end, low, high);
    int64_t length = step > 0 ? end - begin : begin - end;
    uint64_t pace = step > 0 ? (uint64_t)step : 0 - (uint64_t)step;
    int64_t count = length <= 0 ? 0 : (int64_t)((uint64_t)(length - 1) / pace) + 1;
    spec->start += count > 0 ? begin * stride : 0;
    spec->whole = spec->whole && count == dim && (step == 1 || dim <= 1);
    return add_dim(run, spec, count, count > 1 ? stride * step : 0);
}

/* Dimensions of the input from d up to `end`, none of them cut. */
static bool take_whole(oribi_cpu_run *run, strided_spec *spec, const oribi_dims *strides, int d,
                       int end)
{
    bool good = true;
    for (; good && d < end; d++) {
        good = add_dim(run, spec, spec->in.at[d], strides->at[d]);
    }
    return good;
}

/* Walks the specification and the input's dims side by side. */
static bool build(oribi_cpu_run *run, strided_spec *spec)
{
    const strided_state *masks = spec->masks;
    oribi_dims strides;
    int n_new = 0, d = 0;
    bool seen_ellipsis = false, good = true;
    for (int i = 0; i < spec->begin.n; i++) {
        seen_ellipsis = seen_ellipsis || has(masks->ellipsis_mask, i);
        n_new += !has(masks->ellipsis_mask, i) && has(masks->new_axis_mask, i);
    }
    int n_taken = spec->begin.n - n_new - (seen_ellipsis ? 1 : 0);
    if (n_taken > spec->in.n) {
        return oribi_cpu_fail(run, TF_INVALID_ARGUMENT,
                              "Index out of range using input dim %d; input has only %d dims",
                              n_taken - 1, spec->in.n);
    }
    oribi_cpu_strides(&spec->in, &strides);
    for (int i = 0; good && i < spec->begin.n; i++) {
        if (has(masks->ellipsis_mask, i)) {
            const int end = d + spec->in.n - n_taken;
            good = take_whole(run, spec, &strides, d, end);
            d = end;
        } else if (has(masks->new_axis_mask, i)) {
            good = add_out(run, spec, 1);
        } else {
            good = take_dim(run, spec, i, d, strides.at[d]);
            d++;
        }
    }
    return good && take_whole(run, spec, &strides, d, spec->in.n);
}

static bool strided_run(const strided_state *state, oribi_cpu_run *run)
{
    strided_spec spec;
    spec.masks = state;
    spec.out.n = 0;
    oribi_cpu_walk_open(&spec.walk);
    spec.start = 0;
    spec.whole = true;
    if (!oribi_cpu_input_shape(run, 0, &spec.in) ||
        !oribi_cpu_read_dims(run, 1, "begin", &spec.begin) ||
        !oribi_cpu_read_dims(run, 2, "end", &spec.end) ||
        !oribi_cpu_read_dims(run, 3, "strides", &spec.step)) {
        return false;
    }
    if (spec.end.n != spec.begin.n || spec.step.n != spec.begin.n) {
        return oribi_cpu_fail(run, TF_INVALID_ARGUMENT,
                              "Expected begin, end, and strides to be 1D equal size tensors, but "
                              "got sizes %d, %d, and %d instead.",
                              spec.begin.n, spec.end.n, spec.step.n);
    }
    if (!build(run, &spec)) {
        return false;
    }
    return spec.whole ? oribi_cpu_output_alias(run, 0, spec.out.at, spec.out.n)
                      : copy_box(run, &spec.walk, spec.start, &spec.out);
}
ORIBI_CPU_COMPUTE(strided, 4)

const oribi_cpu_kernel oribi_cpu_slice_kernels[] = {
    {.op_name = "Slice",
     .priority = ORIBI_CPU_REFERENCE,
     .compute = slice_compute,
     .why = "strided copy by element width"},
    {.op_name = "StridedSlice",
     .priority = ORIBI_CPU_REFERENCE,
     .create = strided_create,
     .compute = strided_compute,
     .destroy = oribi_cpu_free,
     .why = "strided copy by element width"},
    {.op_name = NULL},
};
