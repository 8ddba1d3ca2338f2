/* SPDX-License-Identifier: Apache-2.0 */
/* Tensors side by side along an axis, or taken apart: rows copied from one pace to another. */
#include <limits.h>
#include <stdlib.h>

#include "device_ops/device_walk.h"

static int64_t product(const oribi_dims *dims, int from, int to)
{
    int64_t all = 1;
    for (int i = from; i < to; i++) {
        all *= dims->at[i];
    }
    return all;
}

static void enqueue_runs(op_kernel *kernel, op_request *r, const TF_Tensor *to,
                         const TF_Tensor *from, const op_runs *runs)
{
    const TF_LaunchArg args[] = {op_memory(to), op_memory(from), op_value(runs, sizeof *runs)};
    op_enqueue_strips(kernel, r, runs->n, args, 3);
}

/* --- Joins ----------------------------------------------------------------------------------- */

typedef struct join { /* inputs [first, first + n) along `axis` of the output */
    int first, n, axis;
    bool is_new; /* the inputs lack the axis */
    oribi_dims dims;
} join;

/* Adds input i's size to dims; false when its other dimensions are not those of the first. */
static bool take_shape(op_request *r, join *j, int i, const TF_Tensor *tensor)
{
    const int rank = TF_NumDims(tensor);
    if (i == 0 && !op_dims(r, tensor, &j->dims)) {
        return false;
    }
    if (rank != j->dims.n || TF_TensorElementCount(tensor) > INT_MAX) {
        return op_refuse(r, TF_INVALID_ARGUMENT, "the inputs differ in rank or are too large");
    }
    for (int k = 0; k < rank && i > 0; k++) {
        const int64_t dim = TF_Dim(tensor, k);
        if (!j->is_new && k == j->axis) {
            j->dims.at[k] += dim;
        } else if (j->dims.at[k] != dim) {
            return op_refuse(r, TF_INVALID_ARGUMENT,
                             "the inputs differ in a dimension other than the axis");
        }
    }
    return true;
}

static TF_Tensor *input(op_request *r, int index)
{
    TF_Tensor *tensor = NULL;
    TF_GetInput(r->run.context, index, &tensor, r->run.status);
    if (tensor == NULL && op_is_ok(r)) {
        (void)op_refuse(r, TF_INVALID_ARGUMENT, "an input is missing");
    }
    return tensor;
}

static bool make_output(op_request *r, join *j)
{
    for (int i = 0; i < j->n; i++) {
        TF_Tensor *tensor = input(r, j->first + i);
        const bool fits = tensor != NULL && take_shape(r, j, i, tensor);
        TF_DeleteTensor(tensor);
        if (!fits) {
            return false;
        }
    }
    if (j->is_new && oribi_dims_add(&j->dims, j->n)) {
        for (int k = j->dims.n - 1; k > j->axis; k--) {
            j->dims.at[k] = j->dims.at[k - 1];
        }
        j->dims.at[j->axis] = j->n;
    }
    return op_output(r, &j->dims);
}

static void run_join(op_kernel *kernel, op_request *r, join *j)
{
    if (!make_output(r, j) || TF_TensorElementCount(r->out) == 0) {
        return;
    }
    const int64_t rows = product(&j->dims, 0, j->axis);
    op_runs runs = {.z_stride = (int32_t)product(&j->dims, j->axis, j->dims.n)};
    for (int i = 0; i < j->n && op_is_ok(r); i++) {
        TF_Tensor *tensor = input(r, j->first + i);
        if (tensor != NULL) {
            runs.n = (int32_t)TF_TensorElementCount(tensor);
            runs.columns = runs.x_stride = (int32_t)(runs.n / rows);
            runs.by_columns = walk_divisor(runs.columns);
            enqueue_runs(kernel, r, r->out, tensor, &runs);
            runs.z_first += runs.columns;
        }
        TF_DeleteTensor(tensor);
    }
}

