/* SPDX-License-Identifier: Apache-2.0 */
/* Planted bugs: ops that say of themselves what is not so, one lie each. The op False>Word has the
 * trait `word`; its finding is trait-word. x is of floats; what else there is comes from the cases.
 */
#include <stdbool.h>
#include <stdlib.h>
#include <string.h>

#include "tensorflow/c/kernels.h"
#include "tensorflow/c/kernels_extension.h"
#include "tensorflow/c/op_traits.h"
#include "tensorflow/c/ops.h"
#include "tensorflow/c/plugin_note.h"

ORIBI_PLUGIN("false_traits", "1.0", "Apache-2.0");

#define X                   "{\"shape\": [2, 3], \"values\": [1, 2, 3, 4, 5, 6]}"
#define Z                   "{\"shape\": [2, 3], \"values\": [9, 8, 7, 0, -1, -2]}"
#define MAT                 "{\"shape\": [3, 4], \"range\": [0.5, 1]}"
#define CASE(name, inputs)  "{\"op\": \"False>" name "\", \"inputs\": [" inputs "]}, "
#define INTS(shape, values) ", {\"shape\": [" shape "], \"values\": [" values "]}"
ORIBI_PLUGIN_CASES(
    "{\"cases\": [" CASE("Permutes", X INTS("2", "1, 0")) CASE("Reduces", X INTS("1", "1")) CASE(
        "Vectors", X ", {\"shape\": [2], \"values\": [1, 2]}") CASE("Pads",
                                                                    X INTS("2, 2", "1, 1, 0, 2"))
        CASE("Tiles", X INTS("2", "1, 2")) CASE("Slices", X INTS("2", "0, 1") INTS("2", "2, 2"))
            CASE("Strides",
                 X INTS("2", "0, 1") INTS("2", "2, 3")
                     INTS("2", "1, 1")) CASE("Joins", X
                                             ", " Z INTS("1", "0")) CASE("Splits", X INTS("1", "0"))
                CASE("Stacks", X ", " Z) CASE("Gathers", X INTS("2", "2, 1") INTS("1", "1"))
                    CASE("Fills", "{\"shape\": [2], \"values\": [2, 3]}, "
                                  "{\"shape\": [], \"values\": [7]}")
                        CASE("Computes", X ", {\"shape\": [2, 3], \"values\": [3, 1, 4, 1, 5, 9]}")
                            CASE("Packs", MAT ", " MAT) CASE("Cost", MAT ", " MAT)
                                CASE("Parameters",
                                     "{\"shape\": [4], \"values\": [1, 0, 2, 0]}" INTS("1", "1"))
                                    CASE("Identity", X) CASE("View", X) CASE("Rearranges", X) CASE(
                                        "Moves",
                                        X) "{\"op\": [\"False>Elementwise\", "
                                           "\"False>Mean\", \"False>Place\", "
                                           "\"False>Along\", \"False>Tells\", "
                                           "\"False>NoneOfX\", \"False>Batch\"], \"inputs\": [" X
                                           "]}]}");

enum { MOST = 16 };

typedef struct call {
    TF_OpKernelContext *ctx;
    TF_Status *status;
    TF_Tensor *tensors[MOST], *outputs[2];
    int n, n_outputs;
    const float *x;
    int64_t dims[8], count; /* of x */
    int rank;
    bool is_packed; /* the second input was a constant */
} call;

static const int32_t *ints(const call *c, int input)
{
    return TF_TensorData(c->tensors[input]);
}

static float *output(call *c, const int64_t *dims, int rank)
{
    int64_t count = 1;
    for (int i = 0; i < rank; i++) {
        count *= dims[i];
    }
    TF_Tensor *made = TF_AllocateOutput(c->ctx, c->n_outputs, TF_FLOAT, dims, rank,
                                        (size_t)count * sizeof(float), c->status);
    c->outputs[c->n_outputs++] = made;
    return made != NULL ? TF_TensorData(made) : NULL;
}

static float *like_x(call *c)
{
    return output(c, c->dims, c->rank);
}

