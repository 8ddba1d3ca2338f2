/* SPDX-License-Identifier: Apache-2.0 */
/* Ops that move elements or ask where they are, which are made of others. */
#include "import/tensorflow/tf_emit.h"

typedef const oribi_tf_maker *maker;
typedef const oribi_graphdef_node *from;
typedef oribi_value_id value;

static value minus(maker m, value a, int32_t b)
{
    return oribi_tf_emit2(m, "Sub", a, oribi_tf_int(m, b));
}

/* --- Where things go ------------------------------------------------------------------------ */

static value top_k(maker m, from node)
{
    const value k = oribi_tf_int(m, (int32_t)oribi_tf_attr_int(node, "k", 0));
    const oribi_node *made =
        oribi_tf_emit_node(m, "TopKV2", INPUTS(node->inputs[0], k),
                           ATTRS(ATTR_BOOL("sorted", oribi_tf_attr_bool(node, "sorted", true))), 2);
    m->out[1] = made != NULL ? made->outputs[1] : -1;
    return made != NULL ? made->outputs[0] : -1;
}

/* Along each axis element i comes from i - shift. */
static value roll(maker m, from node)
{
    oribi_dims axes;
    value x = node->inputs[0];
    const value shifts = oribi_tf_reshape(m, node->inputs[1], (const int32_t[]){-1}, 1);
    if (!oribi_tf_known_ints(m, node->inputs[2], "the axis", &axes)) {
        return -1;
    }
    for (int32_t i = 0; i < axes.n && oribi_ok(m->status); i++) {
        const int32_t rank = axes.at[i] < 0 ? oribi_tf_need_rank(m, x) : 0;
        const int32_t axis = (int32_t)axes.at[i] + rank;
        const value n = oribi_tf_size_of(m, x, axis);
        const value shift =
            oribi_tf_cast(m, oribi_tf_take(m, shifts, oribi_tf_int(m, i)), TF_INT32);
        const value places = oribi_tf_emit2(m, "Sub", oribi_tf_count_to(m, n), shift);
        x = oribi_tf_gather(m, x, oribi_tf_emit2(m, "FloorMod", places, n), axis);
    }
    return x;
}

/* The rows of each part. */
static value dynamic_partition(maker m, from node)
{
    const int64_t n = oribi_tf_attr_int(node, "num_partitions", 0);
    if (n < 1 || n > m->max) {
        oribi_fail(m->status, TF_UNIMPLEMENTED, "%lld partitions", (long long)n);
        return -1;
    }
    for (int32_t i = 0; i < (int32_t)n; i++) {
        const value where = oribi_tf_emit1(
            m, "Where", oribi_tf_emit2(m, "Equal", node->inputs[1], oribi_tf_int(m, i)));
        m->out[i] = oribi_tf_emit2(m, "GatherNd", node->inputs[0], where);
    }
    *m->n_out = (int32_t)n;
    return m->out[0];
}

/* Slices to places that lists of numbers say; what comes later stays. */
static value dynamic_stitch(maker m, from node)
{
    static const int32_t all[] = {-1};
    const int32_t n = node->n_inputs / 2;
    value places = -1, slices = -1;
    for (int32_t i = 0; i < n && oribi_ok(m->status); i++) {
        const value numbers = node->inputs[i], data = node->inputs[n + i];
        const int32_t rank = oribi_tf_need_rank(m, numbers);
        const value dims = oribi_tf_joined(m, oribi_tf_ints(m, all, 1),
                                           oribi_tf_rest(m, oribi_tf_shape(m, data), rank));
        const value flat = oribi_tf_reshape(m, numbers, all, 1);
        const value rows = oribi_tf_emit2(m, "Reshape", data, dims);
        places = i == 0 ? flat : oribi_tf_joined(m, places, flat);
        slices = i == 0 ? rows : oribi_tf_joined(m, slices, rows);
    }
    const value last =
        oribi_tf_emit2(m, "Maximum", oribi_tf_reduce(m, "Max", places, oribi_tf_int(m, 0), false),
                       oribi_tf_int(m, -1));
    const value count = oribi_tf_emit2(m, "AddV2", last, oribi_tf_int(m, 1));
    const value dims = oribi_tf_joined(m, oribi_tf_as_vector(m, count),
                                       oribi_tf_rest(m, oribi_tf_shape(m, slices), 1));
    const value zeros = oribi_tf_zeros(m, oribi_tf_dtype(m, slices), dims);
    return oribi_tf_emit3(m, "TensorScatterUpdate", zeros, oribi_tf_expand(m, places, 1), slices);
}

