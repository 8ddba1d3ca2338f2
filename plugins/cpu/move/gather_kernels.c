/* SPDX-License-Identifier: Apache-2.0 */
/* Ops that pick or place by index: GatherV2, Gather, GatherNd, ScatterNd, TensorScatterUpdate.
 * Indices are untrusted: every one is checked before anything is read or written, and again where
 * it is used, since another writer may have changed it in between.
 */
#include "cpu/base/families.h"
#include "cpu/base/walk.h"

#include <stdatomic.h>
#include <string.h>

static int64_t index_at(const TF_Tensor *tensor, int64_t i)
{
    return oribi_kit_int_at(TF_TensorData(tensor), TF_TensorType(tensor), i);
}

static bool check_index_type(oribi_kit_run *run, const TF_Tensor *tensor)
{
    TF_DataType dtype = TF_TensorType(tensor);
    return dtype == TF_INT32 || dtype == TF_INT64 || dtype == TF_INT16 ||
           oribi_kit_fail(run, TF_INVALID_ARGUMENT, "indices must be integers, not of type %d",
                          (int)dtype);
}

/* params [batch][outer][limit][inner], indices [batch][picks]. */
typedef struct gather_work {
    const TF_Tensor *indices;
    const char *source;
    char *target;
    int64_t outer, limit, picks;
    size_t inner; /* bytes */
    atomic_bool changed;
} gather_work;

/* A unit is one copied run: [batch][outer][pick]. */
static void gather_units(void *object, int64_t begin, int64_t end)
{
    gather_work *work = object;
    for (int64_t unit = begin; unit < end; unit++) {
        int64_t plane = unit / work->picks, pick = unit % work->picks;
        int64_t at = index_at(work->indices, plane / work->outer * work->picks + pick);
        if ((uint64_t)at >= (uint64_t)work->limit) {
            atomic_store_explicit(&work->changed, true, memory_order_relaxed);
            return;
        }
        memcpy(work->target + (size_t)unit * work->inner,
               work->source + (size_t)(plane * work->limit + at) * work->inner, work->inner);
    }
}

static bool gather_axes(oribi_kit_run *run, int64_t batch_attr, const oribi_cpu_shape *params,
                        const oribi_cpu_shape *indices, int64_t axis_value, int *out_axis,
                        int *out_batch)
{
    int64_t batch = batch_attr < 0 ? batch_attr + indices->n : batch_attr;
    if (!oribi_cpu_axis(run, axis_value, params->n, out_axis)) {
        return false;
    }
    if (batch < 0 || batch > indices->n || batch > *out_axis) {
        return oribi_kit_fail(
            run, TF_INVALID_ARGUMENT,
            "batch_dims %lld must lie within the indices' rank %d and the axis %d",
            (long long)batch_attr, indices->n, *out_axis);
    }
    for (int i = 0; i < (int)batch; i++) {
        if (params->at[i] != indices->at[i]) {
            return oribi_kit_fail(run, TF_INVALID_ARGUMENT,
                                  "params.shape[%d] is %lld, indices.shape[%d] is %lld", i,
                                  (long long)params->at[i], i, (long long)indices->at[i]);
        }
    }
    *out_batch = (int)batch;
    return true;
}

