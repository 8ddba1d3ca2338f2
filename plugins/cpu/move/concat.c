/* SPDX-License-Identifier: Apache-2.0 */
/* Ops that put tensors side by side or take them apart along one axis: ConcatV2, Concat, Pack,
 * Split, SplitV, Unpack. All are copies of runs of bytes, whatever the element type.
 */
#include "cpu/base/families.h"
#include "cpu/base/moved.h"

#include <string.h>

enum {
    TOGETHER = 4,    /* tensors that one loop copies: a thread does the same rows of all of them */
    AT_ONCE = 16384, /* bytes of a run that is alone */
};

/* Runs of `bytes`, from one stride to another. */
typedef struct runs {
    const char *source;
    char *target;
    size_t bytes, source_stride, target_stride;
} runs;

typedef struct batch {
    runs of[TOGETHER];
    TF_Tensor *held[TOGETHER]; /* until its runs are copied, or NULL */
    int n;
    size_t bytes; /* of a run of each */
} batch;

static void copy_runs(void *object, int64_t begin, int64_t end)
{
    const batch *work = object;
    for (const runs *r = work->of; r < work->of + work->n; r++) {
        oribi_cpu_copy_each(r->target + (size_t)begin * r->target_stride, (int64_t)r->target_stride,
                            r->source + (size_t)begin * r->source_stride, (int64_t)r->source_stride,
                            end - begin, r->bytes);
    }
}

static void copy_all(oribi_kit_run *run, int64_t n_runs, batch *work)
{
    if (work->n > 0) {
        oribi_kit_parallel(run, n_runs, (int64_t)work->bytes / 8 + 8, work, copy_runs);
    }
    while (work->n > 0) {
        TF_DeleteTensor(work->held[--work->n]);
    }
    work->bytes = 0;
}

/* Copies later, with others or by copy_all. One run has no rows: it is copied now, in pieces.
 * Deletes `held` then. */
static void copy(oribi_kit_run *run, int64_t n_runs, const runs *some, TF_Tensor *held, batch *work)
{
    if (n_runs == 1 && some->bytes >= 2 * AT_ONCE) {
        const size_t pieces = some->bytes / AT_ONCE, rest = some->bytes % AT_ONCE;
        batch alone = {.of = {{some->source, some->target, AT_ONCE, AT_ONCE, AT_ONCE}},
                       .held = {held},
                       .n = 1,
                       .bytes = AT_ONCE};
        memcpy(some->target + pieces * AT_ONCE, some->source + pieces * AT_ONCE, rest);
        copy_all(run, (int64_t)pieces, &alone);
    } else {
        work->held[work->n] = held;
        work->of[work->n++] = *some;
        work->bytes += some->bytes;
        if (work->n == TOGETHER) {
            copy_all(run, n_runs, work);
        }
    }
}

/* Input `index`, counted by the caller; NULL after failing. */
static TF_Tensor *input(oribi_kit_run *run, int index)
{
    TF_Tensor *tensor = NULL;
    TF_GetInput(run->context, index, &tensor, run->status);
    if (tensor == NULL && TF_GetCode(run->status) == TF_OK) {
        (void)oribi_kit_fail(run, TF_INVALID_ARGUMENT, "input %d is absent", index);
    }
    return tensor;
}

/* Dims of the result from those of the inputs [first, first + n). `axis` is that of the result;
 * is_new: the inputs lack it. */
