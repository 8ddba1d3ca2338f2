/* SPDX-License-Identifier: Apache-2.0 */
/* Constants: views on bytes that someone else keeps (a mapped file, a tensor), strided or splat,
 * and the dense copy that is made when one is asked for. Nothing is copied before that.
 */
#include "graph/graph_internal.h"

#include <inttypes.h>
#include <string.h>

#include "base/alloc.h"
#include "micro/geometry/geometry_walk.h"
#include "tensorflow/c/tf_tstring.h"

oribi_value_id oribi_graph_add_constant(oribi_graph *graph, const char *name,
                                        const oribi_constant_view *view, oribi_source *source,
                                        TF_Status *status)
{
    oribi_shape shape = {view->rank, (int64_t *)view->dims};
    int64_t *strides = NULL;
    size_t dense_bytes;
    /* Splats and constants without elements, too: strides of later views must not overflow. */
    if (!oribi_size_of_dims(view->dims, view->rank, oribi_dtype_bytes(view->dtype), &dense_bytes) ||
        dense_bytes > PTRDIFF_MAX) {
        oribi_fail(status, TF_INVALID_ARGUMENT, "constant '%s' is too large", name);
        oribi_source_release(source);
        return -1;
    }
    oribi_constant *constant = oribi_arena_array(&graph->arena, 1, sizeof(*constant));
    if (constant == NULL) {
        oribi_fail_memory(status);
        goto failed;
    }
    if (view->strides != NULL && view->rank > 0) {
        strides =
            oribi_arena_memdup(&graph->arena, view->strides, (size_t)view->rank * sizeof(*strides));
        if (strides == NULL) {
            oribi_fail_memory(status);
            goto failed;
        }
    }
    oribi_value_id id = oribi_graph_add_value(graph, name, view->dtype, &shape, status);
    if (id < 0) {
        goto failed;
    }
    constant->view = *view;
    constant->view.dims = graph->values[id]->shape.dims;
    constant->view.strides = strides;
    constant->source = source;
    graph->values[id]->constant = constant;
    return id;
failed:
    oribi_source_release(source);
    return -1;
}

oribi_value_id oribi_graph_add_constant_copy(oribi_graph *graph, const char *name,
                                             TF_DataType dtype, const int64_t *dims, int32_t rank,
                                             const void *data, TF_Status *status)
{
    size_t bytes = 0;
    if (!oribi_size_of_dims(dims, rank, oribi_dtype_bytes(dtype), &bytes)) {
        oribi_fail(status, TF_INVALID_ARGUMENT, "constant '%s' is too large", name);
        return -1;
    }
    if (!oribi_graph_charge(graph, 0, status)) {
        return -1;
    }
    void *copy = oribi_arena_alloc(&graph->arena, bytes == 0 ? 1 : bytes);
    if (copy == NULL) {
        oribi_fail_memory(status);
        return -1;
    }
    if (bytes != 0) {
        memcpy(copy, data, bytes);
    }
    oribi_constant_view view = {dtype, rank, dims, NULL, copy};
    return oribi_graph_add_constant(graph, name, &view, NULL, status);
}

/* What a constant's own tensor counts for: its texts lie elsewhere. */
static uint64_t counted(const TF_Tensor *tensor)
{
    return tensor->bytes + oribi_elements_held(tensor->dtype, tensor->data, tensor->bytes);
}

static void release_tensor_source(oribi_source *source)
{
    TF_DeleteTensor(source->priv);
    oribi_free(source);
}

oribi_value_id oribi_graph_add_constant_tensor(oribi_graph *graph, const char *name,
                                               TF_Tensor *tensor, TF_Status *status)
{
    if (!oribi_graph_charge(graph, counted(tensor), status)) {
        return -1;
    }
    oribi_source *source = oribi_alloc_zero(1, sizeof(*source));
    TF_Tensor *kept = oribi_tensor_share(tensor);
    TF_Tensor *dense = oribi_tensor_share(tensor);
    if (source == NULL || kept == NULL || dense == NULL) {
        oribi_free(source);
        TF_DeleteTensor(kept);
        TF_DeleteTensor(dense);
        oribi_fail_memory(status);
        return -1;
    }
    atomic_store(&source->references, 1);
    source->release = release_tensor_source;
    source->priv = kept;
    oribi_constant_view view = {tensor->dtype, tensor->rank, tensor->dims, NULL, tensor->data};
    oribi_value_id id = oribi_graph_add_constant(graph, name, &view, source, status);
    if (id < 0) {
        TF_DeleteTensor(dense);
        return -1;
    }
    graph->values[id]->constant->dense = dense;
    return id;
}

bool oribi_graph_source_is_tensor(const oribi_source *source)
{
    return source != NULL && source->release == release_tensor_source;
}

