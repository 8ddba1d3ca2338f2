/* SPDX-License-Identifier: Apache-2.0 */
/* Ops with an index for each element, along one axis: ONNX>GatherElements, ONNX>ScatterElements;
 * and ONNX>TensorScatter, with an index for each batch. The elements of `indices` are walked, and
 * the data follow with steps of their own, none along the axis: the index says where they are
 * there.
 */
#include "cpu/base/families.h"
#include "cpu/base/walk.h"
#include "cpu/move/indices.h"

#include <stdatomic.h>
#include <string.h>

typedef struct element_state {
    int64_t axis;
    oribi_cpu_meeting meeting;
} element_state;

typedef struct element_work {
    oribi_cpu_walk walk;
    oribi_cpu_indices indices;
    int64_t dim, stride; /* of the axis of the data */
    const char *data;    /* to gather from */
    char *target;        /* gathered elements, or the data that are updated */
    const char *updates; /* NULL: gather */
    size_t width;
    oribi_cpu_meeting meeting;
    TF_DataType dtype;
    atomic_bool changed;
} element_work;

/* Checks and opens; false after failing. shape: of the data. */
static bool element_open(oribi_kit_run *run, const element_state *state, oribi_cpu_shape *shape,
                         oribi_cpu_shape *out_indices, element_work *work)
{
    int axis = 0;
    oribi_dims strides;
    work->dtype = TF_TensorType(run->in[0]);
    work->width = oribi_cpu_width(run, work->dtype);
    if (work->width == 0 || !oribi_cpu_input_shape(run, 0, shape) ||
        !oribi_cpu_input_shape(run, 1, out_indices) ||
        !oribi_cpu_indices_open(run, 1, true, &work->indices) ||
        !oribi_cpu_axis(run, state->axis, shape->n, &axis)) {
        return false;
    }
    bool fits = shape->n == out_indices->n;
    for (int k = 0; fits && k < shape->n; k++) {
        fits = k == axis || out_indices->at[k] <= shape->at[k];
    }
    if (!fits) {
        return oribi_kit_fail(run, TF_INVALID_ARGUMENT,
                              "indices of shape %s do not lie within data of shape %s, but for "
                              "axis %d",
                              oribi_cpu_shape_text(out_indices).chars,
                              oribi_cpu_shape_text(shape).chars, axis);
    }
    oribi_cpu_strides(shape, &strides);
    work->dim = shape->at[axis];
    work->stride = strides.at[axis];
    oribi_geometry_walk_open(&work->walk, 1);
    for (int k = 0; k < shape->n; k++) {
        if (!oribi_cpu_walk_add(run, &work->walk, out_indices->at[k],
                                k == axis ? 0 : strides.at[k])) {
            return false;
        }
    }
    oribi_geometry_walk_close(&work->walk);
    oribi_geometry_walk_collapse(&work->walk);
    return oribi_cpu_indices_check(run, &work->indices, TF_TensorElementCount(run->in[1]), 1, shape,
                                   axis);
}

static void element_line(void *object, const oribi_cpu_walk *walk, const int64_t *offsets,
                         int64_t at, int64_t count)
{
    element_work *work = object;
    const int64_t step = walk->axes[walk->rank - 1].strides[0];
    const size_t width = work->width;
    for (int64_t i = 0; i < count; i++) {
        const int64_t index = oribi_cpu_index(&work->indices, at + i, work->dim);
        if (index < 0) {
            atomic_store_explicit(&work->changed, true, memory_order_relaxed);
            return;
        }
        const size_t place = (size_t)(offsets[0] + i * step + index * work->stride) * width;
        const size_t here = (size_t)(at + i) * width;
        if (work->updates == NULL) {
            memcpy(work->target + here, work->data + place, width);
        } else {
            (void)oribi_cpu_meet(work->meeting, work->dtype, work->target + place,
                                 work->updates + here, 1);
        }
    }
}

static void element_units(void *object, int64_t begin, int64_t end)
{
    oribi_cpu_walk_run(&((element_work *)object)->walk, begin, end, object, element_line);
}

static void gather_elements_read(oribi_kit_setup *setup, element_state *state)
{
    oribi_kit_attr_int(setup, "axis", &state->axis);
}
ORIBI_KIT_CREATE(gather_elements, element_state)

