/* SPDX-License-Identifier: Apache-2.0 */
/* Ops that show an input with other dims or tell about its shape: Identity, Reshape, Squeeze,
 * ExpandDims, Bitcast, Shape, Size, Rank and kin. They never copy elements, so every element type
 * and every rank of a TF_Tensor works. Movement of elements: transpose.c, slice.c, concat.c.
 */
#include "cpu/base/families.h"
#include "cpu/base/cpu_shape.h"

static void identity_compute(void *state, TF_OpKernelContext *context)
{
    oribi_kit_run run;
    (void)state;
    if (oribi_kit_begin(&run, context, 1)) {
        TF_SetOutput(context, 0, run.in[0], run.status);
    }
    oribi_kit_end(&run);
}

static bool reshape_run(const void *state, oribi_kit_run *run)
{
    oribi_wide_dims dims;
    int unknown = -1;
    (void)state;
    if (!oribi_kit_read_ints(run, run->in[1], "shape", dims.at, ORIBI_MAX_TENSOR_RANK, &dims.n)) {
        return false;
    }
    for (int i = 0; i < dims.n; i++) {
        if (dims.at[i] == -1 && unknown < 0) {
            unknown = i;
            dims.at[i] = 1;
        } else if (dims.at[i] < 0) {
            return oribi_kit_fail(run, TF_INVALID_ARGUMENT,
                                  "shape[%d] is %lld: dims are at least 0, and one may be -1", i,
                                  (long long)dims.at[i]);
        }
    }
    int64_t have = TF_TensorElementCount(run->in[0]), want = 0;
    if (!oribi_cpu_count(run, dims.at, dims.n, &want)) {
        return false;
    }
    if (unknown >= 0 && want > 0 && have % want == 0) {
        dims.at[unknown] = have / want;
    } else if (unknown >= 0 && want == 0 && have == 0) {
        dims.at[unknown] = 0;
    } else if (unknown >= 0 || want != have) {
        return oribi_kit_fail(run, TF_INVALID_ARGUMENT,
                              "Input to reshape is a tensor with %lld values, but the requested "
                              "shape %s %lld",
                              (long long)have, unknown >= 0 ? "needs a multiple of" : "has",
                              (long long)want);
    }
    return oribi_kit_output_alias(run, 0, dims.at, dims.n);
}
ORIBI_KIT_COMPUTE(reshape, 2)

static bool expand_dims_run(const void *state, oribi_kit_run *run)
{
    oribi_wide_dims dims = {.n = 0};
    int64_t axis = 0;
    int rank = TF_NumDims(run->in[0]), at = 0;
    (void)state;
    if (!oribi_cpu_read_int(run, 1, "dim", &axis) || !oribi_cpu_axis(run, axis, rank + 1, &at)) {
        return false;
    }
    for (int i = 0; i <= rank; i++) {
        if (!oribi_wide_dims_add(&dims, i == at ? 1 : TF_Dim(run->in[0], i < at ? i : i - 1))) {
            return oribi_kit_fail(run, TF_INVALID_ARGUMENT, "rank %d cannot grow", rank);
        }
    }
    return oribi_kit_output_alias(run, 0, dims.at, dims.n);
}
ORIBI_KIT_COMPUTE(expand_dims, 2)

typedef struct squeeze_state {
    oribi_wide_dims axes;
} squeeze_state;

static void squeeze_read(oribi_kit_setup *setup, squeeze_state *state)
{
    oribi_kit_attr_ints(setup, "squeeze_dims", state->axes.at, ORIBI_MAX_TENSOR_RANK,
                        &state->axes.n);
}
ORIBI_KIT_CREATE(squeeze, squeeze_state)

