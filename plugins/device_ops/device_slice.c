/* SPDX-License-Identifier: Apache-2.0 */
/* Boxes of a tensor: Slice and StridedSlice. The rules of the masks are those of tf.strided_slice.
 */
#include <stdlib.h>

#include "device_ops/device_walk.h"
#include "micro/geometry/geometry_slice.h"
#include "micro/geometry/geometry_walk.h"

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

/* The sizes of x, and elements from one to the next along each; those of size 1 too. */
static bool x_strides(op_request *r, oribi_dims *dims, oribi_dims *strides)
{
    if (!op_dims(r, r->x, dims)) {
        return false;
    }
    strides->n = dims->n;
    oribi_geometry_steps(dims->at, dims->n, 1, strides->at);
    return true;
}

static void compute_slice(void *kernel, TF_OpKernelContext *ctx)
{
    op_request r;
    box b = {0};
    oribi_dims begin, size, dims, strides;
    const TF_Tensor *sizes = op_open(&r, ctx, 2) ? op_other(&r, 2) : NULL;
    if (sizes != NULL && op_read_dims(&r, r.y, &begin) && op_read_dims(&r, sizes, &size) &&
        x_strides(&r, &dims, &strides)) {
        if (begin.n != dims.n || size.n != begin.n) {
            (void)op_refuse(&r, TF_INVALID_ARGUMENT,
                            "begin and size must have one element for each dimension of x");
        }
        for (int i = 0; op_is_ok(&r) && i < begin.n; i++) {
            int64_t count = 0;
            if (begin.at[i] < 0 ||
                !oribi_geometry_slice_size(dims.at[i], begin.at[i], size.at[i], &count)) {
                (void)op_refuse(&r, TF_INVALID_ARGUMENT, "the slice does not lie within x");
                break;
            }
            (void)oribi_dims_add(&b.out, count);
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

static bool strided_refuse(op_request *r, oribi_geometry_cut cut)
{
    return op_refuse(r, TF_INVALID_ARGUMENT,
                     cut == ORIBI_GEOMETRY_TOO_MANY    ? "the slice has more dimensions than x"
                     : cut == ORIBI_GEOMETRY_ZERO_STEP ? "a stride of 0"
                                                       : "an index that is not within its "
                                                         "dimension");
}

/* Walks the specification; parts become dimensions of the walk. */
static bool build(op_request *r, const oribi_geometry_strided *spec, box *b)
{
    oribi_geometry_slice slice;
    oribi_dims dims, strides;
    if (!x_strides(r, &dims, &strides)) {
        return false;
    }
    oribi_geometry_cut cut = oribi_geometry_slice_open(&slice, spec, dims.n);
    while (cut <= ORIBI_GEOMETRY_NEW &&
           (cut = oribi_geometry_slice_next(&slice, dims.at)) != ORIBI_GEOMETRY_END) {
        if (cut == ORIBI_GEOMETRY_PART || cut == ORIBI_GEOMETRY_INDEX) {
            b->walk.x_first += (int32_t)(slice.first * strides.at[slice.axis]);
        }
        if (cut == ORIBI_GEOMETRY_PART || cut == ORIBI_GEOMETRY_NEW) {
            if (b->out.n == OP_MAX_RANK) {
                return op_refuse_rank(r, OP_MAX_RANK + 1);
            }
            (void)oribi_dims_add(&b->out, slice.count);
        }
        if (cut == ORIBI_GEOMETRY_PART) {
            add_dim(b, slice.count, slice.count > 1 ? strides.at[slice.axis] * slice.step : 0);
        }
    }
    return cut == ORIBI_GEOMETRY_END || strided_refuse(r, cut);
}

static void compute_strided_slice(void *kernel, TF_OpKernelContext *ctx)
{
    op_request r;
    box b = {0};
    oribi_dims first, last, steps;
    oribi_geometry_strided spec =
        *(const oribi_geometry_strided *)((const op_kernel *)kernel)->attrs;
    const TF_Tensor *end = op_open(&r, ctx, 2) ? op_other(&r, 2) : NULL;
    const TF_Tensor *step = end != NULL ? op_other(&r, 3) : NULL;
    if (step != NULL && op_read_dims(&r, r.y, &first) && op_read_dims(&r, end, &last) &&
        op_read_dims(&r, step, &steps)) {
        spec.n = first.n;
        spec.begin = first.at;
        spec.end = last.at;
        spec.step = steps.at;
        if (last.n != first.n || steps.n != first.n) {
            (void)op_refuse(&r, TF_INVALID_ARGUMENT, "begin, end and strides differ in length");
        } else if (build(&r, &spec, &b)) {
            run_box(kernel, &r, &b);
        }
    }
    op_close(&r);
}

OP_CREATE(create_slice, "move", "op_move")

static void *create_strided_slice(TF_OpKernelConstruction *c)
{
    oribi_kit_setup setup;
    op_kernel *kernel = op_begin(&setup, c, "move", "op_move", sizeof(oribi_geometry_strided));
    if (kernel != NULL) {
        oribi_geometry_strided *own = kernel->attrs;
        oribi_kit_attr_int(&setup, "begin_mask", &own->begin_mask);
        oribi_kit_attr_int(&setup, "end_mask", &own->end_mask);
        oribi_kit_attr_int(&setup, "ellipsis_mask", &own->ellipsis_mask);
        oribi_kit_attr_int(&setup, "new_axis_mask", &own->new_axis_mask);
        oribi_kit_attr_int(&setup, "shrink_axis_mask", &own->shrink_axis_mask);
        if (oribi_geometry_has_two_ellipses(own)) {
            (void)oribi_kit_setup_fail(&setup, TF_INVALID_ARGUMENT,
                                       "there is more than one ellipsis");
        }
    }
    return oribi_kit_setup_end(&setup);
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
