/* SPDX-License-Identifier: Apache-2.0 */
/* The same elements in another order: each op works out strides over x, code/move.c moves. */
#include <limits.h>
#include <stdlib.h>

#include "device_ops/device_walk.h"
#include "micro/geometry/geometry_axes.h"

/* Enqueues the move into the output, whose dims are given, by w's strides over x. */
static void enqueue_move(op_kernel *kernel, op_request *r, op_walk *w, const oribi_dims *dims)
{
    walk_close(w, dims);
    const TF_LaunchArg args[] = {op_memory(r->out), op_memory(r->x), op_value(w, sizeof *w)};
    op_enqueue_strips(kernel, r, w->n, args, 3);
}

static void compute_transpose(void *kernel, TF_OpKernelContext *ctx)
{
    op_request r;
    op_walk w = {0};
    oribi_dims in, perm, dims = {0};
    oribi_sizes strides = {0};
    if (op_open(&r, ctx, 2) && op_dims(&r, r.x, &in) && op_read_dims(&r, r.y, &perm)) {
        int32_t at = 0;
        if (perm.n != in.n ||
            oribi_geometry_permutation(perm.at, perm.n, &at) != ORIBI_GEOMETRY_NAMED) {
            (void)op_refuse(&r, TF_INVALID_ARGUMENT, "perm must name each dimension once");
        }
        walk_strides(&in, strides.at);
        for (int i = 0; i < in.n && op_is_ok(&r); i++) {
            w.x[i] = strides.at[perm.at[i]];
            (void)oribi_dims_add(&dims, in.at[perm.at[i]]);
        }
        if (op_is_ok(&r) && op_output(&r, &dims)) {
            enqueue_move(kernel, &r, &w, &dims);
        }
    }
    op_close(&r);
}

static void compute_reverse(void *kernel, TF_OpKernelContext *ctx)
{
    op_request r;
    op_walk w = {0};
    oribi_dims dims, axes;
    int axis = 0;
    if (op_open(&r, ctx, 2) && op_dims(&r, r.x, &dims) && op_read_dims(&r, r.y, &axes)) {
        oribi_geometry_axes seen = {{0}};
        walk_strides(&dims, w.x);
        for (int i = 0; i < axes.n && op_axis(&r, axes.at[i], dims.n, &axis); i++) {
            if (!oribi_geometry_add_axis(&seen, axis)) {
                (void)op_refuse(&r, TF_INVALID_ARGUMENT, "an axis is named twice");
                break;
            }
            w.x_first += (int32_t)(dims.at[axis] - 1) * w.x[axis];
            w.x[axis] = -w.x[axis];
        }
        if (op_is_ok(&r) && op_output(&r, &dims)) {
            enqueue_move(kernel, &r, &w, &dims);
        }
    }
    op_close(&r);
}

/* Output dimension i is multiples[i] times dimension i: two of the walk, the first with stride 0.
 */
static void compute_tile(void *kernel, TF_OpKernelContext *ctx)
{
    op_request r;
    op_walk w = {0};
    oribi_dims in, times, dims = {0}, both = {0};
    oribi_sizes strides = {0};
    if (op_open(&r, ctx, 2) && op_dims(&r, r.x, &in) && op_read_dims(&r, r.y, &times)) {
        walk_strides(&in, strides.at);
        for (int i = 0; i < times.n && i < in.n; i++) {
            if (times.at[i] < 0 || times.at[i] > INT_MAX || in.at[i] > INT_MAX) {
                (void)op_refuse(&r, TF_INVALID_ARGUMENT, "a multiple is negative or too large");
                break;
            }
            (void)oribi_dims_add(&dims, in.at[i] * times.at[i]);
            if (both.n + 1 + (times.at[i] != 1) > OP_MAX_RANK) {
                (void)op_refuse(&r, TF_UNIMPLEMENTED, "too many dimensions are tiled");
                break;
            }
            if (times.at[i] != 1) {
                w.x[both.n] = 0;
                (void)oribi_dims_add(&both, times.at[i]);
            }
            w.x[both.n] = strides.at[i];
            (void)oribi_dims_add(&both, in.at[i]);
        }
        if (op_is_ok(&r) && times.n != in.n) {
            (void)op_refuse(&r, TF_INVALID_ARGUMENT,
                            "there must be one multiple for each dimension");
        } else if (op_is_ok(&r) && op_output(&r, &dims)) {
            enqueue_move(kernel, &r, &w, &both);
        }
    }
    op_close(&r);
}

static void compute_broadcast_to(void *kernel, TF_OpKernelContext *ctx)
{
    op_request r;
    op_walk w = {0};
    oribi_dims dims, in = {0};
    if (op_open(&r, ctx, 2) && op_read_dims(&r, r.y, &dims)) {
        const int missing = dims.n - TF_NumDims(r.x);
        for (int i = 0; i < dims.n && missing >= 0; i++) {
            const int64_t size = i < missing ? 1 : TF_Dim(r.x, i - missing);
            (void)oribi_dims_add(&in, size);
            if (dims.at[i] < 0 || (size != 1 && size != dims.at[i])) {
                (void)op_refuse(&r, TF_INVALID_ARGUMENT, "x does not broadcast to this shape");
                break;
            }
        }
        if (missing < 0) {
            (void)op_refuse(&r, TF_INVALID_ARGUMENT, "the shape has fewer dimensions than x");
        } else if (op_is_ok(&r) && op_output(&r, &dims)) {
            walk_strides(&in, w.x);
            enqueue_move(kernel, &r, &w, &dims);
        }
    }
    op_close(&r);
}

