/* SPDX-License-Identifier: Apache-2.0 */
/* Operators that change the shape or the order of axes and no element. */
#include <inttypes.h>
#include <string.h>

#include "import/onnx/onnx_emit.h"

/* Zero in a target shape means the input's dimension. The whole shape is known. */
static bool reshape_known(oribi_onnx_node *n, const oribi_dims *given, bool allow_zero)
{
    oribi_value_id x = n->inputs[0];
    oribi_dims dims = *given;
    int32_t open = 0, unknown = -1;
    for (int32_t i = 0; i < dims.n; i++) {
        if (dims.at[i] == 0 && !allow_zero) {
            if (i >= oribi_emit_rank(n, x)) {
                return oribi_onnx_fail(n, TF_INVALID_ARGUMENT,
                                       "element %d of the shape is 0, and the input has no "
                                       "dimension %d",
                                       (int)i, (int)i);
            }
            dims.at[i] = oribi_emit_dim(n, x, i);
            unknown = dims.at[i] < 0 ? i : unknown;
        }
        if (dims.at[i] < -1) {
            return oribi_onnx_fail(n, TF_INVALID_ARGUMENT, "element %d of the shape is %" PRId64,
                                   (int)i, dims.at[i]);
        }
        open += dims.at[i] == -1;
    }
    if (open <= 1) {
        return oribi_emit_bind(n, 0, oribi_emit_reshape(n, x, dims.at, dims.n));
    }
    if (unknown < 0) {
        return oribi_onnx_fail(n, TF_INVALID_ARGUMENT, "two elements of the shape are -1");
    }
    /* Dimensions that only the run knows: pick them from the input's shape. */
    oribi_value_id *parts = oribi_emit_parts(n, dims.n);
    oribi_value_id shape = oribi_emit_shape_of(n, x, TF_INT64);
    for (int32_t i = 0; parts != NULL && i < dims.n; i++) {
        parts[i] = given->at[i] == 0 && dims.at[i] < 0
                       ? oribi_emit_element(n, shape, i)
                       : oribi_emit_scalar(n, TF_INT64, (double)dims.at[i]);
    }
    oribi_value_id packed = oribi_emit(n, "Pack", parts, dims.n, NO_ATTRS);
    return oribi_emit_bind(n, 0, oribi_emit2(n, "Reshape", x, packed));
}

/* What is known of a computed shape holds for the result, though zeros in it are replaced when it
 * runs: no shape function looks through the choice. */
static bool keep_known_dims(oribi_onnx_node *n, oribi_value_id target, oribi_value_id result)
{
    oribi_shape known;
    ORIBI_TRY(!n->failed);
    ORIBI_TRY(oribi_graph_partial_ints(n->graph, target, &known, n->status));
    for (int32_t i = 0; i < known.rank; i++) {
        known.dims[i] = known.dims[i] == 0 ? -1 : known.dims[i];
    }
    return known.rank < 0 ||
           oribi_graph_merge_shape(n->graph, &known, &n->graph->values[result]->shape) ||
           oribi_fail_memory(n->status);
}

/* Zeros in a computed shape: replaced when it runs. */
static bool reshape_computed(oribi_onnx_node *n, bool allow_zero)
{
    oribi_value_id x = n->inputs[0], target = n->inputs[1];
    int64_t count = oribi_emit_dim(n, target, 0);
    int32_t rank = oribi_emit_rank(n, x);
    if (count > ORIBI_MAX_RANK) {
        return oribi_onnx_fail(n, TF_UNIMPLEMENTED,
                               "a shape has %" PRId64 " dimensions; at most %d are supported",
                               count, ORIBI_MAX_RANK);
    }
    if (!allow_zero && count > 0 && !n->failed) {
        oribi_value_id zero = oribi_emit_scalar(n, TF_INT64, 0);
        oribi_value_id shape = oribi_emit_shape_of(n, x, TF_INT64);
        if (count < rank) {
            shape = oribi_emit_range_of(n, shape, 0, count);
        } else if (count > rank) {
            oribi_value_id more = oribi_emit_vector_as(n, TF_INT32, (int64_t[]){count - rank}, 1);
            shape = oribi_emit3(n, "ConcatV2", shape, oribi_emit2(n, "Fill", more, zero),
                                oribi_emit_int(n, 0));
        }
        target = oribi_emit3(n, "SelectV2", oribi_emit2(n, "Equal", target, zero), shape, target);
    }
    const oribi_value_id y = oribi_emit2(n, "Reshape", x, target);
    return (allow_zero || keep_known_dims(n, n->inputs[1], y)) && oribi_emit_bind(n, 0, y);
}

