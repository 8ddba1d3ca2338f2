/* SPDX-License-Identifier: Apache-2.0 */
/* Boxes of a tensor: Slice and StridedSlice. The rules of the masks are those of tf.strided_slice.
 */
#include <limits.h>
#include <stdlib.h>

#include "device_ops/walk.h"

typedef struct box {      /* of x, as far as it is built */
    oribi_dims out, dims; /* of the output; of the walk */
    op_walk walk;
} box;

/* Fills the output; the host's shapes are those of the output that was allocated. */
static void run_box(op_kernel *kernel, op_request *r, box *b)
{
    if (!op_output(r, &b->out)) {
        return;
    }
    walk_close(&b->walk, &b->dims);
    const TF_LaunchArg args[] = {op_memory(r->out), op_memory(r->x),
                                 op_value(&b->walk, sizeof b->walk)};
    op_enqueue_strips(kernel, r, b->walk.n, args, 3);
}

static void add_dim(box *b, int64_t dim, int64_t stride)
{
    b->walk.x[b->dims.n] = (int32_t)stride;
    (void)oribi_dims_add(&b->dims, dim);
}

/* Elements from one to the next along each dimension of x, those of size 1 too. */
static void x_strides(const op_request *r, oribi_dims *strides)
{
    int64_t step = 1;
    (void)oribi_dims_fill(strides, TF_NumDims(r->x), 0);
    for (int i = TF_NumDims(r->x) - 1; i >= 0; i--) {
        strides->at[i] = step;
        step *= TF_Dim(r->x, i);
    }
}

static void compute_slice(void *kernel, TF_OpKernelContext *ctx)
{
    op_request r;
    box b = {0};
    oribi_dims begin, size, strides;
    const TF_Tensor *sizes = op_open(&r, ctx, 2) ? op_other(&r, 2) : NULL;
    if (sizes != NULL && op_read_dims(&r, r.y, &begin) && op_read_dims(&r, sizes, &size)) {
        if (begin.n != TF_NumDims(r.x) || size.n != begin.n) {
            (void)op_refuse(&r, TF_INVALID_ARGUMENT,
                            "begin or size of another length than x's rank");
        }
        x_strides(&r, &strides);
        for (int i = 0; op_is_ok(&r) && i < begin.n; i++) {
            const int64_t dim = TF_Dim(r.x, i);
            const bool inside = begin.at[i] >= 0 && begin.at[i] <= dim;
            const int64_t rest = inside ? dim - begin.at[i] : 0;
            if (!inside || size.at[i] < -1 || size.at[i] > rest) {
                (void)op_refuse(&r, TF_INVALID_ARGUMENT, "a box that is not within x");
                break;
            }
            (void)oribi_dims_add(&b.out, size.at[i] == -1 ? rest : size.at[i]);
            b.walk.x_first += (int32_t)(begin.at[i] * strides.at[i]);
            add_dim(&b, b.out.at[i], strides.at[i]);
        }
        if (op_is_ok(&r)) {
            run_box(kernel, &r, &b);
        }
    }
    op_close(&r);
}

/* --- StridedSlice ---------------------------------------------------------------------------- */

typedef struct masks {
    int64_t begin, end, ellipsis, new_axis, shrink_axis;
} masks;

typedef struct spec {
    const masks *masks;
    oribi_dims begin, end, step; /* of one length */
    oribi_dims strides;          /* of x */
} spec;

static bool has(int64_t mask, int bit)
{
    return (mask >> bit & 1) != 0;
}

static int64_t clamp(int64_t value, int64_t low, int64_t high)
{
    return value < low ? low : value > high ? high : value;
}

/* Entry i takes dimension d of x. */
static bool take_dim(op_request *r, const spec *s, int i, int d, box *b)
{
    const int64_t dim = TF_Dim(r->x, d), step = s->step.at[i];
    const int64_t low = step > 0 ? 0 : -1, high = step > 0 ? dim : dim - 1;
    int64_t begin = s->begin.at[i] < 0 ? s->begin.at[i] + dim : s->begin.at[i];
    int64_t end = s->end.at[i] < 0 ? s->end.at[i] + dim : s->end.at[i];
    if (has(s->masks->shrink_axis, i)) {
        if (step <= 0 || begin < 0 || begin >= dim) {
            return op_refuse(r, TF_INVALID_ARGUMENT, "an index that is not within its dimension");
        }
        b->walk.x_first += (int32_t)(begin * s->strides.at[d]);
        return true;
    }
    if (step == 0 || step > INT_MAX || step < -INT_MAX) {
        return op_refuse(r, TF_INVALID_ARGUMENT, "a stride of 0, or beyond 2^31");
    }
    begin = has(s->masks->begin, i) ? (step > 0 ? low : high) : clamp(begin, low, high);
    end = has(s->masks->end, i) ? (step > 0 ? high : low) : clamp(end, low, high);
    const int64_t length = step > 0 ? end - begin : begin - end, pace = step > 0 ? step : -step;
    const int64_t count = length <= 0 ? 0 : (length - 1) / pace + 1;
    b->walk.x_first += (int32_t)(count > 0 ? begin * s->strides.at[d] : 0);
    (void)oribi_dims_add(&b->out, count);
    add_dim(b, count, count > 1 ? s->strides.at[d] * step : 0);
    return true;
}