/* --- Channels and space ---------------------------------------------------------------------- */

static int64_t block_of(const void *kernel)
{
    return *(const int64_t *)((const op_kernel *)kernel)->attrs;
}

static void compute_shuffle(void *kernel, TF_OpKernelContext *ctx)
{
    const int64_t groups = block_of(kernel);
    op_request r;
    if (op_open(&r, ctx, 1)) {
        const int rank = TF_NumDims(r.x);
        const int64_t channels = rank > 0 ? TF_Dim(r.x, rank - 1) : 0;
        if (rank < 1 || groups < 1 || channels % groups != 0) {
            (void)op_refuse(&r, TF_INVALID_ARGUMENT,
                            "the number of channels must be a multiple of the number of groups");
        } else if (op_output_like_x(&r) && channels > 0) {
            const int64_t each = channels / groups;
            const oribi_dims dims = {3, {TF_TensorElementCount(r.x) / channels, each, groups}};
            op_walk w = {.x = {(int32_t)channels, 1, (int32_t)each}};
            enqueue_move(kernel, &r, &w, &dims);
        }
    }
    op_close(&r);
}

/* Sets the walk's six dimensions for x [n, h, w, c] with blocks of b x b, in the order of the
 * output. */
static void space_walk(const op_request *r, int64_t b, bool to_depth, oribi_dims *dims,
                       op_walk *walk)
{
    const int64_t h = TF_Dim(r->x, 1), w = TF_Dim(r->x, 2), c = TF_Dim(r->x, 3);
    const int64_t d = c / (b * b);
    const int64_t out[6] = {
        TF_Dim(r->x, 0), to_depth ? h / b : h, to_depth ? w / b : b, to_depth ? b : w, b,
        to_depth ? c : d};
    const int64_t strides[6] = {h * w * c,
                                to_depth ? b * w * c : w * c,
                                to_depth ? b * c : b * d,
                                to_depth ? w * c : c,
                                to_depth ? c : d,
                                1};
    for (int i = 0; i < 6; i++) {
        (void)oribi_dims_add(dims, out[i]);
        walk->x[i] = (int32_t)strides[i];
    }
}

static void compute_space(op_kernel *kernel, TF_OpKernelContext *ctx, bool to_depth)
{
    const int64_t b = block_of(kernel);
    op_request r;
    op_walk w = {0};
    oribi_dims dims = {0};
    if (op_open(&r, ctx, 1)) {
        if (TF_NumDims(r.x) != 4 || b < 2 || b > INT_MAX / 2 ||
            (to_depth ? TF_Dim(r.x, 1) % b != 0 || TF_Dim(r.x, 2) % b != 0
                      : TF_Dim(r.x, 3) % (b * b) != 0)) {
            (void)op_refuse(&r, TF_INVALID_ARGUMENT, "the block size does not divide the image");
        } else {
            const int64_t h = TF_Dim(r.x, 1), width = TF_Dim(r.x, 2), c = TF_Dim(r.x, 3);
            const oribi_dims out = {4,
                                    {TF_Dim(r.x, 0), to_depth ? h / b : h * b,
                                     to_depth ? width / b : width * b,
                                     to_depth ? c * b * b : c / (b * b)}};
            if (op_output(&r, &out)) {
                space_walk(&r, b, to_depth, &dims, &w);
                enqueue_move(kernel, &r, &w, &dims);
            }
        }
    }
    op_close(&r);
}

static void compute_depth_to_space(void *kernel, TF_OpKernelContext *ctx)
{
    compute_space(kernel, ctx, false);
}

static void compute_space_to_depth(void *kernel, TF_OpKernelContext *ctx)
{
    compute_space(kernel, ctx, true);
}

/* --- Construction ---------------------------------------------------------------------------- */

OP_CREATE(create_move, "move", "op_move")

static void *create_block(TF_OpKernelConstruction *c, const char *attr, bool has_format)
{
    char format[8] = {0};
    oribi_kit_setup setup;
    op_kernel *kernel = op_begin(&setup, c, "move", "op_move", sizeof(int64_t));
    if (kernel != NULL) {
        oribi_kit_attr_int(&setup, attr, kernel->attrs);
    }
    if (has_format) {
        oribi_kit_attr_string(&setup, "data_format", format, sizeof format);
    }
    if (format[0] != '\0' && format[1] != 'H') {
        (void)oribi_kit_setup_fail(&setup, TF_UNIMPLEMENTED, "data_format must be NHWC");
    }
    return oribi_kit_setup_end(&setup);
}

static void *create_shuffle(TF_OpKernelConstruction *c)
{
    return create_block(c, "groups", false);
}

static void *create_space(TF_OpKernelConstruction *c)
{
    return create_block(c, "block_size", true);
}

static const op_entry entries[] = {
    {"Transpose", "move", create_move, compute_transpose, {"perm"}},
    {"ReverseV2", "move", create_move, compute_reverse, {"axis"}},
    {"Tile", "move", create_move, compute_tile, {"multiples"}},
    {"BroadcastTo", "move", create_move, compute_broadcast_to, {"shape"}},
    {"Oribi>ChannelShuffle", "move", create_shuffle, compute_shuffle, {NULL}},
    {"DepthToSpace", "move", create_space, compute_depth_to_space, {NULL}},
    {"SpaceToDepth", "move", create_space, compute_space_to_depth, {NULL}},
};
const op_table op_move_table = {entries, sizeof entries / sizeof *entries};
