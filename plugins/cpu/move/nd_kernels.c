/* SPDX-License-Identifier: Apache-2.0 */
/* Ops whose indices are tuples, the last dimension of `indices`: GatherNd, ScatterNd,
 * TensorScatterUpdate and ONNX's two. A tuple addresses a slice of a tensor.
 */
#include "cpu/base/families.h"
#include "cpu/base/moved.h"
#include "cpu/move/indices.h"

#include <string.h>

typedef struct nd_state {
    bool wraps;    /* ONNX: negative indices count from the end */
    int64_t batch; /* leading dimensions that tensor and indices share */
    oribi_cpu_meeting meeting;
} nd_state;

static const nd_state tensorflow = {.meeting = ORIBI_CPU_REPLACE};

typedef struct nd_work {
    oribi_cpu_indices indices;
    int64_t depth, n, slice;   /* tuples, elements of a slice */
    int64_t per_batch, plane;  /* tuples of a batch, elements of one */
    const int64_t *dims;       /* of the addressed tensor, after the batch */
    const oribi_dims *strides; /* of those, in elements */
    int64_t first;             /* of the dims that are addressed */
} nd_work;

/* Returns the offset of the slice that a tuple addresses; -1: one of its indices lies outside. */
static int64_t nd_offset(const nd_work *work, int64_t tuple)
{
    int64_t offset = tuple / work->per_batch * work->plane;
    for (int64_t k = 0; k < work->depth; k++) {
        int64_t at = oribi_cpu_index(&work->indices, tuple * work->depth + k, work->dims[k]);
        if (at < 0) {
            return -1;
        }
        offset += at * work->strides->at[work->first + k];
    }
    return offset;
}

static bool nd_batch(oribi_kit_run *run, int64_t batch, const oribi_cpu_shape *shape,
                     const oribi_cpu_shape *indices)
{
    if (batch < 0 || batch >= indices->n || batch >= shape->n + (batch == 0)) {
        return oribi_kit_fail(run, TF_INVALID_ARGUMENT,
                              "batch_dims %lld does not fit ranks %d and %d", (long long)batch,
                              (int)shape->n, (int)indices->n);
    }
    for (int k = 0; k < (int)batch; k++) {
        if (shape->at[k] != indices->at[k]) {
            return oribi_kit_fail(run, TF_INVALID_ARGUMENT,
                                  "batch dimension %d is %lld in the data, %lld in the indices", k,
                                  (long long)shape->at[k], (long long)indices->at[k]);
        }
    }
    return true;
}

/* strides: room for those of shape, which work points to. */
static bool nd_prepare(oribi_kit_run *run, const nd_state *state, int indices_input,
                       const oribi_cpu_shape *shape, const oribi_cpu_shape *indices,
                       oribi_dims *strides, nd_work *work)
{
    const int64_t batch = state->batch;
    if (!oribi_cpu_indices_open(run, indices_input, state->wraps, &work->indices)) {
        return false;
    }
    if (indices->n == 0) {
        return oribi_kit_fail(run, TF_INVALID_ARGUMENT, "indices must be at least a vector");
    }
    if (!nd_batch(run, batch, shape, indices)) {
        return false;
    }
    const int64_t room = shape->n - batch;
    work->depth = indices->at[indices->n - 1];
    if (work->depth > room) {
        return oribi_kit_fail(run, TF_INVALID_ARGUMENT,
                              "index innermost dimension length must be <= %lld; saw: %lld",
                              (long long)room, (long long)work->depth);
    }
    work->first = batch;
    work->dims = shape->at + batch;
    oribi_cpu_strides(shape, strides);
    work->strides = strides;
    work->n = oribi_cpu_product(indices->at, indices->n - 1);
    work->slice = oribi_cpu_product(shape->at + batch + work->depth, (int)(room - work->depth));
    work->plane = oribi_cpu_product(shape->at + batch, (int)room);
    work->per_batch = oribi_cpu_product(indices->at + batch, indices->n - 1 - (int)batch);
    return oribi_cpu_indices_check(run, &work->indices, work->n, work->depth, shape, (int)batch);
}

