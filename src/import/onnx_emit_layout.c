/* SPDX-License-Identifier: Apache-2.0 */
/* Shapes and layout: transposes, reshapes, pieces of shape vectors. On a constant they are views.
 */
#include "import/onnx_emit.h"

#include <string.h>

oribi_value_id oribi_emit_transpose(oribi_onnx_node *n, oribi_value_id x, const int32_t *perm,
                                    int32_t rank)
{
    oribi_dims wide;
    bool is_identity = true;
    if (!oribi_dims_fill(&wide, rank, 0)) {
        oribi_onnx_fail(n, TF_UNIMPLEMENTED, "a tensor of rank %d, %d at most", (int)rank,
                        ORIBI_MAX_RANK);
        return -1;
    }
    for (int32_t i = 0; i < rank; i++) {
        wide.at[i] = perm[i];
        is_identity = is_identity && perm[i] == i;
    }
    if (n->failed || x < 0 || is_identity) {
        return n->failed ? -1 : x;
    }
    const oribi_value *value = n->graph->values[x];
    if (value->constant != NULL) {
        oribi_value_id view =
            oribi_graph_add_constant_transposed(n->graph, value->name, x, &wide, n->status);
        n->failed = view < 0;
        return view;
    }
    return oribi_emit2(n, "Transpose", x, oribi_emit_vector_as(n, TF_INT32, wide.at, rank));
}

static oribi_value_id layout(oribi_onnx_node *n, oribi_value_id x, const int32_t *perm,
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
    int64_t wide[4] = {perm[0], perm[1], perm[2], perm[3]};
    *permutation = oribi_emit_vector_as(n, TF_INT32, wide, 4);
    return oribi_emit_transpose(n, x, perm, 4);
}

oribi_value_id oribi_emit_to_nhwc(oribi_onnx_node *n, oribi_value_id x)
{
    static const int32_t perm[] = {0, 2, 3, 1};
    return layout(n, x, perm, &n->onnx->to_nhwc, n->onnx->to_nchw);
}

oribi_value_id oribi_emit_to_nchw(oribi_onnx_node *n, oribi_value_id x)
{
    static const int32_t perm[] = {0, 3, 1, 2};
    return layout(n, x, perm, &n->onnx->to_nchw, n->onnx->to_nhwc);
}

/* A constant with other dims: in place when its elements are dense or all the same. */
static bool reshape_view(const oribi_constant_view *view, const int64_t *dims, int32_t count,
                         int64_t *out_dims, int64_t *out_strides)
{
    int64_t elements = 1, wanted = 1;
    int32_t open = -1;
    bool is_splat = view->strides != NULL;
    for (int32_t i = 0; i < view->rank; i++) {
        elements *= view->dims[i];
        is_splat = is_splat && view->strides[i] == 0;
    }
    if (view->strides != NULL && !is_splat) {
        return false;
    }
    for (int32_t i = 0; i < count; i++) {
        out_dims[i] = dims[i];
        out_strides[i] = 0;
        if (dims[i] < 0) {
            open = i;
        } else if (__builtin_mul_overflow(wanted, dims[i], &wanted)) {
            return false;
        }
    }
    if (open >= 0 && wanted > 0 && elements % wanted == 0) {
        out_dims[open] = elements / wanted;
        wanted = elements;
    }
    return wanted == elements && (open < 0 || out_dims[open] >= 0);
}

oribi_value_id oribi_emit_reshape(oribi_onnx_node *n, oribi_value_id x, const int64_t *dims,
                                  int32_t count)
{
    int64_t new_dims[ORIBI_ONNX_MAX_RANK], new_strides[ORIBI_ONNX_MAX_RANK];
    if (n->failed || x < 0) {
        return -1;
    }
    if (count > ORIBI_ONNX_MAX_RANK) {
        oribi_onnx_fail(n, TF_UNIMPLEMENTED, "a shape of %d dimensions; at most %d are supported",
                        (int)count, ORIBI_ONNX_MAX_RANK);
        return -1;
    }
    const oribi_value *value = n->graph->values[x];
    const oribi_constant *constant = value->constant;
    if (constant != NULL && reshape_view(&constant->view, dims, count, new_dims, new_strides)) {
        oribi_constant_view view = constant->view;
        view.rank = count;
        view.dims = new_dims;
        view.strides = view.strides != NULL ? new_strides : NULL;
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
    if (oribi_shape_is_full(shape) && shape->rank <= ORIBI_ONNX_MAX_RANK) {
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
    int64_t dims[ORIBI_ONNX_MAX_RANK];
    if (axis == rank - 1) {
        return vector;
    }
    dims[0] = -1;
    for (int32_t i = 1; i < rank - axis; i++) {
        dims[i] = 1;
    }
    return oribi_emit_reshape(n, vector, dims, rank - axis);
}

/* Has the constant a negative element? Unknown ones may have. */
static bool may_be_negative(oribi_onnx_node *n, oribi_value_id indices)
{
    if (!oribi_emit_is_constant(n, indices)) {
        return true;
    }
    TF_Tensor *tensor = oribi_graph_constant_tensor(n->graph, indices, n->status);
    if (tensor == NULL) {
        n->failed = true;
        return false;
    }
    bool negative = false;
    int64_t count = TF_TensorElementCount(tensor);
    bool is_wide = TF_TensorType(tensor) == TF_INT64;
    const void *data = TF_TensorData(tensor);
    for (int64_t i = 0; !negative && i < count; i++) {
        negative = is_wide ? ((const int64_t *)data)[i] < 0 : ((const int32_t *)data)[i] < 0;
    }
    TF_DeleteTensor(tensor);
    return negative;
}

oribi_value_id oribi_emit_positive_indices(oribi_onnx_node *n, oribi_value_id indices,
                                           oribi_value_id x, int32_t axis)
{
    TF_DataType dtype = oribi_emit_dtype(n, indices);
    if (n->failed || indices < 0 || x < 0 || (dtype != TF_INT32 && dtype != TF_INT64)) {
        if (!n->failed) {
            oribi_onnx_fail(n, TF_INVALID_ARGUMENT, "indices of type %s", oribi_dtype_name(dtype));
        }
        return -1;
    }
    if (!may_be_negative(n, indices)) {
        return n->failed ? -1 : indices;
    }
    int64_t dim = oribi_emit_dim(n, x, axis);
    oribi_value_id size = dim >= 0 ? oribi_emit_scalar(n, dtype, (double)dim)
                                   : oribi_emit_element(n, oribi_emit_shape_of(n, x, dtype), axis);
    return oribi_emit3(n, "SelectV2",
                       oribi_emit2(n, "Less", indices, oribi_emit_scalar(n, dtype, 0)),
                       oribi_emit2(n, "AddV2", indices, size), indices);
}
