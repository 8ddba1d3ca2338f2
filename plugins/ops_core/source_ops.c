/* SPDX-License-Identifier: Apache-2.0 */
/* Ops without a real input, and those that pass theirs on or only tell its shape. */
#include <inttypes.h>

#include "ops_core/ops_core.h"
#include "ops_core/shape_functions.h"

static void nothing(oribi_ops_ctx *ctx, TF_Status *status)
{
    (void)ctx;
    TF_SetStatus(status, TF_OK, "");
}

static void placeholder(oribi_ops_ctx *ctx, TF_Status *status)
{
    TF_ShapeHandle *shape = TF_NewShapeHandle();
    TF_ShapeInferenceContext_GetAttrShape(ctx, "shape", shape, status);
    if (TF_GetCode(status) == TF_OK) {
        TF_ShapeInferenceContextSetOutput(ctx, 0, shape, status);
    }
    TF_DeleteShapeHandle(shape);
}

static void constant(oribi_ops_ctx *ctx, TF_Status *status)
{
    TF_Tensor *value;
    oribi_ops_shape shape = {0};
    TF_ShapeInferenceContext_GetAttrTensor(ctx, "value", &value, status);
    if (TF_GetCode(status) != TF_OK) {
        return;
    }
    const int rank = TF_NumDims(value);
    for (int i = 0; i < rank; i++) {
        if (!oribi_wide_dims_add(&shape, TF_Dim(value, i))) {
            oribi_ops_fail(status, "A value of rank %d is above the limit of %d", rank,
                           ORIBI_MAX_TENSOR_RANK);
            break;
        }
    }
    TF_DeleteTensor(value);
    if (TF_GetCode(status) == TF_OK) {
        oribi_ops_output(ctx, 0, &shape, status);
    }
}

/* Output k is a vector as long as input k's rank. */
static void shape_of(oribi_ops_ctx *ctx, TF_Status *status)
{
    int count = (int)TF_ShapeInferenceContextNumInputs(ctx);
    for (int i = 0; i < count; i++) {
        oribi_ops_shape shape;
        if (!oribi_ops_input(ctx, i, &shape, status) ||
            !oribi_ops_output_dims(ctx, i, 1, &(int64_t){shape.n}, status)) {
            return;
        }
    }
}

static void fill(oribi_ops_ctx *ctx, TF_Status *status)
{
    oribi_ops_shape shape, value;
    if (oribi_ops_input_rank(ctx, 0, 1, &shape, status) &&
        oribi_ops_input_rank(ctx, 1, 0, &value, status) &&
        oribi_ops_input_as_shape(ctx, 0, &shape, status)) {
        oribi_ops_output(ctx, 0, &shape, status);
    }
}

static double number(const TF_Tensor *tensor)
{
    const void *data = TF_TensorData(tensor);
    switch (TF_TensorType(tensor)) {
    case TF_FLOAT:
        return (double)*(const float *)data;
    case TF_DOUBLE:
        return *(const double *)data;
    case TF_INT32:
        return (double)*(const int32_t *)data;
    case TF_INT64:
        return (double)*(const int64_t *)data;
    case TF_INT16:
        return (double)*(const int16_t *)data;
    default:
        return (double)*(const int8_t *)data;
    }
}

static bool is_readable(const TF_Tensor *tensor)
{
    TF_DataType type = tensor != NULL ? TF_TensorType(tensor) : TF_STRING;
    return tensor != NULL && TF_TensorElementCount(tensor) == 1 &&
           (type == TF_FLOAT || type == TF_DOUBLE || type == TF_INT32 || type == TF_INT64 ||
            type == TF_INT16 || type == TF_INT8);
}

static bool range_size_of_integers(int64_t start, int64_t limit, int64_t delta, int64_t *out,
                                   TF_Status *status)
{
    /* unsigned: the distance of two int64 may not fit one */
    uint64_t distance =
        delta > 0 ? (uint64_t)limit - (uint64_t)start : (uint64_t)start - (uint64_t)limit;
    uint64_t step = delta > 0 ? (uint64_t)delta : 0 - (uint64_t)delta;
    uint64_t size = distance / step + (distance % step != 0);
    if (size > INT64_MAX) {
        return oribi_ops_fail(status, "Range has more elements than fit an int64");
    }
    *out = (int64_t)size;
    return true;
}

