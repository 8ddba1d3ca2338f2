/* SPDX-License-Identifier: Apache-2.0 */
/* Shapes and layout: transposes, reshapes, pieces of shape vectors. On a constant they are views.
 */
#include "import/onnx/onnx_emit.h"

#include <string.h>

oribi_dims oribi_emit_exchange(int32_t rank, int32_t a, int32_t b)
{
    oribi_dims perm = {0};
    for (int32_t i = 0; i < rank; i++) {
        (void)oribi_dims_add(&perm, i == a ? b : i == b ? a : i);
    }
    return perm;
}

oribi_value_id oribi_emit_transpose(oribi_onnx_node *n, oribi_value_id x, const oribi_dims *perm)
{
    bool is_identity = true;
    for (int32_t i = 0; i < perm->n; i++) {
        is_identity = is_identity && perm->at[i] == i;
    }
    if (n->failed || x < 0 || is_identity) {
        return n->failed ? -1 : x;
    }
    const oribi_value *value = n->graph->values[x];
    if (value->constant != NULL && value->shape.rank == perm->n) {
        oribi_value_id view =
            oribi_graph_add_constant_transposed(n->graph, value->name, x, perm, n->status);
        n->failed = view < 0;
        return view;
    }
    return oribi_emit2(n, "Transpose", x, oribi_emit_vector_as(n, TF_INT32, perm->at, perm->n));
}

static oribi_value_id layout(oribi_onnx_node *n, oribi_value_id x, const oribi_dims *perm,
                             oribi_value_id *permutation, oribi_value_id inverse)
{
    if (n->failed || x < 0) {
        return -1;
    }
    const oribi_node *producer = oribi_graph_producer(n->graph, x);
    if (producer != NULL && inverse >= 0 && strcmp(producer->op_name, "Transpose") == 0 &&
        producer->inputs[1] == inverse) {
        return producer->inputs[0];
    }
    *permutation = oribi_emit_vector_as(n, TF_INT32, perm->at, perm->n);
    return oribi_emit_transpose(n, x, perm);
}

oribi_value_id oribi_emit_to_nhwc(oribi_onnx_node *n, oribi_value_id x)
{
    static const oribi_dims perm = {4, {0, 2, 3, 1}};
    return layout(n, x, &perm, &n->onnx->to_nhwc, n->onnx->to_nchw);
}

oribi_value_id oribi_emit_to_nchw(oribi_onnx_node *n, oribi_value_id x)
{
    static const oribi_dims perm = {4, {0, 3, 1, 2}};
    return layout(n, x, &perm, &n->onnx->to_nchw, n->onnx->to_nhwc);
}

/* A constant with other dims: in place when its elements are dense or all the same. */
static bool reshape_view(const oribi_constant_view *view, oribi_dims *dims)
{
    int64_t elements = 1, wanted = 1;
    int32_t open = -1;
    bool is_splat = view->strides != NULL;
    for (int32_t i = 0; i < view->rank;
         i++) { /* a constant's elements are counted (add_constant) */
        elements *= view->dims[i];
        is_splat = is_splat && view->strides[i] == 0;
    }
    if (view->strides != NULL && !is_splat) {
        return false;
    }
    for (int32_t i = 0; i < dims->n; i++) {
        if (dims->at[i] < 0) {
            open = i;
        } else if (__builtin_mul_overflow(wanted, dims->at[i], &wanted)) {
            return false;
        }
    }
    if (open >= 0 && wanted > 0 && elements % wanted == 0) {
        dims->at[open] = elements / wanted;
        wanted = elements;
    }
    return wanted == elements && (open < 0 || dims->at[open] >= 0);
}

oribi_value_id oribi_emit_reshape(oribi_onnx_node *n, oribi_value_id x, const int64_t *dims,
                                  int32_t count)
{
    static const oribi_dims splat = {0};
    oribi_dims wanted = {0};
    if (n->failed || x < 0) {
        return -1;
    }
    if (!oribi_dims_set(&wanted, dims, count)) {
        oribi_onnx_fail(n, TF_UNIMPLEMENTED, "a shape has %d dimensions; at most %d are supported",
                        (int)count, ORIBI_MAX_RANK);
        return -1;
    }
    const oribi_value *value = n->graph->values[x];
    const oribi_constant *constant = value->constant;
    if (constant != NULL && reshape_view(&constant->view, &wanted)) {
        oribi_constant_view view = constant->view;
        view.rank = count;
        view.dims = wanted.at;
        view.strides = view.strides != NULL ? splat.at : NULL;
        oribi_source_retain(constant->source);
        oribi_value_id id =
            oribi_graph_add_constant(n->graph, value->name, &view, constant->source, n->status);
        n->failed = id < 0;
        return id;
    }
    return oribi_emit2(n, "Reshape", x, oribi_emit_vector(n, dims, count));
}

oribi_value_id oribi_emit_cast(oribi_onnx_node *n, oribi_value_id x, TF_DataType dtype)
{
    if (n->failed || x < 0 || oribi_emit_dtype(n, x) == dtype) {
        return n->failed ? -1 : x;
    }
    return oribi_emit(n, "Cast", INPUTS(x), ATTRS(ATTR_TYPE("DstT", dtype)));
}

