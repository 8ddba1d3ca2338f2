/* SPDX-License-Identifier: Apache-2.0 */
/* Boxes of a tensor: Slice and StridedSlice. The rules of the masks are those of tf.strided_slice.
 */
#include <limits.h>
#include <stdlib.h>

#include "device_ops/walk.h"

typedef struct box {    /* of x, as far as it is built */
    int out_rank, rank; /* of the output; of the walk */
    int64_t out[OP_MAX_RANK], dims[OP_MAX_RANK];
    op_walk walk;
} box;

/* Fills the output; the host's shapes are those of the output that was allocated. */
static void run_box(op_kernel *kernel, op_request *r, box *b)
{
    if (!op_output(r, b->out, b->out_rank)) {
        return;
    }
    walk_close(&b->walk, b->dims, b->rank);
    const TF_LaunchArg args[] = {op_memory(r->out), op_memory(r->x),
                                 op_value(&b->walk, sizeof b->walk)};
    op_enqueue_strips(kernel, r, b->walk.n, args, 3);
}

static void add_dim(box *b, int64_t dim, int64_t stride)
{
    b->dims[b->rank] = dim;
    b->walk.x[b->rank++] = (int32_t)stride;
}

static void x_strides(const op_request *r, int64_t strides[OP_MAX_RANK])
{
    int64_t step = 1;
    for (int i = TF_NumDims(r->x) - 1; i >= 0; i--) {
        strides[i] = step;
        step *= TF_Dim(r->x, i);
    }
}

static void compute_slice(void *kernel, TF_OpKernelContext *ctx)
{
    op_request r;
    box b = {0};
    int64_t begin[OP_MAX_RANK], size[OP_MAX_RANK], strides[OP_MAX_RANK];
    int n = 0, n_sizes = 0;
    const TF_Tensor *sizes = op_open(&r, ctx, 2) ? op_other(&r, 2) : NULL;
    if (sizes != NULL && op_read_ints(&r, r.y, begin, OP_MAX_RANK, &n) &&
        op_read_ints(&r, sizes, size, OP_MAX_RANK, &n_sizes)) {
        if (n != TF_NumDims(r.x) || n_sizes != n) {
            (void)op_refuse(&r, TF_INVALID_ARGUMENT,
                            "begin or size of another length than x's rank");
        }
        x_strides(&r, strides);
        for (int i = 0; op_is_ok(&r) && i < n; i++) {
            const int64_t dim = TF_Dim(r.x, i);
            const bool inside = begin[i] >= 0 && begin[i] <= dim;
            const int64_t rest = inside ? dim - begin[i] : 0;
            if (!inside || size[i] < -1 || size[i] > rest) {
                (void)op_refuse(&r, TF_INVALID_ARGUMENT, "a box that is not within x");
                break;
            }
            b.out[b.out_rank++] = size[i] == -1 ? rest : size[i];
            b.walk.x_first += (int32_t)(begin[i] * strides[i]);
            add_dim(&b, b.out[i], strides[i]);
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
    int n;
    int64_t begin[OP_MAX_RANK], end[OP_MAX_RANK], step[OP_MAX_RANK], strides[OP_MAX_RANK];
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
    const int64_t dim = TF_Dim(r->x, d), step = s->step[i];
    const int64_t low = step > 0 ? 0 : -1, high = step > 0 ? dim : dim - 1;
    int64_t begin = s->begin[i] < 0 ? s->begin[i] + dim : s->begin[i];
    int64_t end = s->end[i] < 0 ? s->end[i] + dim : s->end[i];
    if (has(s->masks->shrink_axis, i)) {
        if (step <= 0 || begin < 0 || begin >= dim) {
            return op_refuse(r, TF_INVALID_ARGUMENT, "an index that is not within its dimension");
        }
        b->walk.x_first += (int32_t)(begin * s->strides[d]);
        return true;
    }
    if (step == 0 || step > INT_MAX || step < -INT_MAX) {
        return op_refuse(r, TF_INVALID_ARGUMENT, "a stride of 0, or beyond 2^31");
    }
    begin = has(s->masks->begin, i) ? (step > 0 ? low : high) : clamp(begin, low, high);
    end = has(s->masks->end, i) ? (step > 0 ? high : low) : clamp(end, low, high);
    const int64_t length = step > 0 ? end - begin : begin - end, pace = step > 0 ? step : -step;
    const int64_t count = length <= 0 ? 0 : (length - 1) / pace + 1;
    b->walk.x_first += (int32_t)(count > 0 ? begin * s->strides[d] : 0);
    b->out[b->out_rank++] = count;
    add_dim(b, count, count > 1 ? s->strides[d] * step : 0);
    return true;
}

static void take_whole(const op_request *r, const spec *s, int d, box *b)
{
    b->out[b->out_rank++] = TF_Dim(r->x, d);
    add_dim(b, TF_Dim(r->x, d), s->strides[d]);
}

/* Walks the specification and x's dimensions side by side. */
static bool build(op_request *r, const spec *s, box *b)
{
    const int rank = TF_NumDims(r->x);
    int n_new = 0, d = 0;
    bool seen_ellipsis = false;
    for (int i = 0; i < s->n; i++) {
        seen_ellipsis = seen_ellipsis || has(s->masks->ellipsis, i);
        n_new += !has(s->masks->ellipsis, i) && has(s->masks->new_axis, i);
    }
    const int n_taken = s->n - n_new - (seen_ellipsis ? 1 : 0);
    if (n_taken > rank || rank + n_new > OP_MAX_RANK) {
        return op_refuse(r, TF_INVALID_ARGUMENT, "more dimensions sliced than x has");
    }
    for (int i = 0; i < s->n; i++) {
        if (has(s->masks->ellipsis, i)) {
            for (int k = rank - n_taken; k > 0; k--) {
                take_whole(r, s, d++, b);
            }
        } else if (has(s->masks->new_axis, i)) {
            b->out[b->out_rank++] = 1;
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
    int n_end = 0, n_step = 0;
    const TF_Tensor *end = op_open(&r, ctx, 2) ? op_other(&r, 2) : NULL;
    const TF_Tensor *step = end != NULL ? op_other(&r, 3) : NULL;
    if (step != NULL && op_read_ints(&r, r.y, s.begin, OP_MAX_RANK, &s.n) &&
        op_read_ints(&r, end, s.end, OP_MAX_RANK, &n_end) &&
        op_read_ints(&r, step, s.step, OP_MAX_RANK, &n_step)) {
        x_strides(&r, s.strides);
        if (n_end != s.n || n_step != s.n) {
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