static bool range_size(TF_Tensor *const parts[3], int64_t *out, TF_Status *status)
{
    double start = number(parts[0]), limit = number(parts[1]), delta = number(parts[2]);
    TF_DataType type = TF_TensorType(parts[0]);
    if (delta == 0) {
        return oribi_ops_fail(status, "Requires delta != 0");
    }
    if (delta > 0 ? start > limit : start < limit) {
        return oribi_ops_fail(status, "Requires start %s limit when delta %s 0: %g and %g",
                              delta > 0 ? "<=" : ">=", delta > 0 ? ">" : "<", start, limit);
    }
    if (type == TF_INT64) {
        return range_size_of_integers(*(const int64_t *)TF_TensorData(parts[0]),
                                      *(const int64_t *)TF_TensorData(parts[1]),
                                      *(const int64_t *)TF_TensorData(parts[2]), out, status);
    }
    double size = (limit - start) / delta;
    if (!(size >= 0) || size > 9e15) {
        return oribi_ops_fail(status, "Range from %g to %g by %g has no size", start, limit, delta);
    }
    *out = (int64_t)size + ((double)(int64_t)size < size);
    return true;
}

static void range(oribi_ops_ctx *ctx, TF_Status *status)
{
    TF_Tensor *parts[3] = {NULL, NULL, NULL};
    oribi_ops_shape scalar;
    int64_t size = -1;
    bool known = true, done = true;
    for (int i = 0; i < 3; i++) {
        if (!oribi_ops_input_rank(ctx, i, 0, &scalar, status)) {
            return;
        }
    }
    for (int i = 0; i < 3; i++) {
        parts[i] = TF_ShapeInferenceContextInputTensor(ctx, i);
        known = known && is_readable(parts[i]);
    }
    if (known) {
        done = range_size(parts, &size, status);
    }
    for (int i = 0; i < 3; i++) {
        TF_DeleteTensor(parts[i]);
    }
    if (done) {
        oribi_ops_output_dims(ctx, 0, 1, &size, status);
    }
}

/* Of TensorFlow's generator, Philox: what is drawn follows from the seeds and from how many blocks
 * of four words were drawn before, which is a state that comes in and goes out. */
static void next_of(oribi_ops_ctx *ctx, TF_Status *status)
{
    oribi_ops_output(ctx, 1, &(oribi_ops_shape){.n = 0}, status);
}

static void random_numbers(oribi_ops_ctx *ctx, TF_Status *status)
{
    oribi_ops_shape shape;
    if (oribi_ops_input_rank(ctx, 0, 1, &shape, status) &&
        oribi_ops_input_as_shape(ctx, 0, &shape, status) &&
        oribi_ops_output(ctx, 0, &shape, status)) {
        next_of(ctx, status);
    }
}

static void multinomial(oribi_ops_ctx *ctx, TF_Status *status)
{
    oribi_ops_shape logits, count;
    oribi_ops_shape out = {.n = 2, .at = {-1, -1}};
    int64_t samples = -1;
    bool is_known = false;
    if (!oribi_ops_input_rank(ctx, 0, 2, &logits, status) ||
        !oribi_ops_input_rank(ctx, 1, 0, &count, status) ||
        !oribi_ops_input_int(ctx, 1, &samples, &is_known, status)) {
        return;
    }
    if (is_known && samples < 0) {
        oribi_ops_fail(status, "num_samples is %" PRId64 ", it must not be negative", samples);
        return;
    }
    out.at[0] = logits.at[0];
    out.at[1] = is_known ? samples : -1;
    if (oribi_ops_output(ctx, 0, &out, status)) {
        next_of(ctx, status);
    }
}

/* Input i is a vector of that many numbers. */
static bool has_length(oribi_ops_ctx *ctx, int i, int64_t length, TF_Status *status)
{
    oribi_ops_shape shape;
    return oribi_ops_input_rank(ctx, i, 1, &shape, status) &&
           (length < 0 || shape.at[0] < 0 || shape.at[0] == length ||
            oribi_ops_fail(status, "input %d has %" PRId64 " numbers, not %" PRId64, i, shape.at[0],
                           length));
}