static void discharge(oribi_graph *graph, uint64_t bytes)
{
    graph->made_bytes -= bytes < graph->made_bytes ? bytes : graph->made_bytes;
}

void oribi_graph_drop_dense(oribi_graph *graph, oribi_constant *constant)
{
    const TF_Tensor *dense = constant->dense;
    if (dense != NULL && dense->data != constant->view.data) { /* else it is the source's */
        discharge(graph, counted(dense));
    }
    TF_DeleteTensor(constant->dense);
    constant->dense = NULL;
}

void oribi_graph_drop_source(oribi_graph *graph, oribi_constant *constant)
{
    if (oribi_graph_source_is_tensor(constant->source)) {
        discharge(graph, counted(constant->source->priv));
    }
    oribi_source_release(constant->source);
    constant->source = NULL;
}

void oribi_graph_drop_unused_constants(oribi_graph *graph)
{
    for (int32_t i = 0; i < graph->n_values; i++) {
        oribi_value *value = graph->values[i];
        if (value->constant != NULL && value->n_uses == 0) {
            oribi_graph_drop_dense(graph, value->constant);
            oribi_graph_drop_source(graph, value->constant);
            value->constant = NULL;
        }
    }
}

oribi_value_id oribi_graph_add_constant_transposed(oribi_graph *graph, const char *name,
                                                   oribi_value_id constant,
                                                   const oribi_dims *permutation, TF_Status *status)
{
    const oribi_constant *from = graph->values[constant]->constant;
    oribi_dims dense_strides, dims, strides;
    const int32_t rank = from == NULL ? -1 : from->view.rank;
    if (rank < 0 || rank != permutation->n || !oribi_dims_is_permutation(permutation)) {
        oribi_fail(status, TF_INVALID_ARGUMENT,
                   "value '%s' must be a constant with at most %d axes, and the permutation must "
                   "name each once",
                   graph->values[constant]->name, ORIBI_MAX_RANK);
        return -1;
    }
    oribi_geometry_steps(from->view.dims, rank, (int64_t)oribi_dtype_bytes(from->view.dtype),
                         dense_strides.at);
    oribi_geometry_permute(from->view.dims, permutation->at, rank, dims.at);
    oribi_geometry_permute(from->view.strides != NULL ? from->view.strides : dense_strides.at,
                           permutation->at, rank, strides.at);
    oribi_constant_view view = {from->view.dtype, rank, dims.at, strides.at, from->view.data};
    oribi_source_retain(from->source);
    return oribi_graph_add_constant(graph, name, &view, from->source, status);
}

/* Copies elements in row-major order; the innermost axis is a run of equal steps. */
static void copy_strided(const oribi_constant_view *view, uint8_t *to, size_t element_bytes)
{
    oribi_dims at = {0};
    int64_t *index = at.at;
    int32_t rank = view->rank;
    const uint8_t *from = view->data;
    int64_t inner = rank == 0 ? 1 : view->dims[rank - 1];
    int64_t step = rank == 0 ? 0 : view->strides[rank - 1];
    for (;;) {
        for (int64_t i = 0; i < inner; i++) {
            memcpy(to, from + i * step, element_bytes);
            to += element_bytes;
        }
        int32_t axis = rank - 2;
        while (axis >= 0) {
            from += view->strides[axis];
            if (++index[axis] < view->dims[axis]) {
                break;
            }
            from -= view->strides[axis] * view->dims[axis];
            index[axis--] = 0;
        }
        if (axis < 0) {
            return;
        }
    }
}

/* Strings own their text: a shallow copy of the elements becomes a deep one. */
static void own_strings(TF_TString *strings, size_t count)
{
    for (size_t i = 0; i < count; i++) {
        TF_TString shallow = strings[i];
        TF_StringInit(&strings[i]);
        TF_StringCopy(&strings[i], TF_StringGetDataPointer(&shallow), TF_StringGetSize(&shallow));
    }
}

static void release_source_of_tensor(void *data, size_t bytes, void *arg)
{
    (void)data;
    (void)bytes;
    oribi_source_release(arg);
}

static bool is_dense(const oribi_constant_view *view)
{
    int64_t expected = (int64_t)oribi_dtype_bytes(view->dtype);
    for (int32_t i = view->rank - 1; view->strides != NULL && i >= 0; i--) {
        if (view->dims[i] != 1 && view->strides[i] != expected) {
            return false;
        }
        expected *= view->dims[i];
    }
    return true;
}

