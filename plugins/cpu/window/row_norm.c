/* SPDX-License-Identifier: Apache-2.0 */
/* Normalisations of rows, Oribi>LayerNorm and Oribi>RmsNorm: the compute, and the reference loops
 * in double. Fast f32 loops: norm_loops.h. */
#include "cpu/base/families.h"
#include "cpu/window/norm.h"

#include <math.h>

typedef struct row_norm_state {
    float epsilon;
    int64_t n_vectors;
} row_norm_state;

static void row_norm_read(oribi_kit_setup *setup, row_norm_state *state)
{
    oribi_kit_attr_float(setup, "epsilon", &state->epsilon);
    oribi_kit_attr_int(setup, "N", &state->n_vectors);
    if (oribi_kit_setup_is_ok(setup) && state->n_vectors > 2) {
        (void)oribi_kit_setup_fail(setup, TF_INVALID_ARGUMENT,
                                   "N = %lld: a scale and an offset are all that there is",
                                   (long long)state->n_vectors);
    }
}

void *oribi_cpu_row_norm_create(TF_OpKernelConstruction *construction)
{
    oribi_kit_setup setup;
    row_norm_state *state = oribi_kit_setup_begin(&setup, construction, sizeof *state);
    if (state != NULL) {
        row_norm_read(&setup, state);
    }
    return oribi_kit_setup_end(&setup);
}

typedef struct row_norm_work {
    oribi_cpu_row_norm norm;
    oribi_cpu_norm_rows rows;
} row_norm_work;

static void row_norm_block(void *object, int64_t begin, int64_t end)
{
    const row_norm_work *work = object;
    work->rows(&work->norm, begin, end);
}

/* A vector as long as a row. */
static const void *take_vector(oribi_kit_run *run, int index, int64_t columns)
{
    const TF_Tensor *vector = oribi_kit_input(run, index);
    if (vector == NULL) {
        return NULL;
    }
    if (TF_NumDims(vector) != 1 || TF_Dim(vector, 0) != columns) {
        (void)oribi_kit_fail(run, TF_INVALID_ARGUMENT,
                             "input %d must be a vector of %lld elements, as many as a row has",
                             index, (long long)columns);
        return NULL;
    }
    return TF_TensorData(vector);
}

void oribi_cpu_row_norm_compute(const void *state, TF_OpKernelContext *context,
                                oribi_cpu_norm_rows rows)
{
    static const int candidate = 0;
    const row_norm_state *own = state;
    oribi_kit_run run;
    oribi_cpu_shape shape;
    if (oribi_kit_begin(&run, context, 1) && oribi_cpu_input_shape(&run, 0, &shape)) {
        row_norm_work work = {.norm = {.x = TF_TensorData(run.in[0]), .epsilon = own->epsilon},
                              .rows = rows};
        const void *vectors[2] = {NULL, NULL};
        bool ok = shape.n > 0 || oribi_kit_fail(&run, TF_INVALID_ARGUMENT, "x must have rows");
        int64_t columns = ok ? shape.at[shape.n - 1] : 0;
        for (int i = 0; i < own->n_vectors && ok; i++) {
            vectors[i] = take_vector(&run, i + 1, columns);
            ok = oribi_kit_is_ok(&run);
        }
        work.norm.scale = vectors[0];
        work.norm.offset = vectors[1];
        work.norm.columns = columns;
        work.norm.y = ok ? oribi_kit_output_in_place(&run, &candidate, 1, shape.at, shape.n) : NULL;
        const int64_t total = oribi_cpu_product(shape.at, shape.n);
        if (work.norm.y != NULL && total > 0) {
            oribi_kit_parallel(&run, total / columns, columns * 2 + 20, &work, row_norm_block);
        }
    }
    oribi_kit_end(&run);
}

#define ROWS(T)                                                                                    \
    static void rows_##T(const oribi_cpu_row_norm *norm, int64_t begin, int64_t end, bool centred) \
    {                                                                                              \
        const T *scale = norm->scale, *offset = norm->offset;                                      \
        const int64_t n = norm->columns;                                                           \
        for (int64_t r = begin; r < end; r++) {                                                    \
            const T *x = (const T *)norm->x + r * n;                                               \
            T *y = (T *)norm->y + r * n;                                                           \
            double mean = 0, squares = 0;                                                          \
            for (int64_t i = 0; i < n && centred; i++) {                                           \
                mean += (double)x[i] / (double)n;                                                  \
            }                                                                                      \
            for (int64_t i = 0; i < n; i++) {                                                      \
                squares += ((double)x[i] - mean) * ((double)x[i] - mean);                          \
            }                                                                                      \
            double factor = 1 / sqrt(squares / (double)n + (double)norm->epsilon);                 \
            for (int64_t i = 0; i < n; i++) {                                                      \
                double v = ((double)x[i] - mean) * factor;                                         \
                v = scale != NULL ? v * (double)scale[i] : v;                                      \
                y[i] = (T)(offset != NULL ? v + (double)offset[i] : v);                            \
            }                                                                                      \
        }                                                                                          \
    }
#define COMPUTE(id, T, centred)                                                                    \
    static void id##_##T##_rows(const oribi_cpu_row_norm *norm, int64_t begin, int64_t end)        \
    {                                                                                              \
        rows_##T(norm, begin, end, centred);                                                       \
    }                                                                                              \
    static void id##_##T##_compute(void *state, TF_OpKernelContext *context)                       \
    {                                                                                              \
        oribi_cpu_row_norm_compute(state, context, id##_##T##_rows);                               \
    }
ROWS(float)
ROWS(double)
COMPUTE(layer_norm, float, true)
COMPUTE(layer_norm, double, true)
COMPUTE(rms_norm, float, false)
COMPUTE(rms_norm, double, false)

#define ROW(op, id, T, dtype)                                                                      \
    ORIBI_CPU_STATE_ROW(op, oribi_cpu_row_norm, id##_##T, "plain loops in double",                 \
                        ORIBI_CPU_OF(dtype))
const oribi_cpu_kernel oribi_cpu_row_norm_kernels[] = {
    ROW("Oribi>LayerNorm", layer_norm, float, TF_FLOAT),
    ROW("Oribi>LayerNorm", layer_norm, double, TF_DOUBLE),
    ROW("Oribi>RmsNorm", rms_norm, float, TF_FLOAT),
    ROW("Oribi>RmsNorm", rms_norm, double, TF_DOUBLE),
    {.op_name = NULL},
};