static bool gather(oribi_kit_run *run, int64_t batch_attr, int64_t axis_value)
{
    oribi_cpu_shape params, indices, out = {.n = 0};
    int axis = 0, batch = 0;
    int64_t count = 0;
    size_t width = oribi_cpu_width(run, TF_TensorType(run->in[0]));
    if (width == 0 || !oribi_cpu_input_shape(run, 0, &params) ||
        !oribi_cpu_input_shape(run, 1, &indices) || !check_index_type(run, run->in[1]) ||
        !gather_axes(run, batch_attr, &params, &indices, axis_value, &axis, &batch)) {
        return false;
    }
    if (params.n - 1 + indices.n - batch > ORIBI_MAX_RANK) {
        return oribi_kit_fail(run, TF_UNIMPLEMENTED, "the rank of the result is above %d",
                              ORIBI_MAX_RANK);
    }
    for (int i = 0; i < axis; i++) {
        out.at[out.n++] = params.at[i];
    }
    for (int i = batch; i < indices.n; i++) {
        out.at[out.n++] = indices.at[i];
    }
    for (int i = axis + 1; i < params.n; i++) {
        out.at[out.n++] = params.at[i];
    }
    int64_t n = TF_TensorElementCount(run->in[1]);
    for (int64_t i = 0; i < n; i++) {
        int64_t at = index_at(run->in[1], i);
        if (at < 0 || at >= params.at[axis]) {
            return oribi_kit_fail(run, TF_INVALID_ARGUMENT,
                                  "indices[%lld] = %lld is not in [0, %lld)", (long long)i,
                                  (long long)at, (long long)params.at[axis]);
        }
    }
    gather_work work = {
        .indices = run->in[1],
        .source = TF_TensorData(run->in[0]),
        .outer = oribi_cpu_product(params.at + batch, axis - batch),
        .limit = params.at[axis],
        .picks = oribi_cpu_product(indices.at + batch, indices.n - batch),
        .inner = (size_t)oribi_cpu_product(params.at + axis + 1, params.n - axis - 1) * width};
    if (!oribi_cpu_count(run, out.at, out.n, &count)) {
        return false;
    }
    work.target = oribi_kit_output(run, 0, out.at, out.n);
    if (work.target != NULL && count > 0) {
        oribi_kit_parallel(run, count / (int64_t)(work.inner / width), (int64_t)work.inner / 8 + 10,
                           &work, gather_units);
    }
    if (atomic_load_explicit(&work.changed, memory_order_relaxed)) {
        return oribi_cpu_index_changed(run);
    }
    return work.target != NULL;
}

typedef struct gather_state {
    int64_t batch_dims;
} gather_state;

static void gather_read(oribi_kit_setup *setup, gather_state *state)
{
    oribi_kit_attr_int(setup, "batch_dims", &state->batch_dims);
}
ORIBI_KIT_CREATE(gather, gather_state)

static bool gather_v2_run(const gather_state *state, oribi_kit_run *run)
{
    int64_t axis = 0;
    return oribi_cpu_read_int(run, 2, "axis", &axis) && gather(run, state->batch_dims, axis);
}
ORIBI_KIT_COMPUTE(gather_v2, 3)

static bool gather_v1_run(const void *state, oribi_kit_run *run)
{
    (void)state;
    return gather(run, 0, 0);
}
ORIBI_KIT_COMPUTE(gather_v1, 2)

/* An index tuple of the last dimension of `indices` addresses a slice of `shape`. */
typedef struct nd_work {
    const TF_Tensor *indices;
    int64_t depth, n, slice; /* tuples, elements of a slice */
    const int64_t *dims;     /* of the addressed tensor */
    oribi_dims strides;      /* of the addressed dims, in elements */
} nd_work;

/* Returns the offset of the slice that a tuple addresses; -1: one of its indices lies outside. */
static int64_t nd_offset(const nd_work *work, int64_t tuple)
{
    int64_t offset = 0;
    for (int64_t k = 0; k < work->depth; k++) {
        int64_t at = index_at(work->indices, tuple * work->depth + k);
        if ((uint64_t)at >= (uint64_t)work->dims[k]) {
            return -1;
        }
        offset += at * work->strides.at[k];
    }
    return offset;
}

static bool nd_prepare(oribi_kit_run *run, int indices_input, const oribi_cpu_shape *shape,
                       const oribi_cpu_shape *indices, nd_work *work)
{
    work->indices = run->in[indices_input];
    if (!check_index_type(run, work->indices)) {
        return false;
    }
    work->depth = indices->n == 0 ? 0 : indices->at[indices->n - 1];
    if (indices->n == 0 || work->depth > shape->n) {
        return oribi_kit_fail(run, TF_INVALID_ARGUMENT,
                              "index innermost dimension length must be <= %d; saw: %lld", shape->n,
                              (long long)work->depth);
    }
    work->dims = shape->at;
    oribi_cpu_strides(shape, &work->strides);
    work->n = oribi_cpu_product(indices->at, indices->n - 1);
    work->slice = oribi_cpu_product(shape->at + work->depth, shape->n - (int)work->depth);
    for (int64_t i = 0; i < work->n * work->depth; i++) {
        int64_t at = index_at(work->indices, i), dim = shape->at[i % work->depth];
        if (at < 0 || at >= dim) {
            return oribi_kit_fail(run, TF_INVALID_ARGUMENT,
                                  "indices[%lld, %lld] = %lld does not index into a dimension of "
                                  "%lld",
                                  (long long)(i / work->depth), (long long)(i % work->depth),
                                  (long long)at, (long long)dim);
        }
    }
    return true;
}