static float sum_of_x(const call *c)
{
    float sum = 0;
    for (int64_t i = 0; i < c->count; i++) {
        sum += c->x[i];
    }
    return sum;
}

/* --- Elementwise, along, formulas --------------------------------------------------------------
 */

/* y = f(x, i) of the same shape. */
#define SAME_SHAPE(name, expression)                                                               \
    static void name(call *c)                                                                      \
    {                                                                                              \
        float *y = like_x(c);                                                                      \
        const float mean = c->count > 0 ? sum_of_x(c) / (float)c->count : 0;                       \
        (void)mean;                                                                                \
        for (int64_t i = 0; y != NULL && i < c->count; i++) {                                      \
            y[i] = expression;                                                                     \
        }                                                                                          \
    }
SAME_SHAPE(neighbour, c->x[i] + c->x[(i + 1) % c->count])
SAME_SHAPE(less_mean, c->x[i] - mean)
SAME_SHAPE(times_place, c->x[i] * (float)(i + 1))
SAME_SHAPE(plus_one, c->x[i] + 1)
SAME_SHAPE(other_when_packed, c->x[i] + (float)c->is_packed)
SAME_SHAPE(reversed, c->x[c->count - 1 - i])
SAME_SHAPE(first_one, c->x[0])
SAME_SHAPE(plus_all, c->x[i] + mean)
SAME_SHAPE(plus_first_of_vector, c->x[i] + ((const float *)TF_TensorData(c->tensors[1]))[0])

static int ascending(const void *a, const void *b)
{
    const float x = *(const float *)a, y = *(const float *)b;
    return (x > y) - (x < y);
}

static void sorted(call *c)
{
    float *y = like_x(c);
    if (y != NULL) {
        memcpy(y, c->x, (size_t)c->count * sizeof *y);
        qsort(y, (size_t)c->count, sizeof *y, ascending);
    }
}

/* --- Of matrices x -----------------------------------------------------------------------------
 */

static bool is_matrix(call *c, bool is_good)
{
    if (c->rank != 2 || !is_good) {
        TF_SetStatus(c->status, TF_INVALID_ARGUMENT, "x is no matrix, or the arguments do not fit");
        return false;
    }
    return true;
}

static bool has(const call *c, int input, int64_t count)
{
    return input < c->n && TF_TensorElementCount(c->tensors[input]) == count;
}

static void twice_the_sum(call *c)
{
    const float *more = TF_TensorData(c->tensors[1]);
    float *y = is_matrix(c, has(c, 1, c->count)) ? like_x(c) : NULL;
    for (int64_t i = 0; y != NULL && i < c->count; i++) {
        y[i] = 2 * (c->x[i] + more[i]);
    }
}

/* The shape is right, the elements lie as they did. */
static void not_permuted(call *c)
{
    if (is_matrix(c, has(c, 1, 2) && ints(c, 1)[0] == 1 && ints(c, 1)[1] == 0)) {
        const int64_t dims[2] = {c->dims[1], c->dims[0]};
        float *y = output(c, dims, 2);
        for (int64_t i = 0; y != NULL && i < c->count; i++) {
            y[i] = c->x[i];
        }
    }
}

/* Along axis 1, and a little of the row before. */
static void sum_of_more(call *c)
{
    if (is_matrix(c, has(c, 1, 1) && (ints(c, 1)[0] == 1 || ints(c, 1)[0] == 0))) {
        const bool is_last = ints(c, 1)[0] == 1;
        const int64_t n = c->dims[is_last ? 0 : 1];
        float *y = output(c, &n, 1);
        for (int64_t i = 0; y != NULL && i < n; i++) {
            y[i] = c->x[(i * (is_last ? c->dims[1] : 1) + c->count - 1) % c->count];
            for (int64_t k = 0; k < c->count / n; k++) {
                y[i] += c->x[is_last ? i * c->dims[1] + k : k * c->dims[1] + i];
            }
        }
    }
}

