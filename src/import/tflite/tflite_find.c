/* SPDX-License-Identifier: Apache-2.0 */
/* Operators that look for elements, that gather rows into segments, and those of diagonals and of
 * Fourier transforms.
 */
#include "import/tflite/tflite.h"

#include "base/alloc.h"

/* In the order in which they are met; the second output says for each element which it is. */
static bool unique(oribi_tflite_node *n)
{
    const oribi_node *node =
        oribi_tflite_emit_node(n, "ONNX>Unique", INPUTS(oribi_tflite_input(n, 0)),
                               ATTRS(ATTR_BOOL("sorted", false), ATTR_BOOL("flat", true)), 4);
    if (node == NULL) {
        return false;
    }
    const oribi_value_id y = node->outputs[0], places = node->outputs[2];
    const TF_DataType wanted = n->outputs[1] == NULL ? TF_INT64 : n->outputs[1]->dtype;
    return oribi_tflite_bind(n, 0, y) &&
           oribi_tflite_bind(n, 1,
                             wanted == TF_INT64
                                 ? places
                                 : oribi_tflite_emit(n, "Cast", INPUTS(places),
                                                     ATTRS(ATTR_TYPE("DstT", wanted))));
}

/* How many of the boundaries are not above the element: each is compared with all of them. */
static bool bucketize(oribi_tflite_node *n)
{
    oribi_flat_vector list = {0};
    oribi_value_id x = oribi_tflite_input(n, 0);
    if (n->failed ||
        !oribi_flat_read_vector(&n->options, 0, 4, "the boundaries", &list, n->status) ||
        !oribi_tflite_spend(n->tflite, list.count, n->status)) {
        n->failed = true;
        return false;
    }
    const int64_t count = list.count;
    float *bounds = oribi_arena_array(&n->tflite->scratch, (size_t)count + 1, sizeof *bounds);
    for (uint32_t i = 0; bounds != NULL && i < list.count; i++) {
        bounds[i] = oribi_flat_float_at(&list, i);
        if (i > 0 && !(bounds[i] >= bounds[i - 1])) {
            return oribi_tflite_fail(n, TF_INVALID_ARGUMENT, "boundary %u is below the one before",
                                     (unsigned)i);
        }
    }
    const oribi_value_id all = bounds == NULL
                                   ? -1
                                   : oribi_graph_add_constant_copy(n->graph, "boundaries", TF_FLOAT,
                                                                   &count, 1, bounds, n->status);
    n->failed = all < 0;
    if (bounds == NULL) {
        return oribi_fail_memory(n->status);
    }
    const oribi_value_id last = oribi_tflite_scalar(n, -1);
    if (oribi_tflite_dtype_in(n, 0) != TF_FLOAT) {
        x = oribi_tflite_emit(n, "Cast", INPUTS(x), ATTRS(ATTR_TYPE("DstT", TF_FLOAT)));
    }
    x = oribi_tflite_emit(n, "ExpandDims", INPUTS(x, last), NO_ATTRS);
    oribi_value_id y = oribi_tflite_emit(n, "GreaterEqual", INPUTS(x, all), NO_ATTRS);
    y = oribi_tflite_emit(n, "Cast", INPUTS(y), ATTRS(ATTR_TYPE("DstT", TF_INT32)));
    y = oribi_tflite_emit(n, "Sum", INPUTS(y, last), NO_ATTRS);
    return oribi_tflite_bind(n, 0, y);
}

/* The shape that two shapes broadcast to: the shorter one gets ones in front. */
static bool broadcast_args(oribi_tflite_node *n)
{
    oribi_value_id a = oribi_tflite_input(n, 0), b = oribi_tflite_input(n, 1);
    const int64_t ranks[2] = {oribi_tflite_dim(n, a, 0), oribi_tflite_dim(n, b, 0)};
    if (n->failed || ranks[0] < 0 || ranks[1] < 0) {
        return oribi_tflite_want_shapes(n, "the number of dimensions must be known");
    }
    oribi_value_id *shorter = ranks[0] < ranks[1] ? &a : &b;
    const int64_t missing = ranks[0] < ranks[1] ? ranks[1] - ranks[0] : ranks[0] - ranks[1];
    const oribi_value_id one = oribi_tflite_scalar_like(n, a, 1.0f);
    if (missing > 0) {
        const oribi_value_id many = oribi_tflite_reshape(n, oribi_tflite_scalar(n, missing),
                                                         &(oribi_dims){.n = 1, .at = {1}});
        const oribi_value_id ones = oribi_tflite_emit(n, "Fill", INPUTS(many, one), NO_ATTRS);
        *shorter = oribi_tflite_emit(n, "ConcatV2",
                                     INPUTS(ones, *shorter, oribi_tflite_scalar(n, 0)), NO_ATTRS);
    }
    const oribi_value_id is_one = oribi_tflite_emit(n, "Equal", INPUTS(a, one), NO_ATTRS);
    return oribi_tflite_bind(n, 0,
                             oribi_tflite_emit(n, "SelectV2", INPUTS(is_one, b, a), NO_ATTRS));
}