static bool gather_elements_run(const element_state *state, oribi_kit_run *run)
{
    oribi_cpu_shape shape, indices;
    element_work work = {.data = TF_TensorData(run->in[0])};
    if (!element_open(run, state, &shape, &indices, &work)) {
        return false;
    }
    work.target = oribi_kit_output(run, 0, indices.at, indices.n);
    if (work.target != NULL && work.walk.count > 0) {
        oribi_kit_parallel(run, work.walk.count, 6, &work, element_units);
    }
    if (atomic_load_explicit(&work.changed, memory_order_relaxed)) {
        return oribi_cpu_index_changed(run);
    }
    return work.target != NULL;
}
ORIBI_KIT_COMPUTE(gather_elements, 2)

static void scatter_elements_read(oribi_kit_setup *setup, element_state *state)
{
    gather_elements_read(setup, state);
    oribi_cpu_read_meeting(setup, &state->meeting);
}
ORIBI_KIT_CREATE(scatter_elements, element_state)

/* In the order of the updates: of those that replace, the last one wins. */
static bool scatter_elements_run(const element_state *state, oribi_kit_run *run)
{
    enum { PART = 1 << 14 };
    static const int candidate = 0;
    oribi_cpu_shape shape, indices, updates;
    element_work work = {.updates = TF_TensorData(run->in[2]), .meeting = state->meeting};
    int64_t patience = 0;
    if (!element_open(run, state, &shape, &indices, &work) ||
        !oribi_cpu_can_meet(run, state->meeting, work.dtype) ||
        !oribi_cpu_input_shape(run, 2, &updates)) {
        return false;
    }
    if (!oribi_cpu_shape_equal(&indices, &updates)) {
        return oribi_kit_fail(run, TF_INVALID_ARGUMENT, "updates %s and indices %s must be alike",
                              oribi_cpu_shape_text(&updates).chars,
                              oribi_cpu_shape_text(&indices).chars);
    }
    const char *before = TF_TensorData(run->in[0]);
    const int64_t bytes = oribi_cpu_product(shape.at, shape.n) * (int64_t)work.width;
    work.target = oribi_kit_output_in_place(run, &candidate, 1, shape.at, shape.n);
    if (work.target == NULL ||
        (work.target != before &&
         !oribi_cpu_begin_updates(run, &patience, work.target, before, bytes))) {
        return false;
    }
    for (int64_t at = 0; at < work.walk.count; at += PART) {
        const int64_t rest = work.walk.count - at, part = rest < PART ? rest : PART;
        if (oribi_kit_stops(run, &patience, part * 8)) {
            return false;
        }
        element_units(&work, at, at + part);
    }
    return !atomic_load_explicit(&work.changed, memory_order_relaxed) ||
           oribi_cpu_index_changed(run);
}
ORIBI_KIT_COMPUTE(scatter_elements, 3)

/* --- A cache that grows: ONNX>TensorScatter ----------------------------------------------------
 */

typedef struct cache_state {
    int64_t axis;
    bool circular;
} cache_state;

static void cache_read(oribi_kit_setup *setup, cache_state *state)
{
    char mode[16] = "linear";
    oribi_kit_attr_int(setup, "axis", &state->axis);
    oribi_kit_attr_string(setup, "mode", mode, sizeof mode);
    state->circular = strcmp(mode, "circular") == 0;
}
ORIBI_KIT_CREATE(cache, cache_state)

/* The places are read once, into scratch. */
static bool cache_places(oribi_kit_run *run, const cache_state *state, int64_t batches,
                         int64_t room, int64_t length, int64_t *out)
{
    const TF_Tensor *given = run->in[2];
    const TF_DataType dtype = TF_TensorType(given);
    if (TF_TensorElementCount(given) != batches) {
        return oribi_kit_fail(run, TF_INVALID_ARGUMENT, "%lld write indices for a batch of %lld",
                              (long long)TF_TensorElementCount(given), (long long)batches);
    }
    for (int64_t i = 0; i < batches; i++) {
        out[i] = oribi_kit_int_at(TF_TensorData(given), dtype, i);
        if (out[i] < 0 || out[i] > (state->circular ? INT64_MAX - length : room - length)) {
            return oribi_kit_fail(run, TF_INVALID_ARGUMENT,
                                  "write_indices[%lld] is %lld: %lld elements from there do not "
                                  "fit an axis of %lld",
                                  (long long)i, (long long)out[i], (long long)length,
                                  (long long)room);
        }
    }
    return true;
}

