/* SPDX-License-Identifier: Apache-2.0 */
/* Constants as passes see them: views that may be strided or stand for many by one element. Nothing
 * here copies weights; what must (pass_batch_norm.c, fold.c, layout_dense.c) says so.
 */
#include "pass/pass_internal.h"

#include <limits.h>
#include <string.h>

#include "micro/geometry/geometry_walk.h"

const oribi_constant_view *oribi_pass_constant(const oribi_graph *graph, oribi_value_id value)
{
    if (value < 0 || graph->values[value]->constant == NULL) {
        return NULL;
    }
    return &graph->values[value]->constant->view;
}

int64_t oribi_pass_view_count(const oribi_constant_view *view)
{
    int64_t count = 1;
    for (int32_t i = 0; i < view->rank; i++) {
        if (__builtin_mul_overflow(count, view->dims[i], &count)) {
            return INT64_MAX;
        }
    }
    return count;
}

bool oribi_pass_view_is_splat(const oribi_constant_view *view)
{
    if (view->strides == NULL) {
        return oribi_pass_view_count(view) == 1;
    }
    for (int32_t i = 0; i < view->rank; i++) {
        if (view->strides[i] != 0 && view->dims[i] != 1) {
            return false;
        }
    }
    return oribi_pass_view_count(view) > 0;
}

bool oribi_pass_view_strides(const oribi_constant_view *view, oribi_dims *out)
{
    if (view->strides != NULL) {
        return oribi_dims_set(out, view->strides, view->rank);
    }
    ORIBI_TRY(oribi_dims_fill(out, view->rank, 0));
    oribi_geometry_steps(view->dims, view->rank, (int64_t)oribi_dtype_bytes(view->dtype), out->at);
    return true;
}

bool oribi_pass_view_is_dense(const oribi_constant_view *view)
{
    if (view->strides == NULL) {
        return true;
    }
    int64_t stride = (int64_t)oribi_dtype_bytes(view->dtype);
    for (int32_t i = view->rank - 1; i >= 0; i--) {
        if (view->dims[i] != 1 && view->strides[i] != stride) {
            return false;
        }
        stride *= view->dims[i] > 0 ? view->dims[i] : 1;
    }
    return true;
}

size_t oribi_pass_view_bytes(const oribi_constant_view *view)
{
    size_t bytes = oribi_dtype_bytes(view->dtype);
    for (int32_t i = 0; i < view->rank; i++) {
        bool repeated = view->strides != NULL && view->strides[i] == 0;
        if (!repeated && !oribi_size_mul(bytes, (size_t)view->dims[i], &bytes)) {
            return SIZE_MAX;
        }
    }
    return bytes;
}

bool oribi_pass_constant_rows(const oribi_graph *graph, oribi_value_id value, int32_t rows,
                              int32_t columns, int64_t *out)
{
    const oribi_constant_view *view = oribi_pass_constant(graph, value);
    oribi_dims strides;
    if (view == NULL || view->rank != (columns == 1 ? 1 : 2) || view->dims[0] != rows ||
        (columns != 1 && view->dims[1] != columns) ||
        (view->dtype != TF_INT32 && view->dtype != TF_INT64) ||
        !oribi_pass_view_strides(view, &strides)) {
        return false;
    }
    for (int32_t i = 0; i < rows * columns; i++) {
        const char *at = (const char *)view->data + (i / columns) * strides.at[0] +
                         (columns == 1 ? 0 : (i % columns) * strides.at[1]);
        int32_t narrow = 0;
        if (view->dtype == TF_INT32) {
            memcpy(&narrow, at, sizeof narrow);
            out[i] = narrow;
        } else {
            memcpy(&out[i], at, sizeof out[i]);
            if (out[i] > INT32_MAX || out[i] < INT32_MIN) {
                return false;
            }
        }
    }
    return true;
}

static double element(TF_DataType dtype, const void *at)
{
    if (dtype == TF_DOUBLE) {
        double value;
        memcpy(&value, at, sizeof value);
        return value;
    }
    float value;
    memcpy(&value, at, sizeof value);
    return (double)value;
}