static bool reshape(oribi_onnx_node *n)
{
    oribi_dims dims;
    bool allow_zero = oribi_onnx_flag(n, "allowzero", false);
    const bool is_known = oribi_emit_known_ints(n, n->inputs[1], &dims);
    if (n->failed) {
        return false;
    }
    return is_known ? reshape_known(n, &dims, allow_zero) : reshape_computed(n, allow_zero);
}

static bool transpose(oribi_onnx_node *n)
{
    oribi_dims perm = {0};
    int32_t rank = oribi_emit_rank(n, n->inputs[0]);
    if (!oribi_onnx_dims(n, "perm", &perm)) {
        for (int32_t i = 0; i < rank; i++) {
            (void)oribi_dims_add(&perm, rank - 1 - i);
        }
    }
    if (n->failed || perm.n != rank) {
        return oribi_onnx_fail(n, TF_INVALID_ARGUMENT,
                               "perm has %d elements, but the input has %d axes", (int)perm.n,
                               (int)rank);
    }
    if (!oribi_dims_is_permutation(&perm)) {
        return oribi_onnx_fail(n, TF_INVALID_ARGUMENT, "perm is not a permutation");
    }
    return oribi_emit_bind(n, 0, oribi_emit_transpose(n, n->inputs[0], &perm));
}

/* To a matrix: dimensions before axis, and the rest. */
static bool flatten(oribi_onnx_node *n)
{
    oribi_value_id x = n->inputs[0];
    int32_t rank = oribi_emit_rank(n, x);
    int64_t given = oribi_onnx_int(n, "axis", 1);
    int32_t axis = given == rank ? rank : oribi_emit_axis(n, given, rank);
    int64_t dims[] = {1, 1};
    for (int32_t i = 0; i < rank; i++) {
        int64_t *product = &dims[i < axis ? 0 : 1];
        int64_t dim = oribi_emit_dim(n, x, i);
        if (dim < 0 || *product < 0) {
            *product = -1;
        } else if (__builtin_mul_overflow(*product, dim, product)) {
            return oribi_onnx_fail(n, TF_INVALID_ARGUMENT, "dimensions overflow");
        }
    }
    if (dims[0] >= 0 || dims[1] >= 0) {
        return oribi_emit_bind(n, 0, oribi_emit_reshape(n, x, dims, 2));
    }
    oribi_value_id shape = oribi_emit_shape_of(n, x, TF_INT32);
    oribi_value_id rows = oribi_emit(
        n, "Prod",
        INPUTS(oribi_emit_range_of(n, shape, 0, axis), oribi_emit_vector(n, (int64_t[]){0}, 1)),
        NO_ATTRS);
    oribi_value_id matrix = oribi_emit2(n, "Pack", rows, oribi_emit_int(n, -1));
    return oribi_emit_bind(n, 0, oribi_emit2(n, "Reshape", x, matrix));
}

static bool squeeze(oribi_onnx_node *n)
{
    oribi_dims gone, kept = {0};
    oribi_value_id x = n->inputs[0];
    const oribi_value_id computed = n->opset < 13 ? -1 : oribi_emit_input(n, 1);
    if (computed >= 0 && !oribi_emit_known_ints(n, computed, &gone)) {
        return oribi_emit_bind(n, 0, oribi_emit2(n, "ONNX>Squeeze", x, computed));
    }
    int32_t rank = oribi_emit_rank(n, x), next = 0;
    const bool is_given = oribi_emit_axes(n, 13, 1, rank, &gone);
    bool all_known = true;
    for (int32_t i = 0; !n->failed && i < rank; i++) {
        int64_t dim = oribi_emit_dim(n, x, i);
        bool goes = !is_given ? dim == 1 : next < gone.n && gone.at[next] == i;
        next += goes;
        all_known = all_known && dim >= 0;
        if (!goes) {
            (void)oribi_dims_add(&kept, dim);
        } else if (dim > 1 || dim == 0) {
            return oribi_onnx_fail(n, TF_INVALID_ARGUMENT, "axis %d has size %" PRId64 ", not 1",
                                   (int)i, dim);
        }
    }
    if (all_known && oribi_emit_is_constant(n, x)) {
        return oribi_emit_bind(n, 0, oribi_emit_reshape(n, x, kept.at, kept.n));
    }
    return oribi_emit_bind(
        n, 0,
        oribi_emit(n, "Squeeze", INPUTS(x), ATTRS(ATTR_INTS("squeeze_dims", gone.at, gone.n))));
}

