/* SPDX-License-Identifier: Apache-2.0 */
/* MatrixDeterminant: the product of the pivots of an elimination with row exchanges, in double. */
#include "cpu/base/cpu_shape.h"
#include "cpu/base/families.h"

#include <math.h>

static void exchange_rows(double *m, int64_t n, int64_t a, int64_t b)
{
    for (int64_t c = 0; c < n; c++) {
        const double swap = m[a * n + c];
        m[a * n + c] = m[b * n + c];
        m[b * n + c] = swap;
    }
}

/* Of m [n, n], which is destroyed; false: the run stops. */
static bool eliminate(oribi_kit_run *run, double *m, int64_t n, int64_t *patience, double *out)
{
    double product = 1;
    for (int64_t k = 0; k < n; k++) {
        int64_t top = k;
        for (int64_t r = k + 1; r < n; r++) {
            top = fabs(m[r * n + k]) > fabs(m[top * n + k]) ? r : top;
        }
        if (top != k) {
            exchange_rows(m, n, top, k);
            product = -product;
        }
        const double pivot = m[k * n + k];
        product *= pivot;
        for (int64_t r = k + 1; pivot != 0 && r < n; r++) {
            const double factor = m[r * n + k] / pivot;
            for (int64_t c = k + 1; c < n; c++) {
                m[r * n + c] -= factor * m[k * n + c];
            }
            if (oribi_kit_stops(run, patience, 2 * (n - k) + 10)) {
                return false;
            }
        }
    }
    *out = product;
    return true;
}

typedef double (*element_at)(const void *data, int64_t i);

static bool determinants(oribi_kit_run *run, element_at get,
                         void (*put)(void *data, int64_t i, double value))
{
    oribi_cpu_shape shape;
    TF_Tensor *scratch = NULL;
    int64_t bytes = 0, patience = 0;
    if (!oribi_cpu_input_shape(run, 0, &shape)) {
        return false;
    }
    const int64_t n = shape.n < 2 ? -1 : shape.at[shape.n - 1];
    if (shape.n < 2 || shape.at[shape.n - 2] != n) {
        return oribi_kit_fail(run, TF_INVALID_ARGUMENT, "shape %s has no square matrices",
                              oribi_cpu_shape_text(&shape).chars);
    }
    const int64_t count = oribi_cpu_product(shape.at, shape.n - 2);
    if (!oribi_cpu_count(run, (const int64_t[]){n, n, sizeof(double)}, 3, &bytes)) {
        return false;
    }
    const void *x = TF_TensorData(run->in[0]);
    void *y = oribi_kit_output(run, 0, shape.at, shape.n - 2);
    double *m = y == NULL ? NULL : oribi_kit_scratch(run, bytes + 1, &scratch);
    bool good = m != NULL;
    for (int64_t i = 0; good && i < count; i++) {
        double value = 0;
        for (int64_t k = 0; k < n * n; k++) {
            m[k] = get(x, i * n * n + k);
        }
        good =
            !oribi_kit_stops(run, &patience, n * n + 10) && eliminate(run, m, n, &patience, &value);
        if (good) {
            put(y, i, value);
        }
    }
    TF_DeleteTensor(scratch);
    return good;
}

#define DETERMINANT(T)                                                                             \
    static double get_##T(const void *data, int64_t i)                                             \
    {                                                                                              \
        return (double)((const T *)data)[i];                                                       \
    }                                                                                              \
    static void put_##T(void *data, int64_t i, double value)                                       \
    {                                                                                              \
        ((T *)data)[i] = (T)value;                                                                 \
    }                                                                                              \
    static bool determinant_##T##_run(const void *state, oribi_kit_run *run)                       \
    {                                                                                              \
        (void)state;                                                                               \
        return determinants(run, get_##T, put_##T);                                                \
    }                                                                                              \
    ORIBI_KIT_COMPUTE(determinant_##T, 1)
DETERMINANT(float)
DETERMINANT(double)

#define ROW(T, dtype)                                                                              \
    {                                                                                              \
        .op_name = "MatrixDeterminant", .types = {{"T", ORIBI_KIT_TYPE(dtype)}},                   \
        .priority = ORIBI_CPU_REFERENCE, .compute = determinant_##T##_compute,                     \
        .why = "an elimination in double"                                                          \
    }
const oribi_cpu_kernel oribi_cpu_determinant_kernels[] = {
    ROW(float, TF_FLOAT),
    ROW(double, TF_DOUBLE),
    {.op_name = NULL},
};
