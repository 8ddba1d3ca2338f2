/* SPDX-License-Identifier: Apache-2.0 */
/* See shape.h. */
#include "cpu/shape.h"

#include <stdio.h>

bool oribi_cpu_tensor_shape(oribi_cpu_run *run, const TF_Tensor *tensor, oribi_cpu_shape *out)
{
    int rank = TF_NumDims(tensor);
    if (rank > ORIBI_MAX_RANK) {
        return oribi_cpu_fail(run, TF_UNIMPLEMENTED, "rank %d is above the supported %d", rank,
                              ORIBI_MAX_RANK);
    }
    out->n = rank;
    for (int i = 0; i < rank; i++) {
        out->at[i] = TF_Dim(tensor, i);
    }
    return true;
}

bool oribi_cpu_wide_dims(oribi_cpu_run *run, const TF_Tensor *tensor, oribi_wide_dims *out)
{
    int rank = TF_NumDims(tensor);
    if (rank > ORIBI_MAX_TENSOR_RANK) {
        return oribi_cpu_fail(run, TF_UNIMPLEMENTED, "rank %d is above the supported %d", rank,
                              ORIBI_MAX_TENSOR_RANK);
    }
    out->n = rank;
    for (int i = 0; i < rank; i++) {
        out->at[i] = TF_Dim(tensor, i);
    }
    return true;
}

bool oribi_cpu_input_shape(oribi_cpu_run *run, int index, oribi_cpu_shape *out)
{
    return oribi_cpu_tensor_shape(run, run->in[index], out);
}

bool oribi_cpu_shape_equal(const oribi_cpu_shape *a, const oribi_cpu_shape *b)
{
    bool equal = a->n == b->n;
    for (int i = 0; equal && i < a->n; i++) {
        equal = a->at[i] == b->at[i];
    }
    return equal;
}

bool oribi_cpu_count(oribi_cpu_run *run, const int64_t *dims, int n, int64_t *out)
{
    int64_t count = 1;
    bool overflow = false, zero = false;
    for (int i = 0; i < n; i++) {
        if (dims[i] < 0) {
            return oribi_cpu_fail(run, TF_INVALID_ARGUMENT, "dimension %d is %lld, below 0", i,
                                  (long long)dims[i]);
        }
        zero = zero || dims[i] == 0;
        overflow = overflow || __builtin_mul_overflow(count, dims[i], &count);
    }
    if (overflow && !zero) {
        return oribi_cpu_fail(run, TF_INVALID_ARGUMENT,
                              "a shape of rank %d has more than 2^63 elements", n);
    }
    *out = zero ? 0 : count;
    return true;
}

int64_t oribi_cpu_product(const int64_t *dims, int n)
{
    int64_t count = 1;
    for (int i = 0; i < n; i++) {
        if (dims[i] == 0) {
            return 0;
        }
    }
    for (int i = 0; i < n; i++) {
        count *= dims[i];
    }
    return count;
}

void oribi_cpu_strides(const oribi_cpu_shape *shape, oribi_dims *out)
{
    int64_t stride = 1;
    out->n = shape->n;
    for (int i = shape->n - 1; i >= 0; i--) {
        out->at[i] = stride;
        stride *= shape->at[i] == 0 ? 1 : shape->at[i];
    }
}

oribi_cpu_text oribi_cpu_shape_text(const oribi_cpu_shape *shape)
{
    oribi_cpu_text text;
    size_t used = 0, size = sizeof text.chars;
    used += (size_t)snprintf(text.chars, size, "[");
    for (int i = 0; i < shape->n && used + 24 < size; i++) {
        used += (size_t)snprintf(text.chars + used, size - used, i == 0 ? "%lld" : ",%lld",
                                 (long long)shape->at[i]);
    }
    (void)snprintf(text.chars + used, size - used, "]");
    return text;
}