static bool gather_nd_run(const void *state, oribi_kit_run *run)
{
    oribi_cpu_shape params, indices, out;
    nd_work work;
    int64_t count = 0, patience = 0;
    size_t width = oribi_cpu_width(run, TF_TensorType(run->in[0]));
    (void)state;
    if (width == 0 || !oribi_cpu_input_shape(run, 0, &params) ||
        !oribi_cpu_input_shape(run, 1, &indices) || !nd_prepare(run, 1, &params, &indices, &work)) {
        return false;
    }
    out.n = indices.n - 1;
    memcpy(out.at, indices.at, sizeof out.at);
    for (int i = (int)work.depth; i < params.n; i++) {
        if (out.n == ORIBI_MAX_RANK) {
            return oribi_kit_fail(run, TF_UNIMPLEMENTED, "the rank of the result is above %d",
                                  ORIBI_MAX_RANK);
        }
        out.at[out.n++] = params.at[i];
    }
    if (!oribi_cpu_count(run, out.at, out.n, &count)) {
        return false;
    }
    char *target = oribi_kit_output(run, 0, out.at, out.n);
    const char *source = TF_TensorData(run->in[0]);
    size_t bytes = (size_t)work.slice * width;
    for (int64_t i = 0; target != NULL && count > 0 && i < work.n; i++) {
        int64_t from = nd_offset(&work, i);
        if (from < 0) {
            return oribi_cpu_index_changed(run);
        }
        memcpy(target + (size_t)i * bytes, source + (size_t)from * width, bytes);
        if (oribi_kit_stops(run, &patience, (int64_t)bytes)) {
            return false;
        }
    }
    return target != NULL;
}
ORIBI_KIT_COMPUTE(gather_nd, 2)

/* updates must have the shape indices.shape[:-1] + shape[depth:]. */
static bool check_updates(oribi_kit_run *run, int updates_input, const oribi_cpu_shape *shape,
                          const oribi_cpu_shape *indices, const nd_work *work)
{
    oribi_cpu_shape updates;
    int lead = indices->n - 1, tail = shape->n - (int)work->depth;
    if (!oribi_cpu_input_shape(run, updates_input, &updates)) {
        return false;
    }
    bool fits = updates.n == lead + tail;
    for (int i = 0; fits && i < updates.n; i++) {
        fits = updates.at[i] == (i < lead ? indices->at[i] : shape->at[work->depth + i - lead]);
    }
    return fits || oribi_kit_fail(
                       run, TF_INVALID_ARGUMENT, "updates %s do not fit indices %s into shape %s",
                       oribi_cpu_shape_text(&updates).chars, oribi_cpu_shape_text(indices).chars,
                       oribi_cpu_shape_text(shape).chars);
}

#define ADD(T, wide)                                                                               \
    for (int64_t k = 0; k < count; k++) {                                                          \
        ((T *)target)[k] = (T)((wide)((T *)target)[k] + (wide)((const T *)source)[k]);             \
    }                                                                                              \
    return true

/* target += source; false: the type has no sum here. */
static bool add(TF_DataType dtype, void *target, const void *source, int64_t count)
{
    switch (dtype) {
    case TF_FLOAT:
        ADD(float, float);
    case TF_DOUBLE:
        ADD(double, double);
    case TF_INT8:
    case TF_UINT8:
        ADD(uint8_t, uint64_t);
    case TF_INT16:
    case TF_UINT16:
        ADD(uint16_t, uint64_t);
    case TF_INT32:
    case TF_UINT32:
        ADD(uint32_t, uint64_t);
    case TF_INT64:
    case TF_UINT64:
        ADD(uint64_t, uint64_t);
    case TF_BOOL:
        ADD(bool, int);
    default:
        return count == 0;
    }
}

/* Writes what updates begin with, the bytes `before` or zeros; false: the run stops. */
static bool begin(oribi_kit_run *run, int64_t *patience, char *target, const char *before,
                  int64_t bytes)
{
    enum { PART = 1 << 18 };
    for (int64_t at = 0; at < bytes; at += PART) {
        const int64_t part = bytes - at < PART ? bytes - at : PART;
        if (oribi_kit_stops(run, patience, part)) {
            return false;
        }
        if (before != NULL) {
            memcpy(target + at, before + at, (size_t)part);
        } else {
            memset(target + at, 0, (size_t)part);
        }
    }
    return true;
}