static bool squeeze_run(const squeeze_state *state, oribi_kit_run *run)
{
    enum { DROPPED = -1 };
    oribi_wide_dims dims;
    int kept = 0;
    if (!oribi_cpu_wide_dims(run, run->in[0], &dims)) {
        return false;
    }
    for (int i = 0; i < state->axes.n; i++) {
        int axis = 0;
        if (!oribi_cpu_axis(run, state->axes.at[i], dims.n, &axis)) {
            return false;
        }
        dims.at[axis] = DROPPED;
        if (TF_Dim(run->in[0], axis) != 1) {
            return oribi_kit_fail(run, TF_INVALID_ARGUMENT,
                                  "Can not squeeze dim[%d], expected a dimension of 1, got %lld",
                                  axis, (long long)TF_Dim(run->in[0], axis));
        }
    }
    for (int i = 0; i < dims.n; i++) {
        if (dims.at[i] != (state->axes.n == 0 ? 1 : DROPPED)) {
            dims.at[kept++] = dims.at[i];
        }
    }
    return oribi_kit_output_alias(run, 0, dims.at, kept);
}
ORIBI_KIT_COMPUTE(squeeze, 1)

static bool bitcast_run(const void *state, oribi_kit_run *run)
{
    oribi_wide_dims dims;
    int64_t none = 0;
    TF_DataType type = TF_ExpectedOutputDataType(run->context, 0);
    size_t from = TF_DataTypeSize(TF_TensorType(run->in[0])), to = TF_DataTypeSize(type);
    (void)state;
    if (!oribi_cpu_wide_dims(run, run->in[0], &dims)) {
        return false;
    }
    if (from == 0 || to == 0) {
        return oribi_kit_fail(run, TF_INVALID_ARGUMENT,
                              "Cannot bitcast type %d to type %d: both need a fixed size",
                              (int)TF_TensorType(run->in[0]), (int)type);
    }
    if (from > to) {
        if (!oribi_wide_dims_add(&dims, (int64_t)(from / to))) {
            return oribi_kit_fail(run, TF_INVALID_ARGUMENT, "rank %d cannot grow", dims.n);
        }
    } else if (from < to) {
        if (dims.n == 0 || dims.at[dims.n - 1] != (int64_t)(to / from)) {
            return oribi_kit_fail(run, TF_INVALID_ARGUMENT,
                                  "Cannot bitcast from %d bytes to %d: the last dimension must be "
                                  "%d, not %lld",
                                  (int)from, (int)to, (int)(to / from),
                                  dims.n == 0 ? -1LL : (long long)dims.at[dims.n - 1]);
        }
        dims.n--;
    }
    TF_Tensor *result = TF_AllocateTensor(type, &none, 1, 0);
    if (result == NULL) {
        return oribi_kit_fail(run, TF_RESOURCE_EXHAUSTED, "no memory for a tensor handle");
    }
    TF_TensorBitcastFrom(run->in[0], type, result, dims.at, dims.n, run->status);
    if (TF_GetCode(run->status) == TF_OK) {
        TF_SetOutput(run->context, 0, result, run->status);
    }
    TF_DeleteTensor(result);
    return TF_GetCode(run->status) == TF_OK;
}
ORIBI_KIT_COMPUTE(bitcast, 1)

/* Writes value i of an int32 or int64 output; fails where int32 is too narrow. */
static bool put(oribi_kit_run *run, void *data, int64_t i, int64_t value)
{
    if (TF_ExpectedOutputDataType(run->context, 0) == TF_INT64) {
        ((int64_t *)data)[i] = value;
        return true;
    }
    if (value > INT32_MAX) {
        return oribi_kit_fail(run, TF_INVALID_ARGUMENT, "%lld does not fit in the int32 output",
                              (long long)value);
    }
    ((int32_t *)data)[i] = (int32_t)value;
    return true;
}

static bool shape_run(const void *state, oribi_kit_run *run)
{
    int64_t rank = TF_NumDims(run->in[0]);
    void *data = oribi_kit_output(run, 0, &rank, 1);
    bool good = data != NULL;
    (void)state;
    for (int i = 0; good && i < (int)rank; i++) {
        good = put(run, data, i, TF_Dim(run->in[0], i));
    }
    return good;
}
ORIBI_KIT_COMPUTE(shape, 1)