static value scattered(maker m, from node, const char *how, value updates)
{
    return oribi_tf_emit(m, "ONNX>ScatterND", INPUTS(node->inputs[0], node->inputs[1], updates),
                         ATTRS(ATTR_TEXT("reduction", how)));
}

static value scatter_add(maker m, from node)
{
    return scattered(m, node, "add", node->inputs[2]);
}

static value scatter_sub(maker m, from node)
{
    return scattered(m, node, "add", oribi_tf_emit1(m, "Neg", node->inputs[2]));
}

static value scatter_max(maker m, from node)
{
    return scattered(m, node, "max", node->inputs[2]);
}

static value scatter_min(maker m, from node)
{
    return scattered(m, node, "min", node->inputs[2]);
}

/* --- Diagonals ------------------------------------------------------------------------------ */

/* Which diagonal, where it is one; V2 and V3 may have several, and sizes of their own. */
static bool one_diagonal(maker m, from node, int32_t first_input, int32_t *out)
{
    oribi_dims k = {.n = 1, .at = {0}};
    if (node->n_inputs > first_input &&
        !oribi_tf_known_ints(m, node->inputs[first_input], "the number of the diagonal", &k)) {
        return false;
    }
    *out = k.n > 0 ? (int32_t)k.at[0] : 0;
    return (k.n == 1 || (k.n == 2 && k.at[0] == k.at[1])) ||
           oribi_fail(m->status, TF_UNIMPLEMENTED, "more than one diagonal");
}

/* Are (row, column) of a matrix of these sizes on the diagonal? */
static value on_diagonal(maker m, value rows, value columns, int32_t k)
{
    const value row = oribi_tf_expand(m, oribi_tf_count_to(m, rows), 1);
    const value column = oribi_tf_expand(m, minus(m, oribi_tf_count_to(m, columns), k), 0);
    return oribi_tf_emit2(m, "Equal", row, column);
}

/* The size of the last dimension but `back`. */
static value size_from_end(maker m, value x, int32_t back)
{
    const int32_t rank = oribi_tf_need_rank(m, x);
    if (rank >= 0 && rank <= back) {
        oribi_fail(m->status, TF_INVALID_ARGUMENT, "an input of rank %d", (int)rank);
    }
    return oribi_ok(m->status) ? oribi_tf_size_of(m, x, rank - 1 - back) : -1;
}

/* A matrix with the vector on a diagonal. */
static value matrix_diag(maker m, from node)
{
    const value x = node->inputs[0], n = size_from_end(m, x, 0);
    value otherwise = oribi_tf_zeros(m, oribi_tf_dtype(m, x), oribi_tf_ints(m, NULL, 0));
    value rows, columns;
    int32_t k;
    if (!one_diagonal(m, node, 1, &k)) {
        return -1;
    }
    const int32_t below = k < 0 ? -k : 0, above = k > 0 ? k : 0;
    rows = columns = oribi_tf_emit2(m, "AddV2", n, oribi_tf_int(m, below + above));
    if (node->n_inputs >= 5) {
        oribi_dims sizes[2];
        for (int i = 0; i < 2; i++) {
            if (!oribi_tf_known_ints(m, node->inputs[2 + i], "the size of the matrix", &sizes[i])) {
                return -1;
            }
        }
        const bool has_rows = sizes[0].n == 1 && sizes[0].at[0] >= 0;
        const bool has_columns = sizes[1].n == 1 && sizes[1].at[0] >= 0;
        if (has_rows || has_columns) { /* the other is as small as it may be */
            rows =
                has_rows ? node->inputs[2] : oribi_tf_emit2(m, "AddV2", n, oribi_tf_int(m, below));
            columns = has_columns ? node->inputs[3]
                                  : oribi_tf_emit2(m, "AddV2", n, oribi_tf_int(m, above));
        }
        otherwise = node->inputs[4];
    }
    /* Of each row the element that would be on the diagonal, or any. */
    const value place = oribi_tf_emit2(m, "Minimum", minus(m, n, 1),
                                       oribi_tf_emit2(m, "Maximum", oribi_tf_int(m, 0),
                                                      minus(m, oribi_tf_count_to(m, rows), below)));
    return oribi_tf_emit3(m, "SelectV2", on_diagonal(m, rows, columns, k),
                          oribi_tf_expand(m, oribi_tf_gather(m, x, place, -1), -1), otherwise);
}