/* x lies at the start, whatever stands before it. */
static void pad_behind(call *c)
{
    if (is_matrix(c, has(c, 1, 4) && ints(c, 1)[0] >= 0 && ints(c, 1)[1] >= 0 &&
                         ints(c, 1)[2] >= 0 && ints(c, 1)[3] >= 0)) {
        const int32_t *p = ints(c, 1);
        const int64_t dims[2] = {c->dims[0] + p[0] + p[1], c->dims[1] + p[2] + p[3]};
        float *y = output(c, dims, 2);
        for (int64_t i = 0; y != NULL && i < dims[0] * dims[1]; i++) {
            const int64_t row = i / dims[1], column = i % dims[1];
            const bool is_inside = row < c->dims[0] && column < c->dims[1];
            y[i] = is_inside ? c->x[row * c->dims[1] + column] : 0;
        }
    }
}

/* Each element twice instead of each row twice. */
static void repeat_elements(call *c)
{
    if (is_matrix(c, has(c, 1, 2) && ints(c, 1)[0] == 1 && ints(c, 1)[1] == 2)) {
        const int64_t dims[2] = {c->dims[0], 2 * c->dims[1]};
        float *y = output(c, dims, 2);
        for (int64_t i = 0; y != NULL && i < 2 * c->count; i++) {
            y[i] = c->x[i / 2];
        }
    }
}

/* The block at the start, wherever it should begin. */
static void slice_of_start(call *c)
{
    const bool has_block = has(c, 1, 2) && has(c, 2, 2);
    const int64_t rows = has_block ? ints(c, 2)[0] - (c->n == 4 ? ints(c, 1)[0] : 0) : 0;
    const int64_t columns = has_block ? ints(c, 2)[1] - (c->n == 4 ? ints(c, 1)[1] : 0) : 0;
    if (is_matrix(c, rows > 0 && columns > 0 && rows <= c->dims[0] && columns <= c->dims[1])) {
        const int64_t dims[2] = {rows, columns};
        float *y = output(c, dims, 2);
        for (int64_t i = 0; y != NULL && i < rows * columns; i++) {
            y[i] = c->x[i / columns * c->dims[1] + i % columns];
        }
    }
}

/* The second part comes first. */
static void join(call *c, bool is_new_axis)
{
    if (is_matrix(c, has(c, 1, c->count))) {
        const int64_t stacked[3] = {2, c->dims[0], c->dims[1]};
        const int64_t joined[2] = {2 * c->dims[0], c->dims[1]};
        float *y = output(c, is_new_axis ? stacked : joined, is_new_axis ? 3 : 2);
        if (y != NULL) {
            memcpy(y, TF_TensorData(c->tensors[1]), (size_t)c->count * sizeof *y);
            memcpy(y + c->count, c->x, (size_t)c->count * sizeof *y);
        }
    }
}

static void join_backwards(call *c)
{
    join(c, false);
}

static void stack_backwards(call *c)
{
    join(c, true);
}

static void split_backwards(call *c)
{
    if (is_matrix(c, c->dims[0] % 2 == 0)) {
        const int64_t dims[2] = {c->dims[0] / 2, c->dims[1]};
        for (int k = 1; k >= 0; k--) {
            float *y = output(c, dims, 2);
            if (y == NULL) {
                return;
            }
            for (int64_t i = 0; i < c->count / 2; i++) {
                y[i] = c->x[i + k * (c->count / 2)];
            }
        }
    }
}

/* Always the first columns. */
static void gather_first(call *c)
{
    if (is_matrix(c, has(c, 1, 2) && has(c, 2, 1) && c->dims[1] >= 2 && ints(c, 2)[0] == 1)) {
        const int64_t dims[2] = {c->dims[0], 2};
        float *y = output(c, dims, 2);
        for (int64_t i = 0; y != NULL && i < 2 * c->dims[0]; i++) {
            y[i] = c->x[i / 2 * c->dims[1] + i % 2];
        }
    }
}

/* --- Others ------------------------------------------------------------------------------------
 */