/* Updates that share an index add up. */
static bool scatter_nd_run(const void *state, oribi_kit_run *run)
{
    oribi_cpu_shape shape, indices;
    nd_work work;
    int64_t count = 0, patience = 0;
    TF_DataType dtype = TF_TensorType(run->in[1]);
    size_t width = oribi_cpu_width(run, dtype);
    (void)state;
    if (width == 0 || !oribi_cpu_read_shape(run, 2, "shape", &shape) ||
        !oribi_cpu_count(run, shape.at, shape.n, &count) ||
        !oribi_cpu_input_shape(run, 0, &indices) || !nd_prepare(run, 0, &shape, &indices, &work) ||
        !check_updates(run, 1, &shape, &indices, &work)) {
        return false;
    }
    char *target = oribi_kit_output(run, 0, shape.at, shape.n);
    const char *source = TF_TensorData(run->in[1]);
    if (target == NULL) {
        return false;
    }
    if (!begin(run, &patience, target, NULL, count * (int64_t)width)) {
        return false;
    }
    for (int64_t i = 0; count > 0 && i < work.n; i++) {
        int64_t to = nd_offset(&work, i);
        if (to < 0) {
            return oribi_cpu_index_changed(run);
        }
        if (oribi_kit_stops(run, &patience, work.slice)) {
            return false;
        }
        if (!add(dtype, target + (size_t)to * width, source + (size_t)(i * work.slice) * width,
                 work.slice)) {
            return oribi_kit_fail(run, TF_UNIMPLEMENTED, "ScatterNd cannot add type %d",
                                  (int)dtype);
        }
    }
    return true;
}
ORIBI_KIT_COMPUTE(scatter_nd, 3)

/* The last update of an index wins. */
static bool scatter_update_run(const void *state, oribi_kit_run *run)
{
    static const int candidate = 0;
    oribi_cpu_shape shape, indices;
    nd_work work;
    int64_t patience = 0;
    size_t width = oribi_cpu_width(run, TF_TensorType(run->in[0]));
    (void)state;
    if (width == 0 || !oribi_cpu_input_shape(run, 0, &shape) ||
        !oribi_cpu_input_shape(run, 1, &indices) || !nd_prepare(run, 1, &shape, &indices, &work) ||
        !check_updates(run, 2, &shape, &indices, &work)) {
        return false;
    }
    const char *before = TF_TensorData(run->in[0]), *source = TF_TensorData(run->in[2]);
    char *target = oribi_kit_output_in_place(run, &candidate, 1, shape.at, shape.n);
    int64_t count = oribi_cpu_product(shape.at, shape.n);
    if (target == NULL) {
        return false;
    }
    if (target != before && !begin(run, &patience, target, before, count * (int64_t)width)) {
        return false;
    }
    size_t bytes = (size_t)work.slice * width;
    for (int64_t i = 0; count > 0 && i < work.n; i++) {
        int64_t to = nd_offset(&work, i);
        if (to < 0) {
            return oribi_cpu_index_changed(run);
        }
        memcpy(target + (size_t)to * width, source + (size_t)i * bytes, bytes);
        if (oribi_kit_stops(run, &patience, (int64_t)bytes)) {
            return false;
        }
    }
    return true;
}
ORIBI_KIT_COMPUTE(scatter_update, 3)

#define MOVE(op, create_fn, compute_fn, destroy_fn)                                                \
    {                                                                                              \
        .op_name = op, .priority = ORIBI_CPU_REFERENCE, .create = create_fn,                       \
        .compute = compute_fn, .destroy = destroy_fn, .why = "copies of runs of bytes"             \
    }
const oribi_cpu_kernel oribi_cpu_gather_kernels[] = {
    MOVE("GatherV2", gather_create, gather_v2_compute, oribi_kit_free),
    MOVE("Gather", NULL, gather_v1_compute, NULL),
    MOVE("GatherNd", NULL, gather_nd_compute, NULL),
    MOVE("ScatterNd", NULL, scatter_nd_compute, NULL),
    MOVE("TensorScatterUpdate", NULL, scatter_update_compute, NULL),
    {.op_name = NULL},
};