bool oribi_pass_channel_vector(const oribi_graph *graph, oribi_value_id value, int64_t channels,
                               double *out)
{
    oribi_dims strides;
    const oribi_constant_view *view = oribi_pass_constant(graph, value);
    if (view == NULL || (view->dtype != TF_FLOAT && view->dtype != TF_DOUBLE) ||
        !oribi_pass_view_strides(view, &strides)) {
        return false;
    }
    int64_t count = oribi_pass_view_count(view);
    bool along_last = view->rank > 0 && view->dims[view->rank - 1] == count && count == channels;
    if (count != 1 && !along_last) {
        return false;
    }
    int64_t stride = along_last ? strides.at[view->rank - 1] : 0;
    const char *at = view->data;
    for (int64_t i = 0; i < channels; i++) {
        out[i] = element(view->dtype, at + i * stride);
    }
    return true;
}

oribi_value_id oribi_pass_add_view(oribi_graph *graph, const char *name, oribi_value_id of,
                                   const int64_t *dims, const int64_t *strides, int32_t rank,
                                   TF_Status *status)
{
    const oribi_constant *constant = graph->values[of]->constant;
    oribi_constant_view view = constant->view;
    view.rank = rank;
    view.dims = dims;
    view.strides = strides;
    if (constant->source != NULL) {
        oribi_source_retain(constant->source);
    }
    return oribi_graph_add_constant(graph, name, &view, constant->source, status);
}

oribi_value_id oribi_pass_add_ints(oribi_graph *graph, const char *name, const int64_t *values,
                                   int32_t count, TF_Status *status)
{
    int32_t *narrow = oribi_claim_array(&graph->arena, (size_t)count + 1, sizeof *narrow, status);
    if (narrow == NULL) {
        return -1;
    }
    for (int32_t i = 0; i < count; i++) {
        if (values[i] > INT32_MAX || values[i] < INT32_MIN) {
            oribi_fail(status, TF_OUT_OF_RANGE, "'%s': %lld does not fit in 32 bits", name,
                       (long long)values[i]);
            return -1;
        }
        narrow[i] = (int32_t)values[i];
    }
    int64_t dims[1] = {count};
    return oribi_graph_add_constant_copy(graph, name, TF_INT32, dims, 1, narrow, status);
}

oribi_value_id oribi_pass_add_floats(oribi_graph *graph, const char *name, const double *values,
                                     int64_t count, TF_Status *status)
{
    float *narrow = oribi_alloc_array((size_t)count, sizeof *narrow);
    if (narrow == NULL) {
        oribi_fail_memory(status);
        return -1;
    }
    for (int64_t i = 0; i < count; i++) {
        narrow[i] = (float)values[i];
    }
    oribi_value_id id =
        oribi_graph_add_constant_copy(graph, name, TF_FLOAT, &count, 1, narrow, status);
    oribi_free(narrow);
    return id;
}

oribi_value_id oribi_pass_add_reshaped(oribi_graph *graph, oribi_value_id constant,
                                       const int64_t *dims, int32_t rank, TF_Status *status)
{
    const oribi_constant_view *view = oribi_pass_constant(graph, constant);
    const char *name = graph->values[constant]->name;
    oribi_dims old, strides;
    if (!oribi_dims_fill(&strides, rank, 0) || !oribi_pass_view_strides(view, &old)) {
        return -1;
    }
    if (oribi_pass_view_is_splat(view)) {
        return oribi_pass_add_view(graph, name, constant, dims, strides.at, rank, status);
    }
    if (oribi_pass_view_is_dense(view)) {
        return oribi_pass_add_view(graph, name, constant, dims, NULL, rank, status);
    }
    /* Strided: dims of one element may come and go, and others may be split. */
    int32_t from = 0;
    int64_t left = 1; /* of dim from - 1, in which the next one is */
    for (int32_t i = 0; i < rank; i++) {
        if (dims[i] == 1) {
            continue;
        }
        while (left == 1 && from < view->rank) {
            left = view->dims[from++];
        }
        if (dims[i] < 1 || left % dims[i] != 0 || left == 1) {
            return -1;
        }
        left /= dims[i];
        strides.at[i] = old.at[from - 1] * left;
    }
    return oribi_pass_add_view(graph, name, constant, dims, strides.at, rank, status);
}