static value matrix_diag_part(maker m, from node)
{
    const value x = node->inputs[0];
    const value rows = size_from_end(m, x, 1), columns = size_from_end(m, x, 0);
    int32_t k;
    if (!one_diagonal(m, node, 1, &k)) {
        return -1;
    }
    const int32_t below = k < 0 ? -k : 0, above = k > 0 ? k : 0;
    const value count =
        oribi_tf_emit2(m, "Minimum", minus(m, rows, below), minus(m, columns, above));
    const value row =
        oribi_tf_emit2(m, "AddV2", oribi_tf_count_to(m, count), oribi_tf_int(m, below));
    const value column = oribi_tf_emit2(m, "AddV2", row, oribi_tf_int(m, k));
    const value places = oribi_tf_emit2(m, "AddV2", oribi_tf_emit2(m, "Mul", row, columns), column);
    const int32_t rank = oribi_tf_need_rank(m, x);
    if (rank < 2) {
        return -1;
    }
    const int32_t begin = 0, size = rank - 2, all = -1;
    const value front = oribi_tf_emit3(m, "Slice", oribi_tf_shape(m, x),
                                       oribi_tf_ints(m, &begin, 1), oribi_tf_ints(m, &size, 1));
    const value flat =
        oribi_tf_emit2(m, "Reshape", x, oribi_tf_joined(m, front, oribi_tf_ints(m, &all, 1)));
    return oribi_tf_gather(m, flat, places, -1);
}

static value matrix_set_diag(maker m, from node)
{
    const value x = node->inputs[0], diagonal = node->inputs[1];
    const value rows = size_from_end(m, x, 1), columns = size_from_end(m, x, 0);
    int32_t k;
    if (!one_diagonal(m, node, 2, &k)) {
        return -1;
    }
    const int32_t below = k < 0 ? -k : 0;
    const value place = oribi_tf_emit2(m, "Minimum", minus(m, size_from_end(m, diagonal, 0), 1),
                                       oribi_tf_emit2(m, "Maximum", oribi_tf_int(m, 0),
                                                      minus(m, oribi_tf_count_to(m, rows), below)));
    return oribi_tf_emit3(m, "SelectV2", on_diagonal(m, rows, columns, k),
                          oribi_tf_expand(m, oribi_tf_gather(m, diagonal, place, -1), -1), x);
}

/* --- Blocks and axes that are attributes ------------------------------------------------------ */

static value as_blocks(maker m, from node, const char *op)
{
    const int32_t size = (int32_t)oribi_tf_attr_int(node, "block_size", 1);
    const int32_t both[] = {size, size};
    return oribi_tf_emit3(m, op, node->inputs[0], oribi_tf_ints(m, both, 2), node->inputs[1]);
}

static value batch_to_space(maker m, from node)
{
    return as_blocks(m, node, "BatchToSpaceND");
}

static value space_to_batch(maker m, from node)
{
    return as_blocks(m, node, "SpaceToBatchND");
}

/* Of ReverseV2, whose dimensions are flags. */
static value reverse(maker m, from node)
{
    const value axes = oribi_tf_emit1(m, "Where", node->inputs[1]);
    return oribi_tf_emit2(m, "ReverseV2", node->inputs[0],
                          oribi_tf_reshape(m, axes, (const int32_t[]){-1}, 1));
}

static value empty(maker m, from node)
{
    return oribi_tf_zeros(m, oribi_tf_attr_type(node, "dtype", TF_FLOAT), node->inputs[0]);
}

static value shape_vector(maker m, value x, int32_t *out_n)
{
    oribi_shape *shape = x >= 0 ? &m->tf->graph->values[x]->shape : NULL;
    *out_n =
        shape != NULL && shape->rank == 1 && shape->dims[0] >= 0 && shape->dims[0] <= ORIBI_MAX_RANK
            ? (int32_t)shape->dims[0]
            : -1;
    if (*out_n < 0 && oribi_ok(m->status)) {
        oribi_fail(m->status, TF_UNIMPLEMENTED, "a shape of which not even the rank is known");
    }
    return x;
}