bool oribi_cpu_read_ints(oribi_cpu_run *run, int index, const char *what, int64_t *out, int max,
                         int *out_count)
{
    const TF_Tensor *tensor = run->in[index];
    TF_DataType dtype = TF_TensorType(tensor);
    int rank = TF_NumDims(tensor);
    if (rank > 1 ||
        (dtype != TF_INT32 && dtype != TF_INT64 && dtype != TF_INT16 && dtype != TF_INT8)) {
        return oribi_cpu_fail(run, TF_INVALID_ARGUMENT,
                              "%s must be a scalar or vector of signed integers, not rank %d of "
                              "type %d",
                              what, rank, (int)dtype);
    }
    int64_t count = rank == 0 ? 1 : TF_Dim(tensor, 0);
    if (count > max) {
        return oribi_cpu_fail(run, TF_INVALID_ARGUMENT,
                              "%s has %lld elements; at most %d are supported", what,
                              (long long)count, max);
    }
    const void *data = TF_TensorData(tensor);
    for (int64_t i = 0; i < count; i++) {
        out[i] = oribi_cpu_int_at(data, dtype, i);
    }
    *out_count = (int)count;
    return true;
}

bool oribi_cpu_read_dims(oribi_cpu_run *run, int index, const char *what, oribi_dims *out)
{
    return oribi_cpu_read_ints(run, index, what, out->at, ORIBI_MAX_RANK, &out->n);
}

bool oribi_cpu_index_changed(oribi_cpu_run *run)
{
    return oribi_cpu_fail(run, TF_ABORTED,
                          "an index was changed by another writer while the kernel read it; keep "
                          "inputs as they are until the run ends");
}

bool oribi_cpu_read_int(oribi_cpu_run *run, int index, const char *what, int64_t *out)
{
    int count = 0;
    if (!oribi_cpu_read_ints(run, index, what, out, 1, &count)) {
        return false;
    }
    return count == 1 || oribi_cpu_fail(run, TF_INVALID_ARGUMENT, "%s is empty", what);
}

bool oribi_cpu_read_shape(oribi_cpu_run *run, int index, const char *what, oribi_cpu_shape *out)
{
    if (!oribi_cpu_read_dims(run, index, what, out)) {
        return false;
    }
    for (int i = 0; i < out->n; i++) {
        if (out->at[i] < 0) {
            return oribi_cpu_fail(run, TF_INVALID_ARGUMENT, "%s[%d] is %lld, below 0", what, i,
                                  (long long)out->at[i]);
        }
    }
    return true;
}

bool oribi_cpu_axis(oribi_cpu_run *run, int64_t axis, int rank, int *out)
{
    if (axis < -rank || axis >= rank) {
        return oribi_cpu_fail(run, TF_INVALID_ARGUMENT, "axis %lld is outside [%d, %d)",
                              (long long)axis, -rank, rank);
    }
    *out = (int)(axis < 0 ? axis + rank : axis);
    return true;
}

bool oribi_cpu_broadcast(oribi_cpu_run *run, const oribi_cpu_shape *a, const oribi_cpu_shape *b,
                         oribi_cpu_shape *out)
{
    int rank = a->n > b->n ? a->n : b->n;
    out->n = rank;
    for (int i = 0; i < rank; i++) {
        int64_t x = i < rank - a->n ? 1 : a->at[i - (rank - a->n)];
        int64_t y = i < rank - b->n ? 1 : b->at[i - (rank - b->n)];
        if (x != y && x != 1 && y != 1) {
            return oribi_cpu_fail(run, TF_INVALID_ARGUMENT,
                                  "Incompatible shapes: %s and %s do not broadcast",
                                  oribi_cpu_shape_text(a).chars, oribi_cpu_shape_text(b).chars);
        }
        out->at[i] = x == 1 ? y : x;
    }
    return true;
}

void oribi_cpu_broadcast_strides(const oribi_cpu_shape *in, const oribi_cpu_shape *out,
                                 oribi_dims *out_strides)
{
    oribi_dims own;
    int lead = out->n - in->n;
    oribi_cpu_strides(in, &own);
    out_strides->n = out->n;
    for (int i = 0; i < out->n; i++) {
        out_strides->at[i] = i < lead || in->at[i - lead] == 1 ? 0 : own.at[i - lead];
    }
}
