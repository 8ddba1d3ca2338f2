/* SPDX-License-Identifier: Apache-2.0 */
/* See cpu_shape.h. */
#include "cpu/base/cpu_shape.h"

#include "micro/geometry/geometry_axes.h"
#include "micro/geometry/geometry_walk.h"

#include <stdio.h>

bool oribi_cpu_tensor_shape(oribi_kit_run *run, const TF_Tensor *tensor, oribi_cpu_shape *out)
{
    int rank = TF_NumDims(tensor);
    if (rank > ORIBI_MAX_RANK) {
        return oribi_kit_fail(run, TF_UNIMPLEMENTED, "rank %d is above the supported %d", rank,
                              ORIBI_MAX_RANK);
    }
    out->n = rank;
    for (int i = 0; i < rank; i++) {
        out->at[i] = TF_Dim(tensor, i);
    }
    return true;
}

bool oribi_cpu_wide_dims(oribi_kit_run *run, const TF_Tensor *tensor, oribi_wide_dims *out)
{
    int rank = TF_NumDims(tensor);
    if (rank > ORIBI_MAX_TENSOR_RANK) {
        return oribi_kit_fail(run, TF_UNIMPLEMENTED, "rank %d is above the supported %d", rank,
                              ORIBI_MAX_TENSOR_RANK);
    }
    out->n = rank;
    for (int i = 0; i < rank; i++) {
        out->at[i] = TF_Dim(tensor, i);
    }
    return true;
}

bool oribi_cpu_input_shape(oribi_kit_run *run, int index, oribi_cpu_shape *out)
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

bool oribi_cpu_count(oribi_kit_run *run, const int64_t *dims, int n, int64_t *out)
{
    int64_t count = 1;
    bool overflow = false, zero = false;
    for (int i = 0; i < n; i++) {
        if (dims[i] < 0) {
            return oribi_kit_fail(run, TF_INVALID_ARGUMENT, "dimension %d is %lld, below 0", i,
                                  (long long)dims[i]);
        }
        zero = zero || dims[i] == 0;
        overflow = overflow || __builtin_mul_overflow(count, dims[i], &count);
    }
    if (overflow && !zero) {
        return oribi_kit_fail(run, TF_INVALID_ARGUMENT,
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
    out->n = shape->n;
    oribi_geometry_steps(shape->at, shape->n, 1, out->at);
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

bool oribi_cpu_read_dims(oribi_kit_run *run, int index, const char *what, oribi_dims *out)
{
    return oribi_kit_read_ints(run, run->in[index], what, out->at, ORIBI_MAX_RANK, &out->n);
}

bool oribi_cpu_index_changed(oribi_kit_run *run)
{
    return oribi_kit_fail(run, TF_ABORTED,
                          "an index was changed by another writer while the kernel read it; keep "
                          "inputs as they are until the run ends");
}

bool oribi_cpu_read_int(oribi_kit_run *run, int index, const char *what, int64_t *out)
{
    int count = 0;
    if (!oribi_kit_read_ints(run, run->in[index], what, out, 1, &count)) {
        return false;
    }
    return count == 1 || oribi_kit_fail(run, TF_INVALID_ARGUMENT, "%s is empty", what);
}

bool oribi_cpu_read_shape(oribi_kit_run *run, int index, const char *what, oribi_cpu_shape *out)
{
    if (!oribi_cpu_read_dims(run, index, what, out)) {
        return false;
    }
    for (int i = 0; i < out->n; i++) {
        if (out->at[i] < 0) {
            return oribi_kit_fail(run, TF_INVALID_ARGUMENT, "%s[%d] is %lld, below 0", what, i,
                                  (long long)out->at[i]);
        }
    }
    return true;
}

bool oribi_cpu_axis(oribi_kit_run *run, int64_t axis, int rank, int *out)
{
    return oribi_geometry_axis(axis, rank, out) ||
           oribi_kit_fail(run, TF_INVALID_ARGUMENT, "axis %lld is outside [%d, %d)",
                          (long long)axis, -rank, rank);
}

bool oribi_cpu_slide(oribi_kit_run *run, const char *what, oribi_geometry_window *window)
{
    const oribi_geometry_window *w = window;
    const bool is_within = oribi_geometry_is_within(w, INT32_MAX);
    const oribi_geometry_fit fit =
        is_within ? oribi_geometry_slide(window) : ORIBI_GEOMETRY_OVERFLOW;
    if (fit == ORIBI_GEOMETRY_NARROW) {
        return oribi_kit_fail(run, TF_INVALID_ARGUMENT,
                              "%s: a window of %lld does not fit into %lld elements with padding",
                              what, (long long)w->reach, (long long)(w->in + w->before + w->after));
    }
    return fit == ORIBI_GEOMETRY_FITS ||
           oribi_kit_fail(run, TF_INVALID_ARGUMENT,
                          "%s: window %lld, stride %lld, dilation %lld, padding %lld and %lld over "
                          "%lld elements: window, stride and dilation must be positive, padding "
                          "not negative, all below 2^31",
                          what, (long long)w->taps, (long long)w->stride, (long long)w->dilation,
                          (long long)w->before, (long long)w->after, (long long)w->in);
}

bool oribi_cpu_broadcast(oribi_kit_run *run, const oribi_cpu_shape *a, const oribi_cpu_shape *b,
                         oribi_cpu_shape *out)
{
    out->n = a->n > b->n ? a->n : b->n;
    return oribi_geometry_broadcast(a->at, a->n, b->at, b->n, out->at) ||
           oribi_kit_fail(run, TF_INVALID_ARGUMENT,
                          "Incompatible shapes: %s and %s do not broadcast",
                          oribi_cpu_shape_text(a).chars, oribi_cpu_shape_text(b).chars);
}

void oribi_cpu_broadcast_strides(const oribi_cpu_shape *in, const oribi_cpu_shape *out,
                                 oribi_dims *out_strides)
{
    out_strides->n = out->n;
    oribi_geometry_broadcast_steps(in->at, in->n, out->n, out_strides->at);
}