static void stateless_key(oribi_ops_ctx *ctx, TF_Status *status)
{
    (void)(has_length(ctx, 0, 2, status) &&
           oribi_ops_output_dims(ctx, 0, 1, &(int64_t){1}, status) &&
           oribi_ops_output_dims(ctx, 1, 1, &(int64_t){2}, status));
}

static void stateless_key_and_algorithm(oribi_ops_ctx *ctx, TF_Status *status)
{
    stateless_key(ctx, status);
    if (TF_GetCode(status) == TF_OK) {
        oribi_ops_output_dims(ctx, 2, 0, NULL, status);
    }
}

/* Of a seed, or of key, counter and algorithm; the limits of integers come last. */
static void stateless(oribi_ops_ctx *ctx, bool has_key, TF_Status *status)
{
    const int n = (int)TF_ShapeInferenceContextNumInputs(ctx);
    oribi_ops_shape shape;
    bool ok =
        has_length(ctx, 1, has_key ? 1 : 2, status) && (!has_key || has_length(ctx, 2, -1, status));
    for (int i = has_key ? 3 : 2; ok && i < n; i++) {
        ok = oribi_ops_input_rank(ctx, i, 0, &shape, status);
    }
    if (ok && oribi_ops_input_rank(ctx, 0, 1, &shape, status) &&
        oribi_ops_input_as_shape(ctx, 0, &shape, status)) {
        oribi_ops_output(ctx, 0, &shape, status);
    }
}

static void stateless_of_seed(oribi_ops_ctx *ctx, TF_Status *status)
{
    stateless(ctx, false, status);
}

static void stateless_of_key(oribi_ops_ctx *ctx, TF_Status *status)
{
    stateless(ctx, true, status);
}

#define BY_SEED "shape: T; seed: Tseed"
#define BY_KEY  "shape: Tshape; key: uint64; counter: uint64; alg: int32"
#define LIMITS  "; minval: dtype; maxval: dtype"
#define REALS   "dtype: {half, bfloat16, float, double} = DT_FLOAT; "
#define SEED    "T: {int32, int64} = DT_INT32; Tseed: {int32, int64} = DT_INT64"
#define ALL     "dtype: {int32, int64, uint32, uint64} = DT_UINT64; "
#define SHAPE   "Tshape: {int32, int64} = DT_INT32"
#define STATELESS(op, in, more, kind)                                                              \
    {                                                                                              \
        .name = op, .inputs = in, .outputs = "output: dtype", .attrs = more,                       \
        .traits = "parameters(shape)", .shape = stateless_of_##kind                                \
    }