static void fill_wrongly(call *c) /* dims, value */
{
    const int32_t *dims = ints(c, 0);
    const int64_t wanted[2] = {dims[0], dims[1]};
    float *y = dims[0] > 0 && dims[1] > 0 ? output(c, wanted, 2) : NULL;
    for (int64_t i = 0; y != NULL && i < wanted[0] * wanted[1]; i++) {
        y[i] = 1 + *(const float *)TF_TensorData(c->tensors[1]);
    }
}

static void tell_wrongly(call *c)
{
    TF_Tensor *made = TF_AllocateOutput(c->ctx, 0, TF_INT32, NULL, 0, sizeof(int32_t), c->status);
    c->outputs[c->n_outputs++] = made;
    if (made != NULL) {
        *(int32_t *)TF_TensorData(made) = c->rank + 1;
    }
}

/* Every element of the product has all weights in it. */
static void sum_all_weights(call *c)
{
    const float *w = TF_TensorData(c->tensors[1]);
    float *y = like_x(c), sum = 0;
    for (int64_t i = 0; i < TF_TensorElementCount(c->tensors[1]); i++) {
        sum += w[i];
    }
    for (int64_t i = 0; y != NULL && i < c->count; i++) {
        y[i] = c->x[i] * sum;
    }
}

/* As many elements as x has that are not zero. */
static void count_what_counts(call *c)
{
    int64_t n = 0;
    for (int64_t i = 0; i < c->count && c->x[i] != 0; i++) {
        n++;
    }
    float *y = output(c, &n, 1);
    for (int64_t i = 0; y != NULL && i < n; i++) {
        y[i] = 1;
    }
}

/* --- The kernels ---------------------------------------------------------------------------------
 */

static void run(void (*lie)(call *c), void *state, TF_OpKernelContext *ctx)
{
    call c = {
        .ctx = ctx, .status = TF_NewStatus(), .n = TF_NumInputs(ctx), .is_packed = state != NULL};
    for (int i = 0; i < c.n && TF_GetCode(c.status) == TF_OK; i++) {
        TF_GetInput(ctx, i, &c.tensors[i], c.status);
    }
    if (TF_GetCode(c.status) == TF_OK && TF_TensorType(c.tensors[0]) == TF_FLOAT) {
        c.rank = TF_NumDims(c.tensors[0]);
        for (int i = 0; i < c.rank && i < 8; i++) {
            c.dims[i] = TF_Dim(c.tensors[0], i);
        }
        c.count = TF_TensorElementCount(c.tensors[0]);
        c.x = TF_TensorData(c.tensors[0]);
    }
    if (TF_GetCode(c.status) == TF_OK) {
        lie(&c);
    }
    if (TF_GetCode(c.status) != TF_OK) {
        TF_OpKernelContext_Failure(ctx, c.status);
    }
    for (int i = 0; i < c.n; i++) {
        TF_DeleteTensor(c.tensors[i]);
    }
    for (int i = 0; i < c.n_outputs; i++) {
        TF_DeleteTensor(c.outputs[i]);
    }
    TF_DeleteStatus(c.status);
}