static TF_Tensor *make_dense(oribi_graph *graph, const oribi_value *value, TF_Status *status)
{
    const oribi_constant *constant = value->constant;
    const oribi_constant_view *view = &constant->view;
    size_t element_bytes = oribi_dtype_bytes(view->dtype);
    size_t bytes = 0;
    if (!oribi_size_of_dims(view->dims, view->rank, element_bytes, &bytes)) {
        oribi_fail(status, TF_RESOURCE_EXHAUSTED, "constant '%s' is too large", value->name);
        return NULL;
    }
    bool dense = is_dense(view);
    if (dense && bytes > 0 && constant->source != NULL && view->dtype != TF_STRING &&
        (uintptr_t)view->data % ORIBI_TENSOR_ALIGNMENT == 0) {
        oribi_source_retain(constant->source);
        TF_Tensor *alias = TF_NewTensor(view->dtype, view->dims, view->rank, (void *)view->data,
                                        bytes, release_source_of_tensor, constant->source);
        if (alias == NULL) {
            oribi_fail_memory(status);
        }
        return alias;
    }
    if (!dense && view->rank > ORIBI_MAX_RANK) {
        oribi_fail(status, TF_UNIMPLEMENTED, "constant '%s' has rank %d; at most %d is supported",
                   value->name, (int)view->rank, ORIBI_MAX_RANK);
        return NULL;
    }
    if (!oribi_graph_charge(graph, bytes, status)) {
        return NULL;
    }
    TF_Tensor *tensor = TF_AllocateTensor(view->dtype, view->dims, view->rank, bytes);
    if (tensor == NULL) {
        graph->made_bytes -= bytes;
        oribi_fail_memory(status);
        return NULL;
    }
    if (bytes > 0 && dense) {
        memcpy(tensor->data, view->data, bytes);
    } else if (bytes > 0) {
        copy_strided(view, tensor->data, element_bytes);
    }
    if (view->dtype == TF_STRING) {
        if (!oribi_graph_charge(graph, counted(tensor) - bytes, status)) {
            discharge(graph, bytes);
            memset(tensor->data, 0, bytes); /* the texts are the view's */
            TF_DeleteTensor(tensor);
            return NULL;
        }
        own_strings(tensor->data, bytes / element_bytes);
    }
    return tensor;
}

TF_Tensor *oribi_graph_constant_tensor(oribi_graph *graph, oribi_value_id value, TF_Status *status)
{
    oribi_constant *constant = graph->values[value]->constant;
    if (constant == NULL) {
        oribi_fail(status, TF_INVALID_ARGUMENT, "value '%s' is not a constant",
                   graph->values[value]->name);
        return NULL;
    }
    if (constant->is_absent) {
        oribi_fail(status, TF_FAILED_PRECONDITION,
                   "constant '%s': the packed file has it for the kernels it was made for only; "
                   "pack the model again",
                   graph->values[value]->name);
        return NULL;
    }
    if (constant->is_dropped) {
        oribi_fail(status, TF_FAILED_PRECONDITION,
                   "constant '%s': its kernels have packed it and its bytes were given back",
                   graph->values[value]->name);
        return NULL;
    }
    if (constant->dense == NULL) {
        constant->dense = make_dense(graph, graph->values[value], status);
        if (constant->dense == NULL) {
            return NULL;
        }
    }
    TF_Tensor *shared = oribi_tensor_share(constant->dense);
    if (shared == NULL) {
        oribi_fail_memory(status);
    }
    return shared;
}

int64_t oribi_graph_count_ints(const oribi_graph *graph, oribi_value_id value)
{
    if (value < 0 || graph->values[value]->constant == NULL) {
        return -1;
    }
    const oribi_constant_view *view = &graph->values[value]->constant->view;
    if (graph->values[value]->constant->is_dropped ||
        (view->dtype != TF_INT32 && view->dtype != TF_INT64) || view->rank > 1) {
        return -1;
    }
    return view->rank == 0 ? 1 : view->dims[0];
}

bool oribi_graph_constant_exactly(const oribi_graph *graph, oribi_value_id value, int64_t *out,
                                  int32_t count)
{
    if (count < 0 || oribi_graph_count_ints(graph, value) != count) {
        return false;
    }
    const oribi_constant_view *view = &graph->values[value]->constant->view;
    int64_t element_bytes = (int64_t)oribi_dtype_bytes(view->dtype);
    int64_t stride = view->strides != NULL && view->rank > 0 ? view->strides[0] : element_bytes;
    for (int32_t i = 0; i < count; i++) {
        const uint8_t *at = (const uint8_t *)view->data + i * stride;
        int32_t narrow = 0;
        if (view->dtype == TF_INT64) {
            memcpy(&out[i], at, sizeof(out[i]));
        } else {
            memcpy(&narrow, at, sizeof(narrow));
            out[i] = narrow;
        }
    }
    return true;
}

bool oribi_graph_constant_ints(const oribi_graph *graph, oribi_value_id value, oribi_dims *out)
{
    const int64_t count = oribi_graph_count_ints(graph, value);
    if (count < 0 || count > ORIBI_MAX_RANK) {
        return false;
    }
    out->n = (int32_t)count;
    return oribi_graph_constant_exactly(graph, value, out->at, out->n);
}