/* The axis is input `axis_input`, in host memory; r.x the first of the others. */
static void concat(void *kernel, TF_OpKernelContext *ctx, int axis_input, int first)
{
    op_request r;
    join j = {.first = first, .n = TF_NumInputs(ctx) - 1};
    int64_t axis = 0;
    int n = 0;
    if (op_open(&r, ctx, 0) && (r.x = op_other(&r, first)) != NULL &&
        (r.y = op_other(&r, axis_input)) != NULL && op_read_ints(&r, r.y, &axis, 1, &n) &&
        op_axis(&r, axis, TF_NumDims(r.x), &j.axis)) {
        run_join(kernel, &r, &j);
    }
    op_close(&r);
}

static void compute_concat_v2(void *kernel, TF_OpKernelContext *ctx)
{
    concat(kernel, ctx, TF_NumInputs(ctx) - 1, 0);
}

static void compute_concat(void *kernel, TF_OpKernelContext *ctx)
{
    concat(kernel, ctx, 0, 1);
}

static int64_t axis_of(const void *kernel)
{
    return *(const int64_t *)((const op_kernel *)kernel)->attrs;
}

static void compute_pack(void *kernel, TF_OpKernelContext *ctx)
{
    op_request r;
    join j = {.n = TF_NumInputs(ctx), .is_new = true};
    if (op_open(&r, ctx, 1) && op_axis(&r, axis_of(kernel), TF_NumDims(r.x) + 1, &j.axis)) {
        run_join(kernel, &r, &j);
    }
    op_close(&r);
}

/* --- Splits ---------------------------------------------------------------------------------- */

/* Output `index`: `part` of x's axis from `from` on; drops: the axis goes. */
static void take_part(op_kernel *kernel, op_request *r, int axis, int index, int64_t from,
                      int64_t part, bool drops)
{
    oribi_dims dims = {0};
    for (int i = 0; i < TF_NumDims(r->x); i++) {
        if (i != axis || !drops) {
            (void)oribi_dims_add(&dims, i == axis ? part : TF_Dim(r->x, i));
        }
    }
    TF_Tensor *out = op_other_output(r, index, &dims);
    int64_t inner = 1;
    for (int i = axis + 1; i < TF_NumDims(r->x); i++) {
        inner *= TF_Dim(r->x, i);
    }
    if (out != NULL && TF_TensorElementCount(out) > 0) {
        const op_runs runs = {.n = (int32_t)TF_TensorElementCount(out),
                              .columns = (int32_t)(part * inner),
                              .by_columns = walk_divisor((int32_t)(part * inner)),
                              .x_first = (int32_t)(from * inner),
                              .x_stride = (int32_t)(TF_Dim(r->x, axis) * inner),
                              .z_stride = (int32_t)(part * inner)};
        enqueue_runs(kernel, r, out, r->x, &runs);
    }
    if (out != NULL) { /* there may be more outputs than a request keeps */
        oribi_kit_output_done(&r->run);
    }
}

/* parts: one for each output, of x's axis. */
static void run_split(op_kernel *kernel, op_request *r, int axis, const int64_t *parts, bool drops)
{
    int64_t from = 0;
    if (TF_TensorElementCount(r->x) > INT_MAX) {
        (void)op_refuse(r, TF_UNIMPLEMENTED, "2^31 or more elements");
    }
    for (int i = 0; i < TF_NumOutputs(r->run.context) && op_is_ok(r); i++) {
        const int64_t part =
            parts != NULL ? parts[i] : TF_Dim(r->x, axis) / TF_NumOutputs(r->run.context);
        take_part(kernel, r, axis, i, from, part, drops);
        from += part;
    }
}

static void compute_split(void *kernel, TF_OpKernelContext *ctx)
{
    op_request r;
    int64_t axis = 0;
    int n = 0, at = 0;
    const bool is_open = op_open(&r, ctx, 2);
    TF_Tensor *const first = r.x; /* the axis comes first */
    r.x = r.y;
    r.y = first;
    if (is_open && op_read_ints(&r, r.y, &axis, 1, &n) && op_axis(&r, axis, TF_NumDims(r.x), &at)) {
        if (TF_Dim(r.x, at) % TF_NumOutputs(ctx) != 0) {
            (void)op_refuse(&r, TF_INVALID_ARGUMENT, "the axis cannot be divided into equal parts");
        } else {
            run_split(kernel, &r, at, NULL, false);
        }
    }
    op_close(&r);
}