#define FLOATS "x: float"
#define ARG    "a: int32"
#define LIES(R)                                                                                    \
    R(Elementwise, neighbour, "elementwise", NULL, FLOATS)                                         \
    R(Mean, less_mean, "elementwise", NULL, FLOATS)                                                \
    R(Place, times_place, "elementwise", NULL, FLOATS)                                             \
    R(Identity, plus_one, "identity", NULL, FLOATS)                                                \
    R(View, reversed, "view", NULL, FLOATS)                                                        \
    R(Rearranges, first_one, "rearranges", NULL, FLOATS)                                           \
    R(Moves, sorted, "moves", NULL, FLOATS)                                                        \
    R(NoneOfX, plus_one, "moves", NULL, FLOATS)                                                    \
    R(Permutes, not_permuted, "permutes(x, a)", NULL, FLOATS, ARG)                                 \
    R(Reduces, sum_of_more, "reduces(x, a)", NULL, FLOATS, ARG)                                    \
    R(Along, plus_all, "along(x, -1)", NULL, FLOATS)                                               \
    R(Batch, plus_all, "batch(x)", NULL, FLOATS)                                                   \
    R(Vectors, plus_first_of_vector, "elementwise(x)", "vectors(axis, v)", FLOATS, "v: float")     \
    R(Pads, pad_behind, "pads(x, a)", NULL, FLOATS, ARG)                                           \
    R(Tiles, repeat_elements, "tiles(x, a)", NULL, FLOATS, ARG)                                    \
    R(Slices, slice_of_start, "slices(x, a, b)", NULL, FLOATS, ARG, "b: int32")                    \
    R(Strides, slice_of_start, "strides(x, a, b, c)", NULL, FLOATS, ARG, "b: int32", "c: int32")   \
    R(Joins, join_backwards, "joins(x, a)", NULL, "x: N * float", ARG)                             \
    R(Splits, split_backwards, "splits(x, a)", NULL, FLOATS, ARG)                                  \
    R(Stacks, stack_backwards, "stacks(x, axis)", NULL, "x: N * float")                            \
    R(Gathers, gather_first, "gathers(x, a, b)", NULL, FLOATS, ARG, "b: int32")                    \
    R(Fills, fill_wrongly, "fills(a, v)", NULL, ARG, "v: float")                                   \
    R(Tells, tell_wrongly, "tells(x, rank)", NULL, FLOATS)                                         \
    R(Computes, twice_the_sum, "computes(sum)", NULL, FLOATS, "more: float")                       \
    R(Packs, other_when_packed, "packs(w)", NULL, FLOATS, "w: float")                              \
    R(Cost, sum_all_weights, "cost(conv, w)", NULL, FLOATS, "w: float")                            \
    R(Parameters, count_what_counts, "parameters(a)", NULL, FLOATS, ARG)

#define KERNEL(name, lie, trait, more, ...)                                                        \
    static void compute_##name(void *state, TF_OpKernelContext *ctx)                               \
    {                                                                                              \
        run(lie, state, ctx);                                                                      \
    }
LIES(KERNEL)

/* A constant second input is given back. */
static void *create(TF_OpKernelConstruction *ctx)
{
    static int packed;
    TF_ConstantView view = {.struct_size = TF_CONSTANT_VIEW_STRUCT_SIZE};
    if (!TF_OpKernelConstruction_ConstantView(ctx, 1, &view)) {
        return NULL;
    }
    TF_OpKernelConstruction_ReleaseConstant(ctx, 1);
    return &packed;
}

static void register_lie(const char *name, const char *trait, const char *more,
                         const char *const *inputs, void (*compute)(void *, TF_OpKernelContext *))
{
    TF_Status *status = TF_NewStatus();
    TF_OpDefinitionBuilder *op = TF_NewOpDefinitionBuilder(name);
    for (; *inputs != NULL; inputs++) {
        TF_OpDefinitionBuilderAddInput(op, *inputs);
        if (strchr(*inputs, 'N') != NULL) {
            TF_OpDefinitionBuilderAddAttr(op, "N: int >= 2");
        }
    }
    TF_OpDefinitionBuilderAddOutput(op,
                                    strcmp(trait, "tells(x, rank)") == 0 ? "y: int32" : "y: float");
    if (strncmp(trait, "splits", 6) == 0) {
        TF_OpDefinitionBuilderAddOutput(op, "z: float");
    }
    TF_OpDefinitionBuilderAddAttr(op, "axis: int = 0");
    TF_OpDefinitionBuilderAddTrait(op, trait);
    if (more != NULL) {
        TF_OpDefinitionBuilderAddTrait(op, more);
    }
    TF_RegisterOpDefinition(op, status);
    const bool packs = strncmp(trait, "packs", 5) == 0;
    TF_RegisterKernelBuilder(
        name, TF_NewKernelBuilder(name, "CPU", packs ? create : NULL, compute, NULL), status);
    TF_DeleteStatus(status);
}

#define REGISTER(name, lie, trait, more, ...)                                                      \
    {                                                                                              \
        static const char *const inputs[] = {__VA_ARGS__, NULL};                                   \
        register_lie("False>" #name, trait, more, inputs, compute_##name);                         \
    }

void TF_InitKernel(void)
{
    LIES(REGISTER)
}