static int32_t axis_count(oribi_onnx_node *n)
{
    oribi_dims axes = {0};
    const bool is_known = n->opset < 13 ? oribi_onnx_dims(n, "axes", &axes)
                                        : oribi_emit_known_ints(n, oribi_emit_input(n, 1), &axes);
    if (!n->failed && !is_known) {
        oribi_onnx_want_shapes(n, "the axes must be given, and constant or follow from shapes");
    }
    return n->failed ? 0 : axes.n;
}

/* One axis, and axes that are counted from the front, in ascending order, need no rank. */
static bool unsqueeze_unranked(oribi_onnx_node *n, oribi_value_id *x)
{
    oribi_dims axes = {0};
    const bool is_known = n->opset < 13 ? oribi_onnx_dims(n, "axes", &axes)
                                        : oribi_emit_known_ints(n, oribi_emit_input(n, 1), &axes);
    for (int32_t i = 0; i < axes.n; i++) {
        if (axes.n > 1 && (axes.at[i] < 0 || (i > 0 && axes.at[i] <= axes.at[i - 1]))) {
            return false;
        }
    }
    for (int32_t i = 0; is_known && i < axes.n; i++) {
        *x = oribi_emit2(n, "ExpandDims", *x, oribi_emit_int(n, axes.at[i]));
    }
    return is_known && axes.n > 0;
}

static bool unsqueeze(oribi_onnx_node *n)
{
    oribi_dims axes, dims = {0};
    oribi_value_id x = n->inputs[0];
    oribi_value_id computed = n->opset < 13 ? -1 : oribi_emit_input(n, 1);
    if (computed >= 0 && !oribi_emit_known_ints(n, computed, &axes)) {
        const bool is_one = oribi_emit_dim(n, computed, 0) == 1;
        return oribi_emit_bind(
            n, 0, oribi_emit2(n, is_one ? "ExpandDims" : "ONNX>Unsqueeze", x, computed));
    }
    if (n->graph->values[x]->shape.rank < 0 && unsqueeze_unranked(n, &x)) {
        return oribi_emit_bind(n, 0, x);
    }
    int32_t rank = oribi_emit_rank(n, x) + axis_count(n), from = 0, next = 0;
    if (n->failed || rank > ORIBI_MAX_RANK) {
        return oribi_onnx_fail(n, TF_UNIMPLEMENTED,
                               "the result has rank %d; at most %d is supported", (int)rank,
                               ORIBI_MAX_RANK);
    }
    (void)oribi_emit_axes(n, 13, 1, rank, &axes);
    bool all_known = true;
    for (int32_t i = 0; !n->failed && i < rank; i++) {
        bool is_new = next < axes.n && axes.at[next] == i;
        next += is_new;
        const int64_t dim = is_new ? 1 : oribi_emit_dim(n, x, from++);
        (void)oribi_dims_add(&dims, dim);
        all_known = all_known && dim >= 0;
    }
    if (all_known && oribi_emit_is_constant(n, x)) {
        return oribi_emit_bind(n, 0, oribi_emit_reshape(n, x, dims.at, dims.n));
    }
    for (int32_t i = 0; i < axes.n; i++) { /* ascending: each is right when its turn comes */
        x = oribi_emit2(n, "ExpandDims", x, oribi_emit_int(n, axes.at[i]));
    }
    return oribi_emit_bind(n, 0, axes.n == 0 ? oribi_emit1(n, "Identity", x) : x);
}

/* A shape vector with ones in front, up to count elements. */
static oribi_value_id lengthened(oribi_onnx_node *n, oribi_value_id shape, int64_t from,
                                 int64_t count)
{
    oribi_dims ones = {0};
    (void)oribi_dims_fill(&ones, (int32_t)(count - from), 1); /* ranks: count is one of them */
    return ones.n == 0
               ? shape
               : oribi_emit3(n, "ConcatV2", oribi_emit_vector_as(n, TF_INT64, ones.at, ones.n),
                             shape, oribi_emit_int(n, 0));
}