static void shape_n_compute(void *state, TF_OpKernelContext *context)
{
    oribi_kit_run run;
    (void)state;
    (void)oribi_kit_begin(&run, context, 0);
    int n = TF_NumInputs(context);
    for (int i = 0; i < n && TF_GetCode(run.status) == TF_OK; i++) {
        TF_Tensor *tensor = NULL;
        TF_GetInput(context, i, &tensor, run.status);
        if (tensor == NULL) {
            break;
        }
        int64_t rank = TF_NumDims(tensor);
        size_t bytes = (size_t)rank * TF_DataTypeSize(TF_ExpectedOutputDataType(context, i));
        TF_Tensor *result = TF_AllocateOutput(context, i, TF_ExpectedOutputDataType(context, i),
                                              &rank, 1, bytes, run.status);
        for (int k = 0; result != NULL && k < (int)rank; k++) {
            (void)put(&run, TF_TensorData(result), k, TF_Dim(tensor, k));
        }
        TF_DeleteTensor(result);
        TF_DeleteTensor(tensor);
    }
    oribi_kit_end(&run);
}

/* The value of a Const, kept as the one handle that all runs share. */
static void *const_create(TF_OpKernelConstruction *construction)
{
    TF_Status *status = TF_NewStatus();
    TF_Tensor *value = NULL;
    TF_OpKernelConstruction_GetAttrTensor(construction, "value", &value, status);
    if (TF_GetCode(status) != TF_OK) {
        TF_OpKernelConstruction_Failure(construction, status);
    }
    TF_DeleteStatus(status);
    return value;
}

static void const_compute(void *state, TF_OpKernelContext *context)
{
    oribi_kit_run run;
    (void)oribi_kit_begin(&run, context, 0);
    TF_SetOutput(context, 0, state, run.status);
    oribi_kit_end(&run);
}

static void const_destroy(void *state)
{
    TF_DeleteTensor(state);
}

static void no_op_compute(void *state, TF_OpKernelContext *context)
{
    (void)state;
    (void)context;
}

static bool size_run(const void *state, oribi_kit_run *run)
{
    void *data = oribi_kit_output(run, 0, NULL, 0);
    (void)state;
    return data != NULL && put(run, data, 0, TF_TensorElementCount(run->in[0]));
}
ORIBI_KIT_COMPUTE(size, 1)

static bool rank_run(const void *state, oribi_kit_run *run)
{
    void *data = oribi_kit_output(run, 0, NULL, 0);
    (void)state;
    return data != NULL && put(run, data, 0, TF_NumDims(run->in[0]));
}
ORIBI_KIT_COMPUTE(rank, 1)

const oribi_cpu_kernel oribi_cpu_view_kernels[] = {
    ORIBI_CPU_ROW("Identity", identity, "aliases its input"),
    ORIBI_CPU_ROW("StopGradient", identity, "aliases its input"),
    ORIBI_CPU_ROW("PreventGradient", identity, "aliases its input"),
    ORIBI_CPU_ROW("Snapshot", identity, "aliases its input"),
    ORIBI_CPU_ROW("Reshape", reshape, "aliases its input"),
    ORIBI_CPU_ROW("ExpandDims", expand_dims, "aliases its input"),
    ORIBI_CPU_STATE_ROW("Squeeze", squeeze, squeeze, "aliases its input"),
    ORIBI_CPU_ROW("Bitcast", bitcast, "aliases its input"),
    ORIBI_CPU_ROW("Shape", shape, "reads the dims only"),
    ORIBI_CPU_ROW("Size", size, "reads the dims only"),
    ORIBI_CPU_ROW("Rank", rank, "reads the dims only"),
    ORIBI_CPU_ROW("ShapeN", shape_n, "reads the dims only"),
    ORIBI_CPU_ROW("Const", const, "shows its attribute", .create = const_create,
                  .destroy = const_destroy),
    ORIBI_CPU_ROW("NoOp", no_op, "does nothing"),
    {.op_name = NULL},
};