static void take_whole(const op_request *r, const spec *s, int d, box *b)
{
    (void)oribi_dims_add(&b->out, TF_Dim(r->x, d));
    add_dim(b, TF_Dim(r->x, d), s->strides.at[d]);
}

/* Walks the specification and x's dimensions side by side. */
static bool build(op_request *r, const spec *s, box *b)
{
    const int rank = TF_NumDims(r->x);
    int n_new = 0, d = 0;
    bool seen_ellipsis = false;
    for (int i = 0; i < s->begin.n; i++) {
        seen_ellipsis = seen_ellipsis || has(s->masks->ellipsis, i);
        n_new += !has(s->masks->ellipsis, i) && has(s->masks->new_axis, i);
    }
    const int n_taken = s->begin.n - n_new - (seen_ellipsis ? 1 : 0);
    if (rank + n_new > OP_MAX_RANK) {
        return op_refuse_rank(r, rank + n_new);
    }
    if (n_taken > rank) {
        return op_refuse(r, TF_INVALID_ARGUMENT, "more dimensions sliced than x has");
    }
    for (int i = 0; i < s->begin.n; i++) {
        if (has(s->masks->ellipsis, i)) {
            for (int k = rank - n_taken; k > 0; k--) {
                take_whole(r, s, d++, b);
            }
        } else if (has(s->masks->new_axis, i)) {
            (void)oribi_dims_add(&b->out, 1);
        } else if (!take_dim(r, s, i, d++, b)) {
            return false;
        }
    }
    while (d < rank) {
        take_whole(r, s, d++, b);
    }
    return true;
}

static void compute_strided_slice(void *kernel, TF_OpKernelContext *ctx)
{
    op_request r;
    box b = {0};
    spec s = {.masks = ((const op_kernel *)kernel)->attrs};
    const TF_Tensor *end = op_open(&r, ctx, 2) ? op_other(&r, 2) : NULL;
    const TF_Tensor *step = end != NULL ? op_other(&r, 3) : NULL;
    if (step != NULL && op_read_dims(&r, r.y, &s.begin) && op_read_dims(&r, end, &s.end) &&
        op_read_dims(&r, step, &s.step)) {
        x_strides(&r, &s.strides);
        if (s.end.n != s.begin.n || s.step.n != s.begin.n) {
            (void)op_refuse(&r, TF_INVALID_ARGUMENT, "begin, end and strides of unlike lengths");
        } else if (build(&r, &s, &b)) {
            run_box(kernel, &r, &b);
        }
    }
    op_close(&r);
}

OP_CREATE(create_slice, "move", "op_move")

static void *create_strided_slice(TF_OpKernelConstruction *c)
{
    static const char *const names[] = {"begin_mask", "end_mask", "ellipsis_mask", "new_axis_mask",
                                        "shrink_axis_mask"};
    TF_Status *status = TF_NewStatus();
    op_kernel *kernel = op_create("move", "op_move", status);
    masks *own = kernel != NULL ? calloc(1, sizeof *own) : NULL;
    if (own == NULL) {
        TF_SetStatus(status, TF_RESOURCE_EXHAUSTED, "out of memory");
        return op_finish(c, kernel, status);
    }
    kernel->attrs = own;
    int64_t *const to[] = {&own->begin, &own->end, &own->ellipsis, &own->new_axis,
                           &own->shrink_axis};
    for (int i = 0; i < 5 && TF_GetCode(status) == TF_OK; i++) {
        TF_OpKernelConstruction_GetAttrInt64(c, names[i], to[i], status);
    }
    if (TF_GetCode(status) == TF_OK && (own->ellipsis & (own->ellipsis - 1)) != 0) {
        TF_SetStatus(status, TF_INVALID_ARGUMENT, "more than one ellipsis");
    }
    return op_finish(c, kernel, status);
}

static const op_entry entries[] = {
    {"Slice", "move", create_slice, compute_slice, {"begin", "size"}},
    {"StridedSlice",
     "move",
     create_strided_slice,
     compute_strided_slice,
     {"begin", "end", "strides"}},
};
const op_table op_slice_table = {entries, sizeof entries / sizeof *entries};