static bool join_shape(oribi_kit_run *run, int first, int n, int axis, bool is_new,
                       oribi_cpu_shape *out)
{
    for (int i = 0; i < n; i++) {
        oribi_cpu_shape shape;
        TF_Tensor *tensor = input(run, first + i);
        bool good = tensor != NULL && oribi_cpu_tensor_shape(run, tensor, &shape);
        TF_DeleteTensor(tensor);
        if (!good) {
            return false;
        }
        if (i == 0) {
            *out = shape;
            continue;
        }
        bool same = shape.n == out->n;
        for (int k = 0; same && k < shape.n; k++) {
            same = (!is_new && k == axis) || shape.at[k] == out->at[k];
        }
        if (!same) {
            return oribi_kit_fail(run, TF_INVALID_ARGUMENT,
                                  "Dimensions of inputs should match along axis %d: input %d has "
                                  "shape %s, those before %s",
                                  axis, i, oribi_cpu_shape_text(&shape).chars,
                                  oribi_cpu_shape_text(out).chars);
        }
        if (!is_new && __builtin_add_overflow(out->at[axis], shape.at[axis], &out->at[axis])) {
            return oribi_kit_fail(run, TF_INVALID_ARGUMENT, "axis %d grows beyond int64", axis);
        }
    }
    if (is_new) {
        for (int k = out->n; k > axis; k--) {
            out->at[k] = out->at[k - 1];
        }
        out->at[axis] = n;
        out->n++;
    }
    return true;
}

/* Memory for the result. One that begins with all of the first input may lie where that does: a
 * caller's cache that grows where it is. */
static char *join_target(oribi_kit_run *run, int first, bool begins_with_first,
                         const oribi_cpu_shape *out)
{
    if (!begins_with_first || TF_ExpectedOutputDataType(run->context, 0) == TF_STRING) {
        return oribi_cpu_moved_output(run, 0, out->at, out->n);
    }
    return oribi_kit_output_in_place(run, &first, 1, out->at, out->n);
}

static bool join(oribi_kit_run *run, int first, int n, int axis, bool is_new)
{
    oribi_cpu_shape out;
    int64_t count = 0;
    if (!join_shape(run, first, n, axis, is_new, &out) ||
        !oribi_cpu_count(run, out.at, out.n, &count)) {
        return false;
    }
    size_t width = oribi_cpu_moved_width(run, TF_ExpectedOutputDataType(run->context, 0));
    int64_t n_runs = oribi_cpu_product(out.at, axis);
    char *target = width == 0 ? NULL : join_target(run, first, n_runs == 1 && !is_new, &out);
    if (target == NULL || count == 0) {
        return target != NULL;
    }
    size_t total = (size_t)oribi_cpu_product(out.at + axis, out.n - axis) * width;
    batch work;
    work.n = 0;
    work.bytes = 0;
    for (int i = 0; i < n; i++) {
        TF_Tensor *tensor = input(run, first + i);
        if (tensor == NULL) {
            copy_all(run, 0, &work);
            return false;
        }
        size_t bytes = (size_t)(TF_TensorElementCount(tensor) / n_runs) * width;
        const char *from = TF_TensorData(tensor);
        const runs some = {from, target, from != target ? bytes : 0, bytes, total};
        copy(run, n_runs, &some, tensor, &work);
        target += bytes;
    }
    copy_all(run, n_runs, &work);
    return true;
}

/* The axis is an integer input; n inputs from `first` on. */
static void concat(TF_OpKernelContext *context, int axis_input, int first, int n)
{
    oribi_kit_run run;
    oribi_cpu_shape shape;
    int64_t axis = 0;
    int at = 0;
    (void)oribi_kit_begin(&run, context, 0);
    TF_Tensor *axis_tensor = input(&run, axis_input);
    TF_Tensor *tensor = axis_tensor == NULL ? NULL : input(&run, first);
    if (tensor != NULL) {
        run.in[1 - first] = axis_tensor; /* deleted with the run */
        run.in[first] = tensor;          /* the input of that index, as join has it; 0 or 1 */
        run.n_in = 2;
        axis_tensor = NULL;
        if (oribi_cpu_read_int(&run, 1 - first, "concat_dim", &axis) &&
            oribi_cpu_input_shape(&run, first, &shape) &&
            oribi_cpu_axis(&run, axis, shape.n, &at)) {
            (void)join(&run, first, n, at, false);
            oribi_cpu_own_outputs(&run);
        }
    }
    TF_DeleteTensor(axis_tensor);
    oribi_kit_end(&run);
}

static void concat_v2_compute(void *state, TF_OpKernelContext *context)
{
    int n = TF_NumInputs(context) - 1;
    (void)state;
    concat(context, n, 0, n);
}