/* The shape that two broadcast to. */
static value broadcast_args(maker m, from node)
{
    int32_t n[2];
    value shape[2];
    for (int i = 0; i < 2; i++) {
        shape[i] = shape_vector(m, node->inputs[i], &n[i]);
    }
    const value one = oribi_tf_number(m, oribi_tf_dtype(m, shape[0]), 1);
    for (int i = 0; i < 2 && oribi_ok(m->status); i++) {
        const int32_t more = n[1 - i] - n[i];
        if (more > 0) {
            shape[i] = oribi_tf_joined(
                m, oribi_tf_emit2(m, "Fill", oribi_tf_ints(m, &more, 1), one), shape[i]);
        }
    }
    return oribi_tf_emit3(m, "SelectV2", oribi_tf_emit2(m, "Equal", shape[0], one), shape[1],
                          shape[0]);
}

/* Where each of the parts begins, as a place with as many numbers as a shape. */
static value concat_offset(maker m, from node)
{
    const int32_t n = node->n_inputs - 1;
    const value axis = node->inputs[0];
    int32_t rank;
    const value first = shape_vector(m, node->inputs[1], &rank);
    const TF_DataType dtype = oribi_tf_dtype(m, first);
    const value here =
        oribi_tf_emit(m, "OneHot",
                      INPUTS(axis, oribi_tf_int(m, rank), oribi_tf_number(m, dtype, 1),
                             oribi_tf_number(m, dtype, 0)),
                      NO_ATTRS);
    value before = oribi_tf_emit2(m, "Mul", first, oribi_tf_number(m, dtype, 0));
    if (n > m->max) {
        oribi_fail(m->status, TF_UNIMPLEMENTED, "%d shapes", (int)n);
        return -1;
    }
    for (int32_t i = 0; i < n; i++) {
        m->out[i] = before;
        before =
            oribi_tf_emit2(m, "AddV2", before, oribi_tf_emit2(m, "Mul", here, node->inputs[1 + i]));
    }
    *m->n_out = n;
    return m->out[0];
}

/* --- Searching ------------------------------------------------------------------------------ */

/* The different elements, which of them each is, how often each is there. */
static value unique(maker m, from node)
{
    const value x = node->inputs[0];
    oribi_dims axis = {.n = 0};
    if (node->n_inputs > 1 && !oribi_tf_known_ints(m, node->inputs[1], "the axis", &axis)) {
        return -1;
    }
    const bool is_flat = axis.n == 0;
    const oribi_node *made =
        oribi_tf_emit_node(m, "ONNX>Unique", INPUTS(x),
                           ATTRS(ATTR_BOOL("sorted", false), ATTR_BOOL("flat", is_flat),
                                 ATTR_INT("axis", is_flat ? 0 : axis.at[0])),
                           4);
    if (made == NULL) {
        return -1;
    }
    const TF_DataType dtype = oribi_tf_attr_type(node, "out_idx", TF_INT32);
    m->out[1] = oribi_tf_cast(m, made->outputs[2], dtype);
    m->out[2] = oribi_tf_cast(m, made->outputs[3], dtype);
    return made->outputs[0];
}

/* How often each row of a ragged tensor has each number below $2, or what those weigh. */
static value ragged_bincount(maker m, from node)
{
    const value weights = node->inputs[3];
    const bool is_plain =
        oribi_tf_attr_bool(node, "binary_output", false) ||
        (oribi_tf_rank(m, weights) >= 1 && m->tf->graph->values[weights]->shape.dims[0] == 0);
    return oribi_tf_formula_of(
        m, node,
        INPUTS(node->inputs[0], node->inputs[1], node->inputs[2], weights,
               oribi_tf_number(m, oribi_tf_dtype(m, weights), 1)),
        "v = Cast{DstT=3}($1); n = Cast{DstT=3}($2); r = Sub(Size($0), 1); "
        "i = Sub(Sum(Cast{DstT=3}(LessEqual(ExpandDims(Cast{DstT=3}($0), 0), "
        "ExpandDims(Range(0, Size(v), 1), 1))), 1), 1); w = %s; "
        "k = SelectV2(LogicalAnd(GreaterEqual(v, 0), Less(v, n)), AddV2(Mul(i, n), v), -1); "
        "c = Reshape(UnsortedSegmentSum(w, k, Mul(r, n)), Pack(r, n)); %s",
        is_plain ? "Fill(Shape(v), $4)" : "$3",
        oribi_tf_attr_bool(node, "binary_output", false) ? "Minimum(c, $4)" : "c");
}