/* A -1 among the parts is what the others leave. */
static bool work_out_parts(op_request *r, int64_t size, int64_t *parts, int n)
{
    int64_t known = 0;
    int unknown = -1;
    for (int i = 0; i < n; i++) {
        if (parts[i] == -1 && unknown < 0) {
            unknown = i;
        } else if (parts[i] < 0 || parts[i] > size) {
            return op_refuse(r, TF_INVALID_ARGUMENT, "the parts do not lie within the axis");
        } else {
            known += parts[i];
        }
    }
    if (unknown >= 0) {
        parts[unknown] = size - known;
        known = parts[unknown] < 0 ? -1 : size;
    }
    return known == size ||
           op_refuse(r, TF_INVALID_ARGUMENT, "the parts do not add up to the axis");
}

static void compute_split_v(void *kernel, TF_OpKernelContext *ctx)
{
    const int n_parts = TF_NumOutputs(ctx);
    int64_t *parts = calloc((size_t)n_parts, sizeof *parts), axis = 0;
    op_request r;
    int n = 0, at = 0;
    if (op_open(&r, ctx, 2) && parts == NULL) {
        (void)op_refuse(&r, TF_RESOURCE_EXHAUSTED, "out of memory");
    }
    const TF_Tensor *dim = op_is_ok(&r) ? op_other(&r, 2) : NULL;
    if (dim != NULL && op_read_ints(&r, dim, &axis, 1, &n) &&
        op_axis(&r, axis, TF_NumDims(r.x), &at) && op_read_ints(&r, r.y, parts, n_parts, &n)) {
        if (n != n_parts) {
            (void)op_refuse(&r, TF_INVALID_ARGUMENT,
                            "the number of parts differs from the number of outputs");
        } else if (work_out_parts(&r, TF_Dim(r.x, at), parts, n)) {
            run_split(kernel, &r, at, parts, false);
        }
    }
    free(parts);
    op_close(&r);
}

static void compute_unpack(void *kernel, TF_OpKernelContext *ctx)
{
    op_request r;
    int axis = 0;
    if (op_open(&r, ctx, 1) && op_axis(&r, axis_of(kernel), TF_NumDims(r.x), &axis)) {
        if (TF_Dim(r.x, axis) != TF_NumOutputs(ctx)) {
            (void)op_refuse(&r, TF_INVALID_ARGUMENT,
                            "the size of the axis differs from the number of outputs");
        } else {
            run_split(kernel, &r, axis, NULL, true);
        }
    }
    op_close(&r);
}

/* --- Construction ---------------------------------------------------------------------------- */

OP_CREATE(create_join, "move", "op_copy_runs")

static void *create_axis(TF_OpKernelConstruction *c)
{
    oribi_kit_setup setup;
    op_kernel *kernel = op_begin(&setup, c, "move", "op_copy_runs", sizeof(int64_t));
    if (kernel != NULL) {
        oribi_kit_attr_int(&setup, "axis", kernel->attrs);
    }
    return oribi_kit_setup_end(&setup);
}

static const op_entry entries[] = {
    {"ConcatV2", "move", create_join, compute_concat_v2, {"axis"}},
    {"Concat", "move", create_join, compute_concat, {"concat_dim"}},
    {"Pack", "move", create_axis, compute_pack, {NULL}},
    {"Split", "move", create_join, compute_split, {"split_dim"}},
    {"SplitV", "move", create_join, compute_split_v, {"size_splits", "split_dim"}},
    {"Unpack", "move", create_axis, compute_unpack, {NULL}},
};
const op_table op_join_table = {entries, sizeof entries / sizeof *entries};