static void concat_compute(void *state, TF_OpKernelContext *context)
{
    (void)state;
    concat(context, 0, 1, TF_NumInputs(context) - 1);
}

typedef struct axis_state {
    int64_t axis;
} axis_state;

static void axis_read(oribi_kit_setup *setup, axis_state *state)
{
    oribi_kit_attr_int(setup, "axis", &state->axis);
}
ORIBI_KIT_CREATE(axis, axis_state)

static bool pack_run(const axis_state *state, oribi_kit_run *run)
{
    int axis = 0, rank = TF_NumDims(run->in[0]);
    if (rank >= ORIBI_MAX_RANK) {
        return oribi_kit_fail(run, TF_UNIMPLEMENTED, "rank %d cannot grow", rank);
    }
    return oribi_cpu_axis(run, state->axis, rank + 1, &axis) &&
           join(run, 0, TF_NumInputs(run->context), axis, true);
}
ORIBI_CPU_MOVE_COMPUTE(pack, 1)

/* Output `index` takes `part` elements of the axis from `from` on; drop: the axis goes. */
static bool take(oribi_kit_run *run, TF_Tensor *source, const oribi_cpu_shape *in, int axis,
                 int index, int64_t from, int64_t part, bool drop)
{
    oribi_cpu_shape out = *in;
    TF_DataType dtype = TF_TensorType(source);
    size_t width = oribi_cpu_moved_width(run, dtype);
    if (width == 0) {
        return false;
    }
    out.at[axis] = part;
    int64_t n_runs = oribi_cpu_product(out.at, axis);
    size_t inner = (size_t)oribi_cpu_product(out.at + axis + 1, out.n - axis - 1) * width;
    if (drop) {
        out.n--;
        for (int i = axis; i < out.n; i++) {
            out.at[i] = out.at[i + 1];
        }
    }
    int64_t count = oribi_cpu_product(out.at, out.n);
    TF_Tensor *tensor = TF_AllocateOutput(run->context, index, dtype, out.at, out.n,
                                          (size_t)count * width, run->status);
    if (tensor == NULL) {
        return TF_GetCode(run->status) == TF_OK &&
               oribi_kit_fail(run, TF_RESOURCE_EXHAUSTED, "no memory for output %d", index);
    }
    if (dtype == TF_STRING) {
        memset(TF_TensorData(tensor), 0, TF_TensorByteSize(tensor)); /* empty ones */
    }
    if (count > 0) {
        const runs some = {(const char *)TF_TensorData(source) + (size_t)from * inner,
                           TF_TensorData(tensor), (size_t)part * inner,
                           (size_t)in->at[axis] * inner, (size_t)part * inner};
        batch work = {.n = 0};
        copy(run, n_runs, &some, NULL, &work);
        copy_all(run, n_runs, &work);
    }
    oribi_cpu_own_texts(run, tensor);
    TF_DeleteTensor(tensor);
    return oribi_kit_is_ok(run);
}

static bool split_run(const void *state, oribi_kit_run *run)
{
    oribi_cpu_shape in;
    int64_t axis = 0;
    int at = 0, n = TF_NumOutputs(run->context);
    (void)state;
    if (!oribi_cpu_read_int(run, 0, "split_dim", &axis) || !oribi_cpu_input_shape(run, 1, &in) ||
        !oribi_cpu_axis(run, axis, in.n, &at)) {
        return false;
    }
    if (n < 1 || in.at[at] % n != 0) {
        return oribi_kit_fail(run, TF_INVALID_ARGUMENT,
                              "Number of ways to split should evenly divide the split dimension, "
                              "but got split_dim %d (size = %lld) and num_split %d",
                              at, (long long)in.at[at], n);
    }
    bool good = true;
    for (int i = 0; good && i < n; i++) {
        int64_t part = in.at[at] / n;
        good = take(run, run->in[1], &in, at, i, i * part, part, false);
    }
    return good;
}
ORIBI_KIT_COMPUTE(split, 2)

/* Element i of the sizes, with -1 at `unknown` standing for what is left over. */
static int64_t size_at(const TF_Tensor *sizes, int64_t i)
{
    return oribi_kit_int_at(TF_TensorData(sizes), TF_TensorType(sizes), i);
}