static bool gather_nd(const nd_state *state, oribi_kit_run *run)
{
    oribi_cpu_shape params, indices, out;
    oribi_dims strides;
    nd_work work;
    int64_t count = 0, patience = 0;
    size_t width = oribi_cpu_moved_width(run, TF_TensorType(run->in[0]));
    if (width == 0 || !oribi_cpu_input_shape(run, 0, &params) ||
        !oribi_cpu_input_shape(run, 1, &indices) ||
        !nd_prepare(run, state, 1, &params, &indices, &strides, &work)) {
        return false;
    }
    out = indices;
    out.n--;
    for (int i = (int)(state->batch + work.depth); i < params.n; i++) {
        if (!oribi_dims_add(&out, params.at[i])) {
            return oribi_kit_fail(run, TF_UNIMPLEMENTED, "the rank of the result is above %d",
                                  ORIBI_MAX_RANK);
        }
    }
    if (!oribi_cpu_count(run, out.at, out.n, &count)) {
        return false;
    }
    char *target = oribi_cpu_moved_output(run, 0, out.at, out.n);
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

/* Slice by slice, in the order of the tuples. */
static bool scatter(oribi_kit_run *run, const nd_work *work, oribi_cpu_meeting meeting,
                    TF_DataType dtype, char *target, const char *updates, int64_t *patience)
{
    const size_t width = TF_DataTypeSize(dtype), bytes = (size_t)work->slice * width;
    for (int64_t i = 0; bytes > 0 && i < work->n; i++) {
        int64_t to = nd_offset(work, i);
        if (to < 0) {
            return oribi_cpu_index_changed(run);
        }
        if (oribi_kit_stops(run, patience, (int64_t)bytes)) {
            return false;
        }
        (void)oribi_cpu_meet(meeting, dtype, target + (size_t)to * width,
                             updates + (size_t)i * bytes, work->slice);
    }
    return true;
}

/* Updates that share an index add up. */
static bool scatter_nd_run(const void *state, oribi_kit_run *run)
{
    oribi_cpu_shape shape, indices;
    oribi_dims strides;
    nd_work work;
    int64_t count = 0, patience = 0;
    TF_DataType dtype = TF_TensorType(run->in[1]);
    size_t width = oribi_cpu_width(run, dtype);
    (void)state;
    if (width == 0 || !oribi_cpu_can_meet(run, ORIBI_CPU_ADD, dtype) ||
        !oribi_cpu_read_shape(run, 2, "shape", &shape) ||
        !oribi_cpu_count(run, shape.at, shape.n, &count) ||
        !oribi_cpu_input_shape(run, 0, &indices) ||
        !nd_prepare(run, &tensorflow, 0, &shape, &indices, &strides, &work) ||
        !check_updates(run, 1, &shape, &indices, &work)) {
        return false;
    }
    char *target = oribi_kit_output(run, 0, shape.at, shape.n);
    return target != NULL &&
           oribi_cpu_begin_updates(run, &patience, target, NULL, count * (int64_t)width) &&
           scatter(run, &work, ORIBI_CPU_ADD, dtype, target, TF_TensorData(run->in[1]), &patience);
}
ORIBI_KIT_COMPUTE(scatter_nd, 3)

/* A copy of input 0, updated: of updates that replace, the last one wins. */
static bool scatter_into(const nd_state *state, oribi_kit_run *run)
{
    static const int candidate = 0;
    oribi_cpu_shape shape, indices;
    oribi_dims strides;
    nd_work work;
    int64_t patience = 0;
    const TF_DataType dtype = TF_TensorType(run->in[0]);
    size_t width = oribi_cpu_width(run, dtype);
    if (width == 0 || !oribi_cpu_can_meet(run, state->meeting, dtype) ||
        !oribi_cpu_input_shape(run, 0, &shape) || !oribi_cpu_input_shape(run, 1, &indices) ||
        !nd_prepare(run, state, 1, &shape, &indices, &strides, &work) ||
        !check_updates(run, 2, &shape, &indices, &work)) {
        return false;
    }
    const char *before = TF_TensorData(run->in[0]), *updates = TF_TensorData(run->in[2]);
    char *target = oribi_kit_output_in_place(run, &candidate, 1, shape.at, shape.n);
    const int64_t bytes = oribi_cpu_product(shape.at, shape.n) * (int64_t)width;
    return target != NULL &&
           (target == before || oribi_cpu_begin_updates(run, &patience, target, before, bytes)) &&
           (bytes == 0 || scatter(run, &work, state->meeting, dtype, target, updates, &patience));
}

static bool gather_nd_run(const void *state, oribi_kit_run *run)
{
    (void)state;
    return gather_nd(&tensorflow, run);
}
ORIBI_CPU_MOVE_COMPUTE(gather_nd, 2)

static bool scatter_update_run(const void *state, oribi_kit_run *run)
{
    (void)state;
    return scatter_into(&tensorflow, run);
}
ORIBI_KIT_COMPUTE(scatter_update, 3)

static void onnx_gather_nd_read(oribi_kit_setup *setup, nd_state *state)
{
    state->wraps = true;
    oribi_kit_attr_int(setup, "batch_dims", &state->batch);
}
ORIBI_KIT_CREATE(onnx_gather_nd, nd_state)

static bool onnx_gather_nd_run(const void *state, oribi_kit_run *run)
{
    return gather_nd(state, run);
}
ORIBI_CPU_MOVE_COMPUTE(onnx_gather_nd, 2)

static void onnx_scatter_nd_read(oribi_kit_setup *setup, nd_state *state)
{
    state->wraps = true;
    oribi_cpu_read_meeting(setup, &state->meeting);
}
ORIBI_KIT_CREATE(onnx_scatter_nd, nd_state)

static bool onnx_scatter_nd_run(const void *state, oribi_kit_run *run)
{
    return scatter_into(state, run);
}
ORIBI_KIT_COMPUTE(onnx_scatter_nd, 3)

const oribi_cpu_kernel oribi_cpu_nd_kernels[] = {
    ORIBI_CPU_ROW("GatherNd", gather_nd, "slices, one for each tuple"),
    ORIBI_CPU_ROW("ScatterNd", scatter_nd, "slices, one for each tuple"),
    ORIBI_CPU_ROW("TensorScatterUpdate", scatter_update, "slices, one for each tuple"),
    ORIBI_CPU_STATE_ROW("ONNX>GatherND", onnx_gather_nd, onnx_gather_nd,
                        "slices, one for each tuple"),
    ORIBI_CPU_STATE_ROW("ONNX>ScatterND", onnx_scatter_nd, onnx_scatter_nd,
                        "slices, one for each tuple"),
    {.op_name = NULL},
};