oribi_value_id oribi_emit_shape_of(oribi_onnx_node *n, oribi_value_id x, TF_DataType dtype)
{
    if (n->failed || x < 0) {
        return -1;
    }
    const oribi_shape *shape = &n->graph->values[x]->shape;
    if (oribi_shape_is_full(shape) && shape->rank <= ORIBI_MAX_RANK) {
        return oribi_emit_vector_as(n, dtype, shape->dims, shape->rank);
    }
    return oribi_emit(n, "Shape", INPUTS(x), ATTRS(ATTR_TYPE("out_type", dtype)));
}

oribi_value_id oribi_emit_range_of(oribi_onnx_node *n, oribi_value_id x, int64_t begin, int64_t end)
{
    return oribi_emit(n, "StridedSlice",
                      INPUTS(x, oribi_emit_vector(n, &begin, 1), oribi_emit_vector(n, &end, 1),
                             oribi_emit_vector(n, &(int64_t){1}, 1)),
                      NO_ATTRS);
}

oribi_value_id oribi_emit_element(oribi_onnx_node *n, oribi_value_id x, int64_t index)
{
    int64_t end = index + 1;
    return oribi_emit(n, "StridedSlice",
                      INPUTS(x, oribi_emit_vector(n, &index, 1), oribi_emit_vector(n, &end, 1),
                             oribi_emit_vector(n, &(int64_t){1}, 1)),
                      ATTRS(ATTR_INT("shrink_axis_mask", 1)));
}

oribi_value_id oribi_emit_along_axis(oribi_onnx_node *n, oribi_value_id vector, int32_t axis,
                                     int32_t rank)
{
    oribi_dims dims = {1, {-1}};
    if (axis == rank - 1) {
        return vector;
    }
    for (int32_t i = 1; i < rank - axis; i++) {
        (void)oribi_dims_add(&dims, 1); /* a rank is at most ORIBI_MAX_RANK (oribi_emit_rank) */
    }
    return oribi_emit_reshape(n, vector, dims.at, dims.n);
}

static oribi_value_id numbers_to(oribi_onnx_node *n, oribi_value_id count)
{
    return oribi_emit3(n, "Range", oribi_emit_scalar(n, TF_INT64, 0), count,
                       oribi_emit_scalar(n, TF_INT64, 1));
}

oribi_value_id oribi_emit_repeated(oribi_onnx_node *n, oribi_value_id x, int32_t axis,
                                   oribi_value_id count, int64_t each)
{
    const oribi_value_id from = oribi_emit2(n, "FloorDiv", numbers_to(n, count),
                                            oribi_emit_scalar(n, TF_INT64, (double)each));
    return oribi_emit3(n, "GatherV2", x, from, oribi_emit_int(n, axis));
}

oribi_value_id oribi_emit_places(oribi_onnx_node *n, oribi_value_id x, int32_t axis)
{
    return numbers_to(n, oribi_emit_element(n, oribi_emit_shape_of(n, x, TF_INT64), axis));
}

bool oribi_emit_split(oribi_onnx_node *n, oribi_value_id x, int32_t axis, const int64_t *sizes,
                      int32_t count, oribi_value_id *out)
{
    const oribi_node *node = oribi_emit_node(
        n, "SplitV",
        INPUTS(x, oribi_emit_vector_as(n, TF_INT64, sizes, count), oribi_emit_int(n, axis)),
        ATTRS(ATTR_INT("num_split", count)), count);
    for (int32_t i = 0; i < count; i++) {
        out[i] = node != NULL ? node->outputs[i] : -1;
    }
    return node != NULL;
}

static bool is_not_negative(const TF_Tensor *tensor, int64_t i)
{
    const void *data = TF_TensorData(tensor);
    return TF_TensorType(tensor) == TF_INT64 ? ((const int64_t *)data)[i] >= 0
                                             : ((const int32_t *)data)[i] >= 0;
}

oribi_value_id oribi_emit_positive_indices(oribi_onnx_node *n, oribi_value_id indices,
                                           oribi_value_id x, int32_t axis)
{
    TF_DataType dtype = oribi_emit_dtype(n, indices);
    if (n->failed || indices < 0 || x < 0 || (dtype != TF_INT32 && dtype != TF_INT64)) {
        if (!n->failed) {
            oribi_onnx_fail(n, TF_INVALID_ARGUMENT, "indices of type %s are not supported",
                            oribi_dtype_name(dtype));
        }
        return -1;
    }
    if (oribi_emit_is_constant(n, indices) && oribi_emit_every(n, indices, 'i', is_not_negative)) {
        return indices;
    }
    int64_t dim = oribi_emit_dim(n, x, axis);
    oribi_value_id size = dim >= 0 ? oribi_emit_scalar(n, dtype, (double)dim)
                                   : oribi_emit_element(n, oribi_emit_shape_of(n, x, dtype), axis);
    return oribi_emit3(n, "SelectV2",
                       oribi_emit2(n, "Less", indices, oribi_emit_scalar(n, dtype, 0)),
                       oribi_emit2(n, "AddV2", indices, size), indices);
}