static bool split_v_sizes(oribi_kit_run *run, int64_t whole, int n, int64_t *out_rest)
{
    const TF_Tensor *sizes = run->in[1];
    TF_DataType dtype = TF_TensorType(sizes);
    int unknown = -1;
    int64_t sum = 0;
    if (TF_NumDims(sizes) != 1 || TF_Dim(sizes, 0) != n ||
        (dtype != TF_INT32 && dtype != TF_INT64 && dtype != TF_INT8)) {
        return oribi_kit_fail(run, TF_INVALID_ARGUMENT,
                              "size_splits must be a vector of %d integers", n);
    }
    for (int i = 0; i < n; i++) {
        int64_t size = size_at(sizes, i);
        if (size < -1 || (size == -1 && unknown >= 0)) {
            return oribi_kit_fail(run, TF_INVALID_ARGUMENT,
                                  "size_splits[%d] is %lld: sizes are at least 0, and one may be "
                                  "-1",
                                  i, (long long)size);
        }
        unknown = size == -1 ? i : unknown;
        if (__builtin_add_overflow(sum, size == -1 ? 0 : size, &sum)) {
            sum = INT64_MAX;
        }
    }
    *out_rest = whole - sum;
    if (unknown >= 0 ? sum > whole : sum != whole) {
        return oribi_kit_fail(run, TF_INVALID_ARGUMENT,
                              "size_splits add up to %lld, but the split dimension has %lld",
                              (long long)sum, (long long)whole);
    }
    return true;
}

static bool split_v_run(const void *state, oribi_kit_run *run)
{
    oribi_cpu_shape in;
    int64_t axis = 0, rest = 0, from = 0;
    int at = 0, n = TF_NumOutputs(run->context);
    (void)state;
    if (!oribi_cpu_read_int(run, 2, "split_dim", &axis) || !oribi_cpu_input_shape(run, 0, &in) ||
        !oribi_cpu_axis(run, axis, in.n, &at) || !split_v_sizes(run, in.at[at], n, &rest)) {
        return false;
    }
    bool good = true;
    for (int i = 0; good && i < n; i++) {
        int64_t size = size_at(run->in[1], i);
        size = size == -1 ? rest : size;
        if (size < 0 || size > in.at[at] - from) {
            return oribi_cpu_index_changed(run);
        }
        good = take(run, run->in[0], &in, at, i, from, size, false);
        from += size;
    }
    return good;
}
ORIBI_KIT_COMPUTE(split_v, 3)

static bool unpack_run(const axis_state *state, oribi_kit_run *run)
{
    oribi_cpu_shape in;
    int axis = 0, n = TF_NumOutputs(run->context);
    if (!oribi_cpu_input_shape(run, 0, &in) || !oribi_cpu_axis(run, state->axis, in.n, &axis)) {
        return false;
    }
    if (in.at[axis] != n) {
        return oribi_kit_fail(run, TF_INVALID_ARGUMENT,
                              "Input shape axis %d must equal %d, got shape %s", axis, n,
                              oribi_cpu_shape_text(&in).chars);
    }
    bool good = true;
    for (int i = 0; good && i < n; i++) {
        good = take(run, run->in[0], &in, axis, i, i, 1, true);
    }
    return good;
}
ORIBI_KIT_COMPUTE(unpack, 1)

const oribi_cpu_kernel oribi_cpu_concat_kernels[] = {
    ORIBI_CPU_ROW("ConcatV2", concat_v2, "copies of runs of bytes"),
    ORIBI_CPU_ROW("Concat", concat, "copies of runs of bytes"),
    ORIBI_CPU_STATE_ROW("Pack", axis, pack, "copies of runs of bytes"),
    ORIBI_CPU_ROW("Split", split, "copies of runs of bytes"),
    ORIBI_CPU_ROW("SplitV", split_v, "copies of runs of bytes"),
    ORIBI_CPU_STATE_ROW("Unpack", axis, unpack, "copies of runs of bytes"),
    {.op_name = NULL},
};