/* Computes the shape that x and the computed shape of input 1 broadcast to. */
static oribi_value_id broadcast_shape(oribi_onnx_node *n, int32_t x_rank)
{
    int64_t count = oribi_emit_dim(n, n->inputs[1], 0);
    if (count < 0) {
        oribi_onnx_want_shapes(n, "a computed shape has an unknown length");
        return -1;
    }
    if (count > ORIBI_MAX_RANK) {
        oribi_onnx_fail(n, TF_UNIMPLEMENTED, "a computed shape has more than %d dimensions",
                        ORIBI_MAX_RANK);
        return -1;
    }
    int64_t rank = count > x_rank ? count : x_rank;
    oribi_value_id x_shape = oribi_emit_shape_of(n, n->inputs[0], TF_INT64);
    oribi_value_id a = lengthened(n, x_shape, x_rank, rank);
    oribi_value_id b = lengthened(n, n->inputs[1], count, rank);
    oribi_value_id is_one = oribi_emit2(n, "Equal", b, oribi_emit_scalar(n, TF_INT64, 1));
    return oribi_emit3(n, "SelectV2", is_one, a, b);
}

/* Broadcast both ways: a 1 in the shape keeps the input's dimension. */
static bool expand(oribi_onnx_node *n)
{
    oribi_dims wanted = {0}, dims = {0};
    oribi_value_id x = n->inputs[0];
    bool all_known = oribi_emit_known_ints(n, n->inputs[1], &wanted);
    int32_t x_rank = oribi_emit_rank(n, x);
    int32_t rank = wanted.n > x_rank ? wanted.n : x_rank;
    for (int32_t i = 0; all_known && i < rank; i++) {
        int64_t a = i < rank - x_rank ? 1 : oribi_emit_dim(n, x, i - (rank - x_rank));
        int64_t b = i < rank - wanted.n ? 1 : wanted.at[i - (rank - wanted.n)];
        const int64_t dim = b == 1 ? a : b;
        all_known = dim >= 0 && a >= 0 && oribi_dims_add(&dims, dim);
    }
    oribi_value_id shape =
        all_known ? oribi_emit_vector(n, dims.at, dims.n) : broadcast_shape(n, x_rank);
    return oribi_emit_bind(n, 0, oribi_emit2(n, "BroadcastTo", x, shape));
}

static bool tile(oribi_onnx_node *n)
{
    return oribi_emit_bind(n, 0, oribi_emit2(n, "Tile", n->inputs[0], n->inputs[1]));
}

/* --- Depth and space ------------------------------------------------------------------------- */

static int64_t block_size(oribi_onnx_node *n)
{
    int64_t block = oribi_onnx_int(n, "blocksize", 0);
    if (!n->failed && (block < 1 || block > 4096 || oribi_emit_rank(n, n->inputs[0]) != 4)) {
        oribi_onnx_fail(n, TF_INVALID_ARGUMENT, "blocksize %" PRId64, block);
    }
    return block;
}

/* [n, c, h, w] with h and w times or by the block; from known sizes or from x's shape at run time.
 * left: c, or -1 for what is left. middle: parts that stand behind c, or none. */
static oribi_value_id regrouped(oribi_onnx_node *n, oribi_value_id shape, const char *scale,
                                int64_t block, int64_t left, bool has_middle)
{
    const int64_t middle[] = {left, block, block};
    oribi_value_id space = oribi_emit_range_of(n, shape, 2, 4);
    if (scale != NULL) {
        space = oribi_emit2(n, scale, space, oribi_emit_vector_as(n, TF_INT32, &block, 1));
    }
    return oribi_emit(n, "ConcatV2",
                      INPUTS(oribi_emit_range_of(n, shape, 0, 1),
                             has_middle ? oribi_emit_vector_as(n, TF_INT32, middle, 3)
                                        : oribi_emit_vector_as(n, TF_INT32, &left, 1),
                             space, oribi_emit_int(n, 0)),
                      NULL, 0);
}