typedef struct cache_work {
    int64_t outer, room, length; /* per batch; of the axis of the cache, of the update */
    int64_t batches;
    size_t inner; /* bytes */
} cache_work;

static bool cache_shapes(oribi_kit_run *run, const cache_state *state, oribi_cpu_shape *shape,
                         cache_work *work)
{
    oribi_cpu_shape update;
    int axis = 0;
    const size_t width = oribi_cpu_width(run, TF_TensorType(run->in[0]));
    if (width == 0 || !oribi_cpu_input_shape(run, 0, shape) ||
        !oribi_cpu_input_shape(run, 1, &update) ||
        !oribi_cpu_axis(run, state->axis, shape->n, &axis)) {
        return false;
    }
    bool fits = update.n == shape->n && axis > 0;
    for (int k = 0; fits && k < shape->n; k++) {
        fits = k == axis ? update.at[k] <= shape->at[k] : update.at[k] == shape->at[k];
    }
    if (!fits) {
        return oribi_kit_fail(run, TF_INVALID_ARGUMENT,
                              "an update of shape %s does not fit a cache of shape %s along axis "
                              "%d, which is not the batch",
                              oribi_cpu_shape_text(&update).chars,
                              oribi_cpu_shape_text(shape).chars, axis);
    }
    *work = (cache_work){
        .batches = shape->at[0],
        .outer = oribi_cpu_product(shape->at + 1, axis - 1),
        .room = shape->at[axis],
        .length = update.at[axis],
        .inner = (size_t)oribi_cpu_product(shape->at + axis + 1, shape->n - axis - 1) * width};
    return true;
}

static bool cache_run(const cache_state *state, oribi_kit_run *run)
{
    static const int candidate = 0;
    oribi_cpu_shape shape;
    cache_work work = {0};
    TF_Tensor *scratch = NULL;
    int64_t patience = 0;
    if (!cache_shapes(run, state, &shape, &work)) {
        return false;
    }
    int64_t *places =
        oribi_kit_scratch(run, (work.batches + 1) * (int64_t)sizeof *places, &scratch);
    if (places == NULL || !cache_places(run, state, work.batches, work.room, work.length, places)) {
        TF_DeleteTensor(scratch);
        return false;
    }
    const char *before = TF_TensorData(run->in[0]), *update = TF_TensorData(run->in[1]);
    char *target = oribi_kit_output_in_place(run, &candidate, 1, shape.at, shape.n);
    const int64_t rows = work.batches * work.outer;
    bool good = target != NULL && (target == before ||
                                   oribi_cpu_begin_updates(run, &patience, target, before,
                                                           rows * work.room * (int64_t)work.inner));
    for (int64_t row = 0; good && work.room > 0 && work.inner > 0 && row < rows; row++) {
        for (int64_t i = 0; good && i < work.length; i++) {
            const int64_t to = (places[row / work.outer] + i) % work.room;
            memcpy(target + (size_t)(row * work.room + to) * work.inner, update, work.inner);
            update += work.inner;
            good = !oribi_kit_stops(run, &patience, (int64_t)work.inner / 8 + 10);
        }
    }
    TF_DeleteTensor(scratch);
    return good;
}
ORIBI_KIT_COMPUTE(cache, 3)

const oribi_cpu_kernel oribi_cpu_element_kernels[] = {
    ORIBI_CPU_STATE_ROW("ONNX>GatherElements", gather_elements, gather_elements,
                        "an index for each element"),
    ORIBI_CPU_STATE_ROW("ONNX>ScatterElements", scatter_elements, scatter_elements,
                        "an index for each element"),
    ORIBI_CPU_STATE_ROW("ONNX>TensorScatter", cache, cache, "copies of runs of bytes"),
    {.op_name = NULL},
};
