/* SPDX-License-Identifier: Apache-2.0 */
/* Ops that say what they are and tell the truth: an elementwise one, a view, a reduction and a
 * product. `oribi plugin test` has nothing to say about them and leaves no trait untried. */
#include <math.h>
#include <string.h>

#include "oribi/kernel_kit.h"

ORIBI_PLUGIN("traits", "1.0", "Apache-2.0");

#define CASE(op, inputs) "{\"op\": \"Acme>" op "\", \"inputs\": [" inputs "]}"
ORIBI_PLUGIN_CASES("{\"cases\": [" CASE(
    "Spread",
    "{\"shape\": [2, 3, 4]}, {\"shape\": [1], "
    "\"values\": [1]}") ", " CASE("Spread", "{\"shape\": [2, 3, 4]}, {\"shape\": [2], \"values\": "
                                            "[0, 2]}") ", " CASE("Product", "{\"shape\": [2, "
                                                                            "3]}, {\"shape\": "
                                                                            "[3, 4]}") "]}");

enum { MOST_RANK = 8 };

typedef struct setting {
    bool keeps;
} setting;

/* --- Bend: x * |x| ------------------------------------------------------------------------------
 */

static void bend_read(oribi_kit_setup *setup, setting *state)
{
    (void)setup;
    (void)state;
}

static void bend_loop(const setting *state, const float *x, float *y, int64_t count)
{
    (void)state;
    for (int64_t i = 0; i < count; i++) {
        y[i] = x[i] * fabsf(x[i]);
    }
}
ORIBI_KIT_UNARY(bend, setting, float, float, 2)

/* --- Line: all elements in one dimension
 * ---------------------------------------------------------- */

static bool line_run(const void *state, oribi_kit_run *run)
{
    const int64_t count = TF_TensorElementCount(run->in[0]);
    (void)state;
    return oribi_kit_output_alias(run, 0, &count, 1);
}
ORIBI_KIT_COMPUTE(line, 1)

/* --- Spread: greatest less smallest
 * --------------------------------------------------------------- */

static void spread_read(oribi_kit_setup *setup, setting *state)
{
    oribi_kit_attr_bool(setup, "keep_dims", &state->keeps);
}
ORIBI_KIT_CREATE(spread, setting)

/* The output's dims; *axes: those that go, as bits. */
static int spread_dims(oribi_kit_run *run, const setting *state, unsigned *axes,
                       int64_t dims[MOST_RANK])
{
    int64_t given[MOST_RANK];
    int n_given = 0, n = 0;
    const int rank = oribi_kit_dims(run, run->in[0], dims, MOST_RANK);
    if (rank < 0 || !oribi_kit_read_ints(run, run->in[1], "axes", given, MOST_RANK, &n_given)) {
        return -1;
    }
    *axes = 0;
    for (int i = 0; i < n_given; i++) {
        const int64_t axis = given[i] < 0 ? given[i] + rank : given[i];
        if (axis < 0 || axis >= rank) {
            oribi_kit_fail(run, TF_INVALID_ARGUMENT, "x has no axis %d", (int)given[i]);
            return -1;
        }
        *axes |= 1u << axis;
    }
    for (int i = 0; i < rank; i++) {
        const bool is_gone = (*axes >> i & 1) != 0;
        if (!is_gone || state->keeps) {
            dims[n++] = is_gone ? 1 : dims[i];
        }
    }
    return n;
}

/* Where in the output element i of x counts. */
static int64_t spread_place(const TF_Tensor *x, unsigned axes, int64_t i)
{
    int64_t place = 0, step = 1;
    for (int k = TF_NumDims(x) - 1; k >= 0; k--) {
        const int64_t index = i % TF_Dim(x, k);
        i /= TF_Dim(x, k);
        place += (axes >> k & 1) != 0 ? 0 : index * step;
        step *= (axes >> k & 1) != 0 ? 1 : TF_Dim(x, k);
    }
    return place;
}

static bool spread_run(const void *state, oribi_kit_run *run)
{
    int64_t dims[MOST_RANK], n_out = 1;
    unsigned axes = 0;
    const float *x = TF_TensorData(run->in[0]);
    const int64_t count = TF_TensorElementCount(run->in[0]);
    const int rank = spread_dims(run, state, &axes, dims);
    if (rank < 0 || count == 0) {
        return rank >= 0 && oribi_kit_fail(run, TF_INVALID_ARGUMENT, "x has no elements");
    }
    TF_Tensor *scratch = NULL;
    float *y = oribi_kit_output(run, 0, dims, rank);
    for (int i = 0; i < rank; i++) {
        n_out *= dims[i];
    }
    float *low = y != NULL ? oribi_kit_scratch(run, n_out * 4, &scratch) : NULL;
    for (int64_t i = 0; low != NULL && i < n_out; i++) {
        low[i] = INFINITY;
        y[i] = -INFINITY;
    }
    for (int64_t i = 0; low != NULL && i < count; i++) {
        const int64_t place = spread_place(run->in[0], axes, i);
        y[place] = fmaxf(y[place], x[i]);
        low[place] = fminf(low[place], x[i]);
    }
    for (int64_t i = 0; low != NULL && i < n_out; i++) {
        y[i] -= low[i];
    }
    TF_DeleteTensor(scratch);
    return low != NULL;
}
ORIBI_KIT_COMPUTE(spread, 2)

/* --- Product of matrices ------------------------------------------------------------------------
 */

static bool product_run(const void *state, oribi_kit_run *run)
{
    int64_t a[2], b[2];
    const float *x = TF_TensorData(run->in[0]), *w = TF_TensorData(run->in[1]);
    (void)state;
    if (oribi_kit_dims(run, run->in[0], a, 2) != 2 || oribi_kit_dims(run, run->in[1], b, 2) != 2 ||
        a[1] != b[0]) {
        return oribi_kit_fail(run, TF_INVALID_ARGUMENT, "x and w are no matrices that fit");
    }
    const int64_t dims[2] = {a[0], b[1]};
    float *y = oribi_kit_output(run, 0, dims, 2);
    for (int64_t i = 0; y != NULL && i < a[0] * b[1]; i++) {
        y[i] = 0;
        for (int64_t k = 0; k < b[0]; k++) {
            y[i] += x[i / b[1] * b[0] + k] * w[k * b[1] + i % b[1]];
        }
    }
    return y != NULL;
}
ORIBI_KIT_COMPUTE(product, 2)

void TF_InitKernel(void)
{
    oribi_kit_register_op("Acme>Bend", "x: float", "y: float", NULL, "elementwise",
                          oribi_kit_shape_unchanged);
    oribi_kit_register_kernel("Acme>Bend", "CPU", bend_create, bend_compute, oribi_kit_free);
    oribi_kit_register_op("Acme>Line", "x: float", "y: float", NULL, "view", NULL);
    oribi_kit_register_kernel("Acme>Line", "CPU", NULL, line_compute, NULL);
    oribi_kit_register_op("Acme>Spread", "x: float; axes: int32", "y: float",
                          "keep_dims: bool = false", "reduces(x, axes, keep_dims)", NULL);
    oribi_kit_register_kernel("Acme>Spread", "CPU", spread_create, spread_compute, oribi_kit_free);
    oribi_kit_register_op("Acme>Product", "x: float; w: float", "y: float", NULL, "cost(matmul, w)",
                          NULL);
    oribi_kit_register_kernel("Acme>Product", "CPU", NULL, product_compute, NULL);
}