const oribi_ops_row oribi_ops_source[] = {
    {.name = "Placeholder",
     .outputs = "output: dtype",
     .attrs = "dtype: type; shape: shape = { unknown_rank: true }",
     .shape = placeholder},
    {.name = "Const",
     .outputs = "output: dtype",
     .attrs = "value: tensor; dtype: type",
     .shape = constant},
    {.name = "NoOp", .shape = nothing},
    {.name = " Identity Snapshot StopGradient",
     .inputs = "input: T",
     .outputs = "output: T",
     .attrs = "T: type",
     .traits = "identity",
     .shape = oribi_ops_shape_unchanged},
    {.name = "PreventGradient",
     .inputs = "input: T",
     .outputs = "output: T",
     .attrs = "T: type; message: string = ''",
     .traits = "identity",
     .shape = oribi_ops_shape_unchanged},
    {.name = "Shape",
     .inputs = "input: T",
     .outputs = "output: out_type",
     .attrs = "T: type; out_type: " ORIBI_OPS_INDEX_DEFAULT,
     .traits = "tells(input, shape)",
     .shape = shape_of},
    {.name = "ShapeN",
     .inputs = "input: N * T",
     .outputs = "output: N * out_type",
     .attrs = "N: int >= 1; T: type; out_type: " ORIBI_OPS_INDEX_DEFAULT,
     .shape = shape_of},
    {.name = "Size",
     .inputs = "input: T",
     .outputs = "output: out_type",
     .attrs = "T: type; out_type: " ORIBI_OPS_INDEX_DEFAULT,
     .traits = "tells(input, size)",
     .shape = oribi_ops_shape_scalar},
    {.name = "Rank",
     .inputs = "input: T",
     .outputs = "output: int32",
     .attrs = "T: type",
     .traits = "tells(input, rank)",
     .shape = oribi_ops_shape_scalar},
    {.name = "Fill",
     .inputs = "dims: index_type; value: T",
     .outputs = "output: T",
     .attrs = "T: type; index_type: " ORIBI_OPS_INDEX_DEFAULT,
     .traits = "fills(dims, value)",
     .shape = fill},
    {.name = "Range",
     .inputs = "start: Tidx; limit: Tidx; delta: Tidx",
     .outputs = "output: Tidx",
     .attrs = "Tidx: {bfloat16, half, float, double, int8, int16, int32, int64, uint16, uint32} "
              "= DT_INT32",
     .traits = "parameters(start, limit, delta)",
     .shape = range},
    {.name = "ZerosLike",
     .inputs = "x: T",
     .outputs = "y: T",
     .attrs = "T: type",
     .traits = "elementwise",
     .shape = oribi_ops_shape_unchanged},
    {.name = "OnesLike",
     .inputs = "x: T",
     .outputs = "y: T",
     .attrs = "T: {bfloat16, half, float, double, int8, uint8, int16, uint16, int32, uint32, "
              "int64, uint64, complex64, complex128, bool}",
     .traits = "elementwise",
     .shape = oribi_ops_shape_unchanged},
    {.name = "Oribi>RandomNumbers", /* from 0 to below 1, or normal */
     .inputs = "shape: int32; drawn: int64",
     .outputs = "output: float; next: int64",
     .attrs = "distribution: {'UNIFORM', 'NORMAL'} = 'UNIFORM'; seed: int = 0; seed2: int = 0",
     .traits = "parameters(shape)",
     .shape = random_numbers},
    {.name = "Oribi>Multinomial",
     .inputs = "logits: float; num_samples: int32; drawn: int64",
     .outputs = "output: Tout; next: int64",
     .attrs = "Tout: {int32, int64} = DT_INT64; seed: int = 0; seed2: int = 0",
     .traits = "parameters(num_samples)",
     .shape = multinomial},
    STATELESS("StatelessRandomUniform", BY_SEED, REALS SEED, seed),
    STATELESS("StatelessRandomUniformV2", BY_KEY, REALS SHAPE, key),
    STATELESS("StatelessRandomNormal", BY_SEED, REALS SEED, seed),
    STATELESS("StatelessRandomNormalV2", BY_KEY, REALS SHAPE, key),
    STATELESS("StatelessTruncatedNormal", BY_SEED, REALS SEED, seed),
    STATELESS("StatelessTruncatedNormalV2", BY_KEY, REALS SHAPE, key),
    STATELESS("StatelessRandomUniformInt", BY_SEED LIMITS,
              "dtype: {int32, int64}; T: {int32, int64}; Tseed: {int32, int64} = DT_INT64", seed),
    STATELESS("StatelessRandomUniformIntV2", BY_KEY LIMITS,
              "dtype: {int32, int64, uint32, uint64}; " SHAPE, key),
    STATELESS("StatelessRandomUniformFullInt", BY_SEED,
              ALL "T: {int32, int64} = DT_INT32; Tseed: {int32, int64, uint32, uint64} = DT_INT64",
              seed),
    STATELESS("StatelessRandomUniformFullIntV2", BY_KEY, ALL SHAPE, key),
    {.name = "StatelessRandomGetKeyCounter",
     .inputs = "seed: Tseed",
     .outputs = "key: uint64; counter: uint64",
     .attrs = "Tseed: {int32, int64} = DT_INT64",
     .shape = stateless_key},
    {.name = "StatelessRandomGetKeyCounterAlg",
     .inputs = "seed: Tseed",
     .outputs = "key: uint64; counter: uint64; alg: int32",
     .attrs = "Tseed: {int32, int64} = DT_INT64",
     .shape = stateless_key_and_algorithm},
    {.name = "StatelessRandomGetAlg",
     .outputs = "alg: int32",
     .flags = ORIBI_OPS_STATEFUL,
     .shape = oribi_ops_shape_scalar},
    {.name = NULL},
};