/* Channel order of CRD: the block's position runs fastest. */
static bool depth_to_space_crd(oribi_onnx_node *n, int64_t block)
{
    static const oribi_dims perm = {6, {0, 1, 4, 2, 5, 3}};
    oribi_value_id x = n->inputs[0], shape = oribi_emit_shape_of(n, x, TF_INT32);
    const int64_t channels = oribi_emit_dim(n, x, 1);
    if (channels >= 0 && channels % (block * block) != 0) {
        return oribi_onnx_fail(n, TF_INVALID_ARGUMENT,
                               "%" PRId64 " channels with blocksize %" PRId64, channels, block);
    }
    const int64_t left = channels < 0 ? -1 : channels / (block * block);
    oribi_value_id y = oribi_emit2(n, "Reshape", x, regrouped(n, shape, NULL, block, left, true));
    y = oribi_emit_transpose(n, y, &perm);
    y = oribi_emit2(n, "Reshape", y, regrouped(n, shape, "Mul", block, left, false));
    return oribi_emit_bind(n, 0, y);
}

static bool depth_to_space(oribi_onnx_node *n)
{
    int64_t block = block_size(n);
    if (n->failed) {
        return false;
    }
    if (oribi_onnx_string_is(n, "mode", "DCR", "CRD")) {
        return depth_to_space_crd(n, block);
    }
    oribi_value_id x = oribi_emit_to_nhwc(n, n->inputs[0]);
    oribi_value_id y =
        block == 1 ? x
                   : oribi_emit(n, "DepthToSpace", INPUTS(x), ATTRS(ATTR_INT("block_size", block)));
    return oribi_emit_bind(n, 0, oribi_emit_to_nchw(n, y));
}

static bool space_to_depth_crd(oribi_onnx_node *n, int64_t block)
{
    static const oribi_dims perm = {6, {0, 1, 3, 5, 2, 4}};
    oribi_value_id x = n->inputs[0], shape = oribi_emit_shape_of(n, x, TF_INT32);
    oribi_value_id size = oribi_emit_vector_as(n, TF_INT32, &block, 1);
    oribi_value_id space = oribi_emit2(n, "FloorDiv", oribi_emit_range_of(n, shape, 2, 4), size);
    oribi_value_id split =
        oribi_emit(n, "ConcatV2",
                   INPUTS(oribi_emit_range_of(n, shape, 0, 2), oribi_emit_range_of(n, space, 0, 1),
                          size, oribi_emit_range_of(n, space, 1, 2), size, oribi_emit_int(n, 0)),
                   NULL, 0);
    const int64_t channels = oribi_emit_dim(n, x, 1);
    const int64_t left = channels < 0 ? -1 : channels * block * block;
    oribi_value_id y = oribi_emit_transpose(n, oribi_emit2(n, "Reshape", x, split), &perm);
    y = oribi_emit2(n, "Reshape", y, regrouped(n, shape, "FloorDiv", block, left, false));
    return oribi_emit_bind(n, 0, y);
}

static bool space_to_depth(oribi_onnx_node *n)
{
    int64_t block = block_size(n);
    if (!n->failed && oribi_onnx_string_is(n, "mode", "DCR", "CRD")) {
        return space_to_depth_crd(n, block);
    }
    oribi_value_id x = n->failed ? -1 : oribi_emit_to_nhwc(n, n->inputs[0]);
    oribi_value_id y =
        block == 1 ? x
                   : oribi_emit(n, "SpaceToDepth", INPUTS(x), ATTRS(ATTR_INT("block_size", block)));
    return oribi_emit_bind(n, 0, oribi_emit_to_nchw(n, y));
}

/* clang-format off */
const oribi_onnx_row oribi_onnx_shape_rows[] = {
    {"DepthToSpace", 1, 28, depth_to_space, 1, 1, "DepthToSpace, Reshape, Transpose"},
    {"Expand", 8, 28, expand, 2, 2, "BroadcastTo"},
    {"Flatten", 1, 28, flatten, 1, 1, "Reshape"},
    {"Reshape", 5, 28, reshape, 2, 2, "Reshape"},
    {"SpaceToDepth", 1, 28, space_to_depth, 1, 1, "SpaceToDepth, Reshape, Transpose"},
    {"Squeeze", 1, 28, squeeze, 1, 2, "Squeeze"},
    {"Tile", 6, 28, tile, 2, 2, "Tile"},
    {"Transpose", 1, 28, transpose, 1, 1, "Transpose"},
    {"Unsqueeze", 1, 28, unsqueeze, 1, 2, "ExpandDims"},
    {NULL, 0, 0, NULL, 0, 0, NULL}};
/* clang-format on */
