/* SPDX-License-Identifier: Apache-2.0 */
/* Reductions over axes: a thread for each output, or a group where that would leave threads idle.
 */
#include "device_ops/walk.h"

enum { GROUP_FROM = 256 }; /* elements of one output from which a group makes it */

static bool read_axes(op_request *r, unsigned *out_reduced)
{
    int64_t axes[OP_MAX_RANK];
    int n = 0, axis = 0;
    *out_reduced = 0;
    if (!op_read_ints(r, r->y, axes, OP_MAX_RANK, &n)) {
        return false;
    }
    for (int i = 0; i < n; i++) {
        if (!op_axis(r, axes[i], TF_NumDims(r->x), &axis)) {
            return false;
        }
        if ((*out_reduced >> axis & 1) != 0) {
            return op_refuse(r, TF_INVALID_ARGUMENT, "an axis that is named twice");
        }
        *out_reduced |= 1u << axis;
    }
    return true;
}

/* The dimensions that are in the set, with their strides over x, as a walk. */
static op_walk walk_of(const op_request *r, unsigned set)
{
    int64_t all[OP_MAX_RANK], dims[OP_MAX_RANK];
    int32_t strides[OP_MAX_RANK];
    op_walk w = {0};
    const int rank = TF_NumDims(r->x);
    int n = 0;
    for (int i = 0; i < rank; i++) {
        all[i] = TF_Dim(r->x, i);
    }
    walk_strides(all, rank, strides);
    for (int i = 0; i < rank; i++) {
        if ((set >> i & 1) != 0) {
            dims[n] = all[i];
            w.x[n++] = strides[i];
        }
    }
    walk_close(&w, dims, n);
    return w;
}

static void enqueue(op_kernel *kernel, op_request *r, unsigned reduced)
{
    const op_walk kept = walk_of(r, ~reduced), inner = walk_of(r, reduced);
    op_reduction g = {.n = kept.n, .rank = kept.rank, .count = inner.n, .reduced_rank = inner.rank};
    for (int i = 0; i < OP_MAX_RANK; i++) {
        g.dims[i] = kept.dims[i];
        g.by_dims[i] = kept.by_dims[i];
        g.x[i] = kept.x[i];
        g.reduced_dims[i] = inner.dims[i];
        g.by_reduced_dims[i] = inner.by_dims[i];
        g.reduced_x[i] = inner.x[i];
    }
    const TF_LaunchArg args[] = {op_memory(r->out), op_memory(r->x), op_value(&g, sizeof g)};
    const uint32_t threads = op_target()->threads;
    if (g.count >= GROUP_FROM && g.n > 0 && g.n < (int)threads) {
        const op_shape shape = {.grid = {(uint32_t)g.n, 1, 1},
                                .block = {threads, 1, 1},
                                .shared_bytes = threads * sizeof(float)};
        op_launch(kernel, r, kernel->group_function, &shape, args, 3);
    } else {
        op_enqueue(kernel, r, g.n, 1, args, 3);
    }
}

static void compute_reduce(void *state, TF_OpKernelContext *ctx)
{
    op_kernel *kernel = state;
    op_request r;
    int64_t dims[OP_MAX_RANK];
    unsigned reduced = 0;
    int rank = 0;
    if (op_open(&r, ctx, 2) && read_axes(&r, &reduced)) {
        for (int i = 0; i < TF_NumDims(r.x); i++) {
            const bool is_reduced = (reduced >> i & 1) != 0;
            if (!is_reduced || kernel->keeps_dims) {
                dims[rank++] = is_reduced ? 1 : TF_Dim(r.x, i);
            }
        }
        if (op_output(&r, dims, rank)) {
            enqueue(kernel, &r, reduced);
        }
    }
    op_close(&r);
}

static void *create(TF_OpKernelConstruction *c, const char *function, const char *group)
{
    TF_Status *status = TF_NewStatus();
    op_kernel *kernel = op_create("reduce", function, status);
    if (kernel != NULL) {
        kernel->group_function = group;
        TF_OpKernelConstruction_GetAttrBool(c, "keep_dims", &kernel->keeps_dims, status);
    }
    return op_finish(c, kernel, status);
}

#define CREATE(name)                                                                               \
    static void *create_##name(TF_OpKernelConstruction *c)                                         \
    {                                                                                              \
        return create(c, "op_" #name, "op_" #name "_group");                                       \
    }
CREATE(sum)
CREATE(mean)
CREATE(prod)
CREATE(max)
CREATE(min)

static const op_entry entries[] = {
    {"Sum", "reduce", create_sum, compute_reduce, {"reduction_indices"}},
    {"Mean", "reduce", create_mean, compute_reduce, {"reduction_indices"}},
    {"Prod", "reduce", create_prod, compute_reduce, {"reduction_indices"}},
    {"Max", "reduce", create_max, compute_reduce, {"reduction_indices"}},
    {"Min", "reduce", create_min, compute_reduce, {"reduction_indices"}},
};
const op_table op_reduce_table = {entries, sizeof entries / sizeof *entries};
