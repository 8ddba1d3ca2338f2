/* SPDX-License-Identifier: Apache-2.0 */
/* Reductions of segments: of rows in order, of rows that numbers pick. */
#include "import/tensorflow/tf_emit.h"

typedef const oribi_tf_maker *maker;
typedef const oribi_graphdef_node *from;
typedef oribi_value_id value;

typedef struct segments {
    value data, ids, n;
} segments;

/* As many as the last number says. */
static value count_of(maker m, value ids)
{
    const value last = oribi_tf_reduce(m, "Max", ids, oribi_tf_int(m, 0), false);
    const value some =
        oribi_tf_emit2(m, "Maximum", oribi_tf_cast(m, last, TF_INT32), oribi_tf_int(m, -1));
    return oribi_tf_emit2(m, "AddV2", some, oribi_tf_int(m, 1));
}

static value reduced(maker m, const char *op, const segments *s)
{
    return oribi_tf_emit3(m, op, s->data, s->ids, s->n);
}

/* How many rows each segment has, to be broadcast against its reduction. */
static value sizes_of(maker m, const segments *s, TF_DataType dtype)
{
    const int32_t rank = oribi_tf_need_rank(m, s->data);
    const value one =
        oribi_tf_emit2(m, "Fill", oribi_tf_shape(m, s->ids), oribi_tf_number(m, dtype, 1));
    const segments counted = {one, s->ids, s->n};
    const value sizes = reduced(m, "UnsortedSegmentSum", &counted);
    if (rank <= 1) {
        return sizes;
    }
    int32_t *dims = oribi_arena_array(&m->tf->kept, (size_t)rank, sizeof *dims);
    for (int32_t i = 0; dims != NULL && i < rank; i++) {
        dims[i] = i == 0 ? -1 : 1;
    }
    return dims != NULL ? oribi_tf_reshape(m, sizes, dims, rank) : -1;
}

/* Segments without rows are `otherwise`. */
static value or_else(maker m, const segments *s, value reduction, double otherwise)
{
    const value sizes = sizes_of(m, s, TF_INT32);
    return oribi_tf_emit3(m, "SelectV2", oribi_tf_emit2(m, "Greater", sizes, oribi_tf_int(m, 0)),
                          reduction, oribi_tf_number(m, oribi_tf_dtype(m, reduction), otherwise));
}

/* The sum, divided by how many there are, or by the root of that. */
static value mean_of(maker m, const segments *s, bool is_root)
{
    const value sum = reduced(m, "UnsortedSegmentSum", s);
    const TF_DataType dtype = oribi_tf_dtype(m, s->data);
    const value sizes =
        oribi_tf_emit2(m, "Maximum", sizes_of(m, s, dtype), oribi_tf_number(m, dtype, 1));
    return oribi_tf_emit2(m, "RealDiv", sum, is_root ? oribi_tf_emit1(m, "Sqrt", sizes) : sizes);
}

static segments in_order(maker m, from node)
{
    return (segments){node->inputs[0], node->inputs[1], count_of(m, node->inputs[1])};
}

static value segment_mean(maker m, from node)
{
    const segments s = in_order(m, node);
    return mean_of(m, &s, false);
}

static value segment_max(maker m, from node)
{
    const segments s = in_order(m, node);
    return or_else(m, &s, reduced(m, "UnsortedSegmentMax", &s), 0);
}

static value segment_min(maker m, from node)
{
    const segments s = in_order(m, node);
    return or_else(m, &s, reduced(m, "UnsortedSegmentMin", &s), 0);
}

static value segment_prod(maker m, from node)
{
    const segments s = in_order(m, node);
    return reduced(m, "UnsortedSegmentProd", &s);
}

/* Rows that numbers pick; the fourth input says how many segments there are. */
static segments picked(maker m, from node)
{
    const value n = node->n_inputs > 3 ? oribi_tf_cast(m, node->inputs[3], TF_INT32)
                                       : count_of(m, node->inputs[2]);
    return (segments){oribi_tf_take(m, node->inputs[0], node->inputs[1]), node->inputs[2], n};
}

static value sparse_sum(maker m, from node)
{
    const segments s = picked(m, node);
    return reduced(m, "UnsortedSegmentSum", &s);
}

static value sparse_mean(maker m, from node)
{
    const segments s = picked(m, node);
    return mean_of(m, &s, false);
}

static value sparse_sqrt_n(maker m, from node)
{
    const segments s = picked(m, node);
    return mean_of(m, &s, true);
}

const oribi_tf_row oribi_tf_segment_rows[] = {
    {"SegmentMax", 2, segment_max, NULL},
    {"SegmentMean", 2, segment_mean, NULL},
    {"SegmentMin", 2, segment_min, NULL},
    {"SegmentProd", 2, segment_prod, NULL},
    {"SparseSegmentMean", 3, sparse_mean, NULL},
    {"SparseSegmentMeanWithNumSegments", 4, sparse_mean, NULL},
    {"SparseSegmentSqrtN", 3, sparse_sqrt_n, NULL},
    {"SparseSegmentSqrtNWithNumSegments", 4, sparse_sqrt_n, NULL},
    {"SparseSegmentSum", 3, sparse_sum, NULL},
    {"SparseSegmentSumWithNumSegments", 4, sparse_sum, NULL},
    {NULL, 0, NULL, NULL},
};