/* --- Diagonals -------------------------------------------------------------------------------- */

/* A constant that is true on the diagonal. */
static oribi_value_id diagonal(oribi_tflite_node *n, int64_t rows, int64_t columns)
{
    const int64_t dims[2] = {rows, columns};
    size_t bytes = 0;
    bool *mask = NULL;
    if (n->failed) {
        return -1;
    }
    if (!oribi_size_of_dims(dims, 2, 1, &bytes)) {
        oribi_tflite_fail(n, TF_INVALID_ARGUMENT, "a matrix of %lld x %lld is too large",
                          (long long)rows, (long long)columns);
        return -1;
    }
    if (oribi_graph_charge(n->graph, bytes, n->status)) {
        mask = oribi_arena_array(&n->tflite->scratch, bytes + 1, 1);
        if (mask == NULL) {
            oribi_fail_memory(n->status);
        }
    }
    for (size_t i = 0; mask != NULL && i < bytes; i++) {
        mask[i] = (int64_t)i / columns == (int64_t)i % columns;
    }
    const oribi_value_id id = mask == NULL
                                  ? -1
                                  : oribi_graph_add_constant_copy(n->graph, "diagonal", TF_BOOL,
                                                                  dims, 2, mask, n->status);
    n->failed = id < 0;
    return id;
}

static bool matrix_diag(oribi_tflite_node *n)
{
    oribi_value_id x = oribi_tflite_input(n, 0);
    const int64_t size = oribi_tflite_dim(n, x, oribi_tflite_rank(n, x) - 1);
    if (n->failed || size < 0) {
        return oribi_tflite_want_shapes(n, "the length of the diagonal must be known");
    }
    const oribi_value_id mask = diagonal(n, size, size);
    const oribi_value_id zero = oribi_tflite_emit(n, "ZerosLike", INPUTS(x), NO_ATTRS);
    const oribi_value_id second = oribi_tflite_scalar(n, -2);
    const oribi_value_id y = oribi_tflite_emit(
        n, "SelectV2",
        INPUTS(mask, oribi_tflite_emit(n, "ExpandDims", INPUTS(x, second), NO_ATTRS),
               oribi_tflite_emit(n, "ExpandDims", INPUTS(zero, second), NO_ATTRS)),
        NO_ATTRS);
    return oribi_tflite_bind(n, 0, y);
}

/* The diagonal goes along the rows or the columns, whichever are as many as it has elements. */
static bool matrix_set_diag(oribi_tflite_node *n)
{
    oribi_value_id x = oribi_tflite_input(n, 0), values = oribi_tflite_input(n, 1);
    const int32_t rank = oribi_tflite_rank(n, x);
    const int64_t rows = oribi_tflite_dim(n, x, rank - 2),
                  columns = oribi_tflite_dim(n, x, rank - 1);
    if (n->failed || rows < 0 || columns < 0) {
        return oribi_tflite_want_shapes(n, "the sizes of the matrices must be known");
    }
    const oribi_value_id mask = diagonal(n, rows, columns);
    const oribi_value_id axis = oribi_tflite_scalar(n, columns <= rows ? -2 : -1);
    values = oribi_tflite_emit(n, "ExpandDims", INPUTS(values, axis), NO_ATTRS);
    const oribi_value_id y = oribi_tflite_emit(n, "SelectV2", INPUTS(mask, values, x), NO_ATTRS);
    return oribi_tflite_bind(n, 0, y);
}

const oribi_tflite_row oribi_tflite_find_rows[] = {
    /* operator, options, inputs at least and at most, outputs */
    {109, 0, 1, 1, 1, oribi_tflite_translate_copy, "Where"},
    {103, 80, 1, 1, 2, unique, NULL},
    {147, 115, 1, 1, 1, bucketize, NULL},
    {145, 0, 2, 2, 1, broadcast_args, NULL},
    {113, 0, 1, 1, 1, matrix_diag, NULL},
    {115, 0, 2, 2, 1, matrix_set_diag, NULL},
    {131, 0, 2, 2, 1, oribi_tflite_translate_copy, "RFFT2D"},
    {133, 0, 1, 1, 1, oribi_tflite_translate_copy, "Imag"},
    {134, 0, 1, 1, 1, oribi_tflite_translate_copy, "Real"},
    {135, 0, 1, 1, 1, oribi_tflite_translate_copy, "ComplexAbs"},
    {125, 0, 2, 2, 1, oribi_tflite_translate_copy, "SegmentSum"},
    {153, 0, 3, 3, 1, oribi_tflite_translate_copy, "UnsortedSegmentProd"},
    {154, 0, 3, 3, 1, oribi_tflite_translate_copy, "UnsortedSegmentMax"},
    {155, 0, 3, 3, 1, oribi_tflite_translate_copy, "UnsortedSegmentSum"},
    {157, 0, 3, 3, 1, oribi_tflite_translate_copy, "UnsortedSegmentMin"},
    {0, 0, 0, 0, 0, NULL, NULL},
};