/* Lists of indices, of values, of shapes: joined one by one, then put in order. */
static value sparse_concat(maker m, from node)
{
    const int32_t n = node->n_inputs / 3;
    value all[3] = {node->inputs[0], node->inputs[n], node->inputs[2 * n]};
    for (int32_t i = 1; i < n && oribi_ok(m->status); i++) {
        all[0] = oribi_tf_formula_of(
            m, node,
            INPUTS(all[0], all[1], all[2], node->inputs[i], node->inputs[n + i],
                   node->inputs[2 * n + i]),
            "u = like(OneHot(FloorMod(#concat_dim:0, Size($2)), Size($2), 1, 0)); "
            "ConcatV2($0, AddV2($3, Mul(u, $2)), 0), ConcatV2($1, $4, 0), AddV2($2, Mul(u, $5))");
        all[1] = m->out[1];
        all[2] = m->out[2];
    }
    return oribi_tf_formula_of(m, node, INPUTS(all[0], all[1], all[2]),
                               "a = Sum(Mul($0, Cumprod{exclusive=1, reverse=1}($2, 0)), 1); "
                               "i = TopKV2.1(Neg(a), Size(a)); "
                               "GatherV2($0, i, 0), GatherV2($1, i, 0), $2");
}

const oribi_tf_row oribi_tf_array_rows[] = {
    {"BatchToSpace", 2, batch_to_space, NULL, NULL},
    {"BroadcastArgs", 2, broadcast_args, NULL, NULL},
    {"ConcatOffset", 2, concat_offset, NULL, NULL},
    {"DynamicPartition", 2, dynamic_partition, NULL, NULL},
    {"DynamicStitch", 2, dynamic_stitch, NULL, NULL},
    {"Empty", 1, empty, NULL, NULL},
    {"MatrixDiag", 1, matrix_diag, NULL, NULL},
    {"MatrixDiagPart", 1, matrix_diag_part, NULL, NULL},
    {"MatrixDiagPartV2", 3, matrix_diag_part, NULL, NULL},
    {"MatrixDiagPartV3", 3, matrix_diag_part, NULL, NULL},
    {"MatrixDiagV2", 5, matrix_diag, NULL, NULL},
    {"MatrixDiagV3", 5, matrix_diag, NULL, NULL},
    {"MatrixSetDiag", 2, matrix_set_diag, NULL, NULL},
    {"MatrixSetDiagV2", 3, matrix_set_diag, NULL, NULL},
    {"MatrixSetDiagV3", 3, matrix_set_diag, NULL, NULL},
    {"RaggedBincount", 4, ragged_bincount, NULL, NULL},
    {"Reverse", 2, reverse, NULL, NULL},
    {"Roll", 3, roll, NULL, NULL},
    {"ScatterNdNonAliasingAdd", 3, scatter_add, NULL, NULL},
    {"SpaceToBatch", 2, space_to_batch, NULL, NULL},
    {"SparseConcat", 3, sparse_concat, "output_indices output_values output_shape", NULL},
    {"TensorScatterAdd", 3, scatter_add, NULL, NULL},
    {"TensorScatterMax", 3, scatter_max, NULL, NULL},
    {"TensorScatterMin", 3, scatter_min, NULL, NULL},
    {"TensorScatterSub", 3, scatter_sub, NULL, NULL},
    {"TopK", 1, top_k, "values indices", NULL},
    {"Unique", 1, unique, "y idx", NULL},
    {"UniqueV2", 2, unique, "y idx", NULL},
    {"UniqueWithCounts", 1, unique, "y idx count", NULL},
    {"UniqueWithCountsV2", 2, unique, "y idx count", NULL},
    {NULL, 0, NULL, NULL, NULL},
};
