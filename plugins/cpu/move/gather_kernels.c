/* SPDX-License-Identifier: Apache-2.0 */
/* Gathers along one axis: GatherV2, Gather. Tuples of indices: nd_kernels.c; an index for each
 * element: element_kernels.c.
 */
#include "cpu/base/families.h"
#include "cpu/base/moved.h"
#include "cpu/move/indices.h"

#include <stdatomic.h>
#include <string.h>

/* params [batch][outer][limit][inner], indices [batch][picks]. */
typedef struct gather_work {
    oribi_cpu_indices indices;
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
        int64_t at =
            oribi_cpu_index(&work->indices, plane / work->outer * work->picks + pick, work->limit);
        if (at < 0) {
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
    oribi_cpu_indices picks;
    int axis = 0, batch = 0;
    int64_t count = 0;
    size_t width = oribi_cpu_moved_width(run, TF_TensorType(run->in[0]));
    if (width == 0 || !oribi_cpu_input_shape(run, 0, &params) ||
        !oribi_cpu_input_shape(run, 1, &indices) ||
        !oribi_cpu_indices_open(run, 1, false, &picks) ||
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
    if (!oribi_cpu_indices_check(run, &picks, TF_TensorElementCount(run->in[1]), 1, &params,
                                 axis)) {
        return false;
    }
    gather_work work = {
        .indices = picks,
        .source = TF_TensorData(run->in[0]),
        .outer = oribi_cpu_product(params.at + batch, axis - batch),
        .limit = params.at[axis],
        .picks = oribi_cpu_product(indices.at + batch, indices.n - batch),
        .inner = (size_t)oribi_cpu_product(params.at + axis + 1, params.n - axis - 1) * width};
    if (!oribi_cpu_count(run, out.at, out.n, &count)) {
        return false;
    }
    work.target = oribi_cpu_moved_output(run, 0, out.at, out.n);
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
ORIBI_CPU_MOVE_COMPUTE(gather_v2, 3)

static bool gather_v1_run(const void *state, oribi_kit_run *run)
{
    (void)state;
    return gather(run, 0, 0);
}
ORIBI_CPU_MOVE_COMPUTE(gather_v1, 2)

const oribi_cpu_kernel oribi_cpu_gather_kernels[] = {
    ORIBI_CPU_STATE_ROW("GatherV2", gather, gather_v2, "copies of runs of bytes"),
    ORIBI_CPU_ROW("Gather", gather_v1, "copies of runs of bytes"),
    {.op_name = NULL},
};
